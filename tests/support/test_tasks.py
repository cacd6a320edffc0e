"""Tasks run where the user's joblib says, whatever happens to the workers."""

import os
import subprocess
import sys
import threading

import pytest
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor

from bayesfloor.support._tasks import effective_n_jobs, run_tasks

# It ends while tasks run, as after an interrupt at a bad moment: nobody closes the results.
ENDED = """
import os, time
from bayesfloor.support._tasks import run_tasks

def task(number):
    os.write(1, f"begun {number}\\n".encode())  # at once: threads may not meet in a line
    time.sleep(0.2)
    os.write(1, f"done {number}\\n".encode())

results = run_tasks(task, [(number,) for number in range(100)], n_jobs=2)
next(results)
"""


@pytest.fixture(scope="module", autouse=True)
def tidy_workers():
    """Loky keeps idle workers; other tests count processes."""
    yield
    get_reusable_executor().shutdown(wait=True)


@pytest.fixture
def loky():
    """Two processes, as a user asks for them."""
    with parallel_config("loky", n_jobs=2):
        yield


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_the_order_of_the_tasks(square, n_jobs):
    """Even if the first one takes longest."""
    tasks = [(x, 0.05 if x == 0 else 0.0) for x in range(20)]

    assert list(run_tasks(square, tasks, n_jobs=n_jobs)) == [x * x for x in range(20)]


@pytest.mark.usefixtures("loky")
def test_no_tasks_have_no_results(square):
    """And start no worker."""
    assert list(run_tasks(square, [], n_jobs=None)) == []


def test_every_result_is_told(square):
    calls = []
    list(run_tasks(square, [(1,), (2,), (3,)], n_jobs=2, progress=lambda *c: calls.append(c), stage="trees", total=3))

    assert calls == [("trees", 1, 3), ("trees", 2, 3), ("trees", 3, 3)]


def test_tasks_run_in_threads_unless_somebody_says_otherwise():
    """They share the rows then."""
    here = {*run_tasks(os.getpid, [()] * 4, n_jobs=2)}

    assert here == {os.getpid()}


@pytest.mark.slow
@pytest.mark.usefixtures("loky")
def test_tasks_run_where_the_user_says():
    assert os.getpid() not in {*run_tasks(os.getpid, [()] * 4, n_jobs=None)}
    assert effective_n_jobs(None) == 2


@pytest.mark.usefixtures("loky")
def test_small_tasks_inside_others_stay_in_threads():
    """They share arrays, which are not worth sending."""
    assert {*run_tasks(os.getpid, [()] * 4, n_jobs=2, inside=True)} == {os.getpid()}


@pytest.mark.usefixtures("dask_client")
def test_tasks_run_on_dask_if_joblib_says_so(square):
    """The user's joblib may be Dask's."""
    with parallel_config("dask"):
        assert list(run_tasks(square, [(x,) for x in range(6)], n_jobs=-1)) == [0, 1, 4, 9, 16, 25]
        assert os.getpid() not in {*run_tasks(os.getpid, [()] * 4, n_jobs=-1)}


def test_tasks_are_taken_as_they_are_needed():
    """Rows are copied for some of them: a thousand at once would not fit."""
    taken, counted = [], threading.Event()
    results = run_tasks(
        lambda x: (not x or counted.wait(60)) and x, ((taken.append(x) or x,) for x in range(60)), n_jobs=2
    )
    assert next(results) == 0
    n_taken = len(taken)
    counted.set()

    assert n_taken < 60
    assert list(results) == list(range(1, 60))
    assert taken == list(range(60))


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_an_error_keeps_its_type_and_is_told_its_task(faulty, backend):
    """Of a thousand blocks, one holds the row that fails."""
    with parallel_config(backend, n_jobs=2), pytest.raises(KeyError, match="no such key") as failure:
        list(run_tasks(faulty, [(x, 3) for x in range(8)], n_jobs=None, stage="block"))

    assert failure.value.__notes__ == ["at block 3"]


def test_tasks_without_a_stage_are_tasks(faulty):
    """The note has to call them something."""
    with pytest.raises(KeyError) as failure:
        list(run_tasks(faulty, [(0, 0)], n_jobs=1))

    assert failure.value.__notes__ == ["at task 0"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_results_that_nobody_wants_any_more_are_not_computed(square, backend):
    """They would take 500 s; nor is a word said: joblib's warning, late and from elsewhere, would be an error here."""
    with parallel_config(backend, n_jobs=2):
        results = run_tasks(square, [(x, 0.02) for x in range(50_000)], n_jobs=None)
        assert next(results) == 0
        results.close()

        assert list(run_tasks(square, [(2,)], n_jobs=None)) == [4]  # the next ones have workers again


def test_an_error_of_the_listener_ends_the_work(square):
    """Ctrl-C reaches whoever draws the bar."""
    seen = []

    def listen(_stage, done, _total):
        seen.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_tasks(square, [(x, 0.01) for x in range(200)], n_jobs=2, progress=listen))

    assert seen == [1]
    assert threading.active_count() < 50


@pytest.mark.slow
def test_a_process_does_not_end_under_its_tasks():
    """Python cuts off threads at its end, which aborts the process where they are in compiled C++."""
    ended = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, check=True, text=True, timeout=120)
    words = [line.split() for line in ended.stdout.splitlines()]
    begun, done = ({number for word, number in words if word == kind} for kind in ("begun", "done"))

    assert begun == done
    assert 0 < len(done) < 50
