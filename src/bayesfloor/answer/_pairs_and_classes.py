"""Answers for each class and each pair of classes, from the same evidence as the answer for the dataset."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._learners import WEIGHTS
from bayesfloor.floor._results import hardest_class
from bayesfloor.formulas._limits import class_weights, guessing_limit, lower_limit, of_pairs, upper_limit
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent, show_labels

_LEVEL = 0.95
_GUESSING_LEVEL = 1 - (1 - _LEVEL) * WEIGHTS["guessing"]


@dataclass(frozen=True, eq=False, repr=False)
class _Parts(Result):
    """What the answers for classes and for pairs have in common."""

    classes: np.ndarray
    n_rows: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    error: Floats

    @property
    def too_small(self) -> np.ndarray:
        """Which errors are too small to measure: cross-validation confused none of the rows. True on a diagonal."""
        return np.asarray(~(self.error > 0))


@dataclass(frozen=True, eq=False, repr=False)
class ClassAnswers(_Parts):
    """For each class, how often the most accurate classifier gets its rows wrong (1 - recall).

    Each range holds with 95 % confidence on its own, not all together.

    Attributes
    ----------
    classes : labels.
    n_rows : number of tested rows in each class.
    estimate, lower, upper : error within the class: best estimate and range; ``lower`` is NaN if there is none.
    error : the best learner's cross-validated error within the class.
    part : the class's fraction of all errors.
    error_balanced : the same as ``error``, if the best learner decides as if all classes were equally frequent: it
        then finds more rows of rare classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> bool((found.classes.estimate <= found.classes.upper).all())
    True
    """

    part: Floats
    error_balanced: Floats

    def _summary(self) -> str:
        return hardest_class(self.classes, self.estimate)

    def _columns(self) -> dict[str, Any]:
        return {"class" if item.name == "classes" else item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, eq=False, repr=False)
class PairAnswers(_Parts):
    """For each pair of classes, how often the best classifier for these two alone confuses them.

    All matrices are K x K. Each range holds with 95 % confidence on its own, not all together.

    Attributes
    ----------
    classes : labels, in the order of rows and columns.
    n_rows : number of tested rows in the two classes.
    estimate, lower, upper : error between the two: best estimate and range; ``lower`` is NaN if there is none.
    error : the best learner's cross-validated error between the two.
    guessing : error of always predicting the larger of the two.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> len(found.pairs.frame())
    3
    """

    guessing: Floats

    def _summary(self) -> str:
        one, two = (int(place) for place in np.unravel_index(int(np.nanargmax(self.estimate)), self.estimate.shape))
        labels = show_labels(self.classes.tolist())
        hardest = f"hardest pair {labels[one]} and {labels[two]}: {percent(self.estimate[one, two])} %"
        return f"{len(labels)} classes, {hardest}"

    @property
    def relative(self) -> Floats:
        """Best estimates relative to guessing: 0 for pairs that can be separated, 1 for pairs that cannot."""
        return np.asarray(self.estimate / np.maximum(self.guessing, 1e-12))

    def _columns(self) -> dict[str, Any]:
        one, two = np.triu_indices(len(self.classes), 1)
        names = [item.name for item in fields(self) if item.name != "classes"]
        pairs = {"class_1": self.classes[one], "class_2": self.classes[two]}
        return {**pairs, **{name: getattr(self, name)[one, two] for name in [*names, "relative"]}}


def class_answers(answer: Answer, classes: np.ndarray) -> ClassAnswers:
    """Make the answers for each class."""
    race, K = answer.evidence(), len(classes)
    codes, n = race.codes, np.bincount(race.codes, minlength=K).astype(np.float64)
    eta = best_posterior(answer)
    shares = n / n.sum() if race.priors is None else race.priors
    evenly = eta / np.where(shares > 0, shares, np.inf)  # as if all classes were equally frequent
    errors, errors_balanced = (
        n - np.bincount(codes[each.argmax(axis=1) == codes], minlength=K) for each in (eta, evenly)
    )
    estimate, lower, upper = _range(answer, errors, n)
    part = class_weights(race.priors, codes, K) * errors
    with np.errstate(invalid="ignore"):
        rates, balanced = errors / n, errors_balanced / n
    return ClassAnswers(classes, n, estimate, lower, upper, rates, part / max(part.sum(), 1e-9), balanced)


def pair_answers(answer: Answer, classes: np.ndarray) -> PairAnswers:
    """Make the answers for each pair; with two classes, this is the answer for the dataset."""
    race, K = answer.evidence(), len(classes)
    eta, rows = best_posterior(answer), np.arange(len(race.codes))
    own = eta[rows, race.codes][:, None]
    lost = np.zeros((K, K))  # number of rows of the first class mistaken for the second
    np.add.at(lost, race.codes, (eta > own) + 0.5 * (eta == own))
    np.fill_diagonal(lost, 0.0)
    sizes = np.bincount(race.codes, minlength=K).astype(np.float64)
    weight = class_weights(race.priors, race.codes, K)
    (errors, n), weighted = of_pairs(lost, sizes, weight), sizes * weight
    guessing = np.minimum(weighted[:, None], weighted) / np.maximum(weighted[:, None] + weighted, 1e-9)
    estimate, lower, upper = _range(answer, errors, n)
    estimate, upper = np.minimum(estimate, guessing), np.minimum(upper, _guessing(answer, guessing, n, 2))
    with np.errstate(invalid="ignore"):
        error = errors / n
    if K == 2:
        estimate, lower, upper = (np.full((2, 2), end) for end in (answer.estimate, answer.lower, answer.upper))
    for matrix in (estimate, lower, upper, error, guessing):
        np.fill_diagonal(matrix, 0.0)
    n_rows = sizes[:, None] + sizes
    return PairAnswers(classes, n_rows, estimate, np.minimum(lower, upper), upper, error, guessing)


def merged_range(answer: Answer, group: Ints) -> tuple[float, float, float]:
    """Return the best estimate, lower and upper end after merging the classes that share a group number."""
    race, groups = answer.evidence(), np.unique(group, return_inverse=True)[1]
    if len(np.unique(groups)) == len(groups):
        return answer.estimate, answer.lower, answer.upper
    order, codes = np.argsort(groups, kind="stable"), groups[race.codes]
    first = np.searchsorted(groups[order], np.arange(groups.max() + 1))
    eta = np.add.reduceat(best_posterior(answer)[:, order], first, axis=1)
    # Counted in the heaviest rows, as are pairs.
    share = race.weight[race.codes] / race.weight.max()
    errors, n = np.array(share[eta.argmax(axis=1) != codes].sum()), np.array(answer.n_rows / race.weight.max())
    estimate, lower, upper = (float(end) for end in _range(answer, errors, n))
    guessing = 1 - np.bincount(codes, share).max() / n
    upper = min(upper, answer.upper, float(_guessing(answer, guessing, n, len(first))))
    estimate = min(estimate, answer.estimate, upper, float(guessing))
    return estimate, min(lower, estimate), upper


def best_posterior(answer: Answer) -> Floats:
    """Return the best learner's posteriors with a column for every class; without a learner, the class proportions."""
    race, K = answer.evidence(), answer.n_classes
    if not answer.best:
        shares = np.bincount(race.codes, minlength=K) / len(race.codes) * class_weights(race.priors, race.codes, K)
        return np.tile(shares, (len(race.codes), 1))
    eta = race.predicted[answer.best]
    return np.pad(eta, ((0, 0), (0, K - eta.shape[1])))  # the last classes may have no rows


def _range(answer: Answer, errors: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """Return best estimates and ranges of error rates, assuming they fall with more rows as the total error does."""
    whole = max(answer.errors.get(answer.best, answer.guessing), 1e-12)
    rate, units = errors / np.maximum(n, 1e-9), independent_rows(answer, n)
    upper = np.where(n > 0, upper_limit(rate * units, units, _LEVEL), 1.0)
    low = lower_limit(rate * units, units, _LEVEL) * np.minimum(1.0, answer.curve_lower / whole)
    return np.minimum(rate * min(1.0, answer.estimate / whole), upper), low, upper


def _guessing(answer: Answer, error: Floats, n: Floats, n_classes: int) -> Floats:
    """Return upper limits for always predicting the most frequent class, which has these errors on ``n`` rows."""
    return guessing_limit(error, independent_rows(answer, n), n_classes, _GUESSING_LEVEL)


def independent_rows(answer: Answer, n: Floats) -> Floats:
    """Return how many independent rows ``n`` rows of equal weight are worth."""
    race = answer.evidence()
    worth = race.n_independent(answer.best) * race.weight.max()
    return np.clip(n * worth / answer.n_rows, 1e-9, np.maximum(n, 1e-9))
