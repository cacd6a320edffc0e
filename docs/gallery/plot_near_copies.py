"""
Near-duplicates
===============

The data are three hundred rows from two overlapping classes, plus duplicates of each row with a little noise, like
video frames or augmented images. Without ``groups``, the nearest neighbour of a row is its own duplicate, and the tree
bounds fall towards zero. With ``groups`` they hardly change. Bars are standard deviations over three samples.

Do not believe the bounds if rows come in groups and you do not pass ``groups``. Edge counts alone cannot show whether
two rows are close because they are duplicates.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayesfloor import BayesFloor


def estimates(n_copies, *, given):
    """Return the tree estimates in percent with this many duplicates of each row, for the same three samples."""
    source = np.repeat(np.arange(300), n_copies)
    groups = source if given else None
    found = []
    for draw in range(3):
        rng = np.random.default_rng(draw)
        rows = rng.normal(size=(300, 2))
        labels = rows[:, 0] + rng.normal(size=300) > 0
        X = rows[source] + rng.normal(scale=0.001, size=(len(source), 2))
        found.append(100 * BayesFloor(interval="fast").fit(X, labels[source], groups=groups).overall_.estimate)
    return found


copies = [1, 2, 4, 8]
_, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for given, look, colour, label in (
    (True, "o-", "#b63b00", "with groups"),
    (False, "s--", "#4f5b66", "without groups"),
):
    drawn = np.array([estimates(n, given=given) for n in copies])
    mean = drawn.mean(axis=1)
    ax.errorbar(copies, mean, drawn.std(axis=1, ddof=1), fmt=look, color=colour, capsize=3)
    ax.text(8.15, mean[-1], label, va="center", color=colour, size=9)
ax.axhline(25, color="#24292f", linewidth=1)
ax.text(4.3, 23.2, "lowest possible error", color="#24292f", size=9)
ax.set(xlabel="duplicates of each row", ylabel="tree estimate", xlim=(0.7, 10), ylim=(0, 35), xticks=copies)
ax.yaxis.set_major_formatter("{x:.0f} %")
ax.spines[["top", "right"]].set_visible(False)
