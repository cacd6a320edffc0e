"""Record the state of input files, and check that they do not change while they are in use."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import Any, NamedTuple

from bayesfloor.engine._address_text import redact
from bayesfloor.engine._addresses import Address
from bayesfloor.engine._errors import InputError
from bayesfloor.engine._show import printable

ASKS_TOO_MUCH = "claims to hold more than fits in memory, although it is small. Is it damaged?"


class FileState(NamedTuple):
    """A file's path, size and modification time when the work began."""

    path: Path | Address
    size: int
    changed: int  # modification time in nanoseconds

    def check(self) -> None:
        """Raise if the file is gone or has changed."""
        if find_state(self.path) != self:
            raise changed(self.path)


def changed(path: Path | Address) -> InputError:
    """Return the error for a file that has changed."""
    return InputError(f"The file {printable(path)} changed while it was in use. Run again when it is complete.")


def find_state(path: Path | Address) -> FileState:
    """Return the file's current state."""
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"There is no file {printable(redact(path))}. Was it moved or deleted?") from error
    except ValueError as error:  # a zero byte, or half of a character
        raise InputError(f"Got the path {redact(path)!r}, but no file can have this name: {told(error)}.") from error
    if not S_ISREG(state.st_mode):
        raise InputError(f"Got the path {printable(path)}, but expected a regular file, not a folder or a pipe.")
    return FileState(path.resolve(), state.st_size, state.st_mtime_ns)


def data_files(folder: Any, suffixes: tuple[str, ...]) -> list[Any]:
    """List the data files in a folder, local or at an address, and its subfolders, sorted by path.

    Names such as ``_temporary`` and ``.cache`` are skipped, because programs use them for internal files.
    """
    listed = folder.files() if isinstance(folder, Address) else folder.rglob("*")
    found = [place for place in listed if place.name.lower().endswith(suffixes)]
    data = [place for place in found if _is_data(place.relative_to(folder)) and not place.is_dir()]
    return sorted(data, key=lambda place: place.relative_to(folder))


def _is_data(place: PurePath) -> bool:
    return not any(name.startswith((".", "_")) for name in place.parts)


def told(error: Exception) -> str:
    """Return another library's error message, trimmed to fit inside one of our sentences."""
    return printable(str(error).strip().rstrip("."))


def digest_files(files: Sequence[FileState], *more: object) -> str:
    """Return a digest that changes when any file, or any other argument, changes."""
    names = [(file.path.name, file.size, file.changed) for file in files]
    return hashlib.blake2b(repr((names, more)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
