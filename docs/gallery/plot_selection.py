"""
Which features can go
=====================

Each step adds the feature that lowers the fraction of cross-class edges most, until the next gain is not significant.
The dashed line is the fraction with all features. The diamond shows the same selection on held-out rows.

Do not believe the steps themselves: they are measured on the rows used for selection, so they are optimistic. Trust the
diamond. "No significant difference" does not mean equal.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from bayesfloor import FloorSelector

path = FloorSelector().fit(*load_breast_cancer(return_X_y=True, as_frame=True)).path_
print(path.text)
steps = path.frame()

_, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
reach = steps["gain"] - steps["gain_low"]
ax.errorbar(steps["cross_rate"], steps["added"], xerr=reach, fmt="o", capsize=3, label="after this step")
ax.axvline(path.all_cross_rate, color="grey", linestyle="--", label=f"all {path.n_all} features")
ax.plot(path.holdout.cross_rate, "on held-out rows", "D", color="black", label=path.holdout.word)
ax.invert_yaxis()
ax.set_xlim(left=0)
ax.set_xlabel("fraction of cross-class edges")
ax.legend()
