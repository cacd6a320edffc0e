"""Counts become bounds: every formula, with its reference, on plain numbers and arrays.

Comes in: counts.
Goes out: bounds, tests, limits; by NumPy and scipy.stats alone.
Must not know: points, and every other package of this one.
"""

from bayesfloor.formulas._henze_penrose import HenzePenrose, henze_penrose

__all__ = ["HenzePenrose", "henze_penrose"]
