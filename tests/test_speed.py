"""Speed, as a ratio to a rival in the same run: the only place where tests read a clock.

Each bound is about twice the ratio that its test's docstring gives, which was measured on two busy cores; ratios are of
the least CPU time of some rounds, taken turn about. ``pytest -m perf -rP`` shows all times.
"""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from bayesfloor import BayesFloor
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.hierarchy._smart_svm import floor_matrix

resource = pytest.importorskip("resource", reason="needs POSIX: the CPU time of processes that ended")

pytestmark = pytest.mark.perf

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def cpu_seconds(work):
    """CPU time of a call, and of the processes that it starts and waits for."""
    before = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    return after[0] - before[0] + sum(getattr(after[1], k) - getattr(before[1], k) for k in ("ru_utime", "ru_stime"))


@pytest.fixture
def report(record_property):
    """A function of both times that makes them known and returns their ratio."""

    def tell(ours, rival):
        record_property("seconds", ours)
        record_property("rival_seconds", rival)
        print(f"{ours:.3f} s, rival {rival:.3f} s: ratio {ours / rival:.3f}")  # noqa: T201 - pytest -rP shows it
        return ours / rival

    return tell


@pytest.fixture
def ratio(report):
    """A function of two calls, ours and a rival's: the ratio of their least CPU times."""

    def measure(ours, rival, rounds=3):
        times = [[cpu_seconds(work) for work in (ours, rival)] for _ in range(rounds)]
        return report(*map(min, zip(*times, strict=True)))

    return measure


def fresh(code, **environment):
    """A call that runs code in a fresh interpreter, and returns the numbers that it prints."""
    command, env = [sys.executable, "-c", code], {**os.environ, **ONE_THREAD, **environment}

    def run():
        done = subprocess.run(command, capture_output=True, check=True, text=True, env=env)
        return [float(word) for word in done.stdout.split()]

    return run


def forest_of(X, y):
    """A call that fits scikit-learn's random forest, with one thread."""
    return lambda: RandomForestClassifier(random_state=0).fit(X, y)


def test_the_import_costs_less_than_numpys(ratio):
    """Asking for a version or for help must feel instant.

    Measured: 0.05 s against 0.21 s, 0.24.
    """
    assert ratio(fresh("import bayesfloor"), fresh("import numpy"), rounds=5) < 0.5


DIGITS = "from sklearn.datasets import load_digits; X, y = load_digits(return_X_y=True);"


def test_digits_are_checked_from_a_cold_start_soon(ratio, tmp_path):
    """The first result decides whether there is a second: imports, empty caches and all.

    Measured: 7.8 s against 2.8 s, 2.8.
    """
    check = fresh(f"{DIGITS} import bayesfloor; bayesfloor.check(X, y)", NUMBA_CACHE_DIR=str(tmp_path))

    assert ratio(check, fresh(DIGITS)) < 5.5


# Two calls: the first one compiles, or loads what was compiled.
TWICE = """
from time import process_time
import numpy as np
from bayesfloor import spanning_forest

X = np.random.default_rng(0).standard_normal((6000, 3))
for _ in range(2):
    start = process_time()
    spanning_forest(X)
    spanning_forest(X, method="matmul")
    print(process_time() - start)
"""

BARE = """
from time import process_time
import numpy as np
from numba import njit

@njit
def bare(a):
    return np.sort(a), np.argsort(a), np.median(a), np.unique(a)

start = process_time()
bare(np.arange(3.0))
print(process_time() - start)
"""


@pytest.fixture
def kept(tmp_path):
    """Where kernels are kept: empty."""
    return {"NUMBA_CACHE_DIR": str(tmp_path), "BAYESFLOOR_JIT_CACHE": "1"}


def test_the_first_large_set_compiles_not_much_longer_than_a_few_functions_of_numpy(report, kept):
    """Longer than ten seconds and people think it hangs. The rival is four functions.

    Measured: 15.8 s against 10.5 s, 1.5.
    """
    first, again = fresh(TWICE, **kept)()

    assert report(first - again, *fresh(BARE)()) < 3


def test_fifty_thousand_rows_are_measured_as_soon_as_a_random_forest_is_fitted(ratio):
    """The largest set that class trees look at.

    Measured: 0.8 s against 14.3 s, 0.05.
    """
    rng, y = np.random.default_rng(0), np.arange(50_400) % 4
    X = rng.standard_normal((len(y), 2)) + y[:, None]
    ours = lambda: floor_matrix("1", X, np.ones(2, dtype=bool), y, 1, None, 0, None)  # noqa: E731 - one of two calls
    ours()  # compiles

    assert ratio(ours, forest_of(X, y), rounds=2) < 0.1


@pytest.mark.parametrize(("cut", "n"), [("min_cut", 200), ("average", 1000)])
def test_trees_of_many_classes_are_grown_soon(ratio, cut, n):
    """Hundreds of products or species are classes, too. The rival decomposes one matrix of 1,000.

    Measured: 0.6 s and 0.1 s against 1.9 s, 0.3 at most.
    """
    rng = np.random.default_rng(0)
    sparse = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.05), 1)
    square = rng.random((1000, 1000))

    assert ratio(lambda: class_tree(np.arange(n), sparse + sparse.T, cut), lambda: np.linalg.eigh(square)) < 0.6


def test_relabelling_costs_a_small_part_of_a_fit(ratio):
    """It is meant for loops.

    Measured: 0.075 s against 1.5 s, 0.05.
    """
    rng, y = np.random.default_rng(0), np.arange(4000) % 26
    X = rng.standard_normal((len(y), 16)) + rng.standard_normal((26, 16))[y]
    floor = BayesFloor(scale=None).fit(X, y)

    assert ratio(lambda: floor.relabel(rng.permutation(y)), lambda: BayesFloor(scale=None).fit(X, y), rounds=2) < 0.1
