"""Boosting on a Dask cluster: each worker reads and bins its own pieces, and LightGBM joins their trees.

Workers read the files themselves, so that no rows are sent but those that bins are chosen from and that training stops
on. Neither ``lightgbm.dask``, which needs all raw rows in the workers' memory and hangs with early stopping, nor frames
of Dask are used. A worker has a run of pieces: to read every second one, it would decode all row groups.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from time import sleep
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from bayesfloor.support._errors import InputError

if TYPE_CHECKING:
    from bayesfloor.io._all_rows import Rows, Spec

logger = logging.getLogger(__name__)

_CONNECT = 1  # minutes that LightGBM waits for other workers, which start to train at the same time
_LOOK = 0.2  # seconds between two looks at the workers
_LOOKS = 15  # looks until Dask has surely noticed that a worker is gone


class Job(NamedTuple):
    """What workers are to train: ``held`` are rows and labels to choose bins from, and to stop on."""

    options: dict[str, Any]
    rounds: int
    patience: int
    low: float
    high: float
    unit: tuple[float, float]  # centre and spread of numbers
    codes: Any  # columns that are codes
    held: tuple[tuple[Any, Any], tuple[Any, Any]]


def boost_on_workers(client: Any, rows: Rows, job: Job) -> tuple[Any, int, bool]:
    """Return LightGBM's model, trained on all workers, its best round, and whether that was the last one allowed.

    If a worker goes, training starts again on those that are left.
    """
    import lightgbm

    spec = rows.spec()
    for _ in range(1 + len(client.nthreads())):  # those that went may come back, and go again
        if not (workers := client.nthreads()):
            break
        some = dict(sorted(workers.items())[: len(rows.pieces)])
        try:
            model, best, capped = _train_once(client, spec, job, some)
        except Exception as error:
            if not (gone := _gone(client, some, _LOOKS)):
                raise InputError(f"Training on Dask workers failed: {error}") from error
            logger.info("%d of %d workers are gone; training again on those that are left", len(gone), len(some))
        else:
            return lightgbm.Booster(model_str=model), best, capped
    raise InputError("No Dask worker is left to train on. Start workers and run this again, with resume= to go on.")


def _train_once(client: Any, spec: Spec, job: Job, workers: dict[str, int]) -> tuple[str, int, bool]:
    stop, names = f"bayesfloor-{uuid4()}", list(workers)
    futures: list[Any] = []
    try:
        (held,) = client.scatter([job], workers=names[:1], hash=False)
        ends = [round(part / len(names), 9) for part in range(len(names) + 1)]
        for at, name in enumerate(names):
            options = job.options | {"num_threads": workers[name], "pre_partition": True, "tree_learner": "data"}
            given = (spec, held, (ends[at], ends[at + 1]), options)
            futures.append(client.submit(_Binned, *given, workers=[name], pure=False))
        _wait(client, futures, workers)
        found = [client.submit(_free_port, workers=[name], pure=False) for name in names]
        _wait(client, found, workers)
        ports = client.gather(found)
        hosts = [urlsplit(name).hostname or "127.0.0.1" for name in names]
        machines = ",".join(f"{host}:{port}" for host, port in zip(hosts, ports, strict=True))
        network = {"machines": machines, "num_machines": len(names), "time_out": _CONNECT}
        trained = [
            client.submit(_train, data, held, network | {"local_listen_port": port}, stop, workers=[name], pure=False)
            for data, port, name in zip(futures, ports, names, strict=True)
        ]
        futures += trained
        _wait(client, trained, workers)
        return tuple(trained[0].result())
    finally:
        with suppress(Exception):
            _dask().Event(stop, client).set()
        client.cancel(futures, force=True)


def _wait(client: Any, futures: Sequence[Any], workers: dict[str, int]) -> None:
    """Wait for all results; raise as soon as one fails or a worker has gone."""
    while pending := [future for future in futures if future.status != "finished"]:
        for future in pending:
            if future.status != "pending":
                future.result()  # raises
        if _gone(client, workers):
            raise ConnectionError("a worker has gone")
        with suppress(TimeoutError):
            _dask().wait(pending, timeout=_LOOK)


def _gone(client: Any, workers: dict[str, int], n_looks: int = 1) -> set[str]:
    """Return which workers the cluster has lost, as soon as it knows of any."""
    for _ in range(n_looks):
        if gone := set(workers) - set(client.nthreads()):
            return gone
        sleep(_LOOK * (n_looks > 1))
    return set()


def _dask() -> Any:
    return import_module("distributed")  # as anything: its functions have no types


# On a worker


class _Binned:
    """A worker's part of the training rows, as bins in its memory."""

    def __init__(self, spec: Spec, job: Job, part: tuple[float, float], options: dict[str, Any]) -> None:
        import lightgbm

        from bayesfloor.answer._pieces import pieces
        from bayesfloor.io._all_rows import Rows

        rows, (few, stop) = Rows(spec), job.held
        first, last = (round(end * len(rows.pieces)) for end in part)
        bins = lightgbm.Dataset(*few, params=options, categorical_feature=job.codes, free_raw_data=False).construct()
        X = list(pieces(lightgbm, rows, job.low, job.high, lambda *_: None, range(first, last)))
        ends = np.append(0, np.cumsum(rows.pieces))[[first, last]]
        inside = (rows.place >= job.low) & (rows.place < job.high)
        y = (rows.y[slice(*ends)][inside[slice(*ends)]] - job.unit[0]) / job.unit[1]
        self.options, self.rank = options, first
        self.data = lightgbm.Dataset(X, y.astype(np.float32), reference=bins, params=options).construct()
        self.stop = lightgbm.Dataset(*stop, reference=bins, params=options)


def _free_port() -> int:
    with socket.create_server(("", 0)) as found:
        return int(found.getsockname()[1])


def _train(part: _Binned, job: Job, network: dict[str, Any], stop: str) -> tuple[str, int, bool]:
    """Train together with the other workers, which all get the same model."""
    import lightgbm

    ended = _dask().Event(stop)

    def look(_: Any) -> None:
        if ended.is_set():
            raise InterruptedError("training was stopped")

    callbacks: list[Any] = [look, lightgbm.early_stopping(job.patience, verbose=False)]
    try:
        model = lightgbm.train(part.options | network, part.data, job.rounds, [part.stop], callbacks=callbacks)
    finally:  # of the process: training that failed would leave it behind
        free: Any = lightgbm.Booster.free_network
        free(SimpleNamespace())
    best = model.best_iteration or model.current_iteration()
    return model.model_to_string(num_iteration=-1), best, model.current_iteration() >= job.rounds
