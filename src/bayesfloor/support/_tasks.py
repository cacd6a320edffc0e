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
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from bayesfloor.support._parameters import check_n_jobs, release_blas

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


def free_memory() -> float:
    """Return how many bytes of memory are free, by what the system and its limits say; infinite if they do not say."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")))
    for most, used in _CGROUPS:
        with suppress(OSError, ValueError):
            found.append(float(Path(most).read_text()) - float(Path(used).read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource

        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            limit = resource.getrlimit(kind)[0]
            found += [float(limit)] if limit != resource.RLIM_INFINITY else []
    return min(found, default=float("inf"))


_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


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
    from joblib import Parallel, delayed

    check_n_jobs(n_jobs)
    where = {"require": "sharedmem"} if inside else {"prefer": "threads"}
    name = stage or "task"
    calls = (delayed(_call)(function, f"{name} {number}", task) for number, task in enumerate(tasks))
    results: Generator[Result] = Parallel(n_jobs=n_jobs, return_as="generator", **where)(calls)
    try:
        for done, result in enumerate(results, start=1):
            if progress is not None:
                progress(stage, done, total)
            yield result
    finally:
        with ignoring(UserWarning):  # joblib warns about results that an error or an interrupt leaves unused
            results.close()


def _call(function: Callable[..., Result], name: str, task: tuple[object, ...]) -> Result:
    """Return the task's result; errors get a note that names the task."""
    try:
        with _at_work():
            return function(*task)
    except Exception as error:
        error.add_note(f"at {name}")
        raise


# An interrupt may leave joblib's threads running. Python stops them abruptly at exit, and if that happens inside
# compiled C++ code, the process aborts. So the process waits for the threads that are running a task.
_busy: set[int] = set()
_exiting = threading.Event()
_LAST_TASKS = 10.0  # seconds that running tasks get to finish


@contextmanager
def _at_work() -> Iterator[None]:
    """Mark this thread as busy during a task; no task starts once the process is exiting."""
    me = threading.get_ident()
    if me in _busy or threading.current_thread() is threading.main_thread():
        yield
        return
    _busy.add(me)  # before looking at ``_exiting``: either the end waits for this thread, or the thread sees the end
    try:
        if _exiting.is_set():
            raise RuntimeError("the process is exiting")
        yield
    finally:
        _busy.discard(me)


@atexit.register
def _wait_for_tasks() -> None:
    _exiting.set()
    patience = time.monotonic() + _LAST_TASKS
    while _busy and time.monotonic() < patience:
        time.sleep(0.001)


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Limit OpenMP to one thread in the calling thread; enter it inside each task.

    BLAS has one limit for the whole process: tasks that set and restore it at the same time would leave it wrong.
    """
    with _pools("openmp", len(sys.modules)).limit(limits=1):
        yield


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
                self.limits.append(_pools("blas", self.n_modules).limit(limits=1))

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


@lru_cache(maxsize=2)
def _pools(api: str, _n_modules: int) -> Any:
    """Find all loaded copies of BLAS or OpenMP; the search is slow, so it is repeated only after an import."""
    import numpy as np  # noqa: F401 - loads its BLAS
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api=api)
