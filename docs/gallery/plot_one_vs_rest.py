"""
Which class is the hardest
==========================

Each class against all others: the bounds of what the best classifier gets wrong about it, as a share of all rows, and
their 95 % interval. The hardest is on top.

Do not compare classes whose intervals overlap much, and do not add the classes up: every confused row counts for two
of them.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import OneVsRestDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = OneVsRestDisplay.from_estimator(floor)
