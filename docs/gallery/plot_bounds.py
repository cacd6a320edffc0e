"""
Bounds and the truth
====================

Two normal classes in the plane that move apart, so that the lowest possible error is known: the black line. It lies
between the dashed bounds, which come from 1,000 rows; the estimate is their middle, and the band is how far it moves
from one sample to the next.

Do not expect this in many dimensions. There the same number of rows leaves neighbours far apart, and the bounds are
too high.
"""

import numpy as np

from bayesfloor.plotting import BoundsDisplay

display = BoundsDisplay.from_gaussians(np.linspace(0, 5, 11), n_rows=1000, repetitions=5)
