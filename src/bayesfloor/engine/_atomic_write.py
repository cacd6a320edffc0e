"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from uuid import uuid4

from bayesfloor.engine._show import printable

_PAUSES = (0.01, 0.03, 0.1, 0.3)  # seconds: scanners and readers of small files are done by then


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file under another name and move it into place when it is complete."""
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if _is_stream(path):
        path.write_bytes(data)
    else:
        _replace(path.resolve(), data)  # a link stays a link
    return path


def move_into_place(part: Path, path: Path) -> None:
    """Give a complete file its name; Windows refuses that for as long as another program has the old one open."""
    for pause in _PAUSES:
        try:
            part.replace(path)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    try:
        part.replace(path)
    except PermissionError as error:  # told with the name that the user knows
        reason = "it cannot be replaced; is it open in another program?"
        raise PermissionError(error.errno, reason, str(path)) from error


def _is_stream(path: Path) -> bool:
    """Whether a pipe, a device or a name of standard output takes what it gets."""
    device = os.name == "posix" and path.absolute().parts[1:2] in (("dev",), ("proc",))
    return device or (path.exists() and not path.is_file())


def _replace(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {printable(path.parent)}. Make it first.")
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        part.write_bytes(data)
        if os.name == "posix" and path.exists():  # elsewhere a file that is read-only could not be moved
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        move_into_place(part, path)
    finally:
        part.unlink(missing_ok=True)
