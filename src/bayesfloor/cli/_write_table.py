"""Tables as files: the ending says what to write."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.engine._atomic_write import write_whole
from bayesfloor.io._messages import DataError

Columns = dict[str, list[Any]]

# What a formula may start with in Excel, LibreOffice or Google Sheets; the last four are the wide forms of the first.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def check_ending(path: str | None) -> None:
    """Refuse a file of a kind that cannot be written."""
    if path is not None and Path(path).suffix.lower() not in _WRITERS:
        raise DataError(f"{path} is none of {', '.join(_WRITERS)}: say what to write by the file's ending")


def write_table(path: str, columns: Columns, *, keep_formulas: bool = False) -> None:
    """Write columns of plain values, whole or not at all; in a CSV, a quote keeps texts from being run as formulas."""
    kind = Path(path).suffix.lower()
    if kind == ".csv" and not keep_formulas:
        columns = {_harmless(name): list(map(_harmless, values)) for name, values in columns.items()}
    content = _WRITERS[kind](columns)
    stop_if_asked()
    write_whole(path, content)


def _harmless(cell: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula, as OWASP advises; numbers stay."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA) or _is_number(cell):
        return cell
    return f"'{cell}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _csv(columns: Columns) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _jsonl(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True)), allow_nan=False) + "\n" for row in rows)


def _parquet(columns: Columns) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


_WRITERS: dict[str, Callable[[Columns], str | bytes]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
