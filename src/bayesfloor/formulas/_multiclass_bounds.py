"""Bounds for all classes at once, and for each class against the rest, from the edges of one spanning tree.

G = R / |E|, the fraction of edges that join two classes, estimates E[1 - sum_k eta_k^2].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._types import Floats
from bayesfloor.formulas._henze_penrose import cross_to_u


class Bounds(NamedTuple):
    """Bounds on a Bayes error, and their midpoint.

    Attributes
    ----------
    lower, upper : float or array
        The bounds, asymptotic in the number of rows.
    estimate : float or array
        Their midpoint.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> overall = BayesFloor().fit(*load_iris(return_X_y=True)).overall_
    >>> clean = overall.without_noise(rate=0.02)  # if 2 % of the labels were replaced at random
    >>> bool(clean.upper < overall.upper)
    True
    """

    lower: Floats
    estimate: Floats
    upper: Floats


def multiclass_bounds(cross_rate: ArrayLike, n_classes: int, cap: float = 1.0, *, correct_bias: bool = True) -> Bounds:
    """Compute bounds on the Bayes error of K classes, given G.

    (K-1)/K (1 - sqrt(1 - K/(K-1) G)) <= BER <= G: Cover and Hart (1967); Sekeh, Oselio and Hero
    (2018) for spanning trees. ``cap`` is the error of always predicting the largest class. With two
    classes these are the Henze-Penrose bounds, and the capped midpoint is the paper's corrected estimate.
    """
    G = np.asarray(cross_rate, dtype=np.float64)
    most = 1 - 1 / n_classes
    lower = most * (1 - np.sqrt(np.maximum(0.0, 1 - G / most)))
    middle = (lower + np.minimum(G, most)) / 2
    return Bounds(np.minimum(lower, cap), np.minimum(middle, cap) if correct_bias else middle, np.minimum(G, cap))


class OneVsRest(NamedTuple):
    """Bounds on P_e,k, the probability that the Bayes rule confuses class k with another, in either direction."""

    lower: Floats
    upper_classes: Floats  # (K/2) (1/2 - u/2)
    upper_root: Floats  # 1/2 + sqrt(u)/2
    upper_any: Floats  # G
    upper_pairs: Floats  # sum of R_kl / n over the pairs, each from the pair's own tree; NaN if unknown

    @property
    def upper(self) -> Floats:
        """The smallest of the upper bounds."""
        return np.fmin.reduce([self.upper_classes, self.upper_root, self.upper_any, self.upper_pairs])


def one_vs_rest_bounds(class_rate: ArrayLike, cross_rate: float, pair_rate: ArrayLike | None = None) -> OneVsRest:
    """Compute bounds on the error of each class k, given the fraction of edges with exactly one end in it.

    Lower: 1/2 - sqrt(u_k)/2, u_k = 1 - 2 R_k / n (van den Burg and Hero, section 3.3). Upper, for K
    classes: (K/2)(1/2 - u_k/2), because the Bayes rule loses eta_k <= 2 eta_k (1 - eta_k) where it does
    not predict k (there eta_k <= 1/2) and 1 - eta_k <= K eta_k (1 - eta_k) where it does (there
    eta_k >= 1/K), and 1/2 - u_k/2 estimates 2 E[eta_k (1 - eta_k)]. Three more upper bounds are
    1/2 + sqrt(u_k)/2; G, because no class has a larger error than all classes together; and the paper's sum over
    pairs, usually the tightest.
    """
    rate = np.asarray(class_rate, dtype=np.float64)
    u = cross_to_u(rate)
    return OneVsRest(
        lower=0.5 - np.sqrt(u) / 2,
        upper_classes=len(rate) / 2 * np.minimum(rate, 0.5),
        upper_root=0.5 + np.sqrt(u) / 2,
        upper_any=np.full_like(rate, cross_rate),
        upper_pairs=np.full_like(rate, np.nan) if pair_rate is None else np.asarray(pair_rate, dtype=np.float64),
    )


def one_vs_rest_finite(class_rate: ArrayLike, n_classes: int) -> Floats:
    """Compute (K-1) E[R_k] / (n-1), an upper bound on P_e,k at every n, because a rooted tree is a classifier."""
    return (n_classes - 1) * np.asarray(class_rate, dtype=np.float64)


def soft_confusion(class_edges: Floats) -> Floats:
    """Estimate E[eta_i eta_j] from the expected numbers of edges between and inside classes.

    It is R_ij / (2 |E|) off the diagonal and R_ii / |E| on it; all entries add up to 1. It describes how
    two classes overlap in the presence of all others, and is not the pairwise Bayes error.
    """
    within = np.diag(np.diag(class_edges))
    n_edges = np.triu(class_edges).sum()
    return ((class_edges - within) / 2 + within) / (n_edges or 1.0)


def remove_forced(cross: ArrayLike, expected: ArrayLike, forced: ArrayLike) -> Floats:
    """Compute R* = (R - c) E0 / (E0 - c): the cross-class edges without the c that any spanning tree must have.

    Separate classes still have c = K - 1 cross-class edges (1 for two classes). With random labels, the
    expected number is E0 (the mean over permutations), and no correction is needed. R* is right in both
    cases.
    """
    R, E0, c = (np.asarray(value, dtype=np.float64) for value in (cross, expected, forced))
    room = c < E0
    return np.where(room, np.maximum(0.0, R - c) * E0 / np.where(room, E0 - c, 1.0), R)


def random_cross_rate(class_sizes: ArrayLike) -> float:
    """Return the probability that two different rows have different labels: E0 / |E|, the mean over permutations."""
    sizes = np.asarray(class_sizes, dtype=np.float64)
    n = sizes.sum()
    return float((n**2 - (sizes**2).sum()) / max(n * (n - 1), 1.0))


def conflict_floor(largest: ArrayLike, sizes: ArrayLike) -> float:
    """Return the smallest fraction of rows that a classifier can get wrong, because equal rows have different labels.

    It is the sum over distinct rows of (m - max_k c_k) / n: no classifier has a lower error on this
    sample, and its expectation is never above the Bayes error. It needs no assumptions.
    """
    m = np.asarray(sizes, dtype=np.float64)
    return float((m - np.asarray(largest, dtype=np.float64)).sum() / m.sum())
