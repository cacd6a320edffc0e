"""The answer, its learning curve, its reasons, and its verdict on a target accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._forecast import LEAST, Forecast
from bayesfloor.answer._metrics import ACCURACY, DIGITS, METRICS
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import about, percent, printable

if TYPE_CHECKING:
    from bayesfloor.answer._race import Race

REACHABLE, LIKELY, OPEN, UNLIKELY = "reachable", "likely", "open", "unlikely"
OUT_OF_REACH, CANNOT_SAY = "out of reach", "cannot say"
_GRADES = ((0.8, LIKELY), (0.2, OPEN), (0.05, UNLIKELY))  # the least probability of each outcome
_SHOWN = 0.95  # the least probability of what was shown, and the confidence of what shows it
GOOD, LIMITED, UPPER_ONLY = RELIABILITIES = ("good", "limited", "upper limit only")
TOO_HIGH = "too high here"  # note on tree bounds that the answer contradicts
TOO_LOW = "too low here: duplicates"  # likewise, if trees join duplicates
_EQUAL = 1e-9  # smaller differences between class proportions are rounding errors


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
    FEW_OF_CLASS = "too few rows in the rarest class"  # how many are needed
    FEW_NUMBERS = "too few rows"  # how many are needed
    OUTLIERS = "outliers decide the squared error"  # the part of it on 1 % of the rows
    ONE_KIND = "no second kind of learner confirms it"  # name of the learner
    NEIGHBOURS_ALONE = "only models that remember rows get near zero"
    CAPPED = "training ended before learners stopped improving"  # number of rows
    MAY_BE_ZERO = "the lowest possible error may be zero"
    WIDE = "a wide range"  # its width


# With one of these, no model's error says what is possible: only what was proved holds.
_UNKNOWN = (Basis.LATER, Basis.UNDECIDED, Basis.SYNTHETIC, Basis.OUTLIERS, Basis.UNTRAINED)
# With one of these, there may be no learning curve.
_DOUBTS = (
    Basis.NO_SIGNAL,
    Basis.RANKING,
    Basis.LITTLE_SIGNAL,
    Basis.FEW_ROWS,
    Basis.FEW_OF_CLASS,
    Basis.FEW_NUMBERS,
)


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


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """The learning curve of the best learner: its cross-validated errors, and then the forecast for more rows.

    Attributes
    ----------
    n_rows : number of training rows.
    error : cross-validated error or, beyond the rows at hand, the median of the forecast.
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
    """The best that any model can reach on a dataset: best estimate and range of the lowest possible loss.

    The loss is the error, as a fraction, unless another metric was asked for. ``score`` and ``score_range`` are in the
    metric's own unit, and so are targets.

    Attributes
    ----------
    metric : str
        The metric that the answer is for. The loss of "accuracy", "balanced_accuracy", "roc_auc" and "r2" is 1 minus
        the metric; the others are losses themselves.
    estimate : float
        Best estimate: the median of the forecast for unlimited rows.
    lower : float
        Lower end of the range: the 2.5 % quantile of the forecast or, if that is higher, what equal rows with different
        labels prove. NaN if there is too much doubt for a lower end.
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
    unit : str
        What more data have to be: "rows", or groups if rows belong together.
    as_cases : tuple of float or None
        If equal rows may be copies or separate cases: best estimate and range if they are separate cases. The best
        estimate of the answer is then for copies, and its range and forecast allow for both.
    std_errors : dict
        For metrics other than accuracy, the standard error of each learner's cross-validated loss.
    forecast : Forecast or None
        The error that the best model could reach, with any number of rows; None if no learning curve was measured.

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
    as_cases: tuple[float, float, float] | None = None
    forecast: Forecast | None = None
    metric: str = ACCURACY.name
    std_errors: dict[str, float] = field(default_factory=dict)
    curve_lower: float = field(default=np.nan, repr=False)
    race: Any = field(default=None, repr=False)  # a Race, whose module loads scikit-learn

    def _summary(self) -> str:
        error = f"lowest possible error {about(self.estimate, self.useful_lower, self.upper)}"
        if self.metric != ACCURACY.name:
            shown, other = (f"{end:.4g}".replace("nan", "unknown") for end in self.score_range)
            ends = (shown, other) if self.of.is_score else (other, shown)
            error = f"{self.metric} about {self.score:.4g} ({' to '.join(ends)})"
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

    @property
    def unknown(self) -> Reason | None:
        """Why nothing but what was proved can be said of a target; None if it can."""
        if self.forecast is not None:
            return next((reason for reason in self.reasons if reason.basis in _UNKNOWN), None)
        found = (reason for reason in self.reasons if reason.basis in (*_UNKNOWN, *_DOUBTS))
        return next(found, Reason(Basis.UNTRAINED))

    @property
    def of(self) -> Any:  # a Metric, which is no public class
        """The metric itself."""
        return METRICS[self.metric]

    @property
    def score(self) -> float:
        """Best estimate of the best possible score, in the metric's unit."""
        return self.of.score(self.estimate)

    @property
    def score_range(self) -> tuple[float, float]:
        """Range of the best possible score: what was shown to be reachable, and the other end or NaN."""
        return self.of.score(self.upper), self.of.score(self.lower)

    def map(self, change: Callable[[Any], Any]) -> Answer:
        """Return the answer for losses that are changed by an increasing function."""
        if change is np.asarray:
            return self
        curve = {name: change(getattr(self.curve, name)) for name in ("error", "low", "high")}
        ends: dict[str, Any] = {
            name: float(change(getattr(self, name)))
            for name in ("estimate", "lower", "upper", "guessing", "curve_lower")
        }
        return replace(
            self,
            **ends,
            errors={name: float(change(error)) for name, error in self.errors.items()},
            std_errors={
                name: float(change(error + self.std_errors[name]) - change(max(error - self.std_errors[name], 0.0))) / 2
                for name, error in self.errors.items()
            },
            curve=replace(self.curve, **curve),
            forecast=self.forecast and self.forecast.map(change),
        )

    def quantiles(self, levels: Sequence[float] | Floats) -> Floats:
        """Return quantiles of the lowest possible error; NaN if no learning curve was measured.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> answer = BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick")
        >>> bool(answer.quantiles([0.5])[0] == answer.estimate)
        True
        """
        return np.full(len(levels), np.nan) if self.forecast is None else self.forecast.quantiles(levels)

    def chance(self, target: float, rows: float | None = None) -> float:
        """Return the probability that a model can reach a score, with unlimited rows or with so many to train on.

        It lies between 0.01 and 0.99, and is at least 0.95 if some learner was shown to reach the target. It is NaN
        if nothing can be said; ``unknown`` gives the reason.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> answer = BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick")
        >>> answer.chance(0.9) >= 0.95
        True
        """
        self.of.check_target(target)
        if rows is not None and (isinstance(rows, (bool, np.bool_)) or not isinstance(rows, Real) or not rows >= 1):
            raise InputError(f"Got rows={rows!r}, but expected a number of training rows, such as 20_000.")
        error, known = self.of.loss(target), self.forecast if self.unknown is None else None
        found = np.nan if known is None else known.chance(error, rows)
        if known is not None and self.has(
            Basis.NO_SIGNAL
        ):  # a pattern that no learner sees, such as a parity, may explain everything
            found = np.fmax(found, _GRADES[-1][0])
        if self._reached(error):
            return float(np.fmax(found, _SHOWN))
        return LEAST if self._ruled_out(error) else float(found)

    def verdict(self, target: float) -> str:
        """Return the outcome for a score, which is an accuracy unless the answer is for another metric.

        Returns
        -------
        str
            "reachable" if some learner was shown to reach it (95 % confidence). Otherwise by the chance: "likely" from
            80 %, "open" from 20 %, "unlikely" from 5 %, "out of reach" below, or if equal rows with different labels
            prove it. "cannot say" if these data do not give a chance.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> BayesFloor().fit(*load_wine(return_X_y=True)).answer("quick").verdict(0.8)
        'reachable'
        """
        self.of.check_target(target)
        error = self.of.loss(target)
        if self._reached(error):
            return REACHABLE
        if self._ruled_out(error):
            return OUT_OF_REACH
        chance = self.chance(target)
        return CANNOT_SAY if np.isnan(chance) else next((w for least, w in _GRADES if chance >= least), OUT_OF_REACH)

    def _reached(self, error: float) -> bool:
        """Whether a learner was shown to reach an error; that of a score is rounded."""
        return round(self.upper, DIGITS) <= error

    def _ruled_out(self, error: float) -> bool:
        return self.proved and self.lower > error

    @property
    def useful_lower(self) -> float:
        """The lower end; NaN if there is none, or if it is proved but too far below the best estimate to be of use."""
        return np.nan if self.reliability == UPPER_ONLY else self.lower

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
    ACCURACY.check_target(target)


def target_error(target: float) -> float:
    """Return the error that a target accuracy allows."""
    return ACCURACY.loss(target)


def guessed_class(guessing: float, n_classes: int) -> str:
    """Return which class guessing always predicts; none is the most frequent one if all are equally frequent."""
    equal = guessing > 1 - 1 / n_classes - _EQUAL
    return f"the {'same' if equal else 'most frequent'} class"
