"""Tables: what columns there are in a CSV, Parquet or Arrow file, and how to read some of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesfloor.cli.reading._arrow import arrow
from bayesfloor.cli.reading._csv import no_rows, open_csv, refuse_headless
from bayesfloor.cli.reading._messages import DataError, join
from bayesfloor.cli.reading._opening import File
from bayesfloor.engine._text import as_utf8

_Reader = Callable[[list[str]], Any]


@dataclass(frozen=True)
class Table:
    """The names of columns, and how to read some of them."""

    file: File
    names: list[str]
    reader: _Reader
    text_reader: _Reader

    @property
    def is_csv(self) -> bool:
        """Whether types were guessed from texts."""
        return self.file.kind == "CSV"

    def read(self, columns: list[str]) -> Any:
        """These columns."""
        return self._filled(self.reader(columns))

    def read_texts(self, columns: list[str]) -> Any:
        """These columns, those of a CSV as the texts they are."""
        return self._filled(self.text_reader(columns))

    def _filled(self, found: Any) -> Any:
        if not found.num_rows:
            raise no_rows(self.file)
        return found


def open_table(file: File) -> Table:
    """The table in a file."""
    openers = {"CSV": open_csv, "Parquet": _open_parquet, "Arrow": _open_arrow}
    table = Table(file, *openers[file.kind](file))
    twins = [name for name, times in Counter(table.names).items() if times > 1]
    if twins:
        refuse_headless(file, table.names)
        raise DataError(f"{file.shown} has several columns named {join(twins)}. Rename them first.")
    return table


def _open_parquet(file: File) -> tuple[list[str], _Reader, _Reader]:
    if isinstance(file.source, Path) and file.source.is_dir():
        return _open_folder(file.source)
    found = arrow(".parquet").ParquetFile(file.open())
    return _typed(found.schema_arrow.names, lambda columns: found.read(columns=columns))


def _open_folder(folder: Path) -> tuple[list[str], _Reader, _Reader]:
    """All Parquet files beneath a folder; folders called ``column=value`` are columns."""
    paths = sorted(folder.rglob("*.parquet"))
    named = any("=" in part for path in paths for part in path.relative_to(folder).parts[:-1])
    found = arrow(".dataset").dataset([as_utf8(path) for path in paths], partitioning="hive" if named else None)
    return _typed(found.schema.names, lambda columns: found.to_table(columns=columns))


def _open_arrow(file: File) -> tuple[list[str], _Reader, _Reader]:
    pa, ipc = arrow(), arrow(".ipc")
    source = file.open() if isinstance(file.source, bytes) else pa.memory_map(os.fsencode(file.source))
    opener = ipc.open_file if file.head().startswith(b"ARROW1") else ipc.open_stream
    table = opener(source).read_all()
    return _typed(table.column_names, table.select)


def _typed(names: list[str], read: _Reader) -> tuple[list[str], _Reader, _Reader]:
    """Columns with types of their own, which are not read as texts."""
    return names, read, read
