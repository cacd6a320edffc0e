"""Class trees, and the classifier built on them.

Input: a ``Fit`` and its answer, or rows.
Output: class trees and ``SmartSVM``.
Must not know about: plots, and decisions before training (``decide``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.hierarchy._class_tree import ClassTree
    from bayesfloor.hierarchy._smart_svm import SmartSVM

__all__ = ["ClassTree", "SmartSVM"]

__getattr__, __dir__ = load_late(__name__, {"._class_tree": "ClassTree", "._smart_svm": "SmartSVM"})
