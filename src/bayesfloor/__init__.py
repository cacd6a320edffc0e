"""The Bayes error is the floor under every classifier's error: know it before you tune a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.decide import FloorSelector, compare_representations
    from bayesfloor.floor import BayesFloor
    from bayesfloor.forest import spanning_forest
    from bayesfloor.hierarchy import SmartSVM
    from bayesfloor.summary import Check, assert_reachable, check

__version__ = "0.1.0"

__all__ = [
    "BayesFloor",
    "Check",
    "FloorSelector",
    "SmartSVM",
    "assert_reachable",
    "check",
    "compare_representations",
    "spanning_forest",
]

# Importing the package is cheap: each name loads what it needs when it is first used.
_HOMES = {
    ".floor": "BayesFloor",
    ".forest": "spanning_forest",
    ".hierarchy": "SmartSVM",
    ".decide": "FloorSelector compare_representations",
    ".summary": "Check assert_reachable check",
    "": "answer decide floor forest formulas hierarchy io plotting summary",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
