"""The time of a whole fit of ``BayesFloor``: pairwise, one-vs-rest and overall floors with three trees.

``python -m benchmarks.floor`` measures letter, the training set of MNIST and a thousand classes, each in
a process of its own, on one thread and with compiled kernels.
"""

import numpy as np

from benchmarks._command import FOLDER, Case, of_cases, run_command
from benchmarks._data import SEED, read_rows
from benchmarks._fresh import run_fresh
from benchmarks._results import all_checked, as_notes, format_results, record, row, row_goals, row_table, seconds_row
from benchmarks._timing import peak_gigabytes, seconds_of

RESULTS = FOLDER / "floor.json"


def measure_fit(name, most, rounds):
    """Return the CPU seconds of fits and of a relabelling, peak memory, and the results."""
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
    found = run_fresh("benchmarks.floor:measure_fit", name=name, most=most, rounds=rounds)
    n, d, k = found["shape"]
    what, fit, again = f"fit, {n} x {d}, K = {k}", min(found["fit"]), min(found["relabel"])
    lower, estimate, upper = found["found"]
    assert lower <= estimate <= upper <= 1
    rows = [
        seconds_row(what, fit, goal=seconds),
        row(f"{what}, peak memory", found["peak"], unit="GB", goal=gigabytes),
        row("relabel / fit", again / fit, goal=0.05, clock="CPU", ours=again, theirs=fit),
    ]
    return record(rows, [f"{found['pairs']} pairs; {lower:.4f} <= {estimate:.4f} <= {upper:.4f}"])


def _case(name, dataset, most, quick, **full):
    part = {"name": dataset, "most": quick, "rounds": 1, "seconds": None, "gigabytes": None}
    return Case(name, measure_floor, {"name": dataset, "most": most, **full}, part)


CASES = [
    _case("letter", "letter", 20_000, 5000, rounds=5, seconds=5, gigabytes=None),
    _case("mnist", "mnist_train", 60_000, 1000, rounds=1, seconds=360, gigabytes=3),
    _case("classes", "classes", 50_000, 2500, rounds=1, seconds=300, gigabytes=4),
]
NAMES = [case.name for case in CASES]


def tables(results):
    return {"rows": row_table(results, NAMES), "checked": as_notes(all_checked(results, NAMES))}


def goals(results):
    return row_goals(results, NAMES)


def main(arguments=None):
    run_command(
        arguments, __doc__, RESULTS, **of_cases(CASES), show=lambda results, _: print(format_results(results, NAMES))
    )


if __name__ == "__main__":
    main()
