"""Keep the finished pieces of a run in a folder, so that the run can resume.

Each file is written completely or not at all, names the run it belongs to, and is memory-mapped when read.
It holds arrays one after the other in ``.npy`` format, each padded to whole cache lines. The first array
holds the run's key and the names of the other arrays.
"""

from __future__ import annotations

import errno
import json
import mmap
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesfloor.engine._atomic_write import move_into_place, write_whole
from bayesfloor.engine._errors import InputError
from bayesfloor.engine._show import printable

Arrays = dict[str, NDArray[Any]]

_LINE = 64  # bytes
_ONE_HEADER = threading.Lock()  # NumPy parses headers as Python, which Python 3.11 cannot do in two threads at once
_MANIFEST, _SUFFIX, _PART = "bayesfloor.json", ".arrays", ".part"
# Errors that a damaged file can cause, including those that NumPy raises.
_DAMAGE = (ValueError, KeyError, TypeError, EOFError, SyntaxError, TokenError, OverflowError)


class CheckpointError(InputError):
    """A checkpoint folder is damaged or belongs to another run."""


@dataclass(frozen=True)
class Store:
    """A checkpoint folder and the key of the run it belongs to."""

    folder: str
    key: str

    def has(self, name: str) -> bool:
        """Whether this piece is finished."""
        return self._path(name).is_file()

    def write(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write a piece under a temporary name and move it into place when it is complete."""
        path = self._path(name)
        part = path.with_name(f".{uuid4().hex}{_PART}")
        try:
            with part.open("xb") as file:
                _write(file, {"key": self.key, "names": list(arrays)}, arrays)
            move_into_place(part, path)
        except OSError as error:
            raise cannot_write(path, error) from error
        finally:
            _remove(part)

    def read(self, name: str) -> Arrays:
        """Return a piece's arrays, memory-mapped and read-only."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                key, arrays = _read(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except FileNotFoundError as error:
            raise CheckpointError(
                f"The checkpoint file {printable(path)} was written earlier but is gone. Was it removed? "
                "Workers on several machines need a folder that all of them can see: pass one as checkpoint."
            ) from error
        except _DAMAGE as error:
            raise CheckpointError(
                f"The checkpoint file {printable(path)} is damaged: {error}. Delete it and run again: "
                "only this piece is recomputed."
            ) from error
        if key != self.key:
            raise CheckpointError(
                f"The checkpoint file {printable(path)} belongs to another run. Delete it and run again."
            )
        return arrays

    def remove(self, name: str) -> None:
        """Delete a piece that is no longer needed."""
        _remove(self._path(name))

    def _path(self, name: str) -> Path:
        return Path(self.folder) / f"{name}{_SUFFIX}"


def open_store(folder: str | Path, what: Mapping[str, Any]) -> Store:
    """Open the folder as the store of the described run; raise if the folder holds another run."""
    place, manifest = Path(folder).absolute(), Path(folder) / _MANIFEST
    text = json.dumps(dict(what), sort_keys=True, indent=1)
    try:
        place.mkdir(parents=True, exist_ok=True)
        there = [path.name for path in place.iterdir()]  # listed once: another process may open the folder right now
        if _MANIFEST in there:
            _compare(place, _read_manifest(manifest), json.loads(text))
        elif not all(name.endswith(_PART) for name in there):
            raise CheckpointError(
                f"The folder {printable(place)} is not empty and is not a checkpoint. Pass a new or an empty folder."
            )
        _try_to_write(place)
        write_whole(manifest, text)
    except OSError as error:
        raise cannot_write(place, error) from error
    return Store(str(place), _key_of(text))


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


def _try_to_write(place: Path) -> None:
    """Fail now rather than after an hour of work if the folder is not writable."""
    part = place / f".{uuid4().hex}{_PART}"
    part.touch()
    part.unlink()


def cannot_write(path: Path, error: OSError) -> OSError:
    """Make the error for a file that could not be written."""
    if error.errno == errno.ENOSPC:
        return OSError(
            errno.ENOSPC,
            f"The disk is full: {printable(path)} could not be written. Free some space and run again with the same "
            "checkpoint folder: finished pieces are kept",
        )
    return OSError(error.errno or 0, f"{printable(path)} could not be written: {error.strerror or error}")


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # for example in a read-only folder, which another error has already reported
        return


def _write(file: Any, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    first = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    for array in (first, *arrays.values()):
        whole = np.asarray(array, order="C")
        npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(whole))
        file.write(whole.data.cast("B") if whole.size else b"")
        file.write(b"\0" * (-file.tell() % _LINE))


def _read(mapped: mmap.mmap) -> tuple[str, Arrays]:
    header = json.loads(_next_array(mapped).tobytes())
    return header["key"], {name: _next_array(mapped) for name in header["names"]}


def _next_array(mapped: mmap.mmap) -> NDArray[Any]:
    version = npy.read_magic(mapped)
    if version != (1, 0):
        raise InputError(f"its .npy version is {version}, not (1, 0)")
    with _ONE_HEADER:
        shape, _, dtype = npy.read_array_header_1_0(mapped)
    start, count = mapped.tell(), prod(shape)
    stop = start + count * dtype.itemsize
    stop += -stop % _LINE
    if stop > len(mapped):
        raise InputError(f"it ends after {len(mapped)} bytes, but should have at least {stop}")
    mapped.seek(stop)
    if not count:
        return np.empty(shape, dtype)
    return np.frombuffer(mapped, dtype, count, start).reshape(shape)


def read_description(folder: str | Path) -> dict[str, Any] | None:
    """Return the description of the run a checkpoint folder belongs to, or None for a new folder."""
    manifest = Path(folder) / _MANIFEST
    return _read_manifest(manifest) if manifest.is_file() else None


def _read_manifest(manifest: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(manifest.read_text("utf-8")).items())
    except (ValueError, AttributeError) as error:
        raise CheckpointError(f"The file {printable(manifest)} is damaged: {error}. Pass another folder.") from error
