"""Read labels from a separate file: one label per line, an array, or a column of a table."""

from __future__ import annotations

from bayesfloor.engine._show import how_many
from bayesfloor.io._arrow_types import arrow
from bayesfloor.io._csv import read_lines
from bayesfloor.io._find_file import File, fetched, find_file, reading
from bayesfloor.io._find_label import LabelColumn, find_label, labels_of
from bayesfloor.io._messages import refuse_length
from bayesfloor.io._numpy_files import read_label_array
from bayesfloor.io._open_table import open_table
from bayesfloor.io._row_columns import Coded, encode, read_roles


def read_labels_file(path: str, label: str | None, n_rows: int) -> LabelColumn:
    """Read labels in the order of the rows."""
    file = find_file(path)
    with reading(file), fetched(file) as near:
        name, coded = _read(near, label, n_rows)
    n_labels = len(coded.codes)
    refuse_length(f"{file.shown} has {how_many(n_labels, 'label')}", n_labels, n_rows)
    return labels_of(name, coded)


def _read(file: File, label: str | None, n_rows: int) -> tuple[str, Coded]:
    if file.kind in ("npy", "npz"):
        return read_label_array(file, label)
    if file.kind == "CSV" and (lines := read_lines(file)) is not None:
        return _read_lines(lines, n_rows)
    return _read_column(file, label)


def _read_lines(lines: list[list[str]], n_rows: int) -> tuple[str, Coded]:
    """Return the labels; the first line is a header if there is one line too many and no other line equals it."""
    header = len(lines) == n_rows + 1 and lines[0] not in lines[1:]
    name = lines[0][0] if header and lines[0] else "label"
    rows = lines[1:] if header else lines
    texts = arrow().chunked_array([[row[0] if row else None for row in rows]], arrow().string())
    return name, encode(texts, is_csv=True)


def _read_column(file: File, label: str | None) -> tuple[str, Coded]:
    table = open_table(file)
    name = table.names[0] if label is None and len(table.names) == 1 else find_label(table, label)
    return name, read_roles(table, [name], name)[name]
