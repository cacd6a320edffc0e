"""The forecast: the error that the best model could reach, with more rows and with any number of them.

The learning curves give weighted possible errors. Three changes turn these into the forecast:

- The quantiles are moved towards the median, by a factor on the scale of a normal distribution.
- Learners that hardly beat guessing may have missed a pattern: with a probability that depends on the lowest measured
  error, relative to guessing, any error below the measured one is equally likely.
- The lowest possible error is not above what a learner, or guessing, was shown to reach, nor below what equal rows
  with different labels prove.

The page on the theory of the answer says on which problems the constants were chosen, and how they were judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri

from bayesfloor.formulas._learning_curves import weighted_quantiles
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats
from bayesfloor.support._words import percent

GROWTH = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # factors of the number of training rows
LEVELS = (np.arange(200) + 0.5) / 200
LEAST, MOST = 0.01, 0.99  # no probability is closer to 0 or 1 than problems with known answers can support
STRETCH = 0.9
HIDDEN, _HIDDEN_SLOPE = -3.0, 4.0  # log odds of a hidden pattern if the error is half of guessing's, and their slope
_DIGITS = 7


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(Result):
    """The error that the best model could reach, as quantiles.

    Attributes
    ----------
    lowest : array of shape (200,)
        Quantiles of the lowest possible error, at the levels 0.0025, 0.0075, ..., 0.9975.
    errors : tuple of 7 arrays of shape (200,)
        The same for the lowest error that models reach with as many training rows as now, and with 2, 4, 8, 16, 32
        and 64 times as many.
    n_rows : int
        The number of training rows now: those outside a fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> forecast = bayesfloor.check(*load_iris(return_X_y=True), effort="quick").answer.forecast
    >>> forecast.n_rows
    120
    >>> forecast.chance(0.1) > forecast.chance(0.01)
    True
    """

    lowest: Floats
    errors: tuple[Floats, ...]
    n_rows: int

    @property
    def sizes(self) -> Floats:
        """Numbers of training rows that ``errors`` are for."""
        return self.n_rows * np.array(GROWTH)

    def quantiles(self, levels: Sequence[float] | Floats, rows: float | None = None) -> Floats:
        """Return quantiles of the lowest possible error, or of the lowest with so many training rows."""
        return np.interp(levels, LEVELS, self._at(rows))

    def chance(self, error: float, rows: float | None = None) -> float:
        """Return the probability, from 0.01 to 0.99, that a model reaches this error, with so many training rows."""
        share = np.searchsorted(self._at(rows), error, side="right") / len(LEVELS)
        return float(np.clip(share, LEAST, MOST))

    def rows_for(self, error: float, chance: float = 0.5) -> float:
        """Return how many training rows give this chance of an error; infinite if 64 times those at hand do not."""
        found = np.array([np.interp(chance, LEVELS, each) for each in self.errors])
        enough = np.flatnonzero(found <= error)
        if not len(enough):
            return np.inf
        k = int(enough[0])
        part = 0.0 if k == 0 else (found[k - 1] - error) / (found[k - 1] - found[k])
        return float(self.sizes[max(k - 1, 0)] * 2**part)

    def map(self, change: Callable[[Any], Any]) -> Forecast:
        """Return the forecast of losses that are changed by an increasing function."""
        return Forecast(change(self.lowest), tuple(change(each) for each in self.errors), self.n_rows)

    def mix(self, other: Forecast) -> Forecast:
        """Return the forecast if this one and another are equally likely."""
        both = [
            np.interp(LEVELS, (np.arange(2 * len(LEVELS)) + 0.5) / (2 * len(LEVELS)), np.sort(np.append(*pair)))
            for pair in zip((self.lowest, *self.errors), (other.lowest, *other.errors), strict=True)
        ]
        return Forecast(both[0], tuple(both[1:]), self.n_rows)

    def _at(self, rows: float | None) -> Floats:
        """Return the quantiles for so many training rows, between fewer and more; there are none for fewer than now."""
        if rows is None:
            return self.lowest
        place = float(np.clip(np.log2(rows / self.n_rows), 0, len(GROWTH) - 1))
        k = min(int(place), len(GROWTH) - 2)
        return np.asarray(self.errors[k] + (place - k) * (self.errors[k + 1] - self.errors[k]))

    def _summary(self) -> str:
        low, middle, high = (percent(each) for each in self.quantiles([0.025, 0.5, 0.975]))
        return f"lowest possible error about {middle} % ({low} to {high} %), from {self.n_rows:,} training rows"

    def _columns(self) -> dict[str, Any]:
        levels = [0.025, 0.25, 0.5, 0.75, 0.975]
        return {"level": levels, **{f"{n:.0f} rows": self.quantiles(levels, n).tolist() for n in self.sizes}}


def make_forecast(
    n_rows: int,
    values: Callable[[float], tuple[Floats, Floats]],
    *,
    measured: float,
    guessing: float,
    ends: tuple[float, float],
    stretch: float = STRETCH,
    hidden: float = HIDDEN,
) -> Forecast:
    """Make the forecast from possible errors and their weights, which ``values`` returns for a growth of the rows.

    ``measured`` is the lowest measured error; the lowest possible one lies between ``ends``. ``stretch`` is the
    factor that moves quantiles, and ``hidden`` the log odds of a hidden pattern.
    """
    levels = ndtr(stretch * ndtri(LEVELS))

    def at(growth: float) -> Floats:
        return weighted_quantiles(*values(growth), levels)

    share = float(expit(hidden + _HIDDEN_SLOPE * (min(measured / max(guessing, 1e-9), 1.0) - 0.5)))
    lowest = np.clip(_with_hidden(np.minimum(at(np.inf), ends[1]), share, measured).round(_DIGITS), *ends)
    # What was measured may have been luck: with few more rows, the error may be higher.
    errors = [np.clip(at(growth).round(_DIGITS), lowest, max(guessing, ends[1])) for growth in GROWTH]
    falling = np.minimum.accumulate(np.stack(errors), axis=0)  # more rows never make the best model worse
    return Forecast(lowest, tuple(falling), int(n_rows))


def _with_hidden(quantiles: Floats, hidden: float, error: float) -> Floats:
    """Mix a distribution with one that is uniform from 0 to ``error``."""
    weight = np.repeat([(1 - hidden) / len(LEVELS), hidden / len(LEVELS)], len(LEVELS))
    return weighted_quantiles(np.append(quantiles, error * LEVELS), weight, LEVELS)
