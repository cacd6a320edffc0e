"""Write tables to files, in the format that the file name ends in."""

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

# Characters that start a formula in Excel, LibreOffice or Google Sheets; the last four are full-width forms.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def check_ending(path: str | None) -> None:
    """Raise an error for a file type that cannot be written."""
    if path is not None and Path(path).suffix.lower() not in _WRITERS:
        raise DataError(f"{path}: unsupported file type. Expected a name that ends in {' or '.join(_WRITERS)}.")


def write_table(path: str, columns: Columns, *, keep_formulas: bool = False) -> None:
    """Write columns of plain values, completely or not at all; in a CSV, a quote in front disarms formulas."""
    kind = Path(path).suffix.lower()
    if kind == ".csv" and not keep_formulas:
        columns = {_harmless(name): list(map(_harmless, values)) for name, values in columns.items()}
    content = _WRITERS[kind](columns)
    stop_if_asked()
    write_whole(path, content)


def _harmless(cell: Any) -> Any:
    """Put a quote before text that a spreadsheet would run as a formula, as OWASP advises; keep numbers as they are."""
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
