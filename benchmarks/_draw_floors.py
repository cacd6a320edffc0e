"""Figures about calibration."""

import numpy as np

from benchmarks import calibration
from benchmarks._figures import TWO_SIDED, in_percent, legend_above, mark_line, ours, panels, rows_down, theirs

_COVERED = {
    "interval covers the mean": "interval covers\nthe mean at\nthis number of rows",
    "interval covers the limit": "the same interval\ncovers the limit\nof many rows",
    "limit_interval covers the limit": "limit_interval\ncovers the limit\nof many rows",
}


def draw_coverage(results, look):
    """Plot the fractions of intervals that cover, with two standard errors to each side."""
    found = list(calibration.by_form(results))
    settings = list(dict.fromkeys(name for name, _, _ in found))
    figure, axes = panels(7, 4.6, 1, 3, sharey=True, sharex=True)
    for one, (key, title) in zip(axes, _COVERED.items(), strict=True):
        for name, form, rows in found:
            at = settings.index(name) + (-0.17 if form == "subsample" else 0.17)
            kind = ours(look) if form == "subsample" else theirs(look, 0)
            share, half = rows[key]["figure"], TWO_SIDED * rows[key]["error"]
            ends = [[half], [min(half, 1 - share)]]
            label = f'interval="{form}"' if name == settings[0] else None
            one.errorbar(share, at, xerr=ends, **kind, label=label)
        mark_line(one, 0.95, look)
        one.set(title=title, xlabel="of 400 samples")
        one.locator_params(axis="x", nbins=3)
        in_percent(one.xaxis)
    rows_down(axes[0], [_setting(name) for name in settings], beside=axes[1:])
    legend_above(figure, axes[0], columns=2)
    return figure


def _setting(name):
    parts = dict(part.split("=") for part in name.split(","))
    return f"d = {parts['d']}, n = {int(parts['n']):,}, error {parts['error']}"


def draw_bias(results, look):
    """Plot the paper's figure of the bias correction: without it and with it."""
    cells = [case for name, case in results["cases"].items() if name.startswith("paper-bias")]
    figure, axes = panels(7, 3.8, 1, 2, sharey=True)
    for one, (kind, title) in zip(axes, {"raw": "without", "corrected": "with"}.items(), strict=True):
        for number, cell in enumerate(cells):
            _draw_curves(one, cell, kind, number, look)
        one.set(title=f"{title} bias correction", xlabel="distance between the means", ylabel="error")
        in_percent(one.yaxis)
        one.grid(axis="y")
    legend_above(figure, axes[0], columns=2)
    return figure


def _draw_curves(axes, cell, kind, number, look):
    curve, share = cell["curve"], f"smaller class {cell['p']:.2g}"
    line = {"color": look.theirs[number], "lw": 1.5}
    truth, bound = (("-", "-."), ("--", ":"))[number]
    axes.plot(curve["gap"], curve["truth"], ls=truth, **line, label=f"Bayes error, {share}")
    axes.plot(curve["gap"], curve["bhattacharyya"], ls=bound, **line, label=f"Bhattacharyya bound, {share}")
    error = TWO_SIDED * np.array(curve[f"{kind}_error"])
    mark = theirs(look, number, ms=4, capsize=0)
    axes.errorbar(curve["gap"], curve[kind], error, **mark, label=f"HP-estimate, {share}")


def draw_trees(results, look):
    """Plot the paper's figure of the variance with one to ten orthogonal trees."""
    cell = results["cases"]["paper-trees"]
    figure, (axes,) = panels(6.5, 3.8)
    for n_trees, variance in enumerate(cell["variance"], start=1):
        kind = {1: theirs(look, 0, ls="-"), 3: {**ours(look), "ls": "-"}}.get(n_trees, {"color": look.faint, "lw": 1.2})
        label = {1: "1 tree", 2: "2 and 4 to 10 trees", 3: "3 trees (the default)"}.get(n_trees)
        axes.plot(cell["gap"], variance, **kind, label=label)
    axes.set(xlabel="distance between the means", ylabel="variance of the HP-estimate", ylim=(0, None))
    axes.grid(axis="y")
    axes.legend()
    return figure
