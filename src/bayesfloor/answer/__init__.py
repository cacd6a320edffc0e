"""The answer: a best estimate, a range and a verdict, of the whole, of pairs and of classes.

Comes in: a ``Fit`` and a race.
Goes out: ``Answer`` of the whole, ``PairAnswers``, ``ClassAnswers``, ``Verdict``.
Must not know: files, pictures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer, Curve
    from bayesfloor.answer._parts import ClassAnswers, PairAnswers
    from bayesfloor.answer._verdict import Verdict

_HOME = {
    "Answer": "bayesfloor.answer._answer",
    "ClassAnswers": "bayesfloor.answer._parts",
    "Curve": "bayesfloor.answer._answer",
    "PairAnswers": "bayesfloor.answer._parts",
    "Verdict": "bayesfloor.answer._verdict",
}

__all__ = ["Answer", "ClassAnswers", "Curve", "PairAnswers", "Verdict"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
