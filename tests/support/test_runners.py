"""Joblib and Dask run the same tasks to the same results, whatever happens to their workers."""

import asyncio
import gc
import os
import pickle
import time

import numpy as np
import pytest
from joblib import parallel_config

from bayesfloor.io import open_rows
from bayesfloor.leaving import engine_runners as _runners
from bayesfloor.leaving.engine_runners import (
    ON_THIS_MACHINE,
    DaskRunner,
    JoblibRunner,
    _Flow,
    _memory_of_paused,
    follow,
    make_runner,
)
from bayesfloor.support._tasks import WorkerDiedError, WorkersPausedError

MANY = 10**6  # deaths: more than anybody waits for


@pytest.fixture(
    params=[
        "threads",
        pytest.param("loky", marks=pytest.mark.process),
        pytest.param("dask", marks=pytest.mark.dask),
    ]
)
def runner(request):
    """Every runner there is, with two workers."""
    if request.param == "dask":
        yield DaskRunner(request.getfixturevalue("dask_client"))
        return
    with parallel_config("loky" if request.param == "loky" else "threading", n_jobs=2):
        yield JoblibRunner()


@pytest.fixture
def dask(dask_client):
    """Dask's runner, with two workers when a test begins."""
    dask_client.wait_for_workers(2, timeout=120)
    return DaskRunner(dask_client)


def keys(client):
    """What the scheduler remembers of our tasks, when it has had time to forget."""
    for _ in range(1200):
        if not (left := client.run_on_scheduler(_our_keys)):
            break
        time.sleep(0.05)
    return left


def _our_keys(dask_scheduler):
    return [key for key in dask_scheduler.tasks if key.startswith("bayesfloor-")]


_our_keys.__module__ = "__main__"  # sent as it is: the scheduler may stand elsewhere


def test_results_come_with_their_numbers(runner, square):
    """Each once."""
    assert sorted(runner.run(square, [(x,) for x in range(30)], "square")) == [(x, x * x) for x in range(30)]


def test_no_tasks_have_no_results(runner, square):
    """The last of many stages may have nothing to do."""
    assert list(runner.run(square, [], "square")) == []


def test_a_runner_can_run_again(runner, square):
    """One stage after the other, with tasks of the same names."""
    for power in (1, 2):
        assert sorted(runner.run(square, [(power,), (3,)], "stage")) == [(0, power**2), (1, 9)]


def test_an_error_keeps_its_type_and_is_told_its_task(runner, faulty):
    """Of a thousand blocks, one holds the row that fails."""
    with pytest.raises(KeyError, match="no such key") as failure:
        list(runner.run(faulty, [(x, 3) for x in range(8)], "block"))

    assert failure.value.__notes__ == ["at block 3"]


def test_handles_are_opened_where_tasks_run(runner, tmp_path):
    """No array goes to a worker."""
    X = np.arange(60.0).reshape(30, 2)
    np.save(tmp_path / "rows.npy", X)
    rows = open_rows(tmp_path / "rows.npy")

    def add(part):
        return float(part.read().sum())

    tasks = [(rows.part(start, start + 10),) for start in (0, 10, 20)]
    assert len(pickle.dumps(tasks)) < 2000
    assert sorted(runner.run(add, tasks, "sum")) == [(k, X[10 * k : 10 * k + 10].sum()) for k in range(3)]


def test_a_worker_that_dies_costs_no_result_and_doubles_none(runner, deadly):
    """Nobody has to know of it."""
    if runner.shares_memory:
        pytest.skip("a thread cannot die alone")
    done = list(runner.run(deadly, [(x, int(x == 2)) for x in range(10)], "block"))

    assert sorted(done) == [(x, -x) for x in range(10)]


def test_joblib_says_what_it_has():
    """Threads share memory; nobody said how much there is."""
    with parallel_config(n_jobs=3):
        assert JoblibRunner().n_workers == 3
    with parallel_config("loky", n_jobs=2):
        assert not JoblibRunner().shares_memory
        assert JoblibRunner(1).shares_memory  # no other process

    assert JoblibRunner().shares_memory
    assert JoblibRunner(2).n_workers == 2
    assert JoblibRunner().memory is None
    assert JoblibRunner(2).name == "joblib, 2 tasks at a time"


def test_dask_says_what_it_has(dask):
    """Threads of all workers, and the memory of each thread."""
    assert dask.n_workers == 2
    assert dask.memory == 10**9
    assert not dask.shares_memory
    assert dask.name == "Dask, 2 tasks at a time"


def test_tasks_run_on_all_workers_of_dask(dask):
    """And not here."""

    def where():
        time.sleep(0.05)
        return os.getpid()

    seen = {pid for _, pid in dask.run(where, [()] * 12, "where")}

    assert len(seen) == 2
    assert os.getpid() not in seen


@pytest.fixture
def paused(monkeypatch):
    """Dask's runner with a worker that is paused as soon as it is up."""
    dask = pytest.importorskip("dask", reason="needs Dask")
    distributed = pytest.importorskip("distributed", reason="needs Dask")
    monkeypatch.setattr(_runners, "_PATIENCE", 0.5)
    limits = {"pause": 0.01, "spill": False, "target": False, "terminate": False}
    with (
        dask.config.set({f"distributed.worker.memory.{name}": value for name, value in limits.items()}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=10**9, **ON_THIS_MACHINE) as cluster,
        distributed.Client(cluster) as client,
    ):
        for _ in range(1200):
            if client.run_on_scheduler(_memory_of_paused):  # it is looked at ten times a second
                break
            time.sleep(0.05)
        yield DaskRunner(client)


@pytest.mark.dask
def test_workers_that_are_paused_for_good_end_the_work(paused, square):
    """Dask itself would wait for ever, and say so in the log of a worker."""
    with pytest.raises(WorkersPausedError, match=r"paused all workers \(1\): .* MB of 1,000 MB.*more memory"):
        list(paused.run(square, [(x,) for x in range(5)], "square"))

    assert keys(paused.client) == []


def test_a_client_need_not_be_the_default_one(dask, square):
    """People have several clusters; each has an event loop of its own."""
    import distributed

    with distributed.LocalCluster(n_workers=1, **ON_THIS_MACHINE) as cluster, distributed.Client(cluster):
        found = list(dask.run(square, [(x,) for x in range(12)], "square"))

    assert sorted(found) == [(x, x * x) for x in range(12)]


def test_slow_tasks_are_waited_for(dask, square, monkeypatch):
    """Workers that have something to do are not paused, however long it takes."""
    monkeypatch.setattr(_runners, "_PATIENCE", 0.01)

    assert list(dask.run(square, [(3, 0.5)], "square")) == [(0, 9)]


def test_two_runs_may_be_under_way_on_dask_at_once(dask, square):
    """Of the same name; joblib's would wait for each other under one ``parallel_config``."""
    one, two = (dask.run(square, [(x, 0.01) for x in xs], "stage") for xs in (range(5), range(5, 10)))
    first = [next(one), next(two)]

    assert sorted([*one, first[0]]) == [(k, k**2) for k in range(5)]
    assert sorted([*two, first[1]]) == [(k, (k + 5) ** 2) for k in range(5)]


def test_a_client_makes_the_runner(dask_client):
    """Without one it is joblib's."""
    assert isinstance(make_runner(dask_client, None), DaskRunner)
    assert isinstance(make_runner(None, 2), JoblibRunner)


@pytest.mark.parametrize("client", ["tcp://127.0.0.1:8786", 3, object()])
def test_what_is_no_client_is_refused(client):
    """An address, most often."""
    with pytest.raises(TypeError, match=r"expected a distributed\.Client"):
        DaskRunner(client)


def test_an_asynchronous_client_is_refused(dask_client):
    """Its answers are promises."""
    from distributed import Client

    async def ask():
        async with Client(dask_client.scheduler.address, asynchronous=True) as client:
            DaskRunner(client)

    with pytest.raises(TypeError, match="asynchronous"):
        asyncio.run(ask())


def test_small_tasks_go_several_to_a_future(dask, square):
    """A scheduler takes a millisecond for each."""
    before = dask.client.run_on_scheduler(_n_transitions)
    done = list(dask.run(square, [(x,) for x in range(5000)], "square"))

    assert sorted(done) == [(x, x * x) for x in range(5000)]
    assert dask.client.run_on_scheduler(_n_transitions) - before < 5000


def _n_transitions(dask_scheduler):
    return dask_scheduler.transition_counter


_n_transitions.__module__ = "__main__"


def test_large_tasks_go_one_to_a_future_and_few_at_once(dask, square):
    """Workers share them evenly, and the scheduler has little to remember."""
    most = 0
    for _ in dask.run(square, [(x, 0.3) for x in range(10)], "large"):
        most = max(most, len(dask.client.run_on_scheduler(_our_keys)))

    assert 2 <= most <= 8


def test_dask_forgets_what_is_done(dask, square):
    """Futures hold results on workers."""
    assert len(list(dask.run(square, [(x,) for x in range(50)], "square"))) == 50
    assert keys(dask.client) == []


def test_results_that_nobody_wants_any_more_leave_no_futures(dask, square):
    """An interrupt ends the work on the cluster, too."""
    results = dask.run(square, [(x, 0.05) for x in range(200)], "square")
    next(results)
    results.close()

    assert keys(dask.client) == []


def test_an_error_leaves_no_futures(dask, faulty):
    """Not even while somebody looks at it: it holds the frames that hold the futures."""
    gc.disable()
    try:
        with pytest.raises(KeyError) as failure:
            list(dask.run(faulty, [(x, 5) for x in range(50)], "block"))
        left = keys(dask.client)
    finally:
        gc.enable()

    assert left == []
    assert failure.value.__notes__ == ["at block 5"]


def test_a_task_that_always_kills_is_named(dask, deadly):
    """Dask also blames what waited behind it on the same workers."""
    done = []
    with pytest.raises(WorkerDiedError, match=r"died 4 times, most recently while running block 5\. They probably"):
        done.extend(dask.run(deadly, [(x, MANY * (x == 5)) for x in range(12)], "block"))

    assert len(dict(done)) == len(done)
    assert all(result == -number for number, result in done)
    assert keys(dask.client) == []


def test_what_is_blamed_for_another_task_is_run_again(dask, deadly):
    """A worker that fails four times, and then no more, costs nothing."""
    done = list(dask.run(deadly, [(x, 4 * (x == 1)) for x in range(8)], "block"))

    assert sorted(done) == [(x, -x) for x in range(8)]
    assert keys(dask.client) == []


@pytest.mark.parametrize("seconds", [0.0, 1e-5, 0.01, 0.2, 9.0])
@pytest.mark.parametrize("total", [0, 1, 7, 1000])
def test_batches_hold_each_task_once_and_little_work(seconds, total):
    """And end small, so that no worker is late."""
    flow, batches = _Flow(total), []
    while flow.left:
        batches.append(flow.next_batch(2))
        flow.learn(seconds)

    assert [number for batch in batches for number in batch] == list(range(total))
    assert all(len(batch) == 1 or len(batch) * seconds <= 0.25 for batch in batches)
    assert not batches or len(batches[0]) == len(batches[-1]) == 1


def test_results_are_told_as_they_come(square):
    """Counted from what was finished before."""
    calls, runner = [], JoblibRunner(1)
    results = follow(runner.run(square, [(2,), (3,)], "x"), lambda *call: calls.append(call), "joins", 5, 3)

    assert list(results) == [(0, 4), (1, 9)]
    assert calls == [("joins", 4, 5), ("joins", 5, 5)]
    assert list(follow(runner.run(square, [(2,)], "x"), None, "joins", 1)) == [(0, 4)]


def test_a_listener_that_fails_leaves_no_futures(dask, square):
    """Ctrl-C reaches whoever draws the bar."""

    def listen(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(follow(dask.run(square, [(x, 0.05) for x in range(50)], "x"), listen, "stage", 50))

    assert keys(dask.client) == []
