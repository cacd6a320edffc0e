"""Suspicious labels: rows that are probably mislabelled or ambiguous.

Input: a ``Fit``, or rows.
Output: a score for every row, and a list of the most suspicious rows, each with its nearest neighbour of another class.
Must not know about: plots, ``hierarchy`` and ``selection``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.labels._score_labels import suspicious_labels
    from bayesfloor.labels._suspicious_list import SuspiciousLabels

__all__ = ["SuspiciousLabels", "suspicious_labels"]

_HOMES = {
    "._score_labels": "suspicious_labels",
    "._suspicious_list": "SuspiciousLabels",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
