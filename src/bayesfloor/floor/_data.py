"""What users bring becomes numbers: features, labels, groups, weights.

Columns of a data frame that hold texts or categories become one column of 0 and 1 / sqrt(2) for each
category, so that two rows that differ in it are 1 apart there; scaling leaves them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._labels import Floats, Ints, hard_shares

ONE_HOT = np.sqrt(0.5)
_MOST_CATEGORIES = 1000


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers, and which columns are quantities that scaling may touch."""

    values: Floats
    quantity: np.ndarray


def read_features(estimator: Any, X: Any) -> Features:
    """``X`` as numbers; sets ``n_features_in_`` and ``feature_names_in_``."""
    return read_columns(estimator, X)[0]


def read_columns(estimator: Any, X: Any) -> tuple[Features, Ints]:
    """``X`` as numbers, and of each column of these the column of ``X`` that it came from."""
    from sklearn.utils.validation import validate_data

    frame = as_frame(X)
    if frame is None:
        values = _read_array(estimator, X)
        return Features(values, np.ones(values.shape[1], dtype=bool)), np.arange(values.shape[1])
    validate_data(estimator, X, skip_check_array=True)
    blocks = [read_column(column) for column in frame.iter_columns()]
    if not blocks:
        raise ValueError(f"Got a data frame of {len(frame)} rows without columns, but expected at least one feature.")
    widths = [block.shape[1] for block, _ in blocks]
    quantity = np.repeat([is_quantity for _, is_quantity in blocks], widths)
    values = _check_finite(np.hstack([block for block, _ in blocks]), X)
    return Features(values, quantity), np.repeat(np.arange(len(blocks)), widths)


def _read_array(estimator: Any, X: Any) -> Floats:
    from sklearn.utils.validation import validate_data

    try:
        return np.asarray(validate_data(estimator, X, dtype=np.float64, order="C", ensure_min_samples=2))
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"Got an array with texts, but expected numbers: {error}. "
            "Pass a data frame, whose columns of texts are read as categories, or encode them first."
        ) from error


def as_frame(X: Any) -> Any:
    """A data frame of any kind as narwhals', or None of what is none."""
    import narwhals

    columns = list(getattr(X, "columns", []))
    if len({str(name) for name in columns if isinstance(name, str)}) < sum(isinstance(name, str) for name in columns):
        raise ValueError("Got several columns of one name, but expected names that differ. Rename them first.")
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, narwhals.DataFrame) else None


def read_column(column: Any) -> tuple[Floats, bool]:
    """A column as numbers, and whether it is a quantity; one of lists, such as embeddings, as several."""
    if _holds_lists(column):
        return _read_lists(column), True
    refuse_missing(column)
    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        return column.to_numpy().astype(np.float64)[:, None], True
    if column.dtype.is_temporal():
        raise TypeError(
            f"Got dates in column {column.name!r}, but expected numbers, texts or categories. "
            "Turn them into numbers first, for example days since a date."
        )
    categories = categories_of(column)
    if categories is None:  # numbers in a column of objects
        return np.array(column.to_list(), dtype=np.float64)[:, None], True
    if len(categories) > _MOST_CATEGORIES:
        raise TypeError(
            f"Got {len(categories)} different texts in column {column.name!r}, but expected at most "
            f"{_MOST_CATEGORIES} categories. Drop the column or embed it first."
        )
    codes = np.searchsorted(categories, texts_of(column))
    return hard_shares(codes, len(categories)).toarray() * ONE_HOT, False


def _holds_lists(column: Any) -> bool:
    known = str(column.dtype).startswith(("List", "Array"))
    return known or (len(column) > 0 and isinstance(column[0], (list, tuple, np.ndarray)))


def _read_lists(column: Any) -> Floats:
    """Lists of numbers, all of one length, as a matrix."""
    try:
        block = np.array([np.asarray(value, dtype=np.float64) for value in column.to_list()])
    except (TypeError, ValueError):
        block = np.empty(0)
    if block.ndim != 2:
        raise ValueError(f"Got lists in column {column.name!r} that are not numbers, or not all of one length.")
    return block


def categories_of(column: Any) -> np.ndarray | None:
    """The categories of a column of texts; None of one that holds quantities."""
    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        return None
    if all(isinstance(value, (int, float)) for value in column.to_list()):
        return None
    return np.unique(texts_of(column))


def texts_of(column: Any) -> np.ndarray:
    """The values of a column as texts, each with a mark behind: NumPy drops zero bytes at the end."""
    return np.array([f"{value}|" for value in column.to_list()])


def refuse_missing(column: Any) -> None:
    """Refuse a column with missing values."""
    numbers = column.dtype.is_numeric()
    if (numbers and column.is_null().any()) or (not numbers and any(is_missing(v) for v in column.to_list())):
        raise ValueError(
            f"Got missing values in column {column.name!r}, but expected none. "
            "Fill them first, for example with SimpleImputer or a category of their own."
        )


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN and their like differ from themselves, or will not say."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:
        return True


def _check_finite(values: Floats, X: Any) -> Floats:
    from sklearn.utils.validation import check_array

    return check_array(values, dtype=np.float64, order="C", ensure_min_samples=2, input_name=type(X).__name__)


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of units: rows, or single votes where rows have several."""

    classes: np.ndarray
    shares: csr_array
    row: Ints  # the input row of each unit


def read_target(y: Any, n_rows: int) -> Target:
    """``y`` as classes and chances: one label a row, votes or probabilities."""
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] > 1:
        return _read_soft(y, n_rows)
    classes, codes = read_classes(y, n_rows)
    return Target(classes, hard_shares(codes, len(classes)), np.arange(n_rows))


def read_classes(y: Any, n_rows: int) -> tuple[np.ndarray, Ints]:
    """The classes, at least two, and the number of each row's."""
    classes, codes = read_labels(y, n_rows)
    _check_classes(len(classes))
    return classes, codes


def read_labels(y: Any, n_rows: int) -> tuple[np.ndarray, Ints]:
    """The classes, and the number of each row's."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    labels = column_or_1d(_as_objects(y), warn=True)
    check_consistent_length(np.empty(n_rows), labels)
    _check_labels(labels)
    labels = _as_one_kind(labels.tolist()) if labels.dtype == object else labels
    check_classification_targets(labels)
    return np.unique(labels, return_inverse=True)


def _as_objects(y: Any) -> Any:
    """Labels in a list as they are: NumPy would make texts of them all, and one label of 1 and '1'."""
    if not isinstance(y, (list, tuple)) or any(isinstance(label, (list, tuple, np.ndarray)) for label in y):
        return y
    labels = np.empty(len(y), dtype=object)
    labels[:] = y
    return labels


def _as_one_kind(labels: list[Any]) -> np.ndarray:
    """Labels of any kinds as texts or as numbers, unless two that differ would become one."""
    array = np.array(labels)
    different = {(isinstance(label, (str, bool, np.bool_)), label) for label in labels}
    if len(np.unique(array)) < len(different):
        raise ValueError(
            "Got labels that differ only in kind or in what cannot be seen, such as 1 and '1', "
            "but expected classes that can be told apart. Rename one of them."
        )
    return array


def _check_labels(labels: np.ndarray) -> None:
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError("Input y contains infinity, but expected labels.")
    missing = [is_missing(label) for label in labels.tolist()] if labels.dtype.kind in "fO" else [False]
    if any(missing):
        raise ValueError(
            f"Input y contains NaN: {sum(missing)} label(s) are missing, the first in row {missing.index(True)}, "
            "but expected a label for every row. Drop these rows, or give them a label of their own."
        )


def _check_classes(n_classes: int) -> None:
    if n_classes < 2:
        raise ValueError(f"Got {n_classes} class, one class only, but expected at least 2: there is nothing to tell.")


def _read_soft(y: Any, n_rows: int) -> Target:
    """Rows of votes (each a unit of its own) or of probabilities."""
    names = getattr(y, "column_names", getattr(y, "columns", None))
    try:
        given = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Got y of shape {np.shape(y)} with texts, but expected one label a row, or votes or probabilities."
        ) from error
    if len(given) != n_rows:
        raise ValueError(f"Got y with {len(given)} rows and X with {n_rows}, but expected as many.")
    if not np.isfinite(given).all() or (given < 0).any():
        raise ValueError("Got negative or missing numbers in y, but expected votes or probabilities.")
    total = given.sum(axis=1)
    classes = np.arange(given.shape[1]) if names is None else _as_one_kind(list(names))
    if np.allclose(total, 1.0, rtol=0, atol=1e-6):
        return Target(classes, _some_of_each(csr_array(given / total[:, None]), classes), np.arange(n_rows))
    if (given != np.round(given)).any() or (total == 0).any():
        raise ValueError(
            f"Got y of shape {given.shape} whose rows add up to {total.min():g} to {total.max():g}, but expected "
            "probabilities (rows that add up to 1) or votes (whole numbers, at least one a row)."
        )
    row, code = np.nonzero(given)
    count = given[row, code].astype(int)
    shares = hard_shares(np.repeat(code, count), given.shape[1])
    return Target(classes, _some_of_each(shares, classes), np.repeat(row, count))


def _some_of_each(shares: csr_array, classes: np.ndarray) -> csr_array:
    empty = np.flatnonzero(np.asarray(shares.sum(axis=0)) == 0)
    if len(empty):
        raise ValueError(
            f"Got no vote for class {classes.tolist()[empty[0]]!r}, but expected some for every column of y."
        )
    return shares


def read_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Weights of rows, scaled to a mean of 1; None where all are alike."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,) or not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(
            f"Got sample_weight of shape {weight.shape}, but expected {n_rows} finite numbers of 0 or more."
        )
    if not weight.any():
        raise ValueError("Got sample_weight of zero for every row, but expected some weight.")
    return None if (weight == weight[0]).all() else weight / weight.mean()


def refuse_weightless(codes: Ints, classes: np.ndarray) -> None:
    """Refuse classes that none of the rows with weight is of."""
    gone = np.setdiff1d(np.arange(len(classes)), codes)
    if len(gone):
        raise ValueError(
            f"Got sample_weight of zero for all rows of class {classes.tolist()[gone[0]]!r}, "
            "but expected some weight for every class. Leave these rows out instead."
        )
