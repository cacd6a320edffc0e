"""What a whole fit of ``BayesFloor`` takes: pairwise, one-vs-rest and overall floors with three trees.

``python -m benchmarks.floor`` measures letter, the training set of MNIST and a thousand classes, each in
a process of its own, on one thread and with kernels compiled, and keeps the results as JSON after each.
``--quick`` takes a part of letter; ``--show`` prints what was kept before. Datasets are read from the
folder that ``BAYESFLOOR_DATA`` names. Missing a goal is a result like any other: the row stays in.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks._data import SEED, read_rows
from benchmarks._fresh import run_fresh
from benchmarks._results import (
    ResultsFile,
    Row,
    all_checked,
    as_notes,
    format_results,
    machine,
    read_results,
    record,
    row_goals,
    row_table,
    seconds_row,
)
from benchmarks._timing import peak_gigabytes, seconds_of
from benchmarks.forest import Case, own_kernel_cache, run_cases

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "floor.json"


def measure_fit(name, most, rounds):
    """CPU seconds of fits and of a relabelling, peak memory, and what was found."""
    from bayesfloor import BayesFloor

    X, codes = read_rows(name, most)
    some = np.sort(np.random.default_rng(SEED).permutation(len(X))[:5000])
    BayesFloor(n_jobs=1).fit(X[some], np.unique(codes[some], return_inverse=True)[1])  # compiles
    fits = [seconds_of(lambda: BayesFloor(n_jobs=1, target_width=None).fit(X, codes)) for _ in range(rounds)]
    floor, shuffled = fits[-1][1], np.random.default_rng(SEED).permutation(codes)
    again = [seconds_of(lambda: floor.relabel(shuffled))[0] for _ in range(5)]
    overall = floor.overall_
    return {
        "fit": [seconds for seconds, _ in fits],
        "relabel": again,
        "peak": peak_gigabytes(),
        "shape": [*X.shape, len(floor.classes_)],
        "found": [overall.lower, overall.estimate, overall.upper],
        "pairs": len(floor.pairwise_.classes) * (len(floor.pairwise_.classes) - 1) // 2,
    }


def measure_floor(name, most, rounds, seconds, gigabytes):
    """Rows of one dataset."""
    found = run_fresh("benchmarks.floor:measure_fit", name=name, most=most, rounds=rounds)
    n, d, k = found["shape"]
    what, fit, again = f"fit, {n} x {d}, K = {k}", min(found["fit"]), min(found["relabel"])
    lower, estimate, upper = found["found"]
    assert lower <= estimate <= upper <= 1
    rows = [
        seconds_row(what, fit, goal=seconds),
        Row(measured=f"{what}, peak memory", figure=found["peak"], unit="GB", goal=gigabytes),
        Row(measured="relabel / fit", figure=again / fit, goal=0.05, clock="CPU", ours=again, theirs=fit),
    ]
    return record(rows, [f"{found['pairs']} pairs; {lower:.4f} <= {estimate:.4f} <= {upper:.4f}"])


CASES = [
    Case(
        "letter",
        measure_floor,
        {"name": "letter", "most": 20_000, "rounds": 5, "seconds": 5, "gigabytes": None},
        {"name": "letter", "most": 5000, "rounds": 1, "seconds": None, "gigabytes": None},
    ),
    Case(
        "mnist",
        measure_floor,
        {"name": "mnist_train", "most": 60_000, "rounds": 1, "seconds": 360, "gigabytes": 3},
        {"name": "mnist_train", "most": 1000, "rounds": 1, "seconds": None, "gigabytes": None},
    ),
    Case(
        "classes",
        measure_floor,
        {"name": "classes", "most": 50_000, "rounds": 1, "seconds": 300, "gigabytes": 4},
        {"name": "classes", "most": 2500, "rounds": 1, "seconds": None, "gigabytes": None},
    ),
]


def tables(results, cases=CASES):
    """Tables by name."""
    names = [case.name for case in cases]
    checked = as_notes(all_checked(results, names))
    return {"rows": row_table(results, names), "checked": checked}


def goals(results, cases=CASES):
    """The goals of all rows."""
    return row_goals(results, [case.name for case in cases])


def read_options(arguments):
    """Options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small sizes; writes nothing")
    parser.add_argument("--show", action="store_true", help="print the results kept before, run nothing")
    parser.add_argument("--fresh", action="store_true", help="measure again what the file has")
    parser.add_argument("--only", default="", metavar="NAME[,NAME]", help="these cases alone")
    return parser.parse_args(arguments)


def main(arguments=None, *, cases=CASES, results_path=RESULTS):
    """Run the command line of a benchmark of cases."""
    options, every = read_options(arguments), cases
    names = [name for name in options.only.split(",") if name]
    cases = [case for case in cases if not names or case.name in names]
    if options.show:
        results = read_results(results_path)
    else:
        with own_kernel_cache():
            file = ResultsFile(None if options.quick else results_path, {"seed": SEED, "machine": machine()})
            file.resume(without=[case.name for case in cases] if options.fresh else [])
            run_cases(cases, file, quick=options.quick)
        results = file.results
    print(format_results(results, [case.name for case in every]))


if __name__ == "__main__":
    main()
