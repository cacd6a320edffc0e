"""
Would more rows help
====================

The fraction of cross-class edges by the number of rows, and where it is going: the upper tree bound. This one still
falls: the bound of today is too high, and more rows would lower it. The answer rests on the learning curves of learners
instead; ``CurveDisplay`` draws the best one's.

Do not believe the far end. A curve is extrapolated, and the band that reaches down to nothing says that nobody knows.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor, learning_curve, samples_for
from bayesfloor.plotting import LearningCurveDisplay

curve = learning_curve(BayesFloor().fit(*load_digits(return_X_y=True)))
needed = samples_for(curve, target=0.99)
print(needed.text)
display = LearningCurveDisplay.from_curve(curve, needed)
