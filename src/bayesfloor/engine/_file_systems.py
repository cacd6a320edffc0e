"""Turn addresses into file systems and paths, and read from them with retries; no other module does this.

pyarrow opens ``s3://`` and ``gs://``; fsspec opens all other kinds. Credentials come from the environment. If an
address contains credentials, as signed links do, no message shows them. All bytes read are counted.
"""

from __future__ import annotations

import io
import logging
import os
import re
import time
from collections.abc import Callable
from functools import cache, lru_cache, partial
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import quote

from bayesfloor.engine._address_text import redact, scheme_of
from bayesfloor.engine._errors import InputError, MissingPackageError
from bayesfloor.engine._show import printable

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")

_IN_PYARROW = ("s3", "gs", "gcs")
_IN_ADDRESSES = ":/?#[]@!$&'()*+,;=%"  # characters with a special meaning in addresses
_PAUSES = (0.1, 0.5, 2.0)  # seconds to wait before each retry
# Errors that a retry cannot fix.
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotImplementedError, TypeError, ValueError)


class AddressError(InputError, OSError):
    """A file at an address cannot be found or read."""


@lru_cache(maxsize=64)
def open_address(address: str) -> tuple[Any, str]:
    """Return the pyarrow file system for an address, and the path within it."""
    scheme = scheme_of(address)
    if scheme in _IN_PYARROW:
        uri = quote(re.sub("^gcs", "gs", address), safe=_IN_ADDRESSES)  # names may have spaces and accents
        return attempt(redact(address), lambda: arrow_fs().FileSystem.from_uri(uri), address)
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"{scheme}:// addresses need fsspec, which is not installed. Install it with: pip install fsspec"
        ) from error
    try:
        found, path = attempt(redact(address), lambda: url_to_fs(address), address)
    except ImportError as error:
        told = redact(error, address)
        raise MissingPackageError(f"{scheme}:// addresses need another package. fsspec says: {told}") from None
    return arrow_fs().PyFileSystem(_unbuffered()(found)), path


def attempt(shown: object, call: Callable[[], _Result], address: str) -> _Result:
    """Call a file system function, retry after errors that may be temporary, and explain the last error.

    The original error is not chained: its traceback may show the address with its credentials.
    """
    for pause in (*_PAUSES, None):
        try:
            return call()
        except (InputError, MemoryError, ImportError):
            raise
        except Exception as error:  # noqa: BLE001 - file systems raise errors of many kinds
            told = redact(" ".join(str(error).split()).rstrip(".") or type(error).__name__, address)
            told = printable(told)
            if pause is None or isinstance(error, _FINAL) or 400 <= getattr(error, "status", 500) < 500:
                break
        logger.info("%s: %s; trying again in %g s", shown, told, pause)
        time.sleep(pause)
    raise AddressError(f"{shown} cannot be read: {told}. Check the address, the network and your credentials.")


class Reader(io.RawIOBase):
    """A file at an address: each read is one request, repeated if the connection drops."""

    def __init__(self, address: str, path: str, shown: str) -> None:
        super().__init__()
        self._address, self._path, self._shown, self._at = address, path, shown, 0
        self._file = self._open()
        self._size: int = attempt(shown, self._file.size, address)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Read as many bytes as requested, or fewer at the end of the file."""
        rest = max(0, self._size - self._at)
        wanted = rest if size is None or size < 0 else min(size, rest)
        if not wanted:
            return b""
        content = attempt(self._shown, lambda: self._read_at(wanted), self._address)
        self._at += len(content)
        _count(len(content))
        return content

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def readall(self) -> bytes:
        """Read the rest of the file."""
        return self.read()

    def _open(self) -> Any:
        return attempt(self._shown, lambda: open_address(self._address)[0].open_input_file(self._path), self._address)

    def _read_at(self, wanted: int) -> bytes:
        try:
            content: bytes = self._file.read_at(wanted, self._at)
        except Exception:
            self._file = self._open()  # the old connection may stay broken
            raise
        if len(content) < wanted:
            raise ConnectionError(f"the connection ended after {len(content):,} of {wanted:,} bytes")
        return content


# Bytes read from addresses by this process

_so_far, _counting = [0], Lock()


def _count(size: int) -> None:
    with _counting:  # pyarrow reads from several threads
        _so_far[0] += size


def bytes_read() -> int:
    """Return how many bytes this process has read from addresses so far."""
    return _so_far[0]


# pyarrow


def open_arrow(address: str, path: str, shown: str) -> Any:
    """Open a file for pyarrow."""
    return _arrow().PythonFile(Reader(address, path, shown), mode="r")


def reading_file_system(address: str, show: Callable[[str], str]) -> Any:
    """Return a pyarrow file system that opens the paths at an address with ``Reader``."""
    return arrow_fs().PyFileSystem(_counted()(address, show))


def _arrow() -> Any:
    """Return pyarrow."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            'Addresses need pyarrow, which is not installed. Install it with: pip install "bayesfloor[cli]"'
        ) from error
    return pa


def arrow_fs() -> Any:
    """Return pyarrow's file systems."""
    _arrow()
    import pyarrow.fs

    return pyarrow.fs


@cache
def _unbuffered() -> Any:
    """Return fsspec's adapter for pyarrow without fsspec's buffer, which reads megabytes around each request."""

    class Unbuffered(arrow_fs().FSSpecHandler):  # type: ignore[misc]  # pyarrow is loaded late
        def open_input_file(self, path: str) -> Any:
            return _arrow().PythonFile(self.fs.open(path, mode="rb", cache_type="none"), mode="r")

    return Unbuffered


@cache
def _counted() -> Any:
    class Counted(arrow_fs().FSSpecHandler):  # type: ignore[misc]  # pyarrow is loaded late
        def __init__(self, address: str, show: Callable[[str], str]) -> None:
            self.address, self.show = address, show

        def get_type_name(self) -> str:
            return "address"

        def get_file_info(self, paths: list[str]) -> list[Any]:
            files = open_address(self.address)[0]
            return [attempt(self.show(path), partial(files.get_file_info, path), self.address) for path in paths]

        def open_input_file(self, path: str) -> Any:
            return open_arrow(self.address, path, self.show(path))

    return Counted
