"""Read a classifier's input: rows unchanged for the models, and as numbers for the floors."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.io._checked_arrays import checked_array, checked_data
from bayesfloor.io._features import STRICT, Features, read_features
from bayesfloor.io._frame_columns import as_frame
from bayesfloor.io._labels_and_weights import read_weight, refuse_weightless


def read_rows(estimator: Any, X: Any) -> tuple[Any, Features]:
    """Return the rows for the models, and as numbers for the floors; data frames are kept, for pipelines."""
    features = read_features(estimator, X, STRICT)
    return _rows_for_models(X, features.values), features


def read_rows_as_they_are(estimator: Any, X: Any) -> Any:
    """Return the rows as the models need them, without reading features for the floors; sparse rows are allowed."""
    return _read(estimator, X, reset=True)


def read_new_rows(estimator: Any, X: Any) -> Any:
    """Return the rows to predict, checked to have the same features as in ``fit``."""
    return _read(estimator, X, reset=False)


def _read(estimator: Any, X: Any, *, reset: bool) -> Any:
    if as_frame(X) is None:
        return checked_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64)
    checked_data(estimator, X, reset=reset, skip_check_array=True)
    return _rows_for_models(X, X)


def _rows_for_models(X: Any, values: Any) -> Any:
    """Return data frames unchanged if scikit-learn can index their rows (pandas, polars), else as numbers."""
    frame = as_frame(X)
    if frame is None:
        return values
    indexable = hasattr(X, "columns") and hasattr(X, "to_numpy")
    return X if indexable else checked_array(frame.to_numpy(), dtype=np.float64)


def read_weights(sample_weight: Any, codes: Ints, classes: np.ndarray) -> tuple[Ints, Floats | None]:
    """Return the rows with positive weight, and their weights scaled to mean 1; None if no weights are given.

    Every class needs a row with positive weight.
    """
    weight = read_weight(sample_weight, len(codes))
    if weight is None:
        return np.arange(len(codes)), None
    kept = np.flatnonzero(weight)
    refuse_weightless(codes[kept], classes)
    return kept, weight[kept] / weight[kept].mean()
