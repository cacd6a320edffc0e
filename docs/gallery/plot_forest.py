"""
Trees and cross-class edges
===========================

All counts come from these trees. The first minimum spanning tree joins all points with the shortest edges; the second
does so with edges that the first did not use, and the third with edges that neither used. Dark edges join two classes:
their fraction bounds the lowest possible error.

Do not judge overlap from such a plot in more than two dimensions: points that are close on the page need not be
neighbours.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from bayesfloor import spanning_forest

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 60)
X = rng.normal(size=(120, 2)) + 2 * y[:, None] * [1, 0]
forest = spanning_forest(X, n_trees=3)

# A forest numbers distinct rows; here all rows differ, so each of its vertices is one row.
row = np.argsort(forest.vertex)
ends = np.stack([row[forest.a], row[forest.b]], axis=1)
crossing = y[ends[:, 0]] != y[ends[:, 1]]

_, axes = plt.subplots(1, 3, figsize=(12, 4.6), layout="constrained")
for tree, ax in enumerate(axes):
    for part, color, width in ((~crossing, "silver", 0.6), (crossing, "black", 1.8)):
        ax.add_collection(LineCollection(X[ends[(forest.tree == tree) & part]], colors=color, linewidths=width))
    for label, marker in enumerate("os"):
        ax.scatter(*X[y == label].T, s=20, marker=marker, edgecolors="black", linewidths=0.3, zorder=2)
    share = crossing[forest.tree == tree].mean()
    ax.set(title=f"Tree {tree + 1}: {share:.1%} of the edges join two classes", xticks=[], yticks=[], aspect="equal")
