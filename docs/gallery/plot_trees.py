"""
How many trees
==============

We count the cross-class edges of two normal classes in the plane, in one or more trees. Each further tree has longer
edges: the spread over samples shrinks a little, and the estimate drifts up a little. Both effects are small compared
with the error that remains with 500 rows. Three trees are the default.

More trees do not replace more rows: they use the same rows again, at larger distances.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

from bayesfloor import spanning_forest
from bayesfloor.formulas import henze_penrose

SIZES, DISTANCE, MOST = (167, 333), 2.0, 6
TRUTH = 0.145  # true Bayes error for class proportions 1/3 and 2/3 at this distance between the class means
rng, y = np.random.default_rng(0), np.repeat([0, 1], SIZES)


def cross_edges():
    """Count the cross-class edges in each tree of one sample."""
    X = rng.normal(size=(len(y), 2)) + np.outer(y, [DISTANCE, 0])
    forest = spanning_forest(X, n_trees=MOST)
    label = np.empty_like(y)
    label[forest.vertex] = y
    return np.bincount(forest.tree, label[forest.a] != label[forest.b])


n_trees = np.arange(1, MOST + 1)
mean_edges = np.array([np.cumsum(cross_edges()) / n_trees for _ in range(10)])
found = henze_penrose(mean_edges, *SIZES).estimate

_, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.fill_between(n_trees, *np.quantile(found, [0.05, 0.95], axis=0), color="#fbd9bc")
ax.errorbar(n_trees, found.mean(axis=0), found.std(axis=0), fmt="o-", color="#b63b00", capsize=3)
ax.axhline(TRUTH, color="#24292f", linestyle="--")
ax.text(1.05, 0.186, "mean and standard deviation", color="#b63b00", size=9)
ax.text(MOST, np.quantile(found, 0.95, axis=0)[-1], "90 % of estimates", ha="right", va="top", color="#4f5b66", size=9)
ax.text(MOST, TRUTH + 0.001, "true Bayes error", ha="right", va="bottom", color="#24292f", size=9)
ax.set(xlabel="orthogonal trees", ylabel="error", xticks=n_trees)
ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
ax.spines[["top", "right"]].set_visible(False)
