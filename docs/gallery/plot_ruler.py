"""
A ruler: bounds, interval and classifiers
=========================================

All that is known about the lowest possible error, on one ruler: where it lies by trees and classifiers together, the
bounds by trees alone, the 95 % interval of their share of cross edges, and what classifiers got wrong on rows held
out. The line is the target.

Do not take the bounds for an interval. They are the method's, and stay apart with ever more rows. Where classifiers
lie left of the bounds, as here, the bounds may be too high; where that is beyond chance, trust is "refuted".

An estimator's envelope tries more classifiers than :func:`bayesfloor.check`, so the figures of the tutorial on these
rows differ a little.
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import BayesFloor
from bayesfloor.plotting import EnvelopeDisplay

floor = BayesFloor().fit(*load_breast_cancer(return_X_y=True))
display = EnvelopeDisplay.from_estimator(floor, target=0.95)
