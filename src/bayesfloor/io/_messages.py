"""One-line error messages about files, and helpers to write them."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence

from bayesfloor.engine._address_text import redact
from bayesfloor.engine._errors import InputError
from bayesfloor.engine._show import printable

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


def unknown(name: str, names: Sequence[str], noun: str = "column") -> DataError:
    """Return the error for an unknown name."""
    return DataError(
        f"no {noun} {quote(name)}.{did_you_mean(name, names)} {noun.capitalize()}s: {join_words(names, 8)}."
    )


def refuse_unknown(wanted: Iterable[str], names: Sequence[str], noun: str = "column") -> None:
    """Raise for the first unknown name."""
    for name in wanted:
        if name not in names:
            raise unknown(name, names, noun)


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


def one_line(error: BaseException, *known: str) -> str:
    """Return the beginning of a library's error message, on one line, without the secrets of known addresses."""
    text = redact(" ".join(str(error).split()) or type(error).__name__, *known)
    return printable(text if len(text) <= 120 else text[:117] + "...").rstrip(".")
