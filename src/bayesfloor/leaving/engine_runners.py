"""Run the tasks of a large job with the user's joblib or on the user's Dask cluster.

Both runners take a function and small tasks, and yield each task's number and small result as soon as it is finished.
Large data are passed in files that each task opens on the machine it runs on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from time import perf_counter, sleep
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from bayesfloor.support._errors import InputTypeError
from bayesfloor.support._tasks import (
    Progress,
    WorkerDiedError,
    WorkersPausedError,
    call,
    effective_n_jobs,
    run_unordered,
    shares_memory,
    tell_death,
)
from bayesfloor.support._words import how_many

Result = TypeVar("Result")

# Options for a local cluster. Workers' logs only repeat errors that we raise; the usual dashboard port may be in use.
ON_THIS_MACHINE: dict[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
}

_BATCH_SECONDS = 0.25  # of work per future if tasks are small
_PATIENCE = 10.0  # seconds without a result before we check the workers
_SHORTEST_NAP, _LONGEST_NAP = 0.001, 0.05  # seconds
_LOOKS = 3  # stop after this many checks in a row find all workers paused: Dask would wait forever
_AHEAD = 3  # futures per worker thread: enough to keep it busy, few enough not to burden the scheduler


class Runner(Protocol):
    """Runs tasks in any order, on this machine or on others."""

    @property
    def name(self) -> str:
        """Name shown to the user."""

    @property
    def shares_memory(self) -> bool:
        """Whether tasks can use this process's arrays directly."""

    @property
    def n_workers(self) -> int:
        """Number of tasks that run at the same time."""

    @property
    def memory(self) -> int | None:
        """Bytes of memory that one task may use, or None if there is no limit."""

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Yield each task's number and result as soon as the task is finished."""


class JoblibRunner:
    """Runs tasks with the user's ``joblib.parallel_config``, or in threads if there is none."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.memory = None

    @property
    def name(self) -> str:
        """Name shown to the user."""
        return f"joblib, {how_many(self.n_workers, 'task')} at a time"

    @property
    def shares_memory(self) -> bool:
        """Whether tasks can use this process's arrays directly."""
        return shares_memory(self.n_jobs)

    @property
    def n_workers(self) -> int:
        """Number of tasks that run at the same time."""
        return effective_n_jobs(self.n_jobs)

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Yield each task's number and result as soon as the task is finished."""
        yield from run_unordered(function, tasks, n_jobs=self.n_jobs, name=name)


class DaskRunner:
    """Runs tasks as futures of a Dask client.

    It submits only as many futures as keep the workers busy, so that the scheduler has little to remember.
    Tasks that turn out to be small are grouped into one future.
    """

    shares_memory = False

    def __init__(self, client: Any) -> None:
        self.client = _check_client(client)

    @property
    def name(self) -> str:
        """Name shown to the user."""
        return f"Dask, {how_many(self.n_workers, 'task')} at a time"

    @property
    def n_workers(self) -> int:
        """Number of tasks that run at the same time."""
        return max(1, sum(self.client.nthreads().values()))

    @property
    def memory(self) -> int | None:
        """Bytes of memory that one task may use: the smallest memory limit per thread among the workers."""
        limits: list[int] = self.client.run_on_scheduler(_memory_of_threads)
        return min(limits, default=None)

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Yield each task's number and result as soon as the task is finished.

        When workers die, Dask blames every task that was sent to them. These tasks run again one by one,
        so that the error can name the task that kills its worker.
        """

        def submit(batch: range) -> Any:
            named = [(number, f"{name} {number}", tasks[number]) for number in batch]
            key = f"bayesfloor-{name.replace(' ', '-')}-{batch.start}-{uuid4().hex[:8]}"
            return self.client.submit(_call_all, function, named, key=key, pure=False)

        flow = _Flow(len(tasks))
        while flow.left:
            blamed = list[int]()
            yield from self._run_side_by_side(submit, flow, blamed)
            for number in blamed:
                yield from self._run_alone(submit, number, name)

    def _run_side_by_side(
        self, submit: Callable[[range], Any], flow: _Flow, blamed: list[int]
    ) -> Generator[tuple[int, Any]]:
        """Yield results until all tasks are done, or, if some are blamed, until the other submitted ones are done."""
        import distributed

        dask: Any = distributed  # it has no type hints
        done, running = dask.as_completed(loop=self.client.loop), dict[Any, range]()
        try:
            while running or (flow.left and not blamed):
                workers = self.n_workers
                while flow.left and not blamed and len(running) < _AHEAD * workers:
                    batch = flow.next_batch(workers)
                    future = submit(batch)
                    running[future] = batch
                    done.add(future)
                self._await(done.has_ready)
                future = next(done)
                try:
                    seconds, results = future.result()
                except dask.KilledWorker:
                    self.client.cancel([future])
                    blamed += running.pop(future)
                    continue
                del running[future]
                flow.learn(seconds / len(results))
                yield from results
        finally:
            self.client.cancel(list(running))

    def _run_alone(self, submit: Callable[[range], Any], number: int, name: str) -> Generator[tuple[int, Any]]:
        from distributed import KilledWorker

        future = submit(range(number, number + 1))
        try:
            self._await(future.done)
            _, results = future.result()
        except KilledWorker as error:
            raise WorkerDiedError(tell_death(f"{name} {number}", error.allowed_failures + 1)) from error
        finally:
            self.client.cancel([future])
        yield from results

    def _await(self, is_ready: Callable[[], bool]) -> None:
        """Wait until the result is ready; raise if all workers are paused, because then no result will come.

        Poll often at first, then less often: each nap is a tenth of the time waited so far.
        """
        start = looked = perf_counter()
        looks = 0
        while not is_ready():
            now = perf_counter()
            sleep(min(_LONGEST_NAP, max(_SHORTEST_NAP, (now - start) / 10)))
            if now - looked > _PATIENCE:
                paused: list[tuple[int, int]] = self.client.run_on_scheduler(_memory_of_paused)
                looks, looked = looks + 1 if paused else 0, now
                if looks == _LOOKS:
                    raise WorkersPausedError(_tell_paused(paused))


def _tell_paused(paused: list[tuple[int, int]]) -> str:
    used, limit = max(paused)
    return (
        f"Dask has paused all workers ({len(paused)}): even without a task they use up to {used / 1e6:,.0f} MB of "
        f"{limit / 1e6:,.0f} MB each, so no task can run. Give each worker more memory (memory_limit) or use fewer."
    )


class _Flow:
    """Decides how many tasks to put into the next future."""

    def __init__(self, total: int) -> None:
        self.at, self.total, self.seconds = 0, total, float("inf")

    @property
    def left(self) -> int:
        return self.total - self.at

    def learn(self, seconds: float) -> None:
        """Update the running mean of the seconds per task."""
        known = self.seconds < float("inf")
        self.seconds = 0.5 * (self.seconds + seconds) if known else seconds

    def next_batch(self, workers: int) -> range:
        """Return the numbers of the next tasks: one while run times are unknown, and few if few tasks are left."""
        enough = int(_BATCH_SECONDS / max(self.seconds, 1e-6))
        size = max(1, min(enough, self.left // (2 * workers)))
        self.at += size
        return range(self.at - size, self.at)


def _call_all(
    function: Callable[..., Result], tasks: list[tuple[int, str, tuple[object, ...]]]
) -> tuple[float, list[tuple[int, Result]]]:
    start = perf_counter()
    results = [call(function, *task) for task in tasks]
    return perf_counter() - start, results


def _memory_of_threads(dask_scheduler: Any) -> list[int]:
    """Return the bytes that one thread of each worker may use; runs on the scheduler."""
    workers = dask_scheduler.workers.values()
    return [worker.memory_limit // max(1, worker.nthreads) for worker in workers if worker.memory_limit]


def _memory_of_paused(dask_scheduler: Any) -> list[tuple[int, int]]:
    """Return bytes used and allowed per worker if all are paused and idle, else nothing; runs on the scheduler."""
    workers = list(dask_scheduler.workers.values())
    if any(worker.status.name != "paused" or worker.executing for worker in workers):
        return []
    return [(worker.metrics.get("memory", 0), worker.memory_limit or 0) for worker in workers]


def make_runner(client: Any, n_jobs: int | None) -> Runner:
    """Return a runner for the user's Dask client, or for joblib if there is none."""
    return JoblibRunner(n_jobs) if client is None else DaskRunner(client)


def _check_client(client: Any) -> Any:
    if not all(hasattr(client, name) for name in ("submit", "nthreads", "run_on_scheduler")):
        raise InputTypeError(
            f"Got client={client!r}, but expected a distributed.Client, for example "
            "distributed.Client('tcp://scheduler:8786')."
        )
    if getattr(client, "asynchronous", False):
        raise InputTypeError(
            "Got an asynchronous client, but expected a synchronous one: Client(..., asynchronous=False)."
        )
    return client


def follow(
    results: Generator[tuple[int, Result]], progress: Progress | None, stage: str, total: int, done: int = 0
) -> Iterator[tuple[int, Result]]:
    """Pass results on as they arrive, and report progress."""
    with closing(results):
        for number, result in results:
            done += 1
            if progress is not None:
                progress(stage, done, total)
            yield number, result
