"""Find the one format that fits all numbers, booleans, dates or times of day in a text column.

A format is found from a column's distinct strings. It parses other strings by the same rules, or rejects them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._columns import is_gap, strip
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import quoted

_PAIRS = (
    *(("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"), ("nein", "ja"), ("falsch", "wahr")),
    *(("non", "oui"), ("faux", "vrai"), ("no", "si"), ("no", "sí"), ("no", "sì"), ("falso", "verdadero")),
    *(("nee", "ja"), ("não", "sim"), ("falso", "vero"), ("nej", "ja"), ("nie", "tak"), ("нет", "да")),
    *(("いいえ", "はい"), ("否", "是")),
)
_MOST_SPELLINGS = 40  # distinct spellings of yes, no and missing
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|BRL|MXN|ZAR|KRW|TRY|RUB|US|R|kr|zł|Kč|Ft|Fr"
_SIGNS = "".join(c for c in map(chr, range(0x20, 0x20C1)) if unicodedata.category(c) == "Sc")
_MONEY = rf"(?:(?:{_CODES})\.?)?[{re.escape(_SIGNS)}]?"
_SIGN = "[-+\u2212]?"
_CELL = re.compile(
    rf"(?P<open>\(?)(?P<sign>{_SIGN}) ?(?P<before>{_MONEY}) ?(?P<sign2>{_SIGN})"
    r"(?P<core>[\d.][\d., ']*(?:e[-+]?\d+)?|inf(?:inity)?)"
    rf" ?(?P<after>{_MONEY}) ?(?P<percent>%?)(?P<sign3>-?)(?P<close>\)?)",
    re.IGNORECASE | re.ASCII,
)
# Thousands and decimal marks, in the order in which they are tried.
_MARKS = (("", "."), (",", "."), ("", ","), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("'", ","))
_SHAPE = {ord(digit): "9" for digit in "12345678"}  # zeros stay, so that leading zeros can be seen
_DIGITS = 15  # longer numbers are identifiers: 64-bit floats cannot represent them


def by_shape(texts: Sequence[str], shape: Mapping[int, str]) -> dict[str, list[int]]:
    """Group strings by shape, without missing values: digits are at the same positions in strings of one shape."""
    found: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        found.setdefault(text.translate(shape), []).append(i)
    return {look: places for look, places in found.items() if not is_gap(look, among_numbers=True)}


@dataclass(frozen=True)
class BooleanFormat:
    """The words for no and yes."""

    no: str
    yes: str

    def read(self, levels: Sequence[str]) -> Floats:
        """Return 0 and 1, NaN if missing; raise ValueError for other words."""
        known = {self.no: 0.0, self.yes: 1.0}
        words = [strip(level).casefold() for level in levels]
        bad = [level for level, word in zip(levels, words, strict=True) if word not in known and not is_gap(level)]
        if bad:
            raise InputError(f"{quoted(bad[0])} is neither {self.no} nor {self.yes}")
        return np.array([known.get(word, np.nan) for word in words])

    def describe(self) -> str:
        return f"read {self.yes} and {self.no} as 1 and 0"


def boolean_format(levels: Sequence[str]) -> BooleanFormat | None:
    """Return the format of a column of yes and no, or None for any other column."""
    if len(levels) > _MOST_SPELLINGS:
        return None
    words = {strip(level).casefold() for level in levels if not is_gap(level)}
    return next((BooleanFormat(*pair) for pair in _PAIRS if words == set(pair)), None)


@dataclass(frozen=True)
class NumberFormat:
    """Numbers with these separators, in this currency or in percent."""

    thousands: str = ""
    decimal: str = "."
    money: str = ""
    percent: bool = False
    ambiguous: bool = False

    def read(self, levels: Sequence[str]) -> Floats:
        """Parse strings as numbers, NaN if missing; raise ValueError for other formats."""
        thousands = self.thousands or ("," if self.decimal == "." else ".")  # larger numbers may come later
        core = re.compile(_core(thousands, self.decimal))
        values = np.full(len(levels), np.nan)
        for shape, places in by_shape(levels, _SHAPE).items():
            cell = _cell(shape)
            if cell is None or not core.fullmatch(cell.core) or cell.money not in ("", self.money):
                raise InputError(f"{quoted(levels[places[0]])} is not a number in the same format as the other values")
            sign = -1.0 if cell.sign in ("-", "\u2212") else 1.0
            values[places] = [sign * _value(strip(levels[i][cell.span]), thousands, self.decimal) for i in places]
        return values

    def describe(self) -> str:
        marks = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
        parts = [
            *([f"amounts in {self.money}"] if self.money else []),
            *(["percent"] if self.percent else []),
            *([f"decimal {marks[self.decimal]}"] if self.decimal != "." or self.ambiguous else []),
            *([f"thousands {marks[self.thousands]}"] if self.thousands else []),
        ]
        told = f"read text as numbers{' (' * bool(parts)}{', '.join(parts)}{')' * bool(parts)}"
        return told + ", a guess because the values allow other readings" * self.ambiguous


@dataclass(frozen=True)
class _Cell:
    """The parts of a number in a string, and the position of its digits."""

    core: str
    span: slice
    money: str
    percent: bool
    sign: str


def _cell(level: str) -> _Cell | None:
    """Split a string that may be a number into its parts."""
    found = _CELL.fullmatch(strip(level))
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    signs = found["sign"] + found["sign2"] + found["sign3"] + "-" * bool(found["open"])
    if len(signs) > 1 or (found["before"] and found["after"]):
        return None
    before = len(level) - len(level.lstrip())
    span = slice(before + found.start("core"), before + found.end("core"))
    money = found["before"] or found["after"]
    return _Cell(found["core"].casefold().rstrip(), span, money, bool(found["percent"]), signs)


def may_be_number(level: str) -> bool:
    """Whether a string looks like a number in some format."""
    return _cell(level) is not None


def _core(thousands: str, decimal: str) -> str:
    """Return a pattern for the digits of a number with these separators."""
    mark, point = re.escape(thousands), re.escape(decimal)
    whole = r"\d+" if not thousands else rf"(?:\d+|[1-9]\d{{0,2}}(?:{mark}\d{{3}})+)"
    if thousands == ",":
        whole = whole[:-1] + r"|[1-9]\d?(?:,\d\d)+,\d{3})"  # as in India
    return rf"(?:(?:{whole}(?:{point}\d*)?|{point}\d+)(?:e[-+]?\d+)?|inf(?:inity)?)"


def number_format(levels: Sequence[str]) -> NumberFormat | None:
    """Find the one format in which all values of a column are numbers, or return None.

    Values with leading zeros, with more digits than a float can represent, or with a plus sign and spaces (telephone
    numbers) are identifiers, not numbers.
    """
    cells = []
    for shape in by_shape(levels, _SHAPE):
        cell = _cell(shape)
        if cell is None:
            return None
        cells.append(cell)
    if not cells or any(map(_is_name, cells)):
        return None
    money = {cell.money for cell in cells} - {""}
    percent = {cell.percent for cell in cells}
    if len(money) > 1 or len(percent) > 1:
        return None
    cores = sorted({cell.core for cell in cells})
    fits = [pair for pair in _MARKS if all(map(re.compile(_core(*pair)).fullmatch, cores))]
    if not fits:
        return None
    grouped = [pair for pair in fits if pair[0] and any(pair[0] in core for core in cores)]
    best = grouped[0] if money and grouped else fits[0]  # amounts of money do not have three decimals
    # It is a guess if another pair of marks fits all values too but gives other numbers: 1.234 may be 1234.
    read = [_value(core, *best) for core in cores]
    rival = any([_value(core, *pair) for core in cores] != read for pair in fits if pair != best)
    return NumberFormat(*best, money=next(iter(money), ""), percent=percent == {True}, ambiguous=rival)


def _value(core: str, thousands: str, decimal: str) -> float:
    plain = core.replace(thousands, "") if thousands else core
    return float(plain.replace(decimal, "."))


def _is_name(cell: _Cell) -> bool:
    """Whether a cell of digits is rather a name, such as a telephone number."""
    whole = re.sub(r"[ '].*", "", cell.core)
    leading = len(whole) > 1 and whole[0] == "0" and whole[1].isdigit()
    return leading or (cell.sign == "+" and " " in cell.core) or (cell.core.isdigit() and len(cell.core) > _DIGITS)


Moments = NDArray[np.datetime64]

_MONTHS = (
    *(("jan",), ("feb", "fév", "fev"), ("mar", "mär", "mrz", "maa"), ("apr", "avr", "abr"), ("may", "mai", "mei")),
    *(("jun", "juin"), ("jul", "juil"), ("aug", "aoû", "ago"), ("sep", "set"), ("oct", "okt", "out"), ("nov",)),
    ("dec", "dez", "déc", "dic"),
)
_NUMBER_OF_MONTH = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
# Patterns of shapes, in which every digit is a 9.
_CLOCK = (
    r"(?P<hour>9{1,2}):(?P<minute>9{2})(?::(?P<second>9{2})(?:[.,](?P<fraction>9{1,9}))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?: ?(?P<zone>z|utc|gmt|[-+]9{2}:?9{2}))?"
_TIME = rf"(?:(?:,? |t){_CLOCK}{_ZONE})?"
_WEEKDAY = r"(?:[^\W\d]{2,10}\.?,? )?"
_DAY = r"(?P<day>9{1,2})(?:\.|st|nd|rd|th)?"
_WORD = r"(?P<word>[^\W\d]{3,9})\.?"
_LAYOUTS = {
    "iso": rf"(?P<year>9{{4}})(?P<mark>[-/.])(?P<month>9{{1,2}})(?P=mark)(?P<day>9{{1,2}}){_TIME}",
    "month": r"(?P<year>9{4})-(?P<month>9{2})",
    "numbers": rf"(?P<first>9{{1,2}})(?P<mark>[-/.])(?P<then>9{{1,2}})(?P=mark)(?P<year>9{{4}}|9{{2}}){_TIME}",
    "words": rf"{_WEEKDAY}{_DAY}[- /]?{_WORD},?[- /]?(?P<year>9{{4}}){_TIME}",
    "words first": rf"{_WEEKDAY}{_WORD} {_DAY},? (?P<year>9{{4}}){_TIME}",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _LAYOUTS.items()}
_TIME_OF_DAY = re.compile(_CLOCK)
SHAPE = {ord(digit): "9" for digit in "012345678"}  # every digit becomes a 9


@dataclass(frozen=True)
class DateFormat:
    """Dates in one layout; in dates of three numbers, either the day or the month comes first."""

    layout: str
    day_first: bool = True
    one_zone: bool = True
    ambiguous: bool = False

    def read(self, levels: Sequence[str]) -> Moments:
        """Parse strings as datetimes, NaT if missing; raise ValueError for other formats."""
        clean = _clean(levels)
        parts = np.zeros((len(levels), 4), dtype=np.int64)
        for shape, places in by_shape(clean, SHAPE).items():
            found = _PATTERNS[self.layout].fullmatch(shape)
            if found is None:
                raise InputError(f"{quoted(levels[places[0]])} is not a date in the same format as the other values")
            parts[places] = _parts(self, _Digits(found, [clean[i] for i in places]))
        return _moments(parts, levels)

    def describe(self) -> str:
        if self.layout != "numbers":
            return "read text as dates"
        told = f"read text as dates, {'day' if self.day_first else 'month'} first"
        return told + ", a guess because the values allow other readings" * self.ambiguous


def _clean(levels: Sequence[str]) -> list[str]:
    return [" ".join(strip(level).casefold().split()) for level in levels]


class _Digits:
    """The numbers in strings of one shape; their positions are the same in all strings."""

    def __init__(self, found: re.Match[str], texts: Sequence[str]) -> None:
        self.found = found
        self.has = found.groupdict()
        self._letters = np.array(texts).view(np.uint32).reshape(len(texts), -1)

    def number(self, part: str, *, start: int = 0, end: int | None = None) -> Ints:
        """Return the number in one part of each string, or 0 if there is no such part."""
        if not self.has.get(part):
            return np.zeros(len(self._letters), dtype=np.int64)
        first, last = self.found.span(part)
        digits = self._letters[:, first + start : last if end is None else first + end].astype(np.int64) - ord("0")
        return digits @ 10 ** np.arange(digits.shape[1])[::-1]


def _parts(form: DateFormat, cell: _Digits) -> Ints:
    """Return year, month, day and microseconds since midnight for each string; month 13 marks an invalid one."""
    year = cell.number("year")
    if len(cell.has["year"]) == 2:
        year += np.where(year >= 69, 1900, 2000)
    if form.layout == "numbers":
        day, month = (cell.number(part) for part in (("first", "then") if form.day_first else ("then", "first")))
    else:
        day = cell.number("day") + (not cell.has.get("day"))
        word = cell.has.get("word")
        month = cell.number("month") if word is None else np.full(len(day), _NUMBER_OF_MONTH.get(word[:3], 13))
    clock = _microseconds(cell) if cell.has.get("hour") else np.zeros(len(day), dtype=np.int64)
    zone = 0 if form.one_zone else _offset(cell)
    return np.column_stack([year, np.where((clock < 0) | (month < 1), 13, month), day, clock - zone])


def _microseconds(cell: _Digits) -> Ints:
    """Return microseconds since midnight, or -1 for an invalid time."""
    hour, minute, second = (cell.number(part) for part in ("hour", "minute", "second"))
    half, fraction = cell.has["half"], cell.has["fraction"] or ""
    wrong = (hour > (12 if half else 23)) | (minute > 59) | (second > 60) | ((hour == 0) & bool(half))
    if half:
        hour = hour % 12 + 12 * (half == "p")
    parts = cell.number("fraction", end=min(6, len(fraction))) * 10 ** max(0, 6 - len(fraction))
    return np.where(wrong, -1, ((hour * 60 + minute) * 60 + second) * 1_000_000 + parts)


def _offset(cell: _Digits) -> Ints:
    """Return the microseconds by which the time zone is ahead of UTC."""
    zone = cell.has.get("zone") or ""
    if zone[:1] not in ("+", "-"):
        return cell.number("")
    minutes = cell.number("zone", start=1, end=3) * 60 + cell.number("zone", start=len(zone) - 2)
    return (minutes if zone[0] == "+" else -minutes) * 60_000_000


def _moments(parts: Ints, levels: Sequence[str]) -> Moments:
    """Combine year, month, day and microseconds into datetimes; raise ValueError for days that do not exist."""
    year, month, day, clock = parts.T
    gap = month == 0
    months = ((year - 1970) * 12 + np.clip(month, 1, 12) - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    wrong = ~gap & ((month > 12) | (day < 1) | (days.astype("datetime64[M]") != months))
    if wrong.any():
        raise InputError(f"{quoted(levels[int(wrong.argmax())])} is not a day in the calendar")
    moments: Any = days.astype("datetime64[us]") + clock.astype("timedelta64[us]")
    moments[gap] = np.datetime64("NaT")
    return moments


def date_format(levels: Sequence[str]) -> DateFormat | None:
    """Find the one format in which all values of a column are dates, or return None."""
    clean = _clean(levels)
    shapes = by_shape(clean, SHAPE)
    layouts = (name for name, pattern in _PATTERNS.items() if shapes and all(map(pattern.fullmatch, shapes)))
    layout = next(layouts, None)
    if layout is None:
        return None
    cells = [_Digits(found, [clean[i] for i in shapes[s]]) for s in shapes if (found := _PATTERNS[layout].fullmatch(s))]
    one_zone = len(np.unique(np.concatenate([_offset(cell) for cell in cells]))) == 1
    day_first, ambiguous = _which_first(cells) if layout == "numbers" else (True, False)
    form = DateFormat(layout, day_first, one_zone, ambiguous)
    try:
        form.read(levels)
    except ValueError:
        return None
    return form


def may_be_date(level: str) -> bool:
    """Whether a string looks like a date in some format."""
    shape = _clean([level])[0].translate(SHAPE)
    return any(pattern.fullmatch(shape) for pattern in _PATTERNS.values())


def _which_first(cells: Sequence[_Digits]) -> tuple[bool, bool]:
    """Return whether the day comes first, and whether this is a guess because the values do not show it.

    A number above 12 is a day. If there is none, times with am and pm are American and put the month first; all
    others put the day first.
    """
    if max(cell.number("first").max() for cell in cells) > 12:
        return True, False
    if max(cell.number("then").max() for cell in cells) > 12:
        return False, False
    return all(cell.has["half"] is None for cell in cells), True


@dataclass(frozen=True)
class TimeFormat:
    """Times of day."""

    def read(self, levels: Sequence[str]) -> Floats:
        """Parse strings as hours since midnight, NaN if missing; raise ValueError for other formats."""
        clean = _clean(levels)
        hours = np.full(len(levels), np.nan)
        for shape, places in by_shape(clean, SHAPE).items():
            found = _TIME_OF_DAY.fullmatch(shape)
            clock = _microseconds(_Digits(found, [clean[i] for i in places])) if found else np.full(len(places), -1)
            if clock.min() < 0:
                odd = quoted(levels[places[int(clock.argmin())]])
                raise InputError(f"{odd} is not a time of day in the same format as the other values")
            hours[places] = clock / 3.6e9
        return hours

    def describe(self) -> str:
        return "read text as times of day, in hours"


def time_format(levels: Sequence[str]) -> TimeFormat | None:
    """Return the format of a column of times of day, or None for any other column."""
    try:
        hours = TimeFormat().read(levels)
    except ValueError:
        return None
    return None if np.isnan(hours).all() else TimeFormat()


def may_be_time(level: str) -> bool:
    """Whether a string looks like a time of day."""
    return _TIME_OF_DAY.fullmatch(_clean([level])[0].translate(SHAPE)) is not None
