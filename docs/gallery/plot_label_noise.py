"""
Wrong labels
============

Forty of the digits get a wrong label. The histogram shows how suspicious the labels of all rows are; the hatched part
shows the rows that ``suspicious_labels`` lists, with false discoveries controlled at 5 %.

Do not relabel rows without looking at them. If classes overlap, a listed row may be ambiguous rather than wrong, and a
row that is not listed may still be wrong.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from bayesfloor.decide import suspicious_labels
from bayesfloor.plotting import SampleScoreDisplay

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
wrong = rng.choice(len(y), 40, replace=False)
given = y.copy()
given[wrong] = (y[wrong] + rng.integers(1, 10, 40)) % 10

found = suspicious_labels(X, given)
listed = np.flatnonzero(found.suspect)
print(f"{len(listed)} rows listed, {np.isin(listed, wrong).sum()} of the 40 wrong ones among them")
display = SampleScoreDisplay.from_results(found)

# %%
# Here are the most suspicious of them, each with the label it was given.

worst = listed[np.argsort(-found.score[listed])][:12]
figure, axes = plt.subplots(2, 6, figsize=(7, 2.9), layout="constrained")
for ax, row in zip(axes.flat, worst, strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="Greys")
    ax.set_title(f"label {given[row]}", fontsize=9)
    ax.set_axis_off()
