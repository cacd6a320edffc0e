"""Tasks run where the user's joblib says.

A task is a function of its arguments that returns its result and changes nothing, so it may run in
a thread beside the points or, under the user's own ``joblib.parallel_config``, anywhere else.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, TypeVar

from bayesfloor.engine._private_imports import active_backend, worker_death
from bayesfloor.engine._progress import Progress

Result = TypeVar("Result")


def effective_n_jobs(n_jobs: int | None) -> int:
    """How many tasks run side by side."""
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))


def shares_memory(n_jobs: int | None) -> bool:
    """Whether tasks see this process's arrays: threads do, and a single process; Dask's workers never."""
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
    """Results of ``function(*task)`` in the order of the tasks, as they come.

    Tasks ``inside`` others are small and share arrays: they run in threads whatever the user's
    ``parallel_config`` says.
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
    """Numbers of tasks and results of ``function(*task)``, as they come.

    What a worker that dies leaves undone is run again, after some deaths a single task first and then
    twice as many each time, so that the error can name the one that kills.
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
            elif not sent:  # else a run that ended with a death took a task to its grave
                return
        except _deaths() as error:
            died += 1
            if size == 1 and died > _DEATHS:
                raise WorkerDiedError(tell_death(f"{name} {next(iter(sent))}", died)) from error
            size = 1 if died >= _DEATHS else None


def _remember(
    tasks: Iterable[tuple[int, tuple[object, ...]]], sent: dict[int, tuple[object, ...]]
) -> Iterator[tuple[int, tuple[object, ...]]]:
    """The tasks as they are taken, kept until their results are back: rows are copied for some of them."""
    for number, task in tasks:
        sent[number] = task
        yield number, task


_DEATHS = 3  # of workers, after which tasks are run one by one


class WorkersPausedError(RuntimeError):
    """All workers have too little memory to go on."""


class WorkerDiedError(RuntimeError):
    """A worker died several times at one task."""


def tell_death(task: str, times: int) -> str:
    """What to say of a task that kills its workers."""
    return (
        f"Workers died {times} times, the last time at {task}. Most often they run out of memory: "
        "let fewer run side by side, give them more, or cut the rows into smaller blocks (block_rows)."
    )


def _deaths() -> tuple[type[Exception], ...]:
    """What is raised when a worker dies: by loky, and by Dask if it is in use."""
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

    where = {"require": "sharedmem"} if inside else {"prefer": "threads"}
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **where)
    made: Generator[tuple[int, Result]] = parallel(
        delayed(call)(function, number, f"{name} {number}", task) for number, task in tasks
    )
    return made


@contextmanager
def _closing(results: Generator[Result]) -> Iterator[Generator[Result]]:
    """Close at once what an error or an interrupt leaves unused; joblib would warn of it, later."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def call(function: Callable[..., Result], number: int, name: str, task: tuple[object, ...]) -> tuple[int, Result]:
    """The task's number and result; an error is told which task it comes from."""
    try:
        with _threads.at_work():
            return number, function(*task)
    except Exception as error:
        error.add_note(f"at {name}")
        raise


class _Threads:
    """Threads that are at a task, so that the process does not end under them.

    An interrupt may leave joblib's threads at work. Python cuts off those it finds at its end, and where that happens
    inside compiled C++ the process aborts.
    """

    def __init__(self) -> None:
        self.busy, self.ended = set[int](), False

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around a task; none begins any more in a thread of a process that ends."""
        me = threading.get_ident()
        if me in self.busy or threading.current_thread() is threading.main_thread():
            yield
            return
        self.busy.add(me)  # before it is asked whether to go on: whoever ends waits for this one, or this one knows
        try:
            if self.ended:
                raise RuntimeError("the process ends")
            yield
        finally:
            self.busy.discard(me)

    def end(self) -> None:
        """Wait for the tasks that run, for a while."""
        self.ended, patience = True, time.monotonic() + _LAST_TASKS
        while self.busy and time.monotonic() < patience:
            time.sleep(0.001)


_LAST_TASKS = 10.0  # seconds that they have to end
_threads = _Threads()
atexit.register(_threads.end)


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """OpenMP on one thread, for the thread that asks: to be entered inside each task.

    BLAS has one limit for the whole process; tasks that set and restored it side by side would leave it wrong.
    """
    with _openmp(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _openmp(_n_modules: int) -> Any:
    """All copies of OpenMP; they are looked for again, which takes long, only after something was imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products on one thread each: the tasks are the threads, never two pools at once."""
    with _blas("scipy.linalg" in sys.modules).limit(limits=1):
        yield


@cache
def _blas(_with_scipy: bool) -> Any:  # noqa: FBT001
    """NumPy's BLAS, and SciPy's own once it is there; looking for them takes longer than a small forest."""
    import numpy as np  # noqa: F401 - loads it
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
