"""The answer, its learning curve, its reasons, and the verdict on a target accuracy."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.formulas._limits import upper_limit
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import about, percent, printable, two_digits

if TYPE_CHECKING:
    from bayesfloor.answer._race import Race

REACHABLE, OUT_OF_REACH, TOO_CLOSE = "reachable", "out of reach", "too close to call"
GOOD, LIMITED, UPPER_ONLY = RELIABILITIES = ("good", "limited", "upper limit only")
TOO_HIGH = "too high here"  # note on tree bounds that the answer contradicts
TOO_LOW = "too low here: duplicates"  # likewise, if trees join duplicates
_AS_GOOD_AS_EQUAL = 0.005  # error difference below which no number of rows separates a target from the best estimate
_MOST_GROWTH = 64.0  # no number of rows is given if it is more than this many times the current one
_EQUAL = 1e-9  # smaller differences between class proportions are rounding errors
_DIGITS = 12  # of a target's error, as a fraction


class Basis(StrEnum):
    """What a reason rests on; beside each, the numbers and names that its sentence needs.

    Examples
    --------
    >>> from bayesfloor.answer import Basis
    >>> Basis("a learner") is Basis.LEARNER
    True
    """

    # an end of the range
    GUESSING = "no learner is shown to beat guessing"  # upper end, error of guessing, number of classes
    NEIGHBOUR = "a neighbour in the spanning tree"
    LEARNER = "a learner"  # its error; its name
    CURVES = "learning curves"
    EQUAL_ROWS = "equal rows with different labels"
    EQUAL_ROWS_ALONE = "equal rows with different labels, but no learning curves"
    # why an answer is not more reliable
    LEAK = "columns may give the label away"  # the columns
    UNDECIDED = "equal rows may be separate cases or copies"  # fraction of rows
    SYNTHETIC = "rows were made from other rows"  # fraction of a class
    POSSIBLY_RELATED = "rows may be related"  # fraction of rows
    DRIFT = "later rows are worse than rows between known ones"  # error between, later, its interval; the column
    LATER = "errors on periods after those of training"  # mean error, its interval, number of periods
    TOGETHER = "rows that belong together are in training and test rows"
    SPELLINGS = "labels look like spellings of one class"  # number of labels, number of classes
    TYPOS = "labels look like typos"  # how many
    NEAR_DUPLICATES = "near-duplicates without groups"  # fraction of rows
    UNTRAINED = "no learner could be trained"
    NO_SIGNAL = "no signal found"
    RANKING = "scores rank the classes, but no learner is more accurate than guessing"  # area under the ROC curve
    LITTLE_SIGNAL = "little signal found"
    FEW_ROWS = "too few rows per class"  # how many are needed
    ONE_KIND = "no second kind of learner confirms it"  # name of the learner
    NEIGHBOURS_ALONE = "only models that remember rows get near zero"
    MAY_BE_ZERO = "the lowest possible error may be zero"
    WIDE = "a wide range"  # its width
    # a verdict: what the range says; the last number is always the error that the target allows
    AT_MOST = "the upper end meets the target"  # upper end
    AT_LEAST = "the lower end is above the target"  # lower end
    BETWEEN = "the target is inside the range"  # estimate, lower end or NaN, upper end
    # why a target is too close to call
    AT_ESTIMATE = "the target is at the best estimate"
    NOT_CONFIRMED = "the range is too wide to confirm it"
    NOT_RULED_OUT = "the range is too wide to rule it out"
    NO_LIMIT = "no lower limit that could rule it out"
    # what would settle it
    LATER_ROWS = "rows of later periods"
    SAY_WHICH = "saying whether equal rows are cases or copies"
    ONLY_REAL_ROWS = "leaving out rows that were made from others"
    MERGE_SPELLINGS = "merging the spellings of each class"
    FEATURES = "only better features"  # more rows would not decide it; unit of rows
    ROWS_TO_TRAIN = "rows to train any learner on"
    OTHER_MODELS = "other models or better features"  # the models tried would need too many rows; unit of rows
    FEATURES_OR_MODELS = "only better features or other models"  # a reason against the lower end may follow
    ROWS_TO_CONFIRM = "more rows to confirm it"  # how many; unit of rows
    ROWS_TO_RULE_OUT = "more rows to rule it out"  # how many; unit of rows
    TOO_MANY_ROWS = "too many more rows"  # number of times as many; unit of rows


# What to settle before anything else: nothing that is measured means much until then.
_FIRST = {
    Basis.LATER: Basis.LATER_ROWS,
    Basis.UNDECIDED: Basis.SAY_WHICH,
    Basis.SYNTHETIC: Basis.ONLY_REAL_ROWS,
    Basis.SPELLINGS: Basis.MERGE_SPELLINGS,
}


@dataclass(frozen=True, repr=False)
class Reason(Result):
    """One reason behind an answer or a verdict, as a value: a ``Check`` shows it as a sentence.

    Attributes
    ----------
    basis : str
        What the reason rests on, in a few words.
    numbers, names : tuple
        The numbers, and the names of learners, columns or units, that belong to it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import BayesFloor
    >>> BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick").why_lower
    Reason(learning curves)
    """

    basis: Basis
    numbers: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

    def _summary(self) -> str:
        return str(self)

    def __str__(self) -> str:
        told = [*map(printable, self.names), *(f"{percent(n)} %" if n < 1 else f"{n:,g}" for n in self.numbers)]
        return f"{self.basis}: {', '.join(told)}" if told else self.basis


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The outcome for a target, its reason and evidence, and what would settle it if it is too close to call.

    Attributes
    ----------
    target : float
        The target accuracy.
    outcome : {"reachable", "out of reach", "too close to call"}
        The verdict.
    reason : Reason
        What the range says about the target.
    rests_on : tuple of Reason
        The evidence behind it.
    why : Reason or None
        Why the verdict is too close to call.
    settle : tuple of Reason
        What would settle it, perhaps followed by what stands against a lower end; empty for other verdicts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.answer.judge(0.9).outcome
    'reachable'
    """

    target: float
    outcome: str
    reason: Reason
    rests_on: tuple[Reason, ...]
    why: Reason | None = None
    settle: tuple[Reason, ...] = ()

    def _summary(self) -> str:
        why = self.reason.basis if self.why is None else self.why.basis
        settled = f"; {self.settle[0]} would settle it" if self.settle else ""
        return f"{100 * self.target:.6g} % accuracy is {self.outcome}: {why}{settled}"


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """The learning curve of the best learner: first the cross-validated errors, then the predicted ones.

    Attributes
    ----------
    n_rows : number of training rows.
    error : cross-validated or predicted error.
    low, high : 95 % interval for the error.
    measured : whether the error was cross-validated rather than predicted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> curve = found.answer.curve
    >>> curve.n_rows[curve.measured]  # and predicted for up to 64 times as many
    array([ 15,  30,  60, 120])
    """

    n_rows: Ints
    error: Floats
    low: Floats
    high: Floats
    measured: np.ndarray

    def _summary(self) -> str:
        told = [f"{n:,} rows: {percent(e)} %" for n, e in zip(self.n_rows[self.measured], self.error, strict=False)]
        return ", ".join(told)


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """The lowest possible error of a dataset (its Bayes error): best estimate and range, as fractions.

    Attributes
    ----------
    estimate : float
        Best estimate: the error at which the learners' learning curves level off with unlimited rows.
    lower : float
        Lower end of the range: the kinds of model tried stay above it, even with more rows. NaN if it is unknown.
    upper : float
        Upper end of the range: some learner has been shown to have at most this error (95 % confidence).
    why_lower, why_upper : Reason
        The evidence for each end; None without a lower end.
    reliability : {"good", "limited", "upper limit only"}
        How reliable the answer is.
    reasons : tuple of Reason
        Why the reliability is not higher.
    guessing : float
        Error of always predicting the most frequent class.
    best : str
        The learner with the lowest cross-validated error.
    errors : dict
        Cross-validated errors of all learners.
    curve : Curve
        Learning curve of the best learner.
    left_out : dict
        Learners that did not run, and why.
    effort : str
        How much work was done; compare only answers with the same effort.
    n_rows : int
        Number of rows on which learners were tested.
    n_independent : dict
        For each learner, how many independent rows its cross-validated error is worth: fewer than ``n_rows`` if rows
        belong together.
    n_classes : int
        Number of classes.
    curve_lower : float
        Lower end from the learning curves alone; NaN if they give none.
    race : Race or None
        The learners' results; None if the answer was read from a file.
    unit, rows_per_unit : str, float
        What more data are counted in, and how many rows each has: "rows", or groups if rows belong together.
    as_cases : tuple of float or None
        If equal rows may be copies or separate cases: best estimate and range if they are separate cases. The best
        estimate of the answer is then for copies, and its range allows for both.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import BayesFloor
    >>> answer = BayesFloor().fit(*load_wine(return_X_y=True)).answer()
    >>> answer.verdict(0.9)
    'reachable'
    """

    estimate: float
    lower: float
    upper: float
    why_lower: Reason | None
    why_upper: Reason
    reliability: str
    reasons: tuple[Reason, ...]
    guessing: float
    best: str
    errors: dict[str, float]
    curve: Curve
    left_out: dict[str, str]
    effort: str
    n_rows: int
    n_independent: dict[str, float]
    n_classes: int
    unit: str = "rows"
    rows_per_unit: float = 1.0
    as_cases: tuple[float, float, float] | None = None
    curve_lower: float = field(default=np.nan, repr=False)
    race: Any = field(default=None, repr=False)  # a Race, whose module loads scikit-learn

    def _summary(self) -> str:
        error = f"lowest possible error {about(self.estimate, self.useful_lower, self.upper)}"
        return f"{error}, reliability {self.reliability}, best learner {printable(self.best)}"

    @property
    def proved(self) -> bool:
        """Whether equal rows with different labels prove the lower end; otherwise it is extrapolated."""
        return self.why_lower is not None and self.why_lower.basis in (Basis.EQUAL_ROWS, Basis.EQUAL_ROWS_ALONE)

    @property
    def upper_is_tested(self) -> bool:
        """Whether the upper end has a confidence level; it has none if it is the known error of guessing."""
        return self.why_upper.basis is not Basis.GUESSING or self.upper > self.guessing

    def has(self, *bases: Basis) -> bool:
        """Whether one of these reasons makes the answer less reliable."""
        return any(reason.basis in bases for reason in self.reasons)

    def verdict(self, target: float) -> str:
        """Return whether an accuracy is "reachable", "out of reach" or "too close to call"."""
        return self.judge(target).outcome

    def judge(self, target: float) -> Verdict:
        """Return the verdict with its reason, its evidence, and what would settle it.

        "reachable" depends only on the upper end of the range, "out of reach" only on the lower end.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick").judge(0.8).outcome
        'reachable'
        """
        check_target(target)
        error = target_error(target)
        if self.upper <= error:
            return Verdict(target, REACHABLE, Reason(Basis.AT_MOST, (self.upper, error)), (self.why_upper,))
        lower = () if self.why_lower is None else (self.why_lower,)
        if self.lower > error:
            return Verdict(target, OUT_OF_REACH, Reason(Basis.AT_LEAST, (self.lower, error)), lower)
        reason = Reason(Basis.BETWEEN, (self.estimate, self.useful_lower, self.upper, error))
        why, settle = self._why_close(error), self._settle(error)
        return Verdict(target, TOO_CLOSE, reason, (self.why_upper, *lower), why, settle)

    def _why_close(self, error: float) -> Reason:
        """Return why a target is too close: no signal, at the best estimate, no lower limit, or a wide range."""
        first = next((each for each in self.reasons if each.basis in (*_FIRST, Basis.NO_SIGNAL)), None)
        if first is not None:
            return first
        if abs(error - self.estimate) < _AS_GOOD_AS_EQUAL:
            return Reason(Basis.AT_ESTIMATE)
        if error > self.estimate:
            return Reason(Basis.NOT_CONFIRMED)
        return Reason(Basis.NOT_RULED_OUT if self._rests_on_curve else Basis.NO_LIMIT)

    @property
    def useful_lower(self) -> float:
        """The lower end; NaN if there is none, or if it is proved but too far below the best estimate to be of use."""
        return np.nan if self.reliability == UPPER_ONLY else self.lower

    @property
    def _rests_on_curve(self) -> bool:
        """Whether learning curves give a lower limit, which more rows would raise."""
        alone = self.why_lower is not None and self.why_lower.basis is Basis.EQUAL_ROWS_ALONE
        return not np.isnan(self.lower) and not alone

    def _settle(self, error: float) -> tuple[Reason, ...]:
        """Return what would settle a verdict: cleaner labels, more rows or groups, better features or other models."""
        unit = (self.unit,)
        settled = [basis for caution, basis in _FIRST.items() if self.has(caution)]
        if settled:
            return (Reason(settled[0]),)
        if abs(error - self.estimate) < _AS_GOOD_AS_EQUAL:
            return (Reason(Basis.FEATURES, names=unit),)
        if not len(self.curve.n_rows):
            return (Reason(Basis.ROWS_TO_TRAIN),)
        if error > self.estimate:
            growth, decides = self._growth_to_reach(error), Basis.ROWS_TO_CONFIRM
            if growth is None:
                return (Reason(Basis.OTHER_MODELS, names=unit),)
        elif not self._rests_on_curve:
            doubts = [each for each in self.reasons if each.basis not in (Basis.NO_SIGNAL, Basis.WIDE)]
            return (Reason(Basis.FEATURES_OR_MODELS), *doubts[-1:])
        else:  # the gap between lower end and estimate shrinks as one over the square root of the number of rows
            growth = ((self.estimate - self.lower) / (self.estimate - error)) ** 2
            decides = Basis.ROWS_TO_RULE_OUT
            if growth > _MOST_GROWTH:
                return (Reason(Basis.TOO_MANY_ROWS, (_MOST_GROWTH,), unit),)
        more = (growth - 1) * float(self.curve.n_rows[self.curve.measured][-1]) / self.rows_per_unit
        return (Reason(decides, (max(1, two_digits(more)),), unit),)

    def _growth_to_reach(self, error: float) -> float | None:
        """Return the factor by which rows must probably grow for the best learner's upper limit to meet the target."""
        from bayesfloor.answer._race import ENOUGH_TESTED  # late import: it loads scikit-learn

        curve = self.curve
        growth = curve.n_rows / curve.n_rows[curve.measured][-1]
        for times, predicted in zip(growth[~curve.measured], curve.error[~curve.measured], strict=True):
            n = self.n_rows * min(times, max(1.0, ENOUGH_TESTED["normal"] / self.n_rows))
            if times <= _MOST_GROWTH and float(upper_limit(predicted * n, n, 0.99)) <= error:
                return float(times)
        return None

    def contradicts(self, tree_bound: float) -> bool:
        """Whether the best estimate is below a lower tree bound; that bound is then marked as too high."""
        return tree_bound > self.estimate

    def evidence(self) -> Race:
        """Return the learners' results for each row; raise for an answer that was read from a file."""
        race: Race | None = self.race
        if race is None:
            raise InputError(
                "This answer was read from a file, which does not contain the evidence. Run the check again."
            )
        return race

    def _columns(self) -> dict[str, Any]:
        names = ("estimate", "lower", "upper", "reliability", "guessing", "best", "effort", "n_rows")
        return {name: [getattr(self, name)] for name in names}


def check_target(target: object) -> None:
    """Raise if the target is not an accuracy."""
    if isinstance(target, (bool, np.bool_)) or not isinstance(target, Real) or not 0 < float(target) <= 1:
        raise InputError(f"Got target={target!r}, but expected an accuracy above 0 and up to 1, such as 0.95.")


def target_error(target: float) -> float:
    """Return the error that a target allows; 1 - 0.9 alone would be slightly less than 0.1."""
    return round(1 - float(target), _DIGITS)


def guessed_class(guessing: float, n_classes: int) -> str:
    """Return which class guessing always predicts; none is the most frequent one if all are equally frequent."""
    equal = guessing > 1 - 1 / n_classes - _EQUAL
    return f"the {'same' if equal else 'most frequent'} class"
