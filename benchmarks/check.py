"""The cost of a whole ``check``, compared with cross-validating one random forest on the same rows.

``python -m benchmarks.check`` measures six kinds of cells, each in fresh processes. The rival is a 5-fold
cross-validation of a random forest of 100 trees.

- "warm": CPU seconds of ``check(n_jobs=1)``, quick and normal, from rows or a file to the result, alternating with the
  rival in one process after a warm-up.
- "process": CPU seconds of a process that imports the package and checks a small dataset, and of one that imports
  scikit-learn and runs the rival.
- "cold": CPU seconds of a process up to the end of a check, with an empty cache of compiled kernels, and of the rival.
- "threads": wall time with ``n_jobs=2`` and with ``n_jobs=1``, alternating.
- "memory": peak memory of a process that runs a check.
- "time": CPU seconds and memory of a cold check of a million rows, and CPU seconds of training one forest on them.

Ratios are medians over rounds, with the smallest and the largest. ``--only`` selects kinds and datasets. "adult" is
left out if there is no generator of messy files (see ``benchmarks.messy``).
"""

import math
import tempfile
from functools import lru_cache, partial
from pathlib import Path
from statistics import median

from benchmarks._check_tasks import EFFORTS
from benchmarks._command import FOLDER, Case, choose, parts_of, run_cases, run_command
from benchmarks._data import file_generator
from benchmarks._fresh import run_fresh, run_python
from benchmarks._results import align, all_checked, as_notes, median_row, record, row, row_goals, row_table, seconds_row
from benchmarks._timing import take_turns
from benchmarks._told import range_text

RESULTS = FOLDER / "check.json"
MOST_RATIO = {"quick": 0.5, "normal": 1.5, "process": 2.5, "cold": 2.2, "threads": 0.65}
MOST_GIGABYTES = 1.5
ROUNDS = 5
WARM = {  # rows, and rounds: fewer where a round takes minutes
    "letter": (20_000, ROUNDS),
    "satimage": (7000, ROUNDS),
    "pendigits": (20_000, ROUNDS),
    "adult": (12_000, ROUNDS),
    "hundred": (20_000, ROUNDS),
    "manifold": (20_000, 3),
    "mnist_train": (60_000, 3),
}
COMPILES_NOTHING = ("digits",)
PROCESS = {"digits": "load_digits", "cancer": "load_breast_cancer"}
VALIDATION, TRAINING = "cross-validation of a random forest", "one random forest of 100 trees, trained once"
_TASKS = "benchmarks._check_tasks"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_TWO_THREADS = dict.fromkeys(_ONE_THREAD, "2")


# Cells.


@lru_cache(maxsize=1)
def run_warm(name, most, rounds):
    return run_fresh(f"{_TASKS}:measure_warm", _ONE_THREAD, name=name, most=most, rounds=rounds)


def measure_warm(name, effort, most, rounds):
    """Return the ratio of one effort, and what it bought."""
    run = run_warm(name, most, rounds)
    found, seconds = run["found"][effort], run["seconds"]
    what = f"check, {effort}, {_size(found)}"
    line = median_row(what, seconds[effort], seconds["forest"], against=VALIDATION, goal=MOST_RATIO[effort])
    return _record([line], found)


def measure_process(name, rounds):
    data = f"from sklearn.datasets import {PROCESS[name]}; X, y = {PROCESS[name]}(return_X_y=True)"
    check = "from bayesfloor import check; check(X, y, n_jobs=1)"
    forest = (
        "from sklearn.ensemble import RandomForestClassifier; from sklearn.model_selection import cross_val_score; "
        "cross_val_score(RandomForestClassifier(100, random_state=0), X, y, cv=5)"
    )
    runs = {code: partial(run_python, f"{data}; {code}", _ONE_THREAD) for code in (check, forest)}
    ours, theirs = (one.seconds for one in take_turns(runs, rounds, clock="children", enough=math.inf).values())
    line = median_row(f"check of {name}, with imports", ours, theirs, against=VALIDATION, goal=MOST_RATIO["process"])
    return record([line], [])


def measure_cold(name, most, rounds):
    """Compare checks of fresh processes with empty caches to the rival, and count the kernels that were compiled."""
    runs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            empty = {"NUMBA_CACHE_DIR": cache, "BAYESFLOOR_JIT_CACHE": "1"}
            found = run_fresh(f"{_TASKS}:measure_fresh", _ONE_THREAD | empty, name=name, most=most, rival="validation")
            runs.append(found | {"kernels": len(list(Path(cache).rglob("*.nbc")))})
    found, ours, theirs = runs[-1], *([run[side] for run in runs] for side in ("ours", "theirs"))
    what, is_small = f"check, cold, {_size(found)}", name in COMPILES_NOTHING
    rows = [
        median_row(what, ours, theirs, against=VALIDATION, goal=None if is_small else MOST_RATIO["cold"]),
        row("kernels compiled", median(run["kernels"] for run in runs), goal=0 if is_small else None),
    ]
    return _record(rows, found)


def measure_threads(name, most, rounds):
    found = run_fresh(f"{_TASKS}:measure_threads", _TWO_THREADS, name=name, most=most, rounds=rounds)
    one, two = found["seconds"]
    what, goal = f"check, n_jobs=2, {_size(found)}", MOST_RATIO["threads"]
    line = median_row(what, two, one, clock="wall", against="n_jobs=1", goal=goal)
    return _record([line], found)


def measure_memory(name, most):
    found = run_fresh(f"{_TASKS}:measure_fresh", _ONE_THREAD, name=name, most=most)
    what = f"check, peak memory, {_size(found)}"
    return _record([row(what, found["peak"], unit="GB", goal=MOST_GIGABYTES)], found)


def measure_million(name, most):
    """Return time and memory of a check from a cold start, and the time of training a forest."""
    with tempfile.TemporaryDirectory() as cache:
        empty = {"NUMBA_CACHE_DIR": cache}
        found = run_fresh(f"{_TASKS}:measure_fresh", _ONE_THREAD | empty, name=name, most=most, rival="training")
    what = f"check, cold, {_size(found)}"
    rows = [
        seconds_row(what, found["ours"]),
        row(
            f"{what}, ratio",
            found["ours"] / found["theirs"],
            against=TRAINING,
            clock="CPU",
            ours=found["ours"],
            theirs=found["theirs"],
        ),
        row(f"{what}, peak memory", found["peak"], unit="GB"),
    ]
    return _record(rows, found)


def _size(found):
    n, d, k = found["shape"]
    return f"{n} x {d}, K = {k}"


def _record(rows, found):
    return record(rows, [found["said"]]) | {"verdict": found["verdict"]}


# All cells, by kind and dataset.


def _case(key, measure, quick=None, **full):
    name = set_of(key)
    return Case(key, measure, {"name": name, **full}, quick and {"name": name, **full, **quick})


def kind_of(key):
    return key.split("/")[0]


def set_of(key):
    return key.split("/")[1]


FEW = {"most": 400, "rounds": 1}
CASES = [
    *(
        _case(
            f"warm/{name}/{effort}",
            measure_warm,
            FEW if name in ("pendigits", "adult") else None,
            effort=effort,
            most=most,
            rounds=rounds,
        )
        for name, (most, rounds) in WARM.items()
        for effort in EFFORTS
    ),
    _case("process/digits", measure_process, rounds=ROUNDS),
    _case("process/cancer", measure_process, {"rounds": 1}, rounds=ROUNDS),
    _case("cold/digits", measure_cold, FEW, most=1797, rounds=ROUNDS),
    _case("cold/letter", measure_cold, most=20_000, rounds=ROUNDS),
    _case("cold/mnist_train", measure_cold, most=60_000, rounds=3),
    _case("threads/letter", measure_threads, FEW, most=20_000, rounds=ROUNDS),
    _case("memory/mnist_train", measure_memory, {"most": 300}, most=60_000),
    _case("time/million", measure_million, {"most": 2000}, most=1_000_000),
]
NAMES = [case.name for case in CASES]
SLOW = ("hundred", "mnist_train", "manifold", "million")  # come last


def chosen(options):
    found = choose(CASES, options.only)
    found = [case for case in found if set_of(case.name) != "adult" or file_generator()]
    found.sort(key=lambda case: 1 + SLOW.index(set_of(case.name)) if set_of(case.name) in SLOW else 0)
    return [case for case in found if case.quick] if options.quick else found


# Tables and goals.


def answer_table(results):
    yield ("dataset", "effort", "CPU time", "of the rival's", "best estimate", "range", "reliability")
    for name in NAMES:
        if kind_of(name) == "warm" and name in results["cases"]:
            case = results["cases"][name]
            line, told = case["rows"][0], case["verdict"]
            price = (f"{line['ours']:.3g} s", f"{line['figure']:.2f}")
            ends = (f"{told['estimate']:.4f}", range_text(told), told["reliability"])
            yield (*name.split("/")[1:], *price, *ends)


def tables(results):
    checked = as_notes(all_checked(results, NAMES))
    return {"rows": row_table(results, NAMES), "answers": [*answer_table(results)], "checked": checked}


def goals(results):
    return row_goals(results, NAMES)


def print_all(results, _options):
    for lines in tables(results).values():
        print("\n".join(["", *align(lines)]))
    print("\nTimes and ratios are medians over rounds, with the smallest and the largest ratio in brackets.")


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=parts_of(CASES),
        cells=lambda options: [case.name for case in chosen(options)],
        measure=lambda file, options: run_cases(chosen(options), file, quick=options.quick),
        show=print_all,
        needs_data=True,
    )


if __name__ == "__main__":
    main()
