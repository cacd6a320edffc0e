"""
Which classes are hard to separate
==================================

Each cell is the best estimate of the lowest possible error between two digits, relative to guessing: 0 % for classes
that can be separated, 100 % for classes that nothing separates. The colours mean the same for all data. A dot marks a
pair whose error is too small to measure: cross-validation confused none of its rows. ``check(X, y).pairs`` has the same
numbers with their ranges, and ``PairwiseDisplay.from_results(floor.pairwise_)`` draws the paper's tree estimates.

Do not believe small differences between cells: each rests on a few confused rows.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import PairwiseDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = PairwiseDisplay.from_estimator(floor)
