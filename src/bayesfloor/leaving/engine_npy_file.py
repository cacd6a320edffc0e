"""Read rows of a ``.npy`` file with plain reads: if a memory-mapped file gets shorter, the process dies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesfloor.support._errors import InputError
from bayesfloor.support._files import Address, changed, told
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

_READ_AT_ONCE = 1 << 20  # bytes, few enough to stay in the processor's cache
_SKIPPED = 1 << 16  # bytes; reading up to this many unneeded bytes is cheaper than another read, or another request


class NpyFile(NamedTuple):
    """The location and layout of a matrix in its file."""

    path: Path | Address
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_column: bool
    start: int  # bytes before the first number

    def read(self, start: int, stop: int) -> Floats:
        """Read a range of rows as float64."""
        rows = np.empty((stop - start, self.shape[1]))
        with np.errstate(invalid="ignore"):  # a signalling NaN is a missing value like any other NaN
            for first, piece in self.pieces([(start, stop)]):
                rows[first - start : first - start + len(piece)] = piece
        return rows

    def take(self, wanted: Ints) -> Floats:
        """Read individual rows as float64, in the given order."""
        numbers, place = np.unique(wanted, return_inverse=True)
        rows = np.empty((len(numbers), self.shape[1]))
        with np.errstate(invalid="ignore"):
            for first, piece in self.pieces(self._runs(numbers)):
                low, high = np.searchsorted(numbers, [first, first + len(piece)])
                rows[low:high] = piece[numbers[low:high] - first]
        return rows[place]

    def _runs(self, numbers: Ints) -> list[tuple[int, int]]:
        """Return ranges that contain these rows, given in ascending order; rows close together share a range."""
        if not len(numbers):
            return []
        far = np.diff(numbers) * self._row_bytes > _SKIPPED
        first, last = numbers[np.r_[True, far]], numbers[np.r_[far, True]]
        return list(zip(first.tolist(), (last + 1).tolist(), strict=True))

    def pieces(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield ranges of rows, a few rows at a time, in the file's own type; each piece overwrites the last."""
        step = max(1, _READ_AT_ONCE // self._row_bytes)
        buffer = np.empty((step, self.shape[1]), self.dtype, order="F" if self.by_column else "C")
        with self.path.open("rb", _SKIPPED) as file:
            for start, stop in ranges:
                for first in range(start, stop, step):
                    piece = buffer[: min(step, stop - first)]
                    self._fill(piece, first, file)
                    yield first, piece

    def _fill(self, piece: NDArray[Any], first: int, file: Any) -> None:
        n_rows, width = self.shape
        columns = ((piece[:, column], column * n_rows + first) for column in range(width))
        for numbers, at in columns if self.by_column else [(piece, first * width)]:
            self._read_into(numbers, at, file)

    def _read_into(self, numbers: NDArray[Any], at: int, file: Any) -> None:
        file.seek(self.start + at * self.dtype.itemsize)
        if file.readinto(numbers.view(np.uint8).data.cast("B")) < numbers.nbytes:
            raise changed(self.path)

    @property
    def _row_bytes(self) -> int:
        return self.shape[1] * self.dtype.itemsize


def open_npy(path: Path | Address) -> NpyFile:
    """Read the header of a ``.npy`` file."""
    try:
        with path.open("rb", _SKIPPED) as file:
            version = npy.read_magic(file)
            read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, by_column, dtype = read_header(file)
            found = NpyFile(path, dtype, shape, by_column, file.tell())
    except InputError:
        raise
    except (ValueError, SyntaxError, TokenError) as error:
        raise _unreadable(path, told(error)) from error
    if dtype.hasobject:
        raise _unreadable(path, "it contains Python objects")
    if path.stat().st_size < found.start + prod(shape) * dtype.itemsize:
        raise _unreadable(path, "it is shorter than its header says")
    return found


def _unreadable(path: Path | Address, why: str) -> InputError:
    return InputError(f"{printable(path)} cannot be read as .npy: {why}. Is it complete?")
