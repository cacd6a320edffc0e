"""Against a target accuracy: reachable, out of reach or too close to call, why, and what would settle it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.engine._text import percent, two_digits
from bayesfloor.formulas._limits import upper_limit

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer

REACHABLE, OUT_OF_REACH, TOO_CLOSE = "reachable", "out of reach", "too close to call"
_AS_GOOD_AS_EQUAL = 0.005  # of error: no number of rows tells such a target from the best estimate
_MOST_GROWTH = 64.0  # times the rows, beyond which no advice is given
NO_SIGNAL = "no signal found"  # how the reason begins where no learner does clearly better than guessing


@dataclass(frozen=True)
class Verdict:
    """The outcome for a target, its reason, what it rests on, and what would settle it if it is too close to call."""

    target: float
    outcome: str
    reason: str
    rests_on: str
    settle: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All values as plain Python."""
        return asdict(self)


def check_target(target: object) -> None:
    """Refuse what is not an accuracy."""
    if isinstance(target, (bool, np.bool_)) or not isinstance(target, Real) or not 0 < float(target) <= 1:
        raise ValueError(f"Got target={target!r}, but expected an accuracy above 0 and up to 1, such as 0.95.")


def judge(answer: Answer, target: float) -> Verdict:
    """The verdict: by the upper end alone "reachable", by the lower end alone "out of reach"."""
    check_target(target)
    error = 1 - target
    if answer.upper <= error:
        reason = f"the lowest possible error is at most {percent(answer.upper)} %"
        return Verdict(target, REACHABLE, reason, answer.why_upper)
    if answer.lower > error:
        reason = f"the lowest possible error is at least {percent(answer.lower)} %"
        return Verdict(target, OUT_OF_REACH, reason, answer.why_lower)
    best = f"the best estimate of the lowest possible error is {percent(answer.estimate)} %"
    low = "no lower limit is known" if np.isnan(answer.lower) else f"it may be as low as {percent(answer.lower)} %"
    reason = f"{best}; {low}, and it is at most {percent(answer.upper)} %"
    rests_on = f"{answer.why_upper}; {answer.why_lower}" if answer.why_lower else answer.why_upper
    return Verdict(target, TOO_CLOSE, reason, rests_on, _settle(answer, error))


def _settle(answer: Answer, error: float) -> str:
    """What would decide: more rows, if some number of them is expected to."""
    if abs(error - answer.estimate) < _AS_GOOD_AS_EQUAL:
        return "nothing, because the target is within 0.5 points of the best estimate"
    if not len(answer.curve.n_rows):
        return "more rows: no learner could be trained on these"
    if error > answer.estimate:
        growth = _growth_to_reach(answer, error)
        if growth is None:
            return "a better model, or features that say more: these learners would need too many rows"
    elif np.isnan(answer.lower):
        why = "" if not answer.reasons or answer.reasons[0].startswith(NO_SIGNAL) else f" ({answer.reasons[0]})"
        return f"features that say more, or a model that finds more{why}"
    else:  # the lower end nears the estimate as one over the root of the number of rows
        growth = ((answer.estimate - answer.lower) / (answer.estimate - error)) ** 2
        if growth > _MOST_GROWTH:
            return "too many more rows to be practical"
    more = (growth - 1) * float(answer.curve.n_rows[answer.curve.measured][-1])
    return f"about {two_digits(more):,} more rows"


def _growth_to_reach(answer: Answer, error: float) -> float | None:
    """How many times the rows it takes until the best learner's limit is expected to meet the target."""
    curve = answer.curve
    growth = curve.n_rows / curve.n_rows[curve.measured][-1]
    for times, predicted in zip(growth[~curve.measured], curve.error[~curve.measured], strict=True):
        n = answer.n_rows * min(times, max(1.0, 4000 / answer.n_rows))
        if times <= _MOST_GROWTH and float(upper_limit(predicted * n, n, 0.99)) <= error:
            return float(times)
    return None
