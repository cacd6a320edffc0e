"""
Would more rows help
====================

The plot shows the best learner's cross-validated error against the number of training rows. Points are measured; the
dashed line and its band are extrapolated. If the curve still falls steeply, more rows help; if it is flat, better
features do.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.decide import samples_for
from bayesfloor.plotting import CurveDisplay

answer = BayesFloor().fit(*load_digits(return_X_y=True)).answer()
print(samples_for(answer, target=0.99).text)
display = CurveDisplay.from_answer(answer)
