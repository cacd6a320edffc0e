"""Write a file completely or not at all."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from bayesfloor.engine._address_text import refuse_output
from bayesfloor.engine._show import printable

PART = ".part"  # ending of files that are not complete
_PAUSES = (0.01, 0.03, 0.1, 0.3)  # seconds: virus scanners and readers of small files are done by then


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file under a temporary name and move it into place when it is complete."""
    refuse_output(path)
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if _is_stream(path):
        path.write_bytes(data)
    else:
        _replace(path.resolve(), data)  # a symbolic link stays a link
    return path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Lend a temporary path to write to; the file gets its name when the block ends, and is removed after an error."""
    part = path.with_name(f".{uuid4().hex}{PART}")
    try:
        yield part
        _move_into_place(part, path)
    finally:
        with suppress(OSError):  # for example in a read-only folder, which another error has already reported
            part.unlink(missing_ok=True)


def _move_into_place(part: Path, path: Path) -> None:
    """Give a complete file its final name, with retries: Windows refuses if another program has the old file open."""
    for pause in _PAUSES:
        try:
            part.replace(path)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    try:
        part.replace(path)
    except PermissionError as error:  # report the name that the user knows, not the temporary one
        reason = "the file cannot be replaced; is it open in another program?"
        raise PermissionError(error.errno, reason, str(path)) from error


def _is_stream(path: Path) -> bool:
    """Whether the path is a pipe, a device or standard output, which can only be written to directly."""
    device = os.name == "posix" and path.absolute().parts[1:2] in (("dev",), ("proc",))
    return device or (path.exists() and not path.is_file())


def _replace(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {printable(path.parent)} does not exist. Create it first.")
    with written_whole(path) as part:
        part.write_bytes(data)
        if os.name == "posix" and path.exists():  # on other systems a read-only file could not be moved
            part.chmod(stat.S_IMODE(path.stat().st_mode))
