"""``Answer``: how low the error can go, with what each end of the range rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayesfloor.answer._learner_label_claims import claim_labels
from bayesfloor.answer._verdict import NO_SIGNAL, OUT_OF_REACH, REACHABLE, TOO_CLOSE, Verdict, check_target
from bayesfloor.engine._errors import InputError
from bayesfloor.engine._result import Result
from bayesfloor.engine._show import percent, two_digits
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._results import LabelClaims
from bayesfloor.formulas._confidence_limits import upper_limit
from bayesfloor.learners._race import Race

GOOD, LIMITED, UPPER_ONLY = RELIABILITIES = ("good", "limited", "upper limit only")
TOO_HIGH = "too high here: sparse data"  # of tree bounds that the answer contradicts
_AS_GOOD_AS_EQUAL = 0.005  # of error: no number of rows tells such a target from the best estimate
_MOST_GROWTH = 64.0  # times the rows, beyond which no advice is given


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """The learning curve of the best learner: cross-validated where it was measured, predicted beyond.

    Attributes
    ----------
    n_rows : training rows.
    error : cross-validated error, or the predicted one.
    low, high : 95 % interval of it.
    measured : whether it was measured.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> curve = found.answer.curve
    >>> len(curve.n_rows) == len(curve.error)
    True
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
        Best estimate: where the learning curves of the learners tried end with ever more rows.
    lower : float
        Lower end of the range, for the kinds of model tried, even with more rows; NaN where there is none.
    upper : float
        Upper end of the range: a learner was tested to be at least this good (95 %).
    why_lower, why_upper : str
        What each end rests on.
    reliability : {"good", "limited", "upper limit only"}
        How far the answer can be relied on.
    reasons : tuple of str
        Why not further.
    guessing : float
        Error of always naming the most frequent class.
    best : str
        The learner with the lowest cross-validated error.
    errors : dict
        Cross-validated errors of all learners.
    curve : Curve
        Its learning curve.
    left_out : dict
        Learners that did not run, and why.
    effort : str
        How much work was done; only answers of the same effort can be compared.
    n_rows : int
        Rows that learners were tested on.
    n_classes : int
        Number of classes.
    curve_lower : float
        The lower end that the learning curves give, whether or not it may be told.
    race : Race or None
        What the learners did; None in an answer read from a file.

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
    n_classes: int
    curve_lower: float = field(default=np.nan, repr=False)  # the lower end that the learning curves give
    race: Race | None = field(default=None, repr=False)

    def _summary(self) -> str:
        low = "no lower limit" if np.isnan(self.lower) else f"at least {percent(self.lower)} %"
        error = f"error {percent(self.estimate)} %, {low}, at most {percent(self.upper)} %"
        return f"{error}; reliability: {self.reliability}"

    def verdict(self, target: float) -> str:
        """Whether an accuracy is "reachable", "out of reach" or "too close to call"."""
        return self.judge(target).outcome

    def judge(self, target: float) -> Verdict:
        """The same with its reason, what it rests on, and what would settle it.

        By the upper end of the range alone "reachable", by the lower end alone "out of reach".

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick").judge(0.8).outcome
        'reachable'
        """
        check_target(target)
        error = 1 - target
        if self.upper <= error:
            reason = f"the lowest possible error is at most {percent(self.upper)} %"
            return Verdict(target, REACHABLE, reason, self.why_upper)
        if self.lower > error:
            reason = f"the lowest possible error is at least {percent(self.lower)} %"
            return Verdict(target, OUT_OF_REACH, reason, self.why_lower)
        best = f"the best estimate of the lowest possible error is {percent(self.estimate)} %"
        low = "no lower limit is known" if np.isnan(self.lower) else f"it may be as low as {percent(self.lower)} %"
        reason = f"{best}; {low}, and it is at most {percent(self.upper)} %"
        rests_on = f"{self.why_upper}; {self.why_lower}" if self.why_lower else self.why_upper
        return Verdict(target, TOO_CLOSE, reason, rests_on, self._settle(error))

    def _settle(self, error: float) -> str:
        """What would decide: more rows, if some number of them is expected to."""
        if abs(error - self.estimate) < _AS_GOOD_AS_EQUAL:
            return "nothing, because the target is within 0.5 points of the best estimate"
        if not len(self.curve.n_rows):
            return "more rows: no learner could be trained on these"
        if error > self.estimate:
            growth = self._growth_to_reach(error)
            if growth is None:
                return "a better model, or features that say more: these learners would need too many rows"
        elif np.isnan(self.lower):
            why = "" if not self.reasons or self.reasons[0].startswith(NO_SIGNAL) else f" ({self.reasons[0]})"
            return f"features that say more, or a model that finds more{why}"
        else:  # the lower end nears the estimate as one over the root of the number of rows
            growth = ((self.estimate - self.lower) / (self.estimate - error)) ** 2
            if growth > _MOST_GROWTH:
                return "too many more rows to be practical"
        more = (growth - 1) * float(self.curve.n_rows[self.curve.measured][-1])
        return f"about {two_digits(more):,} more rows"

    def _growth_to_reach(self, error: float) -> float | None:
        """How many times the rows it takes until the best learner's limit is expected to meet the target."""
        curve = self.curve
        growth = curve.n_rows / curve.n_rows[curve.measured][-1]
        for times, predicted in zip(growth[~curve.measured], curve.error[~curve.measured], strict=True):
            n = self.n_rows * min(times, max(1.0, 4000 / self.n_rows))
            if times <= _MOST_GROWTH and float(upper_limit(predicted * n, n, 0.99)) <= error:
                return float(times)
        return None

    def contradicts(self, tree_bound: float) -> bool:
        """Whether the best estimate lies below a lower tree bound, which is then marked wherever it is shown."""
        return tree_bound > self.estimate

    def evidence(self) -> Race:
        """What learners made of each row; an answer that was read from a file has none."""
        if self.race is None:
            raise InputError("This answer was read from a file, which does not hold the evidence. Run the check again.")
        return self.race

    def wrong_labels(self, flip_rate: float = 0.05, false_claims: float = 0.05) -> LabelClaims:
        """Labels that the best learner, on rows that it was not trained on, says are wrong.

        Parameters
        ----------
        flip_rate : float, default=0.05
            Fraction of labels assumed to be flipped to any other class.
        false_claims : float, default=0.05
            Fraction of the list that may be false.

        Returns
        -------
        LabelClaims
            Where classes overlap this finds fewer rows than ``samples_``, which lists suspicious labels.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesfloor import BayesFloor
        >>> BayesFloor().fit(*load_iris(return_X_y=True)).answer("quick").wrong_labels().wrong.shape
        (150,)
        """
        return claim_labels(self.evidence(), self.best, flip_rate, false_claims)

    def _columns(self) -> dict[str, Any]:
        names = ("estimate", "lower", "upper", "reliability", "guessing", "best", "effort", "n_rows")
        return {name: [getattr(self, name)] for name in names}
