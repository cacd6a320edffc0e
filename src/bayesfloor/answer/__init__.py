"""The answer: a best estimate, a range and a verdict for the dataset, and estimates for pairs and classes.

Input: a ``Fit``, and the race between learners.
Output: ``Answer`` for the dataset, ``PairAnswers``, ``ClassAnswers`` and ``Verdict``.
Must not know about: files and plots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer, Curve
    from bayesfloor.answer._pairs_and_classes import ClassAnswers, PairAnswers
    from bayesfloor.answer._verdict import Verdict

__all__ = ["Answer", "ClassAnswers", "Curve", "PairAnswers", "Verdict"]

_HOMES = {
    "._answer": "Answer Curve",
    "._pairs_and_classes": "ClassAnswers PairAnswers",
    "._verdict": "Verdict",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
