"""The answer: a best estimate, a range and a verdict, of the whole, of pairs and of classes.

Comes in: a ``Fit`` and a race.
Goes out: ``Answer`` of the whole, ``PairAnswers``, ``ClassAnswers``, ``Verdict``.
Must not know: files, pictures.
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
