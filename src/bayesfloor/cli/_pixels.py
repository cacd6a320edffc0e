"""Turn features that are pixels into pictures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bayesfloor.io._messages import DataError


def features_as_pictures(X: Any, shape: str) -> np.ndarray:
    """Return each row's features as a picture of this size, such as 28x28 or 32x32x3."""
    if re.fullmatch(r"\d+x\d+(x[34])?", shape) is None:
        raise DataError(f"--pixels {shape} is not a size. Write 28x28, or 32x32x3 for colours.")
    sizes = [int(part) for part in shape.split("x")]
    values = X if isinstance(X, np.ndarray) else np.column_stack([column.to_numpy() for column in X.columns])
    if np.prod(sizes) != values.shape[1]:
        raise DataError(f"--pixels {shape} needs {np.prod(sizes)} features, but the data have {values.shape[1]}.")
    return values.reshape(len(values), *sizes)
