"""Find the encoding of a text file from all of its bytes."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bayesfloor.engine._show import how_many
from bayesfloor.engine._types import Ints
from bayesfloor.io._find_file import File
from bayesfloor.io._messages import DataError

_BLOCK = 1 << 20
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}  # bytes without a character in Windows-1252


class _Seen(NamedTuple):
    """How many bytes above 127 are valid UTF-8, how many are not, and which values from 128 to 159 occur."""

    fitting: int
    broken: int
    controls: frozenset[int]


def find_encoding(file: File) -> tuple[str, str]:
    """Return the encoding (UTF-8, UTF-16 with a byte order mark, Windows-1252 or Latin-1), and a note if not UTF-8."""
    with file.open() as stream:
        if bytes(stream.read(2)) in _UTF_16:
            return "utf-16", f"{file.shown} is read as UTF-16 text"
    seen = _look_at(file)
    if not seen.broken:
        return "utf-8-sig", ""
    if seen.fitting > seen.broken:
        raise DataError(
            f"{file.shown} is UTF-8 text except for {how_many(seen.broken, 'byte')}, the first on line "
            f"{_first_broken_line(file):,}. Fix the text there, or save the file as UTF-8 again."
        )
    if seen.controls & _NOT_1252:
        raise DataError(f"{file.shown} is neither UTF-8 nor Windows-1252 text. Save it as UTF-8 first.")
    codec, name = ("cp1252", "Windows-1252") if seen.controls else ("latin-1", "Latin-1")
    return codec, f"{file.shown} is not UTF-8 and is read as {name} text"


def _look_at(file: File) -> _Seen:
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    fitting, times = 0, np.zeros(256, dtype=np.int64)
    for block in _blocks(file):
        if block.isascii() and not decoder.getstate()[0]:
            continue
        fitting += int(_byte_counts(decoder.decode(block).encode())[128:].sum())
        times += _byte_counts(block)
    high = int(times[128:].sum())
    controls = frozenset((128 + np.flatnonzero(times[128:160])).tolist())
    return _Seen(fitting, high - fitting, controls)


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


def _first_broken_line(file: File) -> int:
    with io.BufferedReader(file.open()) as lines:
        return next((number for number, line in enumerate(lines, 1) if not _is_utf8(line)), 0)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
