"""Figures about estimates: known Bayes errors, calibration, flipped labels."""

import numpy as np

from benchmarks import answers, calibration, labels
from benchmarks._figures import (
    TWO_SIDED,
    goal_mark,
    in_percent,
    legend_above,
    mark_line,
    ours,
    panels,
    rows_down,
    steps,
    theirs,
    wilson,
)
from benchmarks._rivals import RIVALS
from benchmarks.known_floor import all_cells, bounds_held, errors_of, largest_cells, lower_end, mean_of, our_methods

# Known Bayes errors


def draw_methods(results, look):
    """Plot bias, absolute error by number of rows, and how often the bounds contain the truth, by method."""
    cells = list(all_cells(results))
    methods, our = list(cells[0]["methods"]), our_methods(cells)
    figure, (bias, size, held) = panels(7, 4.3, 1, 3, sharey=True)
    for place, name in enumerate(methods):
        errors, kind = errors_of(cells, name), ours(look) if name in our else theirs(look, 0)
        bias.errorbar(errors.mean(), place, xerr=errors.std(ddof=1), **kind)
    _draw_sizes(size, cells, methods, look)
    for name, found in bounds_held(results).items():
        share, ends = wilson(found["held"].sum(), len(found["held"]))
        kind = ours(look) if name in our else theirs(look, 0)
        held.errorbar(share, methods.index(name), xerr=ends, **kind)
    rows_down(bias, [f"{name} (ours)" if name in our else name for name in methods], beside=(size, held))
    mark_line(bias, 0, look)
    bias.set(xlabel="estimate - Bayes error,\nmean and s.d.")
    size.set(xlabel="mean absolute error", xlim=(0, None))
    held.set(xlabel="truth between\nthe bounds", xlim=(0, 1.04))
    for axes in (bias, size, held):
        axes.locator_params(axis="x", nbins=3)
    in_percent(bias.xaxis, size.xaxis, held.xaxis)
    legend_above(figure, size, columns=3)
    return figure


def _draw_sizes(axes, cells, methods, look):
    sizes = sorted({cell["n"] for cell in cells})
    for number, n in enumerate(sizes):
        some = [cell for cell in cells if cell["n"] == n]
        errors = [np.abs(errors_of(some, name)).mean() for name in methods]
        axes.plot(errors, range(len(methods)), **theirs(look, number), label=f"{n:,} rows")


def draw_designs(results, look):
    """Plot one row per design at its largest size: the truth, our bounds and all estimates."""
    rows = largest_cells(results)
    figure, (axes,) = panels(6.8, 1.2 + 0.27 * len(rows))
    for place, cells in enumerate(rows.values()):
        _draw_design(axes, place, cells, look)
    rows_down(axes, [f"{name}, {cells[0]['n']:,}" for name, cells in rows.items()], size=8)
    axes.set(xlabel="error", xlim=(0, None))
    in_percent(axes.xaxis)
    legend_above(figure, axes, columns=4)
    return figure


def _draw_design(axes, place, cells, look):
    def label(text):
        return None if place else text

    truth = {**goal_mark(look), "ms": 11}
    axes.plot(cells[0]["truth"], place, **truth, zorder=2, label=label("Bayes error"))
    our = our_methods(cells)[-1]
    ends = [mean_of(cells, our, side) for side in ("lower", "upper")]
    axes.plot(ends, [place, place], color=look.ours, lw=5, alpha=0.35, label=label(f"{our} (ours), range"))
    axes.plot(mean_of(cells, our, "estimate"), place, **ours(look), label=label(f"{our} (ours), estimate"))
    for number, name in enumerate(RIVALS):
        axes.plot(mean_of(cells, name, "estimate"), place, **theirs(look, number, ms=4.5), label=label(name))


# Real data


def draw_answers(results, look):
    """Plot one row per dataset: the answer's range and estimate, the best tuned rival and the previous estimate."""
    cases = results["cases"]
    names = [name for name in answers.DATASETS if f"answer/{name}" in cases]
    figure, (axes,) = panels(6.8, 1.2 + 0.27 * len(names))
    for place, name in enumerate(names):
        _draw_answer(axes, place, cases[f"answer/{name}"], look)
        rivals = answers.rivals_of(results, name)
        marks = {"best tuned rival": min(rivals.values(), default=None)}
        marks["estimate of the method used before"] = cases.get(f"before/{name}", {}).get("estimate")
        for number, (what, error) in enumerate(marks.items()):
            if error is not None:
                axes.plot(error, place, **theirs(look, number, ms=4.5), label=None if place else what)
    rows_down(axes, [f"{name}, {cases[f'answer/{name}']['shape'][0]:,}" for name in names], size=8)
    axes.set(xlabel="error", xlim=(0, None))
    in_percent(axes.xaxis)
    legend_above(figure, axes, columns=2)
    return figure


def _draw_answer(axes, place, answer, look):
    labels = (None, None) if place else ("range (from 0 without a lower end)", "best estimate")
    ends = [lower_end(answer), answer["upper"]]
    axes.plot(ends, [place, place], color=look.ours, lw=5, alpha=0.35, label=labels[0])
    axes.plot(answer["estimate"], place, **ours(look), label=labels[1])


# Calibration


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


# Flipped labels


def draw_labels(results, look):
    """Plot ranking, time and lists, compared with cleanlab, by dataset."""
    sets = labels.by_dataset(results)
    figure, (ranking, times, lists) = panels(7, 3.6, 1, 3, sharey=True)
    for place, cells in enumerate(sets.values()):
        _draw_ranked(ranking, times, place, cells, look)
        _draw_lists(lists, place, cells, look)
    rows_down(ranking, list(sets), beside=(times, lists))
    ranking.locator_params(axis="x", nbins=3)
    mark_line(times, 1, look)
    mark_line(lists, labels.DECLARED, look)
    ranking.set(xlabel="AUC of the ranking,\nmean, least and most")
    times.set(xlabel="our CPU time /\ncleanlab's", xlim=(0, None))
    lists.set(xlabel="false fraction of the list,\ntwo s.e. to each side", xlim=(0, None))
    in_percent(lists.xaxis)
    legend_above(figure, ranking, times, columns=2)
    return figure


def _draw_ranked(ranking, times, place, cells, look):
    found = labels.summarize(cells)
    theirs_auc = [cell["cleanlab"][found["best"]]["auc"] for cell in cells]
    for at, values, kind, label in (
        (-0.15, [cell["ours"]["auc"] for cell in cells], ours(look), "bayesfloor"),
        (0.15, theirs_auc, theirs(look, 0), "cleanlab, best of four settings"),
    ):
        middle = np.mean(values)
        ends = [[middle - min(values)], [max(values) - middle]]
        ranking.errorbar(middle, place + at, xerr=ends, **kind, label=None if place else label)
    our, best, both = found["seconds"]
    times.plot(our / best, place, **theirs(look, 1), label=None if place else "to cleanlab's best model")
    times.plot(our / both, place, **theirs(look, 2), label=None if place else "to both of its models")


def _draw_lists(axes, place, cells, look):
    for at, cell in zip(steps(len(cells), 0.4), cells, strict=True):
        one = cell["list"]
        axes.errorbar(one["false"], place + at, xerr=2 * one["error"], **ours(look, ms=4))
