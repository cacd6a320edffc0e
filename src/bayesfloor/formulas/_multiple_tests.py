"""Corrections for multiple tests, and a test of whether two classes are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control, norm

from bayesfloor.engine._types import Floats


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values: if those below a level are rejected, the chance of any false rejection is at most that level."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def after_picking(p_values: ArrayLike, n_candidates: int) -> Floats:
    """Adjust p-values for a test on one of ``n_candidates`` that was chosen using the labels (Bonferroni)."""
    return np.minimum(np.asarray(p_values, dtype=np.float64) * n_candidates, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjust p-values: if those below a level are rejected, the false discovery rate is at most that level."""
    p = np.asarray(p_values, dtype=np.float64)
    return np.asarray(false_discovery_control(p)) if len(p) else p


def alike_p_value(n_cross: ArrayLike, std_error: ArrayLike, expected: ArrayLike, margin: float) -> Floats:
    """Return the p-value for "E[R] <= (1 - margin) E0": small if two classes are indistinguishable.

    R is biased towards E0 in many dimensions, so a claim is valid only if that bias is small.
    """
    R, se = np.asarray(n_cross, dtype=np.float64), np.asarray(std_error, dtype=np.float64)
    E0 = np.asarray(expected, dtype=np.float64)
    return norm.sf((R - (1 - margin) * E0) / np.where(se > 0, se, np.inf))
