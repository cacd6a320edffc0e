"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import uuid4

from bayesfloor.engine._text import printable


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file under another name and move it into place when it is complete."""
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if _is_stream(path):
        path.write_bytes(data)
    else:
        _replace(path.resolve(), data)  # a link stays a link
    return path


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
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
