"""Learners: one registry, one race, and the out-of-fold evidence that every answer rests on.

Comes in: a ``Fit``.
Goes out: out-of-fold posteriors, errors and learning curves, by one registry and one race.
Must not know: how results are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public import load_late

if TYPE_CHECKING:
    from bayesfloor.learners._race import Race
    from bayesfloor.learners._registry import Learner, Size

__all__ = [
    "Learner",
    "Race",
    "Size",
]

_HOMES = {
    "Learner": "bayesfloor.learners._registry",
    "Race": "bayesfloor.learners._race",
    "Size": "bayesfloor.learners._registry",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
