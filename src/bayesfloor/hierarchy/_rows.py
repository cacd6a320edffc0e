"""What users bring to a classifier on a tree: rows that models see as they came, labels as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.counts._labels import Ints
from bayesfloor.floor._data import Features, as_frame, read_features


def read_rows(estimator: Any, X: Any) -> tuple[Any, Features]:
    """The rows as models will see them, and as numbers. Data frames stay what they are, for pipelines."""
    features = read_features(estimator, X)
    return (X if _is_indexable_frame(X) else features.values), features


def read_rows_as_they_are(estimator: Any, X: Any) -> Any:
    """The rows for models alone, sparse ones included."""
    from sklearn.utils.validation import validate_data

    if _is_indexable_frame(X):
        validate_data(estimator, X, skip_check_array=True)
        return X
    return validate_data(estimator, X, accept_sparse="csr", dtype=np.float64)


def read_new_rows(estimator: Any, X: Any) -> Any:
    """Rows to predict, with the features of those that were fitted."""
    from sklearn.utils.validation import validate_data

    if _is_indexable_frame(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    given = as_frame(X)
    numbers = X if given is None else given.to_numpy()
    return validate_data(estimator, numbers, reset=False, accept_sparse="csr", dtype=np.float64)


def _is_indexable_frame(X: Any) -> bool:
    """Whether scikit-learn can take rows of it: pandas and polars; others become arrays."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def read_labels(y: Any, n_rows: int) -> tuple[np.ndarray, Ints]:
    """The classes, and the number of each row's."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(np.empty(n_rows), labels)
    check_classification_targets(labels)
    return np.unique(labels, return_inverse=True)
