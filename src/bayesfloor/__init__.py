"""The Bayes error is the floor under every classifier's error: know it before you tune a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.forest._spanning_forest import spanning_forest
    from bayesfloor.hierarchy._floor_guided import FloorGuidedClassifier
    from bayesfloor.hierarchy._smart_svm import SmartSVM
    from bayesfloor.selection._floor_selector import FloorSelector
    from bayesfloor.selection._representations import compare_representations
    from bayesfloor.summary._assert_reachable import assert_reachable
    from bayesfloor.summary._check import Check, check

__version__ = "0.1.0.dev0"

__all__ = [
    "BayesFloor",
    "Check",
    "FloorGuidedClassifier",
    "FloorSelector",
    "SmartSVM",
    "assert_reachable",
    "check",
    "compare_representations",
    "spanning_forest",
]

# Importing the package costs nothing; a name loads what it needs when it is first used.
_HOMES = {
    "BayesFloor": "bayesfloor.floor._bayes_floor",
    "Check": "bayesfloor.summary._check",
    "FloorGuidedClassifier": "bayesfloor.hierarchy._floor_guided",
    "FloorSelector": "bayesfloor.selection._floor_selector",
    "SmartSVM": "bayesfloor.hierarchy._smart_svm",
    "assert_reachable": "bayesfloor.summary._assert_reachable",
    "check": "bayesfloor.summary._check",
    "compare_representations": "bayesfloor.selection._representations",
    "spanning_forest": "bayesfloor.forest._spanning_forest",
}

_PACKAGES = (
    "answer",
    "floor",
    "forest",
    "formulas",
    "hierarchy",
    "io",
    "labels",
    "learners",
    "plotting",
    "selection",
    "summary",
)

__getattr__, __dir__ = load_late(__name__, {**_HOMES, **dict.fromkeys(_PACKAGES, "")})
