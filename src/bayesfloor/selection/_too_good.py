"""``TooGood``: whether a model is better than one that has not seen its test rows can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from bayesfloor.answer._answer import Answer
from bayesfloor.engine._result import Result
from bayesfloor.engine._show import p_text
from bayesfloor.engine._types import Ints
from bayesfloor.floor._fit_record import Fit

_SEEN, _BETTER = 0.01, 0.001  # p-values below which a model has seen labels, and is better than the best learner
_FAR = 0.5  # a model is far better if its error is below this fraction of the best learner's
BETTER_KIND = "is of a better kind than those tried"
SAW_ROWS = "has seen the rows it was tested on"
SAW_LABELS = f"{SAW_ROWS}, or uses other columns than these"
_PERMUTATIONS, _MOST_ROWS = 999, 5_000  # in the test of equal rows


@dataclass(frozen=True, repr=False)
class TooGood(Result):
    """Three tests of whether a model has seen the rows it was tested on.

    Attributes
    ----------
    floor_p_value : float
        How likely so few errors are if the model's true error is the lower end of the range; NaN without a lower end.
    proved : bool
        Whether the lower end is proved by equal rows with different labels, not only extrapolated.
    n_equal, n_right : int
        Rows that equal another row with a different label and a different prediction, and how many the model gets
        right.
    expected : float
        How many of these a model that has not seen their labels gets right on average.
    equal_p_value : float
        P-value of "the model has not seen the labels of equal rows" (permutations of labels among equal rows); 1 if
        there are no such rows.
    best_error : float
        Cross-validated error of the best learner on the rows that both predict; NaN if there are none.
    best_p_value : float
        P-value of "the model is no better than the best learner" (exact McNemar test on the same rows); NaN likewise.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.integers(0, 5, (300, 2)), rng.integers(0, 2, 300)  # labels are pure noise
    >>> found = bayesfloor.check(X, y, predictions=y, effort="quick")
    >>> found.gap.too_good.seen
    True
    """

    floor_p_value: float
    proved: bool
    n_equal: int
    n_right: int
    expected: float
    equal_p_value: float
    best_error: float
    best_p_value: float

    def _summary(self) -> str:
        names = {"below the floor": "floor_p_value", "equal rows": "equal_p_value", "best learner": "best_p_value"}
        tests = ((name, float(getattr(self, field))) for name, field in names.items())
        shown = ", ".join(f"{name} {p_text(p)}" for name, p in tests if not np.isnan(p))
        return f"{SAW_ROWS if self.seen else 'not shown to have seen its test rows'}; {shown}"

    @property
    def seen(self) -> bool:
        """Whether predictions for equal rows follow their labels: only a model that has seen the labels can do that."""
        return self.equal_p_value < _SEEN

    def far_better(self, error: float) -> bool:
        """Whether a model with this error is far better than the best learner, beyond chance."""
        return bool(self.best_p_value < _BETTER and error < _FAR * self.best_error)


class Predicted(NamedTuple):
    """True and predicted class of each row, its number in the floor's input, and its group if there are any."""

    true: Ints
    predicted: Ints
    row: Ints
    groups: Ints | None


def too_good(wrong: float, n_rows: float, answer: Answer, fit: Fit, tested: Predicted | None) -> TooGood:
    """Run all tests; without ``tested`` rows only the first. ``wrong`` and ``n_rows`` count independent draws."""
    at_most = float(binom.cdf(np.ceil(wrong), np.ceil(n_rows), answer.lower))
    if tested is None or not fit.labels.hard:
        return TooGood(at_most, answer.proved, 0, 0, 0.0, 1.0, np.nan, np.nan)
    best = _best_learner(answer, tested, n_rows / len(tested.row))
    return TooGood(at_most, answer.proved, *_equal_rows(fit, tested), *best)


def _equal_rows(fit: Fit, tested: Predicted) -> tuple[int, int, float, float]:
    """Test whether predictions follow the labels of equal rows; return four fields of ``TooGood``, from ``n_equal`` on.

    A classifier cannot tell equal rows apart. So if it has not seen their labels, the labels are exchangeable among
    equal rows, whatever it predicts: permuting them gives the distribution of the number of right predictions.
    """
    place, unit = _common(tested.row, fit.sample.row)
    vertex = fit.counts.content.vertex[unit]
    if tested.groups is not None:  # labels in a group are not independent: keep one row per group
        first = np.unique(np.stack([vertex, tested.groups[place]]), axis=1, return_index=True)[1]
        place, vertex = place[first], vertex[first]
    true, predicted = tested.true[place], tested.predicted[place]
    telling = np.flatnonzero(_varies(vertex, true) & _varies(vertex, predicted))
    if not len(telling):
        return 0, 0, 0.0, 1.0
    telling = telling[np.argsort(vertex[telling], kind="stable")][:_MOST_ROWS]
    vertex, true, predicted = np.unique(vertex[telling], return_inverse=True)[1], true[telling], predicted[telling]
    right, rng = np.count_nonzero(true == predicted), np.random.default_rng(0)
    by_chance = [
        np.count_nonzero(true[np.argsort(vertex + rng.random(len(vertex)))] == predicted) for _ in range(_PERMUTATIONS)
    ]
    p_value = (1 + np.count_nonzero(np.array(by_chance) >= right)) / (1 + _PERMUTATIONS)
    return len(vertex), int(right), float(np.mean(by_chance)), float(p_value)


def _varies(vertex: Ints, values: Ints) -> np.ndarray:
    """Whether the rows equal to each row have different values."""
    n = int(vertex.max(initial=-1)) + 1
    least, most = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(least, vertex, values)
    np.maximum.at(most, vertex, values)
    return (least < most)[vertex]


def _best_learner(answer: Answer, tested: Predicted, draws: float) -> tuple[float, float]:
    """Compare the model with the best learner on the same rows; return that learner's error and the p-value."""
    race = answer.evidence()
    place, unit = _common(tested.row, race.row)
    if not answer.best or not len(place):
        return np.nan, np.nan
    wrong = np.stack([tested.predicted[place] != tested.true[place], race.wrong[answer.best][-1][unit] > 0])
    model, learner = np.floor(draws * np.array([(wrong[0] & ~wrong[1]).sum(), (wrong[1] & ~wrong[0]).sum()]))
    return float(wrong[1].mean()), float(binom.cdf(model, model + learner, 0.5))


def _common(rows: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Return the positions, in each array, of the rows that both contain."""
    return np.intersect1d(rows, others, return_indices=True)[1:]
