"""Tasks run where the user's joblib says.

A task is a function of its arguments that returns its result and changes nothing, so it may run in
a thread beside the points or, under the user's own ``joblib.parallel_config``, anywhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from bayesfloor.engine._progress import Progress

Result = TypeVar("Result")


def effective_n_jobs(n_jobs: int | None) -> int:
    """How many tasks run side by side."""
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))


def run_tasks(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    progress: Progress | None = None,
    stage: str = "",
    total: int = 0,
) -> Iterator[Result]:
    """Results of ``function(*task)`` in the order of the tasks, as they come."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    with _closing(parallel(delayed(function)(*task) for task in tasks)) as results:
        for done, result in enumerate(results, start=1):
            if progress is not None:
                progress(stage, done, total)
            yield result


@contextmanager
def _closing(results: Generator[Result]) -> Iterator[Generator[Result]]:
    """Close at once what an error or an interrupt leaves unused; joblib would warn of it, later."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """OpenMP on one thread, for the thread that asks: to be entered inside each task.

    BLAS has one limit for the whole process; tasks that set and restored it side by side would leave it wrong.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="openmp"):
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products on one thread each: the tasks are the threads, never two pools at once."""
    with _blas().limit(limits=1):
        yield


@cache
def _blas() -> Any:
    """NumPy's BLAS; looking for it takes longer than a small forest, so once is enough."""
    import numpy as np  # noqa: F401 - loads it
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
