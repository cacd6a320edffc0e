"""Copy files from an address, for readers that need whole files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bayesfloor.engine._addresses import Address
from bayesfloor.io._find_file import File
from bayesfloor.io._messages import DataError

_BLOCK = 4 << 20  # bytes copied at a time


@contextmanager
def fetched(file: File) -> Iterator[File]:
    """Copy the file to a temporary folder while it is read; Parquet files are read where they are.

    Other file types are read several times, or from start to end, so copying them once is cheapest.
    """
    if not isinstance(file.source, Address) or file.kind == "Parquet":
        yield file
        return
    with TemporaryDirectory(prefix="bayesfloor-") as folder:
        near = Path(folder) / file.name
        for part in file.parts():
            _copy(part, near if file.folder is None else near / part.name, Path(folder))
        yield replace(file, source=near)


def _copy(part: File, path: Path, folder: Path) -> None:
    if not path.resolve().is_relative_to(folder.resolve()):  # object stores allow names such as ../x
        raise DataError(f"{part.shown} has a name that cannot be used for a local file. Rename it first.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with part.open_raw() as content, path.open("xb") as copy:
        shutil.copyfileobj(content, copy, _BLOCK)
