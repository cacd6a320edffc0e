"""
Which classes are alike
=======================

Classes that are hard to separate split last. The number at a split is the mean error between its two sides by the
spanning trees, relative to guessing; a dot is a split so easy that its error is too small to measure.

Do not read a taxonomy into it. Cuts near the top are often between classes so far apart that any of them would do.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import ClassTreeDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = ClassTreeDisplay.from_estimator(floor)
