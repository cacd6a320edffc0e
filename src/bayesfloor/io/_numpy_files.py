"""Read NumPy files: a ``.npy`` with labels in a column, or a ``.npz`` with separate arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from bayesfloor.io._data import Data, tell_flattened
from bayesfloor.io._find_file import File
from bayesfloor.io._label_column import Asked, as_whole, labels_of
from bayesfloor.io._messages import DataError, quote, refuse_length, refuse_unknown, short
from bayesfloor.io._numbers import Labels
from bayesfloor.io._row_groups import draw
from bayesfloor.io._tables import BATCH, Coded, finite_floats, refuse_gaps
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Ints
from bayesfloor.support._words import how_many

_READ_AT_ONCE = 1 << 20  # bytes, few enough to stay in the processor's cache

# One array


def read_npy(file: File, asked: Asked) -> Data:
    """Read features, and labels from a column given by its number."""
    flags = [*asked.beside, *([] if asked.embedding is None else ["embedding"])]
    if flags:
        raise DataError(
            f"{file.shown} has no column names, so --{flags[0]} cannot be used. Use a .npz file or a table."
        )
    if (asked.at_most or asked.no_features) and (part := _read_part(file, asked)) is not None:
        return part
    if file.is_large and asked.labels_elsewhere and (sampled := _read_sample(file, asked)) is not None:
        return sampled
    with _loaded(file) as array:
        X, notes = _features_of(array, file.shown)
    if asked.labels_elsewhere:
        return _gathered(X, asked, notes)
    at = _label_number(file, asked.label, X.shape[1])
    name, coded = str(asked.label), _coded(X[:, at], str(asked.label))
    labels = labels_of(name, coded._replace(values=as_whole(coded.values)), asked.task)
    return _gathered(np.delete(X, at, axis=1), asked, notes, name, labels)


class NpyRows(NamedTuple):
    """Rows of numbers in a file, read in pieces; with a memory map, a file that gets shorter would end the process."""

    file: File
    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]
    start: int  # of the numbers in the file

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return prod(self.shape[1:])

    def read(self, first: int, last: int) -> np.ndarray:
        """Return the rows from ``first`` to before ``last``."""
        size = self.dtype.itemsize
        with self.file.open_raw() as stream:
            if not self.by_column:
                stream.seek(self.start + first * self.width * size)
                return _read_numbers(stream, (last - first, self.width), self.dtype)
            found = np.empty((last - first, *self.shape[1:]), self.dtype, order="F")
            columns = found.reshape(last - first, -1, order="F")
            for column in range(self.width):
                stream.seek(self.start + (column * self.shape[0] + first) * size)
                columns[:, column] = _read_numbers(stream, (last - first,), self.dtype)
            return found.reshape(last - first, -1)


def open_npy(file: File) -> NpyRows | None:
    """Open an array to be read in pieces; None if it is not a matrix of numbers."""
    with file.open_raw() as stream:
        shape, by_column, dtype = _header(stream)
        able = dtype.kind in "biuf" and len(shape) > 1 and 0 not in shape
        return NpyRows(file, shape, by_column, dtype, stream.tell()) if able else None


def features_of_npy(array: NpyRows, asked: Asked) -> Ints:
    """Return the numbers of the columns that are features."""
    label = [] if asked.labels_elsewhere else [_label_number(array.file, asked.label, array.width)]
    left = np.delete(np.arange(array.width), label)
    return left[[int(name[1:]) for name in asked.choose([f"x{i}" for i in range(len(left))])]]


def _read_part(file: File, asked: Asked) -> Data | None:
    """Read all labels of an array, and the features of a sample of its rows or of none."""
    if (array := open_npy(file)) is None:
        return None
    n_rows, name, labels, missing = array.shape[0], "", None, np.zeros(array.shape[0], dtype=bool)
    steps = [(first, min(first + BATCH, n_rows)) for first in range(0, n_rows, BATCH)]
    if not asked.labels_elsewhere:
        name, at = str(asked.label), _label_number(file, asked.label, array.width)
        coded = _coded(np.concatenate([array.read(*step)[:, at] for step in steps]), name)
        labels = labels_of(name, coded._replace(values=as_whole(coded.values)), asked.task)
        missing = coded.codes < 0
    if asked.no_features:
        return asked.gather(np.empty((n_rows, 0)), (), name, labels, {})
    most = file.most_rows(n_rows, asked.most_rows) if file.is_large else n_rows
    drawn = None if asked.at_most is None else draw(missing, min(asked.at_most, most), asked.seed)
    if drawn is None:
        return None
    X, _ = _features_of(np.concatenate([array.read(*step)[_within(drawn, *step)] for step in steps]), file.shown)
    names = [f"x{i}" for i in range(array.width - (labels is not None))]
    X = X[:, features_of_npy(array, asked)]
    own = None if labels is None else labels._replace(y=labels.y[drawn])
    data = asked.gather(X, asked.choose(names), name, own, {}, notes=tell_flattened(array.shape))
    return replace(data, drawn=drawn, n_rows=n_rows, n_unlabelled=int(np.count_nonzero(missing)))


def _within(rows: Ints, first: int, last: int) -> Ints:
    """Return those of these ascending rows that are in a range, counted from its start."""
    low, high = np.searchsorted(rows, [first, last])
    return rows[low:high] - first


def _label_number(file: File, label: str | None, width: int) -> int:
    if label is None:
        raise DataError(
            f"which column is the label? {file.shown} has no column names: pass a number, such as -y -1 for the last "
            "column, or a file of labels with --labels-file"
        )
    if not re.fullmatch("-?[0-9]{1,9}", label) or not -width <= int(label) < width:
        raise DataError(
            f"no column {quote(label)}. {file.shown} has no column names: expected a number from 0 to {width - 1}, or "
            "-1 for the last."
        )
    return int(label) % width


def _read_sample(file: File, asked: Asked) -> Data | None:
    """Read some rows of a large file; None if all of them fit in memory, or if they are not numbers."""
    with file.open_raw() as stream:
        shape, by_column, dtype = _header(stream)
        n_drawn = file.most_rows(shape[0], asked.most_rows) if len(shape) > 1 else 0
        if dtype.kind not in "biuf" or not 0 < n_drawn < shape[0]:
            return None
        rng = np.random.default_rng(asked.seed)
        drawn = np.sort(rng.choice(shape[0], n_drawn, replace=False, shuffle=False))
        read = _read_columns if by_column else _read_rows
        X, _ = _features_of(read(stream, shape, dtype, drawn), file.shown)
    return replace(_gathered(X, asked, tell_flattened(shape)), drawn=drawn, n_rows=shape[0])


def _read_rows(stream: Any, shape: tuple[int, ...], dtype: np.dtype[Any], drawn: np.ndarray) -> np.ndarray:
    """Read these rows with plain reads: if a memory-mapped file got shorter, the process would die."""
    found = np.empty((len(drawn), *shape[1:]), dtype)
    step = max(1, _READ_AT_ONCE // found[:1].nbytes)
    for start in range(0, shape[0], step):
        stop = min(start + step, shape[0])
        rows = _read_numbers(stream, (stop - start, *shape[1:]), dtype)
        low, high = np.searchsorted(drawn, [start, stop])
        found[low:high] = rows[drawn[low:high] - start]
    return found


def _read_columns(stream: Any, shape: tuple[int, ...], dtype: np.dtype[Any], drawn: np.ndarray) -> np.ndarray:
    """Do the same for a file that holds one column after another."""
    found = np.empty((len(drawn), *shape[1:]), dtype, order="F")
    columns = found.reshape(len(drawn), -1, order="F")
    for column in range(columns.shape[1]):
        columns[:, column] = _read_numbers(stream, shape[:1], dtype)[drawn]
    return found


def _read_numbers(stream: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    n_bytes = prod(shape) * dtype.itemsize
    content = stream.read(n_bytes)
    if len(content) < n_bytes:
        raise InputError("it is shorter than its header says")
    return np.frombuffer(content, dtype).reshape(shape)


# Several arrays


def read_npz(file: File, asked: Asked) -> Data:
    """Read features, labels, and other requested arrays."""
    with _opened(file) as arrays:
        refuse_unknown(asked.named, arrays.files, "array")
        name = asked.embedding
        if name is None:
            question = "which array holds the features? Use --embedding."
            name = _find_array(file, arrays, "X", asked.roles, question, flat=False)
        X, notes = _features_of(_array(arrays, name, file), f"array {quote(name)}")
        label, labels = "", None
        if not asked.labels_elsewhere:
            label, coded = _label_array(file, arrays, asked.label, asked.roles)
            labels = labels_of(label, coded, asked.task)
        beside = {name: _flat(_array(arrays, name, file), name) for name in asked.beside.values()}
        for name, values in beside.items():
            refuse_gaps(name, values != values)  # noqa: PLR0124 - NaN
    return _gathered(X, asked, notes, label, labels, beside)


def _label_array(file: File, arrays: Any, label: str | None, taken: list[str]) -> tuple[str, Coded]:
    question = "which array holds the labels? Use -y."
    name = label if label is not None else _find_array(file, arrays, "y", taken, question, flat=True)
    return name, _coded(_array(arrays, name, file), name)


def _find_array(file: File, arrays: Any, usual: str, taken: list[str], question: str, *, flat: bool) -> str:
    """Find the array with the usual name, or else the only array that fits."""
    if usual in arrays.files:
        return usual
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(arrays.files, ())
    for name in shapes:
        with suppress(ValueError):  # of Python objects the shape is not known either
            shapes[name] = _array(arrays, name, file).shape
    able = [name for name, shape in shapes.items() if shape and (len(shape) == 1) is flat and name not in taken]
    if len(able) == 1:
        return able[0]
    shown = [f"{short(name)} {shape or '(not numbers or text)'}" for name, shape in list(shapes.items())[:8]]
    raise DataError(f"{question} Arrays: {', '.join(shown) or 'none'}")


# Labels in a separate file


def read_label_array(file: File, label: str | None) -> tuple[str, Coded]:
    """Read labels, and their name, from a separate file."""
    if file.kind == "npy":
        with _loaded(file) as array:
            return "label", _coded(array, "label")
    with _opened(file) as arrays:
        refuse_unknown([] if label is None else [label], arrays.files, "array")
        return _label_array(file, arrays, label, [])


# Shared helpers


@contextmanager
def _loaded(file: File) -> Iterator[Any]:
    with file.open_raw() as stream:
        with _no_pickles(file.shown):
            loaded = np.load(stream, allow_pickle=False)
        yield loaded


@contextmanager
def _opened(file: File) -> Iterator[Any]:
    with _loaded(file) as arrays:
        if isinstance(arrays, np.ndarray):
            raise DataError(f"{file.shown} contains a single array, so it is a .npy file. Rename it to end in .npy.")
        yield arrays


def _array(arrays: Any, name: str, file: File) -> np.ndarray:
    with arrays.zip.open(f"{name}.npy" if f"{name}.npy" in arrays.zip.namelist() else name) as stream:
        shape, _, dtype = _header(stream)
    file.refuse_packed(shape[0] if shape else 1, prod(shape) * dtype.itemsize)
    with _no_pickles(f"array {quote(name)}"):
        return arrays[name]


def _header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the shape of an array, whether it is stored by column, and its type."""
    old = npy.read_magic(stream) == (1, 0)
    return (npy.read_array_header_1_0 if old else npy.read_array_header_2_0)(stream)


@contextmanager
def _no_pickles(what: str) -> Iterator[None]:
    """Explain what to do about Python objects, which only pickle could read."""
    try:
        yield
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise DataError(
            f"{what} contains Python objects, which are not read for safety. Save it again as numbers or text."
        ) from error


def _features_of(X: Any, what: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Check an array of features; flatten rows that have more than one axis, with a note."""
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "biuf":
        raise DataError(f"{what} has type {getattr(X, 'dtype', type(X).__name__)}, but expected numbers.")
    if X.ndim < 2 or not X.size:
        raise DataError(f"{what} has shape {X.shape}, but expected rows and columns of numbers.")
    return finite_floats(X.reshape(len(X), -1), what, allow_gaps=True), tell_flattened(X.shape)


def _coded(values: np.ndarray, name: str) -> Coded:
    if values.ndim == 2 and values.shape[1] > 1:
        raise DataError(
            f"array {quote(name)} has shape {values.shape}: several labels per row? Save one column as a separate "
            "array and use that."
        )
    flat = _flat(values, name)
    gaps = np.isnan(flat) if flat.dtype.kind == "f" else np.zeros(len(flat), dtype=bool)
    classes, codes = np.unique(flat[~gaps], return_inverse=True)
    found = np.full(len(flat), -1)
    found[~gaps] = codes
    return Coded(classes, found)


def _flat(values: np.ndarray, name: str) -> np.ndarray:
    """Return one value per row, with bytes decoded."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or values.dtype.kind not in "biufUS":
        raise DataError(
            f"array {quote(name)} has shape {values.shape} and type {short(values.dtype)}, but expected one number "
            "or string per row."
        )
    return np.char.decode(values, "utf-8", "backslashreplace") if values.dtype.kind == "S" else values


def _gathered(
    X: np.ndarray, asked: Asked, notes: Any, label: str = "", labels: Labels | None = None, beside: Any = ()
) -> Data:
    """Return the chosen features with the labels and the values beside them."""
    columns = dict(beside)
    if labels is not None:
        refuse_length(f"there are {how_many(len(labels.y), 'label')}", len(labels.y), len(X))
    for name, values in columns.items():
        refuse_length(f"array {quote(name)} has {how_many(len(values), 'value')}", len(values), len(X))
    names = [f"x{i}" for i in range(X.shape[1])]
    chosen = asked.choose(names)
    if len(chosen) < len(names):
        X = X[:, [int(name[1:]) for name in chosen]]
    return asked.gather(X, chosen, label, labels, columns, notes=notes)
