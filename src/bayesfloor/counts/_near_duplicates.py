"""Find rows that are nearly equal to another row, from the edges of the first tree."""

from __future__ import annotations

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.forest._forest import Forest

# Relative to the 95 % quantile of all lengths: edges between near-duplicates, and a gap above them.
_TINY, _SMALL = 0.01, 0.1
_SUSPICIOUS = 0.05  # fraction of tiny edges from which rows may be near-duplicates


def near_duplicates(forest: Forest) -> float:
    """Return the fraction of rows that are near-duplicates of another row."""
    return _tiny_fraction(forest.length[(forest.tree == 0) & (forest.length > 0)])


def _tiny_fraction(length: Floats) -> float:
    """Return the fraction of tiny edges, or 0 if they are rare or not clearly shorter than the usual ones."""
    if not len(length):
        return 0.0
    usual = np.quantile(length, 0.95)
    tiny, small = np.mean(length < _TINY * usual), np.mean(length < _SMALL * usual)
    return float(tiny) if tiny > _SUSPICIOUS and small - tiny < tiny / 3 else 0.0
