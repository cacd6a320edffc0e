"""Files as they were when the work began, and the checks that they still are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bayesfloor.engine._show import printable


class FileState(NamedTuple):
    """A file as it was when the work began."""

    path: str
    size: int
    changed: int  # when, in nanoseconds

    def check(self) -> None:
        """Refuse a file that is gone or not as it was."""
        now = find_state(Path(self.path))
        if now != self:
            raise ValueError(
                f"The file {printable(self.path)} changed while it was in use. Start again when it is complete."
            )


def find_state(path: Path) -> FileState:
    """The file as it is now."""
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"There is no file {printable(path)}. Was it moved or removed?") from error
    return FileState(str(path.resolve()), state.st_size, state.st_mtime_ns)


def data_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files below a folder that hold data, in the order of their paths.

    Files and folders such as ``_temporary`` and ``.cache`` are what programs keep for themselves.
    """
    found = sorted(place for place in folder.rglob("*") if place.name.lower().endswith(suffixes))
    return [place for place in found if _is_data(place.relative_to(folder)) and not place.is_dir()]


def _is_data(place: Path) -> bool:
    return not any(name.startswith((".", "_")) for name in place.parts)


def told(error: Exception) -> str:
    """What an error of another library says, within one of our sentences."""
    return printable(str(error).strip().rstrip("."))


def digest_files(files: Sequence[FileState], *more: object) -> str:
    """A text that changes when one of the files, or what else is given, does."""
    names = [(Path(file.path).name, file.size, file.changed) for file in files]
    return hashlib.blake2b(repr((names, more)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
