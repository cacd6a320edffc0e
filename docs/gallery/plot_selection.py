"""
Which features can go
=====================

Each step adds the feature that lowers the fraction of cross-class edges most, until the next gain is not significant.
The dashed line is the fraction with all features. The last line shows the same selection on held-out rows.

Do not believe the steps themselves: they are measured on the rows used for selection, so they are optimistic. Trust the
last line. "No significant difference" does not mean equal.
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import FloorSelector
from bayesfloor.plotting import SelectionDisplay

selector = FloorSelector().fit(*load_breast_cancer(return_X_y=True, as_frame=True))
display = SelectionDisplay.from_estimator(selector)
