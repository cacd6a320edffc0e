"""Data that stay in their files: read in pieces, by this machine or by a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from bayesfloor.cli._options import Settings, flag_of
from bayesfloor.cli._terminal import Output, starting_workers, stop_if_asked
from bayesfloor.io._find_file import find_file
from bayesfloor.io._messages import DataError
from bayesfloor.support._files import redact
from bayesfloor.support._parameters import check_folder
from bayesfloor.support._tasks import logging_only
from bayesfloor.support._words import printable

_PATIENCE = "10s"  # time for a scheduler to answer
_NOT_FAR = (
    *("as_role", "clean_labels", "strict_input", "groups", "id_column"),
    *("image", "predictions", "select", "show_rows"),
)


def check_engine(output: Output, settings: Settings) -> None:
    """Raise an error for options that do not fit the engine, and warn about those that have no effect."""
    check_folder(settings.checkpoint)
    if settings.scheduler and settings.engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask.")
    if _is_asked(settings) and (unfit := _unfit(settings)):
        raise click.UsageError(f"{unfit[0]} needs all rows in memory: leave out --engine and --checkpoint.")
    if settings.checkpoint is not None and settings.max_rows != 0:
        output.note("--checkpoint only helps when all rows are used: add --max-rows 0")


def stays_away(settings: Settings) -> bool:
    """Whether to leave the data in their files: on request, or if all rows of a large file are used."""
    if _is_asked(settings):
        return True
    return settings.max_rows == 0 and not _unfit(settings) and settings.path != "-" and _is_large(settings.path)


def _is_asked(settings: Settings) -> bool:
    return settings.engine == "dask" or settings.checkpoint is not None


def _unfit(settings: Settings) -> list[str]:
    """List the given options that need all rows in memory."""
    return [flag_of(name) for name in _NOT_FAR if getattr(settings, name)]


def _is_large(path: str) -> bool:
    file = find_file(path)
    return file.kind in ("Parquet", "npy") and file.is_large


def say_again(settings: Settings) -> list[str]:
    """Return the engine's options, to repeat them in the next command."""
    if not _is_asked(settings):
        return []
    said: dict[str, Any] = {"--engine": settings.engine, "--scheduler": settings.scheduler}
    said |= {"--checkpoint": settings.checkpoint, "--max-rows": settings.max_rows}
    return [redact(word) for pair in said.items() if pair[1] not in (None, "threads") for word in pair]


@contextmanager
def connect(output: Output, settings: Settings) -> Iterator[Any]:
    """Connect to the Dask cluster, by default two workers on this machine; None without ``--engine dask``."""
    if settings.engine != "dask":
        yield None
        return
    try:
        import distributed as dask
        from distributed.comm.core import CommClosedError
    except ModuleNotFoundError as error:
        raise DataError('--engine dask needs Dask: pip install "bayesfloor[dask]".') from error
    with (
        logging_only("distributed.client", logging.CRITICAL),  # errors are reported once, below
        _cluster(dask, output, settings.scheduler) as cluster,
        _client(dask, cluster) as client,
    ):
        stop_if_asked()
        if not client.nthreads():
            output.note(f"no worker at {printable(redact(settings.scheduler))} yet: waiting for one")
        try:
            yield client
        except (CancelledError, CommClosedError) as error:
            raise DataError(
                "the Dask scheduler is gone or cancelled the work. With --checkpoint and --max-rows 0, rerun the "
                "command to resume."
            ) from error


def _cluster(dask: Any, output: Output, address: str | None) -> Any:
    """Return the address, or start two workers on this machine."""
    if address is not None:
        return nullcontext(address)
    output.note("starting two Dask workers on this machine; --scheduler ADDRESS uses a cluster")
    from bayesfloor.leaving.engine_runners import ON_THIS_MACHINE

    with starting_workers():
        return dask.LocalCluster(n_workers=2, threads_per_worker=1, **ON_THIS_MACHINE)


def _client(dask: Any, cluster: Any) -> Any:
    try:
        return dask.Client(cluster, timeout=_PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise DataError(f"no Dask scheduler answers at {redact(cluster)}: {redact(error, str(cluster))}") from error
