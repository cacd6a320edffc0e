"""How a rate goes on falling with the number of rows: G(n) = L + b n^(-a), and what that leaves open.

The share of cross edges stands above its limit by the roughness of the posterior along the edges,
which falls as n^(-2/m) for a smooth posterior and n^(-1/m) across a jump, m the intrinsic dimension
(Snapp and Venkatesh 1998 for the nearest neighbour). On real rows the exponent is whatever it is, and
few sizes tell it roughly: so predictions average over exponents and limits, each weighted by how well
it fits (Hoeting, Madigan, Raftery and Volinsky 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from bayesfloor.formulas._types import Floats

_EXPONENTS = np.geomspace(0.03, 1.5, 20)
_USUAL, _MILD = 1.5, 1.0  # a = 1.5 / m, give or take a factor of e
_MOST_DIMENSIONS = 50.0
_LIMITS = (np.arange(60) + 0.5) / 60  # of the largest limit that is possible
_DEPARTURE = 0.15  # of the fall in a doubling, by which the fall in the next departs from the formula
_DRIFT = 0.3  # variance of the change from one size to the next, of that of the rate, where it cannot be measured
_MOST_PERSISTENT = 0.999  # correlation of sizes; at 1 they would tell nothing of one another's errors
_STEP = 0.125  # of a doubling, in which the curve's slope is taken as constant
_BISECTIONS = 40
_UNEVEN = 0.2  # of the copies to come, by which they are missed where some kinds of rows are likelier than others
_FORESEEN = 4.0  # times as many rows, beyond which copies cannot be foreseen


class Mixture(NamedTuple):
    """Normal distributions and how likely each is."""

    weight: Floats
    mean: Floats
    spread: Floats

    def quantile(self, levels: Floats) -> Floats:
        """Where the mixture's distribution function comes to these levels, by bisection."""
        some = self.weight > 1e-5 * self.weight.max()
        weight, mean, spread = self.weight[some] / self.weight[some].sum(), self.mean[some], self.spread[some]
        widest = 8 * spread.max()
        low, high = np.full(len(levels), mean.min() - widest), np.full(len(levels), mean.max() + widest)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            below = norm.cdf((middle[:, None] - mean) / np.maximum(spread, 1e-12)) @ weight < levels
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)


@dataclass(frozen=True, eq=False)
class Growth:
    """Rates at ascending sizes, the last that of all rows, and the curves that may be behind them.

    Attributes
    ----------
    sizes, rates : rows, and the mean rate of parts of so many rows that together are all rows.
    std_error : of the rate of all rows.
    persistence : correlation of the errors of two sizes, one twice the other.
    exponent : the exponent to expect.
    """

    sizes: Floats
    rates: Floats
    std_error: float
    persistence: float
    exponent: float

    @property
    def limit(self) -> float:
        """Mean of L."""
        return float(self._limit_weight @ self._limits)

    @property
    def limit_std_error(self) -> float:
        """Spread of L, that of the exponent included."""
        return float(np.sqrt(self._limit_weight @ (self._limits - self.limit) ** 2))

    def limit_interval(self, level: float) -> tuple[float, float]:
        """The likeliest values of L that come to this level: 0 among them wherever it is among the likeliest."""
        order = np.argsort(-self._limit_weight, kind="stable")
        chosen = order[: 1 + np.searchsorted(np.cumsum(self._limit_weight[order]), level)]
        half = self._limits[0]
        return float(self._limits[chosen.min()] - half), float(self._limits[chosen.max()] + half)

    def at(self, n_rows: float) -> Mixture:
        """The rate that so many rows would show, these rows among them or, if fewer, some of these."""
        shared = self._covariance(np.append(self.sizes, n_rows))[-1, :-1]
        own = self.std_error**2 * self._n / n_rows + self._departure(np.array([n_rows]))[0, 0]
        pull = np.linalg.solve(self._errors, shared)
        slope = (n_rows / self._n) ** -_EXPONENTS - self._shapes @ pull
        mean = self._limits + slope[:, None] * self._bias.mean + (self.rates - self._limits[:, None]) @ pull
        variance = max(0.0, own - shared @ pull) + (slope[:, None] * self._bias.spread) ** 2
        return Mixture(self._bias.weight.ravel(), mean.ravel(), np.sqrt(variance).ravel())

    @property
    def _n(self) -> float:
        return float(self.sizes[-1])

    @cached_property
    def _limits(self) -> Floats:
        return _LIMITS * (self.rates[-1] + 3 * self.std_error)

    @cached_property
    def _shapes(self) -> Floats:
        """(n_j / n)^(-a): a row for each exponent."""
        return np.asarray((self.sizes / self._n) ** -_EXPONENTS[:, None])

    @cached_property
    def _errors(self) -> Floats:
        return self._covariance(self.sizes)

    def _covariance(self, sizes: Floats) -> Floats:
        """Of the errors at these sizes: of parts of these rows, or of these and more rows.

        Parts of a size together are all rows, so that errors are the larger part alike at all sizes;
        each doubling draws other edges. To a sample of N > n rows these contribute n / N of its error.
        """
        apart = np.abs(np.log2(np.divide.outer(sizes, sizes)))
        larger = np.maximum(np.maximum.outer(sizes, sizes), self._n)
        return self.std_error**2 * self._n / larger * self.persistence**apart + self._departure(sizes)

    def _departure(self, sizes: Floats) -> Floats:
        """Covariance of how the curve departs from the formula: its slope wanders with log n, away from n.

        An integrated Wiener process, faster where the curve falls faster.
        """
        doublings = np.log2(sizes / self._n)
        middles = np.arange(_STEP / 2, np.abs(doublings).max(initial=0.0), _STEP)
        reached = np.maximum(0.0, np.abs(doublings)[:, None] - middles)
        down, up = (_DEPARTURE * np.sqrt(_STEP) * self._falls(side * middles) * reached for side in (-1, 1))
        same = np.multiply.outer(doublings, doublings) > 0
        return np.where(same, np.where(doublings[:, None] < 0, down @ down.T, up @ up.T), 0.0)

    def _falls(self, doublings: Floats) -> Floats:
        """Fall of the rate in the doubling that a place lies in; above n as between n/4 and n."""
        if len(self.rates) == 1:
            return np.zeros_like(doublings)
        falls, before = np.maximum(0.0, -np.diff(self.rates))[::-1], -np.floor(doublings) - 1
        return np.where(doublings > 0, falls[:2].mean(), falls[np.clip(before, 0, len(falls) - 1).astype(int)])

    @cached_property
    def _bias(self) -> Mixture:
        """B, the bias at n, under each exponent and limit: normal, cut off at 0; and how likely each is.

        For a given exponent and limit b is a regression through the origin, with a flat prior.
        """
        precision, left = np.linalg.inv(self._errors), self.rates - self._limits[:, None]
        own = np.einsum("aj,jk,ak->a", self._shapes, precision, self._shapes)[:, None]
        cross = self._shapes @ precision @ left.T
        middle, spread = cross / own, 1 / np.sqrt(own)
        z = middle / spread
        cut = np.exp(norm.logpdf(z) - norm.logcdf(z))
        misfit = np.einsum("sj,jk,sk->s", left, precision, left) - cross**2 / own
        log_weight = self._prior[:, None] - misfit / 2 + np.log(spread) + norm.logcdf(z)
        weight = np.exp(log_weight - log_weight.max())
        kept = spread * np.sqrt(np.clip(1 - z * cut - cut**2, 0.0, 1.0))
        return Mixture(weight / weight.sum(), middle + spread * cut, kept)

    @property
    def _prior(self) -> Floats:
        return -0.5 * (np.log(_EXPONENTS / self.exponent) / _MILD) ** 2

    @cached_property
    def _limit_weight(self) -> Floats:
        return np.asarray(self._bias.weight.sum(axis=0))


def usual_exponent(dimension: float) -> float:
    """Between 1/m, of a jump, and 2/m, of a smooth posterior."""
    return _USUAL / min(max(dimension, 1.0), _MOST_DIMENSIONS)


def persistence(changes: list[Floats], std_error: float, n_deals: int) -> float:
    """Correlation of the errors of two sizes, one twice the other.

    ``changes`` has an array for every deal and size: mean rate of a part's two halves less the part's
    own, of parts that have no row in common; so their variance is that of the whole size's change,
    times the number of parts. About half of it is chance in dealing, which several deals average.
    """
    several = [each for each in changes if len(each) > 1]
    degrees = [len(each) - 1 for each in several]
    single = [float(np.var(each, ddof=1)) / len(each) for each in several]
    variance = np.average(single, weights=degrees) if several else _DRIFT * std_error**2
    return min(_MOST_PERSISTENT, float(np.exp(-variance * (1 + 1 / n_deals) / 2 / (2 * std_error**2))))


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows equal to others, whose edges have no length: the more rows, the larger their share of all edges.

    Attributes
    ----------
    sizes, shares : ascending numbers of rows, and the mean share of edges without length at each.
    counts : how many rows are there once, twice, and at all, each counted once.
    cross_rate : share of these edges that join two classes.
    """

    sizes: Floats
    shares: Floats
    counts: tuple[int, int, int]
    cross_rate: float

    def share(self, n_rows: float) -> float:
        """Share of edges without length among so many rows.

        More rows by Chao's estimate of how many are still unseen (Colwell et al. 2012), which holds for
        some times as many rows; beyond, the share is taken to stay.
        """
        n = self.sizes[-1]
        if n_rows <= n:
            return float(np.interp(np.log(n_rows), np.log(self.sizes), self.shares))
        once, twice, distinct = self.counts
        more = min(n_rows, _FORESEEN * n)
        unseen = once * (once - 1) / (2 * (twice + 1))
        seen = distinct + unseen * -np.expm1(-(more - n) / n * once / max(unseen, 1.0))
        return float(max(0.0, (more - seen) / (more - 1)))

    def spread(self, apart: float, n_rows: float) -> float:
        """What is not known of the share, in units of the rate: few rows are there twice, some kinds are likelier."""
        doubt = np.sqrt(1 / (self.counts[1] + 1) + _UNEVEN**2)
        return float(doubt * abs((self.share(n_rows) - self.shares[-1]) * (self.cross_rate - apart)))

    def mixed(self, apart: Floats, n_rows: float | None = None) -> Floats:
        """Rates of edges that have a length as rates of all edges, of so many rows or of those at hand."""
        share = self.shares[-1] if n_rows is None else self.share(n_rows)
        return np.asarray(share * self.cross_rate + (1 - share) * apart)

    def unmixed(self, rate: Floats) -> Floats:
        """The inverse for the rows at hand; where all are equal there is nothing to take apart."""
        share = self.shares[-1]
        return np.asarray((rate - share * self.cross_rate) / (1 - share)) if share < 1 else rate
