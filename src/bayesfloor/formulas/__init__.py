"""All formulas that turn counts into bounds, each with its reference, for plain numbers and arrays.

Input: counts.
Output: bounds, tests and limits, computed with NumPy and SciPy's statistics only.
Must not know about: points, and the other subpackages.
"""

from bayesfloor.formulas._bounds import Bounds, HenzePenrose, henze_penrose

__all__ = ["Bounds", "HenzePenrose", "henze_penrose"]
