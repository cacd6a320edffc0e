"""Class trees, and classifiers built on them.

Input: a ``Fit`` and its answer, or rows.
Output: class trees, ``SmartSVM`` and ``FloorGuidedClassifier``.
Must not know about: plots, ``labels`` and ``selection``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.hierarchy._class_tree import ClassTree
    from bayesfloor.hierarchy._floor_guided import FloorGuidedClassifier
    from bayesfloor.hierarchy._smart_svm import SmartSVM

__all__ = ["ClassTree", "FloorGuidedClassifier", "SmartSVM"]

_HOMES = {
    "._class_tree": "ClassTree",
    "._floor_guided": "FloorGuidedClassifier",
    "._smart_svm": "SmartSVM",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
