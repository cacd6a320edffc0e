"""What to decide before training: representations, features, weights, merges, how many rows.

Comes in: a ``Fit`` and its answer, or rows.
Goes out: features, representations, merges, rows needed, the gap of a model.
Must not know: pictures, ``hierarchy``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.selection._candidates import LabelsSeenWarning
    from bayesfloor.selection._comparison import Comparison
    from bayesfloor.selection._feature_floors import FeatureFloors, feature_floors
    from bayesfloor.selection._floor_selector import FloorSelector
    from bayesfloor.selection._gap import Gap, gap
    from bayesfloor.selection._merge_advice import MergeAdvice, merge_advice
    from bayesfloor.selection._representations import compare_representations
    from bayesfloor.selection._samples_for import SamplesNeeded, samples_for
    from bayesfloor.selection._selection_path import SelectionPath
    from bayesfloor.selection._two_samples import TwoSamples, two_samples

__all__ = [
    "Comparison",
    "FeatureFloors",
    "FloorSelector",
    "Gap",
    "LabelsSeenWarning",
    "MergeAdvice",
    "SamplesNeeded",
    "SelectionPath",
    "TwoSamples",
    "compare_representations",
    "feature_floors",
    "gap",
    "merge_advice",
    "samples_for",
    "two_samples",
]

_HOMES = {
    "Comparison": "bayesfloor.selection._comparison",
    "FeatureFloors": "bayesfloor.selection._feature_floors",
    "FloorSelector": "bayesfloor.selection._floor_selector",
    "Gap": "bayesfloor.selection._gap",
    "LabelsSeenWarning": "bayesfloor.selection._candidates",
    "MergeAdvice": "bayesfloor.selection._merge_advice",
    "SamplesNeeded": "bayesfloor.selection._samples_for",
    "SelectionPath": "bayesfloor.selection._selection_path",
    "TwoSamples": "bayesfloor.selection._two_samples",
    "compare_representations": "bayesfloor.selection._representations",
    "feature_floors": "bayesfloor.selection._feature_floors",
    "gap": "bayesfloor.selection._gap",
    "merge_advice": "bayesfloor.selection._merge_advice",
    "samples_for": "bayesfloor.selection._samples_for",
    "two_samples": "bayesfloor.selection._two_samples",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
