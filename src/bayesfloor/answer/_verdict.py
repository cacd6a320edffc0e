"""The verdict on a target accuracy: reachable, out of reach or too close to call, and why."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._result import Result

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
