"""
Bounds and the truth
====================

Two normal classes in the plane move apart. Their lowest possible error is known: the dark line. It lies between the
dashed bounds, which come from 1,000 rows. The estimate is the middle of the bounds, and the band shows how much it
varies from sample to sample.

Do not expect this in many dimensions. There the same number of rows is sparse, and the bounds are too high.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
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

_, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.fill_between(distances, *np.quantile(bounds.estimate, [0.05, 0.95], axis=0), color="#fbd9bc")
ax.plot(fine, bayes_error(fine), color="#24292f", linewidth=2.2)
for values, look, colour in (
    (bounds.upper, "v--", "#4f5b66"),
    (bounds.estimate, "o-", "#b63b00"),
    (bounds.lower, "^--", "#4f5b66"),
    (raw.estimate, "x:", "#b63b00"),
):
    ax.plot(distances, values.mean(axis=0), look, color=colour, markersize=4)
line = {"arrowstyle": "-", "color": "#c5cbd1"}
for text, at, place, colour in (
    ("upper bound", (1.5, 0.29), (1.9, 0.32), "#4f5b66"),
    ("estimate, no bias correction", (0.25, 0.38), (0.6, 0.39), "#b63b00"),
    ("estimate, with the band of 90 % of samples", (2.0, 0.165), (2.5, 0.23), "#b63b00"),
    ("lower bound", (1.0, 0.225), (0.2, 0.17), "#4f5b66"),
    ("true Bayes error", (2.6, bayes_error(2.6)), (3.2, 0.15), "#24292f"),
):
    ax.annotate(text, at, place, color=colour, size=9, va="center", arrowprops=line)
ax.set(xlabel="distance between class means", ylabel="error", ylim=(0, None))
ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
ax.spines[["top", "right"]].set_visible(False)
