"""The one form of data that everything else sees; features are a matrix, sparse or a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._results import Shown
from bayesfloor.support._words import show_labels

WIDE = 2000  # columns; up to this many, all learners see all of them
_MOST_BYTES = 200_000_000  # largest array that a sparse matrix is converted to
Form = Literal["matrix", "sparse", "frame"]


@dataclass(frozen=True, eq=False, repr=False)
class Data(Shown):
    """Features and labels from any source.

    Attributes
    ----------
    X : array of shape (n, p), SciPy CSR array, or narwhals.DataFrame
        The features. A table in a file becomes a data frame of pyarrow.
    form : {"matrix", "sparse", "frame"}
        Which of the three ``X`` is.
    y : array of shape (n,)
        The labels, numbers or text as in the file; float64 with NaN where missing if the task is "numbers".
    task : {"classes", "numbers"}
        What ``y`` is.
    task_guessed : bool
        Whether the task was chosen by looking at ``y``.
    groups, weight, predictions : array of shape (n,) or None
        Each row's group, its weight, and the label or number that a model predicts for it.
    ids : array or None
        A name for each row.
    images : list of str or None
        Paths of images, resolved relative to the file's folder; addresses such as ``https://...`` are unchanged.
    name : str
        The file's name without its folder, ``stdin`` for ``-``; empty if there is no file.
    label : str
        The name of the label column or array, if it has one.
    group : str
        The name of the group column, if it has one.
    feature_names : tuple of str
        The names of the file's feature columns.
    notes : tuple of str
        Assumptions made while reading the file, such as its encoding.
    drawn : array or None
        The row numbers, from 0, that were read from a large file; None if all rows were read.
    n_rows, n_unlabelled : int
        If the file was subsampled, its number of rows, and how many of them have no label.
    rows_are : {"", "cases", "copies"}
        What equal rows are, if that is known.
    source : Data, dict or None
        If ``open_data`` drew a sample because of ``at_most``, where all rows are: the data, or the arguments to open
        the file again.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.io import open_data
    >>> data = open_data(*load_iris(return_X_y=True))
    >>> data.form, data.X.shape, len(data.y)
    ('matrix', (150, 4), 150)
    """

    X: Any
    y: Any = None
    groups: Any = None
    weight: Any = None
    predictions: Any = None
    ids: np.ndarray | None = None
    images: list[str] | None = None
    name: str = ""
    label: str = ""
    group: str = ""
    feature_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    drawn: np.ndarray | None = None
    n_rows: int = 0
    n_unlabelled: int = 0
    rows_are: str = ""
    task: str = "classes"
    task_guessed: bool = False
    source: Any = None

    def _summary(self) -> str:
        sizes = [f"{number:,} {what}" for number, what in zip(self.X.shape, ("rows", "features"), strict=True)]
        names = {"file": self.name, "label": self.label}
        named = [f"{what} {show_labels([name])[0]}" for what, name in names.items() if name]
        beside = [f"with {name}" for name in ("groups", "weight", "predictions") if getattr(self, name) is not None]
        return ", ".join([*sizes, *named, *beside])

    @property
    def form(self) -> Form:
        """Which of the three forms the features have."""
        if isinstance(self.X, np.ndarray):
            return "matrix"
        return "sparse" if is_sparse(self.X) else "frame"

    @property
    def native(self) -> Any:
        """The features as other libraries know them: a data frame from the user's library, or an array."""
        return self.X.to_native() if self.form == "frame" else self.X

    def dense_if_small(self) -> Data:
        """Return the data with a small sparse matrix as an array; other features stay as they are."""
        small = self.X.shape[1] <= WIDE and 8 * prod(self.X.shape) <= _MOST_BYTES
        return replace(self, X=self.X.toarray()) if small and self.form == "sparse" else self


def as_singles(blocks: Sequence[Any], n_rows: int) -> NDArray[np.float32]:
    """Join blocks of columns in single precision; larger numbers become its largest."""
    found = np.empty((n_rows, sum(block.shape[1] for block in blocks)), dtype=np.float32)
    at, largest = 0, np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        for block in blocks:
            found[:, at : at + block.shape[1]] = block
            at += block.shape[1]
    return np.clip(found, -largest, largest, out=found)


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse array or matrix."""
    from scipy.sparse import issparse

    return bool(issparse(X))


def recognise(X: Any, name: str = "X") -> Data:
    """Return features in memory in one of the three forms; errors call them ``name``."""
    if isinstance(X, Data):
        return X
    X = unmask(X)
    frame = as_frame(X)
    if frame is not None:
        return Data(frame)
    notes: tuple[str, ...] = ()
    if getattr(X, "ndim", 2) > 2:
        shape = tuple(X.shape)
        X = (X if is_sparse(X) else np.asarray(X)).reshape((shape[0], prod(shape[1:])))
        notes = tell_flattened(shape)
    if is_sparse(X):
        X = X.tocsr() if X.ndim == 2 else X.toarray()
    if not is_sparse(X) and (not isinstance(X, np.ndarray) or isinstance(X, np.matrix) or X.ndim != 2):
        # scikit-learn says best what is wrong with the rest; text, gaps and sizes are looked at later
        X = checked_array(X, name, dtype=None, ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0)
    return Data(X, notes=notes)


def tell_flattened(shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return a note if rows of this shape have more than one axis."""
    return (f"flattened {' x '.join(map(str, shape[1:]))} numbers per row",) if len(shape) > 2 else ()


def as_frame(X: Any) -> Any:
    """Wrap a data frame from any library with narwhals, or return None for anything else."""
    import narwhals

    names = [str(name) for name in getattr(X, "columns", []) if isinstance(name, (str, int))]
    if len(set(names)) < len(names):
        raise InputError("Got several columns with the same name, but expected different names. Rename them first.")
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, narwhals.DataFrame) else None


def unmask(values: Any) -> Any:
    """Turn masked values into missing ones; return anything other than a masked array unchanged."""
    if isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = np.ma.array(values)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    if values.dtype.kind in "mM":
        return np.where(values.mask, np.array("NaT", dtype=values.dtype), values.data)
    if values.dtype.kind in "iuf":
        return np.where(values.mask, np.nan, values.data)
    plain = values.data.astype(object)
    plain[values.mask] = None
    return plain


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Check features with ``validate_data``, which sets or compares ``n_features_in_`` and ``feature_names_in_``."""
    from sklearn.utils.validation import validate_data

    with blame("X"), np.errstate(all="ignore"):  # NaN and infinity are reported without a NumPy warning
        return validate_data(estimator, X, **options)


def checked_array(X: Any, name: str = "X", **options: Any) -> Any:
    """Check an array with ``check_array``."""
    from sklearn.utils.validation import check_array

    with blame(name), np.errstate(all="ignore"):
        return check_array(X, input_name=name, **options)
