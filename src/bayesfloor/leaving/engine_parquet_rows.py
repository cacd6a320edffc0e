"""Rows in Parquet files: each task reads only the rows it needs, on the machine it runs on."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._row_groups import RowGroups, row_groups
from bayesfloor.support._errors import InputError, InputTypeError, MissingPackageError
from bayesfloor.support._files import Address, AddressError, FileState, data_files, digest_files, find_state, told
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import as_utf8, join_labels, printable, quoted

_BATCH = 1 << 16  # rows decoded at a time


@dataclass(frozen=True)
class Part:
    """A range of rows in a Parquet file."""

    file: FileState
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class ParquetRows:
    """Rows of a Parquet file, or of a folder of Parquet files sorted by name."""

    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of features."""
        return sum(len(part) for part in self.parts), self.n_features

    def part(self, start: int, stop: int) -> ParquetRows:
        """Return a handle for this range of rows."""
        return replace(self, parts=tuple(_cut(self.parts, start, stop)))

    def read(self) -> Floats:
        """Read the rows as an array."""
        out, at = np.empty(self.shape), 0
        for part in self.parts:
            for table in _batches(part, self.columns):
                out[at : at + len(table)] = _matrix(table, part.file, self.n_features)
                at += len(table)
        return out

    def take(self, rows: Ints) -> Floats:
        """Read individual rows in the given order; this reads whole batches of each file."""
        order = np.argsort(rows, kind="stable")
        ends = np.cumsum([len(part) for part in self.parts])
        out, ascending = np.empty((len(rows), self.n_features)), rows[order]
        if len(rows) and not 0 <= ascending[0] <= ascending[-1] < ends[-1]:
            raise IndexError(f"Got row numbers {ascending[0]} to {ascending[-1]}, but there are {ends[-1]} rows.")
        for part, stop in zip(self.parts, ends, strict=True):
            first = stop - len(part)
            inside = slice(*np.searchsorted(ascending, [first, stop]))
            if inside.start < inside.stop:
                out[order[inside]] = self._take_of(part, ascending[inside] - first)
        return out

    def on_disk(self, folder: str) -> ParquetRows:  # noqa: ARG002 - the rows are on disk already
        """Return the handle itself."""
        return self

    def fingerprint(self) -> str:
        """Return a digest of the files' names, sizes and modification times."""
        return digest_files(
            [part.file for part in self.parts], self.columns, [(part.start, part.stop) for part in self.parts]
        )

    def _take_of(self, part: Part, rows: Ints) -> Floats:
        """Read rows of one file, given in ascending order."""
        taken, at = [], 0
        for table in _batches(part, self.columns):
            inside = rows[slice(*np.searchsorted(rows, [at, at + len(table)]))] - at
            if len(inside):
                taken.append(_matrix(table.take(inside), part.file, self.n_features))
            at += len(table)
        return np.concatenate(taken)


def _cut(parts: Sequence[Part], start: int, stop: int) -> Iterator[Part]:
    ends = list(accumulate(len(part) for part in parts))
    for part, end in list(zip(parts, ends, strict=True))[bisect_right(ends, start) :]:
        first = end - len(part)
        if first >= stop:
            return
        yield replace(part, start=part.start + max(0, start - first), stop=part.start + min(len(part), stop - first))


def _batches(part: Part, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of one part as tables of limited size."""
    part.file.check()
    with _opened(part.file) as file:
        sizes = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
        ends = list(accumulate(sizes))
        first = bisect_right(ends, part.start)
        groups = [g for g in range(first, len(sizes)) if ends[g] - sizes[g] < part.stop]
        at = ends[first] - sizes[first] if groups else part.start
        batches = file.iter_batches(_BATCH, row_groups=groups, columns=list(columns)) if groups else ()
        for batch in batches:
            inside = batch[max(0, part.start - at) : max(0, part.stop - at)]
            at += len(batch)
            if len(inside):
                inside.validate(full=True)
                yield inside
            if at >= part.stop:
                return
        if at < part.stop:
            raise InputError(f"it ends before row {part.stop}, although its metadata list that row")


@contextmanager
def _opened(file: FileState) -> Iterator[Any]:
    """Open the file; errors while reading it name the file."""
    try:
        source = file.path.open_arrow() if isinstance(file.path, Address) else as_utf8(file.path)
        with _parquet().ParquetFile(source) as opened:
            yield opened
    except AddressError:
        raise
    except (OSError, ValueError) as error:  # from pyarrow; an OSError with a number comes from the system
        file.check()  # it may have been removed in the meantime
        if getattr(error, "errno", None):
            raise OSError(f"{printable(file.path)} cannot be read: {told(error)}.") from error
        raise InputError(
            f"{printable(file.path)} cannot be read as Parquet: {told(error)}. Is it complete? "
            "Only Parquet and .npy files can be given as a path; read other files into a data frame first."
        ) from error


def _matrix(table: Any, file: FileState, n_features: int) -> Floats:
    """Join the columns of a batch into one matrix; missing values become NaN."""
    columns = [_numbers(column, name, file) for name, column in zip(table.schema.names, table.columns, strict=True)]
    matrix = columns[0] if len(columns) == 1 else np.hstack(columns)
    if matrix.shape[1] != n_features:
        raise InputError(
            f"Got {matrix.shape[1]} numbers per row in {printable(file.path)}, "
            f"but expected {n_features} as in the other files."
        )
    return matrix


def _numbers(column: Any, name: str, file: FileState) -> Floats:
    """Return a column of numbers, or of lists of numbers, as a matrix."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        lengths = _to_numpy(column.value_lengths())
        if column.null_count or (lengths != lengths[0]).any():
            raise InputError(
                f"Got lists of different lengths, or missing lists, in column {quoted(name)} of "
                f"{printable(file.path)}, but expected the same number of values in every row."
            )
        return as_floats(_to_numpy(column.flatten()).reshape(len(column), -1))
    return as_floats(_to_numpy(column)[:, None])


def _to_numpy(column: Any) -> NDArray[Any]:
    """Return a column's numbers. Arrow's own ``to_numpy`` loads pandas: 40 MB that small workers cannot spare."""
    import pyarrow as pa

    is_plain = not column.null_count and not pa.types.is_boolean(column.type)
    values: NDArray[Any] = np.from_dlpack(column) if is_plain else column.to_numpy(zero_copy_only=False)
    return values


def as_floats(array: NDArray[Any]) -> Floats:
    """Return numbers of any type as float64 in row-major order."""
    with np.errstate(invalid="ignore"):  # a signalling NaN is a missing value like any other NaN
        return np.array(array, dtype=np.float64, order="C")


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            'Parquet files need pyarrow, which is not installed. Install it with: pip install "bayesfloor[dask]"'
        ) from error
    return pyarrow.parquet


def _parquet_files(path: Path | Address) -> list[FileState]:
    if not path.is_dir():
        return [find_state(path)]
    found = data_files(path, (".parquet",))
    if not found:
        raise FileNotFoundError(f"The folder {printable(path)} has no .parquet files.")
    return [find_state(place) for place in found]


def open_parquet(path: Path | Address, columns: Sequence[str] | None) -> ParquetRows:
    """Open the rows of a file, or of all files in a folder."""
    files = _parquet_files(path)
    parts, names = [], None if columns is None else list(columns)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"Got column {join_labels(twice)} more than once in columns, but expected each name once.")
    for file in files:
        schema, footer = _look_into(file)
        names = list(schema.names) if names is None else names
        _check_columns(schema, names, file)
        parts.append(Part(file, 0, footer.num_rows))
    full = tuple(part for part in parts if len(part))
    if not full:
        raise InputError(f"Got no rows in {printable(files[0].path)}, but expected at least one.")
    rows = ParquetRows(full, tuple(names or ()), 0)
    first = next(_batches(Part(full[0].file, 0, 1), rows.columns))
    width = sum(_numbers(column, name, full[0].file).shape[1] for name, column in zip(rows.columns, first, strict=True))
    if not width:
        raise InputError(
            f"Got empty lists in {printable(full[0].file.path)}, but expected at least one number in every list."
        )
    return replace(rows, n_features=width)


def column_names(path: Path | Address) -> list[str]:
    """List the columns of a Parquet file, or of a folder's first file; a ``.npy`` file has none."""
    if path.suffix.lower() == ".npy":
        return []
    return list(_look_into(_parquet_files(path)[0])[0].names)


def _look_into(file: FileState) -> tuple[Any, Any]:
    """Return the schema and the metadata of a file."""
    with _opened(file) as opened:
        return opened.schema_arrow, opened.metadata


def _check_columns(schema: Any, names: list[str], file: FileState) -> None:
    _check_names(schema, names, file)
    texts = [name for name in names if not _holds_numbers(schema.field(name).type)]
    if texts:
        raise InputError(
            f"Got {printable(schema.field(texts[0]).type)} in column {quoted(texts[0])} of {printable(file.path)}, but "
            "expected numbers. Choose other columns with open_rows(path, columns=[...]), or encode text as numbers."
        )


def _holds_numbers(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        kind = kind.value_type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def groups_at_address(rows: object) -> tuple[RowGroups, int, tuple[str, ...]] | None:
    """Return the row groups, total bytes and columns of whole files at an address; None for any other rows."""
    if not isinstance(rows, ParquetRows) or not isinstance(rows.parts[0].file.path, Address):
        return None
    footers = [_look_into(part.file)[1] for part in rows.parts]
    if any(len(part) != footer.num_rows for part, footer in zip(rows.parts, footers, strict=True)):
        return None
    return row_groups(footers), sum(part.file.size for part in rows.parts), rows.columns


def read_parquet_column(rows: object, name: str) -> NDArray[Any]:
    """Read a column, such as the labels, from the files that hold the rows."""
    if not isinstance(rows, ParquetRows):
        raise InputTypeError(
            f"Got the column name {quoted(name)}, but the rows do not come from Parquet files. Pass an array of labels."
        )
    for file in dict.fromkeys(part.file for part in rows.parts):
        _check_names(_look_into(file)[0], [name], file)
    read = [_values(batch.column(0)) for part in rows.parts for batch in _batches(part, [name])]
    return np.concatenate(read)


def _values(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = getattr(column, "dictionary_decode", lambda: column)().to_numpy(zero_copy_only=False)
    return values


def _check_names(schema: Any, names: Sequence[str], file: FileState) -> None:
    have = Counter(schema.names)
    missing = [name for name in names if name not in have]
    if not names:
        raise InputError(f"Got no columns to read from {printable(file.path)}. It has {join_labels(list(have))}.")
    if missing:
        raise InputError(
            f"There is no column {join_labels(missing)} in {printable(file.path)}. "
            f"Its columns are {join_labels(list(have))}."
        )
    if twice := [name for name in names if have[name] > 1]:
        raise InputError(f"Got several columns named {quoted(twice[0])} in {printable(file.path)}, but expected one.")
