"""Figures about decisions before training."""

from benchmarks import _sel_noise, _sel_splits
from benchmarks._figures import in_percent, mark_line, ours, panels, rows_down, wilson
from benchmarks.selection import cells_of


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
