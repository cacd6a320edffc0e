"""Figures about classifiers and decisions before training."""

import numpy as np

from benchmarks import _compared as compared
from benchmarks import _sel_noise, _sel_representations, _sel_splits
from benchmarks._figures import (
    in_percent,
    legend_above,
    mark_line,
    ours,
    panels,
    plain_logs,
    rows_down,
    steps,
    theirs,
    wilson,
)
from benchmarks._ranks import LEVEL, critical_difference, friedman_p, joined, mean_ranks
from benchmarks.selection import cells_of

_SHOWN = {
    "floor_guided": "FloorGuidedClassifier (ours)",
    "ovo": "one-vs-one, linear",
    "rbf": "RBF SVM",
    "boosting": "boosted trees",
}


# Classifiers


def draw_scores(results, look):
    """Plot the adjusted Rand index of the guided tree and its rivals, by dataset."""
    figure, (axes,) = _by_dataset(
        results, look, {"ari": "adjusted Rand index: mean, minimum and maximum over the splits"}, 6.5
    )
    axes.set_xlim(None, 1.01)
    return figure


def draw_seconds(results, look):
    """Plot the times of fitting and predicting, by dataset."""
    fields = {"seconds": "search and fit, CPU seconds", "predict_seconds": "predictions, CPU seconds"}
    figure, axes = _by_dataset(results, look, fields, 6.8)
    for one in axes:
        one.set_xscale("log")
    plain_logs(axes[0].xaxis, [1, 10, 100])
    plain_logs(axes[1].xaxis, [0.001, 0.01, 0.1, 1, 10])
    return figure


def _by_dataset(results, look, fields, width):
    cases = compared.BEST_CASES
    figure, axes = panels(width, 5.8, 1, len(fields), sharey=True)
    for one, (field, label) in zip(axes, fields.items(), strict=True):
        for number, (name, text) in enumerate(_SHOWN.items()):
            kind = theirs(look, number - 1) if number else ours(look)
            at = np.arange(len(cases)) + steps(len(_SHOWN), 0.6)[number]
            means, ends = _means(results, cases, name, field)
            one.errorbar(means, at, xerr=ends, **kind, label=text)
        one.set(xlabel=label)
        one.tick_params(axis="y", length=0)
        one.spines["left"].set_visible(False)
    rows_down(axes[0], [name if recipe == "paper" else f"{name} ({recipe})" for name, recipe in cases])
    legend_above(figure, axes[0], columns=2)
    return figure, axes


def _means(results, cases, name, field):
    found = [list(compared.by_split(results, case, name, field).values()) or [np.nan] for case in cases]
    means = [np.mean(values) for values in found]
    ends = [(mean - min(values), max(values) - mean) for mean, values in zip(means, found, strict=True)]
    return means, np.transpose(ends)


def draw_ranks(results, look):
    """Plot mean ranks by index and by time; bars join methods that do not differ significantly."""
    parts = [("adjusted Rand index", *compared.rank_table(results, "ari", -1))]
    parts.append(("time of search and fit", *compared.rank_table(results, "seconds", 1)))
    return draw_rank_parts(parts, look)


def draw_rank_parts(parts, look):
    """Plot one panel per part: what the ranks measure, the methods, and their costs with one dataset per row."""
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
        mine = names[place].lower().startswith(("smart", "floor"))
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


# Decisions before training


_REPRESENTATIONS = ("raw", "standard", "nystroem", "lda", "random", "pca, few", "pca, some", "pca, many")


def draw_representations(results, look):
    """Plot the cross-class edges of representations against the errors of tuned classifiers on them."""
    sets = list(_sel_representations.points_of(cells_of(results, "representations")))
    figure, axes = panels(6.8, 6.6, 2, 2)
    for one, (name, points) in zip(axes, sets, strict=False):
        _draw_points(one, points, look)
        one.set(title=name, xscale="log", yscale="log", xlabel="cross-class edges, predicted")
        one.set_ylabel("error of the best tuned classifier")
        one.grid(axis="y")
        low, high = np.sort([*one.get_xlim(), *one.get_ylim()])[[0, -1]]
        one.plot([low, high], [low, high], color=look.ink, lw=1, ls=(0, (4, 3)), zorder=1, label="equal")
        one.set(xlim=(low, high), ylim=(low, high))
        for axis in (one.xaxis, one.yaxis):
            plain_logs(axis, [tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if low < tick < high])
    legend_above(figure, axes[0], columns=5)
    return figure


def _draw_points(axes, points, look):
    sizes = sorted((int(row["representation"][4:]) for row, _ in points if row["representation"].startswith("pca-")))
    ranks = {f"pca-{size}": f"pca, {word}" for size, word in zip(sizes, ("few", "some", "many"), strict=True)}
    for row, error in points:
        name = ranks.get(row["representation"], row["representation"].partition("-")[0])
        number = _REPRESENTATIONS.index(name)
        axes.errorbar(row["predicted"], error, **theirs(look, number), label=name)


def draw_noise(results, look):
    """Plot how often something is declared when there is nothing to find."""
    splits = cells_of(results, "splits")
    found = [(f"noise labels: {kind}", *counts) for kind, *counts in _sel_noise.counts_of(cells_of(results, "noise"))]
    for name in [name for name in _sel_splits.CLEAN if name in splits]:
        n = len(splits[name]["word"])
        found.append(
            (f"{name.replace('clean', 'clean split:')}", n, round(_sel_splits.declared_share(splits[name]) * n))
        )
    figure, (axes,) = panels(6.6, 1 + 0.28 * len(found))
    for place, (_, trials, declared) in enumerate(found):
        share, ends = wilson(declared, trials)
        axes.errorbar(share, place, xerr=ends, **ours(look))
    rows_down(axes, [name for name, _, _ in found])
    mark_line(axes, _sel_splits.LEVEL, look)
    axes.set(xlabel="trials of 200 in which something is declared better, 95 % interval", xlim=(-0.002, None))
    in_percent(axes.xaxis)
    return figure
