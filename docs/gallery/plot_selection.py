"""
Which features can go
=====================

Each step adds the feature that lowers the tree bounds most, until the next gain may be chance. The last row
is the same choice on rows that had no part in it.

Do not believe the steps themselves: the rows that chose flatter what they chose. Believe the last row, and read "as
good" as "no significant difference".
"""

from sklearn.datasets import load_breast_cancer

from bayesfloor import FloorSelector
from bayesfloor.plotting import SelectionDisplay

selector = FloorSelector().fit(*load_breast_cancer(return_X_y=True, as_frame=True))
display = SelectionDisplay.from_estimator(selector)
