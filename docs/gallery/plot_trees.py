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

_, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.fill_between(n_trees, *np.quantile(found, [0.05, 0.95], axis=0), color="#fdd0a2", label="90 % of estimates")
ax.errorbar(
    n_trees, found.mean(axis=0), found.std(axis=0), fmt="o-", color="#a63603", label="mean; bar: standard deviation"
)
ax.axhline(TRUTH, color="#222222", linestyle="--", label="true Bayes error")
ax.set(xlabel="orthogonal trees", ylabel="error", xticks=n_trees)
ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
