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

from dataclasses import dataclass, replace

import numpy as np

from bayesfloor.support._types import Floats

_EXPONENTS = np.geomspace(0.1, 2, 16)


@dataclass(frozen=True)
class Prior:
    """What is known of curves before they are measured; the default was chosen for errors.

    log c is normal around log ``exponent``, the ratio a / e has a beta distribution, and ``misfit`` is relative to the
    loss at full size; its variance grows as 1 / f. All were chosen on problems with a known lowest error; the problems
    used for evaluation are not among them.
    """

    exponent: float = 0.45
    spread: float = 0.8
    ratio: tuple[float, float] = (2.9, 0.7)  # some learners are already near the limit
    misfit: float = 0.005
    sigmoid: float = 0.1  # weight of the sigmoid
    fast: float = 0.7  # weight of curves that fall as 1 / rows, if a model has hardly any parameters


ERRORS = Prior()
_FAST_EXPONENT, _FAST_SPREAD = 1.0, 0.25  # of a model with few parameters
_MOST_PARAMETERS = 0.06  # per training row, at which the weight of such curves is halved
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

    def times(self, factor: float) -> Curves:
        """Return the curves of losses that are so many times as large."""
        if factor == 1:
            return self
        return replace(self, limit=self.limit * factor, full=self.full * factor, top=self.top * factor)

    def at(self, growth: float) -> Floats:
        """Return each curve's loss at ``growth`` times as many rows; infinitely many give its limit."""
        return self.limit if np.isinf(growth) else _loss(self.limit, self.full, self.exponent, self.top, growth)


def fast_weight(per_row: float) -> float:
    """Return how far a model with so many parameters per training row is expected to fall as 1 / rows, from 0 to 1."""
    return 1 / (1 + (per_row / _MOST_PARAMETERS) ** 2)


def fit_curves(
    parts: Floats,
    mean: Floats,
    covariance: Floats,
    n_units: float,
    guessing: float,
    fast: float = 0.0,
    prior: Prior = ERRORS,
) -> Curves:
    """Fit curves to mean losses at these fractions of the rows, the last of which is 1.

    ``covariance`` is the covariance of the mean losses over ``n_units`` independent rows or groups, and ``fast``, from
    0 to 1, says how far the curve is expected to fall as 1 / rows.
    """
    fast *= prior.fast
    misfit = (prior.misfit * np.maximum(mean, 1 / n_units)) ** 2 / parts + 0.25 / n_units**2
    spread = covariance + np.diag(misfit)
    around = np.maximum(mean[-1] + np.sqrt(spread[-1, -1]) * _STEPS, 1e-4)
    full, ratio, c = (grid.ravel() for grid in np.meshgrid(around, _RATIOS, _EXPONENTS, indexing="ij"))
    limit, top = full * ratio, np.maximum(guessing, full + _LEAST_FALL)
    exponent = _log_normal(c, prior.exponent, prior.spread)
    usual = _log((1 - fast) * (1 - prior.sigmoid)) + exponent
    quick = _log(fast) + _log_normal(c, _FAST_EXPONENT, _FAST_SPREAD)
    anywhere = _log((1 - fast) * prior.sigmoid / len(_RATIOS)) + exponent
    power = np.logaddexp(usual, quick) + _log_beta(ratio, *prior.ratio)
    weights = []
    for start, before in (shapes := ((np.full_like(top, np.inf), power), (top, anywhere))):
        gap = np.stack([_loss(limit, full, c, start, part) for part in parts]) - mean[:, None]
        weights.append(before - 0.5 * (gap * np.linalg.solve(spread, gap)).sum(axis=0))
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


def _log_beta(ratio: Floats, above: float, below: float) -> Floats:
    """Return the log prior of the ratio of limit to loss; over all ratios the prior adds up to 1."""
    total = (_RATIOS ** (above - 1) * (1 - _RATIOS) ** (below - 1)).sum()
    return np.asarray((above - 1) * np.log(ratio) + (below - 1) * np.log1p(-ratio) - np.log(total))


def weighted_quantiles(values: Floats, weights: Floats, levels: Floats) -> Floats:
    """Compute quantiles of weighted values."""
    order = np.argsort(values, kind="stable")
    return np.interp(levels, np.cumsum(weights[order]) / weights.sum(), values[order])
