"""Check arrays with scikit-learn, and turn its errors into ours, which name the argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.engine._errors import blame


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
    """Check ``X`` with ``validate_data``, which sets or compares ``n_features_in_`` and ``feature_names_in_``."""
    from sklearn.utils.validation import validate_data

    with blame("X"), np.errstate(all="ignore"):  # NaN and infinity are reported without a NumPy warning
        return validate_data(estimator, unmask(X), **options)


def checked_array(X: Any, name: str = "X", **options: Any) -> Any:
    """Check an array with ``check_array``."""
    from sklearn.utils.validation import check_array

    with blame(name), np.errstate(all="ignore"):
        return check_array(unmask(X), input_name=name, **options)
