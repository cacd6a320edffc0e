"""Decisions to make before you tune a model: representation, features, merged classes, number of rows.

Input: a ``Fit`` and its answer, or rows.
Output: selected features, ranked representations, merge advice, rows needed, and a model's gap to the floor.
Must not know about: plots, ``hierarchy`` and ``labels``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.selection._candidates import LabelsSeenWarning
    from bayesfloor.selection._comparison import Comparison
    from bayesfloor.selection._feature_floors import FeatureFloors, feature_floors
    from bayesfloor.selection._floor_selector import FloorSelector
    from bayesfloor.selection._gap import Gap, GapLines, gap
    from bayesfloor.selection._merge_advice import MergeAdvice, MergeStep, merge_advice
    from bayesfloor.selection._representations import compare_representations
    from bayesfloor.selection._samples_for import SamplesNeeded, samples_for
    from bayesfloor.selection._selection_path import HoldOut, SelectionPath
    from bayesfloor.selection._too_good import TooGood
    from bayesfloor.selection._two_samples import TwoSamples, two_samples

__all__ = [
    "Comparison",
    "FeatureFloors",
    "FloorSelector",
    "Gap",
    "GapLines",
    "HoldOut",
    "LabelsSeenWarning",
    "MergeAdvice",
    "MergeStep",
    "SamplesNeeded",
    "SelectionPath",
    "TooGood",
    "TwoSamples",
    "compare_representations",
    "feature_floors",
    "gap",
    "merge_advice",
    "samples_for",
    "two_samples",
]

_HOMES = {
    "._candidates": "LabelsSeenWarning",
    "._comparison": "Comparison",
    "._feature_floors": "FeatureFloors feature_floors",
    "._floor_selector": "FloorSelector",
    "._gap": "Gap GapLines gap",
    "._merge_advice": "MergeAdvice MergeStep merge_advice",
    "._representations": "compare_representations",
    "._samples_for": "SamplesNeeded samples_for",
    "._selection_path": "HoldOut SelectionPath",
    "._too_good": "TooGood",
    "._two_samples": "TwoSamples two_samples",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
