"""Let only one run at a time use a checkpoint folder, with a lock that the system releases when the process dies.

The lock file stays in the folder and names the process that last locked it. Only the lock counts, not the file.
"""

from __future__ import annotations

import errno
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from bayesfloor.leaving.engine_checkpoint import LOCK, CheckpointError, cannot_write
from bayesfloor.support._words import printable

_BEYOND = 1 << 30  # Windows forbids reading locked bytes, so lock one beyond the end of the file
_LONGEST = 300  # characters of the file that are shown
_NO_LOCKS = (errno.EBADF, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)  # some network file systems


class FolderInUseError(CheckpointError):
    """Another run is using the folder."""


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder until the block or the process ends."""
    path = folder / LOCK
    try:
        path.touch()
        file = path.open(encoding="utf-8")  # a file open for writing would keep the disk from being remounted
    except OSError as error:
        raise cannot_write(path, error) from error
    with file:
        if not _try_lock(file, path):
            raise FolderInUseError(
                f"The checkpoint folder {printable(folder)} is in use by {_holder(path)}. Wait until that run ends, "
                "or pass another folder."
            )
        path.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
        yield


def _holder(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return printable(file.read(_LONGEST)) or "another run"


def _try_lock(file: IO[str], path: Path) -> bool:
    """Try to lock the file and return whether it worked; warn if the file system has no locks."""
    try:
        _lock(file)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            return False
        warnings.warn(
            f"{printable(path)} cannot be locked on this file system. Make sure that no other run uses the folder.",
            stacklevel=2,
        )
    return True


def _lock(file: IO[str]) -> None:
    if find_spec("fcntl") is not None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif find_spec("msvcrt") is not None:  # on Windows
        import msvcrt

        file.seek(_BEYOND)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        raise OSError(errno.ENOSYS, "this system has no locks")
