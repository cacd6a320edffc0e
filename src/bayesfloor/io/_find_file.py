"""Find a file and its type, copy it from an address if needed, and explain why it cannot be read."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bayesfloor.io._messages import DataError, arrow, did_you_mean, join_words, one_line, quote, short, short_path
from bayesfloor.support._files import Address, AddressError, data_files, find_place, redact
from bayesfloor.support._types import Ints
from bayesfloor.support._words import as_utf8, how_many

_SUFFIXES = {
    "CSV": (".csv", ".tsv", ".txt"),
    "Parquet": (".parquet",),
    "Arrow": (".arrow", ".feather", ".ipc"),
    "npz": (".npz",),
    "npy": (".npy",),
}
_IN_FOLDERS = ("Parquet", "Arrow", "CSV")  # a folder is read as the first of these types that it contains
_PACKED = (".gz", ".zst", ".bz2")
# An Arrow stream has no magic number; the last entry is its first bytes.
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK": "npz", b"\x93NUMPY": "npy", b"\xff\xff\xff\xff": "Arrow"}
_COPIED_AT_ONCE = 4 << 20  # bytes
_LARGE = 2e9  # bytes: a table that takes more memory than this is not read whole
_POOL, _POOL_BYTES, _LEAST = 1_000_000, 8e8, 50_000  # of a large file: most rows, most bytes and fewest rows to read
_MOST_ROWS, _MOST_PACKED = 20_000_000, 50  # more rows than this and than bytes, or bytes in memory per byte: a trap
_MOST_COLUMNS = 100_000  # of a table; with more, names alone take minutes
_UNPACKS = 4  # estimated size of a compressed file in memory, relative to its size on disk
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}


@dataclass(frozen=True)
class File:
    """An existing file or folder, local or at an address, or bytes."""

    name: str
    kind: str
    source: Path | Address | bytes

    @property
    def shown(self) -> str:
        """The name as shown in messages."""
        return short(self.name)

    @cached_property
    def folder(self) -> Path | Address | None:
        """The folder, if the table consists of several files."""
        return self.source if not isinstance(self.source, bytes) and self.source.is_dir() else None

    def parts(self) -> list[File]:
        """Return the files of a folder, or the file itself."""
        if self.folder is None:
            return [self]
        places = [(place.relative_to(self.folder), place) for place in _tables_in(self.folder, self.kind)]
        return [File(as_utf8(name), self.kind, place) for name, place in places]

    def others(self) -> list[tuple[str, int]]:
        """Return the other table types in a folder, and the number of files of each type."""
        if self.folder is None:
            return []
        found = [(kind, len(_tables_in(self.folder, kind))) for kind in _IN_FOLDERS if kind != self.kind]
        return [(kind, n) for kind, n in found if n]

    @cached_property
    def size(self) -> int:
        """Size of the files in bytes."""
        if isinstance(self.source, bytes):
            return len(self.source)
        return sum(_size(part.source) for part in self.parts())

    @cached_property
    def unpacked_size(self) -> int:
        """Approximate size of the table in memory, in bytes."""
        if isinstance(self.source, bytes):
            return len(self.source)
        packed = [part.kind == "Parquet" or bool(_by_magic(part.head(), _CODECS)) for part in self.parts()]
        sizes = [_size(part.source) for part in self.parts()]
        return sum(size * (_UNPACKS if is_packed else 1) for size, is_packed in zip(sizes, packed, strict=True))

    @property
    def is_large(self) -> bool:
        """Whether the table is too large to read completely."""
        return self.unpacked_size > _LARGE

    def is_packed(self, n_bytes: float) -> bool:
        """Whether so many bytes in memory are too much, and far more than a file of this size usually holds."""
        return n_bytes > max(_LARGE, _MOST_PACKED * self.size)

    def refuse_packed(self, n_rows: int, n_bytes: int) -> None:
        """Raise, before all memory is taken, if a small file turns out to be a very long table."""
        if n_rows > max(_MOST_ROWS, self.size) or self.is_packed(n_bytes):
            raise DataError(
                f"{self.shown} has {self.size / 1e6:,.2f} MB but unpacks to {n_rows:,} rows or more, which would take "
                "too much memory. Is it damaged? If not, read a part of it and pass that."
            )

    def refuse_wide(self, n_columns: int) -> None:
        """Raise if a table has too many columns."""
        if n_columns > _MOST_COLUMNS:
            raise DataError(
                f"{self.shown} has {n_columns:,} columns, but expected at most {_MOST_COLUMNS:,}. Save numbers as .npy."
            )

    def most_rows(self, n_rows: int, asked: int | None, n_bytes: float = 0) -> int:
        """Return how many of its rows to read if the table is large: more if the user asked for more."""
        room = int(_POOL_BYTES * n_rows / max(self.unpacked_size, n_bytes))
        return max(_LEAST, asked or 0, min(_POOL, room))

    def head(self, size: int = 8) -> bytes:
        """Return the first bytes."""
        if isinstance(self.source, bytes):
            return self.source[:size]
        with self.source.open("rb", buffering=0) as stream:
            return bytes(stream.read(size))

    def open(self) -> Any:
        """Open a pyarrow stream, decompressed if necessary."""
        pa = arrow()
        if isinstance(self.source, Address):
            return self.source.open_arrow()
        stream = pa.BufferReader(self.source) if isinstance(self.source, bytes) else pa.OSFile(os.fsencode(self.source))
        codec = _by_magic(self.head(), _CODECS)
        return pa.CompressedInputStream(stream, codec) if codec else stream

    def open_raw(self) -> Any:
        """Open a Python stream."""
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def beside(self, path: str) -> str:
        """Resolve a path relative to the file's folder."""
        if isinstance(self.source, bytes) or "://" in path or path.startswith("data:"):
            return path
        folder = self.folder or self.source.parent
        if isinstance(folder, Address):
            return f"{folder}/{path}"
        return os.path.join(folder, path)  # noqa: PTH118  # pathlib would rewrite the user's text


def _size(place: Any) -> int:
    return place.n_bytes() if isinstance(place, Address) else place.stat().st_size


@contextmanager
def fetched(file: File) -> Iterator[File]:
    """Copy the file to a temporary folder while it is read; Parquet files are read where they are.

    Other file types are read several times, or from start to end, so copying them once is cheapest.
    """
    if not isinstance(file.source, Address) or file.kind == "Parquet":
        yield file
        return
    with TemporaryDirectory(prefix="bayesfloor-") as folder:
        near = Path(folder) / file.name
        for part in file.parts():
            path = near if file.folder is None else near / part.name
            if not path.resolve().is_relative_to(Path(folder).resolve()):  # object stores allow names such as ../x
                raise DataError(f"{part.shown} has a name that cannot be used for a local file. Rename it first.")
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open_raw() as content, path.open("xb") as copy:
                shutil.copyfileobj(content, copy, _COPIED_AT_ONCE)
        yield replace(file, source=near)


@contextmanager
def reading(file: File) -> Iterator[None]:
    """Turn any error raised by a reader into a one-line error."""
    try:
        yield
    except (DataError, AddressError):
        raise
    except MemoryError as error:
        if file.is_large:
            raise
        raise DataError(
            f"{file.shown} does not fit in memory, although it is small. Is it damaged, or is memory limited?"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file.shown} is not {error.encoding} text. Save it as UTF-8 first.") from error
    except Exception as error:  # noqa: BLE001 - readers raise errors of many kinds
        given = file.source.given if isinstance(file.source, Address) else ""  # a traceback would show it
        told = f"{file.shown} cannot be read as {file.kind}: {one_line(error, given)}"
        raise DataError(f"{told}. Is it complete, and is its name right?") from (None if given else error)


def find_file(path: str | os.PathLike[str] | bytes) -> File:
    """Find a file; ``-`` is standard input, and bytes are the contents of a file."""
    name = "bytes"
    if path == "-":
        name, path = "stdin", b"" if sys.stdin is None else sys.stdin.buffer.read()
        if not path:
            raise DataError("standard input is empty. Expected a file: bayesfloor check - -y label < data.csv")
    if isinstance(path, bytes):
        return File(name, _by_magic(path, _MAGIC) or "CSV", path)
    if not str(path):
        raise DataError("the file name is empty. Expected a file, a folder of files, or - for standard input.")
    try:
        return _find_place(find_place(path))
    except AddressError:
        raise
    except OSError as error:
        raise DataError(f"{quote(redact(path))} cannot be opened: {short(error.strerror or error)}.") from error


def _by_magic(head: bytes, known: dict[bytes, str]) -> str:
    return next((found for start, found in known.items() if head.startswith(start)), "")


def _find_place(place: Path | Address) -> File:
    if place.is_dir():
        return _find_folder(place)
    if not place.exists():
        raise _not_found(place)
    if isinstance(place, Path) and not place.is_file():
        raise DataError(f"{quote(place)} is not a regular file. Pipe it in instead: bayesfloor check - -y label < NAME")
    file = File(as_utf8(place.name), _kind_of(place.name), place)
    if not file.head():
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    return file


def _find_folder(place: Path | Address) -> File:
    name = as_utf8(place.name if isinstance(place, Address) else place.resolve().name)
    for kind in _IN_FOLDERS:
        if _tables_in(place, kind):
            return File(name, kind, place)
    found = sorted(entry.name for entry in place.iterdir())
    holds = f"It contains {join_words(found)}. Pass one file." if found else "It is empty."
    raise DataError(f"folder {quote(name)} has no Parquet, Arrow or CSV files. {holds}")


def _tables_in(folder: Path | Address, kind: str) -> list[Any]:
    """List the files of a table; a .txt file in a folder usually describes the data."""
    suffixes = _SUFFIXES[kind] if kind != "CSV" else (".csv", ".tsv")
    packed = _PACKED if kind == "CSV" else ()
    return data_files(folder, suffixes + tuple(suffix + last for suffix in suffixes for last in packed))


def _not_found(place: Path | Address) -> DataError:
    parent = place.parent
    if not parent.is_dir():
        return DataError(f"no file '{short_path(place)}'. There is no folder {quote(redact(parent))}.")
    hint = did_you_mean(place.name, [entry.name for entry in parent.iterdir()], 3)
    return DataError(f"no file '{short_path(place)}'.{hint or ' Check the path.'}")


def _kind_of(name: str) -> str:
    packed = name.lower().endswith(_PACKED)
    stem = name.rpartition(".")[0] if packed else name
    for kind, suffixes in _SUFFIXES.items():
        if stem.lower().endswith(suffixes) and (kind == "CSV" or not packed):
            return kind
    known = ", ".join(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)
    raise DataError(
        f"{short(name)}: unsupported file type. Expected a name that ends in {known}, a CSV compressed as .csv.gz, "
        ".csv.zst or .csv.bz2, or - to read standard input."
    )


_BLOCK = 1 << 20
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}  # bytes without a character in Windows-1252


def find_encoding(file: File) -> tuple[str, str]:
    """Return the encoding (UTF-8, UTF-16 with a byte order mark, Windows-1252 or Latin-1), and a note if not UTF-8."""
    with file.open() as stream:
        if bytes(stream.read(2)) in _UTF_16:
            return "utf-16", f"{file.shown} is read as UTF-16 text"
    fitting, broken, controls = _count_bytes(file)
    if not broken:
        return "utf-8-sig", ""
    if fitting > broken:  # text of another encoding is hardly ever valid UTF-8 by chance: this was damaged
        with io.BufferedReader(file.open()) as lines:
            intact = (line.decode(errors="ignore").encode() == line for line in lines)
            line = next((number for number, is_intact in enumerate(intact, 1) if not is_intact), 0)
        raise DataError(
            f"{file.shown} is UTF-8 text except for {how_many(broken, 'byte')}, the first on line {line:,}. "
            "Fix the text there, or save the file as UTF-8 again."
        )
    if controls & _NOT_1252:
        raise DataError(f"{file.shown} is neither UTF-8 nor Windows-1252 text. Save it as UTF-8 first.")
    codec, name = ("cp1252", "Windows-1252") if controls else ("latin-1", "Latin-1")
    return codec, f"{file.shown} is not UTF-8 and is read as {name} text"


def _count_bytes(file: File) -> tuple[int, int, set[int]]:
    """Return how many bytes above 127 are valid UTF-8, how many are not, and which values from 128 to 159 occur."""
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    fitting, times = 0, np.zeros(256, dtype=np.int64)
    for block in _blocks(file):
        if block.isascii() and not decoder.getstate()[0]:
            continue
        fitting += int(_byte_counts(decoder.decode(block).encode())[128:].sum())
        times += _byte_counts(block)
    return fitting, int(times[128:].sum()) - fitting, set((128 + np.flatnonzero(times[128:160])).tolist())


def _blocks(file: File) -> Iterator[bytes]:
    with file.open() as stream:
        while block := bytes(stream.read(_BLOCK)):
            if b"\0" in block:
                raise DataError(
                    f"{file.shown} contains zero bytes, so it cannot be read as CSV. If it is UTF-16 text without a "
                    "byte order mark, or another kind of file, save it as UTF-8 text first."
                )
            yield block


def _byte_counts(block: bytes) -> Ints:
    return np.bincount(np.frombuffer(block, dtype=np.uint8), minlength=256)
