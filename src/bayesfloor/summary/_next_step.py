"""What to do next, in one sentence: what stands in the way of a better model, or of a surer answer."""

from __future__ import annotations

from bayesfloor.answer._answer import Answer, Curve
from bayesfloor.answer._make_answer import called
from bayesfloor.answer._verdict import REACHABLE, TOO_CLOSE, target_error
from bayesfloor.selection._gap import AT, NOT_SHOWN, ROOM
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._phrases import accuracy
from bayesfloor.summary._verdict_text import finds_nothing, lowest_error

_TWICE = 2.01  # training rows are rounded
_LITTLE, _LITTLE_OF_ERROR = 0.001, 0.05  # falls of an error that do not matter: absolute, and relative to it
_FIRST = ("BF106", "BF114")  # findings to act on before anything else


def next_step(check: Measured) -> str:
    """Return the next step as a sentence; empty if the verdict says it."""
    answer = check.answer
    if first := next((finding for finding in check.findings if finding.code in _FIRST), None):
        return f"act on {first.code} below, then check again."
    if finds_nothing(answer):
        return "look for better features."
    if check.gap is not None:
        return _for_model(check)
    if check.outcome == TOO_CLOSE:
        return _settle_by_effort(answer)
    if check.outcome == REACHABLE and check.target is not None and lowest_error(answer) <= target_error(check.target):
        return f"train {called(answer.best)}; it meets the target in cross-validation."
    return _more(answer)


def _for_model(check: Measured) -> str:
    gap, answer = check.gap, check.answer
    if gap is None or gap.too_good.seen:
        return ""
    if gap.overall.word in (ROOM, NOT_SHOWN) and lowest_error(answer) < gap.overall.error:
        return f"try {called(answer.best)}."
    return "look for better features." if gap.overall.word == AT else ""


def _settle_by_effort(answer: Answer) -> str:
    """Say how to try more kinds of model, if some were left out for their cost."""
    slow = [name for name, why in answer.left_out.items() if why.startswith("too slow")]
    if not slow or answer.effort == "thorough":
        return ""
    kinds = "kind of model was" if len(slow) == 1 else "kinds of model were"
    return f'run it with --effort thorough, or effort="thorough": {len(slow)} {kinds} left out as too slow.'


def _more(answer: Answer) -> str:
    twice = error_at_twice(answer.curve)
    if twice is None:
        return ""
    if hardly_falls(lowest_error(answer), twice):
        return "look for better features; more rows of the same kind would hardly help."
    return f"collect more rows; with twice as many, {called(answer.best)} would reach about {accuracy(twice)} %."


def error_at_twice(curve: Curve) -> float | None:
    """Return the error predicted for twice as many rows; None if nothing could be predicted."""
    there = curve.measured
    if not there.any():
        return None
    found = curve.error[~there & (curve.n_rows <= _TWICE * curve.n_rows[there][-1])]
    return float(found[-1]) if len(found) else None


def hardly_falls(now: float, then: float) -> bool:
    """Whether an error falls too little to matter."""
    return bool(now - then < max(_LITTLE, _LITTLE_OF_ERROR * now))
