"""Labels as text that neither a terminal nor a reader can be misled by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from unicodedata import combining, east_asian_width


def printable(label: object) -> str:
    """A label as text, with whatever does not print written as an escape."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def join_labels(labels: Sequence[object], most: int = 6) -> str:
    """Some labels in a line, and how many more there are."""
    shown = ", ".join(printable(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def show_labels(labels: Sequence[object], width: int = 32) -> list[str]:
    """Labels as short texts that differ wherever the labels do.

    Long ones lose their middle, an empty one is a pair of quotes; those that look alike after that
    get a number.
    """
    short = [_shorten(printable(label) or '""', width) for label in labels]
    again = {text for text, times in Counter(short).items() if times > 1}
    seen: dict[str, int] = {}
    taken, shown = set(short), []
    for text in short:
        if text in again:
            text = _numbered(text, seen, taken)  # noqa: PLW2901
        shown.append(text)
    return shown


def _shorten(text: str, width: int) -> str:
    tail = (width - 1) // 3
    return text if len(text) <= width else f"{text[: width - 1 - tail]}…{text[-tail:]}"


def _numbered(text: str, seen: dict[str, int], taken: set[str]) -> str:
    """The text with the next number that makes it unlike all others."""
    while True:
        seen[text] = seen.get(text, 0) + 1
        made = f"{text} #{seen[text]}"
        if made not in taken:
            taken.add(made)
            return made


def cells(text: str) -> int:
    """Columns that a text takes up in a terminal: two for wide characters, none for marks on others."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text filled up with blanks to so many columns of a terminal."""
    blank = " " * max(0, width - cells(text))
    return blank + text if right else text + blank
