"""Many tests at once, and the test that two classes are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control, norm

from bayesfloor.engine._types import Floats


def holm(p_values: ArrayLike) -> Floats:
    """P-values adjusted so that rejecting those below a level keeps the chance of any error to it."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def after_picking(p_values: ArrayLike, n_candidates: int) -> Floats:
    """P-values that hold although the labels picked one of so many candidates to test on (Bonferroni)."""
    return np.minimum(np.asarray(p_values, dtype=np.float64) * n_candidates, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """P-values adjusted so that rejecting those below a level keeps the share of errors to it."""
    p = np.asarray(p_values, dtype=np.float64)
    return np.asarray(false_discovery_control(p)) if len(p) else p


def alike_p_value(n_cross: ArrayLike, std_error: ArrayLike, expected: ArrayLike, margin: float) -> Floats:
    """P-value against "E[R] <= (1 - margin) E0": small where two classes cannot be told apart.

    R is biased towards E0 in many dimensions, so that a claim stands only where that bias is small.
    """
    R, se = np.asarray(n_cross, dtype=np.float64), np.asarray(std_error, dtype=np.float64)
    E0 = np.asarray(expected, dtype=np.float64)
    return norm.sf((R - (1 - margin) * E0) / np.where(se > 0, se, np.inf))
