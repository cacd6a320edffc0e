"""
A forecast: the error of the best model, now and with more rows
===============================================================

Each row is a number of training rows: those at hand, 2, 4, 16 and 64 times as many, and any number. The mark is the
best estimate, the dark bar a 50 % and the light bar a 95 % interval. Dots are cross-validated errors of the learners
tried, and the dashed line is the target, with its probability on the right.

The last row is the lowest possible error, where learning curves would end with more and more rows. The second plot is
the curve of the best learner. Do not read the intervals as proof: they hold on average over the problems on which the
forecast was calibrated, for the kinds of model tried.
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import BayesFloor
from bayesfloor.plotting import CurveDisplay, ForecastDisplay

floor = BayesFloor().fit(*load_breast_cancer(return_X_y=True))
forecast = ForecastDisplay.from_estimator(floor, target=0.98)
curve = CurveDisplay.from_estimator(floor)
