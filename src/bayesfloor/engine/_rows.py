"""Where rows live: handles that a task opens where it runs.

A handle is a few strings and numbers, however many rows stand behind it. ``part`` gives the handle
of a range of rows alone, so that a task is told no more than it needs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._parquet import ParquetRows, as_floats, open_parquet
from bayesfloor.engine._places import File, digest_files, find_file
from bayesfloor.engine._text import printable

Floats = NDArray[np.float64]

_DIGESTED_AT_ONCE = 1 << 24  # bytes


class Rows(Protocol):
    """Rows of numbers, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""

    def part(self, start: int, stop: int) -> Rows:
        """The handle of these rows alone."""

    def read(self) -> Floats:
        """The numbers themselves."""

    def take(self, rows: NDArray[np.integer]) -> Floats:
        """Single rows, in the order asked for."""

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

    def take(self, rows: NDArray[np.integer]) -> Floats:
        """Single rows, in the order asked for."""
        return as_floats(self.array[rows])

    def fingerprint(self) -> str:
        """The digest of the array's content."""
        digest = hashlib.blake2b(f"{self.array.shape} {self.array.dtype.str}".encode(), digest_size=16)
        step = max(1, _DIGESTED_AT_ONCE // max(1, self.array[:1].nbytes))
        for start in range(0, len(self.array), step):
            digest.update(np.ascontiguousarray(self.array[start : start + step]).data.cast("B"))
        return digest.hexdigest()


@dataclass(frozen=True)
class NpyRows:
    """Rows of a ``.npy`` file."""

    file: File
    start: int
    stop: int
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return self.stop - self.start, self.n_features

    def part(self, start: int, stop: int) -> NpyRows:
        """The handle of these rows alone."""
        return replace(self, start=self.start + start, stop=self.start + stop)

    def read(self) -> Floats:
        """The numbers themselves."""
        return as_floats(self._open())

    def take(self, rows: NDArray[np.integer]) -> Floats:
        """Single rows, in the order asked for."""
        return as_floats(self._open()[rows])

    def fingerprint(self) -> str:
        """Name, size and time of the file."""
        return digest_files([self.file], self.start, self.stop)

    def _open(self) -> NDArray[Any]:
        self.file.check()
        array: NDArray[Any] = np.load(self.file.path, mmap_mode="r", allow_pickle=False)
        return array[self.start : self.stop]


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
    >>> from bayesfloor import open_rows
    >>> open_rows(np.zeros((5, 2))).shape
    (5, 2)
    """
    if isinstance(X, (ArrayRows, NpyRows, ParquetRows)):
        return X
    if not isinstance(X, (str, Path)):
        return _open_array(np.asarray(X), "X")
    path = Path(X)
    if path.suffix == ".npy":
        return _open_npy(path)
    return open_parquet(path, columns)


def is_place(X: object) -> bool:
    """Whether rows are given by where they are, and not as they are."""
    return isinstance(X, (str, Path, ArrayRows, NpyRows, ParquetRows))


def _open_array(array: NDArray[Any], name: str) -> ArrayRows:
    _check_matrix(array, name)
    return ArrayRows(array)


def _open_npy(path: Path) -> NpyRows:
    file = find_file(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{printable(path)} cannot be read as .npy: {error}. Is it complete?") from error
    _check_matrix(array, printable(path))
    return NpyRows(file, 0, array.shape[0], array.shape[1])


def _check_matrix(array: NDArray[Any], name: str) -> None:
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiub":
        raise ValueError(
            f"Got {name} of shape {array.shape} and type {array.dtype}, but expected a matrix of numbers "
            "with at least one row and one feature."
        )
