"""Class trees, and classifiers built on them.

Input: a ``Fit`` and its answer, or rows.
Output: class trees, ``SmartSVM`` and ``FloorGuidedClassifier``.
Must not know about: plots, ``labels`` and ``selection``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.hierarchy._class_tree import ClassTree
    from bayesfloor.hierarchy._smart_svm import SmartSVM
    from bayesfloor.leaving.hierarchy_floor_guided import FloorGuidedClassifier

__all__ = [
    "ClassTree",
    "FloorGuidedClassifier",
    "SmartSVM",
]

_HOMES = {
    "..leaving.hierarchy_floor_guided": "FloorGuidedClassifier",
    "._class_tree": "ClassTree",
    "._smart_svm": "SmartSVM",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
