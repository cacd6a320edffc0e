"""What users bring to a classifier on a tree: rows that models see as they came, labels as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.io._features import (
    ONE_HOT,
    Features,
    as_frame,
    categories_of,
    read_column,
    read_features,
    refuse_missing,
    texts_of,
)
from bayesfloor.io._labels import read_weight, refuse_weightless


def read_rows(estimator: Any, X: Any) -> tuple[Any, Features]:
    """The rows as models will see them, and as numbers. Data frames stay what they are, for pipelines."""
    features = read_features(estimator, X)
    return _rows_for_models(X, features.values), features


def read_rows_as_they_are(estimator: Any, X: Any) -> Any:
    """The rows for models alone, sparse ones included."""
    return _read(estimator, X, reset=True)


def read_new_rows(estimator: Any, X: Any) -> Any:
    """Rows to predict, with the features of those that were fitted."""
    return _read(estimator, X, reset=False)


def _read(estimator: Any, X: Any, *, reset: bool) -> Any:
    from sklearn.utils.validation import validate_data

    if as_frame(X) is None:
        return validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return _rows_for_models(X, X)


def _rows_for_models(X: Any, values: Any) -> Any:
    """Frames that scikit-learn can take rows of (pandas, polars) as they are, others as numbers."""
    from sklearn.utils.validation import check_array

    frame = as_frame(X)
    if frame is None:
        return values
    indexable = hasattr(X, "columns") and hasattr(X, "to_numpy")
    return X if indexable else check_array(frame.to_numpy(), dtype=np.float64)


@dataclass(frozen=True)
class Columns:
    """What each column of a data frame was at the fit: categories of texts, None of a quantity."""

    categories: list[tuple[str, np.ndarray | None]] | None

    def read(self, estimator: Any, X: Any) -> Floats:
        """New rows as numbers, their columns read as those of the fit."""
        from sklearn.utils.validation import check_array, validate_data

        given = as_frame(X)
        if given is None or self.categories is None:
            self._refuse_without_names()
            return validate_data(estimator, X if given is None else given.to_numpy(), reset=False, dtype=np.float64)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        columns = zip(given.iter_columns(), self.categories, strict=True)  # names were compared where both have them
        blocks = [_read_like(column, known) for column, (_, known) in columns]
        return check_array(np.hstack(blocks), dtype=np.float64, order="C")

    def _refuse_without_names(self) -> None:
        texts = [name for name, known in self.categories or [] if known is not None]
        if texts:
            raise ValueError(f"Got an array, but column {texts[0]!r} held texts at the fit. Give a data frame again.")


def _read_like(column: Any, known: np.ndarray | None) -> Floats:
    """A column read as it was at the fit."""
    refuse_missing(column)
    if known is not None:
        return (texts_of(column)[:, None] == known[None, :]) * ONE_HOT
    if categories_of(column) is not None:
        raise ValueError(f"Got texts in column {column.name!r}, but it held numbers at the fit.")
    return read_column(column)[0]


def read_columns(X: Any) -> Columns:
    """Which columns of a data frame hold texts or categories, and which."""
    given = as_frame(X)
    return Columns(None if given is None else [(column.name, categories_of(column)) for column in given.iter_columns()])


def read_weights(sample_weight: Any, codes: Ints, classes: np.ndarray) -> tuple[Ints, Floats | None]:
    """Rows with any weight, every class some, and their weights of mean 1; None where all are alike."""
    weight = read_weight(sample_weight, len(codes))
    if weight is None:
        return np.arange(len(codes)), None
    kept = np.flatnonzero(weight)
    refuse_weightless(codes[kept], classes)
    return kept, weight[kept] / weight[kept].mean()
