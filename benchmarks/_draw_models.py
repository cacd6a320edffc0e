"""Figures about decisions before training."""

import numpy as np

from benchmarks import _sel_noise, _sel_representations, _sel_splits
from benchmarks._figures import in_percent, legend_above, mark_line, ours, panels, plain_logs, rows_down, theirs, wilson
from benchmarks.selection import cells_of

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
