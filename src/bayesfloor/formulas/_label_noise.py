"""Correct counts for label noise of a known rate.

Under uniform noise of rate rho, a label is replaced with probability rho by one of the K classes,
all equally likely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._types import Floats


def cross_rate_without_noise(cross_rate: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """Return G before uniform noise: Gmax - G' = (1 - rho)^2 (Gmax - G) in expectation, for any tree."""
    most, rho = 1 - 1 / n_classes, np.asarray(rate, dtype=np.float64)
    if (rho >= 1).any():
        raise InputError(
            f"Got a noise rate of {rate!r}, but expected less than 1: otherwise the labels carry no information."
        )
    return most - (most - np.asarray(cross_rate, dtype=np.float64)) / (1 - rho) ** 2


def shares_without_noise(shares: Floats, rate: float) -> Floats:
    """Return the class proportions before uniform noise: p' = (1 - rho) p + rho / K, solved for p and clipped at 0."""
    clean = np.maximum(0.0, shares - rate / len(shares))
    return clean / clean.sum()
