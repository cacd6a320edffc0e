"""``gap``: a model's errors against the lowest possible ones, and whether the model has seen its test rows."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, chi2_contingency

from bayesfloor.answer._answer import GOOD, Answer, Reason
from bayesfloor.answer._pairs_and_classes import (
    ClassAnswers,
    PairAnswers,
    class_answers,
    independent_rows,
    pair_answers,
)
from bayesfloor.floor._bayes_floor import BayesFloor, check_floor
from bayesfloor.floor._fit import Fit
from bayesfloor.floor._sample import number_groups
from bayesfloor.formulas._limits import check_level, class_weights, lower_limit, of_pairs, upper_limit
from bayesfloor.io._labels import as_label_array, read_labels
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import about, join_labels, p_text, percent, show_labels, span

ROOM, AT, BELOW = "room to improve", "at the floor", "below the floor"
NOT_SHOWN, NO_ROWS = "no room shown", "no rows"
SAW_ROWS = "has seen the rows it was tested on"
SAW_LABELS = f"{SAW_ROWS}, or uses other columns than these"

_OTHER_PROPORTIONS = 0.001  # p-value below which class proportions differ from the floor's
_RARE = 5  # expected rows per class; with fewer, a chi-square test is not valid
_SHOWN_PAIRS = 2  # in the text
_PAIRS_WORTH_SHOWING = 0.1  # of the total possible gain; pairs with less are not shown
_SEEN = 0.01  # p-value below which a model has seen labels
_PERMUTATIONS, _MOST_ROWS = 999, 5_000  # in the test of equal rows


@dataclass(frozen=True, eq=False, repr=False)
class GapLines(Result):
    """The model's errors and the lowest possible ones: numbers for the whole problem, arrays for classes or pairs.

    Attributes
    ----------
    n_rows : number of rows that the error refers to.
    error : the model's error; NaN if there are no rows.
    low, high : its Clopper-Pearson interval.
    estimate, lower, upper : the lowest possible error: best estimate and range; ``lower`` is NaN if there is none.
    word : the conclusion, as explained in ``gap``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> X, y = load_wine(return_X_y=True)
    >>> found = bayesfloor.check(X, y, predictions=0 * y, effort="quick").gap
    >>> found.overall.word, found.by_class.room.tolist()
    ('room to improve', [False, True, True])
    """

    n_rows: Any
    error: Any
    low: Any
    high: Any
    estimate: Any
    lower: Any
    upper: Any
    word: Any

    @property
    def room(self) -> Any:
        """Whether there is room to improve."""
        return self.word == ROOM

    def _summary(self) -> str:
        words, counts = np.unique(np.atleast_1d(self.word), return_counts=True)
        return ", ".join(f"{word}: {count}" for word, count in zip(words, counts, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Gap(Result):
    """A model's errors compared with the lowest possible ones.

    Attributes
    ----------
    classes : class labels.
    sizes : number of rows per class that the model was tested on.
    level : confidence level of the model's intervals; it holds simultaneously for all classes, and for all pairs.
    overall : the whole problem.
    by_class : each class: how often its rows are predicted as another class (1 - recall).
    by_pair : each pair, in the order of ``np.triu_indices(n_classes, 1)``: how often one class is predicted as the
        other, as a fraction of the rows of both.
    reliability, reasons : how reliable the answer is ("good", "limited", "upper limit only"), and why it is not better.
    proportions_p_value : P-value of the hypothesis "the class proportions are the same here as in the floor's rows"
        (chi-square test); 1 with priors.
    too_good : whether the model is better than one that has not seen its test rows can be.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> X, y = load_wine(return_X_y=True)
    >>> bayesfloor.check(X, y, predictions=0 * y, effort="quick").gap.overall.word
    'room to improve'
    """

    classes: np.ndarray
    sizes: Ints
    level: float
    overall: GapLines
    by_class: GapLines
    by_pair: GapLines
    reliability: str
    reasons: tuple[Reason, ...]
    proportions_p_value: float
    too_good: TooGood

    def _summary(self) -> str:
        whole = self.overall
        lowest = about(whole.estimate, whole.lower, whole.upper)
        return f"error {percent(whole.error)} %, lowest possible {lowest}: {whole.word}"

    @property
    def text(self) -> str:
        """The gap in a few sentences."""
        return self.tell(*(reason.basis for reason in self.reasons[:1]))

    def tell(self, why_uncertain: str = "") -> str:
        """Return the gap in a few sentences, with the first of the answer's reasons in words."""
        whole = self.overall
        sentences = [
            f"Your model's error is {percent(whole.error)} % ({span(whole.low, whole.high)}).",
            f"The lowest possible error is {about(whole.estimate, whole.lower, whole.upper)}: {whole.word}.",
            self.details(why_uncertain),
        ]
        return " ".join(sentences).strip()

    def details(self, why_uncertain: str = "") -> str:
        """Return the pairs with the most room to improve, and any cautions, in sentences."""
        return " ".join([*self._pair_texts(), *self._cautions(why_uncertain or "these data give no lower limit")])

    def _pair_texts(self) -> list[str]:
        """Describe the pairs with the most room to improve; with two classes, the only pair is the whole problem."""
        if len(self.classes) == 2:
            return []
        lines, names = self.by_pair, show_labels(self.classes.tolist())
        # How many of the tested rows a better model could surely win back.
        won = np.where(lines.room, np.nan_to_num(lines.error - lines.upper) * lines.n_rows, 0.0)
        most = np.argsort(-won, kind="stable")[:_SHOWN_PAIRS]
        one, two = np.triu_indices(len(names), 1)
        return [
            f"It confuses {names[one[pair]]} and {names[two[pair]]} on {percent(lines.error[pair])} % of their rows, "
            f"where at most {percent(lines.upper[pair])} % is unavoidable."
            for pair in most
            if won[pair] > _PAIRS_WORTH_SHOWING * won.sum()
        ]

    def _cautions(self, why_uncertain: str) -> list[str]:
        found = []
        if self.overall.word == BELOW:
            found.append(self._why_below())
        elif self.overall.word != ROOM and self.reliability != GOOD:
            found.append(f"How low the error can go is uncertain: {why_uncertain}.")
        if self.proportions_p_value < _OTHER_PROPORTIONS:
            found.append(
                "The class proportions here differ from those in the floor's rows, and the floor depends on them."
            )
        return found

    def _why_below(self) -> str:
        least, p = f"{percent(self.overall.lower)} %", p_text(self.too_good.floor_p_value)
        rare = f"Even a model with an error of {least}, the lower end, would rarely make so few mistakes ({p})."
        if self.too_good.proved:
            return f"{rare} Equal rows with different labels prove that end, so your model {SAW_LABELS}."
        return (
            f"{rare} That end is not proved: either your model is of a better kind than those tried, or it {SAW_ROWS}."
        )

    def _columns(self) -> dict[str, Any]:
        labels, (one, two) = self.classes.tolist(), np.triu_indices(len(self.classes), 1)
        parts = [lines._columns() for lines in (self.overall, self.by_class, self.by_pair)]
        return {
            "kind": ["overall"] + ["class"] * len(labels) + ["pair"] * len(one),
            "class_1": np.array([None, *labels, *(labels[number] for number in one)], dtype=object),
            "class_2": np.array([None] * (1 + len(labels)) + [labels[number] for number in two], dtype=object),
            **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]},
        }


@dataclass(frozen=True, repr=False)
class TooGood(Result):
    """Two tests of whether a model has seen the rows it was tested on.

    Attributes
    ----------
    floor_p_value : how likely so few errors are if the model's true error is the lower end of the range; NaN without a
        lower end.
    proved : whether the lower end is proved by equal rows with different labels, not only extrapolated.
    n_equal, n_right : rows that equal another row with a different label and a different prediction, and how many the
        model gets right.
    expected : how many of these a model that has not seen their labels gets right on average.
    equal_p_value : P-value of "the model has not seen the labels of equal rows" (permutations of labels among equal
        rows); 1 if there are no such rows.

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

    def _summary(self) -> str:
        names = {"below the floor": "floor_p_value", "equal rows": "equal_p_value"}
        tests = ((name, float(getattr(self, field))) for name, field in names.items())
        shown = ", ".join(f"{name} {p_text(p)}" for name, p in tests if not np.isnan(p))
        return f"{SAW_ROWS if self.seen else 'not shown to have seen its test rows'}; {shown}"

    @property
    def seen(self) -> bool:
        """Whether predictions for equal rows follow their labels: only a model that has seen the labels can do that."""
        return self.equal_p_value < _SEEN


def gap(
    floor: BayesFloor,
    y_true: Any,
    y_pred: Any,
    level: float = 0.95,
    groups: Any = None,
    answer: Answer | None = None,
    rows: Any = None,
) -> Gap:
    r"""Compare a model's errors with the lowest possible ones.

    Parameters
    ----------
    floor : BayesFloor
        A fitted floor.
    y_true, y_pred : array-like of shape (n_rows,)
        Labels of rows that the model has not seen, and its predictions for them. The rows need not be
        the floor's, but should come from the same distribution. If the floor has ``priors``, errors here are weighted
        to them too.
    level : float, default=0.95
        Confidence level of the intervals for the model's errors.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows that belong together, such as those of one patient: intervals then count groups, not rows.
    answer : Answer, default=None
        The floor's answer, if you have it already; by default ``floor.answer()``.
    rows : array-like of shape (n_rows,), default=None
        If the model was tested on the floor's own rows: their numbers in the floor's input, from 0. Then
        ``Gap.too_good`` can compare predictions for equal rows.

    Returns
    -------
    Gap
        With a word for the whole problem and for each class:

        - "room to improve": even the low end of the model's error is above the upper end of the lowest
          possible error, so a better classifier exists;
        - "below the floor": even the high end of the model's error is below the lower end of the lowest possible
          error, so either the floor is wrong or the model has seen the rows;
        - "at the floor": the answer's reliability is good, and the error is either not above the best estimate, or
          within the range with an interval that reaches the lower end: nothing lower can be shown to be possible;
        - "no room shown": anything else.

        Each pair has "room to improve" or "no room shown". A class without test rows has "no rows".

    Notes
    -----
    Classes: a model can always trade errors in one class for errors in another. So a class has room, or is below the
    floor, only if the same is true of the whole problem: a classifier is then known that is more accurate both overall
    and on this class.

    Pairs: where the model predicts i or j, let the best classifier for these two classes alone
    decide between them. Errors in other classes stay the same, and the rows of i predicted as j and of j predicted as
    i, as a fraction of all rows of both, are then at most the pair's Bayes error. So the best classifier for all
    classes does not confuse them more than that either: where it predicts i, eta_i >= eta_j, and it loses min(eta_i,
    eta_j). Confusions above the pair's upper end can be avoided. Few confusions prove nothing: rows may be lost to a
    third class instead.

    The intervals for K classes have level 1 - (1 - level) / K each; those for pairs are adjusted in the same way. The
    upper ends of both hold with 95 % confidence each; "room to improve" needs an error above limits that hold for all
    of them simultaneously. If guessing is the best possible, its error may be higher on other rows than on these, and
    the limit allows for that.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import gap
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, test_size=800, random_state=0)
    >>> floor = BayesFloor().fit(X, y)
    >>> found = gap(floor, y_test, GaussianNB().fit(X, y).predict(X_test), answer=floor.answer("quick"))
    >>> found.overall.word
    'room to improve'
    >>> print(found.text.replace(". ", ".\n"))  # doctest: +ELLIPSIS
    Your model's error is 16.6 % (14.1 to 19.4 %).
    The lowest possible error is about ... %): room to improve.
    It confuses 2 and 8 on 14.5 % of their rows, where at most ... % is unavoidable...
    """
    check_floor(floor)
    check_level(level)
    # Only labels that the floor knows can be compared.
    true, predicted = _read_both(floor.classes_, y_true, y_pred)
    K = len(floor.classes_)
    # Counts, and how many independent draws each row is worth: with groups, only groups were drawn independently.
    confusion = np.bincount(K * true + predicted, minlength=K * K).reshape(K, K)
    sizes, draws = confusion.sum(axis=1), 1.0
    if groups is not None:
        groups = number_groups(groups, sizes.sum())
        draws = len(np.unique(groups)) / sizes.sum()
    numbers = None if rows is None else _read_row_numbers(rows, len(true))
    answer = answer_of(floor, answer)
    priors = answer.evidence().priors
    model = _Model(confusion, draws, level, class_weights(priors, true, K))
    whole = _whole(answer, model)
    # Whether the model has seen its test rows: too few errors for the lower end, or too many right among equal rows.
    heaviest = model.weight.max()
    wrong, n = (np.ceil(count * sizes.sum() / heaviest * draws) for count in (whole.error, 1.0))
    equal = (0, 0, 0.0, 1.0)
    if numbers is not None and floor.fitted_.labels.hard:
        equal = _equal_rows(floor.fitted_, numbers, true, predicted, groups)
    return Gap(
        classes=floor.classes_,
        sizes=sizes,
        level=level,
        overall=whole,
        by_class=_classes(class_answers(answer, floor.classes_), answer, model, whole.word),
        by_pair=_pairs(pair_answers(answer, floor.classes_), answer, model),
        reliability=answer.reliability,
        reasons=answer.reasons,
        proportions_p_value=_proportions_p_value(floor, sizes * draws) if priors is None else 1.0,
        too_good=TooGood(float(binom.cdf(wrong, n, answer.lower)), answer.proved, *equal),
    )


class _Model(NamedTuple):
    """A model's confusion matrix (true classes in rows), and how many independent draws each row of data is worth."""

    confusion: Ints
    draws: float
    level: float
    weight: Floats  # of a row of each class, for the priors


class _Lowest(NamedTuple):
    """The lowest possible errors: above ``limit`` there is room to improve, below ``least`` the floor is refuted."""

    estimate: Any
    lower: Any
    upper: Any
    limit: Any
    least: Any
    good: bool


def _whole(answer: Answer, model: _Model) -> GapLines:
    upper, sizes, share = answer.upper, model.confusion.sum(axis=1), model.weight / model.weight.max()
    lowest = _Lowest(answer.estimate, answer.lower, upper, upper, answer.lower, answer.reliability == GOOD)
    wrong = share @ (sizes - np.diag(model.confusion))
    lines = replace(_compare(wrong, share @ sizes, lowest, model.level, model.draws), n_rows=sizes.sum())
    return GapLines(**{item.name: np.asarray(getattr(lines, item.name)).item() for item in fields(lines)})


def _classes(own: ClassAnswers, answer: Answer, model: _Model, whole: str) -> GapLines:
    """Compare classes; they have room, or refute the floor, only if the whole problem does."""
    sizes, level = model.confusion.sum(axis=1), 1 - (1 - model.level) / len(own.classes)  # for all to hold at once
    limit = _limits(own.error, own.n_rows, answer, level) if whole == ROOM else np.inf
    least = own.lower if whole == BELOW else np.nan
    lowest = _Lowest(own.estimate, own.lower, own.upper, limit, least, answer.reliability == GOOD)
    lines = _compare(sizes - np.diag(model.confusion), sizes, lowest, level, model.draws)
    return replace(lines, word=np.where(sizes > 0, lines.word, NO_ROWS))


def _pairs(own: PairAnswers, answer: Answer, model: _Model) -> GapLines:
    """Compare pairs; the word for each is "room to improve" or "no room shown"."""
    pair, sizes = np.triu_indices(len(own.classes), 1), model.confusion.sum(axis=1)
    level = 1 - (1 - model.level) / len(pair[0])
    estimate, lower, upper = own.estimate[pair], own.lower[pair], own.upper[pair]
    # The limit of the learner's error on this pair, or that of guessing's if it is lower.
    race, rates = answer.evidence(), (own.error[pair], own.guessing[pair])
    there = np.bincount(race.codes, minlength=len(sizes)).astype(np.float64)
    n_rows = of_pairs(own.error, there, class_weights(race.priors, race.codes, len(sizes)))[1]
    tested, guessing = (_limits(rate, n_rows[pair], answer, level) for rate in rates)
    limit = np.maximum(upper, np.minimum(tested, guessing))
    lowest = _Lowest(estimate, lower, upper, limit, np.nan, good=False)
    wrong, n_rows = of_pairs(model.confusion, sizes, model.weight)
    lines = _compare(wrong[pair], n_rows[pair], lowest, level, model.draws)
    both = np.minimum(sizes[pair[0]], sizes[pair[1]]) > 0
    return replace(lines, n_rows=sizes[pair[0]] + sizes[pair[1]], word=np.where(both, lines.word, NO_ROWS))


def _compare(wrong: Any, n_rows: Any, lowest: _Lowest, level: float, draws: float) -> GapLines:
    """Compare errors with the lowest possible ones and choose a word for each."""
    half = 0.5 + level / 2
    low, high = (limit(wrong * draws, n_rows * draws, half) for limit in (lower_limit, upper_limit))
    error = np.where(n_rows > 0, wrong / np.maximum(n_rows, 1e-9), np.nan)
    estimate, lower, upper, *_ = lowest
    at = (error <= estimate) | ((error <= upper) & (low <= lower))
    found = [low > lowest.limit, high < lowest.least, at & lowest.good]
    return GapLines(n_rows, error, low, high, estimate, lower, upper, np.select(found, [ROOM, BELOW, AT], NOT_SHOWN))


def _limits(rate: Floats, n_rows: Floats, answer: Answer, level: float) -> Floats:
    """Return upper limits of cross-validated errors at ``level``; the answer's own limits have 95 % confidence each."""
    n_drawn = independent_rows(answer, n_rows)
    return upper_limit(np.nan_to_num(rate) * n_drawn, n_drawn, level)


def _proportions_p_value(floor: BayesFloor, sizes: Floats) -> float:
    """Return the p-value of a chi-square test of equal proportions, with rare classes combined."""
    whole = floor.overall_
    draws = max(whole._first_edges, 1.0) / max(whole.n_rows - 1, 1)  # below 1 a row if rows come in groups, or weighted
    there = floor.one_vs_rest_.sizes * draws
    rare = there / there.sum() * sizes.sum() < _RARE
    place = np.unique(np.where(rare, -1, np.arange(len(sizes))), return_inverse=True)[1]
    return float(chi2_contingency([np.bincount(place, each) for each in (there, sizes)], correction=False).pvalue)


def _equal_rows(
    fit: Fit, numbers: Ints, true: Ints, predicted: Ints, groups: Ints | None
) -> tuple[int, int, float, float]:
    """Test whether predictions follow the labels of equal rows; return four fields of ``TooGood``, from ``n_equal`` on.

    A classifier cannot tell equal rows apart. So if it has not seen their labels, the labels are exchangeable among
    equal rows, whatever it predicts: permuting them gives the distribution of the number of right predictions.
    """
    place, unit = np.intersect1d(numbers, fit.sample.row, return_indices=True)[1:]
    vertex = fit.counts.content.vertex[unit]
    if groups is not None:  # labels in a group are not independent: keep one row per group
        first = np.unique(np.stack([vertex, groups[place]]), axis=1, return_index=True)[1]
        place, vertex = place[first], vertex[first]
    true, predicted = true[place], predicted[place]
    # Sets of equal rows with one label, or with one prediction, have the same number right in every permutation.
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
    different = np.unique(np.stack([vertex, values]), axis=1)[0]
    return np.bincount(different)[vertex] > 1


def _read_both(classes: np.ndarray, y_true: Any, y_pred: Any) -> tuple[Ints, Ints]:
    """Return the number of each row's true and predicted class."""
    sizes = []
    for y, name in ((y_true, "y_true"), (y_pred, "y_pred")):
        with blame(name):
            labels = as_label_array(y)
        sizes.append(labels.shape[0] if labels.ndim else 0)
    if sizes[0] != sizes[1] or not sizes[0]:
        raise InputError(
            f"Got y_true with {sizes[0]} rows and y_pred with {sizes[1]}, but expected the same number, and at least "
            "one."
        )
    return _codes(classes, y_true, "y_true"), _codes(classes, y_pred, "y_pred")


def _codes(classes: np.ndarray, y: Any, name: str) -> Ints:
    """Return each label's index in the floor's classes."""
    try:
        labels, codes = read_labels(y, len(as_label_array(y)), guessed=True)  # the floor knows the classes
    except ValueError as error:
        raise InputError(f"{name} cannot be read. {error}") from error
    place = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        kinds = ["strings" if isinstance(label, str) else "numbers" for label in (unknown[0], classes.tolist()[0])]
        raise InputError(
            f"Got {name} with labels that the floor has not seen: {join_labels(unknown)} ({kinds[0]}), but "
            f"expected its classes: {join_labels(classes.tolist())} ({kinds[1]}). "
            "Fit the floor to rows of all classes, and use the same labels in both."
        )
    return np.array([place[label] for label in labels.tolist()])[codes]


def _read_row_numbers(rows: Any, n: int) -> Ints:
    with blame("rows"):
        numbers = np.asarray(rows)
    if numbers.shape != (n,) or numbers.dtype.kind not in "iu" or len(np.unique(numbers)) < n:
        kind = f"an array of shape {numbers.shape} and type {numbers.dtype}"
        raise InputError(f"Got {kind} as rows, but expected {n:,} different row numbers of the floor's input.")
    return numbers


def answer_of(floor: BayesFloor, answer: Answer | None = None) -> Answer:
    """Return the given answer, or the floor's own if none is given."""
    check_floor(floor)
    if answer is None:
        return floor.answer()
    if answer.n_classes != len(floor.classes_):
        raise InputError(
            f"Got an answer for {answer.n_classes:,} classes, but the floor has {len(floor.classes_):,}. "
            "Pass answer=floor.answer()."
        )
    return answer
