"""Addresses and files: show addresses without credentials, read what is there, and write files whole."""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname
from uuid import uuid4

from bayesfloor.support._errors import InputError, MissingPackageError
from bayesfloor.support._words import printable

_CHAIN = r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*[A-Za-z][A-Za-z0-9+.-]+:"  # of fsspec: simplecache::s3://
_START = re.compile(f"{_CHAIN}//")
_WHOLE = re.compile(rf"(\s*{_CHAIN}/{{1,2}})(.*)", re.DOTALL)  # pathlib removes a slash
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{1,40}:/{1,2}"  # bounded, so that long words take no longer
_LINE = rf"(?:(?!{_SCHEME})[^\n])*"  # up to the next address
_NO_LOGIN = r"\d*[\]).,:;!}>]*(?:[/?#\s'\"]|$)"  # what may follow a colon that does not precede a password: a port
# In a sentence, a password, and a query with more to come, may contain spaces.
_IN_TEXT = re.compile(
    rf"({_SCHEME})((?:[^:/\[\s?#'\"]*:(?!{_NO_LOGIN})(?:{_LINE}@|{_LINE}))?[^\s?#'\"]*"
    rf"(?:[^\S\n]*[?#](?!\.\.\.[\]).,:;!}}>]*(?:['\"]|\s(?!\s*&)|$))[^\s'\"]*(?:{_LINE}[=&][^\s'\"]*)?)?)"
)
_PASSWORD = re.compile(rf"[^:/\[]*:(?!:|{_NO_LOGIN})")
_HIDDEN = re.compile(r"[?#]|;(?=.)", re.DOTALL)


def is_address(path: object) -> bool:
    """Whether this is an address and not a local path; ``file://`` is local."""
    return isinstance(path, str) and _START.match(path) is not None and not path.startswith("file://")


def scheme_of(address: str) -> str:
    """Return the part before ``://``, such as ``s3``, or a whole chain, such as ``zip::s3``."""
    return address.partition("://")[0].lower()


def redact(text: object, *known: str) -> str:
    """Return the text with only the scheme, host and path of its addresses.

    A text that begins with an address is taken for one address. Elsewhere nobody can tell where an address ends: pass
    what is ``known``, such as the words of the command, to remove secrets also where a library quotes parts of them.
    """
    said = str(text)
    for word in known:
        if found := _WHOLE.search(word):  # it may follow an option
            said = _without(said.replace(found[0], _show(found)), found[0])
    whole = _WHOLE.fullmatch(said)
    return _show(whole) if whole else _IN_TEXT.sub(_show, said)


def _show(address: re.Match[str]) -> str:
    """Return the scheme, the host and the path; if a password may be in them, only the scheme."""
    start, rest = address.groups()
    place, *hidden = _HIDDEN.split(rest, maxsplit=1)
    before, _, after = place.rpartition("@")
    if ":" in before or "/" not in before:  # a password may contain a slash: a mistake, but it must not be shown
        place = after
    if _PASSWORD.match(place) or "@" in "".join(hidden):
        return f"{start}..."
    return f"{start}{place}?..." if hidden else f"{start}{place}"


def _without(text: str, address: str) -> str:
    """Remove every word of an address that is not shown."""
    for word in sorted(_words(address) - _words(redact(address)), key=len, reverse=True):
        around = "['\"]" if len(word) < 3 else r"\b" if len(word) == 3 else ""  # short words also occur by chance
        text = re.sub(f"({around}){word}({around})", r"\1...\2", text, flags=re.IGNORECASE)
    return text


def _words(address: str) -> set[str]:
    forms = (address, unquote(address), quote(address, errors="backslashreplace"))
    return {word.lower() for form in forms for word in re.findall(r"\w+", form)}


def path_alone(path: str, address: str) -> str:
    """Return a path without the query or login of the address, which some file systems take for a part of it."""
    for mark in "?#;":
        path = path.removesuffix("".join(address.partition(mark)[1:]).rstrip("/"))
    login, _, rest = path.rpartition("@")
    return rest if f"{login.lstrip('/')}@" in address and "@" not in redact(address) else path


def refuse_output(path: object) -> None:
    """Raise if a file to write is at an address."""
    if is_address(path):
        shown = redact(path)
        name = shown.removesuffix("?...").rstrip("/").rpartition("/")[2]
        raise InputError(
            f"Got the output '{shown}', but files cannot be written to an address. Pass a local path, such as {name}, "
            "and upload the file afterwards."
        )


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
        return attempt(redact(address), lambda: _arrow(".fs").FileSystem.from_uri(uri), address)
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
    return _arrow(".fs").PyFileSystem(_unbuffered()(found)), path


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
            told = printable(redact(" ".join(str(error).split()).rstrip(".") or type(error).__name__, address))
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

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, or less of it at the end of the file."""
        wanted = min(len(buffer), max(0, self._size - self._at))
        if wanted:
            buffer[:wanted] = attempt(self._shown, lambda: self._read_at(wanted), self._address)
            self._at += wanted
            with _counting:  # pyarrow reads from several threads
                _so_far[0] += wanted
        return wanted

    def readall(self) -> bytes:
        """Read the rest of the file with one request."""
        return self.read(max(0, self._size - self._at)) or b""

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


def bytes_read() -> int:
    """Return how many bytes this process has read from addresses so far."""
    return _so_far[0]


# pyarrow


def _arrow(part: str = "") -> Any:
    """Return pyarrow, or a module of it."""
    try:
        return import_module(f"pyarrow{part}")
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            'Addresses need pyarrow, which is not installed. Install it with: pip install "bayesfloor[cli]"'
        ) from error


@cache
def _unbuffered() -> Any:
    """Return fsspec's adapter for pyarrow without fsspec's buffer, which reads megabytes around each request."""

    class Unbuffered(_arrow(".fs").FSSpecHandler):  # type: ignore[misc]  # pyarrow is loaded late
        def open_input_file(self, path: str) -> Any:
            return _arrow().PythonFile(self.fs.open(path, mode="rb", cache_type="none"), mode="r")

    return Unbuffered


@cache
def _counting_files() -> Any:
    """Return a handler for pyarrow that opens the files at an address with ``Reader``."""

    class Counting(_arrow(".fs").FSSpecHandler):  # type: ignore[misc]  # pyarrow is loaded late
        def __init__(self, given: str) -> None:
            self.given = given

        def get_type_name(self) -> str:
            return "address"

        def get_file_info(self, paths: list[str]) -> list[Any]:
            return [Address(self.given, path).info() for path in paths]

        def open_input_file(self, path: str) -> Any:
            return Address(self.given, path).open_arrow()

    return Counting


_BUFFER = 4 << 20  # bytes that a sequential reader requests at a time


@dataclass(frozen=True, repr=False)
class Address:
    """A read-only file or folder at an address, with the methods of ``pathlib.Path`` that readers need."""

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
    def parent(self) -> Address:
        """The folder that contains the file."""
        return Address(self.given, self.path.rpartition("/")[0])

    def relative_to(self, folder: Address) -> PurePosixPath:
        """Return the path from a folder to this file."""
        return PurePosixPath(self.path).relative_to(folder.path)

    def exists(self) -> bool:
        """Whether there is a file or folder."""
        return bool(self.info().type.name != "NotFound")

    def is_dir(self) -> bool:
        """Whether this is a folder."""
        return self.size is None and bool(self.info().type.name == "Directory")

    def n_bytes(self) -> int:
        """Return the size of the file, asking for it only if no listing has told it."""
        return (self.info().size or 0) if self.size is None else self.size

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
        return _arrow().PythonFile(self.open(buffering=0), mode="r")

    def file_system(self) -> Any:
        """Return a pyarrow file system for this address and others in the same file system."""
        return _arrow(".fs").PyFileSystem(_counting_files()(self.given))

    def info(self) -> Any:
        """Return what pyarrow knows about the file or folder."""
        return self._ask(lambda files: files.get_file_info(self.path))

    def _list(self, *, recursive: bool) -> list[Address]:
        selector = _arrow(".fs").FileSelector(self.path, recursive=recursive)
        found = self._ask(lambda files: files.get_file_info(selector))
        sizes = {info.path: info.size if info.type.name == "File" else None for info in found}
        return [Address(self.given, path, sizes[path]) for path in sorted(sizes)]

    def _ask(self, call: Callable[[Any], _Result]) -> _Result:
        return attempt(self, lambda: call(open_address(self.given)[0]), self.given)


def find_place(path: str | os.PathLike[str]) -> Path | Address:
    """Return a local path, or the address of a file or folder elsewhere."""
    if isinstance(path, str) and path.startswith("file://"):
        return Path(url2pathname(urlsplit(path).path))
    if isinstance(path, str) and is_address(path):
        return Address(path, open_address(path)[1].rstrip("/"))
    return Path(path)


_MOVING_PAUSES = (0.01, 0.03, 0.1, 0.3, None)  # seconds: virus scanners and readers of small files are done by then


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file under a temporary name and move it into place when it is complete."""
    refuse_output(path)
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    device = os.name == "posix" and path.absolute().parts[1:2] in (("dev",), ("proc",))
    if device or (path.exists() and not path.is_file()):  # a pipe or standard output cannot be moved into place
        path.write_bytes(data)
        return path
    whole = path.resolve()  # a symbolic link stays a link
    if not whole.parent.is_dir():
        raise FileNotFoundError(f"The folder {printable(whole.parent)} does not exist. Create it first.")
    part = whole.with_name(f".{uuid4().hex}.part")
    try:
        part.write_bytes(data)
        if os.name == "posix" and whole.exists():  # on other systems a read-only file could not be moved
            part.chmod(stat.S_IMODE(whole.stat().st_mode))
        _move_into_place(part, whole)
    except OSError as error:
        if error.filename is None or error.filename == str(part):  # the name that the user knows
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):  # for example in a read-only folder, which another error has already reported
            part.unlink(missing_ok=True)
    return path


def _move_into_place(part: Path, path: Path) -> None:
    """Give a complete file its final name, with retries: Windows refuses if another program has the old file open."""
    for pause in _MOVING_PAUSES:
        try:
            part.replace(path)
        except PermissionError as error:
            if pause is None:  # report the name that the user knows, not the temporary one
                reason = "the file cannot be replaced; is it open in another program?"
                raise PermissionError(error.errno, reason, str(path)) from error
            time.sleep(pause)
        else:
            return


def data_files(folder: Any, suffixes: tuple[str, ...]) -> list[Any]:
    """List the data files in a folder, local or at an address, and its subfolders, sorted by path.

    Names such as ``_temporary`` and ``.cache`` are skipped, because programs use them for internal files.
    """
    listed = folder.files() if isinstance(folder, Address) else folder.rglob("*")
    found = {place.relative_to(folder): place for place in listed if place.name.lower().endswith(suffixes)}
    inner = [path for path in found if any(name.startswith((".", "_")) for name in path.parts)]
    return [found[path] for path in sorted(found.keys() - inner) if not found[path].is_dir()]
