"""Limits and intervals: how far a count may be off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, norm, t

from bayesfloor.engine._types import Floats


def upper_limit(n_cross: ArrayLike, n_edges: ArrayLike, level: float = 0.95) -> Floats:
    """Clopper-Pearson's upper limit on (R of the first tree, |E|).

    A limit for the Bayes error itself, at every n and dimension: root the tree, and the parent's
    label is a classifier whose errors are the cross edges, so BER <= E[R] / (n - 1). (The edges are
    not independent; the limit's coverage is measured, not proven.)
    """
    R, n = np.asarray(n_cross, dtype=np.float64), np.asarray(n_edges, dtype=np.float64)
    return np.where(n > R, beta.ppf(level, R + 1, np.maximum(n - R, 1e-9)), 1.0)


def lower_limit(n_cross: ArrayLike, n_edges: ArrayLike, level: float = 0.95) -> Floats:
    """Clopper-Pearson's lower limit."""
    R, n = np.asarray(n_cross, dtype=np.float64), np.asarray(n_edges, dtype=np.float64)
    return np.where(R > 0, beta.ppf(1 - level, np.maximum(R, 1e-9), n - R + 1), 0.0)


def subsample_error(values: ArrayLike, fraction: float) -> Floats:
    """Standard error of a rate at n from its values on subsamples of ``fraction * n`` rows.

    se^2 = f / (1 - f) Var_B: subsamples without replacement share rows, which the factor makes up
    for. Drawing with replacement would not do: copies make edges of length zero.
    """
    return np.sqrt(fraction / (1 - fraction) * np.var(np.asarray(values, dtype=np.float64), axis=0, ddof=1))


def two_sided(level: float, degrees: float = np.inf) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    check_level(level)
    return float(norm.ppf(0.5 + level / 2) if np.isinf(degrees) else t.ppf(0.5 + level / 2, degrees))


def check_level(level: float) -> None:
    """Refuse what is no confidence level."""
    if not 0 < level < 1:
        raise ValueError(f"Got level={level!r}, but expected a number between 0 and 1, such as 0.95.")


def bias_from_growth(drop: float, fraction: float, dimension: float) -> float:
    """What is left above the limit at n, where the rate fell by ``drop`` from ``fraction * n`` to n.

    drop = bias ((1/f)^(2/m) - 1), m the intrinsic dimension.
    """
    return drop / (bias_left(fraction, dimension) - 1)


def bias_left(growth: float, dimension: float) -> float:
    """The bias of a cross rate with ``growth`` times the rows, as a part of that with all.

    For a smooth posterior it falls as n^(-2/m), m the intrinsic dimension (Snapp and Venkatesh 1998). This is the
    growth of trees; errors of learners have curves of their own, whose exponent is fitted (``_learning_curves``).
    """
    return float(growth ** (-2 / dimension))


def intrinsic_dimension(length_part: float, length_all: float, fraction: float) -> float:
    """M from the mean edge length, which falls as n^(-1/m); infinite where it does not fall."""
    if not length_part > length_all > 0:
        return np.inf
    return float(-np.log(fraction) / np.log(length_part / length_all))
