"""Keep the finished pieces of a run in a folder, so that the run can resume.

A file holds one line with the checksum of its header, the header, and the arrays back to back, each padded to whole
cache lines. The header holds the run's key and each array's type, shape, position and CRC-32, which every read
verifies. The checksums cover every byte of the file.
"""

from __future__ import annotations

import errno
import json
import mmap
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bayesfloor.support._errors import InputError
from bayesfloor.support._files import PART, write_whole, written_whole
from bayesfloor.support._words import printable

Arrays = dict[str, NDArray[Any]]

_LINE = 64  # bytes
_MANIFEST, _SUFFIX = "bayesfloor.json", ".arrays"
LOCK = "bayesfloor.lock"  # locked by the run that uses the folder
_CHECKSUM = "checksum"  # in a manifest, next to the description of the run
_LONGEST_MANIFEST = 1 << 16  # bytes; real manifests take a few hundred
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)


class CheckpointError(InputError):
    """A checkpoint folder is damaged or belongs to another run."""


class DamagedPieceError(CheckpointError):
    """A piece of a checkpoint is damaged."""


@dataclass(frozen=True)
class Store:
    """A checkpoint folder and the key of the run it belongs to."""

    folder: str
    key: str

    def has(self, name: str) -> bool:
        """Whether this piece is finished; warn about a damaged one and remove it, so that it is recomputed."""
        if not self._path(name).is_file():
            return False
        damage = self._find_damage(name)
        if damage:
            told = f"The checkpoint file {printable(self._path(name))} is damaged: {damage}. Recomputing it."
            warnings.warn(told, stacklevel=2)
            self.remove(name)
        return not damage

    def write(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a piece completely or not at all."""
        path = self._path(name)
        try:
            with written_whole(path) as part, part.open("xb") as file:
                _write(file, self.key, arrays)
        except OSError as error:
            raise cannot_write(path, error) from error

    def read(self, name: str, only: Iterable[str] | None = None) -> Arrays:
        """Return these arrays of a piece, all by default, memory-mapped and read-only; verify their checksums."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                key, arrays = _read(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), only)
        except FileNotFoundError as error:
            raise CheckpointError(
                f"The checkpoint file {printable(path)} was written earlier but no longer exists. Was it deleted? "
                "Workers on several machines need a folder that all of them can see: pass one as checkpoint."
            ) from error
        except _DAMAGE as error:
            raise DamagedPieceError(
                f"The checkpoint file {printable(path)} is damaged: {error}. Run again: only this piece is recomputed."
            ) from error
        if key != self.key:
            raise CheckpointError(
                f"The checkpoint file {printable(path)} belongs to another run. Delete it and run again."
            )
        return arrays

    def _find_damage(self, name: str) -> str:
        """Describe the damage to a piece; empty if there is none."""
        try:
            self.read(name)
        except DamagedPieceError as error:
            return str(error.__cause__)
        return ""

    def remove(self, name: str) -> None:
        """Delete a piece that is no longer needed."""
        with suppress(OSError):  # for example in a read-only folder, which another error has already reported
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return Path(self.folder) / f"{name}{_SUFFIX}"


def open_store(folder: str | Path, what: Mapping[str, Any]) -> Store:
    """Open the folder as the store of the described run; raise if the folder holds another run."""
    place, text = prepare_folder(folder), json.dumps(dict(what), sort_keys=True)
    before = read_description(place)
    if before is not None:
        _compare(place, before, json.loads(text))
    try:
        write_whole(place / _MANIFEST, json.dumps({**what, _CHECKSUM: _key_of(text)}, sort_keys=True, indent=1))
    except OSError as error:
        raise cannot_write(place, error) from error
    return Store(str(place), _key_of(text))


def prepare_folder(folder: str | Path) -> Path:
    """Create the folder if it does not exist; raise if it contains anything other than a checkpoint."""
    place = Path(folder).absolute()
    try:
        place.mkdir(parents=True, exist_ok=True)
        there = [path.name for path in place.iterdir()]  # listed once: another process may open the folder right now
    except OSError as error:
        raise cannot_write(place, error) from error
    if _MANIFEST not in there and not all(name == LOCK or name.endswith(PART) for name in there):
        raise CheckpointError(
            f"The folder {printable(place)} is not empty and is not a checkpoint. Pass a new or an empty folder."
        )
    return place


def _key_of(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode(), digest_size=16).hexdigest()


def _compare(place: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    other = [name for name in now if before.get(name) != now[name]]
    if other:
        raise CheckpointError(
            f"The checkpoint in {printable(place)} belongs to another run, which differs in {', '.join(other)}. "
            "Pass another folder, or delete this one to start over."
        )


def cannot_write(path: Path, error: OSError) -> OSError:
    """Return the error for a file that could not be written."""
    if error.errno == errno.ENOSPC:
        return OSError(
            errno.ENOSPC,
            f"The disk is full: {printable(path)} could not be written. Free some space and run again with the same "
            "checkpoint folder: finished pieces are kept",
        )
    return OSError(error.errno or 0, f"{printable(path)} could not be written: {error.strerror or error}")


# Pieces


def _write(file: Any, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    header = _make_header(key, whole)
    file.write(_first_line(header) + header)
    for array in whole.values():
        file.write(_bytes_of(array))
        file.write(b"\0" * (-array.nbytes % _LINE))


def _make_header(key: str, arrays: Arrays) -> bytes:
    """Describe the arrays in JSON, padded with spaces; positions count from the end of the header."""
    found, start = {}, 0
    for name, array in arrays.items():
        stop = _filled(start + array.nbytes)
        checksum = crc32(b"\0" * (-array.nbytes % _LINE), crc32(_bytes_of(array)))
        found[name] = [array.dtype.str, array.shape, start, checksum]
        start = stop
    text = json.dumps({"key": key, "arrays": found}).encode()
    return text.ljust(_filled(len(text)))


def _first_line(header: bytes) -> bytes:
    return f"bayesfloor {len(header)} {crc32(header):08x}".encode().ljust(_LINE - 1) + b"\n"


def _filled(size: int) -> int:
    return size + -size % _LINE


def _bytes_of(array: NDArray[Any]) -> Any:
    return array.data.cast("B") if array.size else b""


def _read(mapped: mmap.mmap, only: Iterable[str] | None) -> tuple[str, Arrays]:
    header = _read_header(mapped)
    start, described = _LINE + len(header), json.loads(header)
    end = start + max((_stop_of(*entry) for entry in described["arrays"].values()), default=0)
    if end != len(mapped):
        raise InputError(f"it has {len(mapped)} bytes, but expected {end}")
    names = described["arrays"] if only is None else only
    return described["key"], {name: _read_array(mapped, start, name, *described["arrays"][name]) for name in names}


def _read_header(mapped: mmap.mmap) -> bytes:
    line = mapped[:_LINE]
    words = line.split()
    size = int(words[1]) if len(words) == 3 and words[1].isdigit() else 0
    header = mapped[_LINE : _LINE + size]
    if line != _first_line(header):
        raise InputError("the checksum of its header does not match")
    return header


def _stop_of(kind: str, shape: list[int], start: int, _checksum: int) -> int:
    """Return the position where an array ends; raise if its type or shape is invalid."""
    dtype = np.dtype(kind)
    if dtype.kind not in "biuf" or start % _LINE or min([start, *shape]) < 0:
        raise InputError(f"it describes an array of type {dtype} and shape {shape} at {start}")
    return _filled(start + prod(shape) * dtype.itemsize)


def _read_array(
    mapped: mmap.mmap, origin: int, name: str, kind: str, shape: list[int], start: int, checksum: int
) -> NDArray[Any]:
    span = memoryview(mapped)[origin + start : origin + _stop_of(kind, shape, start, checksum)]
    if crc32(span) != checksum:
        raise InputError(f"the checksum of {printable(name)} does not match")
    count = prod(shape)
    return np.frombuffer(span, kind, count).reshape(shape) if count else np.empty(shape, kind)


# Manifests


def read_description(folder: str | Path) -> dict[str, Any] | None:
    """Return the description of the run a checkpoint folder belongs to, or None for a new folder."""
    manifest = Path(folder) / _MANIFEST
    if not manifest.is_file():
        return None
    try:
        return _parse_manifest(manifest)
    except _DAMAGE as error:
        raise CheckpointError(f"The file {printable(manifest)} is damaged: {error}. Pass another folder.") from error


def _parse_manifest(manifest: Path) -> dict[str, str | int]:
    """Return a description that maps names to strings or integers; raise if its format or checksum is wrong."""
    if manifest.stat().st_size > _LONGEST_MANIFEST:
        raise InputError(f"it has more than {_LONGEST_MANIFEST:,} bytes")
    found = json.loads(manifest.read_text("utf-8"))
    if not isinstance(found, dict) or not all(type(value) in (str, int) for value in found.values()):
        raise InputError("it does not have a string or an integer for each name")
    if found.pop(_CHECKSUM, None) != _key_of(json.dumps(found, sort_keys=True)):
        raise InputError("its checksum does not match")
    return found
