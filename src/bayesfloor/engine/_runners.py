"""Who runs the tasks of a large piece of work: the user's joblib, or the user's Dask.

Both take a function and tasks of a few words each, and give back numbers of tasks and small results
as they come. Whatever is large goes through files that tasks open where they run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from time import perf_counter, sleep
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import (
    WorkerDiedError,
    WorkersPausedError,
    call,
    effective_n_jobs,
    run_unordered,
    shares_memory,
    tell_death,
)

Result = TypeVar("Result")

# Options of a local cluster. Workers log what goes wrong, which is told anyway; another may have the usual port.
ON_THIS_MACHINE: dict[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
}

_BATCH_SECONDS = 0.25  # of work in one future, where tasks are small
_PATIENCE = 10.0  # seconds without a result until workers are looked at
_SHORTEST_NAP, _LONGEST_NAP = 0.001, 0.05  # seconds
_LOOKS = 3  # that find all of them paused: Dask would wait for ever
_AHEAD = 3  # futures for each thread of a worker: enough to keep it busy, few enough to be forgotten


class Runner(Protocol):
    """Runs tasks, in any order and anywhere."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def shares_memory(self) -> bool:
        """Whether tasks see this process's arrays."""

    @property
    def n_workers(self) -> int:
        """How many tasks run side by side."""

    @property
    def memory(self) -> int | None:
        """Bytes that one task may take, if anybody has said so."""

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Numbers of tasks and results, as they come."""


class JoblibRunner:
    """Runs tasks where the user's ``joblib.parallel_config`` says; in threads if it says nothing."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.memory = None

    @property
    def name(self) -> str:
        """What it is called."""
        return f"joblib with {self.n_workers} at a time"

    @property
    def shares_memory(self) -> bool:
        """Whether tasks see this process's arrays."""
        return shares_memory(self.n_jobs)

    @property
    def n_workers(self) -> int:
        """How many tasks run side by side."""
        return effective_n_jobs(self.n_jobs)

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Numbers of tasks and results, as they come."""
        yield from run_unordered(function, tasks, n_jobs=self.n_jobs, name=name)


class DaskRunner:
    """Runs tasks as futures of a Dask client.

    Never more futures than keep the workers busy, so that the scheduler has little to remember;
    tasks that turn out small go several to a future.
    """

    shares_memory = False

    def __init__(self, client: Any) -> None:
        self.client = _check_client(client)

    @property
    def name(self) -> str:
        """What it is called."""
        return f"Dask with {self.n_workers} at a time"

    @property
    def n_workers(self) -> int:
        """How many tasks run side by side."""
        return max(1, sum(self.client.nthreads().values()))

    @property
    def memory(self) -> int | None:
        """Bytes that one task may take: the tightest worker's share for each of its threads."""
        limits: list[int] = self.client.run_on_scheduler(_memory_of_threads)
        return min(limits, default=None)

    def run(
        self, function: Callable[..., Result], tasks: Sequence[tuple[object, ...]], name: str
    ) -> Generator[tuple[int, Result]]:
        """Numbers of tasks and results, as they come.

        Dask blames all that was sent to the workers that died; what it blames is run again one by one,
        so that the error can name the one that kills.
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
        """Results until all tasks are done, or until some are blamed and the others that were sent are done."""
        import distributed

        dask: Any = distributed  # which has no types
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
        """Until it is; or until nothing will ever be, since all workers are paused.

        Asked often at first and less and less: a nap adds a tenth to the time waited.
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
        f"Dask paused all of its {len(paused)} workers: with no task at hand they use up to {used / 1e6:,.0f} MB of "
        f"{limit / 1e6:,.0f} MB each, and nothing would go on. Give workers more memory (memory_limit), or have fewer."
    )


class _Flow:
    """How many tasks go into the next future."""

    def __init__(self, total: int) -> None:
        self.at, self.total, self.seconds = 0, total, float("inf")

    @property
    def left(self) -> int:
        return self.total - self.at

    def learn(self, seconds: float) -> None:
        """Remember how long a task took of late."""
        known = self.seconds < float("inf")
        self.seconds = 0.5 * (self.seconds + seconds) if known else seconds

    def next_batch(self, workers: int) -> range:
        """The numbers of the next tasks: one while nothing is known, and few where few are left."""
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
    """Runs on the scheduler: bytes that each thread of each worker may take."""
    workers = dask_scheduler.workers.values()
    return [worker.memory_limit // max(1, worker.nthreads) for worker in workers if worker.memory_limit]


def _memory_of_paused(dask_scheduler: Any) -> list[tuple[int, int]]:
    """Runs on the scheduler: bytes used and allowed by each worker, if all are paused and idle; else nothing."""
    workers = list(dask_scheduler.workers.values())
    if any(worker.status.name != "paused" or worker.executing for worker in workers):
        return []
    return [(worker.metrics.get("memory", 0), worker.memory_limit or 0) for worker in workers]


def make_runner(client: Any, n_jobs: int | None) -> Runner:
    """The runner for a user's Dask client, or for joblib where there is none."""
    return JoblibRunner(n_jobs) if client is None else DaskRunner(client)


def _check_client(client: Any) -> Any:
    if not all(hasattr(client, name) for name in ("submit", "nthreads", "run_on_scheduler")):
        raise TypeError(
            f"Got client={client!r}, but expected a distributed.Client, as in "
            "distributed.Client('tcp://scheduler:8786')."
        )
    if getattr(client, "asynchronous", False):
        raise TypeError("Got an asynchronous client, but expected a plain one: Client(..., asynchronous=False).")
    return client


def follow(
    results: Generator[tuple[int, Result]], progress: Progress | None, stage: str, total: int, done: int = 0
) -> Iterator[tuple[int, Result]]:
    """The results as they come, told to whoever wants to know."""
    with closing(results):
        for number, result in results:
            done += 1
            if progress is not None:
                progress(stage, done, total)
            yield number, result
