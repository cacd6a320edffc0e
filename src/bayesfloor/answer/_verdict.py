"""The verdict on a target accuracy: reachable, out of reach or too close to call, and why."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._result import Result

REACHABLE, OUT_OF_REACH, TOO_CLOSE = "reachable", "out of reach", "too close to call"
NO_SIGNAL = "no signal found"  # start of the reason if no learner does clearly better than guessing


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
    settle : str
        What would settle the verdict, as a sentence; empty unless the verdict is too close to call.

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
    settle: str = ""


def check_target(target: object) -> None:
    """Raise if the target is not an accuracy."""
    if isinstance(target, (bool, np.bool_)) or not isinstance(target, Real) or not 0 < float(target) <= 1:
        raise InputError(f"Got target={target!r}, but expected an accuracy above 0 and up to 1, such as 0.95.")
