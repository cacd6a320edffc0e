"""
Which classes are hard to separate
==================================

Each cell is the error between two digits relative to guessing, from the spanning trees: 0 for separate classes, 1 for
classes that nothing separates. A dot marks a pair with only as many cross-class edges as separate classes have: its
error is too small to measure. ``check(X, y).pairs`` has the answer for each pair.

Do not believe small differences between cells. Each is based on a few edges; ``floor.pairwise_`` has the intervals.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import PairwiseDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = PairwiseDisplay.from_estimator(floor)
