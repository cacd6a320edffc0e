"""The number of cross-class edges if labels are unrelated to the points: its exact moments, and the test.

This is the Friedman-Rafsky test, extended to any weighted graph. R is the sum of w_ij k_ij over pairs of rows,
where w are the graph's weights and k is the chance that the labels of i and j differ. Permuting the
labels keeps the moments of both matrices, and the moments of R follow from them (Mantel 1967). One
formula covers two or more classes, one or more trees, equal rows and soft labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gamma

from bayesfloor.support._types import Floats, Ints

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
    # R would be at most this if every vertex had all classes in proportion; edges inside then count as t n edges.
    n_trees, sets = graph.total / np.maximum(n - 1, 1.0), np.asarray(n if n_vertices is None else n_vertices)
    most = np.asarray((graph.total + n_trees * sets) * 2 * labels.total / n**2)
    return Null(np.asarray(mean), np.maximum(0.0, square - mean**2), most)


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


_AT_ONCE = 1 << 22  # posterior values gathered at a time: 32 MB if dense


def cross_chance(a: Ints, b: Ints, eta: Any) -> Floats:
    """Compute the chance that the labels at the ends of each edge differ: q_ij = 1 - sum_k eta_ik eta_jk."""
    step = max(1, _AT_ONCE // eta.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(a), step)]
    return np.concatenate([np.empty(0), *(1 - (eta[a[s]] * eta[b[s]]).sum(axis=1) for s in parts)])


def conditional_variance(a: Ints, b: Ints, eta: Any, weight: Floats | None = None) -> float:
    """Compute Var(R | X), where R counts the cross-class edges among these edges and labels are drawn from ``eta``.

    It is the sum of the edges' own variances and the covariances of edges that share an end:
    sum_e q_e (1 - q_e) + sum_i { sum_k eta_ik [S_ik^2 - sum_j (1 - eta_jk)^2]
    - [(sum_j q_ij)^2 - sum_j q_ij^2] }, S_ik = sum_j (1 - eta_jk), j over the neighbours of i.
    For the mean of t trees, pass the edges of all of them and divide by t^2. Edges may have a ``weight``, at
    most one edge per pair of vertices: w q replaces q, and w (1 - eta_jk) replaces 1 - eta_jk. The
    difference of two forests is a graph with weights of both signs.
    """
    n, w = eta.shape[0], np.ones(len(a)) if weight is None else weight
    q = cross_chance(a, b, eta)
    q_sum = np.bincount(a, w * q, n) + np.bincount(b, w * q, n)
    together = _covariance_terms(a, b, eta, w)
    return float(max(0.0, (w**2 * q * (1 - q)).sum() + together - (q_sum**2).sum() + 2 * (w**2 * q**2).sum()))


def _covariance_terms(a: Ints, b: Ints, eta: Any, w: Floats) -> float:
    """Sum eta_ik [S_ik^2 - sum_j (w_ij (1 - eta_jk))^2] over i and k.

    It is computed from s_i = sum_j w_ij, T_ik = sum_j w_ij eta_jk and the same for squares, which are sparse if eta is.
    """
    n = eta.shape[0]
    s, squares = (np.bincount(a, each, n) + np.bincount(b, each, n) for each in (w, w**2))
    T = _neighbour_sum(a, b, eta, w)
    own, U = _neighbour_sum(a, b, eta, w**2), _neighbour_sum(a, b, eta**2, w**2)
    first = s**2 - 2 * s * (eta * T).sum(axis=1) + (eta * T * T).sum(axis=1)
    return float((first - squares + 2 * (eta * own).sum(axis=1) - (eta * U).sum(axis=1)).sum())


def _neighbour_sum(a: Ints, b: Ints, values: Any, w: Floats) -> Any:
    """Compute the weighted sum of the values over each vertex's neighbours."""
    if not isinstance(values, np.ndarray):
        return _as_matrix(a, b, values, w) @ values
    sums = np.zeros_like(values)
    np.add.at(sums, a, w[:, None] * values[b])
    np.add.at(sums, b, w[:, None] * values[a])
    return sums


def _as_matrix(a: Ints, b: Ints, like: Any, w: Floats) -> Any:
    """Return the neighbours as a sparse matrix of the same type as ``like``."""
    ends = (np.concatenate([a, b]), np.concatenate([b, a]))
    return type(like)((np.concatenate([w, w]), ends), shape=(like.shape[0],) * 2)
