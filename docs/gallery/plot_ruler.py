"""
A ruler: best estimate, range and learners
==========================================

All that is known about the lowest possible error, on one ruler. The bar is the range, the mark in it the best
estimate; below are the cross-validated errors of the learners that were tried, and the dashed line is the target.

The best estimate lies below the learners' errors: it is where their learning curves end with ever more rows. The
second picture shows the curve of the best one. Do not take the tree bounds for the answer. They are the paper's, hold
with ever more rows, and are too high where data are sparse; the ruler then says so.
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import BayesFloor
from bayesfloor.plotting import AnswerDisplay, CurveDisplay

floor = BayesFloor().fit(*load_breast_cancer(return_X_y=True))
ruler = AnswerDisplay.from_estimator(floor, target=0.95)
curve = CurveDisplay.from_estimator(floor)
