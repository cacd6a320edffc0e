"""How a column of texts writes dates and times of day: decided once, from all its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._text import quoted
from bayesfloor.io._columns import Floats
from bayesfloor.io._formats import is_gap, strip

Moments = NDArray[np.datetime64]

_MONTHS = (
    *(("jan",), ("feb", "fév", "fev"), ("mar", "mär", "mrz", "maa"), ("apr", "avr", "abr"), ("may", "mai", "mei")),
    *(("jun", "juin"), ("jul", "juil"), ("aug", "aoû", "ago"), ("sep", "set"), ("oct", "okt", "out"), ("nov",)),
    ("dec", "dez", "déc", "dic"),
)
_NUMBER_OF_MONTH = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?: ?(?P<zone>z|utc|gmt|[-+]\d{2}:?\d{2}))?"
_TIME = rf"(?:(?:,? |t){_CLOCK}{_ZONE})?"
_WEEKDAY = r"(?:[^\W\d]{2,10}\.?,? )?"
_DAY = r"(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?"
_WORD = r"(?P<word>[^\W\d]{3,9})\.?"
_LAYOUTS = {
    "iso": rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_TIME}",
    "month": r"(?P<year>\d{4})-(?P<month>\d{2})",
    "numbers": rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}}){_TIME}",
    "words": rf"{_WEEKDAY}{_DAY}[- /]?{_WORD},?[- /]?(?P<year>\d{{4}}){_TIME}",
    "words first": rf"{_WEEKDAY}{_WORD} {_DAY},? (?P<year>\d{{4}}){_TIME}",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _LAYOUTS.items()}
_TIME_OF_DAY = re.compile(_CLOCK)


@dataclass(frozen=True)
class DateFormat:
    """Dates in one layout; where they are three numbers, with the day or the month first."""

    layout: str
    day_first: bool = True
    one_zone: bool = True
    ambiguous: bool = False

    def read(self, levels: Sequence[str]) -> Moments:
        """The moments, NaT where missing; ValueError of what is written otherwise."""
        found = [None if is_gap(x, among_numbers=True) else _match(self.layout, x) or x for x in levels]
        bad = [cell for cell in found if isinstance(cell, str)]
        if bad:
            raise ValueError(f"{quoted(bad[0])} is not a date as the others are written")
        parts = np.array([_parts(self, cell) for cell in found if not isinstance(cell, str)], dtype=np.int64)
        return _moments(parts.reshape(-1, 4), levels)

    def describe(self) -> str:
        """What was done, for people."""
        if self.layout != "numbers":
            return "read texts as dates"
        told = f"read texts as dates, {'day' if self.day_first else 'month'} first"
        return told + ", which the values leave open" * self.ambiguous


def _match(layout: str, level: str) -> dict[str, str | None] | None:
    found = _PATTERNS[layout].fullmatch(" ".join(strip(level).casefold().split()))
    return None if found is None else found.groupdict()


def _parts(form: DateFormat, cell: dict[str, str | None] | None) -> tuple[int, int, int, int]:
    """Year, month, day and microseconds since midnight; month 0 where missing, 13 where there is none."""
    if cell is None:
        return 0, 0, 0, 0
    if form.layout == "numbers":
        numbers = [int(cell["first"] or 0), int(cell["second_"] or 0)]
        day, month = numbers if form.day_first else numbers[::-1]
    else:
        day = int(cell.get("day") or 1)
        month = _NUMBER_OF_MONTH.get((cell["word"] or "")[:3], 13) if "word" in cell else int(cell["month"] or 0)
    year = int(cell["year"] or 0)
    if len(cell["year"] or "") == 2:
        year += 1900 if year >= 69 else 2000
    clock = _microseconds(cell) if cell.get("hour") else 0
    zone = 0 if form.one_zone else _offset(cell.get("zone"))
    return year, month if clock >= 0 and month else 13, day, clock - zone


def _microseconds(cell: dict[str, str | None]) -> int:
    """Microseconds since midnight; -1 where no clock shows that."""
    hour, minute, second = (int(cell[part] or 0) for part in ("hour", "minute", "second"))
    if hour > (12 if cell["half"] else 23) or minute > 59 or second > 60 or (cell["half"] and not hour):
        return -1
    if cell["half"]:
        hour = hour % 12 + 12 * (cell["half"] == "p")
    fraction = int(((cell["fraction"] or "") + "000000")[:6])
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction


def _offset(zone: str | None) -> int:
    """Microseconds by which a clock is ahead of UTC."""
    if not zone or zone[0] not in "+-":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (minutes if zone[0] == "+" else -minutes) * 60_000_000


def _moments(parts: NDArray[np.int64], levels: Sequence[str]) -> Moments:
    """Moments of years, months, days and microseconds; ValueError of days that no calendar has."""
    year, month, day, clock = parts.T
    gap = month == 0
    months = ((year - 1970) * 12 + np.clip(month, 1, 12) - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    wrong = ~gap & ((month > 12) | (day < 1) | (days.astype("datetime64[M]") != months))
    if wrong.any():
        raise ValueError(f"{quoted(levels[int(wrong.argmax())])} is not in the calendar")
    moments: Any = days.astype("datetime64[us]") + clock.astype("timedelta64[us]")
    moments[gap] = np.datetime64("NaT")
    return moments


def date_format(levels: Sequence[str]) -> DateFormat | None:
    """The one format in which all values of a column are dates; None where there is none."""
    given = [level for level in levels if not is_gap(level, among_numbers=True)]
    if not given:
        return None
    layout = next((name for name in _PATTERNS if _match(name, given[0])), None)
    if layout is None:
        return None
    cells = []
    for level in given:
        cell = _match(layout, level)
        if cell is None:
            return None
        cells.append(cell)
    one_zone = len({_offset(cell.get("zone")) for cell in cells}) == 1
    form = DateFormat(layout, one_zone=one_zone)
    if layout == "numbers":
        day_first, ambiguous = _which_first(cells)
        form = DateFormat(layout, day_first, one_zone, ambiguous)
    try:
        form.read(given)
    except ValueError:
        return None
    return form


def _which_first(cells: Sequence[dict[str, str | None]]) -> tuple[bool, bool]:
    """Whether the day comes first, and whether the values leave that open.

    A number above 12 is a day. Where there is none, a clock with am and pm is American, month first; all others
    put the day first.
    """
    if max(int(cell["first"] or 0) for cell in cells) > 12:
        return True, False
    if max(int(cell["second_"] or 0) for cell in cells) > 12:
        return False, False
    return all(cell["half"] is None for cell in cells), True


@dataclass(frozen=True)
class TimeFormat:
    """Times of day."""

    def read(self, levels: Sequence[str]) -> Floats:
        """Hours since midnight, NaN where missing; ValueError of what is written otherwise."""
        return np.array([np.nan if is_gap(x, among_numbers=True) else _hours(x) for x in levels])

    def describe(self) -> str:
        """What was done, for people."""
        return "read texts as times of day, in hours"


def _hours(level: str) -> float:
    found = _TIME_OF_DAY.fullmatch(strip(level).casefold())
    clock = _microseconds(found.groupdict()) if found else -1
    if clock < 0:
        raise ValueError(f"{quoted(level)} is not a time of day as the others are written")
    return clock / 3.6e9


def time_format(levels: Sequence[str]) -> TimeFormat | None:
    """The format of a column of times of day; None of any other."""
    try:
        hours = TimeFormat().read(levels)
    except ValueError:
        return None
    return None if np.isnan(hours).all() else TimeFormat()
