"""
Which class is the hardest
==========================

The plot shows how often the best possible classifier gets the rows of each class wrong: best estimate and range. The
hardest class is on top. A bar fades towards its lower end, which is extrapolated from learning curves. ``check(X,
y).classes`` has the same numbers, and ``OneVsRestDisplay.from_results(floor.one_vs_rest_)`` draws the paper's tree
bounds.

Do not rank classes whose ranges overlap much.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import OneVsRestDisplay

floor = BayesFloor().fit(*load_digits(return_X_y=True))
display = OneVsRestDisplay.from_estimator(floor)
