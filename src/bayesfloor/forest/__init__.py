"""Exact orthogonal Euclidean minimum spanning trees, which can be composed from parts.

Input: points.
Output: edges of the first t orthogonal minimum spanning trees, as a ``Forest``.
Must not know about: labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.forest._class_forests import ClassForests, class_forests
    from bayesfloor.forest._forest import Forest
    from bayesfloor.forest._out_of_core import Work
    from bayesfloor.forest._spanning_forest import spanning_forest

__all__ = ["ClassForests", "Forest", "Work", "class_forests", "spanning_forest"]

_HOMES = {
    "._class_forests": "ClassForests class_forests",
    "._forest": "Forest",
    "._out_of_core": "Work",
    "._spanning_forest": "spanning_forest",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
