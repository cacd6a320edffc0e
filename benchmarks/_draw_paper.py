"""The paper's figures, reproduced: pairs of digits, classes of chess, ranks of classifiers."""

import numpy as np

from bayesfloor.plotting._display import MAP
from benchmarks import _paper_chess, _paper_mnist, _paper_tables
from benchmarks._figures import legend_above, ours, panels, rows_down, theirs
from benchmarks._paper_tables import LEVEL, cells_of, critical_difference, friedman_p, joined, mean_ranks


def draw_digits(results, look):
    """Plot the floors of pairs of digits next to the confusions of a kernel SVM."""
    cases = cells_of(results, "mnist")
    floors, errors = 100 * np.array(cases["floors"]["estimate"]), _paper_mnist.pair_errors(cases["machine"])
    figure, (left, right) = panels(10, 4.4, 1, 2)
    counts = [f"{cases[name]['rows']:,}" for name in _paper_mnist.CELLS]
    _draw_matrix(left, floors, f"{counts[0]} training images: floors", "floor of the pair, %", ".1f", look)
    _draw_matrix(right, errors, f"{counts[1]} test images: an RBF SVM", "images confused", ".0f", look)
    return figure


def _draw_matrix(axes, values, title, label, form, look):
    """Plot pairs as squares, darker for harder ones, with their figures."""
    matrix = np.full((10, 10), np.nan)
    matrix[_paper_mnist.PAIRS] = matrix[_paper_mnist.PAIRS[::-1]] = values
    picture = axes.imshow(matrix, cmap=MAP, vmin=0)
    for i, j in zip(*np.nonzero(~np.isnan(matrix)), strict=True):
        shade = "white" if matrix[i, j] > 0.5 * values.max() else "black"
        axes.text(j, i, f"{matrix[i, j]:{form}}", ha="center", va="center", fontsize=6.5, color=shade)
    axes.set(xticks=range(10), yticks=range(10), xlabel="digit", ylabel="digit", title=title)
    axes.set_facecolor(look.band)
    axes.grid(visible=False)
    axes.figure.colorbar(picture, ax=axes, label=label, shrink=0.85)


def draw_pairs(results, look):
    """Plot confusions against floors, pair by pair."""
    cases = cells_of(results, "mnist")
    low, middle, high = (100 * np.array(cases["floors"][name]) for name in ("lower", "estimate", "upper"))
    errors = _paper_mnist.pair_errors(cases["machine"])
    figure, (axes,) = panels(6, 4.4)
    axes.errorbar(middle, errors, np.sqrt(errors), [middle - low, high - middle], **theirs(look, 0, lw=0.8))
    for place in {*np.argsort(middle)[-5:], *np.argsort(errors)[-5:]}:
        pair = f"{_paper_mnist.PAIRS[0][place]}-{_paper_mnist.PAIRS[1][place]}"
        axes.annotate(pair, (middle[place], errors[place]), (5, 5), textcoords="offset points")
    axes.set(xlabel="floor of the pair and its bounds, %", ylabel="test images confused, ± square root")
    axes.set_title(f"All 45 pairs of digits, rank correlation {_paper_mnist.agreement(cases):.2f}", loc="left")
    axes.grid(axis="y")
    return figure


_MARKS = {
    "paper": "the paper's floor",
    "ours": "the library's floor",
    "linear": "test rate of a linear SVM",
    "kernel": "test rate of a kernel SVM",
}


def draw_chess(results, look):
    """Plot floors and confusion rates of the classes of kr-vs-k with their proportions; bars span the splits."""
    cases = cells_of(results, "chess")
    figure, (axes,) = panels(7.5, 5.8)
    shares = 100 * _paper_chess.by_split(cases, "shares").mean(axis=0)
    axes.barh(range(len(shares)), shares, color=look.band, height=0.8, zorder=0, label="proportion of the class")
    for number, (name, label) in enumerate(_MARKS.items()):
        values = 100 * _paper_chess.by_split(cases, name)
        mean = values.mean(axis=0)
        kind = theirs(look, number - 1) if number else ours(look)
        reach = np.maximum([mean - values.min(axis=0), values.max(axis=0) - mean], 0)  # rounding
        axes.errorbar(mean, np.arange(len(mean)) + 0.18 * (number - 1.5), xerr=reach, **kind, label=label)
    rows_down(axes, _paper_chess.CLASSES)
    axes.set(xlabel="% of all rows, mean and range of 3 splits", ylabel="class: moves until white wins")
    legend_above(figure, axes, columns=3)
    return figure


def draw_ranks(results, look):
    """Plot mean ranks on the paper's datasets and recipes; bars join methods that do not differ significantly."""
    parts = [(text, *_paper_tables.ranked(results, measured)) for measured, text in _paper_tables.RANKED.items()]
    figure, axes = panels(6.6, sum(1.2 + 0.3 * len(names) for _, names, _ in parts), len(parts), 1)
    for one, (what, names, table) in zip(axes, parts, strict=True):
        _draw_rank(one, names, table, look)
        p = friedman_p(table)
        one.set_title(f"Ranks by {what}, {len(table)} datasets (Friedman's p = {p:.1g})", loc="left")
    return figure


def _draw_rank(axes, names, table, look):
    ranks, difference = mean_ranks(table), critical_difference(len(names), len(table))
    order = np.argsort(ranks, kind="stable")
    for row, place in enumerate(order):
        mine = names[place] == "SmartSVM"
        axes.plot([0.8, ranks[place]], [row, row], color=look.faint, lw=1, zorder=1)
        axes.plot(ranks[place], row, **(ours(look) if mine else theirs(look, 0)))
    rows_down(axes, [f"{names[place]} ({ranks[place]:.1f})" for place in order])
    bar = {"color": look.ink, "lw": 3, "solid_capstyle": "butt"}
    at = len(names) + 0.25
    for first, last in joined(ranks[order], difference):
        axes.plot([at, at], [first - 0.2, last + 0.2], **bar)
        at += 0.12
    axes.plot([1, 1 + difference], [-0.9, -0.9], **bar)
    axes.text(1.1 + difference, -0.9, f"critical difference {difference:.2f}, level {LEVEL}", va="center")
    axes.set(xlabel="mean rank, 1 is best", xlim=(0.8, at))
    axes.set_ylim(len(names) - 0.4, -1.4)


def draw_distances(results, look):
    """Plot our indices minus the paper's, by dataset, for the tree and for one-vs-one."""
    cases = [case for case in _paper_tables.PAPER_CASES if case[0] not in _paper_tables.LEAKS]
    figure, (axes,) = panels(7, 4.8)
    near = _paper_tables.NEAR
    axes.axvspan(-near, near, color=look.band, zorder=0, label="within .02")
    kinds = {"smart_min_cut": ours(look), "ovo": theirs(look, 0), "ovr": theirs(look, 1)}
    for number, (name, kind) in enumerate(kinds.items()):
        found = [_paper_tables.distances(results, case, name) for case in cases]
        at = np.arange(len(cases)) + 0.2 * (number - 1)
        spread = [np.std(one, ddof=1) if len(one) > 1 else 0 for one in found]
        axes.errorbar([np.mean(one) for one in found], at, xerr=spread, **kind, label=_paper_tables.METHODS[name])
    rows_down(axes, [name for name, _ in cases])
    axes.set(xlabel="adjusted Rand index here - in the paper, mean and standard deviation of the splits")
    legend_above(figure, axes, columns=4)
    return figure
