"""
A ruler: best estimate, range and learners
==========================================

The ruler shows everything that is known about the lowest possible error. The bar is the range, and the mark in it is
the best estimate. The bar fades towards its lower end, which is extrapolated; a proved one would be sharp. Below are
the cross-validated errors of the learners tried, and the dashed line is the target.

The best estimate lies below the learners' errors: it is the level at which their learning curves end with more and more
rows. The second plot shows the curve of the best learner. Do not mistake the tree bounds for the answer. They are the
paper's bounds, hold for infinitely many rows, and are too high if data are sparse; the ruler then says so.
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import BayesFloor
from bayesfloor.plotting import AnswerDisplay, CurveDisplay

floor = BayesFloor().fit(*load_breast_cancer(return_X_y=True))
ruler = AnswerDisplay.from_estimator(floor, target=0.95)
curve = CurveDisplay.from_estimator(floor)
