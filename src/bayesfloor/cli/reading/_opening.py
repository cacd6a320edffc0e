"""Which file is meant, of what kind it is, and what is said if it cannot be opened."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesfloor.cli.reading._arrow import arrow
from bayesfloor.cli.reading._messages import DataError, did_you_mean, join, one_line, quote, short, short_path
from bayesfloor.engine._text import as_utf8

_SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".csv.gz": "CSV",
    ".tsv.gz": "CSV",
    ".txt.gz": "CSV",
    ".parquet": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npz": "npz",
    ".npy": "npy",
}
# The last is what an Arrow stream, which has no magic of its own, starts with.
_MAGIC = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK": "npz", b"\x93NUMPY": "npy", b"\xff\xff\xff\xff": "Arrow"}
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class File:
    """A file or a folder that exists, or the bytes of standard input."""

    name: str
    kind: str
    source: Path | bytes

    @property
    def shown(self) -> str:
        """The name as it stands in messages."""
        return short(self.name)

    def head(self, size: int = 8) -> bytes:
        """The first bytes."""
        with self.open_raw() as stream:
            return bytes(stream.read(size))

    def open(self) -> Any:
        """A new stream of pyarrow, unpacked if packed."""
        pa = arrow()
        stream = pa.BufferReader(self.source) if isinstance(self.source, bytes) else pa.OSFile(os.fsencode(self.source))
        return pa.CompressedInputStream(stream, "gzip") if self.head().startswith(_GZIP_MAGIC) else stream

    def open_raw(self) -> Any:
        """A new stream of Python."""
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def beside(self, path: str) -> str:
        """A path as seen from the file's folder."""
        if isinstance(self.source, bytes) or "://" in path or path.startswith("data:"):
            return path
        folder = self.source if self.source.is_dir() else self.source.parent
        return os.path.join(folder, path)  # noqa: PTH118  # pathlib would rewrite the user's text


@contextmanager
def reading(file: File) -> Iterator[None]:
    """Turn whatever a reader raises into one line."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        raise DataError(f"{file.shown} is not UTF-8 text. Save it as UTF-8 first.") from error
    except Exception as error:
        raise DataError(
            f"{file.shown} cannot be read as {file.kind}: {one_line(error)}. Is it complete, and what its name says?"
        ) from error


def find_file(path: str) -> File:
    """The file that is meant; ``-`` is standard input."""
    if path == "-":
        return _standard_input(sys.stdin.buffer.read())
    if not path:
        raise DataError("the name of the file is empty. Expected a file, a folder of .parquet files, or -")
    try:
        return _find_place(Path(path))
    except OSError as error:
        raise DataError(f"{quote(path)} cannot be opened: {short(error.strerror or error)}.") from error


def _standard_input(content: bytes) -> File:
    if not content:
        raise DataError("standard input is empty. Expected a file, as in: bayesfloor check - -y label < data.csv")
    kind = next((kind for start, kind in _MAGIC.items() if content.startswith(start)), "CSV")
    return File("stdin", kind, content)


def _find_place(place: Path) -> File:
    if place.is_dir():
        return _find_folder(place)
    if not place.exists():
        raise _not_found(place)
    file = File(as_utf8(place.name), _kind_of(place.name), place)
    if not file.head():
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    return file


def _find_folder(place: Path) -> File:
    name = as_utf8(place.resolve().name)
    if any(place.rglob("*.parquet")):
        return File(name, "Parquet", place)
    found = sorted(entry.name for entry in place.iterdir())
    holds = f"It has {join(found)}. Name one file." if found else "It is empty."
    raise DataError(f"folder {quote(name)} holds no .parquet files. {holds}")


def _not_found(place: Path) -> DataError:
    parent = place.parent
    if not parent.is_dir():
        return DataError(f"no file '{short_path(place)}'. There is no folder {quote(parent)}.")
    hint = did_you_mean(place.name, [entry.name for entry in parent.iterdir()], 3)
    return DataError(f"no file '{short_path(place)}'.{hint or ' Check the path.'}")


def _kind_of(name: str) -> str:
    for suffix, kind in _SUFFIXES.items():
        if name.lower().endswith(suffix):
            return kind
    raise DataError(
        f"{short(name)} is of no known kind. Expected a name that ends in {', '.join(_SUFFIXES)}, "
        "or - to read standard input."
    )
