"""One-line error messages about files, and helpers to write them."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.support._errors import InputError
from bayesfloor.support._files import redact
from bayesfloor.support._words import printable

_LONGEST = 60
_MOST = 5  # problems shown per file
_NEAR = 0.75  # smallest similarity at which a name is suggested


class DataError(InputError):
    """A file or a column cannot be used; the message is one line and says what to do."""


def short(text: object) -> str:
    """Shorten a string to fit on a line."""
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def short_path(path: object) -> str:
    """Shorten a path to fit on a line; keep its end, which identifies it."""
    shown = printable(redact(path))  # before it is cut, while it can be recognised
    return shown if len(shown) <= _LONGEST else "..." + shown[3 - _LONGEST :]


def quote(name: object) -> str:
    """Return a name in quotes, shortened."""
    return f"'{short(name)}'"


def join_words(names: Sequence[str], most: int = 5) -> str:
    """List the first names in quotes, and say how many more there are."""
    shown = ", ".join(quote(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def shell(words: Sequence[str], *, windows: bool = os.name == "nt") -> str:
    """Join words into a command to paste; Windows shells do not support single quotes."""
    return subprocess.list2cmdline(words) if windows else shlex.join(words)


def did_you_mean(name: str, names: Iterable[str], most: int = 1) -> str:
    """Suggest similar names, ignoring case; empty if there are none."""
    lowered = {other.lower(): other for other in names}
    close = [lowered[found] for found in difflib.get_close_matches(name.lower(), lowered, most, _NEAR)]
    return f" Did you mean {join_words(close)}?" if close else ""


def refuse_unknown(wanted: Iterable[str], names: Sequence[str], noun: str = "column") -> None:
    """Raise for the first unknown name."""
    for name in wanted:
        if name not in names:
            listed = f"{noun.capitalize()}s: {join_words(names, 8)}."
            raise DataError(f"no {noun} {quote(name)}.{did_you_mean(name, names)} {listed}")


def refuse_length(found: str, length: int, n_rows: int) -> None:
    """Raise if there are more or fewer values than rows."""
    if length != n_rows:
        raise DataError(f"{found}, but there are {n_rows:,} rows of features. Expected one per row, in the same order.")


def troubles_of(shown: str, troubles: Sequence[str]) -> DataError:
    """Return one error that lists a file's problems on one line."""
    if len(troubles) == 1:
        return DataError(troubles[0])
    listed = " ".join(f"({i}) {trouble}" for i, trouble in enumerate(troubles[:_MOST], 1))
    more = f" And {len(troubles) - _MOST:,} more." if len(troubles) > _MOST else ""
    return DataError(f"{shown} has {len(troubles):,} problems: {listed}{more}")


def how_to_pass(task: str) -> str:
    """Say how to set the task in Python and on the command line."""
    return f'pass task="{task}" or --task {task}'


PREDICT_NUMBERS = f"To predict numbers, use check and {how_to_pass('numbers')}."


def one_line(error: BaseException, *known: str) -> str:
    """Return the beginning of a library's error message, on one line, without the secrets of known addresses."""
    text = redact(" ".join(str(error).split()) or type(error).__name__, *known)
    return printable(text if len(text) <= 200 else text[:197] + "...").rstrip(".")


def arrow(part: str = "") -> Any:
    """Import pyarrow, or a submodule such as ``.csv``."""
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise DataError(
            'reading this file needs pyarrow, which is not installed. Run: python -m pip install "bayesfloor[cli]"'
        ) from error


def plain_type(column: Any) -> Any:
    """Convert an array to one of a few plain types: a single text type, and no dictionaries or decimals."""
    pa, kinds = arrow(), arrow(".types")
    if isinstance(column.type, pa.BaseExtensionType):
        return plain_type(column.storage)
    if kinds.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(column.indices, plain_type(column.dictionary)).dictionary_decode()
    if kinds.is_run_end_encoded(column.type):
        return plain_type(arrow(".compute").run_end_decode(column))
    if kinds.is_decimal(column.type):
        return column.cast(pa.float64())
    if kinds.is_float16(column.type):
        return column.cast(pa.float32())
    return column.cast(pa.large_string()) if str(column.type) in ("string", "string_view") else column


def is_text(kind: Any) -> bool:
    """Whether a type is text."""
    kinds = arrow(".types")
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def is_number(kind: Any) -> bool:
    """Whether a type is a number."""
    kinds = arrow(".types")
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind))


def is_list(kind: Any) -> bool:
    """Whether a type is a list of numbers."""
    kinds = arrow(".types")
    if not (kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)):
        return False
    return is_number(kind.value_type) or bool(kinds.is_decimal(kind.value_type))


def stack_lists(column: Any) -> NDArray[Any] | None:
    """Stack lists of numbers as rows of an array, with NaN for missing lists and numbers.

    Return None unless all lists have the same length. Nothing is copied if no list is missing and all are contiguous.
    """
    if not is_list(column.type) or not is_number(column.type.value_type):
        return None
    widths = arrow(".compute").list_value_length(column).unique().drop_null().to_pylist()
    if len(widths) != 1 or not widths[0]:
        return None
    blocks = [_block(chunk, widths[0]) for chunk in column.chunks if len(chunk)]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _block(chunk: Any, width: int) -> NDArray[Any]:
    flat = plain_type(chunk.flatten()).to_numpy(zero_copy_only=False).reshape(-1, width)  # this skips missing lists
    if not chunk.null_count:
        return np.asarray(flat)
    block = np.full((len(chunk), width), np.nan)
    block[chunk.is_valid().to_numpy(zero_copy_only=False)] = flat
    return block
