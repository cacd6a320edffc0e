"""Curves of the bounds and of the counts' bias."""

from functools import cache

import numpy as np
from scipy.stats import norm

from bayesfloor import spanning_forest
from bayesfloor.formulas import henze_penrose
from figures.drawing import panels

ROWS = 32_000  # per size, in all samples together; small samples are repeated more often
SIZES = (125, 250, 500, 1000, 2000)


def bounds(ink):
    """Plot lower bound, estimate and upper bound against the fraction of cross-class edges, for equal class sizes."""
    figure, (ax,) = panels(1, width=5.2, height=3.4)
    share = np.linspace(0, 0.6, 301)
    found = henze_penrose(share * 1000, 500, 500)
    ax.fill_between(share, found.lower, found.upper, color=ink.faint, alpha=0.25, linewidth=0)
    for values, style, name, at, place, side in (
        (found.upper, "-", "upper bound", 0.3, (0.27, 0.36), "right"),
        (found.estimate, "--", "HP-estimate", 0.3, (0.36, 0.2), "left"),
        (found.lower, "-.", "lower bound", 0.2, (0.27, 0.08), "left"),
    ):
        ax.plot(share, values, style, color=ink.ink)
        line = {"arrowstyle": "-", "color": ink.faint}
        ax.annotate(name, (at, np.interp(at, share, values)), place, ha=side, va="center", arrowprops=line)
    ax.set(xlabel="R / n, cross-class edges per row", ylabel="Bayes error", xlim=(0, 0.6), ylim=(0, 0.55))
    ax.xaxis.set_major_formatter(in_percent)
    ax.yaxis.set_major_formatter(in_percent)
    return figure


def in_percent(value, _):
    """Return the text of a tick."""
    return f"{100 * value:.6g} %"


def falling(ink):
    """Plot the fraction of cross-class edges of two Gaussians against the number of rows, in 2, 5 and 10 dimensions."""
    figure, (ax,) = panels(1, width=5.6, height=3.6)
    for d, marker, color, below in zip((2, 5, 10), "os^", ink.theirs, (-8, 0, 0), strict=False):
        mean, error = np.array([mean_rate(n, d) for n in SIZES]).T
        ax.errorbar(SIZES, mean, 1.96 * error, color=color, marker=marker, capsize=3)
        ax.annotate(f"d = {d}", (SIZES[-1], mean[-1]), (8, below), textcoords="offset points", va="center", color=color)
    ax.axhline(true_limit(), color=ink.ink, linestyle="--", linewidth=1)
    ax.annotate("limit for all three", (SIZES[0], true_limit()), (0, -26), textcoords="offset points")
    ax.axhline(0.15, color=ink.ink, linestyle=":", linewidth=1)
    ax.annotate("Bayes error", (SIZES[0], 0.15), (0, 4), textcoords="offset points")
    ax.set(xscale="log", xlabel="rows", ylabel="cross-class edges", xlim=(None, 1.4 * SIZES[-1]), ylim=(0.13, 0.31))
    ax.yaxis.set_major_formatter(in_percent)
    ax.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
    ax.minorticks_off()
    return figure


@cache
def mean_rate(n, d):
    """Return the mean of G over samples of n rows, and its standard error."""
    rates = [cross_rate(n, d, seed) for seed in range(ROWS // n)]
    return np.mean(rates), np.std(rates, ddof=1) / np.sqrt(len(rates))


def cross_rate(n, d, seed):
    """Return G for two Gaussians with a Bayes error of 0.15."""
    rng = np.random.default_rng([seed, n, d])
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(len(y), d))
    X[:, 0] += 2 * norm.isf(0.15) * y
    forest = spanning_forest(X, n_trees=1)
    code = np.empty(len(y), dtype=int)
    code[forest.vertex] = y
    return np.mean(code[forest.a] != code[forest.b])


def true_limit():
    """Return E[2 eta (1 - eta)], integrated along the axis on which the two classes differ."""
    x = np.linspace(-8, 8, 20_001)
    half = norm.isf(0.15)
    one, two = norm.pdf(x + half), norm.pdf(x - half)
    return np.trapezoid(one * two / (one + two), x)


PICTURES = (bounds, falling)
