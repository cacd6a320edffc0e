"""Run the same pair tasks in two bare processes and with every runner, to measure the cost of sending tasks."""

import multiprocessing
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import combinations

import numpy as np

from benchmarks._beyond import N_TREES, small_cluster
from benchmarks._data import read_rows

BARE = "two bare processes"
_WORKERS = 2
_PLENTY = "2GB"  # memory of a Dask worker: nothing gets close to its limit here


def make_tasks(X, codes, hold):
    """Make one task per pair of classes: two handles of their blocks, and two more values."""
    from bayesfloor.forest._blocks import forest_of
    from bayesfloor.forest._class_forests import ClassBlock
    from bayesfloor.forest._vertices import find_vertices

    vertices, vertex = find_vertices(X)
    held = []
    for label in range(codes.max() + 1):
        members, rows = np.unique(vertex[codes == label], return_counts=True)
        held.append(hold(ClassBlock(forest_of(vertices.take(members), N_TREES), members, rows)))
    return [(one, two, N_TREES, True) for one, two in combinations(held, 2)]


def run_all(runner, tasks):
    """Return the results of all pairs, in order."""
    from bayesfloor.forest._class_forests import join_pair

    found = dict(runner.run(join_pair, tasks, "pair"))
    return [found[number] for number in range(len(tasks))]


class Bare:
    """Two long-lived processes, each with half of the pairs: on a signal they start, and send their results."""

    def __init__(self, tasks):
        context = multiprocessing.get_context("spawn")
        self._pipes, self._processes = [], []
        for half in range(_WORKERS):
            pipe, theirs = context.Pipe()
            process = context.Process(target=_serve_half, args=(theirs, tasks[half::_WORKERS]), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(pipe)
            self._processes.append(process)

    def run_all(self):
        """Return the results of all pairs, in order."""
        for pipe in self._pipes:
            pipe.send("begin")
        halves = [pipe.recv() for pipe in self._pipes]
        found = [None] * sum(map(len, halves))
        for half, results in enumerate(halves):
            found[half::_WORKERS] = results
        return found

    def close(self):
        """End both."""
        for pipe, process in zip(self._pipes, self._processes, strict=True):
            pipe.close()
            process.join()


def _serve_half(pipe, tasks):
    from threadpoolctl import threadpool_limits

    from bayesfloor.forest._class_forests import join_pair

    with threadpool_limits(limits=1):
        while True:
            try:
                pipe.recv()
            except EOFError:
                return
            pipe.send([join_pair(*task) for task in tasks])


@contextmanager
def all_ways(X, codes):
    """Return functions by name, each of which computes all pairs; processes have started, but nothing is warm."""
    from joblib import parallel_config

    from bayesfloor.leaving.engine_runners import DaskRunner, JoblibRunner
    from bayesfloor.leaving.engine_shared_arguments import holding
    from bayesfloor.support._tasks import one_blas_thread

    def by_joblib(tasks, **backend):
        with parallel_config(**backend), one_blas_thread():
            return run_all(JoblibRunner(_WORKERS), tasks)

    with ExitStack() as stack:
        client = stack.enter_context(small_cluster(_WORKERS, _PLENTY))
        stack.enter_context(one_blas_thread())
        with parallel_config("loky", n_jobs=_WORKERS):
            hold = stack.enter_context(holding(_WORKERS))  # as files, for processes
        with parallel_config("threading", n_jobs=_WORKERS):
            hold_here = stack.enter_context(holding(_WORKERS))
        tasks = make_tasks(X, codes, hold)
        here = [(hold_here(one.get()), hold_here(two.get()), *rest) for one, two, *rest in tasks]
        bare = Bare(tasks)
        stack.callback(bare.close)
        yield {
            BARE: bare.run_all,
            "joblib, loky": partial(by_joblib, tasks, backend="loky"),
            "joblib, threading": partial(by_joblib, here, backend="threading"),
            "joblib on Dask": partial(by_joblib, tasks, backend="dask", client=client),
            "Dask": partial(run_all, DaskRunner(client), tasks),
        }


def measure_letter(classes, most, rounds):
    """Compute pairs of some of letter's classes in bare processes and with every runner."""
    X, codes = read_rows("letter", most)
    some = codes < classes
    return measure_ways(X[some], codes[some], rounds)


def measure_ways(X, codes, rounds):
    """Time every way, alternating within rounds, after a warm-up round; assert that all results agree."""
    with all_ways(X, codes) as ways:
        first = {name: function() for name, function in ways.items()}
        for name, found in first.items():
            _assert_same(found, first[BARE], name)
        seconds = {name: [] for name in ways}
        for _ in range(rounds):
            for name, function in ways.items():
                start = time.perf_counter()
                function()
                seconds[name].append(time.perf_counter() - start)
        edges = sum(len(across.a) for across, _ in first[BARE])
    return {"seconds": seconds, "pairs": len(first[BARE]), "edges": edges, "shape": list(X.shape)}


def _assert_same(found, bare, name):
    for (across, moments), (other, others) in zip(found, bare, strict=True):
        assert all(map(np.array_equal, across, other)), f"{name}: other edges"
        assert np.array_equal(moments, others), f"{name}: other moments"
