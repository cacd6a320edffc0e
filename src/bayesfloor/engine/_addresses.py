"""Files and folders at addresses such as ``s3://bucket/folder``, with the interface of local paths."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from stat import S_IFREG
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from bayesfloor.engine._address_text import is_address, path_alone, redact, scheme_of
from bayesfloor.engine._file_systems import (
    Reader,
    arrow_fs,
    attempt,
    open_address,
    open_arrow,
    reading_file_system,
)

_Result = TypeVar("_Result")
_BUFFER = 4 << 20  # bytes that a sequential reader requests at a time


class _State(NamedTuple):
    """A file's size and modification time, named as in ``os.stat_result``."""

    st_mode: int
    st_size: int
    st_mtime_ns: int  # 0 if the file system does not report it


@dataclass(frozen=True, repr=False)
class Address:
    """A read-only file or folder at an address, with the methods of ``pathlib.Path`` that readers need.

    It consists of a few strings, so that a worker on another machine can open it there.
    """

    given: str  # the address that the user typed; it identifies the file system
    path: str  # in that file system
    size: int | None = field(default=None, compare=False)  # of a file, if known from a listing

    def __str__(self) -> str:
        """Return the address without credentials."""
        path = path_alone(self.path, self.given)
        return redact(self.path if "://" in self.path else f"{scheme_of(self.given)}://{path.lstrip('/')}")

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The last part of the path."""
        plain = unquote(urlsplit(self.path).path) if "://" in self.path else path_alone(self.path, self.given)
        return PurePosixPath(plain).name

    @property
    def suffix(self) -> str:
        """The name's last suffix."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> Address:
        """The folder that contains the file."""
        return Address(self.given, self.path.rpartition("/")[0])

    def resolve(self) -> Address:
        """Return the address itself: addresses are absolute."""
        return self

    def relative_to(self, folder: Address) -> PurePosixPath:
        """Return the path from a folder to this file."""
        return PurePosixPath(self.path).relative_to(folder.path)

    def exists(self) -> bool:
        """Whether there is a file or folder."""
        return bool(self._info().type.name != "NotFound")

    def is_dir(self) -> bool:
        """Whether this is a folder."""
        return self.size is None and bool(self._info().type.name == "Directory")

    def is_file(self) -> bool:
        """Whether this is a file."""
        return bool(self._info().type.name == "File")

    def stat(self) -> _State:
        """Return the file's current size and modification time."""
        info = self._info()
        if info.type.name != "File":
            raise FileNotFoundError(f"There is no file {self}.")
        return _State(S_IFREG, info.size or 0, info.mtime_ns or 0)

    def iterdir(self) -> list[Address]:
        """List the files and folders in a folder."""
        return self._list(recursive=False)

    def files(self) -> list[Address]:
        """List the files in a folder and its subfolders."""
        return [found for found in self._list(recursive=True) if found.size is not None]

    def open(self, mode: str = "rb", buffering: int = _BUFFER) -> Any:  # noqa: ARG002 - addresses are only read
        """Open the file for reading; without buffering, each read is a separate request."""
        reader = Reader(self.given, self.path, str(self))
        return io.BufferedReader(reader, buffering) if buffering else reader

    def open_arrow(self) -> Any:
        """Open the file for pyarrow."""
        return open_arrow(self.given, self.path, str(self))

    def file_system(self) -> Any:
        """Return a pyarrow file system for this address and others in the same file system."""
        return reading_file_system(self.given, lambda path: str(Address(self.given, path)))

    def _info(self) -> Any:
        return self._ask(lambda files: files.get_file_info(self.path))

    def _list(self, *, recursive: bool) -> list[Address]:
        selector = arrow_fs().FileSelector(self.path, recursive=recursive)
        found = self._ask(lambda files: files.get_file_info(selector))
        sizes = {info.path: info.size if info.type.name == "File" else None for info in found}
        return [Address(self.given, path, sizes[path]) for path in sorted(sizes)]

    def _ask(self, call: Callable[[Any], _Result]) -> _Result:
        return attempt(self, lambda: call(open_address(self.given)[0]), self.given)


def find_place(path: str | os.PathLike[str] | Address) -> Path | Address:
    """Return a local path, or the address of a file or folder elsewhere."""
    if isinstance(path, Address):
        return path
    if isinstance(path, str) and path.startswith("file://"):
        return Path(url2pathname(urlsplit(path).path))
    if isinstance(path, str) and is_address(path):
        return Address(path, open_address(path)[1].rstrip("/"))
    return Path(path)
