"""Against a target accuracy: what can be said, and what cannot."""

from __future__ import annotations

from numbers import Real

import numpy as np

from bayesfloor.floor._envelope import Envelope


def check_target(target: object) -> None:
    """Refuse what is no accuracy."""
    if isinstance(target, (bool, np.bool_)) or not isinstance(target, Real) or not 0 < float(target) <= 1:
        raise ValueError(f"Got target={target!r}, but expected an accuracy above 0 and up to 1, such as 0.95.")


def give_verdict(envelope: Envelope, target: float) -> str:
    """The word for this target, by the rules of ``BayesFloor.verdict``."""
    error = 1 - target
    if envelope.upper <= error:
        return "feasible"
    if envelope.trusted and not envelope.alarm and envelope.lower > error:
        return "infeasible"
    return "undecided"
