"""Decisions to make before you tune a model: representation, features, labels, merged classes, number of rows.

Input: a ``Fit`` and its answer, or rows.
Output: selected features, ranked representations, merge advice, suspicious labels, and a model's gap to the floor.
Must not know about: plots and ``hierarchy``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.decide._budget import Budget, Part, PartName
    from bayesfloor.decide._candidates import LabelsSeenWarning
    from bayesfloor.decide._features import FloorSelector, HoldOut, SelectionPath
    from bayesfloor.decide._gap import Gap, GapLines, TooGood, gap
    from bayesfloor.decide._importances import Importances
    from bayesfloor.decide._merging import MergeAdvice, MergeStep, merge_advice
    from bayesfloor.decide._model_score import ModelScore
    from bayesfloor.decide._number_rows import ErrorByPrediction, OddNumbers
    from bayesfloor.decide._representations import Comparison, compare_representations
    from bayesfloor.decide._suspicious import SuspiciousLabels, suspicious_labels
    from bayesfloor.decide._two_samples import TwoSamples, two_samples

__all__ = [
    "Budget",
    "Comparison",
    "ErrorByPrediction",
    "FloorSelector",
    "Gap",
    "GapLines",
    "HoldOut",
    "Importances",
    "LabelsSeenWarning",
    "MergeAdvice",
    "MergeStep",
    "ModelScore",
    "OddNumbers",
    "Part",
    "PartName",
    "SelectionPath",
    "SuspiciousLabels",
    "TooGood",
    "TwoSamples",
    "compare_representations",
    "gap",
    "merge_advice",
    "suspicious_labels",
    "two_samples",
]

_HOMES = {
    "._budget": "Budget Part PartName",
    "._features": "FloorSelector HoldOut SelectionPath",
    "._gap": "Gap GapLines TooGood gap",
    "._importances": "Importances",
    "._merging": "MergeAdvice MergeStep merge_advice",
    "._model_score": "ModelScore",
    "._number_rows": "ErrorByPrediction OddNumbers",
    "._candidates": "LabelsSeenWarning",
    "._representations": "Comparison compare_representations",
    "._suspicious": "SuspiciousLabels suspicious_labels",
    "._two_samples": "TwoSamples two_samples",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
