"""Long work tells how far it is, and stops when asked to."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests

METHODS = ["prim", "kdtree", "matmul"]

# Rows, features and a call that works on them.
LARGE = {
    "kd-tree": (300_000, 8, "spanning_forest(X, method='kdtree', n_jobs=n_jobs)"),
    "products": (20_000, 784, "spanning_forest(X, method='matmul', n_jobs=n_jobs)"),
    "small pairs": (24_000, 8, "class_forests(X, np.arange(len(X)) % 200, n_jobs=n_jobs)"),
    "large pairs": (60_000, 8, "class_forests(X, np.arange(len(X)) % 5, n_jobs=n_jobs)"),
}
NIGHTLY = [("kd-tree", 1), ("products", 2), ("small pairs", 1), ("large pairs", 2)]

# The first call compiles, or reads what was compiled; what is interrupted does nothing but work.
ENDLESS = """
import signal, sys
import numpy as np
from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests

signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored behind an &
n, d, n_jobs = map(int, sys.argv[1:])
rows = np.random.default_rng(0).standard_normal((n, d))
work = lambda X: CALL
work(rows[:5000])
print("ready", flush=True)
try:
    while True:
        work(rows)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def interrupt(work, n_jobs, delay):
    """Last word and exit code of a process that gets Ctrl-C after a while."""
    n, d, call = LARGE[work]
    command = [sys.executable, "-c", ENDLESS.replace("CALL", call), *map(str, (n, d, n_jobs))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    return said.strip(), process.returncode


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "n_jobs"),
    [
        ("kd-tree", 2),
        ("products", 1),
        ("small pairs", 2),
        ("large pairs", 1),
        *(pytest.param(*each, marks=pytest.mark.slow(nightly=True)) for each in NIGHTLY),
    ],
)
def test_ctrl_c_ends_large_work(work, n_jobs):
    """In a notebook the alternative is to lose the session; nor may compiled code crash on it.

    Numba does crash where an interrupt meets a kernel that hands back tuples of arrays, and Python where it ends under
    threads that are at work in C++.
    """
    assert interrupt(work, n_jobs, delay=1) == ("interrupted", 0)


@pytest.fixture(scope="module", name="X")
def clusters(global_random_seed):
    """Enough rows for several tasks, in clusters so that strangers have to be looked for."""
    rng = np.random.default_rng(global_random_seed)
    return rng.standard_normal((9000, 3)) + 100 * rng.integers(0, 3, (9000, 1))


def works(X):
    """Work that tells of itself: (name, function of progress)."""
    codes = np.arange(len(X)) % 3
    small, many = X[:900], np.arange(900) % 10
    yield from (
        (f"{method}, {n_jobs} threads", lambda p, m=method, k=n_jobs: spanning_forest(X[:5000], 2, None, m, k, p))
        for method in METHODS
        for n_jobs in (1, 2)
    )
    yield "plain classes", lambda p: class_forests(small, many, 2, progress=p)
    yield "few classes", lambda p: class_forests(X, codes, 2, progress=p)
    yield "many classes", lambda p: class_forests(X, np.arange(len(X)) % 100, 2, n_jobs=2, progress=p)


NAMES = [name for name, _ in works(np.empty((0, 0)))]


@pytest.fixture(params=NAMES)
def work(request, X):
    return dict(works(X))[request.param]


@pytest.mark.slow
def test_progress_rises_to_its_total(work):
    """A bar that stops at 97 %, or goes past the end, is worse than none."""
    calls = []
    work(lambda *call: calls.append(call))

    assert calls[0][1] == 1
    assert calls[-1][1] == calls[-1][2]
    for (stage, done, total), (next_stage, next_done, next_total) in pairwise(calls):
        if done == total:
            assert next_done == 1
        else:
            assert (next_stage, next_done, next_total) == (stage, done + 1, total)
    assert all(isinstance(stage, str) and stage for stage, _, _ in calls)


class StopError(Exception):
    """What a user's progress may raise."""


def stop_at(call):
    calls = iter(range(1, call))

    def progress(stage, done, total):
        if next(calls, None) is None:
            raise StopError(stage, done, total)

    return progress


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.slow
@pytest.mark.parametrize("call", [1, 2])
def test_an_error_in_progress_comes_out_and_leaves_nothing_behind(work, call):
    """A cancel button raises there: no thread may go on, BLAS keeps its threads."""
    before = blas_threads(), threading.active_count()
    with pytest.raises(StopError):
        work(stop_at(call))
    for _ in range(1200):
        if threading.active_count() <= before[1]:
            break
        time.sleep(0.05)  # a pool that was told to end needs a moment

    assert (blas_threads(), threading.active_count()) == before


@pytest.mark.slow
def test_work_can_be_repeated_after_an_error(X):
    """Nothing half done may be taken up again."""
    with pytest.raises(StopError):
        spanning_forest(X, 2, method="kdtree", n_jobs=2, progress=stop_at(2))
    again, plain = (spanning_forest(X, 2, method=method) for method in ("kdtree", "matmul"))

    assert np.array_equal(again.a, plain.a)
    assert np.array_equal(again.b, plain.b)
