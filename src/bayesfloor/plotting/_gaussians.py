"""Two Gaussian classes, of which the Bayes error is known: the paper's own test of its estimates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from bayesfloor.engine._types import Floats
from bayesfloor.forest._spanning_forest import spanning_forest


def bayes_error(distance: ArrayLike, proportion: float) -> Floats:
    """Bayes error of two spherical Gaussians with so far between their means; ``proportion`` is that of the first."""
    far = np.asarray(distance, dtype=np.float64)
    shift = np.log(proportion / (1 - proportion)) / np.where(far > 0, far, 1.0)
    error = proportion * norm.cdf(-far / 2 - shift) + (1 - proportion) * norm.cdf(-far / 2 + shift)
    return np.where(far > 0, error, min(proportion, 1 - proportion))


def cross_counts(distance: float, sizes: tuple[int, int], n_trees: int, rng: np.random.Generator) -> Floats:
    """Cross-class edges of each tree of one sample in the plane."""
    label = np.repeat([0, 1], sizes)
    X = rng.standard_normal((len(label), 2))
    X[:, 0] += distance * label
    forest = spanning_forest(X, n_trees)
    at = np.empty_like(label)
    at[forest.vertex] = label
    return np.bincount(forest.tree, at[forest.a] != at[forest.b], n_trees).astype(np.float64)
