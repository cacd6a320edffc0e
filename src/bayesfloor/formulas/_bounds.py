"""The Henze-Penrose divergence of two classes, and its bounds on their Bayes error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._types import Floats


@dataclass(frozen=True)
class HenzePenrose:
    """Divergence, bounds and estimate for two classes, from their number of cross-class edges.

    Attributes
    ----------
    divergence : float or array
        Estimate of the Henze-Penrose divergence: 1 for separate classes, about 0 for identical ones.
        It may be negative at finite n.
    lower, upper : float or array
        Bounds on the Bayes error, asymptotic in the number of samples.
    estimate : float or array
        The midpoint of the two, which the paper calls the HP-estimate.

    Examples
    --------
    >>> from bayesfloor.formulas import henze_penrose
    >>> found = henze_penrose(10, 50, 50)
    >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
    0.053 to 0.100
    """

    divergence: Floats | float
    lower: Floats | float
    estimate: Floats | float
    upper: Floats | float


def henze_penrose(
    n_cross: ArrayLike, n1: ArrayLike, n2: ArrayLike, *, bias_correction: bool = True, normalize: bool = False
) -> HenzePenrose:
    """Bound the Bayes error of two classes, from the cross-class edges of their spanning tree.

    Parameters
    ----------
    n_cross : float or array-like
        R, the number of edges of the minimum spanning tree that join the two classes. It need not be
        a whole number: it may be a mean over several trees, or an expectation if rows are equal.
    n1, n2 : float or array-like
        Number of samples in each of the two classes.
    bias_correction : bool, default=True
        Limit the number of cross-class edges so that the estimate does not exceed the smaller class's
        proportion, as the paper does. This changes only the estimate: both bounds are always capped.
    normalize : bool, default=False
        Divide bounds and estimate by the smaller class's proportion. Then 1 means that nothing beats
        always guessing the larger class.

    Returns
    -------
    HenzePenrose

    Notes
    -----
    With n = n1 + n2 and u = 1 - 2 R / n, the bounds are 1/2 - sqrt(u)/2 and 1/2 - u/2 (Berisha et
    al., theorem 1, at the sample's own class proportions). Other proportions need other samples or
    weights: substituting them into the divergence's long form does not give bounds. The midpoint is not
    consistent for the Bayes error; it is off by up to 1/16 even with infinitely many samples.

    References
    ----------
    Berisha, Wisler, Hero and Spanias (2016), IEEE Transactions on Signal Processing 64(3).
    van den Burg and Hero (2017), arXiv:1711.03512, sections 2 and 3.

    Examples
    --------
    >>> from bayesfloor.formulas import henze_penrose
    >>> result = henze_penrose(n_cross=38, n1=100, n2=100)
    >>> print(f"{result.lower:.3f} {result.estimate:.3f} {result.upper:.3f}")
    0.106 0.148 0.190

    Even with 50 % more cross-class edges than identical classes would have, the estimate is at most one half:

    >>> henze_penrose(150, 100, 100).estimate
    0.5
    """
    cross, one, two = _check(n_cross, n1, n2)
    n, share = one + two, np.minimum(one, two) / (one + two)
    u = cross_to_u(cross / n)
    estimate = 0.5 - np.sqrt(u) / 4 - u / 4
    if bias_correction:
        estimate = np.minimum(estimate, share)
    unit = share if normalize else np.ones_like(share)
    return HenzePenrose(
        divergence=_plain(1 - n * cross / (2 * one * two)),
        lower=_plain(np.minimum(0.5 - np.sqrt(u) / 2, share) / unit),
        estimate=_plain(estimate / unit),
        upper=_plain(np.minimum(0.5 - u / 2, share) / unit),
    )


def cross_to_u(share: ArrayLike) -> Floats:
    """Compute u = 4 p1 p2 D + (p1 - p2)^2 = 1 - 2 R / n, at least 0, from R / n."""
    return np.maximum(0.0, 1 - 2 * np.asarray(share, dtype=np.float64))


def _check(n_cross: ArrayLike, n1: ArrayLike, n2: ArrayLike) -> tuple[Floats, Floats, Floats]:
    with blame("n_cross, n1 or n2"):
        cross, one, two = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (n_cross, n1, n2)))
    if not (np.isfinite(one) & np.isfinite(two) & (one > 0) & (two > 0)).all():
        raise InputError(f"Got class sizes n1={n1!r} and n2={n2!r}, but expected positive numbers.")
    if not (np.isfinite(cross) & (cross >= 0) & (cross <= one + two)).all():
        raise InputError(f"Got n_cross={n_cross!r}, but expected numbers from 0 to n1 + n2.")
    return cross, one, two


def _plain(values: Floats) -> Floats | float:
    return float(values) if np.ndim(values) == 0 else values


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
    upper: Floats


def one_vs_rest_bounds(class_rate: ArrayLike, cross_rate: float, pair_rate: ArrayLike | None = None) -> OneVsRest:
    """Compute bounds on the error of each class k, given the fraction of edges with exactly one end in it.

    Lower: 1/2 - sqrt(u_k)/2, u_k = 1 - 2 R_k / n (van den Burg and Hero, section 3.3). Upper: the smallest of four. For
    K classes, (K/2)(1/2 - u_k/2), because the Bayes rule loses eta_k <= 2 eta_k (1 - eta_k) where it does
    not predict k (there eta_k <= 1/2) and 1 - eta_k <= K eta_k (1 - eta_k) where it does (there
    eta_k >= 1/K), and 1/2 - u_k/2 estimates 2 E[eta_k (1 - eta_k)]. The others are
    1/2 + sqrt(u_k)/2; G, because no class has a larger error than all classes together; and the paper's sum of R_kl / n
    over pairs, each from the pair's own tree, usually the tightest.
    """
    rate = np.asarray(class_rate, dtype=np.float64)
    u = cross_to_u(rate)
    uppers = [len(rate) / 2 * np.minimum(rate, 0.5), 0.5 + np.sqrt(u) / 2, np.full_like(rate, cross_rate)]
    if pair_rate is not None:
        uppers.append(np.asarray(pair_rate, dtype=np.float64))
    return OneVsRest(0.5 - np.sqrt(u) / 2, np.fmin.reduce(uppers))


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
