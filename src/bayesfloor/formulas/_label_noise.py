"""How to take a known label noise out of counts.

Uniform noise at rate rho: with chance rho a label is drawn anew from all K classes alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._types import Floats


def cross_rate_without_noise(cross_rate: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """The G before uniform noise of a known rate: Gmax - G' = (1 - rho)^2 (Gmax - G), in expectation, for any tree."""
    most, rho = 1 - 1 / n_classes, np.asarray(rate, dtype=np.float64)
    if (rho >= 1).any():
        raise ValueError(f"Got a noise rate of {rate!r}, but expected less than 1: nothing is left of the labels.")
    return most - (most - np.asarray(cross_rate, dtype=np.float64)) / (1 - rho) ** 2


def shares_without_noise(shares: Floats, rate: float) -> Floats:
    """Class shares before uniform noise: p' = (1 - rho) p + rho / K; never below 0, though a sample's may say so."""
    clean = np.maximum(0.0, shares - rate / len(shares))
    return clean / clean.sum()
