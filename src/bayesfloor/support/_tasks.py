"""Ignore warnings and logs for a while, in a process with threads.

``warnings.catch_warnings`` restores the filters that it found. If two threads overlap, one of them may find the filters
of the other and restore those for good. scikit-learn uses this function in its own threads, and warns if it finds no
filters. Here all threads share one state: the first one to enter saves the filters, the last to leave restores them.
"""

from __future__ import annotations

import atexit
import logging
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from itertools import chain, islice
from typing import Any, TypeVar

from bayesfloor.support._parameters import active_backend, check_n_jobs, release_blas, worker_death

_lock = threading.Lock()
_active: Counter[tuple[str, type[Warning]]] = Counter()
_found: list[Any] = []  # filters and showwarning, as they were before the first thread entered


@contextmanager
def ignoring(category: type[Warning] = Warning, message: str = "") -> Iterator[None]:
    """Ignore warnings of this category whose text starts with ``message``; by default, ignore all warnings."""
    key = (message, category)
    with _lock:
        if not _active:
            _found[:] = [warnings.filters, warnings.showwarning]
        _active[key] += 1
        _apply()
    try:
        yield
    finally:
        with _lock:
            _active[key] -= 1
            if not _active[key]:
                del _active[key]
            _apply()


def _apply() -> None:
    """Restore the saved filters, and put the active ones in front of them."""
    module: Any = warnings
    module.filters, module.showwarning = _found
    if not _active:
        _found.clear()
        return
    module.filters = list(module.filters)
    for message, category in _active:
        warnings.filterwarnings("ignore", message, category)
    if ("", Warning) in _active:
        module.showwarning = _drop


def _drop(*_: Any, **__: Any) -> None:
    """Drop a warning that a thread raises while another thread has emptied the filters."""


@contextmanager
def logging_only(name: str, level: int) -> Iterator[None]:
    """Set a logger's level for a while, and restore the old one afterwards."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)


Progress = Callable[[str, int, int], None]


Result = TypeVar("Result")


def effective_n_jobs(n_jobs: int | None) -> int:
    """Return the number of tasks that run at the same time."""
    import joblib

    check_n_jobs(n_jobs)
    return int(joblib.effective_n_jobs(n_jobs))


def shares_memory(n_jobs: int | None) -> bool:
    """Whether tasks can use this process's arrays: threads and a single process can, Dask workers cannot."""
    backend = active_backend()
    if getattr(backend, "supports_sharedmem", False):
        return True
    return effective_n_jobs(n_jobs) == 1 and not type(backend).__name__.startswith("Dask")


def run_tasks(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    progress: Progress | None = None,
    stage: str = "",
    total: int = 0,
    inside: bool = False,
) -> Iterator[Result]:
    """Yield the results of ``function(*task)`` in the order of the tasks, each as soon as possible.

    Tasks ``inside`` other tasks are small and share arrays, so they always run in threads, regardless of the user's
    ``parallel_config``.
    """
    waiting: dict[int, Result] = {}
    results = run_unordered(function, tasks, n_jobs=n_jobs, name=stage or "task", inside=inside)
    with closing(results):
        for done, (number, result) in enumerate(results, start=1):
            if progress is not None:
                progress(stage, done, total)
            waiting[number] = result
            while (turn := done - len(waiting)) in waiting:
                yield waiting.pop(turn)


def run_unordered(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    name: str = "task",
    inside: bool = False,
) -> Generator[tuple[int, Result]]:
    """Yield each task's number and the result of ``function(*task)`` as soon as it is finished.

    If a worker dies, its unfinished tasks run again. After several deaths, tasks run in batches of 1, 2, 4 and so on,
    so that the error can name the task that kills its worker.
    """
    source, sent, died = enumerate(tasks), dict[int, tuple[object, ...]](), 0
    size: int | None = None  # all at once
    while True:
        left = _remember(chain(list(sent.items()), source), sent)
        batch: Iterable[tuple[int, tuple[object, ...]]] = left if size is None else list(islice(left, size))
        if batch == []:
            return
        try:
            with _closing(_run(function, batch, n_jobs, name, inside=inside)) as results:
                for number, result in results:
                    del sent[number]
                    yield number, result
            if size is not None:
                size *= 2
            elif not sent:  # if a task is left, a dying worker has lost it, and it must run again
                return
        except _deaths() as error:
            died += 1
            if size == 1 and died > _DEATHS:
                raise WorkerDiedError(tell_death(f"{name} {next(iter(sent))}", died)) from error
            size = 1 if died >= _DEATHS else None


def _remember(
    tasks: Iterable[tuple[int, tuple[object, ...]]], sent: dict[int, tuple[object, ...]]
) -> Iterator[tuple[int, tuple[object, ...]]]:
    """Yield tasks and remember each one only until its result is back: some tasks hold copies of rows."""
    for number, task in tasks:
        sent[number] = task
        yield number, task


_DEATHS = 3  # after this many dead workers, tasks run one by one


class WorkersPausedError(RuntimeError):
    """All workers have too little memory to continue."""


class WorkerDiedError(RuntimeError):
    """One task killed its worker several times."""


def tell_death(task: str, times: int) -> str:
    """Return the message for a task that kills its workers."""
    return (
        f"Workers died {times} times, most recently while running {task}. They probably ran out of memory: "
        "run fewer of them at a time, give each one more memory, or use smaller blocks of rows (block_rows)."
    )


def _deaths() -> tuple[type[Exception], ...]:
    """Return the exceptions raised when a worker dies: by loky, and by Dask if it is in use."""
    dask = sys.modules.get("distributed")
    return (worker_death(),) if dask is None else (worker_death(), dask.KilledWorker)


def _run(
    function: Callable[..., Result],
    tasks: Iterable[tuple[int, tuple[object, ...]]],
    n_jobs: int | None,
    name: str,
    *,
    inside: bool,
) -> Generator[tuple[int, Result]]:
    from joblib import Parallel, delayed

    check_n_jobs(n_jobs)
    where = {"require": "sharedmem"} if inside else {"prefer": "threads"}
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **where)
    made: Generator[tuple[int, Result]] = parallel(
        delayed(call)(function, number, f"{name} {number}", task) for number, task in tasks
    )
    return made


@contextmanager
def _closing(results: Generator[Result]) -> Iterator[Generator[Result]]:
    """Close results that an error or an interrupt leaves unused; joblib would warn about them later."""
    try:
        yield results
    finally:
        with ignoring(UserWarning):
            results.close()


def call(function: Callable[..., Result], number: int, name: str, task: tuple[object, ...]) -> tuple[int, Result]:
    """Return the task's number and result; errors get a note that names the task."""
    try:
        with _threads.at_work():
            return number, function(*task)
    except Exception as error:
        error.add_note(f"at {name}")
        raise


class _Threads:
    """Tracks threads that are running a task, so that the process does not exit while they run.

    An interrupt may leave joblib's threads running. Python stops them abruptly at exit, and if that happens inside
    compiled C++ code, the process aborts.
    """

    def __init__(self) -> None:
        self.busy, self.ended = set[int](), False

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Mark this thread as busy during a task; no task starts once the process is exiting."""
        me = threading.get_ident()
        if me in self.busy or threading.current_thread() is threading.main_thread():
            yield
            return
        self.busy.add(me)  # before checking ``ended``: either ``end`` waits for this thread, or it sees ``ended``
        try:
            if self.ended:
                raise RuntimeError("the process is exiting")
            yield
        finally:
            self.busy.discard(me)

    def end(self) -> None:
        """Wait for running tasks, up to a time limit."""
        self.ended, patience = True, time.monotonic() + _LAST_TASKS
        while self.busy and time.monotonic() < patience:
            time.sleep(0.001)


_LAST_TASKS = 10.0  # seconds that running tasks get to finish
_threads = _Threads()
atexit.register(_threads.end)


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Limit OpenMP to one thread in the calling thread; enter it inside each task.

    BLAS has one limit for the whole process: tasks that set and restore it at the same time would leave it wrong.
    """
    with _openmp(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _openmp(_n_modules: int) -> Any:
    """Find all loaded OpenMP libraries; the slow search is repeated only after new imports."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run each matrix product on one thread: tasks already run in threads, and two thread pools would compete."""
    _blas_limits.enter()
    try:
        yield
    finally:
        _blas_limits.leave()


class _BlasLimits:
    """Limits BLAS in the whole process: the first thread to enter sets the limit, the last one to leave restores it.

    A library that was loaded in the meantime is limited when the next thread enters.
    """

    def __init__(self) -> None:
        self.lock, self.inside, self.n_modules = threading.Lock(), 0, 0
        self.limits: list[Any] = []

    def enter(self) -> None:
        """Limit all copies of BLAS that are not limited yet."""
        with self.lock:
            self.inside += 1
            if self.inside == 1 or self.n_modules != len(sys.modules):
                self.n_modules = len(sys.modules)
                release_blas()
                self.limits.append(_blas(self.n_modules).limit(limits=1))

    def leave(self) -> None:
        """Restore the original limits."""
        with self.lock:
            self.inside -= 1
            if self.inside:
                return
            release_blas()  # because another thread may have set the limit
            while self.limits:
                self.limits.pop().restore_original_limits()
            release_blas()


_blas_limits = _BlasLimits()


@lru_cache(maxsize=1)
def _blas(_n_modules: int) -> Any:
    """Find all copies of BLAS, NumPy's and SciPy's; the search is slow, so it repeats only after an import."""
    import numpy as np  # noqa: F401 - loads it
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
