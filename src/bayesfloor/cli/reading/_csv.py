"""The columns of a CSV, with whatever stands between its fields."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from bayesfloor.cli.reading._arrow import arrow
from bayesfloor.cli.reading._messages import DataError, quote
from bayesfloor.cli.reading._opening import File

NUMBER = r"^\s*[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?\s*$"
_BLOCK = 4 << 20
_LARGEST_BLOCK = 256 << 20


def open_csv(file: File) -> tuple[list[str], Any, Any]:
    """The names of columns, how to read some, and how to read some as texts."""
    delimiter = _delimiter(file)
    names: list[str] = next((row for row in _rows(file, delimiter) if row), [])
    if not names:
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    read = partial(_read, file, delimiter, names)
    return names, partial(read, as_texts=False), partial(read, as_texts=True)


def read_lines(file: File) -> list[list[str]] | None:
    """The lines of a file of one column, a blank one as an empty list; None if there are more columns or none."""
    rows = list(_rows(file, _delimiter(file)))
    while rows and not rows[-1]:
        rows.pop()
    return rows if rows and max(map(len, rows)) == 1 else None


def refuse_headless(file: File, names: Sequence[str]) -> None:
    """Refuse a first line of data. Ask only if a name was not found in it: a spectrum has columns such as 400.5."""
    numbers = [name for name in names if re.match(NUMBER, name) and not name.strip().isdigit()]
    if file.kind == "CSV" and len(numbers) * 2 > len(names):
        raise DataError(
            f"the first line of {file.shown} holds numbers, such as {quote(numbers[0])}, but expected the names of "
            "columns. Add a line of names."
        )


def _delimiter(file: File) -> str:
    if file.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    head = io.TextIOWrapper(file.open(), encoding="utf-8-sig").read(1 << 16)
    header = re.sub('"[^"]*"', "", head).lstrip("\n").partition("\n")[0]
    return max(",\t;", key=header.count)


def _rows(file: File, delimiter: str) -> Any:
    """Python's own reader, which knows the number of the line."""
    return csv.reader(io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline=""), delimiter=delimiter)


def _read(file: File, delimiter: str, names: list[str], columns: list[str], *, as_texts: bool) -> Any:
    convert = _types(columns, as_texts=as_texts)
    try:
        return _read_blocks(file, delimiter, max(_BLOCK, 100 * len(names)), convert)
    except ValueError as error:
        if "straddling" in str(error):  # a row was longer than a block
            return _read_blocks(file, delimiter, _LARGEST_BLOCK, convert)
        _refuse_ragged(file, delimiter, len(names))
        raise


def _types(columns: list[str], *, as_texts: bool) -> Any:
    """As texts, nothing but an empty field is missing: labels such as 01 and NA are names."""
    options = arrow(".csv").ConvertOptions(include_columns=columns, strings_can_be_null=True)
    if as_texts:
        options.null_values = [""]
        options.quoted_strings_can_be_null = False
        options.column_types = dict.fromkeys(columns, arrow().string())
    return options


def _read_blocks(file: File, delimiter: str, block: int, convert: Any) -> Any:
    pacsv = arrow(".csv")
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    return pacsv.read_csv(file.open(), pacsv.ReadOptions(block_size=block), parse, convert)


def _refuse_ragged(file: File, delimiter: str, width: int) -> None:
    """Name the line, which pyarrow leaves out."""
    rows = _rows(file, delimiter)
    n_rows = 0
    for row in rows:
        n_rows += bool(row)
        if row and len(row) != width:
            raise DataError(
                f"line {rows.line_num} of {file.shown} has {len(row)} fields, but expected {width} as in the header. "
                "Mend the line, or put quotes around texts that hold the separator."
            )
    if n_rows < 2:
        raise no_rows(file)


def no_rows(file: File) -> DataError:
    """A table that holds names only."""
    return DataError(f"{file.shown} has columns but no rows. Expected a row for every sample.")
