"""Confidence limits and intervals for counts, and tests of labels against their neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, false_discovery_control, hypergeom, norm, t

from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints


def upper_limit(n_cross: ArrayLike, n_edges: ArrayLike, level: float = 0.95) -> Floats:
    """Compute the Clopper-Pearson upper limit from |E| and the R of the first tree.

    It limits the Bayes error itself, at every n and dimension. In a rooted tree, each parent's label
    predicts its child's label, and the errors of this classifier are the cross-class edges, so
    BER <= E[R] / (n - 1). (The edges are not independent; the limit's coverage is measured, not proven.)
    """
    R, n = np.asarray(n_cross, dtype=np.float64), np.asarray(n_edges, dtype=np.float64)
    return np.where(n > R, beta.ppf(level, R + 1, np.maximum(n - R, 1e-9)), 1.0)


def guessing_limit(error: ArrayLike, n: ArrayLike, n_classes: int, level: float = 0.95) -> Floats:
    """Compute an upper limit for the error of always predicting the most frequent class, wrong on ``error`` of n rows.

    These rows also choose the class, so every class gets a Clopper-Pearson limit at its part of the level. With K
    classes, the error is at most 1 - 1/K.
    """
    wrong = np.asarray(error, dtype=np.float64) * np.asarray(n, dtype=np.float64)
    return np.minimum(upper_limit(wrong, n, 1 - (1 - level) / n_classes), 1 - 1 / n_classes)


def lower_limit(n_cross: ArrayLike, n_edges: ArrayLike, level: float = 0.95) -> Floats:
    """Compute the Clopper-Pearson lower limit."""
    R, n = np.asarray(n_cross, dtype=np.float64), np.asarray(n_edges, dtype=np.float64)
    return np.where(R > 0, beta.ppf(1 - level, np.maximum(R, 1e-9), n - R + 1), 0.0)


def class_weights(priors: Floats | None, codes: Ints, n_classes: int = 0) -> Floats:
    """Return the weight of a row of each class: its proportion in the priors relative to the rows; 1 without priors."""
    sizes = np.bincount(codes, minlength=n_classes if priors is None else len(priors))
    if priors is None:
        return np.ones(len(sizes))
    return np.where(sizes > 0, priors / priors[sizes > 0].sum() * len(codes) / np.maximum(sizes, 1), 1.0)


def of_pairs(lost: Ints | Floats, sizes: Ints | Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return each pair's errors and rows, counted in rows of the heavier class; ``weight`` is that of a row.

    ``lost`` are the rows of each class that are mistaken for each other one.
    """
    heavier, wrong, weighted = np.maximum.outer(weight, weight), lost * weight[:, None], sizes * weight
    return (wrong + wrong.T) / heavier, (weighted[:, None] + weighted) / heavier


def weighted_losses(losses: Floats, codes: Ints, weight: Floats) -> Floats:
    """Return losses whose mean is the weighted mean, and that vary as it does; ``weight`` is that of each class.

    Products of losses and weights would vary more: how many rows a class has does not change the weighted mean.
    """
    sizes = np.bincount(codes, minlength=len(weight))
    rates = np.bincount(codes, losses, len(weight)) / np.maximum(sizes, 1)
    return np.asarray(weight @ (sizes * rates) / len(codes) + weight[codes] * (losses - rates[codes]))


def effective_count(
    wrong: ArrayLike, cluster: ArrayLike, level: float = 0.95, heaviest: float = 1.0, most: float | None = None
) -> float:
    """Return how many independent rows would give as much information on the error rate as these clustered rows.

    n* = p (1 - p) / V (t_{n-1} / t_{G-1})^2, where V is the variance of the rate p between G clusters (Korn and
    Graubard 1998). If fewer than ten clusters have errors, V is too uncertain, and n* is G.

    For weighted losses, ``heaviest`` is the largest weight, and one error with this weight is added to p and to V, as
    in limits for standardised rates (Fay and Feuer 1997): without errors, n* is G / ``heaviest``. It is at most
    ``most`` times that, since V is uncertain if few rows are heavy.
    """
    errors, unit = np.asarray(wrong, dtype=np.float64), np.unique(cluster, return_inverse=True)[1]
    n, G, rate = len(errors), int(unit.max()) + 1, float(errors.mean())
    sums = np.bincount(unit, errors)
    if heaviest == 1 and (n == G or min((sums > 0).sum(), (sums < np.bincount(unit)).sum()) < _ENOUGH_CLUSTERS):
        return float(G)
    variance = float((np.bincount(unit, errors - rate) ** 2).sum()) / n**2 * G / (G - 1)
    few_clusters = (two_sided(level, n - 1) / two_sided(level, G - 1)) ** 2
    if heaviest > 1:
        cap, error = (most or _MOST_OF_HEAVIEST) * G / heaviest, heaviest / G
        return float(min(n, cap, (rate * (1 - rate) + error) / (variance + error**2) * few_clusters))
    return float(min(n, rate * (1 - rate) / max(variance, 1e-300) * few_clusters))


_ENOUGH_CLUSTERS = 10
_MOST_OF_HEAVIEST = 2.0


def unit_means(losses: ArrayLike, cluster: ArrayLike) -> Floats:
    """Return one value per cluster whose plain mean is the mean loss, and that vary as the clusters' sums do."""
    loss, unit = np.asarray(losses, dtype=np.float64), np.unique(cluster, return_inverse=True)[1]
    middle, G = loss.mean(), int(unit.max()) + 1
    return np.asarray(middle + np.bincount(unit, loss - middle) * G / len(loss))


def mean_limit(losses: ArrayLike, cluster: ArrayLike, level: float = 0.95) -> float:
    """Compute an upper limit for an expected loss without bounds: Student's, corrected for skewness (Hall 1992).

    No limit of an unbounded loss can be guaranteed. With tails as heavy as those of Student's t with 3 degrees of
    freedom, a limit of squared errors at 95 % is wrong in a quarter of all cases.
    """
    value = unit_means(losses, cluster)
    n, middle, sd = len(value), float(value.mean()), float(value.std(ddof=1)) if len(value) > 1 else np.inf
    if n < 2 or sd == 0:
        return middle if sd == 0 else np.inf
    skew = float(
        np.clip(((value - middle) ** 3).mean() / value.std() ** 3, -_MOST_SKEW * np.sqrt(n), _MOST_SKEW * np.sqrt(n))
    )
    low = -two_sided(2 * level - 1, n - 1) / np.sqrt(n)
    if abs(skew) > _LEAST_SKEW:  # the inverse of w + g w^2 / 3 + g^2 w^3 / 27 + g / 6n at ``low``
        low = 3 / skew * (np.cbrt(1 + skew * (low - skew / (6 * n))) - 1)
    return middle - sd * float(low)


_MOST_SKEW, _LEAST_SKEW = 0.25, 1e-3  # the first relative to sqrt(n)


def subsample_error(values: ArrayLike, fraction: float) -> Floats:
    """Compute the standard error of a rate at n from its values on subsamples of ``fraction * n`` rows.

    se^2 = f / (1 - f) Var_B: subsamples without replacement share rows, and the factor
    corrects for that. Sampling with replacement would not work, because duplicates create edges of length zero.
    """
    return np.sqrt(fraction / (1 - fraction) * np.var(np.asarray(values, dtype=np.float64), axis=0, ddof=1))


def two_sided(level: float, degrees: float = np.inf) -> float:
    """Return the half-width of an interval at this level, in standard errors."""
    check_level(level)
    return float(norm.ppf(0.5 + level / 2) if np.isinf(degrees) else t.ppf(0.5 + level / 2, degrees))


def check_level(level: float) -> None:
    """Raise unless ``level`` is a number between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(f"Got level={level!r}, but expected a number between 0 and 1, such as 0.95.")


def bias_from_growth(drop: float, fraction: float, dimension: float) -> float:
    """Return how far the rate at n is above its limit, if it fell by ``drop`` from ``fraction * n`` to n rows.

    drop = bias ((1/f)^(2/m) - 1), where m is the intrinsic dimension: with a smooth posterior, the bias falls as
    n^(-2/m) (Snapp and Venkatesh 1998). This holds for trees; the errors of learners have their own curves, whose
    exponent is fitted (``_learning_curves``).
    """
    return drop / (float(fraction ** (-2 / dimension)) - 1)


def intrinsic_dimension(length_part: float, length_all: float, fraction: float) -> float:
    """Compute m from a typical edge length, which falls as n^(-1/m); m is infinite if the length does not fall."""
    if not length_part > length_all > 0:
        return np.inf
    return float(-np.log(fraction) / np.log(length_part / length_all))


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


_PRIOR_EDGES = 20  # the whole forest's rate has as much weight as this many edges around a row


def crowd_p_value(n_own: ArrayLike, n_around: ArrayLike, n_rows: int, n_class: int) -> Floats:
    """Return P(at least this many rows around a row have its class) if labels are permuted at random.

    The distribution is hypergeometric. It is exact for any set of rows chosen without using their labels.
    """
    return np.asarray(hypergeom.sf(np.asarray(n_own) - 1, n_rows - 1, n_class - 1, np.asarray(n_around)))


def label_score(n_cross: ArrayLike, degree: ArrayLike, share: ArrayLike) -> Floats:
    """Compute Z = (J - (1 - pi) deg) / sqrt(pi (1 - pi) deg), with pi the proportion of the sample's class.

    Z ranks samples. It does not give a p-value, because its null hypothesis is "labels are random" (Muhlenbach,
    Lallich and Zighed 2004).
    """
    J, deg, pi = (np.asarray(value, dtype=np.float64) for value in (n_cross, degree, share))
    spread = np.sqrt(pi * (1 - pi) * deg)
    return np.where(spread > 0, (J - (1 - pi) * deg) / np.where(spread > 0, spread, 1.0), 0.0)


def odd_label_p_value(n_cross: ArrayLike, degree: ArrayLike, local: tuple[Floats, Floats]) -> Floats:
    """Return P(BetaBinomial(deg, a, b) >= J): the chance of at least J cross-class edges at the local rate.

    The rate of the binomial is not known but estimated from nearby edges, hence the beta
    distribution. With equal rows, counts are expectations, and they are rounded to be safe: J down and
    degrees up.
    """
    J, deg = np.floor(np.asarray(n_cross) + 1e-9), np.ceil(np.asarray(degree) - 1e-9)
    p_value = np.ones_like(local[0])
    for j, tail in _tails(deg, *local):
        np.copyto(p_value, tail, where=(j == J) & (j > 0))
    return p_value


def _tails(n: Floats, a: Floats, b: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield J = n, n - 1, ... down to 1 with the beta-binomial P(>= J), for all rows at once; SciPy cannot do this."""
    tail, term = np.zeros_like(a), np.zeros_like(a)  # term is log P(J), because P(J) itself underflows for a hub
    for i in range(int(n.max(initial=0))):
        term += np.where(i < n, np.log((a + i) / (a + b + i)), 0.0)
    for step in range(int(n.max(initial=0))):
        j = np.maximum(n - step, 1)
        tail = np.minimum(tail + np.where(step < n, np.exp(term), 0.0), 1.0)
        yield n - step, tail
        term += np.log(j * (b + step) / ((step + 1) * (a + j - 1)))


def local_rate(n_cross: ArrayLike, degree: ArrayLike, rate: float) -> tuple[Floats, Floats]:
    """Return the beta distribution of the local cross rate around a row, with the whole forest's rate as prior."""
    J, deg = np.asarray(n_cross, dtype=np.float64), np.asarray(degree, dtype=np.float64)
    q = min(max(rate, 1e-6), 1 - 1e-6)
    return J + _PRIOR_EDGES * q, np.maximum(0.0, deg - J) + _PRIOR_EDGES * (1 - q)
