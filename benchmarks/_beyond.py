"""Grow one forest of data that do not fit in memory on a small Dask cluster, and measure it from outside.

Run ``measure_run`` in a process of its own: its memory is the driver's, including the scheduler's.
The resource use of processes is read from Linux's ``/proc``.
"""

import logging
import os
import shutil
import threading
import time
import warnings
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bayesfloor.leaving.engine_runners import ON_THIS_MACHINE, DaskRunner
from benchmarks._data import SEED

N_TREES = 3
MEMORY = "500MB"  # of a worker
KINDS = {"normal": "standard_normal", "uniform": "random"}
STAGES = ("looking at rows", "sorting rows", "blocks", "ranks", "ranks of blocks", "joins", "edges")

FILES = 20  # per folder
_EVERY = 0.05  # seconds between two memory samples
_WARM = 20_000  # enough rows to load all kernels
_EDGES = ("a", "b", "length", "tree", "vertex")
_RESET_PEAK = "5"  # the value that proc(5) expects in clear_refs


# Rows


def make_rows(folder, kind, n, d):
    """Return the folder of Parquet files with these rows; make it if it does not exist."""
    draw, ends = getattr(np.random.default_rng(SEED), KINDS[kind]), [n * i // FILES for i in range(FILES + 1)]
    parts = (draw((stop - start, d)) for start, stop in pairwise(ends))
    return write_parts(Path(folder) / f"{kind}-{n}x{d}", ({f"x{k}": X[:, k] for k in range(d)} for X in parts))


def write_parts(place, parts):
    """Return the folder of Parquet files with these columns, one file per part; make it if it does not exist."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    if place.exists():
        return place
    part = place.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for number, columns in enumerate(parts):
        write_table(table(columns), part / f"{number:02}.parquet")
    return part.rename(place)


# Memory


class Watch:
    """Sample the memory of processes in a thread: the peak, and its parts."""

    def __init__(self, pids):
        self.peaks, self._end = dict.fromkeys(pids), threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        for pid in self.peaks:
            Path(f"/proc/{pid}/clear_refs").write_text(_RESET_PEAK)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self._look_once()

    def _look(self):
        while not self._end.wait(_EVERY):
            self._look_once()

    def _look_once(self):
        for pid, peak in self.peaks.items():
            try:
                self.peaks[pid] = _higher(peak, memory_of(pid))
            except (OSError, ProcessLookupError):  # the worker is gone; whoever asks for it later will notice
                continue


def memory_of(pid):
    """Return the bytes of a process: resident, private, mapped files, and the kernel's peak."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    found = {
        name: int(rest.split()[0]) * 1024
        for name, _, rest in (line.partition(":") for line in lines)
        if rest[-2:] == "kB"
    }
    return {
        "peak": found["VmHWM"],
        "seen": found["VmRSS"],
        "mapped": found["RssFile"] + found["RssShmem"],
        "own": found["RssAnon"],
    }


def _higher(before, now):
    """Combine two samples: the larger state, the kernel's highest peak, and the highest private part."""
    if before is None:
        return now
    state = now if now["seen"] > before["seen"] else before
    return {**state, "peak": max(before["peak"], now["peak"]), "own": max(before["own"], now["own"])}


# Stages


class Timed(DaskRunner):
    """A runner that records the time of each stage, and how long the driver worked alone after it."""

    def __init__(self, client, store):
        super().__init__(client)
        self.store, self.most, self.stages, self.alone = Path(store), 0, {}, {}
        self._stage, self._last = "start", time.perf_counter()

    def tell(self, stage, _done, _total):
        """Learn from progress reports which stage the tasks belong to."""
        self._stage = stage

    def run(self, function, tasks, name):
        """Yield task numbers and results as they finish."""
        self.count_alone()
        timed, start = [(function, *task) for task in tasks], time.perf_counter()
        sums = {"busy": 0.0, "cpu": 0.0, "written": 0, "looked_at": 0.0, "tasks": len(tasks), "rounds": 1}
        for number, (result, spent) in super().run(call_timed, timed, name):
            for key, value in spent.items():
                sums[key] += value
            yield number, result
        sums["seconds"] = time.perf_counter() - start
        if tasks:
            before = self.stages.get(self._stage, {})
            self.stages[self._stage] = {key: value + before.get(key, 0) for key, value in sums.items()}
        self.most = max(self.most, size_of(self.store))
        self._last = time.perf_counter()

    def count_alone(self):
        """Count the time since the last task."""
        self.alone[self._stage] = self.alone.get(self._stage, 0.0) + time.perf_counter() - self._last


def call_timed(function, *task):
    """Run a task on a worker; return its result and what it used there."""
    start, cpu, written = time.perf_counter(), time.thread_time(), _written()
    result = function(*task)
    spent = {
        "busy": time.perf_counter() - start,
        "cpu": time.thread_time() - cpu,
        "written": _written() - written,
        "looked_at": _looked_at(result),
    }
    return result, spent


def _looked_at(result):
    """Return the fraction of two blocks' vertices that a join used, the second of two numbers; 0 for other tasks."""
    is_join = isinstance(result, tuple) and [type(one) for one in result] == [float, float]
    return result[1] if is_join else 0.0


def _written():
    """Return the bytes that this process has written to files so far, without sockets."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["wchar"])


def size_of(folder):
    """Return the total bytes of the files in a folder."""
    return sum(file.stat().st_size for file in os.scandir(folder) if file.is_file())


# A run


@contextmanager
def small_cluster(workers, memory):
    """Make a client for a cluster of processes on this machine."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Port .* is already in use", UserWarning)  # any port will do
        options = {**ON_THIS_MACHINE, "silence_logs": logging.ERROR}
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=memory, **options)
    with cluster, Client(cluster) as client:
        yield client


def compile_all():
    """Fill the kernel cache, so that workers load kernels instead of compiling them."""
    from bayesfloor.leaving.engine_runners import JoblibRunner

    for d in (2, 8):
        load_all(JoblibRunner(1), d)
    return {}


def load_all(runner, d):
    """Grow a small forest, which loads everything that a large one needs."""
    from bayesfloor.io import open_rows
    from bayesfloor.leaving.forest_out_of_core import Beyond, forest_beyond

    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # with few blocks all are neighbours
        rows = open_rows(make_rows(folder, "normal", _WARM, d))
        forest_beyond(rows, N_TREES, Beyond(runner, block_rows=_WARM // 8))


def measure_run(rows, work, workers=2, memory=MEMORY, block_rows=None, keep="first"):
    """Grow the forest of a folder of rows; return times, memory, bytes and counts. Edges go to the folder ``work``."""
    from bayesfloor.io import open_rows
    from bayesfloor.leaving.forest_out_of_core import Beyond, forest_beyond

    store = Path(work) / "store"
    store.mkdir()
    with small_cluster(workers, memory) as client:
        handle = open_rows(rows)
        load_all(DaskRunner(client), handle.shape[1])
        pids = list(client.run(os.getpid).values())
        with Watch([os.getpid(), *pids]) as watch, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            cpu, own, written = _cpu_seconds(pids), time.process_time(), _written()
            timed, start = Timed(client, store), time.perf_counter()
            forest, done = forest_beyond(handle, N_TREES, Beyond(timed, timed.tell, store, block_rows))
            timed.count_alone()
            seconds, cpu, own = time.perf_counter() - start, _cpu_seconds(pids) - cpu, time.process_time() - own
            written = _written() - written + sum(stage["written"] for stage in timed.stages.values())
        same = sorted(client.run(os.getpid).values()) == sorted(pids)
    n, d = handle.shape
    found = {
        "n": n,
        "d": d,
        "workers": workers,
        "memory": bytes_of_limit(memory),
        "block_rows": block_rows,
        "seconds": seconds,
        "worker_cpu": cpu,
        "driver_cpu": own,
        "stages": timed.stages,
        "alone": timed.alone,
        "driver": watch.peaks[os.getpid()],
        "worker_memory": [watch.peaks[pid] for pid in pids],
        "same_workers": same,
        "written": written,
        "store_most": max(timed.most, size_of(store)),
        "blocks": done.n_blocks,
        "pairs": done.n_pairs,
        "joined": done.n_joined,
        "loose": done.n_loose,
        "warned": any("pairs of blocks" in str(one.message) for one in caught),
        "trees": forest.tree_sizes.tolist(),
        "vertices": forest.n_vertices,
    }
    _keep_edges(forest, Path(work), keep)
    shutil.rmtree(store)
    return found


def bytes_of_limit(memory):
    """Return the bytes of a limit such as "500MB"."""
    from dask.utils import parse_bytes

    return parse_bytes(memory)


def _cpu_seconds(pids):
    from psutil import Process

    return sum(sum(Process(pid).cpu_times()[:2]) for pid in pids)


def _keep_edges(forest, work, keep):
    np.save(work / "first.npy", forest.length[forest.tree == 0])
    if keep == "all":
        for name in _EDGES:
            np.save(work / f"{name}.npy", getattr(forest, name))


# Checks


def compare_peer(rows, work):
    """Compare the first tree with quitefastmst's tree of the same rows; return the largest relative differences."""
    import math

    from quitefastmst import mst_euclid

    from bayesfloor.io import open_rows

    ours = np.sort(np.load(Path(work) / "first.npy"))
    theirs = np.sort(mst_euclid(open_rows(rows).read(), M=0)[0])
    assert len(ours) == len(theirs), f"first tree of {len(ours)} edges, the peer's of {len(theirs)}"
    weights = math.fsum(ours), math.fsum(theirs)
    return {
        "weight": abs(weights[0] - weights[1]) / weights[1],
        "lengths": float((np.abs(ours - theirs) / theirs).max()),
    }


def compare_memory(rows, work, n_jobs=2):
    """Grow the forest of the same rows in memory and assert equal edges; return its wall time and peak memory."""
    from bayesfloor import spanning_forest
    from bayesfloor.io import open_rows
    from benchmarks._timing import peak_gigabytes

    X = open_rows(rows).read()
    spanning_forest(X[:5000], n_jobs=n_jobs)
    start = time.perf_counter()
    forest = spanning_forest(X, N_TREES, n_jobs=n_jobs)
    seconds, peak = time.perf_counter() - start, peak_gigabytes()
    for name in _EDGES:
        assert np.array_equal(getattr(forest, name), np.load(Path(work) / f"{name}.npy")), f"{name} differs"
    return {"seconds": seconds, "peak": 1e9 * peak, "edges": len(forest.a)}
