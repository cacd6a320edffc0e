"""Addresses as text: recognise them, and show them without credentials."""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path, PurePath, PurePosixPath
from stat import S_IFREG
from threading import Lock
from typing import Any, NamedTuple, TypeVar
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


_Result_addresses = TypeVar("_Result_addresses")
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

    def _ask(self, call: Callable[[Any], _Result_addresses]) -> _Result_addresses:
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


PART = ".part"  # ending of files that are not complete
_PAUSES_atomic_write = (0.01, 0.03, 0.1, 0.3)  # seconds: virus scanners and readers of small files are done by then


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
    for pause in _PAUSES_atomic_write:
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


ASKS_TOO_MUCH = "claims to hold more than fits in memory, although it is small. Is it damaged?"


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
