"""The mean and variance of R for fixed points and random labels, given the posterior.

``eta`` is a matrix with one row per vertex, dense or sparse: these formulas only need products and
sums, which both kinds support.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats, Ints

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
