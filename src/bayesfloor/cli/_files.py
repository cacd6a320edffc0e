"""Files become features and labels: CSV, Parquet, Arrow and NumPy, or one line that says what to do.

Rows in messages count from 1, without a header.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.engine._text import printable

_SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".csv.gz": "CSV",
    ".tsv.gz": "CSV",
    ".txt.gz": "CSV",
    ".parquet": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npz": "npz",
    ".npy": "npy",
}
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK": "npz", b"\x93NUMPY": "npy"}
_STREAM_MAGIC = b"\xff\xff\xff\xff"  # what an Arrow stream, which has no magic of its own, starts with
_GZIP_MAGIC = b"\x1f\x8b"
_BLOCK = 4 << 20
_LARGEST_BLOCK = 256 << 20
_LONGEST = 60
_LONGEST_LABEL = 1000
_MOST_CATEGORIES = 1000
_LABEL_NAMES = ("label", "target", "class", "y", "species", "labels", "category", "outcome", "diagnosis")
_INDEX_NAMES = ("", "unnamed: 0", "__index_level_0__", "index", "id", "row", "rownames", "rowname", "row_id")
_NUMBER = r"^\s*[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?\s*$"


class DataError(ValueError):
    """A file or a column that cannot be used; the message is one line and says what to do."""


@dataclass(frozen=True, eq=False)
class Data:
    """What a file holds.

    Attributes
    ----------
    name : str
        The file's name without its folder, ``stdin`` for ``-``.
    X : pyarrow.Table or array of shape (n, d)
        The features: a table of numbers and texts, or the array of an embedding, a ``.npy`` or a ``.npz``.
    y : array of shape (n,)
        The labels, numbers or texts as they stand in the file.
    ids, groups : array of shape (n,) or None
        The columns asked for.
    images : list of str or None
        Paths, relative ones from the file's folder on; addresses such as ``https://...`` as they are.
    feature_names : tuple of str
        The names of the columns of ``X``.
    label : str
        The name of the column or array of labels.
    fingerprint : str
        SHA-256 of names and contents of ``X`` and of ``y``, not of the file: the same numbers give the same
        fingerprint in CSV and in Parquet. An array and a table of the same numbers differ.
    """

    name: str
    X: Any
    y: np.ndarray
    ids: np.ndarray | None
    groups: np.ndarray | None
    images: list[str] | None
    feature_names: tuple[str, ...]
    label: str
    fingerprint: str


def read_data(
    path: str,
    label: str | None,
    *,
    features: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    embedding: str | None = None,
    id_column: str | None = None,
    groups: str | None = None,
    image: str | None = None,
    labels_file: str | None = None,
) -> Data:
    """Features and labels of a file.

    Parameters
    ----------
    path : str
        A file, a folder of Parquet files, or ``-`` for standard input.
    label : str or None
        The column of labels; the array in a ``.npz``, ``y`` by default; the number of a column in a ``.npy``.
    features, drop : tuple of str
        Patterns such as ``pixel*`` of columns to take, all by default, and to leave out.
    embedding : str, optional
        The column of lists that holds the features; the array in a ``.npz``, ``X`` by default.
    id_column, groups, image : str, optional
        Columns, or arrays in a ``.npz``, that name rows, tell which belong together, and hold paths of pictures.
    labels_file : str, optional
        Another file with the labels, in the order of the rows.

    Returns
    -------
    Data
        What the file holds.

    Raises
    ------
    DataError
        If anything in it cannot be used.
    """
    asked = _Asked(label, tuple(features), tuple(drop), embedding, id_column, groups, image, labels_file)
    asked.refuse_conflicts()
    file = _find_file(path)
    with _reading(file):
        if file.kind == "npy":
            return _from_npy(file, asked)
        if file.kind == "npz":
            return _from_npz(file, asked)
        return _from_table(_open_table(file), asked)


@dataclass(frozen=True)
class _Asked:
    """What the user asked for."""

    label: str | None
    features: tuple[str, ...]
    drop: tuple[str, ...]
    embedding: str | None
    id_column: str | None
    groups: str | None
    image: str | None
    labels_file: str | None

    def roles(self) -> list[str]:
        """Columns that are no features."""
        label = None if self.labels_file else self.label
        given = (label, self.id_column, self.groups, self.image)
        return list(dict.fromkeys(name for name in given if name is not None))

    def refuse_conflicts(self) -> None:
        """Refuse a label that is something else as well, which would make any floor zero."""
        if self.label is None or self.labels_file:
            return
        for flag, name in (("--embedding", self.embedding), ("--groups", self.groups)):
            if name == self.label:
                raise DataError(f"column {_show(name)} is given as -y and as {flag}. Name another column for one.")


# Text that goes into messages


def _short(text: object) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def _show(name: object) -> str:
    return f"'{_short(name)}'"


def _list(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(_show(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' * (len(names) > 1)} {_list(names)}"


def _flags(flag: str, names: Sequence[str], most: int = 5) -> str:
    """Options to copy, where the names can be typed."""
    if len(names) > most or any(_short(name) != name for name in names):
        return f"{flag} NAME"
    return " ".join(f"{flag} {shlex.quote(name)}" for name in names)


def _close(name: str, names: Iterable[str], most: int = 1) -> list[str]:
    """Names like one given, whatever the case."""
    lowered = {other.lower(): other for other in names}
    return [lowered[found] for found in difflib.get_close_matches(name.lower(), lowered, most)]


def _did_you_mean(name: str, names: Iterable[str], most: int = 1) -> str:
    close = _close(name, names, most)
    return f" Did you mean {_list(close)}?" if close else ""


def _one_line(error: BaseException) -> str:
    """The beginning of what a library says."""
    text = " ".join(str(error).split()) or type(error).__name__
    return printable(text if len(text) <= 120 else text[:117] + "...").rstrip(".")


# Files


@dataclass(frozen=True)
class _File:
    """A file that exists, or the bytes of standard input."""

    name: str
    kind: str
    source: Path | bytes

    @property
    def shown(self) -> str:
        return _short(self.name)

    def head(self, size: int = 8) -> bytes:
        with self.open_raw() as stream:
            return bytes(stream.read(size))

    def open(self) -> Any:
        """A new stream of pyarrow, unpacked if packed."""
        pa = _arrow()
        stream = pa.BufferReader(self.source) if isinstance(self.source, bytes) else pa.OSFile(str(self.source))
        return pa.CompressedInputStream(stream, "gzip") if self.head().startswith(_GZIP_MAGIC) else stream

    def open_raw(self) -> Any:
        """A new stream of Python."""
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def beside(self, path: str) -> str:
        """A path as seen from the file's folder."""
        if isinstance(self.source, bytes) or "://" in path or path.startswith("data:"):
            return path
        folder = self.source if self.source.is_dir() else self.source.parent
        return os.path.join(folder, path)  # noqa: PTH118  # pathlib would rewrite the user's text


def _arrow(part: str = "") -> Any:
    """pyarrow, or a part of it, once a file needs it."""
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise DataError(
            "reading this file needs pyarrow, which is not installed. Run: python -m pip install 'bayesfloor[cli]'"
        ) from error


@contextmanager
def _reading(file: _File) -> Iterator[None]:
    """Turn whatever a reader raises into one line."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        raise DataError(f"{file.shown} is not UTF-8 text. Save it as UTF-8 first.") from error
    except Exception as error:
        raise DataError(
            f"{file.shown} cannot be read as {file.kind}: {_one_line(error)}. Is it complete, and what its name says?"
        ) from error


def _find_file(path: str) -> _File:
    if path == "-":
        return _standard_input(sys.stdin.buffer.read())
    if not path:
        raise DataError("the name of the file is empty. Expected a file, a folder of .parquet files, or -")
    try:
        return _find_place(Path(path))
    except OSError as error:
        raise DataError(f"{_show(path)} cannot be opened: {_short(error.strerror or error)}.") from error


def _find_place(place: Path) -> _File:
    if place.is_dir():
        return _find_folder(place)
    if not place.exists():
        raise _not_found(place)
    file = _File(place.name, _kind_of(place.name), place)
    if not file.head():
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    return file


def _standard_input(content: bytes) -> _File:
    if not content:
        raise DataError("standard input is empty. Expected a file, as in: bayesfloor check - -y label < data.csv")
    magic = {**_MAGIC, _STREAM_MAGIC: "Arrow"}
    kind = next((kind for start, kind in magic.items() if content.startswith(start)), "CSV")
    return _File("stdin", kind, content)


def _find_folder(place: Path) -> _File:
    name = place.resolve().name
    if any(place.rglob("*.parquet")):
        return _File(name, "Parquet", place)
    found = sorted(entry.name for entry in place.iterdir())
    holds = f"It has {_list(found)}. Name one file." if found else "It is empty."
    raise DataError(f"folder {_show(name)} holds no .parquet files. {holds}")


def _not_found(place: Path) -> DataError:
    parent = place.parent
    names = [entry.name for entry in parent.iterdir()] if parent.is_dir() else []
    folder = "" if parent.is_dir() else f" There is no folder {_show(parent)}."
    hint = folder or _did_you_mean(place.name, names, 3) or " Check the path."
    text = printable(place)
    shown = text if len(text) <= _LONGEST else "..." + text[3 - _LONGEST :]
    return DataError(f"no file '{shown}'.{hint}")


def _kind_of(name: str) -> str:
    for suffix, kind in _SUFFIXES.items():
        if name.lower().endswith(suffix):
            return kind
    raise DataError(
        f"{_short(name)} is of no known kind. Expected a name that ends in {', '.join(_SUFFIXES)}, "
        "or - to read standard input."
    )


# Tables: what columns there are, and how to read some


@dataclass(frozen=True)
class _Table:
    """The names of columns, and how to read some of them.

    ``read_texts`` reads the columns of a CSV as texts, with nothing but an empty field missing, since labels
    such as 01 and NA are names; elsewhere it reads what is there.
    """

    file: _File
    names: list[str]
    read: Callable[[list[str]], Any]
    read_texts: Callable[[list[str]], Any]

    @property
    def is_csv(self) -> bool:
        return self.file.kind == "CSV"


def _open_table(file: _File) -> _Table:
    openers = {"CSV": _open_csv, "Parquet": _open_parquet, "Arrow": _open_arrow}
    table = openers[file.kind](file)
    twins = [name for name, times in Counter(table.names).items() if times > 1]
    if twins:
        raise DataError(f"{file.shown} has several columns named {_list(twins)}. Rename them first.")
    return table


def _open_parquet(file: _File) -> _Table:
    if isinstance(file.source, Path) and file.source.is_dir():
        return _open_parquet_folder(file, file.source)
    found = _arrow(".parquet").ParquetFile(file.open())
    return _table_of(file, found.schema_arrow.names, lambda columns: found.read(columns=columns))


def _open_parquet_folder(file: _File, folder: Path) -> _Table:
    """All Parquet files beneath a folder; folders called ``column=value`` are columns."""
    paths = sorted(folder.rglob("*.parquet"))
    named = any("=" in part for path in paths for part in path.relative_to(folder).parts[:-1])
    found = _arrow(".dataset").dataset([str(path) for path in paths], partitioning="hive" if named else None)
    return _table_of(file, found.schema.names, lambda columns: found.to_table(columns=columns))


def _open_arrow(file: _File) -> _Table:
    pa, ipc = _arrow(), _arrow(".ipc")
    source = file.open() if isinstance(file.source, bytes) else pa.memory_map(str(file.source))
    opener = ipc.open_file if file.head().startswith(b"ARROW1") else ipc.open_stream
    table = opener(source).read_all()
    return _table_of(file, table.column_names, table.select)


def _table_of(file: _File, names: list[str], read: Callable[[list[str]], Any]) -> _Table:
    return _Table(file, list(names), read, read)


def _open_csv(file: _File) -> _Table:
    delimiter = _delimiter(file)
    names: list[str] = next((row for row in _csv_rows(file, delimiter) if row), [])
    _refuse_bare(file, names)
    read = partial(_read_csv, file, delimiter, names)
    return _Table(file, names, partial(read, as_texts=False), partial(read, as_texts=True))


def _csv_rows(file: _File, delimiter: str) -> Any:
    """Python's own reader, which knows the number of the line."""
    return csv.reader(io.TextIOWrapper(file.open(), encoding="utf-8-sig", newline=""), delimiter=delimiter)


def _delimiter(file: _File) -> str:
    if file.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    head = io.TextIOWrapper(file.open(), encoding="utf-8-sig").read(1 << 16)
    header = re.sub('"[^"]*"', "", head).lstrip("\n").partition("\n")[0]
    return max(",\t;", key=header.count)


def _refuse_bare(file: _File, names: list[str]) -> None:
    """Refuse a first line of data, which would go lost as names."""
    numbers = [name for name in names if re.match(_NUMBER, name) and not name.strip().isdigit()]
    if not names:
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    if len(numbers) * 2 > len(names):
        raise DataError(
            f"the first line of {file.shown} holds numbers, such as {_show(numbers[0])}, but expected the names of "
            "columns. Add a line of names."
        )


def _read_csv(file: _File, delimiter: str, names: list[str], columns: list[str], *, as_texts: bool) -> Any:
    convert = _csv_types(columns, as_texts=as_texts)
    try:
        return _read_blocks(file, delimiter, max(_BLOCK, 100 * len(names)), convert)
    except ValueError as error:
        if "straddling" in str(error):  # a row was longer than a block
            return _read_blocks(file, delimiter, _LARGEST_BLOCK, convert)
        _refuse_ragged(file, delimiter, len(names))
        raise


def _read_blocks(file: _File, delimiter: str, block: int, convert: Any) -> Any:
    pacsv = _arrow(".csv")
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    return pacsv.read_csv(file.open(), pacsv.ReadOptions(block_size=block), parse, convert)


def _csv_types(columns: list[str], *, as_texts: bool) -> Any:
    options = _arrow(".csv").ConvertOptions(include_columns=columns, strings_can_be_null=True)
    if as_texts:
        options.null_values = [""]
        options.quoted_strings_can_be_null = False
        options.column_types = dict.fromkeys(columns, _arrow().string())
    return options


def _no_rows(file: _File) -> DataError:
    return DataError(f"{file.shown} has columns but no rows. Expected a row for every sample.")


def _refuse_ragged(file: _File, delimiter: str, width: int) -> None:
    """Name the line, which pyarrow leaves out."""
    rows = _csv_rows(file, delimiter)
    n_rows = 0
    for row in rows:
        n_rows += bool(row)
        if row and len(row) != width:
            raise DataError(
                f"line {rows.line_num} of {file.shown} has {len(row)} fields, but expected {width} as in the header. "
                "Mend the line, or put quotes around texts that hold the separator."
            )
    if n_rows < 2:
        raise _no_rows(file)


# Columns as plain types


def _plain(column: Any) -> Any:
    """A column without dictionaries, extensions and types that others cannot read."""
    pa, kinds = _arrow(), _arrow(".types")
    if isinstance(column.type, pa.BaseExtensionType):
        stored = [chunk.storage for chunk in column.chunks]
        return _plain(pa.chunked_array(stored, column.type.storage_type))
    if kinds.is_dictionary(column.type):
        return _plain(column.cast(column.type.value_type))
    if kinds.is_run_end_encoded(column.type):
        return _plain(_arrow(".compute").run_end_decode(column))
    if kinds.is_decimal(column.type):
        return column.cast(pa.float64())
    if kinds.is_float16(column.type):
        return column.cast(pa.float32())
    return column.cast(pa.large_string()) if str(column.type) == "string_view" else column


def _is_text(kind: Any) -> bool:
    kinds = _arrow(".types")
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _is_number(kind: Any) -> bool:
    kinds = _arrow(".types")
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind))


def _is_list(kind: Any) -> bool:
    """Whether it is a list of numbers."""
    kinds = _arrow(".types")
    if not (kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)):
        return False
    return _is_number(kind.value_type) or bool(kinds.is_decimal(kind.value_type))


def _is_missing(column: Any) -> Any:
    return _arrow(".compute").is_null(column, nan_is_null=_arrow(".types").is_floating(column.type))


def _distinct(column: Any) -> int:
    return int(_arrow(".compute").count_distinct(column).as_py())


def _coded(column: Any, *, is_csv: bool) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of a column, and the number of each row's."""
    compute, kinds = _arrow(".compute"), _arrow(".types")
    if kinds.is_temporal(column.type):
        column = column.cast(_arrow().string())
    distinct = compute.unique(column)
    codes = compute.index_in(column, value_set=distinct).to_numpy()
    return _values(distinct, is_csv=is_csv), codes


def _values(distinct: Any, *, is_csv: bool) -> np.ndarray:
    """Values as an array; whole numbers of a CSV become numbers if no two texts would become one."""
    if not _is_text(distinct.type):
        return distinct.to_numpy(zero_copy_only=False)
    texts = distinct.to_pylist()
    if is_csv and all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in texts):
        return np.array([int(text) for text in texts])
    return np.array(texts, dtype=object)  # long texts, such as paths, are many times as large in any other type


def _read_role(table: _Table, columns: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The column of labels, ids, groups or images: distinct values and codes."""
    column = _plain(columns.column(name))
    kinds = _arrow(".types")
    usable = _is_text(column.type) or _is_number(column.type) or kinds.is_boolean(column.type)
    _refuse_gaps(column, name)
    if not (usable or kinds.is_temporal(column.type)):
        raise DataError(f"column {_show(name)} holds {_short(column.type)}, but expected texts or numbers.")
    return _coded(column, is_csv=table.is_csv)


def _refuse_gaps(column: Any, name: str) -> None:
    missing = _is_missing(column).to_numpy()
    if missing.any():
        raise _gaps(name, missing)


def _gaps(name: str, missing: np.ndarray) -> DataError:
    return DataError(
        f"column {_show(name)} has {_count(int(missing.sum()), 'missing value')}, the first in row "
        f"{int(missing.argmax()) + 1:,}. Drop these rows, or fill them with a value of their own."
    )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


# Labels


@dataclass(frozen=True, eq=False)
class _Labels:
    """Sorted classes, and the number of each row's."""

    name: str
    classes: np.ndarray
    codes: np.ndarray

    @property
    def y(self) -> np.ndarray:
        return self.classes[self.codes]


def _labels_of(name: str, values: np.ndarray, codes: np.ndarray) -> _Labels:
    """Labels, once they have been found to be some."""
    values = _label_texts(name, values) if values.dtype == object else values
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise DataError(f"column {_show(name)} has infinite labels. Drop these rows, or fill them.")
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        _refuse_quantity(name, values, len(codes))
        values = values.astype(str)  # a class called 0.5, as a CSV would have it
    classes, place = np.unique(values, return_inverse=True)
    if len(classes) < len(values):
        raise DataError(f"column {_show(name)} has labels that differ in trailing zero bytes only. Rename them.")
    _refuse_quantity(name, classes, len(codes))
    _refuse_classes(name, classes, len(codes))
    return _Labels(name, classes, place[codes])


def _label_texts(name: str, values: np.ndarray) -> np.ndarray:
    longest = max(values, key=len)
    if len(longest) > _LONGEST_LABEL:
        raise DataError(
            f"column {_show(name)} has a label of {len(longest):,} characters, {_show(longest)}, but expected names "
            f"of classes, at most {_LONGEST_LABEL:,}. Name another column with -y, or shorten them."
        )
    return values.astype(str)


def _refuse_quantity(name: str, classes: np.ndarray, n: int) -> None:
    try:
        numbers = classes.astype(np.float64)
    except ValueError:
        return
    broken = bool((numbers != np.round(numbers)).any())
    if len(classes) > 20 and (broken or len(classes) * 2 > n):
        raise DataError(
            f"column {_show(name)} has {len(classes):,} values in {n:,} rows and looks like a quantity, not a class. "
            "Name another column with -y, or cut it into classes first."
        )


def _refuse_classes(name: str, classes: np.ndarray, n: int) -> None:
    if len(classes) == 1:
        raise DataError(
            f"column {_show(name)} holds one value only, {_show(classes[0])}, but expected at least 2 classes. "
            "Name another column with -y."
        )
    if len(classes) == n:
        raise DataError(
            f"column {_show(name)} has as many values as rows, {n:,}, and looks like an id, not a class. "
            "Name another column with -y."
        )


def _which_label(table: _Table) -> DataError:
    columns = table.read(table.names)
    if not columns.num_rows:
        return _no_rows(table.file)
    found = sorted(_candidates(columns))[:5]
    if found:
        shown = ", ".join(f"{_short(name)} ({n})" for _, _, n, _, name in found)
        return DataError(f"which column is the label? Use -y. Candidates with few values: {shown}")
    return DataError(f"which column is the label? Use -y. No column has few values; there are {_list(table.names)}.")


def _candidates(columns: Any) -> Iterator[tuple[bool, bool, int, int, str]]:
    """Columns that may be labels, likely ones first once sorted."""
    n = columns.num_rows
    for i, name in enumerate(columns.column_names):
        column = _plain(columns.column(name))
        if _may_be_label(column) and 2 <= (found := _distinct(column)) <= min(1000, max(n // 5, min(10, n // 2))):
            yield name.lower() not in _LABEL_NAMES, _is_number(column.type), found, i, name


def _may_be_label(column: Any) -> bool:
    kinds, compute = _arrow(".types"), _arrow(".compute")
    if kinds.is_floating(column.type):
        return bool(compute.all(compute.equal(compute.round(column), column)).as_py())
    return _is_text(column.type) or kinds.is_integer(column.type) or kinds.is_boolean(column.type)


def _read_labels_file(path: str, label: str | None, n: int) -> _Labels:
    """Labels of a file of their own: one a line, or an array, or a column of a table."""
    file = _find_file(path)
    with _reading(file):
        if file.kind in ("npy", "npz"):
            labels = _labels_of_array(file, label)
        elif file.kind == "CSV" and (lines := _read_lines(file)) is not None:
            labels = _labels_of_lines(file, lines, n)
        else:
            labels = _labels_of_table(_open_table(file), label)
    _refuse_length(f"{file.shown} has {_count(len(labels.codes), 'label')}", len(labels.codes), n)
    return labels


def _refuse_length(found: str, length: int, n: int) -> None:
    if length != n:
        raise DataError(f"{found}, but there are {n:,} rows of features. Expected as many, in the same order.")


def _read_lines(file: _File) -> list[list[str]] | None:
    """The lines of a file of one column; None if there are several."""
    rows = list(_csv_rows(file, _delimiter(file)))
    while rows and not rows[-1]:
        rows.pop()
    return rows if max(map(len, rows), default=0) <= 1 else None


def _labels_of_lines(file: _File, lines: list[list[str]], n: int) -> _Labels:
    """Labels, without the first line if it is one too many and no label."""
    header = len(lines) == n + 1 and lines[0] not in lines[1:]
    name = lines[0][0] if header and lines[0] else "label"
    rows = lines[1:] if header else lines
    missing = np.array([not row for row in rows], dtype=bool)
    if missing.any():
        raise _gaps(name, missing)
    _refuse_length(f"{file.shown} has {_count(len(rows), 'label')}", len(rows), n)
    texts = _arrow().chunked_array([[row[0] for row in rows]], _arrow().string())
    return _labels_of(name, *_coded(texts, is_csv=True))


def _labels_of_table(table: _Table, label: str | None) -> _Labels:
    if label is None and len(table.names) == 1:
        label = table.names[0]
    if label is None:
        raise _which_label(table)
    _refuse_unknown([label], table.names)
    columns = table.read_texts([label])
    if not columns.num_rows:
        raise _no_rows(table.file)
    return _labels_of(label, *_read_role(table, columns, label))


# Features


def _refuse_unknown(wanted: Iterable[str], names: Sequence[str], noun: str = "column") -> None:
    for name in wanted:
        if name not in names:
            hint = _did_you_mean(name, names)
            raise DataError(f"no {noun} {_show(name)}.{hint} {noun.capitalize()}s: {_list(names, 8)}.")


def _choose(names: Sequence[str], asked: _Asked) -> list[str]:
    """Columns that are features."""
    taken = _matching("--features", asked.features, names) if asked.features else set(names)
    left = taken - _matching("--drop", asked.drop, names) - set(asked.roles())
    if not left:
        raise DataError(f"no columns are left as features of {_list(names)}. Check --features and --drop.")
    return [name for name in names if name in left]


def _matching(flag: str, globs: Sequence[str], names: Sequence[str]) -> set[str]:
    matches = {glob: {name for name in names if name == glob or fnmatchcase(name, glob)} for glob in globs}
    for glob, found in matches.items():
        if not found:
            hint = _did_you_mean(glob, names, 3)
            raise DataError(f"no column matches {flag} {_show(glob)}.{hint} Columns: {_list(names, 8)}.")
    return set().union(*matches.values())


def _from_table(table: _Table, asked: _Asked) -> Data:
    if asked.label is None and asked.labels_file is None:
        raise _which_label(table)
    roles = asked.roles()
    _refuse_unknown([*roles, *([asked.embedding] if asked.embedding is not None else [])], table.names)
    given = _read_roles(table, roles)
    labels = None if asked.labels_file else _labels_of(str(asked.label), *given[str(asked.label)])
    X, names = _read_features(table, asked)
    labels = labels or _read_labels_file(str(asked.labels_file), asked.label, len(X))
    return _data_of(
        table.file, X, names, labels, {name: values[codes] for name, (values, codes) in given.items()}, asked
    )


def _read_roles(table: _Table, roles: list[str]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if not roles:
        return {}
    columns = table.read_texts(roles)
    if not columns.num_rows:
        raise _no_rows(table.file)
    return {name: _read_role(table, columns, name) for name in roles}


def _data_of(
    file: _File, X: Any, names: Sequence[str], labels: _Labels, given: dict[str, np.ndarray], asked: _Asked
) -> Data:
    ids = None if asked.id_column is None else given[asked.id_column]
    groups = None if asked.groups is None else given[asked.groups]
    images = None if asked.image is None else [file.beside(str(path)) for path in given[asked.image].tolist()]
    print_of = _fingerprint(X, labels)
    return Data(file.name, X, labels.y, ids, groups, images, tuple(names), labels.name, print_of)


def _read_features(table: _Table, asked: _Asked) -> tuple[Any, list[str]]:
    if asked.embedding is not None:
        return _read_embedding(table, asked)
    columns = table.read(_choose(table.names, asked))
    columns = _arrow().table([_plain(column) for column in columns.columns], names=columns.column_names)
    if not columns.num_rows:
        raise _no_rows(table.file)
    lists = [name for name in columns.column_names if _is_list(columns.column(name).type)]
    if lists:
        return _sole_embedding(columns, lists)
    _check_columns(columns, is_csv=table.is_csv, chosen=bool(asked.features))
    return columns, columns.column_names


def _check_columns(columns: Any, *, is_csv: bool, chosen: bool) -> None:
    _refuse_types(columns)
    _refuse_missing(columns)
    if not chosen:
        _refuse_index(columns)
    if is_csv:
        _refuse_number_texts(columns)
    _refuse_texts(columns)
    _refuse_infinite(columns)


def _those(columns: Any, wrong: Callable[[Any], bool]) -> list[str]:
    return [name for name in columns.column_names if wrong(columns.column(name))]


def _is_usable(column: Any) -> bool:
    kinds = _arrow(".types")
    kind = column.type
    return _is_number(kind) or _is_text(kind) or kinds.is_boolean(kind) or kinds.is_null(kind)


def _is_date(column: Any) -> bool:
    return bool(_arrow(".types").is_temporal(column.type))


def _refuse_types(columns: Any) -> None:
    dates = _those(columns, _is_date)
    if dates:
        raise DataError(
            f"{_columns(dates)} with dates or times: turn them into numbers first, or pass {_flags('--drop', dates)}"
        )
    others = _those(columns, lambda column: not _is_usable(column))
    if others:
        kind = _short(columns.column(others[0]).type)
        raise DataError(
            f"{_columns(others)} with {kind}, but expected numbers or texts: encode or embed first, or pass "
            f"{_flags('--drop', others)}"
        )


def _refuse_missing(columns: Any) -> None:
    compute = _arrow(".compute")
    gaps = _those(columns, lambda column: compute.any(_is_missing(column)).as_py())
    if gaps:
        first = _is_missing(columns.column(gaps[0])).to_numpy()
        raise DataError(
            f"missing values in {_columns(gaps)} ({int(first.sum()):,} in {_show(gaps[0])}, the first in row "
            f"{int(first.argmax()) + 1:,}). Fill them first, or pass {_flags('--drop', gaps)}"
        )


def _refuse_infinite(columns: Any) -> None:
    compute, kinds = _arrow(".compute"), _arrow(".types")
    wrong = _those(columns, lambda c: kinds.is_floating(c.type) and compute.any(compute.is_inf(c)).as_py())
    if wrong:
        row = int(compute.is_inf(columns.column(wrong[0])).to_numpy().argmax()) + 1
        raise DataError(
            f"infinite values in {_columns(wrong)}, the first in row {row:,}. Replace them first, or pass "
            f"{_flags('--drop', wrong)}"
        )


def _refuse_index(columns: Any) -> None:
    """Refuse numbers of rows, which tell the class where rows are sorted by it."""
    found = [name for name in columns.column_names if name.lower() in _INDEX_NAMES and _counts(columns.column(name))]
    if found:
        raise DataError(
            f"{_columns(found)} only counts the rows and is no feature: pass {_flags('--drop', found)}, "
            f"or {_flags('--id', found)}"
        )


def _counts(column: Any) -> bool:
    if not _arrow(".types").is_integer(column.type) or len(column) < 3:
        return False
    return bool((np.diff(column.to_numpy()) == 1).all())


def _is_id(column: Any) -> bool:
    """Whether texts are too many to be categories, or hardly ever repeat."""
    if not _is_text(column.type):
        return False
    found = _distinct(column)
    return found > _MOST_CATEGORIES or (found > 2 and found * 10 > len(column) * 9)


def _refuse_texts(columns: Any) -> None:
    found = _those(columns, _is_id)
    if found:
        first = columns.column(found[0])
        lists = f", pass {_flags('--embedding', found[:1])}" if str(first[0]).lstrip().startswith("[") else ""
        raise DataError(
            f"{_columns(found)} with too many different texts to be categories ({_distinct(first):,} in "
            f"{len(first):,} rows): encode or embed first{lists}, or pass {_flags('--drop', found)}"
        )


def _refuse_number_texts(columns: Any) -> None:
    """Refuse numbers among texts such as ``?``, or with decimal commas: as categories they would mislead."""
    compute = _arrow(".compute")
    for name in _those(columns, lambda column: _is_text(column.type)):
        column = columns.column(name)
        numbers = compute.match_substring_regex(column, _NUMBER).to_numpy()
        if numbers.mean() > 0.5:
            row = int(numbers.argmin())
            raise DataError(
                f"column {_show(name)} holds numbers, but also the text {_show(column[row])} in row {row + 1:,}. "
                f"Write numbers as 1.5, leave missing ones empty and fill them, or pass {_flags('--drop', [name])}"
            )


# Embeddings


def _sole_embedding(columns: Any, lists: list[str]) -> tuple[np.ndarray, list[str]]:
    """The one column of lists, if nothing else could be meant."""
    others = _those(columns, lambda column: _is_usable(column) and not _is_id(column))
    if len(lists) > 1 or others:
        beside = f" beside {_list(others)}" if others else ""
        raise DataError(
            f"{_columns(lists)} with lists of numbers{beside}: pass {_flags('--embedding', lists[:1])} to use the "
            f"lists, or {_flags('--drop', lists)} to use the rest"
        )
    return _matrix(columns.column(lists[0]), lists[0])


def _read_embedding(table: _Table, asked: _Asked) -> tuple[np.ndarray, list[str]]:
    name = str(asked.embedding)
    if asked.features:
        raise DataError("--features and --embedding are both given, but expected one of them. Leave one out.")
    _matching("--drop", asked.drop, table.names)
    column = _plain(table.read_texts([name]).column(name))
    if not len(column):
        raise _no_rows(table.file)
    if _is_text(column.type):
        column = _parse_lists(column, name)
    if not _is_list(column.type):
        raise DataError(f"column {_show(name)} holds {_short(column.type)}, but --embedding expects lists of numbers.")
    return _matrix(column, name)


def _parse_lists(column: Any, name: str) -> Any:
    pa = _arrow()
    rows = [_parse_list(text, name, i) for i, text in enumerate(column.to_pylist())]
    return pa.chunked_array([pa.array(rows, pa.list_(pa.float64()))])


def _parse_list(text: str | None, name: str, row: int) -> np.ndarray:
    try:
        values = np.array(json.loads(text or ""))
    except (ValueError, RecursionError):
        values = np.array(None)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise DataError(
            f"column {_show(name)} holds {_show(text or '')} in row {row + 1:,}, but expected a list of numbers such "
            "as [0.1, 0.2]. Mend or drop this row."
        )
    return values.astype(np.float64)


def _matrix(column: Any, name: str) -> tuple[np.ndarray, list[str]]:
    """Lists of one length as rows of an array, without a copy if they lie in one piece."""
    _refuse_lengths(column, name)
    starts = np.cumsum([0, *map(len, column.chunks)]).tolist()
    blocks = [_block(chunk, name, start) for chunk, start in zip(column.chunks, starts, strict=False) if len(chunk)]
    X = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    _refuse_wild(X, f"column {_show(name)}")
    return X, [f"{name}[{i}]" for i in range(X.shape[1])]


def _refuse_lengths(column: Any, name: str) -> None:
    lengths = _arrow(".compute").list_value_length(column).fill_null(-1).to_numpy()
    if lengths.max() < 1:
        raise DataError(f"column {_show(name)} holds empty lists only, but expected lists of numbers.")
    values, times = np.unique(lengths[lengths > 0], return_counts=True)
    usual = values[times.argmax()]
    wrong = lengths != usual
    if wrong.any():
        row = int(wrong.argmax())
        came = "no list" if lengths[row] < 0 else f"a list of {lengths[row]:,}"
        raise DataError(
            f"column {_show(name)} has {came} in row {row + 1:,}, but expected {usual:,} numbers as in other rows "
            f"({_count(int(wrong.sum()), 'such row')}). Mend or drop them."
        )


def _block(chunk: Any, name: str, start: int) -> np.ndarray:
    flat = _plain(_arrow().chunked_array([chunk.flatten()])).combine_chunks()
    width = len(flat) // len(chunk)
    if flat.null_count:
        row = start + int(flat.is_null().to_numpy(zero_copy_only=False).argmax()) // width
        raise DataError(f"column {_show(name)} has a missing number in the list of row {row + 1:,}. Mend or drop it.")
    return _floats(flat.to_numpy(zero_copy_only=False)).reshape(len(chunk), width)


def _floats(values: np.ndarray) -> np.ndarray:
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def _refuse_wild(X: np.ndarray, what: str) -> None:
    with np.errstate(all="ignore"):
        if np.isfinite(X.sum()):  # one number, not an array, tells that all is well
            return
    wrong = ~np.isfinite(X).all(axis=1)
    if wrong.any():
        raise DataError(
            f"{what} has missing or infinite numbers in {_count(int(wrong.sum()), 'row')}, the first in row "
            f"{int(wrong.argmax()) + 1:,}. Fill them or drop these rows."
        )


# Arrays of NumPy


def _from_npy(file: _File, asked: _Asked) -> Data:
    _refuse_names(file, asked)
    with _loaded(file) as array:
        X = _check_array(array, file.shown)
    if asked.labels_file:
        labels = _read_labels_file(asked.labels_file, asked.label, len(X))
        return _data_of_array(file, X, labels, {}, asked)
    at = _label_number(file, asked.label, X.shape[1])
    labels = _labels_of(str(asked.label), *np.unique(_whole(X[:, at]), return_inverse=True))
    return _data_of_array(file, np.delete(X, at, axis=1), labels, {}, asked)


def _refuse_names(file: _File, asked: _Asked) -> None:
    """Refuse names of columns, which one array does not have."""
    given = {
        "--id": asked.id_column,
        "--groups": asked.groups,
        "--image": asked.image,
        "--embedding": asked.embedding,
    }
    for flag, name in given.items():
        if name is not None:
            raise DataError(f"{file.shown} has no columns with names, so {flag} cannot be used. Use a .npz or a table.")


def _whole(values: np.ndarray) -> np.ndarray:
    """Whole numbers as such, since a matrix may have had no other way to hold them."""
    return values.astype(np.int64) if ((values == np.round(values)) & (abs(values) < 2**53)).all() else values


def _label_number(file: _File, label: str | None, width: int) -> int:
    if label is None:
        raise DataError(
            f"which column is the label? {file.shown} has no names: pass its number, such as -y -1 for the last, "
            "or the labels' own file with --labels-file"
        )
    if not re.fullmatch("-?[0-9]{1,9}", label) or not -width <= int(label) < width:
        raise DataError(
            f"no column {_show(label)}. {file.shown} has no names: expected a number from 0 to {width - 1}, or -1 for "
            "the last."
        )
    return int(label) % width


@contextmanager
def _loaded(file: _File) -> Iterator[Any]:
    """What NumPy makes of a file, which is closed whatever happens."""
    with file.open_raw() as stream:
        yield _load(stream, file.shown)


def _load(stream: Any, what: str) -> Any:
    try:
        return np.load(stream, allow_pickle=False)
    except ValueError as error:
        raise _objects(what, error) from error


def _objects(what: str, error: ValueError) -> ValueError:
    """Say what to do about Python objects, which only pickle could read."""
    if "allow_pickle" not in str(error):
        return error
    return DataError(f"{what} holds Python objects, which are not read. Save it again as numbers or texts.")


def _check_array(X: Any, what: str) -> np.ndarray:
    """An array of features, rows of more than one axis laid flat."""
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "biuf":
        raise DataError(f"{what} holds {getattr(X, 'dtype', type(X).__name__)}, but expected numbers.")
    if X.ndim < 2 or not X.size:
        raise DataError(f"{what} has shape {X.shape}, but expected rows and columns of numbers.")
    X = _floats(X.reshape(len(X), -1))
    _refuse_wild(X, what)
    return X


def _data_of_array(file: _File, X: np.ndarray, labels: _Labels, given: dict[str, np.ndarray], asked: _Asked) -> Data:
    _refuse_length(f"there are {_count(len(labels.codes), 'label')}", len(labels.codes), len(X))
    names = [f"x{i}" for i in range(X.shape[1])]
    if asked.features or asked.drop:
        chosen = _choose(names, asked)
        X, names = X[:, [int(name[1:]) for name in chosen]], chosen
    return _data_of(file, X, names, labels, given, asked)


def _from_npz(file: _File, asked: _Asked) -> Data:
    with _loaded(file) as arrays:
        _refuse_single(file, arrays)
        wanted = [*asked.roles(), *([asked.embedding] if asked.embedding is not None else [])]
        _refuse_unknown(wanted, arrays.files, "array")
        name = asked.embedding if asked.embedding is not None else _find_array(arrays, _X_ARRAY, asked)
        X = _check_array(_array(arrays, name), f"array {_show(name)}")
        labels = _labels_of_npz(arrays, asked, len(X))
        others = [other for other in (asked.id_column, asked.groups, asked.image) if other is not None]
        given = {other: _flat(_array(arrays, other), other) for other in others}
    for other, values in given.items():
        _refuse_length(f"array {_show(other)} has {_count(len(values), 'value')}", len(values), len(X))
    return _data_of_array(file, X, labels, given, asked)


def _labels_of_npz(arrays: Any, asked: _Asked, n: int) -> _Labels:
    if asked.labels_file:
        return _read_labels_file(asked.labels_file, asked.label, n)
    label = asked.label if asked.label is not None else _find_array(arrays, _Y_ARRAY, asked)
    return _labels_of(label, *_coded_array(_array(arrays, label), label))


def _refuse_single(file: _File, arrays: Any) -> None:
    if isinstance(arrays, np.ndarray):
        raise DataError(f"{file.shown} is a .npy by its contents. Rename it.")


def _array(arrays: Any, name: str) -> np.ndarray:
    try:
        return arrays[name]
    except ValueError as error:
        raise _objects(f"array {_show(name)}", error) from error


@dataclass(frozen=True)
class _Usual:
    """What an array is usually called and looks like."""

    name: str
    holds: str
    flag: str
    flat: bool


_X_ARRAY = _Usual("X", "features", "--embedding", flat=False)
_Y_ARRAY = _Usual("y", "labels", "-y", flat=True)


def _find_array(arrays: Any, usual: _Usual, asked: _Asked) -> str:
    """The array of the usual name, or the only one that could be meant."""
    if usual.name in arrays.files:
        return usual.name
    shapes = {name: _shape(arrays, name) for name in arrays.files}
    taken = {*asked.roles(), asked.embedding}
    able = [name for name, shape in shapes.items() if shape and (len(shape) == 1) is usual.flat and name not in taken]
    if len(able) == 1:
        return able[0]
    shown = ", ".join(f"{_short(name)} {shape or '(not numbers or texts)'}" for name, shape in list(shapes.items())[:8])
    raise DataError(f"which array holds the {usual.holds}? Use {usual.flag}. Arrays: {shown or 'none'}")


def _shape(arrays: Any, name: str) -> tuple[int, ...]:
    try:
        return _array(arrays, name).shape
    except ValueError:
        return ()


def _flat(values: np.ndarray, name: str) -> np.ndarray:
    """One value a row, bytes as texts."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or values.dtype.kind not in "biufUS":
        raise DataError(
            f"array {_show(name)} has shape {values.shape} and type {_short(values.dtype)}, but expected one number "
            "or text a row."
        )
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if missing.any():
        raise _gaps(name, missing)
    return np.char.decode(values, "utf-8", "backslashreplace") if values.dtype.kind == "S" else values


def _coded_array(values: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(_flat(values, name), return_inverse=True)


def _labels_of_array(file: _File, label: str | None) -> _Labels:
    if file.kind == "npy":
        with _loaded(file) as array:
            return _labels_of("label", *_coded_array(array, "label"))
    with _loaded(file) as arrays:
        _refuse_single(file, arrays)
        asked = _Asked(label, (), (), None, None, None, None, None)
        _refuse_unknown(asked.roles(), arrays.files, "array")
        return _labels_of_npz(arrays, asked, 0)


# Fingerprints


def _fingerprint(X: Any, labels: _Labels) -> str:
    digest = sha256()
    for part in _parts(X):
        digest.update(part)
    for part in _coded_parts(labels.classes, labels.codes):
        digest.update(part)
    return digest.hexdigest()


def _parts(X: Any) -> Iterator[Any]:
    if isinstance(X, np.ndarray):
        yield f"{X.shape} {X.dtype.str}".encode()
        yield np.ascontiguousarray(X)
        return
    for name, column in zip(X.column_names, X.columns, strict=True):
        yield json.dumps(name).encode()
        if _is_text(column.type):
            yield from _coded_parts(*_coded(column, is_csv=False))
        else:
            yield np.ascontiguousarray(column.to_numpy().astype("<f8"))


def _coded_parts(values: np.ndarray, codes: np.ndarray) -> Iterator[Any]:
    yield json.dumps(values.tolist()).encode()
    yield np.ascontiguousarray(codes.astype("<i8"))
