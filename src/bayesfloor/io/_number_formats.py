"""Find the one format that fits all numbers or booleans in a text column.

A format is found from a column's distinct strings. It parses other strings by the same rules, or rejects them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._show import quoted
from bayesfloor.engine._types import Floats
from bayesfloor.io._missing_values import is_gap, strip

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
    """Group strings by shape: strings with digits at the same positions have the same shape."""
    found: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        found.setdefault(text.translate(shape), []).append(i)
    return found


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
        """Describe in words what was done."""
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
            if is_gap(shape, among_numbers=True):
                continue
            cell = _cell(shape)
            if cell is None or not core.fullmatch(cell.core) or cell.money not in ("", self.money):
                raise InputError(f"{quoted(levels[places[0]])} is not a number in the same format as the other values")
            sign = -1.0 if cell.negative else 1.0
            values[places] = [sign * _value(strip(levels[i][cell.span]), thousands, self.decimal) for i in places]
        return values

    def describe(self) -> str:
        """Describe in words what was done."""
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
    negative: bool
    plus: bool


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
    return _Cell(
        core=found["core"].casefold().rstrip(),
        span=span,
        money=money,
        percent=bool(found["percent"]),
        negative=signs in ("-", "\u2212"),
        plus=signs == "+",
    )


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
        if is_gap(shape, among_numbers=True):
            continue
        cell = _cell(shape)
        if cell is None:
            return None
        cells.append(cell)
    if not cells or any(_is_name(cell) for cell in cells):
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
    read = [_value(core, *best) for core in cores]
    rival = any([_value(core, *pair) for core in cores] != read for pair in fits if pair != best)
    return NumberFormat(*best, money=next(iter(money), ""), percent=percent == {True}, ambiguous=rival)


def _value(core: str, thousands: str, decimal: str) -> float:
    """Return the value of digits with these separators."""
    plain = core.replace(thousands, "") if thousands else core
    return float(plain.replace(decimal, "."))


def _is_name(cell: _Cell) -> bool:
    whole = re.sub(r"[ '].*", "", cell.core)
    leading = len(whole) > 1 and whole[0] == "0" and whole[1].isdigit()
    return leading or (cell.plus and " " in cell.core) or (cell.core.isdigit() and len(cell.core) > _DIGITS)
