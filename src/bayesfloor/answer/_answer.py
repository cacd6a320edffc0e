"""The verdict on a target accuracy: reachable, out of reach or too close to call, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from bayesfloor.answer._race import ENOUGH_TESTED, Race
from bayesfloor.formulas._limits import upper_limit
from bayesfloor.io._label_spellings import SPELLINGS
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import about, percent, printable, two_digits

REACHABLE, OUT_OF_REACH, TOO_CLOSE = "reachable", "out of reach", "too close to call"
NO_SIGNAL = "no signal found"  # start of the reason if no learner does clearly better than guessing

_EQUAL = 1e-9  # smaller differences between class proportions are rounding errors
_DIGITS = 12  # of a target's error, as a fraction


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The outcome for a target, its reason and evidence, and what would settle it if it is too close to call.

    Attributes
    ----------
    target : float
        The target accuracy.
    outcome : {"reachable", "out of reach", "too close to call"}
        The verdict.
    reason, rests_on : str
        The reason, and the evidence behind it.
    why, settle : str
        Why the verdict is too close to call, and what would settle it; empty for other verdicts.

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
    reason: str
    rests_on: str
    why: str = ""
    settle: str = ""

    def _summary(self) -> str:
        settle = f". {self.settle}" if self.settle else ""
        return f"{100 * self.target:.6g} % accuracy is {self.outcome}: {self.reason}{settle}"


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


GOOD, LIMITED, UPPER_ONLY = RELIABILITIES = ("good", "limited", "upper limit only")
PROVED = "proved"  # start of a lower end's reason if it rests on equal rows with different labels
TOO_HIGH = "too high here"  # note on tree bounds that the answer contradicts
TOO_LOW = "too low here: duplicates"  # likewise, if trees join duplicates
NO_LIMIT = "these data give no lower limit"
WIDE = "the range is"  # start of the reason if the range is wide
NO_CURVE = "the learning curves give no lower limit"  # end of a proved lower end's reason if it has no other evidence
_AS_GOOD_AS_EQUAL = 0.005  # error difference below which no number of rows separates a target from the best estimate
_MOST_GROWTH = 64.0  # no number of rows is given if it is more than this many times the current one


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
    why_lower, why_upper : str
        The evidence for each end.
    reliability : {"good", "limited", "upper limit only"}
        How reliable the answer is.
    reasons : tuple of str
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
    why_lower: str
    why_upper: str
    reliability: str
    reasons: tuple[str, ...]
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
    curve_lower: float = field(default=np.nan, repr=False)
    race: Race | None = field(default=None, repr=False)

    def _summary(self) -> str:
        error = f"lowest possible error {about(self.estimate, self.useful_lower, self.upper)}"
        return f"{error}, reliability {self.reliability}, best learner {printable(self.best)}"

    @property
    def proved(self) -> bool:
        """Whether equal rows with different labels prove the lower end; otherwise it is extrapolated."""
        return self.why_lower.startswith(PROVED)

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
            reason = f"the lowest possible error is at most {percent(self.upper, error)} %"
            return Verdict(target, REACHABLE, reason, self.why_upper)
        if self.lower > error:
            reason = f"the lowest possible error is at least {percent(self.lower, error)} %"
            return Verdict(target, OUT_OF_REACH, reason, self.why_lower)
        rests_on = f"{self.why_upper}; {self.why_lower}" if self.why_lower else self.why_upper
        reason = f"the lowest possible error is {about(self.estimate, self.useful_lower, self.upper, error)}"
        return Verdict(target, TOO_CLOSE, reason, rests_on, self._why_close(error), self._settle(error))

    def _why_close(self, error: float) -> str:
        """Say why a target is too close to call: no signal, at the best estimate, no lower limit, or a wide range."""
        if no_signal := next((reason for reason in self.reasons if reason.startswith(NO_SIGNAL)), ""):
            return no_signal
        if abs(error - self.estimate) < _AS_GOOD_AS_EQUAL:
            return "it is within 0.5 points of the best estimate"
        if error > self.estimate:
            return "the range is too wide to confirm it"
        return "the range is too wide to rule it out" if self._rests_on_curve else f"{NO_LIMIT} that could rule it out"

    @property
    def useful_lower(self) -> float:
        """The lower end; NaN if there is none, or if it is proved but too far below the best estimate to be of use."""
        return np.nan if self.reliability == UPPER_ONLY else self.lower

    @property
    def _rests_on_curve(self) -> bool:
        """Whether learning curves give a lower limit, which more rows would raise."""
        return not np.isnan(self.lower) and not self.why_lower.endswith(NO_CURVE)

    def _settle(self, error: float) -> str:
        """Say what would settle a verdict: cleaner labels, more rows or groups, better features or other models."""
        if any(SPELLINGS in reason for reason in self.reasons):
            return "first merge the spellings of each class: --clean-labels, or clean_labels=True"
        if abs(error - self.estimate) < _AS_GOOD_AS_EQUAL:
            return f"more {self.unit} would not decide it; better features might"
        if not len(self.curve.n_rows):
            return "more rows would decide it: these are too few to train any learner"
        if error > self.estimate:
            growth, decides = self._growth_to_reach(error), "confirm the target"
            if growth is None:
                need = f"the models tried would need too many {self.unit} to confirm it"
                return f"{need}: try other models or better features"
        elif not self._rests_on_curve:
            doubts = [reason for reason in self.reasons if not reason.startswith((NO_SIGNAL, WIDE))]
            why = f" ({doubts[-1]})" if doubts else ""
            return f"only better features or other models could decide it{why}"
        else:  # the gap between lower end and estimate shrinks as one over the square root of the number of rows
            growth = ((self.estimate - self.lower) / (self.estimate - error)) ** 2
            decides = "rule the target out; they would hardly raise the accuracy"
            if growth > _MOST_GROWTH:
                return f"it would take more than {_MOST_GROWTH:g} times as many {self.unit} to decide it"
        more = (growth - 1) * float(self.curve.n_rows[self.curve.measured][-1]) / self.rows_per_unit
        return f"about {max(1, two_digits(more)):,} more {self.unit} would probably {decides}"

    def _growth_to_reach(self, error: float) -> float | None:
        """Return the factor by which rows must probably grow for the best learner's upper limit to meet the target."""
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
        if self.race is None:
            raise InputError(
                "This answer was read from a file, which does not contain the evidence. Run the check again."
            )
        return self.race

    def _columns(self) -> dict[str, Any]:
        names = ("estimate", "lower", "upper", "reliability", "guessing", "best", "effort", "n_rows")
        return {name: [getattr(self, name)] for name in names}
