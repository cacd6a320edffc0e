"""Handles to rows in memory or in files; each task opens them on the machine it runs on.

A handle to files consists of a few strings and numbers, however many rows it refers to. ``part`` returns
a handle to a range of rows, so that a task gets no more than it needs.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesfloor.leaving.engine_checkpoint import cannot_write
from bayesfloor.leaving.engine_npy_file import NpyFile, open_npy
from bayesfloor.leaving.engine_parquet_rows import ParquetRows, as_floats, open_parquet
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._files import Address, FileState, digest_files, find_place, find_state, written_whole
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

_COPIED_AT_ONCE = 1 << 24  # bytes


class Rows(Protocol):
    """Rows of numbers, in memory or in files; ``open_rows`` makes them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.io import open_rows
    >>> rows = open_rows(np.arange(6.0).reshape(3, 2))
    >>> rows.shape
    (3, 2)
    >>> rows.part(1, 3).read()
    array([[2., 3.],
           [4., 5.]])
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of features."""

    def part(self, start: int, stop: int) -> Rows:
        """Return a handle for this range of rows."""

    def read(self) -> Floats:
        """Read the rows as an array."""

    def take(self, rows: Ints) -> Floats:
        """Read individual rows in the given order."""

    def on_disk(self, folder: str) -> Rows:
        """Return a handle to the same rows that other processes can open."""

    def fingerprint(self) -> str:
        """Return a digest that changes when the rows change."""


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows in this process's memory, for tasks that share it."""

    array: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of features."""
        return self.array.shape[0], self.array.shape[1]

    def part(self, start: int, stop: int) -> ArrayRows:
        """Return a handle for this range of rows."""
        return ArrayRows(self.array[start:stop])

    def read(self) -> Floats:
        """Read the rows as an array."""
        return as_floats(self.array)

    def take(self, rows: Ints) -> Floats:
        """Read individual rows in the given order."""
        return as_floats(self.array[rows])

    def on_disk(self, folder: str) -> NpyRows:
        """Save the rows to a file in this folder and return a handle to it."""
        path = Path(folder) / "rows.npy"
        if not self._is_in(path):
            try:
                with written_whole(path) as part:
                    self._save(part)
            except OSError as error:
                raise cannot_write(path, error) from error
        return _open_npy(path)

    def _is_in(self, path: Path) -> bool:
        """Whether a file holds these rows; warn if it holds different ones."""
        if not path.exists():
            return False
        with suppress(ValueError):
            there = open_npy(path)
            if there.dtype == self.array.dtype and there.shape == self.array.shape and self._equals(there):
                return True
        warnings.warn(f"The checkpoint file {printable(path)} is damaged. Writing it again.", stacklevel=2)
        return False

    def _equals(self, file: NpyFile) -> bool:
        """Whether a file of this type and shape holds the same numbers: long doubles contain padding bytes."""
        pieces = (
            (as_floats(part), self.array[first : first + len(part)])
            for first, part in file.pieces([(0, len(self.array))])
        )
        return all(there.tobytes() == as_floats(here).tobytes() for there, here in pieces)

    def _save(self, path: Path) -> None:
        """Write like np.save, but a few rows at a time and with clear errors."""
        header = npy.header_data_from_array_1_0(self.array) | {"fortran_order": False}
        with path.open("xb") as file:
            npy.write_array_header_1_0(file, header)
            for rows in self._copies(self.array.dtype):
                file.write(rows)

    def _copies(self, dtype: Any) -> Iterator[memoryview]:
        """Yield the bytes of the array, a few rows at a time."""
        step = max(1, _COPIED_AT_ONCE // max(1, self.array[:1].nbytes))
        for start in range(0, len(self.array), step):
            yield np.ascontiguousarray(self.array[start : start + step], dtype).data.cast("B")

    def fingerprint(self) -> str:
        """Return a digest of the array as float64: long doubles contain padding bytes that carry no value."""
        digest = hashlib.blake2b(f"{self.array.shape} {self.array.dtype.str}".encode(), digest_size=16)
        for rows in self._copies(np.float64):
            digest.update(rows)
        return digest.hexdigest()


@dataclass(frozen=True)
class NpyRows:
    """Rows in a ``.npy`` file."""

    file: FileState
    start: int
    stop: int
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of features."""
        return self.stop - self.start, self.n_features

    def part(self, start: int, stop: int) -> NpyRows:
        """Return a handle for this range of rows."""
        return replace(self, start=self.start + start, stop=min(self.stop, self.start + stop))

    def read(self) -> Floats:
        """Read the rows as an array."""
        with self._opened() as file:
            return file.read(self.start, self.stop)

    def take(self, rows: Ints) -> Floats:
        """Read individual rows in the given order."""
        if len(rows) and not 0 <= rows.min() <= rows.max() < self.stop - self.start:
            raise IndexError(f"rows {rows.min()} to {rows.max()} of {self.stop - self.start}")
        with self._opened() as file:
            return file.take(rows + self.start)

    def on_disk(self, folder: str) -> NpyRows:  # noqa: ARG002 - the rows are on disk already
        """Return the handle itself."""
        return self

    def fingerprint(self) -> str:
        """Return a digest of the file's name, size and modification time."""
        return digest_files([self.file], self.start, self.stop)

    @contextmanager
    def _opened(self) -> Iterator[NpyFile]:
        """Open the file, and raise if it changes before it has been read."""
        self.file.check()
        yield open_npy(self.file.path)
        self.file.check()


def open_rows(X: Any, columns: Sequence[str] | None = None) -> Rows:
    """Open rows that may be too large for memory and return a handle to them.

    Parameters
    ----------
    X : str, path or array-like
        A ``.npy`` file, a ``.parquet`` file, a folder of ``.parquet`` files (sorted by name), or an array. Files and
        folders may be at an address, such as ``s3://bucket/folder``, which every worker opens itself.
    columns : list of str, default=None
        Parquet columns to use as features. They hold numbers or lists of numbers.
        By default all columns are used.

    Returns
    -------
    Rows
        A handle that ``spanning_forest`` and ``BayesFloor.fit`` accept in place of an array.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.io import open_rows
    >>> open_rows(np.zeros((5, 2))).shape
    (5, 2)
    """
    if is_handle(X):
        return X
    if not isinstance(X, (str, Path, Address)):
        with blame("X"):
            array = np.asarray(X)
            _check_matrix(array, "X")
            return ArrayRows(array)
    if not str(X):
        raise InputError("Got an empty path, but expected a .npy file, a .parquet file or a folder of .parquet files.")
    path = find_place(X)
    if path.suffix.lower() == ".npy":
        return _open_npy(path)
    return open_parquet(path, columns)


def is_handle(X: object) -> bool:
    """Whether X is a handle to rows."""
    return isinstance(X, (ArrayRows, NpyRows, ParquetRows))


def is_place(X: object) -> bool:
    """Whether X is a handle or a path rather than an array."""
    return is_handle(X) or isinstance(X, (str, Path, Address))


def _open_npy(path: Path | Address) -> NpyRows:
    state, file = find_state(path), open_npy(path)
    _check_matrix(file, printable(path))
    return NpyRows(state, 0, file.shape[0], file.shape[1])


def _check_matrix(array: NDArray[Any] | NpyFile, name: str) -> None:
    if len(array.shape) != 2 or min(array.shape) < 1 or array.dtype.kind not in "fiub":
        raise InputError(
            f"Got {name} of shape {array.shape} and type {array.dtype}, but expected a matrix of numbers "
            "with at least one row and one feature."
        )
