"""Open tables in files and streams: list their columns and read some of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._csv import no_rows, open_csv, other_names, same_names
from bayesfloor.io._find_file import File, reading
from bayesfloor.io._messages import (
    DataError,
    arrow,
    is_list,
    is_number,
    is_text,
    plain_type,
    quote,
    short,
    stack_lists,
    troubles_of,
)
from bayesfloor.io._row_groups import RowGroups, row_groups
from bayesfloor.support._files import Address
from bayesfloor.support._types import Ints
from bayesfloor.support._words import as_utf8, how_many

BATCH = 1 << 16  # rows decoded at a time
_READ_AT_ONCE = 1 << 20  # bytes of a column
_Stream = Callable[[Ints | None, Sequence[str]], Iterator[Any]]  # reads columns of some row groups, or of all rows
_Opened = tuple[list[str], tuple[str, ...], _Stream, _Stream, RowGroups | None]  # the fields of a Table after ``file``


@dataclass(frozen=True)
class Table:
    """A table that is read on request."""

    file: File
    names: list[str]  # of its columns
    notes: tuple[str, ...]  # assumptions made while reading it, such as its encoding
    stream: _Stream
    text_stream: _Stream  # the same without guessed types
    groups: RowGroups | None = None  # of Parquet files, where a part of the rows may be read

    def __post_init__(self) -> None:
        self.file.refuse_wide(len(self.names))
        twins = [name for name, times in Counter(self.names).items() if times > 1]
        if twins:
            raise DataError(same_names(self.file, twins))

    @property
    def is_csv(self) -> bool:
        """Whether types were guessed from text."""
        return self.file.kind == "CSV"

    def read(
        self, columns: Sequence[str] | None = None, rows: np.ndarray | None = None, *, as_text: bool = False
    ) -> Any:
        """Read these columns (all by default) as a ``pyarrow.Table``; ``rows``, if given, must be ascending.

        ``as_text`` reads the columns of a CSV without guessing types.
        """
        names = self.names if columns is None else list(columns)
        stream, groups = self.text_stream if as_text else self.stream, None
        if rows is not None and self.groups is not None:
            groups, rows = self.groups.renumber(rows)  # only the groups that contain them are read
        with reading(self.file):
            batches = self._counted(self.batches(names, groups, stream), held=rows is None)
            held = list(batches if rows is None else _taken(batches, rows))
        if not sum(batch.num_rows for batch in held):
            raise no_rows(self.file)
        return arrow().Table.from_batches(held)

    def batches(self, names: Sequence[str], groups: Ints | None = None, stream: _Stream | None = None) -> Iterator[Any]:
        """Yield columns of some row groups, or of all rows, batch by batch."""
        for batch in (stream or self.stream)(groups, names):
            yield _plain(batch, list(names))

    def _counted(self, batches: Iterator[Any], *, held: bool) -> Iterator[Any]:
        """Pass batches on, but refuse a small file that goes on and on; ``held`` says if they stay in memory."""
        n_rows = n_bytes = 0
        for batch in batches:
            n_rows += batch.num_rows
            n_bytes += batch.nbytes if held else 0
            if self.file.source != b"":  # a stream is in memory already
                self.file.refuse_packed(n_rows, n_bytes)
            yield batch


def _plain(batch: Any, names: list[str]) -> Any:
    batch.validate(full=True)  # later computations would crash on a corrupt file
    return arrow().record_batch([plain_type(batch.column(name)) for name in names], names=names)


def _taken(batches: Iterator[Any], rows: np.ndarray) -> Iterator[Any]:
    """Yield the requested rows of each batch, so that batches need not stay in memory."""
    at = 0
    for batch in batches:
        first, last = np.searchsorted(rows, [at, at + batch.num_rows])
        if first < last:
            yield batch.take(arrow().array(rows[first:last] - at))
        at += batch.num_rows


def table_of(stream: Any) -> Table:
    """Read an object with ``__arrow_c_stream__`` as a table, with the same types as from a file.

    The table is kept in memory, because a stream can be read only once. A lazy frame is collected.
    """
    if not hasattr(stream, "__arrow_c_stream__") and hasattr(stream, "collect"):
        stream = stream.collect()
    if not hasattr(stream, "__arrow_c_stream__"):
        raise DataError(
            f"Got {type(stream).__name__}, but expected a table with the Arrow stream interface "
            "(__arrow_c_stream__), such as a Polars frame, a DuckDB relation or a PyArrow reader."
        )
    held = arrow().table(stream)
    opened = _typed(held.column_names, lambda _, names: iter(held.select(list(names)).to_batches()))
    return Table(File("the stream", "Arrow", b""), *opened)


def open_table(file: File) -> Table:
    """Open the table in a file."""
    openers = {"CSV": open_csv, "Parquet": _open_parquet, "Arrow": _open_arrow}
    if file.kind not in openers:
        raise DataError(f"{file.shown} contains NumPy arrays, but expected a table: CSV, Parquet or Arrow.")
    names, notes, *how = openers[file.kind](file)
    left = tuple(f"ignored {how_many(n, f'{kind} file')} in the same folder" for kind, n in file.others())
    return Table(file, names, notes + left, *how)


# Files with column types


def _typed(names: Sequence[str], read: _Stream, groups: RowGroups | None = None) -> _Opened:
    """Return an opened table whose columns have their own types, so they are not read as text."""
    return list(names), (), read, read, groups


def _open_parquet(file: File) -> _Opened:
    if file.folder:
        return _open_folder(file, "parquet")
    # Bytes that are fetched ahead stay in memory until a stream ends: a request for each row group far away, none here.
    is_far = isinstance(file.source, Address)
    how: Any = {"pre_buffer": True} if is_far else {"pre_buffer": False, "buffer_size": _READ_AT_ONCE}
    found = arrow(".parquet").ParquetFile(file.open(), **how)

    def read(groups: Ints | None, names: Sequence[str]) -> Iterator[Any]:
        chosen = list(range(found.num_row_groups)) if groups is None else groups.tolist()
        for some in ([group] for group in chosen) if is_far else [chosen]:
            yield from found.iter_batches(BATCH, row_groups=some, columns=list(names))

    return _typed(found.schema_arrow.names, read, row_groups([found.metadata]))


def _open_arrow(file: File) -> _Opened:
    if file.folder:
        return _open_folder(file, "ipc")
    return _typed(_arrow_reader(file).schema.names, lambda _, names: _arrow_batches(file, names))


def _arrow_reader(file: File, columns: Sequence[int] = ()) -> Any:
    """Open Arrow's file or stream format for all or some columns, without memory maps: a hostile file may crash it."""
    ipc = arrow(".ipc")
    opener = ipc.open_file if file.head().startswith(b"ARROW1") else ipc.open_stream
    return opener(file.open(), options=ipc.IpcReadOptions(included_fields=list(columns)))


def _arrow_batches(file: File, names: Sequence[str]) -> Iterator[Any]:
    all_names = _arrow_reader(file).schema.names
    reader = _arrow_reader(file, sorted(map(all_names.index, names)))
    batches = map(reader.get_batch, range(reader.num_record_batches)) if hasattr(reader, "get_batch") else reader
    for batch in batches:
        yield batch.select(list(names))


def _open_folder(file: File, kind: str) -> _Opened:
    """Open all files in a folder and its subfolders; folders named ``column=value`` are columns."""
    parts = file.parts()
    for part in parts if kind == "ipc" else ():
        for batch in _arrow_batches(part, _arrow_reader(part).schema.names):
            batch.validate(full=True)  # before its columns are cast to common types
    named = any("=" in folder for part in parts for folder in Path(part.name).parts[:-1])
    open_files = partial(
        arrow(".dataset").dataset,
        [part.source.path if isinstance(part.source, Address) else as_utf8(str(part.source)) for part in parts],
        format=kind,
        partitioning="hive" if named else None,
        filesystem=file.folder.file_system() if isinstance(file.folder, Address) else None,
    )
    first = open_files()
    schemas = [fragment.physical_schema for fragment in first.get_fragments()]
    others = [(part, set(schemas[0].names) ^ set(schema.names)) for part, schema in zip(parts, schemas, strict=True)]
    troubles = [other_names(part, parts[0], strange) for part, strange in others if strange]
    if troubles:
        raise troubles_of(file.shown, troubles)
    schema = arrow().unify_schemas([first.schema, *schemas], promote_options="permissive")
    found = first if schema == first.schema else open_files(schema=schema)
    groups = row_groups([part.metadata for part in found.get_fragments()]) if kind == "parquet" else None
    return _typed(found.schema.names, partial(_folder_batches, found), groups)


def _folder_batches(found: Any, groups: Ints | None, names: Sequence[str]) -> Iterator[Any]:
    how: Any = {"columns": list(names), "batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 1}
    if found.format.default_extname == "parquet" and found.filesystem.type_name == "local":  # as for one file
        options = arrow(".dataset").ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
        how["fragment_scan_options"] = options
    if groups is None:
        yield from found.to_batches(**how)
        return
    places = [(part, g) for part in found.get_fragments() for g in range(part.metadata.num_row_groups)]
    for part, group in (places[number] for number in groups):
        yield from part.subset(row_group_ids=[group]).to_batches(schema=found.schema, **how)


class Coded(NamedTuple):
    """Distinct values, and the index of each row's value; -1 if the row has none."""

    values: np.ndarray
    codes: np.ndarray
    is_csv: bool = False  # text in a CSV, where nothing else says what it is

    @property
    def rows(self) -> np.ndarray:
        """The value of each row, or None if the row has none."""
        found, missing = self.values[self.codes], self.codes < 0
        if missing.any():
            found = found.astype(object)
            found[missing] = None
        return found


def read_roles(table: Table, roles: list[str], label: str | None, rows: np.ndarray | None = None) -> dict[str, Coded]:
    """Read the columns with these names, for all rows or only the given ones; only the label column may have gaps."""
    if not roles:
        return {}
    columns, kinds, found = table.read(roles, rows, as_text=True), arrow(".types"), {}
    for name in roles:
        column = columns.column(name)
        if name != label:
            refuse_gaps(name, column.is_null(nan_is_null=True).to_numpy())
        if kinds.is_temporal(column.type):
            column = column.cast(arrow().string())
        if not (is_text(column.type) or is_number(column.type) or kinds.is_boolean(column.type)):
            raise DataError(f"column {quote(name)} has {short(column.type)} values, but expected text or numbers.")
        found[name] = encode(column, is_csv=table.is_csv)
    return found


def refuse_gaps(name: str, missing: np.ndarray) -> None:
    """Raise if any row has no value."""
    if missing.any():
        raise DataError(
            f"column {quote(name)} has {how_many(int(missing.sum()), 'missing value')}, the first in row "
            f"{int(missing.argmax()) + 1:,}. Drop these rows, or fill them with a value of their own."
        )


def encode(column: Any, *, is_csv: bool) -> Coded:
    """Encode a column by its distinct values; whole numbers in a CSV become integers if no two texts become equal."""
    compute = arrow(".compute")
    distinct = compute.unique(column).drop_null()
    if arrow(".types").is_floating(distinct.type):
        distinct = distinct.filter(compute.invert(compute.is_nan(distinct)))
    codes = compute.index_in(column, value_set=distinct).fill_null(-1).to_numpy()
    if not is_text(distinct.type):
        return Coded(distinct.to_numpy(zero_copy_only=False), codes)
    texts = distinct.to_pylist()
    if is_csv and all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in texts):
        return Coded(np.array([int(text) for text in texts]), codes)
    return Coded(np.array(texts, dtype=object), codes, is_csv)  # as NumPy strings, paths would take far more memory


def read_embedding(table: Table, name: str, chosen: np.ndarray | None = None) -> np.ndarray:
    """Read the lists in a column (text in a CSV), for all rows or only for the given ones."""
    return read_embedding_of(table.read([name], chosen, as_text=True).column(name), name)


def read_embedding_of(column: Any, name: str) -> np.ndarray:
    """Stack the lists in a column."""
    if is_text(column.type):
        rows = [_parse_list(text, name, i) for i, text in enumerate(column.to_pylist())]
        column = arrow().chunked_array([arrow().array(rows, arrow().list_(arrow().float64()))])
    if not is_list(column.type):
        raise DataError(f"column {quote(name)} has {short(column.type)} values, but expected lists for --embedding.")
    return stack(column, name)


def _parse_list(text: str | None, name: str, row: int) -> np.ndarray:
    try:
        values = np.array(json.loads(text or ""))
    except (ValueError, RecursionError):
        values = np.array(None)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise DataError(
            f"column {quote(name)} has {quote(text or '')} in row {row + 1:,}, but expected a list of numbers such "
            "as [0.1, 0.2]. Fix or drop this row."
        )
    return values.astype(np.float64)


def stack(column: Any, name: str) -> np.ndarray:
    """Stack lists of equal length as rows of an array, without a copy if they are contiguous."""
    lengths = arrow(".compute").list_value_length(column).fill_null(-1).to_numpy()
    if lengths.max() < 1:
        raise DataError(f"column {quote(name)} has only empty lists, but expected lists of numbers.")
    values, times = np.unique(lengths[lengths > 0], return_counts=True)
    usual = values[times.argmax()]
    wrong = lengths != usual
    if wrong.any():
        row = int(wrong.argmax())
        came = "no list" if lengths[row] < 0 else f"a list of {lengths[row]:,}"
        raise DataError(
            f"column {quote(name)} has {came} in row {row + 1:,}, but expected {usual:,} numbers as in other rows. "
            f"Fix or drop {'this row' if wrong.sum() == 1 else f'all {wrong.sum():,} such rows'}."
        )
    if arrow(".types").is_decimal(column.type.value_type):
        column = column.cast(arrow().list_(arrow().float64()))
    return finite_floats(np.asarray(stack_lists(column)), f"column {quote(name)}")


def finite_floats(X: np.ndarray, what: str, *, allow_gaps: bool = False) -> np.ndarray:
    """Return rows as floats; raise if any is infinite, or missing unless gaps are allowed."""
    X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    with np.errstate(all="ignore"):
        if np.isfinite(X.sum()):  # a quick test that needs no array of flags
            return X
    wrong = (np.isinf(X) if allow_gaps else ~np.isfinite(X)).any(axis=1)
    if wrong.any():
        kinds = "infinite" if allow_gaps else "missing or infinite"
        raise DataError(
            f"{what} has {kinds} numbers in {how_many(int(wrong.sum()), 'row')}, the first in row "
            f"{int(wrong.argmax()) + 1:,}. Fill them or drop these rows."
        )
    return X
