"""
Which classes are alike
=======================

Classes that are hard to separate split last. The number at a split is the mean of the best estimates for the pairs
across it, relative to guessing; a dot marks a split whose error is too small to measure.

Do not read a taxonomy into it. Splits near the top often separate classes so far apart that any other split would do as
well.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import ClassTreeDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = ClassTreeDisplay.from_estimator(floor)
