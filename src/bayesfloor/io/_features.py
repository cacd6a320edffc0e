"""Features become numbers.

Columns of a data frame that hold texts or categories become one column of 0 and 1 / sqrt(2) for each
category, so that two rows that differ in it are 1 apart there; scaling leaves them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.io._labels import Floats, Ints, hard_shares, is_missing

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


def _check_finite(values: Floats, X: Any) -> Floats:
    from sklearn.utils.validation import check_array

    return check_array(values, dtype=np.float64, order="C", ensure_min_samples=2, input_name=type(X).__name__)
