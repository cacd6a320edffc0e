"""Figures about time and memory: forests, checks, data that do not fit in memory."""

import numpy as np

from benchmarks._figures import (
    goal_mark,
    in_percent,
    legend_above,
    mark_line,
    ours,
    panels,
    plain_logs,
    rows_down,
    steps,
    theirs,
)
from benchmarks._overhead import BARE
from benchmarks._scaled import OVERHEAD, runs_of
from benchmarks._timing import median_ratio
from benchmarks.forest import CASES, measure_trees

_KINDS = {"gaussian": "normal", "clusters": "clusters", "integers": "integers"}


# Forests


def draw_trees(results, look):
    """Plot the seconds of each program, and the ratio to the rival with its goal."""
    cases = [case for case in CASES if case.measure is measure_trees and case.name in results["cases"]]
    cases.sort(key=lambda case: (case.full["kind"] != "gaussian", case.full["d"]))
    figure, (left, right) = panels(6.8, 1.3 + 0.36 * len(cases), 1, 2, sharey=True)
    for place, case in enumerate(cases):
        _draw_set(left, right, place, results["cases"][case.name]["rows"], look)
    rows_down(left, [_name_set(case.full) for case in cases])
    left.set(xscale="log", xlabel="CPU seconds of one thread")
    right.set(xscale="log", xlabel="our time / quitefastmst's")
    plain_logs(left.xaxis, [0.1, 1, 10])
    plain_logs(right.xaxis, [0.03, 0.1, 0.3, 1, 3, 10])
    mark_line(right, 1, look)
    right.tick_params(axis="y", length=0)
    right.spines["left"].set_visible(False)
    legend_above(figure, left, right, columns=2)
    return figure


def _name_set(sizes):
    return f"{_KINDS[sizes['kind']]}, {sizes['n']:,} x {sizes['d']}"


def _draw_set(left, right, place, rows, look):
    peer, bare = rows
    up, _, down = steps(3)
    for at, row, side, kind, label in (
        (up, peer, "ours", ours(look), "bayesfloor, 3 trees"),
        (0, peer, "theirs", theirs(look, 0), "quitefastmst, 1 tree"),
        (down, bare, "theirs", theirs(look, 1), "scikit-learn, neighbours alone"),
    ):
        longer = row[side] * row.get(f"{side}_spread", 0)
        left.errorbar(row[side], place + at, xerr=[[0], [longer]], **kind, label=None if place else label)
    ends = [[peer["figure"] * (1 - 1 / (1 + peer["theirs_spread"]))], [peer["figure"] * peer["ours_spread"]]]
    right.errorbar(peer["figure"], place, xerr=ends, **ours(look))
    right.plot(peer["goal"], place, **goal_mark(look), label=None if place else "goal for the ratio, at most")


def draw_ratios(results, look):
    """Plot the time of a check relative to cross-validating a random forest, by dataset and effort."""
    rows = {name: case["rows"][0] for name, case in results["cases"].items() if name.startswith("warm/")}
    sets = list(dict.fromkeys(name.split("/")[1] for name in rows))
    figure, (axes,) = panels(6.5, 1.2 + 0.36 * len(sets))
    for (effort, kind), at in zip((("quick", theirs(look, 0)), ("normal", ours(look))), steps(2, 0.3), strict=True):
        for name, row in rows.items():
            if name.endswith(effort):
                place = sets.index(name.split("/")[1]) + at
                ends = [[row["figure"] - row["smallest"]], [row["largest"] - row["figure"]]]
                axes.errorbar(row["figure"], place, xerr=ends, **kind, label=f'effort="{effort}"')
                axes.plot(row["goal"], place, **goal_mark(look), label="goal, at most")
    rows_down(axes, [_name_check(name, rows) for name in sets])
    axes.set(xscale="log", xlabel="CPU time of check / cross-validating a random forest")
    plain_logs(axes.xaxis, [0.1, 0.2, 0.5, 1, 2, 5])
    mark_line(axes, 1, look)
    legend_above(figure, axes, columns=3)
    return figure


def _name_check(name, rows):
    row = next(row for key, row in rows.items() if key.split("/")[1] == name)
    n, d = row["measured"].split(", ")[2].split(" x ")
    return f"{name}, {int(n):,} x {d}"


# Data that do not fit in memory


def draw_growth(results, look):
    """Plot wall time and peak memory by number of rows."""
    runs = list(runs_of(results, "bigger").values())
    rows = np.array([run["n"] for run in runs])
    figure, (left, right) = panels(6.8, 3.2, 1, 2)
    seconds = np.array([run["seconds"] for run in runs])
    left.plot(rows, seconds[0] * rows / rows[0], color=look.ink, lw=1, ls=(0, (4, 3)), label="in proportion to rows")
    left.plot(rows, seconds, **{**ours(look), "ls": "-"}, label="measured, 2 workers")
    left.set(xscale="log", yscale="log", xlabel="rows, millions", ylabel="wall seconds")
    plain_logs(left.yaxis, [30, 100, 300])
    peaks = [max(one["peak"] for one in run["worker_memory"]) / 1e9 for run in runs]
    right.plot(rows, peaks, **{**ours(look), "ls": "-"}, label="larger of the two workers")
    right.plot(rows, [run["driver"]["peak"] / 1e9 for run in runs], **theirs(look, 0, ls="--"), label="driver, all")
    own = [run["driver"]["own"] / 1e9 for run in runs]
    right.plot(rows, own, **theirs(look, 1, ls=":"), label="driver, without mapped files")
    mark_line(right, runs[0]["memory"] / 1e9, look, "limit of a worker", down=False)
    right.set(xscale="log", yscale="log", xlabel="rows, millions", ylabel="peak memory, GB")
    plain_logs(right.yaxis, [0.2, 0.5, 1, 2, 3])
    for axes in (left, right):
        plain_logs(axes.xaxis, rows, 1e6)
        axes.grid(axis="y")
    left.legend(loc="lower right")
    right.legend(loc="upper left")
    low, high = right.get_ylim()
    right.set_ylim(low, 2.2 * high)
    return figure


def draw_overhead(results, look):
    """Plot ratios to two bare processes: the median over the rounds, the minimum and the maximum."""
    seconds = results["cases"]["overhead"]["seconds"]
    names = [name for name in seconds if name != BARE]
    figure, (axes,) = panels(6.5, 1.3 + 0.36 * len(names))
    for place, name in enumerate(names):
        middle, least, most = median_ratio(seconds[name], seconds[BARE])
        ends = [[middle - least], [most - middle]]
        axes.errorbar(middle, place, xerr=ends, **ours(look), label=None if place else "median, minimum and maximum")
    places = [names.index(name) for name in OVERHEAD]
    axes.plot(list(OVERHEAD.values()), places, **goal_mark(look), label="goal for the median, at most")
    rows_down(axes, names)
    mark_line(axes, 1, look)
    axes.set(xlabel="wall time relative to two bare processes")
    legend_above(figure, axes, columns=2)
    return figure


def draw_enough(results, look):
    """Plot the intervals of subsamples and the value for all rows."""
    *samples, whole = results["cases"]["enough"]["fits"]
    figure, (axes,) = panels(6.5, 3)
    rows = [fit["rows"] for fit in samples]
    found = [fit["cross_rate"] for fit in samples]
    ends = np.abs(np.array([fit["interval"] for fit in samples]) - np.array(found)[:, None]).T
    axes.errorbar(rows, found, yerr=ends, **ours(look), label="subsample, with 95 % interval")
    axes.axhspan(*whole["interval"], color=look.band, zorder=0, label=f"all {whole['rows']:,} rows, with its interval")
    mark_line(axes, whole["cross_rate"], look, down=False)
    axes.set(xscale="log", xlabel="rows in the subsample", ylabel="cross-class edges")
    in_percent(axes.yaxis)
    plain_logs(axes.xaxis, rows)
    axes.grid(axis="y")
    axes.legend(loc="lower right")
    return figure


def draw_model(results, look):
    """Plot the wall seconds that the cost model predicts against those measured."""
    figure, (axes,) = panels(4.2, 4)
    errors = results["cases"]["derived"]["model"]["errors"]
    for held_out, mark, label in ((False, theirs(look, 0), "fitted"), (True, ours(look), "held out")):
        times = np.array([one["seconds"] for one in errors if one["held_out"] == held_out])
        axes.plot(*times.T, **mark, label=label)
    ends = np.array([0.9, 1.1]) * np.array([axes.dataLim.min.min(), axes.dataLim.max.max()])
    axes.plot(ends, ends, color=look.ink, lw=1, ls=(0, (4, 3)), label="equal")
    axes.set(xscale="log", yscale="log", xlabel="wall seconds, measured", ylabel="wall seconds, model")
    for axis in (axes.xaxis, axes.yaxis):
        plain_logs(axis, [10, 30, 100, 300])
    axes.grid(axis="y")
    axes.legend(loc="upper left")
    return figure
