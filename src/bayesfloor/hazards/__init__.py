"""Hazards that make an answer too good: rows that depend on each other, and columns that give the label away.

Input: the rows as read, in their order, with their labels.
Output: which rows to hold out together, which columns are suspicious, and the evidence for both.
Must not know about: ``answer``, ``selection``, ``summary`` and everything that shows results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.hazards._dependence import Dependence
    from bayesfloor.hazards._doubtful_columns import DoubtfulColumns
    from bayesfloor.hazards._leaks import Leak

__all__ = ["Dependence", "DoubtfulColumns", "Leak"]

_HOMES = {
    "._dependence": "Dependence",
    "._doubtful_columns": "DoubtfulColumns",
    "._leaks": "Leak",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
