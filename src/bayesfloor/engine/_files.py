"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file under another name and move it into place when it is complete."""
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if path.exists() and not path.is_file():  # a pipe or a device takes what it gets
        path.write_bytes(data)
        return path
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
