"""Where a learning curve levels off: the posterior of the error with infinitely many rows.

A curve consists of a learner's mean losses on held-out rows, after training on growing, nested parts of the rows. Two
shapes are fitted. Both pass through the loss e at full size and have a limit a below it:

power law (Cortes et al. 1993)   a + (e - a) f^-c
sigmoid in log f                 a + (s - a) / (1 + h f^c), from the loss s of guessing, with h such that f = 1 gives e

f is the fraction of the rows. The likelihood is normal, with the paired covariance of the mean losses, widened by a
misfit that is larger for small fractions. The prior is on the ratio a / e, on c, and on the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.support._types import Floats

_EXPONENTS = np.array([0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0])
# Tuned on problems with a known Bayes error; the problems used for evaluation are not among them.
_USUAL_EXPONENT, _EXPONENT_SPREAD = 0.28, 0.4  # log c is normal around log .28
_RATIO_PRIOR = (2.9, 0.7)  # parameters of a beta distribution: some learners are already near the limit
_SIGMOID = 0.03  # prior weight of the sigmoid
_MISFIT = 0.005  # relative to the loss at full size; its variance grows as 1 / f
_RATIOS = (np.arange(60) + 0.5) / 60
_STEPS = np.linspace(-3, 3, 9)  # errors of the loss at full size to consider, in standard errors
_LEAST_FALL = 0.02  # for the sigmoid: smallest fall from the loss of guessing to the loss at full size


@dataclass(frozen=True, eq=False)
class Curves:
    """Possible curves behind the losses: each one's limit, loss at full size, exponent, shape and weight."""

    limit: Floats
    full: Floats
    exponent: Floats
    top: Floats  # where the sigmoid starts; infinite for a power law
    weight: Floats

    def at(self, growth: float) -> Floats:
        """Return each curve's loss at ``growth`` times as many rows."""
        return _loss(self.limit, self.full, self.exponent, self.top, growth)


def fit_curves(parts: Floats, mean: Floats, covariance: Floats, n_units: float, guessing: float) -> Curves:
    """Fit curves to mean losses at these fractions of the rows, the last of which is 1.

    ``covariance`` is the covariance of the mean losses over ``n_units`` independent rows or groups.
    """
    misfit = (_MISFIT * np.maximum(mean, 1 / n_units)) ** 2 / parts + 0.25 / n_units**2
    spread = covariance + np.diag(misfit)
    around = np.maximum(mean[-1] + np.sqrt(spread[-1, -1]) * _STEPS, 1e-4)
    full, ratio, c = (grid.ravel() for grid in np.meshgrid(around, _RATIOS, _EXPONENTS, indexing="ij"))
    limit, top = full * ratio, np.maximum(guessing, full + _LEAST_FALL)
    prior, weights = _log_prior(ratio, c), []
    tops = (np.full_like(top, np.inf), top)
    for start, share in zip(tops, (1 - _SIGMOID, _SIGMOID), strict=True):
        gap = np.stack([_loss(limit, full, c, start, part) for part in parts]) - mean[:, None]
        weights.append(np.log(share) + prior - 0.5 * (gap * np.linalg.solve(spread, gap)).sum(axis=0))
    weight = np.exp(np.concatenate(weights) - np.max(weights))
    limit, full, c = (np.tile(values, 2) for values in (limit, full, c))
    return Curves(limit, full, c, np.concatenate(tops), weight / weight.sum())


def _loss(limit: Floats, full: Floats, exponent: Floats, top: Floats, growth: float) -> Floats:
    falls = growth**exponent
    with np.errstate(invalid="ignore"):
        sigmoid = (top - limit) / (1 + (top - full) / (full - limit) * falls)
    return limit + np.where(np.isinf(top), (full - limit) / falls, sigmoid)


def _log_prior(ratio: Floats, c: Floats) -> Floats:
    above, below = _RATIO_PRIOR
    exponent = (np.log(c / _USUAL_EXPONENT) / _EXPONENT_SPREAD) ** 2
    return np.asarray((above - 1) * np.log(ratio) + (below - 1) * np.log1p(-ratio) - 0.5 * exponent)


def weighted_quantiles(values: Floats, weights: Floats, levels: Floats) -> Floats:
    """Compute quantiles of weighted values."""
    order = np.argsort(values, kind="stable")
    return np.interp(levels, np.cumsum(weights[order]) / weights.sum(), values[order])
