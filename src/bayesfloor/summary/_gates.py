"""Gates: compare the answer with limits, and with an earlier check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._answer import OUT_OF_REACH, REACHABLE, TOO_CLOSE, Answer, target_error
from bayesfloor.answer._learners import BLEND
from bayesfloor.answer._make_answer import called
from bayesfloor.floor._results import FEW
from bayesfloor.formulas._limits import two_sided
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._verdict import points, sentence, settle_text, target_text, why_text
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats
from bayesfloor.support._words import about, percent, range_text

OK, FAILED = "ok", "failed"
_LEVEL = 0.95  # of the interval of a rise
_FEWER = 0.8  # with fewer than this fraction of the rows, errors rise for that reason alone
_WORDS = {REACHABLE: OK, OUT_OF_REACH: FAILED, TOO_CLOSE: TOO_CLOSE}


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """A limit and its outcome: "ok", "failed" or "too close to call".

    Attributes
    ----------
    code, word, text : str
        The code to pass to ``bayesfloor explain``, the outcome, and the figures.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.gates()[0].word
    'ok'
    """

    code: str
    word: str
    text: str

    def _summary(self) -> str:
        return f"{self.code} {self.word}: {self.text}"


def make_gates(
    check: Measured, limits: dict[str, float | None], baseline: Measured | None = None, max_error_rise: float = 0.0
) -> tuple[Gate, ...]:
    """Return a gate for each of these that is given: the target, the limits and the baseline."""
    check_limits({**limits, "max_error_rise": max_error_rise})
    if baseline is not None and not isinstance(baseline, Measured):
        raise InputTypeError(
            f"Got baseline of type {type(baseline).__name__}, but expected a Check, such as Check.from_json(path)."
        )
    if baseline is None and max_error_rise:
        raise InputError("Got max_error_rise, but expected a baseline with it, such as Check.from_json(path).")
    makers = {"max_error": error_gate, "max_pair_error": pair_gate, "max_class_error": class_gate}
    made = [makers[name](check, limit) for name, limit in limits.items() if limit is not None]
    first = [] if check.target is None else [target_gate(check, check.target)]
    last = [] if baseline is None else [baseline_gate(check, baseline, max_error_rise)]
    return (*first, *made, *last)


def target_gate(check: Measured, target: float) -> Gate:
    """Whether a target accuracy is reachable."""
    found = check.answer.judge(target)
    text = f"target {target_text(target)}, lowest possible error {_whole(check, target_error(target))}"
    if found.outcome == TOO_CLOSE:
        text = f"{text}: {why_text(found)}. {sentence(settle_text(found.settle))}"
    return Gate("BF301", _WORDS[found.outcome], text)


def error_gate(check: Measured, most: float) -> Gate:
    """Whether the lowest possible error exceeds a limit."""
    answer = check.answer
    word = _judge(answer.lower, answer.upper, most)
    return Gate("BF302", word, f"lowest possible error {_whole(check, most)}, limit {target_text(most)}")


def pair_gate(check: Measured, most: float) -> Gate:
    """Whether the error between any two classes exceeds a limit."""
    found, known = check.pairs, check.classes.n_rows >= FEW
    one, two = np.nonzero(np.triu(known[:, None] & known, 1))
    names = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    return _worst_of("BF303", names, found.lower[one, two], found.upper[one, two], most)


def class_gate(check: Measured, most: float) -> Gate:
    """Whether the error within any class exceeds a limit."""
    known = np.flatnonzero(check.classes.n_rows >= FEW)
    names = [check.labels[k] for k in known.tolist()]
    return _worst_of("BF304", names, check.classes.lower[known], check.classes.upper[known], most)


def baseline_gate(check: Measured, before: Measured, most: float) -> Gate:
    """Whether the lowest possible error rose by more than a limit since an earlier check.

    It fails if the best estimate rose by more than both ranges allow, or if the same learner's cross-validated error
    rose significantly by more than the limit. If the ranges cannot be compared, the cross-validated errors alone
    decide.
    """
    if unlike := _differences(check, before, _PROBLEM):
        return Gate("BF305", TOO_CLOSE, f"the baseline cannot be compared: {unlike}. Make a new baseline.")
    errors = compare_errors(check.answer, before.answer)
    limit = f"limit {100 * most:g} point{'' if 100 * most == 1 else 's'}"
    if unlike := _differences(check, before, _WAY):
        word = TOO_CLOSE if errors is None else _judge(errors.low, errors.high, most)
        text = f"the ranges cannot be compared ({unlike})"
        return Gate("BF305", word, f"{text}. {_cross_validated(errors, word, most)}, {limit}")
    now, then = check.answer, before.answer
    rise = now.estimate - then.estimate
    low = rise - np.hypot(now.estimate - np.nan_to_num(now.lower), then.upper - then.estimate)
    high = rise + np.hypot(now.upper - now.estimate, then.estimate - np.nan_to_num(then.lower))
    word = OK if rise <= 0 else _judge(float(low), float(high), most)
    text = f"best estimate {percent(then.estimate)} % before, {percent(now.estimate)} % now: {points(rise)} points"
    text += f" (between {points(float(low))} and {points(float(high))}), {limit}"
    if errors is not None and errors.low > most:
        word = FAILED
    if word == OK:
        return Gate("BF305", OK, text)
    why = "The limit lies within what both ranges allow. " if word == TOO_CLOSE else ""
    return Gate("BF305", word, f"{text}. {why}{_cross_validated(errors, word, most)}")


class ErrorRise(NamedTuple):
    """How far a learner's cross-validated error rose, with its 95 % interval."""

    learner: str
    before: float
    now: float
    low: float
    high: float


def compare_errors(now: Answer, before: Answer) -> ErrorRise | None:
    """Compare the learner that is best over both checks; None if they share none, or if there are far fewer rows now.

    Choosing by the sum of both errors favours neither check. The blend is left out, because its members may differ. The
    interval is that of Agresti and Caffo (2000), which holds even if there are hardly any errors.
    """
    both = [name for name in now.errors if name in before.errors and name != BLEND]
    if not both or now.n_rows < _FEWER * before.n_rows:
        return None
    learner = min(both, key=lambda name: now.errors[name] + before.errors[name])
    (one, one_variance), (two, two_variance) = (_add_two(answer, learner) for answer in (before, now))
    reach = two_sided(_LEVEL) * np.sqrt(one_variance + two_variance)
    rise = two - one
    return ErrorRise(learner, before.errors[learner], now.errors[learner], float(rise - reach), float(rise + reach))


def _add_two(answer: Answer, learner: str) -> tuple[float, float]:
    """Return the error with one wrong and one right row added, and its variance."""
    n = answer.n_independent[learner]
    error = (answer.errors[learner] * n + 1) / (n + 2)
    return error, error * (1 - error) / (n + 2)


def _cross_validated(errors: ErrorRise | None, word: str, most: float) -> str:
    if errors is None:
        return "No learner was cross-validated on as many rows now as before, so these errors cannot decide either"
    text = f"Cross-validated error of {called(errors.learner)}: {percent(errors.before)} % before, "
    text += f"{percent(errors.now)} % now, {points(errors.now - errors.before)} points"
    text += f" (95 % interval {points(errors.low)} to {points(errors.high)})"
    return f"{text}, which may be due to chance" if word == TOO_CLOSE and errors.high > most else text


def check_limits(limits: dict[str, float | None]) -> None:
    """Raise an error if a limit is not an error from 0 to 1."""
    for name, value in limits.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= float(value) <= 1):
            raise InputError(f"Got {name}={value!r}, but expected an error from 0 to 1, such as 0.05.")


def _whole(check: Measured, limit: float) -> str:
    """Return the best estimate and range for the whole problem, with enough digits to compare them with a limit."""
    return about(check.answer.estimate, check.answer.useful_lower, check.answer.upper, limit)


def _judge(lower: float, upper: float, most: float) -> str:
    """Return "ok" if the upper end is within the limit, "failed" if the lower end is above it; a NaN never fails."""
    return OK if upper <= most else FAILED if lower > most else TOO_CLOSE


def _worst_of(code: str, names: list[str], lower: Floats, upper: Floats, most: float) -> Gate:
    """Return the gate of the worst pair or class; those with fewer than 30 rows do not count."""
    if not names:
        return Gate(code, TOO_CLOSE, f"all classes have too few rows (fewer than {FEW}), limit {target_text(most)}")
    worst = int(np.nanargmax(lower) if (lower > most).any() else np.argmax(upper))
    word = _judge(float(lower[worst]), float(upper[worst]), most)
    told = range_text(float(lower[worst]), float(upper[worst]), most)
    return Gate(code, word, f"worst is {names[worst]}: lowest possible error {told}, limit {target_text(most)}")


def _proportions(check: Measured) -> str:
    priors = check.facts.priors
    return "of the data" if priors is None else " to ".join(f"{100 * share:g} %" for share in priors)


# If the first differ, no errors can be compared; if the second do, the ranges cannot.
_PROBLEM = {"classes": lambda check: check.facts.n_classes, "class proportions": _proportions}
_WAY = {
    "effort": lambda check: check.answer.effort,
    "features": lambda check: check.facts.n_features,
    "scale": lambda check: check.facts.scale,
}


def _differences(check: Measured, before: Measured, parts: Mapping[str, Callable[[Measured], object]]) -> str:
    """Return which of these parts of two checks differ; empty if none do."""
    found = ((name, part(before), part(check)) for name, part in parts.items())
    return ", ".join(f"{name} {then} then, {now} now" for name, then, now in found if then != now)
