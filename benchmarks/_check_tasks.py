"""What ``benchmarks.check`` runs in fresh processes; imports are late, since the time of a cold start includes them."""

import math
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple

from benchmarks._data import SEED, even_sizes, file_generator, labelled, manifold, read_rows
from benchmarks._timing import peak_gigabytes, seconds_of, take_turns

EFFORTS = ("quick", "normal")
_ADULT_SEED = 301
_ADULT_LABEL = "income"


class Problem(NamedTuple):
    """What a check gets, and the rows and labels that a random forest gets."""

    given: tuple
    rows: tuple


@contextmanager
def open_problem(name, most):
    """Yield a dataset with at most this many rows; "adult" is a CSV file for the check, and codes for the forest."""
    if name == "adult":
        with tempfile.TemporaryDirectory() as folder:
            yield write_adult(Path(folder), most)
    else:
        rows = read_problem(name, most)
        yield Problem(rows, rows)


def write_adult(folder, most):
    """Write a messy table of people, and read it for the forest: categories as ordinal codes."""
    import pandas as pd

    from benchmarks.messy import write_files

    write_files(file_generator(), folder, _ADULT_SEED)
    path = folder / "adult.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: most + 1]), "utf-8")
    table = pd.read_csv(path)
    X = table.drop(columns=_ADULT_LABEL)
    X = X.apply(lambda it: it if pd.api.types.is_numeric_dtype(it) else it.astype("category").cat.codes)
    return Problem((path, _ADULT_LABEL), (X.to_numpy(float), table[_ADULT_LABEL].to_numpy(str)))


def read_problem(name, most):
    if name == "million":
        return labelled(even_sizes(most, 5), 10, 1.0)
    if name == "hundred":
        return labelled(even_sizes(most, 100), 20, 1.0)
    if name == "manifold":
        return manifold(most)
    return read_rows(name, most)


def describe(found):
    from benchmarks._told import told_by

    told, facts = told_by(found.answer), found.facts
    return {
        "shape": [facts.n_rows, facts.n_features, len(found.labels)],
        "verdict": {name: told[name] for name in ("estimate", "lower", "upper", "reliability")},
        "said": f"{facts.n_used} of {facts.n_rows} rows used; {found.verdict}",
    }


def measure_warm(name, most, rounds):
    """Return the CPU seconds of checks and of a forest's cross-validation, round by round, and what the checks say."""
    from sklearn.datasets import load_iris

    from bayesfloor import check

    with open_problem(name, most) as problem:
        checks = {effort: partial(check, *problem.given, effort=effort, n_jobs=1) for effort in EFFORTS}
        for run in checks.values():
            run()  # imports and compiles everything that will be measured
        validate_forest(*load_iris(return_X_y=True))
        forest = partial(validate_forest, *problem.rows)
        times = take_turns({**checks, "forest": forest}, rounds, enough=math.inf)
    seconds = {which: timing.seconds for which, timing in times.items()}
    return {"seconds": seconds, "found": {effort: describe(times[effort].result) for effort in EFFORTS}}


def measure_fresh(name, most, rival=None):
    """Return the CPU seconds of this process up to the end of a check, its peak memory, and a rival's CPU seconds."""
    from bayesfloor import check

    X, y = read_problem(name, most)
    found = check(X, y, n_jobs=1)
    ours, peak = process_time(), peak_gigabytes()
    return describe(found) | {"ours": ours, "peak": peak, "theirs": _time_rival(rival, X, y)}


def _time_rival(rival, X, y):
    rivals = {"training": train_forest, "validation": validate_forest}
    return seconds_of(lambda: rivals[rival](X, y))[0] if rival else None


def validate_forest(X, y):
    """Run a 5-fold cross-validation of a random forest of 100 trees."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    return cross_val_score(RandomForestClassifier(100, n_jobs=1, random_state=SEED), X, y, cv=folds)


def train_forest(X, y):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(100, random_state=SEED, n_jobs=1).fit(X, y)


def measure_threads(name, most, rounds):
    """Return the wall seconds of checks on one and on two threads, round by round."""
    from bayesfloor import check

    X, y = read_problem(name, most)
    checks = {jobs: partial(check, X, y, n_jobs=jobs) for jobs in (1, 2)}
    for run in checks.values():
        run()
    times = take_turns(checks, rounds, clock="wall", enough=math.inf)
    one, two = (describe(times[jobs].result) for jobs in (1, 2))
    assert one == two, f"{one} on one thread, {two} on two"
    return one | {"seconds": [times[jobs].seconds for jobs in (1, 2)]}
