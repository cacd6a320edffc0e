"""
Would more rows help
====================

The plot shows the best learner's cross-validated error against the number of training rows. Points are measured; the
dashed line and its band are the forecast for the best model. If the curve still falls steeply, more rows help; if it is
flat, better features do.
"""

from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.plotting import CurveDisplay

answer = BayesFloor().fit(*load_digits(return_X_y=True)).answer()
for rows in (2_000, 5_000, 20_000):
    print(f"{rows:,} training rows: 99 % accuracy with probability {answer.chance(0.99, rows=rows):.2f}")
display = CurveDisplay.from_answer(answer)
