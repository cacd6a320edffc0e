"""Learners, the race between them, and the out-of-fold evidence behind every answer.

Input: a ``Fit``.
Output: out-of-fold posteriors, errors and learning curves of the registered learners.
Must not know about: how results are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.learners._race import Race

__all__ = ["Race"]

_HOMES = {"._race": "Race"}

__getattr__, __dir__ = load_late(__name__, _HOMES)
