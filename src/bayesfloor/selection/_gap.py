"""``gap``: a model's predictions held against the floor, to see where a better model is known to exist."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2_contingency

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.engine._text import join_labels, percent, show_labels, span
from bayesfloor.floor._bayes_floor import BayesFloor, check_floor
from bayesfloor.floor._data import read_labels
from bayesfloor.floor._results import Floor, Result
from bayesfloor.floor._sample import number_groups
from bayesfloor.formulas._limits import check_level, lower_limit, upper_limit
from bayesfloor.formulas._multiclass import one_vs_rest_bounds

ROOM, AT, BELOW, BETWEEN = "room left", "at the floor", "below the floor", "between the bounds"
NOT_SHOWN, NOT_MEASURABLE, NO_ROWS = "room not shown", "not measurable", "no rows"
_OTHER_SHARES = 0.001  # p-value below which class shares differ from those of the floor
_RARE = 5  # rows expected of a class, below which a chi-square test is not to be trusted
_TOLD_PAIRS = 2  # in the text
_PAIRS_WORTH_TELLING = 0.1  # of the rows that may be won, at least


@dataclass(frozen=True, eq=False)
class GapLines(Result):
    """The model beside the floor: numbers for the whole problem, arrays for all classes or all pairs.

    Attributes
    ----------
    n_rows : rows that the error is a share of.
    error : share that the model gets wrong; NaN without rows.
    low, high : its Clopper-Pearson interval.
    lower, estimate, upper : the floor's bounds, and their middle.
    lower_end : low end of the interval of ``lower``; 0 for pairs.
    upper_end : upper confidence limit of what the best classifier errs on.
    word : what follows, as ``gap`` says.
    """

    n_rows: Any
    error: Any
    low: Any
    high: Any
    lower: Any
    estimate: Any
    upper: Any
    lower_end: Any
    upper_end: Any
    word: Any

    def __repr__(self) -> str:
        words, counts = np.unique(np.atleast_1d(self.word), return_counts=True)
        return f"GapLines({', '.join(f'{word}: {count}' for word, count in zip(words, counts, strict=True))})"

    def _columns(self) -> dict[str, Any]:
        return {item.name: np.atleast_1d(getattr(self, item.name)) for item in fields(self)}


@dataclass(frozen=True, eq=False)
class Gap(Result):
    """A model's errors beside the lowest possible ones.

    Attributes
    ----------
    classes : array
        Class labels.
    sizes : int array
        Rows of each class that the model was tried on.
    level : float
        Confidence level of the intervals; those of classes, and those of pairs, hold all together.
    overall : GapLines
        The whole problem.
    by_class : GapLines
        Each class: how often it is taken for another or another for it, as a share of all rows.
    by_pair : GapLines
        Each pair, in the order of ``np.triu_indices(n_classes, 1)``: how often one is taken for the
        other, as a share of the rows of both.
    trust, reasons : str, tuple of str
        Whether the floor's lower bounds can be believed, and why, as the floor says.
    shares_p_value : float
        Of "the classes have the same shares here as in the rows of the floor", by a chi-square test.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesfloor import BayesFloor, gap
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> found = gap(BayesFloor().fit(X[::2], y[::2]), y[1::2], model.predict(X[1::2]))
    >>> found.overall.word
    'at the floor'
    """

    classes: np.ndarray
    sizes: Ints
    level: float
    overall: GapLines
    by_class: GapLines
    by_pair: GapLines
    trust: str
    reasons: tuple[str, ...]
    shares_p_value: float

    def __repr__(self) -> str:
        whole = self.overall
        return f"Gap(error {whole.error:.3f}, floor {whole.lower:.3f} to {whole.upper:.3f}: {whole.word})"

    @property
    def other_shares(self) -> bool:
        """Whether class shares clearly differ from those that the floor answers for."""
        return self.shares_p_value < _OTHER_SHARES

    @property
    def text(self) -> str:
        """The gap in a few sentences."""
        whole = self.overall
        told = [
            f"Your model errs on {percent(whole.error)} % ({span(whole.low, whole.high)}).",
            f"The lowest possible error is {span(whole.lower, whole.upper)}: {whole.word}.",
            *self._pair_texts(),
            *self._cautions(),
        ]
        return " ".join(told)

    def _pair_texts(self) -> list[str]:
        """Where most can be won, for the pairs with room left."""
        lines, names = self.by_pair, show_labels(self.classes.tolist())
        won = np.where(lines.word == ROOM, np.nan_to_num(lines.error - lines.upper) * lines.n_rows, 0.0)
        most = np.argsort(-won, kind="stable")[:_TOLD_PAIRS]
        one, two = np.triu_indices(len(names), 1)
        return [
            f"It confuses {names[one[pair]]} and {names[two[pair]]} on {percent(lines.error[pair])} % of their rows, "
            f"where at most {percent(lines.upper[pair])} % need be."
            for pair in most
            if won[pair] > _PAIRS_WORTH_TELLING * won.sum()
        ]

    def _cautions(self) -> list[str]:
        told = []
        if self.overall.word == BELOW:
            told.append("Either the floor is too high here, or the model has seen rows that it was tried on.")
        elif self.overall.word != ROOM and self.trust != "small bias":
            told.append(f"The floor may be too high: {self.reasons[0]}.")
        if self.other_shares:
            told.append("The classes have other shares here than in the rows of the floor, which answers for its own.")
        return told

    def _columns(self) -> dict[str, Any]:
        labels, (one, two) = self.classes.tolist(), np.triu_indices(len(self.classes), 1)
        parts = [lines._columns() for lines in (self.overall, self.by_class, self.by_pair)]
        return {
            "kind": ["overall"] + ["class"] * len(labels) + ["pair"] * len(one),
            "class_1": np.array([None, *labels, *(labels[number] for number in one)], dtype=object),
            "class_2": np.array([None] * (1 + len(labels)) + [labels[number] for number in two], dtype=object),
            **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]},
        }


class _Floor(NamedTuple):
    """What one kind of errors is held against; ``at`` is the error up to which a model is at the floor."""

    lower: Any
    estimate: Any
    upper: Any
    lower_end: Any
    upper_end: Any
    at: Any


def gap(floor: BayesFloor, y_true: Any, y_pred: Any, level: float = 0.95, groups: Any = None) -> Gap:
    r"""Hold a model's predictions against the floor.

    Parameters
    ----------
    floor : BayesFloor
        A fitted floor.
    y_true, y_pred : array-like of shape (n_rows,)
        Labels of rows that the model has not seen, and what it makes of them. The rows need not be
        those of the floor, but should be drawn alike, one by one or in the groups that are told.
    level : float, default=0.95
        Confidence level.
    groups : array-like of shape (n_rows,), default=None
        Rows of these that belong together, such as those of a patient: intervals then count groups, not rows.

    Returns
    -------
    Gap
        With a word for the whole problem and for each class:

        - "room left": even the low end of the model's error lies above the upper limit of the lowest
          possible one, so a better classifier exists;
        - "below the floor": even the high end lies below the low end of the lower bound, so the model
          refutes the floor, or has seen the rows;
        - "at the floor": the error is not above the lower bound (the high end of its interval, for the
          whole problem) or above the least that the floor can see, so nothing lower can be shown to
          be possible;
        - "between the bounds", or "room not shown" above them, but not clearly.

        For each pair "room left", else "not measurable" where the floor sees no overlap, else "room
        not shown". "no rows" where a class has none to try the model on.

    Notes
    -----
    Why a pair shows room. Where the model answers i or j, let the best classifier of these two alone
    decide between them. Errors about other classes stay as they are, and rows of i taken for j and of
    j for i become no more than the pair's Bayes error allows, which is taken over all rows of both. So
    the best classifier of all classes confuses them no more than that either: where it answers i,
    eta_i >= eta_j, and it loses min(eta_i, eta_j). Confusions above the pair's upper bound can be
    avoided. Few confusions show nothing: rows may be lost to a third class instead.

    Upper limits come from spanning trees, whose cross edges are the errors of a classifier, and from
    the share of the largest class; they hold in any dimension. Lower bounds are asymptotic: ``trust``.

    Intervals of K classes have level 1 - (1 - level) / K each, those of pairs likewise.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bayesfloor import BayesFloor, gap
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, test_size=800, random_state=0)
    >>> floor = BayesFloor().fit(X, y)
    >>> found = gap(floor, y_test, GaussianNB().fit(X, y).predict(X_test))
    >>> found.overall.word
    'room left'
    >>> print(found.text.replace(". ", ".\n"))
    Your model errs on 16.6 % (14.1 to 19.4 %).
    The lowest possible error is 2.0 to 4.0 %: room left.
    It confuses 2 and 8 on 14.5 % of their rows, where at most 1.1 % need be.
    """
    check_floor(floor)
    check_level(level)
    confusion = _confusion(floor.classes_, y_true, y_pred)
    sizes, draws = confusion.sum(axis=1), 1.0
    if groups is not None:
        draws = len(np.unique(number_groups(groups, sizes.sum()))) / sizes.sum()
    return Gap(
        classes=floor.classes_,
        sizes=sizes,
        level=level,
        overall=_whole(floor, confusion, level, draws),
        by_class=_classes(floor, confusion, level, draws),
        by_pair=_pairs(floor, confusion, level, draws),
        trust=floor.overall_.trust,
        reasons=floor.overall_.reasons,
        shares_p_value=_shares_p_value(floor, sizes * draws),
    )


def _confusion(classes: np.ndarray, y_true: Any, y_pred: Any) -> Ints:
    """Rows of class i (rows of the matrix) that are taken for class j."""
    n, n_pred = (0 if y is None else len(y) for y in (y_true, y_pred))
    if n != n_pred or not n:
        raise ValueError(f"Got y_true of {n} rows and y_pred of {n_pred}, but expected as many, and at least one.")
    K, true, pred = len(classes), _codes(classes, y_true, "y_true"), _codes(classes, y_pred, "y_pred")
    return np.bincount(K * true + pred, minlength=K * K).reshape(K, K)


def _codes(classes: np.ndarray, y: Any, name: str) -> Ints:
    """The number of each label among the floor's classes."""
    try:
        labels, codes = read_labels(y, len(y))
    except ValueError as error:
        raise ValueError(f"{name} cannot be read. {error}") from error
    place = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"Got {name} with labels that the floor does not know: {join_labels(unknown)} ({_kind(unknown[0])}), but "
            f"expected its classes: {join_labels(classes.tolist())} ({_kind(classes.tolist()[0])}). "
            "Fit the floor to rows of all classes, and call them the same."
        )
    return np.array([place[label] for label in labels.tolist()])[codes]


def _kind(label: Any) -> str:
    return "texts" if isinstance(label, str) else "numbers"


def _whole(floor: BayesFloor, confusion: Ints, level: float, draws: float) -> GapLines:
    whole, n = floor.overall_, confusion.sum()
    low, high = (float(whole.bounds_at(end).lower) for end in whole.interval(level))
    ends = min(low, whole.lower), _error_limit(whole, level)
    at = max(high, whole.lower, whole.resolution)
    lines = _hold(n - np.trace(confusion), n, _Floor(whole.lower, whole.estimate, whole.upper, *ends, at), level, draws)
    return GapLines(**{item.name: np.asarray(getattr(lines, item.name)).item() for item in fields(lines)})


def _classes(floor: BayesFloor, confusion: Ints, level: float, draws: float) -> GapLines:
    own, whole, K = floor.one_vs_rest_, floor.overall_, len(confusion)
    level = _each(level, K)
    low = np.minimum(one_vs_rest_bounds(own.interval(level)[0], whole.cross_rate).lower, own.lower)
    at = np.maximum(own.lower, 1 / whole.n_rows)  # an edge is the least that can be seen
    held = _Floor(own.lower, own.estimate, own.upper, low, _class_limits(floor, level), at)
    wrong = confusion.sum(axis=0) + confusion.sum(axis=1) - 2 * np.diag(confusion)
    lines = _hold(wrong, np.full(K, confusion.sum()), held, level, draws)
    return replace(lines, word=np.where(confusion.sum(axis=1) > 0, lines.word, NO_ROWS))


def _pairs(floor: BayesFloor, confusion: Ints, level: float, draws: float) -> GapLines:
    own, pair, sizes = floor.pairwise_, np.triu_indices(len(confusion), 1), confusion.sum(axis=1)
    level = _each(level, len(pair[0]))
    bounds = own.lower[pair], own.estimate[pair], own.upper[pair]
    held = _Floor(*bounds, np.zeros(len(pair[0])), _pair_limits(floor, level), np.nan)
    lines = _hold((confusion + confusion.T)[pair], sizes[pair[0]] + sizes[pair[1]], held, level, draws)
    seen = np.where(own.at_resolution[pair], NOT_MEASURABLE, NOT_SHOWN)
    tried = np.minimum(*(sizes[ends] for ends in pair)) > 0
    return replace(lines, word=np.where(~tried, NO_ROWS, np.where(lines.word == ROOM, ROOM, seen)))


def _hold(wrong: Any, n_rows: Any, held: _Floor, level: float, draws: float) -> GapLines:
    """Errors beside the floor, and the word for each; a row is worth so many independent draws."""
    half = 0.5 + level / 2
    low, high = (limit(wrong * draws, n_rows * draws, half) for limit in (lower_limit, upper_limit))
    error = np.where(n_rows > 0, wrong / np.maximum(n_rows, 1), np.nan)
    found = [low > held.upper_end, high < held.lower_end, error <= held.at, error <= held.upper]
    return GapLines(n_rows, error, low, high, *held[:-1], np.select(found, [ROOM, BELOW, AT, BETWEEN], NOT_SHOWN))


def _each(level: float, n_tests: int) -> float:
    """The level at which each of so many intervals must hold for all to hold together."""
    return 1 - (1 - level) / n_tests


def _error_limit(whole: Floor, level: float) -> float:
    """Upper limit of the Bayes error: of the trees, or of always answering one class, the best of K."""
    n = whole.n_rows * _draws(whole)
    constant = upper_limit(whole.constant_error * n, n, _each(level, whole.n_classes))
    return min(whole.tree_limit(level), float(constant))


def _pair_limits(floor: BayesFloor, level: float) -> Floats:
    """The same for each pair of classes."""
    own, pair, draws = floor.pairwise_, np.triu_indices(len(floor.classes_), 1), _draws(floor.overall_)
    n = (own.sizes[pair[0]] + own.sizes[pair[1]]) * draws
    smaller = np.minimum(own.sizes[pair[0]], own.sizes[pair[1]]) * draws
    cross = np.minimum(own.cross[pair] * draws, n)
    return np.minimum(upper_limit(cross, n - draws, level), upper_limit(smaller, n, level))


def _class_limits(floor: BayesFloor, level: float) -> Floats:
    """Upper limits of the chance that the best classifier errs about each class: each bound's own, and the smallest."""
    own, whole = floor.one_vs_rest_, floor.overall_
    n = whole.n_rows * _draws(whole)
    rate, in_pairs = (upper_limit(np.minimum(each, 1) * n, n, level) for each in (own.class_rate, own.upper_pairs))
    high = one_vs_rest_bounds(rate, _error_limit(whole, level), in_pairs)
    return np.minimum.reduce([high.upper_classes, high.upper_any, high.upper_pairs])


def _draws(whole: Floor) -> float:
    """How many independent draws a row is worth: fewer than one where groups were drawn, or weights differ."""
    return max(whole._first_edges, 1.0) / max(whole.n_rows - 1, 1)


def _shares_p_value(floor: BayesFloor, sizes: Floats) -> float:
    """Chi-square test of equal shares, with rare classes taken together."""
    there = floor.one_vs_rest_.sizes * _draws(floor.overall_)
    rare = there / there.sum() * sizes.sum() < _RARE
    place = np.unique(np.where(rare, -1, np.arange(len(sizes))), return_inverse=True)[1]
    return float(chi2_contingency([np.bincount(place, each) for each in (there, sizes)], correction=False).pvalue)
