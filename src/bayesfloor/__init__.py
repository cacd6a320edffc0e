"""The Bayes error is the floor under every classifier's error: know it before you train."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesfloor.engine._rows import open_rows
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.floor._odd_labels import odd_labels
    from bayesfloor.floor._sample import SampledRowsWarning
    from bayesfloor.forest._classes import ClassForests, class_forests
    from bayesfloor.forest._forest import Forest
    from bayesfloor.forest._spanning_forest import spanning_forest
    from bayesfloor.formulas._henze_penrose import henze_penrose
    from bayesfloor.hierarchy._floor_guided import FloorGuidedClassifier
    from bayesfloor.hierarchy._search import SmartSVMSearch
    from bayesfloor.hierarchy._smart_svm import SmartSVM
    from bayesfloor.hierarchy._tree import ClassTree
    from bayesfloor.selection._candidates import LabelsSeenWarning
    from bayesfloor.selection._comparison import Comparison
    from bayesfloor.selection._filter import FeatureFloors, feature_floors, floor_score
    from bayesfloor.selection._gap import Gap, gap
    from bayesfloor.selection._merge import MergeAdvice, merge_advice
    from bayesfloor.selection._path import SelectionPath
    from bayesfloor.selection._representations import compare_representations
    from bayesfloor.selection._rows_needed import samples_for
    from bayesfloor.selection._selector import FloorSelector
    from bayesfloor.selection._two_samples import two_samples
    from bayesfloor.selection._weights import class_weight
    from bayesfloor.summary._assert import assert_reachable
    from bayesfloor.summary._check import Check, check

__version__ = "0.1.0.dev0"

# Importing the package costs nothing; a name loads what it needs when it is first used.
_HOME = {
    "BayesFloor": "bayesfloor.floor._bayes_floor",
    "Check": "bayesfloor.summary._check",
    "ClassForests": "bayesfloor.forest._classes",
    "ClassTree": "bayesfloor.hierarchy._tree",
    "Comparison": "bayesfloor.selection._comparison",
    "FeatureFloors": "bayesfloor.selection._filter",
    "FloorGuidedClassifier": "bayesfloor.hierarchy._floor_guided",
    "FloorSelector": "bayesfloor.selection._selector",
    "Forest": "bayesfloor.forest._forest",
    "Gap": "bayesfloor.selection._gap",
    "LabelsSeenWarning": "bayesfloor.selection._candidates",
    "MergeAdvice": "bayesfloor.selection._merge",
    "SampledRowsWarning": "bayesfloor.floor._sample",
    "SelectionPath": "bayesfloor.selection._path",
    "SmartSVM": "bayesfloor.hierarchy._smart_svm",
    "SmartSVMSearch": "bayesfloor.hierarchy._search",
    "assert_reachable": "bayesfloor.summary._assert",
    "check": "bayesfloor.summary._check",
    "class_forests": "bayesfloor.forest._classes",
    "class_weight": "bayesfloor.selection._weights",
    "compare_representations": "bayesfloor.selection._representations",
    "feature_floors": "bayesfloor.selection._filter",
    "floor_score": "bayesfloor.selection._filter",
    "gap": "bayesfloor.selection._gap",
    "henze_penrose": "bayesfloor.formulas._henze_penrose",
    "merge_advice": "bayesfloor.selection._merge",
    "odd_labels": "bayesfloor.floor._odd_labels",
    "open_rows": "bayesfloor.engine._rows",
    "samples_for": "bayesfloor.selection._rows_needed",
    "spanning_forest": "bayesfloor.forest._spanning_forest",
    "two_samples": "bayesfloor.selection._two_samples",
}

__all__ = [
    "BayesFloor",
    "Check",
    "ClassForests",
    "ClassTree",
    "Comparison",
    "FeatureFloors",
    "FloorGuidedClassifier",
    "FloorSelector",
    "Forest",
    "Gap",
    "LabelsSeenWarning",
    "MergeAdvice",
    "SampledRowsWarning",
    "SelectionPath",
    "SmartSVM",
    "SmartSVMSearch",
    "assert_reachable",
    "check",
    "class_forests",
    "class_weight",
    "compare_representations",
    "feature_floors",
    "floor_score",
    "gap",
    "henze_penrose",
    "merge_advice",
    "odd_labels",
    "open_rows",
    "samples_for",
    "spanning_forest",
    "two_samples",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
