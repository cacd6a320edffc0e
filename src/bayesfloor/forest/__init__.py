"""Exact orthogonal Euclidean minimum spanning trees, which can be composed from parts.

Input: points.
Output: edges of the first t orthogonal minimum spanning trees, as a ``Forest``.
Must not know about: labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.forest._class_forests import ClassForests, class_forests
    from bayesfloor.forest._spanning_forest import Forest, spanning_forest

__all__ = ["ClassForests", "Forest", "class_forests", "spanning_forest"]

_HOMES = {"._class_forests": "ClassForests class_forests", "._spanning_forest": "Forest spanning_forest"}

__getattr__, __dir__ = load_late(__name__, _HOMES)
