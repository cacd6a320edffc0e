"""Figures about time: forests and checks."""

from benchmarks._figures import goal_mark, legend_above, mark_line, ours, panels, plain_logs, rows_down, steps, theirs
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
    names = [f"{_KINDS[case.full['kind']]}, {case.full['n']:,} x {case.full['d']}" for case in cases]
    rows_down(left, names, beside=[right])
    left.set(xscale="log", xlabel="CPU seconds of one thread")
    right.set(xscale="log", xlabel="our time / quitefastmst's")
    plain_logs(left.xaxis, [0.1, 1, 10])
    plain_logs(right.xaxis, [0.03, 0.1, 0.3, 1, 3, 10])
    mark_line(right, 1, look)
    legend_above(figure, left, right, columns=2)
    return figure


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
