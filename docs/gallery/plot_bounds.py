"""
Bounds and the truth
====================

Two normal classes in the plane move apart. Their lowest possible error is known: the black line. It lies between the
dashed bounds, which come from 1,000 rows. The estimate is the middle of the bounds, and the band shows how much it
varies from sample to sample.

Do not expect this in many dimensions. There the same number of rows is sparse, and the bounds are too high.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from bayesfloor import spanning_forest
from bayesfloor.formulas import henze_penrose

SIZES = 333, 667
rng, y = np.random.default_rng(0), np.repeat([0, 1], SIZES)


def cross_edges(distance):
    """Count the cross-class edges in the minimum spanning tree of one sample, for this distance between class means."""
    X = rng.normal(size=(len(y), 2)) + np.outer(y, [distance, 0])
    forest = spanning_forest(X, n_trees=1)
    label = np.empty_like(y)
    label[forest.vertex] = y
    return (label[forest.a] != label[forest.b]).sum()


def bayes_error(distance):
    """Return the error of the best rule, which cuts where the two densities times their proportions are equal."""
    first, second = np.array(SIZES) / sum(SIZES)
    cut = distance / 2 + np.log(first / second) / distance
    return first * norm.sf(cut) + second * norm.cdf(cut - distance)


distances, fine = np.linspace(0, 5, 11), np.linspace(0.01, 5, 100)
edges = np.array([[cross_edges(distance) for distance in distances] for _ in range(5)])
bounds, raw = (henze_penrose(edges, *SIZES, bias_correction=corrected) for corrected in (True, False))

_, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
ax.fill_between(
    distances, *np.quantile(bounds.estimate, [0.05, 0.95], axis=0), color="#fdd0a2", label="90 % of estimates"
)
ax.plot(fine, bayes_error(fine), color="#222222", linewidth=2.2, label="true Bayes error")
for values, look, colour, label in (
    (bounds.upper, "v--", "#8c8c8c", "upper bound"),
    (bounds.estimate, "o-", "#a63603", "estimate"),
    (bounds.lower, "^--", "#8c8c8c", "lower bound"),
    (raw.estimate, "x:", "#a63603", "estimate, no bias correction"),
):
    ax.plot(distances, values.mean(axis=0), look, color=colour, markersize=4, label=label)
ax.set(xlabel="distance between class means", ylabel="error", ylim=(0, None))
ax.legend(frameon=False)
