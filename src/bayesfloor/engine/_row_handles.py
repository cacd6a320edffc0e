"""Where rows live: handles that a task opens where it runs.

A handle is a few strings and numbers, however many rows stand behind it. ``part`` gives the handle
of a range of rows alone, so that a task is told no more than it needs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesfloor.engine._atomic_write import move_into_place
from bayesfloor.engine._checkpoint import cannot_write
from bayesfloor.engine._file_state import FileState, digest_files, find_state, told
from bayesfloor.engine._parquet_rows import ParquetRows, as_floats, open_parquet
from bayesfloor.engine._show import printable
from bayesfloor.engine._types import Floats, Ints

_COPIED_AT_ONCE = 1 << 24  # bytes


class Rows(Protocol):
    """Rows of numbers, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""

    def part(self, start: int, stop: int) -> Rows:
        """The handle of these rows alone."""

    def read(self) -> Floats:
        """The numbers themselves."""

    def take(self, rows: Ints) -> Floats:
        """Single rows, in the order asked for."""

    def on_disk(self, folder: str) -> Rows:
        """A handle of the same rows that other processes can open."""

    def fingerprint(self) -> str:
        """A text that changes when the rows do."""


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows in this process's memory: for tasks that share it."""

    array: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return self.array.shape[0], self.array.shape[1]

    def part(self, start: int, stop: int) -> ArrayRows:
        """The handle of these rows alone."""
        return ArrayRows(self.array[start:stop])

    def read(self) -> Floats:
        """The numbers themselves."""
        return as_floats(self.array)

    def take(self, rows: Ints) -> Floats:
        """Single rows, in the order asked for."""
        return as_floats(self.array[rows])

    def on_disk(self, folder: str) -> NpyRows:
        """The same rows in a file of this folder."""
        path = Path(folder) / "rows.npy"
        if not path.exists():
            part = path.with_name(f".{uuid4().hex}.part")
            try:
                self._save(part)
                move_into_place(part, path)
            except OSError as error:
                raise cannot_write(path, error) from error
            finally:
                with suppress(OSError):  # of a read-only folder, which an error has told of already
                    part.unlink(missing_ok=True)
        return _open_npy(path)

    def _save(self, path: Path) -> None:
        """Write as np.save does, but some rows at a time and with errors that say what is wrong."""
        header = npy.header_data_from_array_1_0(self.array) | {"fortran_order": False}
        with path.open("xb") as file:
            npy.write_array_header_1_0(file, header)
            for rows in self._copies(self.array.dtype):
                file.write(rows)

    def _copies(self, dtype: Any) -> Iterator[memoryview]:
        """The bytes of all numbers, some rows at a time."""
        step = max(1, _COPIED_AT_ONCE // max(1, self.array[:1].nbytes))
        for start in range(0, len(self.array), step):
            yield np.ascontiguousarray(self.array[start : start + step], dtype).data.cast("B")

    def fingerprint(self) -> str:
        """The digest of the array's content, as it is read: bytes of long doubles are not all part of a number."""
        digest = hashlib.blake2b(f"{self.array.shape} {self.array.dtype.str}".encode(), digest_size=16)
        for rows in self._copies(np.float64):
            digest.update(rows)
        return digest.hexdigest()


@dataclass(frozen=True)
class NpyRows:
    """Rows of a ``.npy`` file."""

    file: FileState
    start: int
    stop: int
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return self.stop - self.start, self.n_features

    def part(self, start: int, stop: int) -> NpyRows:
        """The handle of these rows alone."""
        return replace(self, start=self.start + start, stop=min(self.stop, self.start + stop))

    def read(self) -> Floats:
        """The numbers themselves."""
        return as_floats(self._open())

    def take(self, rows: Ints) -> Floats:
        """Single rows, in the order asked for."""
        return as_floats(self._open()[rows])

    def on_disk(self, folder: str) -> NpyRows:  # noqa: ARG002 - where they are
        """The same rows."""
        return self

    def fingerprint(self) -> str:
        """Name, size and time of the file."""
        return digest_files([self.file], self.start, self.stop)

    def _open(self) -> NDArray[Any]:
        self.file.check()
        return _map_npy(Path(self.file.path))[self.start : self.stop]


def open_rows(X: Any, columns: Sequence[str] | None = None) -> Rows:
    """A handle of rows, for data that need not be in memory.

    Parameters
    ----------
    X : str, path or array-like
        A ``.npy`` file, a ``.parquet`` file, a folder of ``.parquet`` files (in the order of their
        names), or an array.
    columns : list of str, default=None
        Columns of Parquet files to use as features: numbers, or one column of lists of numbers.
        All by default.

    Returns
    -------
    Rows
        What ``spanning_forest`` and ``BayesFloor.fit`` take in the place of an array.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.io import open_rows
    >>> open_rows(np.zeros((5, 2))).shape
    (5, 2)
    """
    if is_handle(X):
        return X
    if not isinstance(X, (str, Path)):
        return _open_array(np.asarray(X), "X")
    if not str(X):
        raise ValueError("Got an empty name, but expected a .npy file, a .parquet file or a folder of them.")
    path = Path(X)
    if path.suffix.lower() == ".npy":
        return _open_npy(path)
    return open_parquet(path, columns)


def is_handle(X: object) -> bool:
    """Whether rows stay where they are."""
    return isinstance(X, (ArrayRows, NpyRows, ParquetRows))


def is_place(X: object) -> bool:
    """Whether rows are given by where they are, and not as they are."""
    return is_handle(X) or isinstance(X, (str, Path))


def _open_array(array: NDArray[Any], name: str) -> ArrayRows:
    _check_matrix(array, name)
    return ArrayRows(array)


def _open_npy(path: Path) -> NpyRows:
    file, array = find_state(path), _map_npy(path)
    _check_matrix(array, printable(path))
    return NpyRows(file, 0, array.shape[0], array.shape[1])


def _map_npy(path: Path) -> NDArray[Any]:
    try:
        return npy.open_memmap(path, mode="r")
    except (ValueError, SyntaxError, TokenError) as error:
        raise ValueError(f"{printable(path)} cannot be read as .npy: {told(error)}. Is it complete?") from error


def _check_matrix(array: NDArray[Any], name: str) -> None:
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiub":
        raise ValueError(
            f"Got {name} of shape {array.shape} and type {array.dtype}, but expected a matrix of numbers "
            "with at least one row and one feature."
        )
