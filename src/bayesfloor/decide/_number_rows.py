"""Numbers row by row: those that do not fit their neighbours, and where along the prediction errors are large."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._race import Race
from bayesfloor.formulas._limits import benjamini_hochberg
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many

_LEVEL = 0.05  # false discovery rate
_AROUND = 20  # rows with the nearest predictions that say how large residuals usually are, on each side
_TAILS = np.array([3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0])  # degrees of freedom that residuals may have
_PARTS = 5  # of the rows, by prediction
_FEWEST = 100  # rows


@dataclass(frozen=True, eq=False, repr=False)
class OddNumbers(Result):
    """Rows whose number does not fit: far from the prediction, relative to rows with similar predictions.

    Each row was predicted by the best learner, trained on other rows. With a false discovery rate of 5 %, about one in
    twenty of these rows is listed by chance.

    Attributes
    ----------
    row : input rows, the oddest first.
    y, predicted : the row's number, and the prediction.
    typical : how far rows with similar predictions usually are from theirs.
    p_value : adjusted for the number of rows (Benjamini and Hochberg).

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> x = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = x[:, 0] + 0.1 * x[:, 1]
    >>> y[7] += 9
    >>> bayesfloor.check(x, y, effort="quick").odd.row
    array([7])
    """

    row: Ints
    y: Floats
    predicted: Floats
    typical: Floats
    p_value: Floats

    def _summary(self) -> str:
        return how_many(len(self.row), "row")


@dataclass(frozen=True, eq=False, repr=False)
class ErrorByPrediction(Result):
    """How large errors are for rows with small, middling and large predictions: five parts with equally many rows.

    Attributes
    ----------
    start, end : the smallest and the largest prediction in each part.
    n_rows : number of rows.
    error : root mean squared error of the best learner, cross-validated.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> x = np.random.default_rng(0).normal(size=(400, 2))
    >>> bayesfloor.check(x, x[:, 0] + x[:, 1], effort="quick").by_prediction.n_rows
    array([80, 80, 80, 80, 80])
    """

    start: Floats
    end: Floats
    n_rows: Ints
    error: Floats

    def _summary(self) -> str:
        errors = ", ".join(f"{error:.3g}" for error in self.error)
        return f"root mean squared error from small to large predictions: {errors}"

    @property
    def ratio(self) -> float:
        """The largest error relative to the median of all parts."""
        return float(self.error.max() / max(float(np.median(self.error)), 1e-300)) if len(self.error) else 1.0


def out_of_fold(answer: Answer) -> tuple[Race, Floats]:
    """Return the race and the best learner's predictions for its rows; without a learner, their mean."""
    race = answer.evidence()
    y = np.asarray(race.y)
    return race, race.predicted[answer.best] if answer.best else np.full(len(y), y.mean())


def odd_numbers(answer: Answer) -> OddNumbers:
    """Find rows whose number does not fit."""
    race, predicted = out_of_fold(answer)
    y = np.asarray(race.y)
    if len(y) < _FEWEST:
        nothing = np.empty(0)
        return OddNumbers(np.empty(0, dtype=np.int64), nothing, nothing, nothing, nothing)
    away = y - predicted
    away -= np.median(away)
    size = _typical_size(away, predicted)
    # Tails of residuals differ from data to data: their 95 % quantile, relative to the median, says how heavy they are.
    z = np.abs(away) / np.maximum(size, 1e-300)
    tail = np.quantile(z, 0.95) / max(float(np.quantile(z, 0.5)), 1e-300)
    degrees = float(_TAILS[np.abs(t.ppf(0.975, _TAILS) / t.ppf(0.75, _TAILS) - tail).argmin()])
    p = benjamini_hochberg(2 * t.sf(z * t.ppf(0.75, degrees), degrees))
    found = np.flatnonzero(p <= _LEVEL)
    found = found[np.lexsort((race.row[found], p[found]))]
    return OddNumbers(race.row[found], y[found], predicted[found], size[found], p[found])


def _typical_size(away: Floats, predicted: Floats) -> Floats:
    """Return the median distance from the prediction, of rows with similar predictions."""
    order = np.argsort(predicted, kind="stable")
    sizes = np.pad(np.abs(away)[order], _AROUND, mode="reflect")
    local = np.median(np.lib.stride_tricks.sliding_window_view(sizes, 2 * _AROUND + 1), axis=1)
    typical = np.empty(len(away))
    typical[order] = np.maximum(local, np.median(np.abs(away)) / 4)  # a few equal rows must not make all others odd
    return typical


def error_by_prediction(answer: Answer) -> ErrorByPrediction:
    """Measure errors by the size of the prediction."""
    race, predicted = out_of_fold(answer)
    order = np.argsort(predicted, kind="stable")
    parts = [part for part in np.array_split(order, _PARTS) if len(part)]
    away = np.asarray(race.y) - predicted
    return ErrorByPrediction(
        np.array([predicted[part].min() for part in parts]),
        np.array([predicted[part].max() for part in parts]),
        np.array([len(part) for part in parts]),
        np.array([float(np.sqrt(np.mean(away[part] ** 2))) for part in parts]),
    )
