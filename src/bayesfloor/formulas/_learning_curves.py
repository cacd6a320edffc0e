"""Where a learning curve levels off: the posterior of the error with infinitely many rows.

A curve consists of a learner's mean losses on held-out rows, after training on growing, nested parts of the rows. Two
shapes are fitted. Both pass through the loss e at full size and have a limit a below it:

power law (Cortes et al. 1993)   a + (e - a) f^-c
sigmoid in log f                 a + (s - a) / (1 + h f^c), from the loss s of guessing, with h such that f = 1 gives e

f is the fraction of the rows. The likelihood is normal, with the paired covariance of the mean losses, widened by a
misfit that is larger for small fractions. The prior is on the ratio a / e, on c, and on the shape: a sigmoid may level
off anywhere, because a curve before its steep part shows nothing of its limit. The excess error of a model with few
parameters falls as parameters / rows, so its curve is, with the weight that ``fast_weight`` returns, a power law with
c near 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.support._types import Floats

_EXPONENTS = np.geomspace(0.1, 2, 16)
# Chosen on problems with a known Bayes error; the problems used for evaluation are not among them.
_USUAL_EXPONENT, _EXPONENT_SPREAD = 0.45, 0.8  # log c is normal around log .45
_FAST_EXPONENT, _FAST_SPREAD = 1.0, 0.25  # of a model with few parameters
_FAST, _MOST_PARAMETERS = 0.7, 0.06  # weight of that, and parameters per row at which it is halved
_RATIO_PRIOR = (2.9, 0.7)  # parameters of a beta distribution: some learners are already near the limit
_SIGMOID = 0.1  # prior weight of the sigmoid
_MISFIT = 0.005  # relative to the loss at full size; its variance grows as 1 / f
_RATIOS = (np.arange(60) + 0.5) / 60
_STEPS = np.linspace(-3, 3, 7)  # errors of the loss at full size to consider, in standard errors
_LEAST_FALL = 0.02  # for the sigmoid: smallest fall from the loss of guessing to the loss at full size
_LEAST = 1e-300  # instead of 0, whose logarithm is infinite


@dataclass(frozen=True, eq=False)
class Curves:
    """Possible curves behind the losses: each one's limit, loss at full size, exponent, shape and weight."""

    limit: Floats
    full: Floats
    exponent: Floats
    top: Floats  # where the sigmoid starts; infinite for a power law
    weight: Floats

    def at(self, growth: float) -> Floats:
        """Return each curve's loss at ``growth`` times as many rows; infinitely many give its limit."""
        return self.limit if np.isinf(growth) else _loss(self.limit, self.full, self.exponent, self.top, growth)


def fast_weight(per_row: float) -> float:
    """Return the weight of a curve that falls as 1 / rows, for a model with so many parameters per training row."""
    return _FAST / (1 + (per_row / _MOST_PARAMETERS) ** 2)


def fit_curves(
    parts: Floats, mean: Floats, covariance: Floats, n_units: float, guessing: float, fast: float = 0.0
) -> Curves:
    """Fit curves to mean losses at these fractions of the rows, the last of which is 1.

    ``covariance`` is the covariance of the mean losses over ``n_units`` independent rows or groups, and ``fast`` the
    weight of curves that fall as 1 / rows.
    """
    misfit = (_MISFIT * np.maximum(mean, 1 / n_units)) ** 2 / parts + 0.25 / n_units**2
    spread = covariance + np.diag(misfit)
    around = np.maximum(mean[-1] + np.sqrt(spread[-1, -1]) * _STEPS, 1e-4)
    full, ratio, c = (grid.ravel() for grid in np.meshgrid(around, _RATIOS, _EXPONENTS, indexing="ij"))
    limit, top = full * ratio, np.maximum(guessing, full + _LEAST_FALL)
    usual = _log((1 - fast) * (1 - _SIGMOID)) + _log_normal(c, _USUAL_EXPONENT, _EXPONENT_SPREAD)
    quick = _log(fast) + _log_normal(c, _FAST_EXPONENT, _FAST_SPREAD)
    anywhere = _log((1 - fast) * _SIGMOID / len(_RATIOS)) + _log_normal(c, _USUAL_EXPONENT, _EXPONENT_SPREAD)
    shapes = ((np.full_like(top, np.inf), np.logaddexp(usual, quick) + _log_beta(ratio)), (top, anywhere))
    weights = []
    for start, prior in shapes:
        gap = np.stack([_loss(limit, full, c, start, part) for part in parts]) - mean[:, None]
        weights.append(prior - 0.5 * (gap * np.linalg.solve(spread, gap)).sum(axis=0))
    weight = np.exp(np.concatenate(weights) - np.max(weights))
    limit, full, c = (np.tile(values, 2) for values in (limit, full, c))
    return Curves(limit, full, c, np.concatenate([start for start, _ in shapes]), weight / weight.sum())


def _loss(limit: Floats, full: Floats, exponent: Floats, top: Floats, growth: float) -> Floats:
    falls = growth**exponent
    with np.errstate(invalid="ignore"):
        sigmoid = (top - limit) / (1 + (top - full) / (full - limit) * falls)
    return limit + np.where(np.isinf(top), (full - limit) / falls, sigmoid)


def _log(share: float) -> float:
    return float(np.log(max(share, _LEAST)))


def _log_normal(c: Floats, middle: float, spread: float) -> Floats:
    """Return the log prior of the exponents, up to a constant: they are evenly spaced in log c."""
    return np.asarray(-0.5 * (np.log(c / middle) / spread) ** 2 - np.log(spread))


def _log_beta(ratio: Floats) -> Floats:
    """Return the log prior of the ratio of limit to loss; over all ratios the prior adds up to 1."""
    above, below = _RATIO_PRIOR
    total = (_RATIOS ** (above - 1) * (1 - _RATIOS) ** (below - 1)).sum()
    return np.asarray((above - 1) * np.log(ratio) + (below - 1) * np.log1p(-ratio) - np.log(total))


def weighted_quantiles(values: Floats, weights: Floats, levels: Floats) -> Floats:
    """Compute quantiles of weighted values."""
    order = np.argsort(values, kind="stable")
    return np.interp(levels, np.cumsum(weights[order]) / weights.sum(), values[order])
