"""Labels and fractions as text that neither a terminal nor a reader can be misled by."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate
from math import isfinite
from unicodedata import category, east_asian_width, normalize


def printable(label: object) -> str:
    """A label as text, with whatever does not print written as an escape."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def as_utf8(text: str | os.PathLike[str]) -> str:
    """A text from the system, such as a path, read as UTF-8 if it is, even where the locale knows ASCII only."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return str(text)


def join_labels(labels: Sequence[object], most: int = 6) -> str:
    """Some labels in a line, and how many more there are."""
    shown = ", ".join(printable(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def show_labels(labels: Sequence[object], width: int = 32, missing: Collection[str] = ()) -> list[str]:
    """Labels as short texts that differ wherever the labels do.

    Long ones lose their middle; where blanks begin or end one, quotes show it; letters that are
    ``missing`` from all fonts are written as escapes; those that look alike after that get a number.
    """
    short = [_shorten(_letters(quoted(label), missing), width) for label in labels]
    looks = [_look(text) for text in short]
    again = {look for look, times in Counter(looks).items() if times > 1}
    numbers, taken = Counter[str](), set(looks)
    return [_numbered(text, numbers, taken) if look in again else text for text, look in zip(short, looks, strict=True)]


def quoted(label: object) -> str:
    """A label as text, in quotes where they are needed to see where it begins and ends."""
    text = printable(label)
    return text if text and text == text.strip() else f'"{text}"'


def _letters(text: str, missing: Collection[str]) -> list[str]:
    """The letters of a text, none of which is to be cut in two."""
    return [ascii(letter)[1:-1] if letter in missing else letter for letter in text]


def _shorten(letters: list[str], width: int) -> str:
    if sum(map(len, letters)) <= width:
        return "".join(letters)
    tail = (width - 1) // 3
    head, tail_letters = _fitting(letters, width - 1 - tail), _fitting(letters[::-1], tail)
    return "".join([*head, "…", *reversed(tail_letters)])


def _fitting(letters: list[str], room: int) -> list[str]:
    """As many of the first letters as there is room for."""
    ends = accumulate(map(len, letters))
    return [letter for letter, end in zip(letters, ends, strict=True) if end <= room]


def _numbered(text: str, numbers: Counter[str], taken: set[str]) -> str:
    """The text with the next number that makes it unlike all others."""
    look = _look(text)
    while True:
        numbers[look] += 1
        made = f"{text} #{numbers[look]}"
        if _look(made) not in taken:
            taken.add(_look(made))
            return made


def _look(text: str) -> str:
    """What a reader sees: accents however they are spelt, and many blanks as one, as on web pages."""
    return " ".join(normalize("NFC", text).split())


def cells(text: str) -> int:
    """Columns that a text takes up in a terminal: two for wide characters, none for marks on others."""
    return sum(0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text filled up with blanks to so many columns of a terminal."""
    blank = " " * max(0, width - cells(text))
    return blank + text if right else text + blank


def percent(share: float) -> str:
    """A fraction in percent: two decimals below 1 %, else one, and one where two would show nothing but zeros."""
    if not isfinite(share):
        return "unknown"
    return f"{abs(100 * share):.{_decimals(share)}f}"  # never -0.0


def span(low: float, high: float) -> str:
    """Two fractions in percent."""
    return f"{percent(low)} to {percent(high)} %"


def range_text(lower: float, upper: float) -> str:
    """A range in percent; where it has no lower end, only how high it goes."""
    return span(lower, upper) if isfinite(lower) else f"at most {percent(upper)} %"


def about(estimate: float, lower: float, upper: float) -> str:
    """A best estimate with its range, in percent."""
    return f"about {percent(estimate)} % ({range_text(lower, upper)})"


def _decimals(error: float) -> int:
    return 2 if 0.00005 <= error < 0.00995 else 1


def two_digits(rows: float) -> int:
    """A predicted number of rows, rounded: more digits would be a promise."""
    return round(float(f"{rows:.1e}"))


def how_many(number: float, noun: str) -> str:
    """A number with its noun: 1 row, 1,797 rows."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{amount(number)} {noun if number == 1 else plural}"


def amount(number: float) -> str:
    """A number of rows, in whole ones: soft labels make fractions of them."""
    return f"{number:,.0f}"
