"""The number of cross-class edges if labels are unrelated to the points: its exact moments, and the test.

This is the Friedman-Rafsky test, extended to any weighted graph. R is the sum of w_ij k_ij over pairs of rows,
where w are the graph's weights and k is the chance that the labels of i and j differ. Permuting the
labels keeps the moments of both matrices, and the moments of R follow from them (Mantel 1967). One
formula covers two or more classes, one or more trees, equal rows and soft labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gamma

from bayesfloor.engine._types import Floats

_ROUNDING = 1e-6  # relative to the mean: a smaller spread counts as zero


class Moments(NamedTuple):
    """Moments of a symmetric matrix with an empty diagonal, each pair counted once."""

    total: Floats  # sum of the entries
    squares: Floats  # sum of their squares
    row_squares: Floats  # sum of the squared sums of rows


class Null(NamedTuple):
    """R over all permutations of the labels: its mean, its variance, and a maximum that it rarely exceeds."""

    mean: Floats
    variance: Floats
    most: Floats


def permutation_null(n_rows: ArrayLike, graph: Moments, labels: Moments, n_vertices: ArrayLike | None = None) -> Null:
    """Compute the moments of R over permutations, for ``n_vertices`` sets of equal rows (None if all rows differ).

    Two pairs of rows are the same, share one row, or share none. In each case the mean over
    permutations is the product of the means of both matrices.
    """
    n = np.asarray(n_rows, dtype=np.float64)
    pairs, chains, disjoint = n * (n - 1) / 2, n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3) / 4
    mean = graph.total * labels.total / pairs
    square = (
        graph.squares * labels.squares / pairs
        + _over(_chains(graph) * _chains(labels), chains)
        + _over(_disjoint(graph) * _disjoint(labels), disjoint)
    )
    most = _most_cross(n, graph, labels, n if n_vertices is None else n_vertices)
    return Null(np.asarray(mean), np.maximum(0.0, square - mean**2), most)


def _most_cross(n: Floats, graph: Moments, labels: Moments, n_vertices: ArrayLike) -> Floats:
    """Return what R would be if every vertex had all classes in proportion; edges inside then count as t n edges."""
    n_trees = graph.total / np.maximum(n - 1, 1.0)
    return np.asarray((graph.total + n_trees * np.asarray(n_vertices)) * 2 * labels.total / n**2)


def _chains(m: Moments) -> Floats:
    """Sum the products over ordered pairs of entries that share one row."""
    return m.row_squares - 2 * m.squares


def _disjoint(m: Moments) -> Floats:
    """Sum the products over ordered pairs of entries that share no row."""
    return m.total**2 - m.row_squares + m.squares


def _over(value: Floats, count: Floats) -> Floats:
    return np.where(count > 0, value / np.maximum(count, 1.0), 0.0)


def class_moments(class_sizes: ArrayLike) -> Moments:
    """Compute the moments of "labels differ"; class sizes are along the last axis."""
    sizes = np.asarray(class_sizes, dtype=np.float64)
    n = sizes.sum(axis=-1)
    differ = (n**2 - (sizes**2).sum(axis=-1)) / 2
    return Moments(differ, differ, (sizes * (n[..., None] - sizes) ** 2).sum(axis=-1))


def soft_moments(labels: Floats) -> Moments:
    """Compute the moments of ``1 - p_i p_j`` for rows with label probabilities p_i."""
    n, total, own = len(labels), labels.sum(axis=0), (labels**2).sum(axis=1)
    row = (n - 1) - (labels @ total - own)
    gram = labels.T @ labels
    equal, equal_squared = (total @ total - own.sum()) / 2, ((gram**2).sum() - (own**2).sum()) / 2
    pairs = n * (n - 1) / 2
    return Moments(np.asarray(pairs - equal), np.asarray(pairs - 2 * equal + equal_squared), np.asarray((row**2).sum()))


def fewer_than_chance(n_cross: ArrayLike, null: Null) -> Floats:
    """Return the p-value for a number of cross-class edges: the chance of this many or fewer if labels are random.

    The gap to the maximum is modelled by a gamma distribution with the moments of the null. With many ties the gap is
    a multiple of Light and Margolin's (1971) chi-square; with few it is nearly normal, as in Friedman and Rafsky.
    """
    missing, gap = null.most - np.asarray(n_cross), null.most - null.mean
    sure = (gap > 0) & (np.sqrt(null.variance) > _ROUNDING * (1 + null.mean))
    scale = np.where(sure, null.variance / np.where(sure, gap, 1.0), 1.0)
    return np.where(sure, gamma.sf(missing, np.where(sure, gap / scale, 1.0), scale=scale), 1.0)


def share_not_above(n_cross: float, permuted: Floats) -> float:
    """Return the p-value from random permutations; the observed labels count as one of them."""
    tolerance = 1e-9 * (1 + abs(n_cross))  # equal sums may differ in the last bit
    return float((1 + np.count_nonzero(permuted <= n_cross + tolerance)) / (1 + len(permuted)))
