"""The time of a whole ``check``, compared with training one random forest on the same rows.

``python -m benchmarks.check`` measures each dataset in a process of its own, on one thread, and saves the
results as JSON after each. The check's time is the whole time of the process: importing scikit-learn,
generating or reading the rows, and compiling kernels if they are needed, with empty caches. ``--quick``
uses small parts; ``--show`` prints saved results. Datasets are read from the folder named by
``BAYESFLOOR_DATA``. Missed goals stay in the results.
"""

import tempfile
from functools import partial

from benchmarks._command import FOLDER, Case
from benchmarks._data import SEED, even_sizes, labelled, read_rows
from benchmarks._fresh import run_fresh
from benchmarks._results import Row, record
from benchmarks._timing import peak_gigabytes, seconds_of
from benchmarks.floor import goals as goals_of_cases
from benchmarks.floor import main as run_benchmark
from benchmarks.floor import tables as tables_of_cases

RESULTS = FOLDER / "check.json"


def read_problem(name, most):
    """Return rows and labels of a dataset."""
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        return X[:most], y[:most]
    if name == "million":
        return labelled(even_sizes(most, 5), 10, 1.0)
    if name == "hundred":
        return labelled(even_sizes(most, 100), 20, 1.0)
    return read_rows(name, most)


def measure_fresh(name, most):
    """Return the CPU seconds of this process up to the end of a check, those of one random forest, and peak memory."""
    from time import process_time

    from bayesfloor import check

    X, y = read_problem(name, most)
    found = check(X, y, n_jobs=1)
    ours, peak = process_time(), peak_gigabytes()
    theirs = seconds_of(lambda: _train_forest(X, y))[0]
    return {
        "ours": ours,
        "theirs": theirs,
        "peak": peak,
        "shape": [*X.shape, len(found.labels)],
        "used": found.facts.n_used,
        "verdict": found.verdict,
    }


def _train_forest(X, y):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(100, random_state=SEED, n_jobs=1).fit(X, y)


def measure_check(name, most, seconds):
    """Return the rows of one dataset."""
    with tempfile.TemporaryDirectory() as cache:
        found = run_fresh("benchmarks.check:measure_fresh", {"NUMBA_CACHE_DIR": cache}, name=name, most=most)
    n, d, k = found["shape"]
    what = f"check, {n} x {d}, K = {k}"
    ratio = found["ours"] / found["theirs"]
    rows = [
        Row(measured=what, figure=found["ours"], unit="s", clock="CPU", ours=found["ours"], goal=seconds),
        Row(
            measured=f"{what}, ratio",
            against="one random forest of 100 trees, trained once",
            figure=ratio,
            clock="CPU",
            ours=found["ours"],
            theirs=found["theirs"],
        ),
        Row(measured=f"{what}, peak memory", figure=found["peak"], unit="GB"),
    ]
    return record(rows, [f"{found['used']} of {n} rows used; {found['verdict']}"])


def _case(name, most, quick, seconds=None):
    return Case(
        name,
        measure_check,
        {"name": name, "most": most, "seconds": seconds},
        {"name": name, "most": quick, "seconds": None},
    )


CASES = [
    _case("digits", 1797, 500, seconds=5),
    _case("letter", 20_000, 1000),
    _case("hundred", 20_000, 1000),
    _case("mnist_train", 60_000, 300),
    _case("million", 1_000_000, 2000),
]

tables = partial(tables_of_cases, cases=CASES)
goals = partial(goals_of_cases, cases=CASES)

if __name__ == "__main__":
    run_benchmark(doc=__doc__, path=RESULTS, cases=CASES)
