"""
Which classes are hard to separate
==================================

Each cell is the error between two digits by the spanning trees, relative to guessing: 0 for classes that are separate,
1 for classes that nothing separates. A dot is a pair with no more cross-class edges than even separate classes have:
its error is too small to measure. ``check(X, y).pairs`` has the answer for each pair.

Do not believe small differences between cells. Each stands on a few edges; ``floor.pairwise_`` has the intervals.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import PairwiseDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = PairwiseDisplay.from_estimator(floor)
