"""The answer: a race of learners, their learning curves, what makes them too good, and the range that follows.

Input: a ``Fit``, and the rows as read.
Output: ``Answer`` for the dataset, ``PairAnswers`` and ``ClassAnswers``; rows that belong together and columns that
give the label away.
Must not know about: files and plots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.answer._all_rows import Ahead, AllRows, Point, Stopped
    from bayesfloor.answer._answer import Answer, Basis, Curve, Reason
    from bayesfloor.answer._drift import Drift
    from bayesfloor.answer._forecast import Forecast
    from bayesfloor.answer._hazards import Dependence
    from bayesfloor.answer._leaks import DoubtfulColumns, Leak
    from bayesfloor.answer._pairs_and_classes import ClassAnswers, PairAnswers
    from bayesfloor.answer._race import Race
    from bayesfloor.answer._related_rows import RelatedRows

__all__ = [
    "Ahead",
    "AllRows",
    "Answer",
    "Basis",
    "ClassAnswers",
    "Curve",
    "Dependence",
    "DoubtfulColumns",
    "Drift",
    "Forecast",
    "Leak",
    "PairAnswers",
    "Point",
    "Race",
    "Reason",
    "RelatedRows",
    "Stopped",
]

_HOMES = {
    "._all_rows": "Ahead AllRows Point Stopped",
    "._answer": "Answer Basis Curve Reason",
    "._drift": "Drift",
    "._forecast": "Forecast",
    "._hazards": "Dependence",
    "._leaks": "DoubtfulColumns Leak",
    "._pairs_and_classes": "ClassAnswers PairAnswers",
    "._related_rows": "RelatedRows",
    "._race": "Race",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
