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

from bayesfloor import spanning_forest
from bayesfloor.plotting import ForestDisplay

rng = np.random.default_rng(0)
y = np.repeat(["left", "right"], 60)
X = rng.normal(size=(120, 2)) + np.where(y == "right", 2, 0)[:, None]
forest = spanning_forest(X, n_trees=3)

_, axes = plt.subplots(1, 3, figsize=(12, 4.6), layout="constrained")
displays = [ForestDisplay.from_results(forest, X, y, tree=tree, ax=ax) for tree, ax in enumerate(axes)]
