"""Compare the cross-validated errors of two checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.formulas._confidence_limits import two_sided
from bayesfloor.learners._registry import BLEND

_LEVEL = 0.95
_FEWER = 0.8  # with fewer than this fraction of the rows, errors rise for that reason alone


class ErrorRise(NamedTuple):
    """How far a learner's cross-validated error rose, with its 95 % interval."""

    learner: str
    before: float
    now: float
    low: float
    high: float

    @property
    def rise(self) -> float:
        """The difference between the two errors."""
        return self.now - self.before


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
