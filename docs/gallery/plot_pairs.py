"""
Which classes are hard to tell apart
====================================

Each cell is the floor of one pair of digits, as a share of guessing: 0 for classes that are separate, 1 for classes
that nothing tells apart. An empty cell is a pair with no more cross edges than even separate classes share, so it is
not measurable and not ranked.

Do not believe small differences between cells. Each stands on a few edges; ``floor.pairwise_`` has the intervals.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import PairwiseDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = PairwiseDisplay.from_estimator(floor)
