"""Format labels and fractions as unambiguous text that is safe to print."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate
from math import floor, isfinite, log10
from unicodedata import category, east_asian_width, normalize

_LONGEST, _LISTED = 10_000, 200  # characters shown of a string, and of each string in a list
_WORD = re.compile(r"[^\s_/|:;,.-]*[\s_/|:;,.-]+")  # with the separators after it
_WORTH_CUTTING = 8  # characters; a shorter shared prefix is kept
_MOST_DECIMALS = 7  # numbers that look equal with fewer decimals than this count as equal

MOST_DIGITS = 9  # numbers that look equal with fewer digits than this count as equal
SMALLEST = 0.00005  # smaller fractions are printed as 0.0 %


def printable(label: object, most: int = _LONGEST) -> str:
    """Return a label as text, cut in the middle if it is too long, with unprintable characters escaped."""
    text = str(label)
    if len(text) > most:
        text = f"{text[: most - most // 3]}…{text[-(most // 3) :]}"
    return text if text.isprintable() else repr(text)[1:-1]


def as_utf8(text: str | os.PathLike[str]) -> str:
    """Decode text from the system, such as a path, as UTF-8 if possible, even if the locale is ASCII only."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return str(text)


def join_labels(labels: Sequence[object], most: int = 6) -> str:
    """List the first labels on one line, and say how many more there are."""
    shown = ", ".join(printable(label, _LISTED) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def show_labels(labels: Sequence[object], width: int = 32, missing: Collection[str] = ()) -> list[str]:
    """Return labels as short strings that differ whenever the labels differ.

    Long labels are cut in the middle. Labels that start or end with a space are quoted. Characters ``missing``
    from all fonts are escaped. Labels that still look alike get a number.
    """
    enough = 4 * width  # characters to process: more than can be shown
    short = [_shorten(quoted(label, enough), width, missing) for label in labels]
    looks = [_look(text) for text in short]
    again = {look for look, times in Counter(looks).items() if times > 1}
    numbers, taken = Counter[str](), set(looks)
    return [_numbered(text, numbers, taken) if look in again else text for text, look in zip(short, looks, strict=True)]


def without_shared_prefix(labels: Sequence[object]) -> list[str]:
    """Return labels without the words that all of them start with, except the last such word."""
    texts = [str(label) for label in labels]
    shared = os.path.commonprefix(texts) if len(texts) > 1 else ""  # noqa: RUF071 - by character is meant
    words = _WORD.findall(shared)
    cut = sum(map(len, words[:-1]))
    return texts if cut < _WORTH_CUTTING else [f"… {text[cut:]}" for text in texts]


def quoted(label: object, most: int = _LISTED) -> str:
    """Return a label as text, in quotes if it is empty or starts or ends with a space; cut a long one in the middle."""
    text = printable(label, most)
    return text if text and text == text.strip() else f'"{text}"'


def _shorten(text: str, width: int, missing: Collection[str]) -> str:
    """Cut the middle out of a string, but no escape of a character that the output cannot show."""
    letters = [ascii(letter)[1:-1] if letter in missing else letter for letter in text]
    if sum(map(len, letters)) <= width:
        return "".join(letters)
    tail = (width - 1) // 3
    head, tail_letters = _fitting(letters, width - 1 - tail), _fitting(letters[::-1], tail)
    return "".join([*head, "…", *reversed(tail_letters)])


def _fitting(letters: list[str], room: int) -> list[str]:
    """Return as many of the first letters as fit into ``room`` columns."""
    ends = accumulate(map(len, letters))
    return [letter for letter, end in zip(letters, ends, strict=True) if end <= room]


def _numbered(text: str, numbers: Counter[str], taken: set[str]) -> str:
    """Append the next number that makes the string differ from all others."""
    look = _look(text)
    while True:
        numbers[look] += 1
        made = f"{text} #{numbers[look]}"
        if _look(made) not in taken:
            taken.add(_look(made))
            return made


def _look(text: str) -> str:
    """Return a string as it looks on a web page: accents composed, and runs of spaces collapsed."""
    return " ".join(normalize("NFC", text).split())


def cells(text: str) -> int:
    """Count the terminal columns of a string: two for wide characters, none for combining marks."""
    return sum(0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Pad a string with spaces to this many terminal columns."""
    blank = " " * max(0, width - cells(text))
    return blank + text if right else text + blank


def percent(share: float, beside: float | None = None) -> str:
    """Format a fraction in percent: with two decimals below 1 %, unless both would be zero; otherwise with one.

    If it would look equal to ``beside``, the number it is compared with, it gets more decimals.
    """
    if not isfinite(share):
        return "unknown"
    first = 2 if SMALLEST <= share < 0.00995 else 1
    texts = (f"{abs(100 * share):.{decimals}f}" for decimals in range(first, _MOST_DECIMALS))  # never -0.0
    if beside is None:
        return next(texts)
    other = (f"{abs(100 * beside):.{decimals}f}" for decimals in range(first, _MOST_DECIMALS))
    return next((text for text, near in zip(texts, other, strict=True) if text != near), percent(share))


def accuracy(error: float, beside: float | None = None) -> str:
    """Return the accuracy in percent, with as many decimals as the error needs next to another error."""
    told = percent(error, beside)
    return f"{100 - float(told):.{len(told.partition('.')[2])}f}"


def target_text(target: float) -> str:
    """Return a target accuracy in percent, no longer than necessary."""
    short = f"{100 * target:.6g} %"
    return short if short != "100 %" or target == 1 else f"{100 * target:.15g} %"


def span(low: float, high: float, beside: float | None = None) -> str:
    """Format two fractions as a span in percent."""
    return f"{percent(low, beside)} to {percent(high, beside)} %"


def range_text(lower: float, upper: float, beside: float | None = None) -> str:
    """Format a range in percent; if it has no lower end, format only the upper end."""
    return span(lower, upper, beside) if isfinite(lower) else f"at most {percent(upper, beside)} %"


def about(estimate: float, lower: float, upper: float, beside: float | None = None) -> str:
    """Format a best estimate with its range, in percent."""
    return f"about {percent(estimate)} % ({range_text(lower, upper, beside)})"


def number_text(number: float, n: int = 4) -> str:
    """Format a number with n digits, or with all of its digits before the point if these are more."""
    before = floor(log10(abs(number))) + 1 if number else 1
    return f"{number:,.{min(max(0, n - before), MOST_DIGITS)}f}" if before > -4 else f"{number:.{n - 1}e}"


def p_text(p_value: float) -> str:
    """Format a p-value; below 0.001, its exact size does not matter."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def chance_text(chance: float) -> str:
    """Return a probability in whole percent, as finely as it is known; it is never rounded up to the next outcome."""
    return "under 5 %" if chance < 0.05 else f"{int(100 * chance + 1e-9)} %"


def two_digits(rows: float) -> int:
    """Round a predicted number of rows to two digits: more digits would suggest too much precision."""
    return round(float(f"{rows:.1e}"))


def how_many(number: float, noun: str) -> str:
    """Format a number with its noun: 1 row, 1,797 rows."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{amount(number)} {noun if number == 1 else plural}"


def amount(number: float) -> str:
    """Format a number of rows without decimals: soft labels lead to fractional counts."""
    return f"{number:,.0f}"
