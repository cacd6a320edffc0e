"""How close the estimates come to a known Bayes error, ours and those of rival methods.

All methods get the same standardised rows. Ours then picks its own scale, as it does by default, which the
others cannot: for two classes ``floor`` and ``hp-3`` are the same formula and differ only in this.
"""

import math
import zlib
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import beta
from threadpoolctl import threadpool_limits

from bayesfloor import BayesFloor
from bayesfloor.summary._verdict import reason_text
from benchmarks._command import FOLDER, JOBS, run_command
from benchmarks._data import SEED
from benchmarks._known import DESIGNS
from benchmarks._results import Goal, plain, print_tables
from benchmarks._rivals import RIVALS, cover_hart_lower, cross_edges, standardise
from benchmarks._timing import seconds_of

RESULTS = FOLDER / "known_floor.json"
SEEDS = {500: 6, 2000: 4, 10_000: 1}  # repetitions by number of rows
QUICK_SEEDS = {300: 1, 600: 1}
QUICK_DESIGNS = ("gauss-0.15-d2", "gauss-0.15-d10", "many-k3-d2", "points-d3")
LIMIT_ROWS, LIMIT_TRIALS, LEVEL = 500, 200, 0.95
MARGIN = 0.03  # distance of a target accuracy from the best possible one, on either side
ENDS = ("lower", "estimate", "upper")
REACHABLE, OUT_OF_REACH = "reachable", "out of reach"
YES, NO = (REACHABLE, "likely"), (OUT_OF_REACH, "unlikely")  # all other verdicts decide nothing
RELIABILITIES = ("good", "limited", "upper limit only")
DIMENSIONS = {"d <= 2": (0, 2), "d 3-5": (3, 5), "d 6-10": (6, 10), "d > 10": (11, 10**9)}


# One cell: a design, a number of rows and a seed.


def draw_sample(name, n, seed):
    """Sample standardised rows and codes; each design has its own random numbers, so that errors are independent."""
    X, codes = DESIGNS[name].draw(n, np.random.default_rng([SEED, zlib.crc32(name.encode()), n, seed]))
    return standardise(X), codes


def run_rivals(X, codes, seed):
    found = {}
    for name in RIVALS:
        seconds, guess = seconds_of(lambda name=name: RIVALS[name](X, codes, np.random.default_rng(seed)))
        known = {field: plain(value) for field, value in guess._asdict().items() if value is not None}
        found[name] = known | {"seconds": plain(seconds)}
    return found


def run_ours(X, codes, seed):
    """Return the answer and the tree bounds, with their CPU seconds."""
    fitting, floor = seconds_of(lambda: BayesFloor(n_jobs=1, random_state=seed).fit(X, codes))
    learning, answer = seconds_of(floor.answer)
    trees = {name: plain(getattr(floor.overall_, name)) for name in (*ENDS, "cross_rate", "std_error")}
    # Ours picks its own scale on top of the common one; record which.
    limit = {"limit": plain(floor.overall_.upper_limit(level=LEVEL)), "scale": floor.fitted_.scale}
    return answer, {
        "floor": trees | limit | {"seconds": plain(fitting)},
        "answer": told_by(answer) | {"seconds": plain(fitting + learning)},
    }


def told_by(answer):
    """Return an answer for the file, with None for a missing lower end."""
    return {
        **{name: None if math.isnan(getattr(answer, name)) else plain(getattr(answer, name)) for name in ENDS},
        "reliability": answer.reliability,
        "reasons": [reason_text(reason) for reason in answer.reasons],
        "best": answer.best,
        "errors": {name: plain(error) for name, error in answer.errors.items()},
    }


def lower_end(one):
    """Return the lower end of a range, 0 if it has none."""
    return 0.0 if one["lower"] is None else one["lower"]


def run_cell(name, n, seed):
    X, codes = draw_sample(name, n, seed)
    with threadpool_limits(limits=1):
        rivals = run_rivals(X, codes, seed)
        answer, ours = run_ours(X, codes, seed)
        # One target can be met, the other cannot.
        best = 1 - DESIGNS[name].bayes_error
        verdicts = {REACHABLE: answer.verdict(best - MARGIN), OUT_OF_REACH: answer.verdict(best + MARGIN)}
    return {"seed": seed, "methods": rivals | ours, "verdicts": verdicts}


def run_limits(name):
    """Return the fraction of samples whose upper confidence limit from the first tree covers the truth."""
    crossing = np.array([cross_edges(*draw_sample(name, LIMIT_ROWS, trial), 1) for trial in range(LIMIT_TRIALS)])
    limits = beta.ppf(LEVEL, crossing + 1, LIMIT_ROWS - 1 - crossing)
    return {"coverage": float(np.mean(DESIGNS[name].bayes_error <= limits))}


def run_cases(names, seeds, file, jobs):
    with Parallel(n_jobs=jobs) as parallel:
        for n, name in product(seeds, names):
            if f"{name}/{n}" not in file.results["cases"]:
                cells = parallel(delayed(run_cell)(name, n, seed) for seed in range(seeds[n]))
                file.add(f"{name}/{n}", {"truth": plain(DESIGNS[name].bayes_error), "cells": cells})
                seconds = sum(
                    one["seconds"] for cell in cells for method, one in cell["methods"].items() if method != "floor"
                )
                print(f"{name}/{n}: {seconds:.1f} s", flush=True)


def run_all_limits(names, file, jobs):
    missing = [name for name in names if f"limits/{name}" not in file.results["cases"]]
    for name, found in zip(missing, Parallel(n_jobs=jobs)(delayed(run_limits)(name) for name in missing), strict=True):
        file.add(f"limits/{name}", found)


# Combined results.


def all_cells(results):
    for key, case in results["cases"].items():
        name, _, n = key.rpartition("/")
        if name in DESIGNS:
            yield from (
                {**cell, "design": DESIGNS[name], "n": int(n), "truth": case["truth"]} for cell in case["cells"]
            )


def our_methods(cells):
    """Return the methods that are not rivals, ours last."""
    return [name for name in cells[0]["methods"] if name not in RIVALS]


def errors_of(cells, method):
    return np.array([cell["methods"][method]["estimate"] - cell["truth"] for cell in cells])


def describe_errors(cells, method):
    errors = errors_of(cells, method)
    seconds = np.mean([cell["methods"][method]["seconds"] for cell in cells])
    figures = {"mae": np.abs(errors).mean(), "bias": errors.mean(), "max": np.abs(errors).max(), "seconds": seconds}
    return {key: plain(value) for key, value in figures.items()}


def groups_of(cells):
    """Group the cells: all, by dimension and by number of rows; without empty groups."""
    groups = {"all": cells}
    for label, (least, most) in DIMENSIONS.items():
        groups[label] = [cell for cell in cells if least <= cell["design"].d <= most]
    for n in sorted({cell["n"] for cell in cells}):
        groups[f"n = {n}"] = [cell for cell in cells if cell["n"] == n]
    return {label: members for label, members in groups.items() if members}


def error_table(cells):
    methods = list(cells[0]["methods"])
    return {
        label: {method: describe_errors(members, method) for method in methods}
        for label, members in groups_of(cells).items()
    }


def share(flags):
    flags = list(flags)
    return (float(np.mean(flags)) if flags else None), len(flags)


def goal_row(measured, figure, count, goal, *, at_least):
    """Return a figure with its goal; the outcome is open if nothing was counted."""
    met = None if figure is None else bool(figure >= goal if at_least else figure <= goal)
    sign = ">=" if at_least else "<="
    return {"measured": measured, "figure": plain(figure), "count": count, "goal": f"{sign} {goal:g}", "met": met}


def error_goals(cells):
    """Compare our mean absolute error with the paper's and with the best rival's."""
    mae = {name: np.abs(errors_of(cells, name)).mean() for name in cells[0]["methods"]}
    best = min(RIVALS, key=mae.get)
    ours = mae["answer"]
    return [
        goal_row("MAE, answer / hp-3", ours / mae["hp-3"], len(cells), 0.35, at_least=False),
        goal_row(f"MAE, answer / {best} (best rival)", ours / mae[best], len(cells), 1, at_least=False),
    ]


def holds_truth(cell):
    answer = cell["methods"]["answer"]
    return lower_end(answer) <= cell["truth"] <= answer["upper"]


def is_violated(cell):
    """Whether the uncorrected lower bound lies clearly above the truth."""
    floor, design = cell["methods"]["floor"], cell["design"]
    # The standard error is that of the cross rate: insert it into the bound before comparing.
    moved = cover_hart_lower(max(0.0, floor["cross_rate"] - floor["std_error"]), design.n_classes)
    error = cover_hart_lower(floor["cross_rate"], design.n_classes) - moved
    return floor["lower"] > cell["truth"] + 2 * np.hypot(error, design.truth_error)


def is_open(cell):
    return cell["methods"]["answer"]["lower"] is None


def is_limit_wrong(cell):
    return cell["methods"]["answer"]["upper"] < cell["truth"]


def range_goals(cells):
    """Goals: ranges contain the truth, and have a lower end where one can be known."""
    closed = [cell for cell in cells if not is_open(cell)]
    easy = [cell for cell in cells if cell["design"].d <= 5 and cell["n"] >= 2000 and cell["design"].smooth]
    caught = share(lower_end(cell["methods"]["answer"]) <= cell["truth"] for cell in cells if is_violated(cell))
    earned = share(not is_open(cell) for cell in easy)
    return [
        goal_row("truth inside ranges with a lower end", *share(map(holds_truth, closed)), 0.95, at_least=True),
        goal_row("ranges with a lower end, of smooth d <= 5, n >= 2000", *earned, 0.5, at_least=True),
        goal_row("no false lower end if the tree bound is false", *caught, 0.95, at_least=True),
        goal_row("upper limits below the truth", *share(map(is_limit_wrong, cells)), 0.02, at_least=False),
    ]


def verdict_goals(cells):
    """Goals: how many verdicts were wrong, and how many were given at all."""
    opposite = {REACHABLE: NO, OUT_OF_REACH: YES}
    wrong = share(word in opposite[right] for cell in cells for right, word in cell["verdicts"].items())
    large = [cell for cell in cells if cell["n"] == 10_000 and cell["design"].d <= 10]
    decided = share(word in YES + NO for cell in large for word in cell["verdicts"].values())
    return [
        goal_row("verdicts wrong", *wrong, 0.05, at_least=False),
        goal_row("verdicts given, n = 10000, d <= 10", *decided, 0.6, at_least=True),
    ]


def limit_goals(results):
    found = {key: case["coverage"] for key, case in results["cases"].items() if key.startswith("limits/")}
    if not found:
        return []
    lowest = min(found, key=found.get)
    return [goal_row(f"lowest coverage of the limit ({lowest})", found[lowest], len(found), 0.93, at_least=True)]


def summarise(results):
    """Return the errors by group, and every figure that has a goal."""
    cells = list(all_cells(results))
    if not cells:
        return {"errors": {}, "goals": limit_goals(results)}
    goals = [*error_goals(cells), *range_goals(cells), *verdict_goals(cells), *limit_goals(results)]
    return {"errors": error_table(cells), "goals": goals}


def group_table(label, methods):
    yield (label, "mean absolute error", "bias", "largest error", "CPU seconds")
    for name, row in methods.items():
        yield (name, f"{row['mae']:.4f}", f"{row['bias']:+.4f}", f"{row['max']:.4f}", f"{row['seconds']:.3f}")


def by_group_table(errors):
    yield ("mean absolute error", *errors)
    for name in errors["all"]:
        yield (name, *(f"{methods[name]['mae']:.4f}" for methods in errors.values()))


def held_table(results):
    yield ("method", "truth between its bounds", "of", "share", "s.e.", "mean width")
    for name, held in bounds_held(results).items():
        rate, width = held["held"].mean(), held["width"].mean()
        counts = (str(held["held"].sum()), str(len(held["held"])))
        yield (name, *counts, f"{rate:.3f}", f"{np.sqrt(rate * (1 - rate) / len(held['held'])):.3f}", f"{width:.4f}")


def bounds_held(results):
    """Return whether the bounds of each method contain the truth, cell by cell, and their widths."""
    cells = list(all_cells(results))
    names = [name for name, one in cells[0]["methods"].items() if "lower" in one]
    truth, found = np.array([cell["truth"] for cell in cells]), {}
    for name in names:
        told = [cell["methods"][name] for cell in cells]
        low, high = np.array([lower_end(one) for one in told]), np.array([one["upper"] for one in told])
        found[name] = {"held": (low <= truth) & (truth <= high), "width": high - low}
    return found


def reliability_table(results):
    yield ("reliability", "answers", "mean absolute error", "range contains the truth", "upper limit below it")
    cells = list(all_cells(results))
    for word in RELIABILITIES:
        those = [cell for cell in cells if cell["methods"].get("answer", {}).get("reliability") == word]
        if those:
            counts = (sum(map(holds_truth, those)), sum(map(is_limit_wrong, those)))
            yield (word, str(len(those)), f"{np.abs(errors_of(those, 'answer')).mean():.4f}", *map(str, counts))


def tables(results):
    errors = summary_of(results)["errors"]
    return {
        "errors": [*group_table("all designs and sizes", errors["all"])],
        "groups": [*by_group_table(errors)],
        "held": [*held_table(results)],
        "reliability": [*reliability_table(results)],
    }


def goals(results):
    return judge_rows(summary_of(results)["goals"])


def summary_of(results):
    """Return the summary in the file, or compute it: true errors take some seconds to simulate."""
    return results["summary"] if "summary" in results else summarise(results)


def judge_rows(rows):
    return [Goal(row["measured"], _figure(row), row["goal"], row["met"]) for row in rows]


def _figure(row):
    if row["figure"] is None:
        return "-"
    whole = isinstance(row["figure"], int)
    return f"{row['figure']} of {row['count']}" if whole else f"{row['figure']:.3g} ({row['count']} counted)"


def format_goals(goals, *, judged=True):
    """Return one line per figure, with its goal if it is to be checked."""
    for row in goals:
        figure = "-" if row["figure"] is None else f"{row['figure']:.3f}"
        word = {True: "met", False: "missed", None: "nothing counted"}[row["met"]]
        yield f"{row['measured']:58}{figure:>8} of {row['count']:<5}" + (f" {row['goal']:8} {word}" if judged else "")


def check_shares(where, methods):
    """Assert that all numbers of these methods are fractions, and that bounds are in order."""
    for name, one in methods.items():
        ends = [one[key] for key in ENDS if one.get(key) is not None]
        assert ends == sorted(ends), f"{where}, {name}: {ends}"
        assert min(ends) >= 0, f"{where}, {name}: {ends}"
        assert max(ends) <= 1, f"{where}, {name}: {ends}"


def largest_cells(results):
    """Return the cells of each design at its largest number of rows."""
    cells = sorted(all_cells(results), key=lambda cell: cell["n"])
    most = {cell["design"].name: cell["n"] for cell in cells}
    return {
        name: [c for c in cells if (c["design"].name, c["n"]) == (name, most[name])] for name in DESIGNS if name in most
    }


def mean_of(cells, method, field):
    """Return the mean of one field over the seeds; a missing lower end counts as 0."""
    return np.mean([cell["methods"][method][field] or 0.0 for cell in cells])


# The command line.


def run(file, options):
    """Run everything that is selected; the quick form asserts the order."""
    if options.quick:
        run_cases(options.only or QUICK_DESIGNS, QUICK_SEEDS, file, options.jobs)
        for cell in all_cells(file.results):
            check_shares(f"{cell['design'].name}, {cell['n']} rows", cell["methods"])
    else:
        names = options.only or list(DESIGNS)
        run_all_limits(names, file, options.jobs)
        run_cases(names, SEEDS, file, options.jobs)
        file.finish(summary=summarise(file.results))


def main(arguments=None):
    sizes = {"rows": list(SEEDS), "seeds": list(SEEDS.values()), "limit_trials": LIMIT_TRIALS}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=list(DESIGNS),
        cells=lambda options: (
            [f"{part}/{n}" for part in options.only or DESIGNS for n in SEEDS]
            + [f"limits/{name}" for name in options.only or DESIGNS]
        ),
        measure=run,
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        header=lambda _: {"sizes": sizes},
        more=JOBS,
        around=(),
    )


if __name__ == "__main__":
    main()
