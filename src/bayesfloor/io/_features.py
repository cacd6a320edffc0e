"""Turn features into numbers: numeric arrays are used as they are, tables and arrays with gaps are prepared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.io._columns import read_all
from bayesfloor.io._data import WIDE, Data, checked_array, is_sparse, recognise
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._tasks import one_blas_thread
from bayesfloor.support._types import Floats, Ints

if TYPE_CHECKING:
    from bayesfloor.io._encoders import Column

AUTO, STRICT = "auto", "strict"
LARGEST = 1e151  # the squares of a million such numbers still have a finite sum


@dataclass(frozen=True, eq=False)
class Features:
    """Features as numbers, with information about their columns."""

    values: Floats
    quantity: np.ndarray  # which columns may be scaled
    code: np.ndarray | None = None  # which columns are codes, whose order means nothing
    content: Ints | None = None  # a number for each row, equal if the rows were equal before any lossy step
    prepared: tuple[Column, ...] = ()  # how each column of a table was treated; empty for arrays used as they are
    exact: Any = None  # all columns, sparse or not, if the values are only their first components
    source: Any = None  # the input column that each column came from
    steps: tuple[Any, ...] | None = ()  # fitted, they turn other rows into the same columns; None if nothing can

    def take(self, rows: Ints) -> Features:
        """Return the features of these rows."""
        content = None if self.content is None else self.content[rows]
        exact = None if self.exact is None else self.exact[rows]
        return replace(self, values=self.values[rows], content=content, exact=exact)


def read_any(data: Data, prepare: Any = AUTO, roles: Mapping[str, Any] | None = None) -> Features:
    """Return features as numbers, even if they are sparse; wide data are reduced."""
    data = data.dense_if_small() if isinstance(prepare, str) else data
    if data.form == "sparse" and isinstance(prepare, str):
        features = _read_sparse(data.X, roles)
    else:
        features = read_features(data, prepare, roles)
    wide = features.values.shape[1] > WIDE or is_sparse(features.values)
    return _reduced(features) if wide else features


def read_features(data: Data, prepare: Any = AUTO, roles: Mapping[str, Any] | None = None) -> Features:
    """Return features as numbers."""
    _check_prepare(prepare, roles)
    if not isinstance(prepare, str):
        features = _by_transformer(data.native, prepare)
    elif data.form == "frame":
        features = _by_preparer(data, prepare, roles)
    else:
        values = _read_array(data.X, allow_gaps=prepare == AUTO)
        as_is = roles is None and not np.isnan(values).any()
        features = _all_quantities(values) if as_is else _by_preparer(replace(data, X=values), prepare, roles)
    _refuse_huge(features.values)
    return features


def _refuse_huge(values: Any) -> None:
    """Raise if numbers are too large to square: scaling and learners would give meaningless results."""
    numbers = values.data if is_sparse(values) else values
    largest = max(numbers.max(initial=0.0), -numbers.min(initial=0.0))
    if largest > LARGEST:
        raise InputError(
            f"Got {largest:.3g} in X, but expected numbers of at most {LARGEST:g}: squares of larger ones overflow. "
            "Remove the outliers, or change the unit of the column: X / 1e10."
        )


def _check_prepare(prepare: Any, roles: Mapping[str, Any] | None) -> None:
    """Raise if ``prepare`` is unknown, or if both ``roles`` and a transformer are given."""
    is_word = isinstance(prepare, str)
    if not (prepare in (AUTO, STRICT) if is_word else hasattr(prepare, "fit_transform")):
        raise InputError(
            f"Got prepare={prepare!r}, but expected 'auto', 'strict' or a transformer with fit_transform, such as "
            "bayesfloor.io.TablePreparer()."
        )
    if roles is not None and not is_word:
        raise InputError(
            "Got both roles and a transformer, but expected only one of them. Set roles in the transformer."
        )


def _by_preparer(data: Data, prepare: str, roles: Mapping[str, Any] | None) -> Features:
    from bayesfloor.io._table_preparer import TablePreparer

    n, width = data.X.shape
    if not width:
        raise InputError(f"Got a data frame with {n} rows and no columns, but expected at least one feature.")
    if n < 2:
        raise InputError(f"Found {type(data.native).__name__} with {n} sample(s), while a minimum of 2 is required.")
    preparer = TablePreparer(roles, strict=prepare == STRICT)
    values = preparer.fit_transform(data.X)
    # Where a step may have made different rows equal, equality is decided before it.
    lossy = any(column.lossy and column.width for column in preparer.columns_)
    content = _number_rows(data, [column.name for column in preparer.columns_ if column.width]) if lossy else None
    code = preparer.code_ if preparer.code_.any() else None
    source, steps = preparer.source_, (preparer,)
    return Features(values, preparer.quantity_, code, content, preparer.columns_, source=source, steps=steps)


def _by_transformer(X: Any, prepare: Any) -> Features:
    """Apply the user's transformer to the table; all columns of the result are quantities, and gaps are filled."""
    from sklearn.base import clone

    from bayesfloor.io._table_preparer import TablePreparer

    preparer = clone(prepare)
    with blame("prepare"):
        made = recognise(preparer.fit_transform(X), "prepared X").dense_if_small()
    options = {"dtype": np.float64, "ensure_min_samples": 2}
    if made.form == "sparse":
        found = _all_quantities(checked_array(made.X, "prepared X", accept_sparse="csr", **options))
        return replace(found, steps=(preparer,))
    values = checked_array(made.native, "prepared X", order="C", ensure_all_finite="allow-nan", **options)
    filler = TablePreparer()
    if np.isnan(values).any():  # some transformers leave gaps, for models that accept them
        return replace(_all_quantities(filler.fit_transform(values)), steps=(preparer, filler))
    return replace(_all_quantities(values), steps=(preparer,))


def _all_quantities(values: Any) -> Features:
    """Return columns that may all be scaled, each made from its own input column."""
    width = values.shape[1]
    return Features(values, np.ones(width, dtype=bool), source=np.arange(width))


def _number_rows(data: Data, names: list[str]) -> Ints:
    """Number the distinct rows of these columns as they are before preparation; return each row's number."""
    codes = np.zeros(data.X.shape[0], dtype=np.int64)
    for values in read_all(data):
        if values.name in names:
            flat = values.data if values.data.ndim == 1 else values.data.view(f"V{values.data[:1].nbytes}").ravel()
            own = np.unique(flat, return_inverse=True)[1]
            codes = np.unique(codes * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return codes


def _read_array(X: Any, *, allow_gaps: bool) -> Floats:
    finite: Any = "allow-nan" if allow_gaps else True
    try:
        values = checked_array(X, dtype=np.float64, order="C", ensure_min_samples=2, ensure_all_finite=finite)
        return np.asarray(values)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise InputError(
            f"Got an array that contains text, but expected numbers: {error.__cause__ or error}. "
            "Pass a data frame, whose columns are prepared one by one, or encode the text first."
        ) from error


_COMPONENTS = 100
_SPARSE = 0.25  # exact values are kept sparse if the proportion of nonzero values is below this


def canonical(X: Any) -> Any:
    """Return a sparse matrix in canonical CSR form: sorted, without duplicates or stored zeros."""
    from scipy.sparse import csr_array

    made = csr_array(X, dtype=np.float64, copy=True)
    made.sum_duplicates()
    made.eliminate_zeros()
    return made


def typical_size(X: Any) -> Floats:
    """Return the mean absolute nonzero value of each column of a CSR matrix, or 1 for a column of zeros.

    Dividing by it makes columns in any unit comparable, without inflating rare ones as a standard deviation would.
    """
    width = X.shape[1]
    times = np.bincount(X.indices, minlength=width)
    size = np.bincount(X.indices, np.abs(X.data), minlength=width) / np.maximum(times, 1)
    return np.where(size > 0, size, 1.0)


def divide_columns(X: Any, by: Floats) -> Any:
    """Divide each column of a CSR matrix."""
    made = X.copy()
    made.data = made.data / by[made.indices]
    return made


def _read_sparse(X: Any, roles: Mapping[str, Any] | None) -> Features:
    if roles is not None:
        raise InputError("Got roles for a large sparse matrix, but expected none: all its columns are numbers.")
    values = checked_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2, ensure_all_finite=False)
    for bad, what in ((np.isnan(values.data), "missing values (NaN)"), (np.isinf(values.data), "infinite values")):
        if bad.any():
            raise InputError(
                f"Got {bad.sum():,} {what} in a sparse matrix of {X.shape[0]:,} x {X.shape[1]:,}, but expected finite "
                "numbers. Replace them first: X.data = numpy.nan_to_num(X.data)."
            )
    _refuse_huge(values)
    return _all_quantities(values)


def _reduced(features: Features) -> Features:
    """Replace the values by their components; keep the original values as ``exact``, sparse if most are 0."""
    from bayesfloor.io._encoders import Column

    exact: Any = features.values
    if (exact.nnz if is_sparse(exact) else np.count_nonzero(exact)) < _SPARSE * prod(exact.shape):
        exact = canonical(exact)
    elif is_sparse(exact):
        exact = exact.toarray()
    first, number = distinct_rows(exact)
    components = find_axes(exact[first])[1][number]
    d, k = exact.shape[1], components.shape[1]
    treatment = f"{d:,} columns reduced to {k} component{'s' * (k > 1)} (linear models use all columns)"
    before = () if all(column.as_is for column in features.prepared) else features.prepared
    return replace(
        features,
        values=components,
        quantity=np.ones(k, dtype=bool),
        code=None,
        content=number if features.content is None else features.content,
        prepared=(*before, Column("all columns", "wide", treatment, k, lossy=True)),
        exact=exact,
        source=None,
        steps=None,
    )


def distinct_rows(exact: Any) -> tuple[Ints, Ints]:
    """Return the first occurrence of each distinct row, sorted by content, and each row's number."""
    rows: Iterable[bytes]
    if is_sparse(exact):
        place, spans = exact.indices.astype(np.int64), zip(exact.indptr[:-1], exact.indptr[1:], strict=True)
        rows = (place[start:end].tobytes() + exact.data[start:end].tobytes() for start, end in spans)
    else:
        rows = ((row + 0.0).tobytes() for row in exact)  # -0.0 is 0.0
    digests = np.frombuffer(b"".join(blake2b(row, digest_size=16).digest() for row in rows), dtype="V16")
    _, first, number = np.unique(digests, return_index=True, return_inverse=True)
    return first, number


@dataclass(frozen=True, eq=False)
class Axes:
    """The first components of some rows with scaled columns, to be found in these and other rows."""

    middle: Any  # None for sparse rows, which are not centred
    size: Floats
    directions: Floats

    def apply(self, X: Any) -> Floats:
        """Return the components of each row."""
        return np.ascontiguousarray(_scaled(X, self.middle, self.size) @ self.directions)


def _scaled(X: Any, middle: Any, size: Floats) -> Any:
    return divide_columns(X, size) if middle is None else (X - middle) / size


def find_axes(rows: Any) -> tuple[Axes, Floats]:
    """Return the first components of rows with scaled columns, with a fixed seed, and those of each row."""
    from sklearn.utils.extmath import randomized_svd

    if is_sparse(rows):
        middle, size = None, typical_size(rows)
    else:
        spread = np.where(np.ptp(rows, axis=0) > 0, rows.std(axis=0), 0.0)
        middle, size = rows.mean(axis=0), np.where(spread > 0, spread, 1.0)
    width = max(1, min(_COMPONENTS, min(rows.shape) - 1))
    with one_blas_thread():  # the number of threads would change the last digits
        left, length, right = randomized_svd(_scaled(rows, middle, size), width, n_iter=5, random_state=0)
    return Axes(middle, size, right.T), np.ascontiguousarray(left * length)
