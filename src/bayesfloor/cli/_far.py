"""Data that stay where they are: read in pieces, by this machine or by a Dask cluster."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import click

from bayesfloor.cli._console import Output
from bayesfloor.cli.reading import Data, DataError
from bayesfloor.cli.reading._asked import Asked
from bayesfloor.cli.reading._labels_file import read_labels_file
from bayesfloor.engine._places import data_files
from bayesfloor.engine._text import printable
from bayesfloor.io._files import File, find_file
from bayesfloor.io._messages import join, refuse_unknown

_LARGE = 2e9  # bytes of features from which Parquet files are not read whole
_PATIENCE = "10s"  # until a scheduler has answered
_NOT_FAR = {
    "as_role": "--as",
    "clean_labels": "--clean-labels",
    "strict_input": "--strict-input",
    "groups": "--groups",
    "id_column": "--id",
    "image": "--image",
    "pixels": "--pixels",
    "predictions": "--predictions",
    "select": "--select",
    "show_rows": "--show-rows",
}


def check_engine(output: Output, given: dict[str, Any]) -> None:
    """Refuse options of an engine that is not asked for, and warn of those that do nothing."""
    if given.get("scheduler") and given.get("engine") != "dask":
        raise click.UsageError("--scheduler needs --engine dask.")
    if _is_asked(given) and (unfit := _unfit(given)):
        raise click.UsageError(f"{unfit[0]} needs all rows here: leave out --engine and --checkpoint.")
    if given.get("checkpoint") is not None and given["max_rows"] != 0:
        output.note("--checkpoint only helps when all rows are used: add --max-rows 0")


def stays_away(given: dict[str, Any]) -> bool:
    """Whether the data are to stay where they are: because somebody says so, or because they are large."""
    if _is_asked(given):
        return True
    if _unfit(given) or not _is_large(Path(given["path"])):
        return False
    try:
        open_data(given)
    except DataError:  # texts, say, which only the reader of whole files can use
        return False
    return True


def _is_asked(given: dict[str, Any]) -> bool:
    return given.get("engine") == "dask" or given.get("checkpoint") is not None


def _unfit(given: dict[str, Any]) -> list[str]:
    """Options that need all rows here."""
    return [flag for name, flag in _NOT_FAR.items() if given.get(name)]


def _is_large(path: Path) -> bool:
    if not (path.is_dir() or path.suffix == ".parquet") or not path.exists():
        return False
    files = data_files(path, (".parquet",)) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files) > _LARGE / 4  # what is packed in files unpacks to several times


def say_again(given: dict[str, Any]) -> list[str]:
    """The options of the engine, for the next command."""
    if not _is_asked(given):
        return []
    said = {f"--{name.replace('_', '-')}": given[name] for name in ("engine", "scheduler", "checkpoint", "max_rows")}
    return [str(word) for pair in said.items() if pair[1] not in (None, "threads") for word in pair]


def open_data(given: dict[str, Any]) -> Data:
    """The handle of the data, and what they are called."""
    names = ("label", "features", "drop", "embedding", "labels_file")
    asked = Asked(**{name: given[name] for name in names}, id_column=None, groups=None, image=None)
    asked.refuse_conflicts()
    if given["path"] == "-":
        raise DataError("standard input cannot be read in pieces. Expected a .parquet or .npy file, or a folder.")
    file = find_file(given["path"])
    if file.kind not in _OPENERS:
        raise DataError(
            f"{file.shown} cannot be read in pieces: --engine dask and --checkpoint need .parquet or .npy files, or a "
            "folder of .parquet files."
        )
    try:
        return _OPENERS[file.kind](file, Path(given["path"]), asked)
    except DataError:
        raise
    except (OSError, ValueError) as error:
        advice = str(error).replace("open_rows(path, columns=[...])", "-x, --drop or --embedding")
        raise DataError(advice) from error


def _open_parquet(file: File, path: Path, asked: Asked) -> Data:
    from bayesfloor.engine._parquet import column_names
    from bayesfloor.engine._rows import open_rows

    folders = {part for place in data_files(path, (".parquet",)) for part in place.relative_to(path).parts[:-1]}
    if named := sorted(name for name in folders if "=" in name):
        raise DataError(f"folders such as {join(named, 1)} are columns, which cannot be read in pieces.")
    names = column_names(path)
    if asked.label is None and not asked.labels_file:
        raise DataError(f"which column is the label? Use -y. Columns: {join(names, 12)}.")
    refuse_unknown(asked.named, names)
    columns = [asked.embedding] if asked.embedding else asked.choose(names, asked.roles)
    return _data_of(file, open_rows(path, columns), columns, asked)


def _open_npy(file: File, path: Path, asked: Asked) -> Data:
    from bayesfloor.engine._rows import open_rows

    if asked.features or asked.drop or asked.embedding:
        raise DataError(f"{file.shown} has no columns with names, so -x, --drop and --embedding cannot be used.")
    if not asked.labels_file:
        raise DataError(f"{file.shown} is read in pieces, so its labels need a file of their own: --labels-file.")
    rows = open_rows(path)
    return _data_of(file, rows, [f"x{k}" for k in range(rows.shape[1])], asked)


_OPENERS = {"Parquet": _open_parquet, "npy": _open_npy}


def _data_of(file: File, rows: Any, columns: list[str], asked: Asked) -> Data:
    name, y = str(asked.label), cast("Any", asked.label)  # the column is read where the rows are
    if asked.labels_file:
        name, y = read_labels_file(asked.labels_file, asked.label, rows.shape[0])
    return Data(file.name, rows, y, None, None, None, tuple(columns), name)


@contextmanager
def connect(output: Output, given: dict[str, Any]) -> Iterator[Any]:
    """A client of the Dask cluster asked for, or None; without an address, of two workers on this machine."""
    if given.get("engine") != "dask":
        yield None
        return
    try:
        import distributed as dask
        from distributed.comm.core import CommClosedError
    except ModuleNotFoundError as error:
        raise DataError('--engine dask needs Dask: pip install "bayesfloor[dask]".') from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what goes wrong is told once, below
    with _cluster(dask, output, given.get("scheduler")) as cluster, _client(dask, cluster) as client:
        if not client.nthreads():
            output.note(f"no worker at {printable(given['scheduler'])} yet: waiting for one")
        try:
            yield client
        except (CancelledError, CommClosedError) as error:
            raise DataError(
                "the Dask scheduler is gone, or has dropped the work. With --checkpoint and --max-rows 0, rerun the "
                "command to resume."
            ) from error


def _cluster(dask: Any, output: Output, address: str | None) -> Any:
    """The address, or two workers on this machine."""
    if address is not None:
        return nullcontext(address)
    output.note("starting two Dask workers on this machine; --scheduler ADDRESS uses a cluster")
    # Workers log what goes wrong, which is told here anyway; another cluster may have the dashboard's usual port.
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # workers inherit it: Ctrl-C is answered by one process
    try:
        return dask.LocalCluster(n_workers=2, threads_per_worker=1, **here)
    finally:
        signal.signal(signal.SIGINT, before)


def _client(dask: Any, cluster: Any) -> Any:
    try:
        return dask.Client(cluster, timeout=_PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise DataError(f"no Dask scheduler answers at {printable(cluster)}: {error}") from error
