"""Arrays as scikit-learn checks them; what it refuses is an error of ours that names the argument."""

from __future__ import annotations

from typing import Any

from bayesfloor.engine._errors import blame


def checked_data(estimator: Any, X: Any, **options: Any) -> Any:
    """``X`` as ``validate_data`` checks it; sets or compares ``n_features_in_`` and ``feature_names_in_``."""
    from sklearn.utils.validation import validate_data

    with blame("X"):
        return validate_data(estimator, X, **options)


def checked_array(X: Any, name: str = "X", **options: Any) -> Any:
    """An array as ``check_array`` checks it."""
    from sklearn.utils.validation import check_array

    with blame(name):
        return check_array(X, input_name=name, **options)
