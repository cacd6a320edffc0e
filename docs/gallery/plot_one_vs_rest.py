"""
Which class is the hardest
==========================

The plot shows tree bounds for the error of the best classifier in separating each class from all others, as a fraction
of all rows, with a 95 % interval. The hardest class is on top. ``check(X, y).classes`` has the answer for each class.

Do not compare classes whose intervals overlap much, and do not add up the classes: every confused row counts for two of
them.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import OneVsRestDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = OneVsRestDisplay.from_estimator(floor)
