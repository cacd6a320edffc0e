"""The columns of any data in one form: numbers, booleans, text, dates, times, durations or lists."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._data import Data, checked_array
from bayesfloor.io._messages import arrow, stack_lists
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import quoted

# MISSING applies to all columns. The larger set applies only if all other values of the column are numbers or dates.
MISSING = frozenset({"", "?", "??", "n/a", "#n/a", "na", "<na>", "nan", "null", "(null)", "#null!", "-", "--", "\\n"})
_MISSING_AMONG_NUMBERS = MISSING | {
    *("none", "nil", "missing", "unknown", "undefined", "n.a.", "k.a.", "k. a.", "nat", ".", "..", "...", "*"),
    *("\u2013", "\u2014", "#div/0!", "#value!", "#ref!", "#num!", "#nv"),
    *("not available", "not applicable", "keine angabe", "unbekannt"),
}
_BLANKS = {ord(c): " " for c in "\u00a0\u202f\u2009\u2007"} | {ord("\u2019"): "'"}


def strip(text: str) -> str:
    """Strip spaces around a string, and replace special spaces inside it with plain ones."""
    return text.strip() if text.isascii() else text.translate(_BLANKS).strip()


def is_gap(text: str, *, among_numbers: bool = False) -> bool:
    """Whether a string means a missing value."""
    return strip(text).casefold() in (_MISSING_AMONG_NUMBERS if among_numbers else MISSING)


_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Values:
    """One column in the common form."""

    name: str
    kind: str  # "number", "boolean", "text", "date" (datetimes), "time", "duration" or "list"
    data: NDArray[Any]  # (n,) numbers, datetimes, or indices of strings (-1 if missing); (n, k) numbers from lists
    levels: tuple[str, ...] = field(default=(), repr=False)  # the distinct strings in a text column, sorted
    bare: bool = False  # whether it comes from a numeric array, whose columns are always numbers

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have a missing value."""
        if self.kind == "text":
            return np.asarray(self.data < 0)
        if self.kind == "date":
            return np.asarray(np.isnat(self.data))
        gaps = np.isnan(self.data)
        return np.asarray(gaps.any(axis=1) if gaps.ndim == 2 else gaps)

    @cached_property
    def counts(self) -> Ints:
        """Number of rows with each string."""
        return np.bincount(self.data[self.data >= 0], minlength=len(self.levels))

    def as_texts(self) -> Values:
        """Return the column as text, with whole numbers written without a decimal point."""
        if self.kind == "text":
            return self
        values = [int(v) if isinstance(v, float) and v.is_integer() else v for v in self.data.tolist()]
        return texts(self.name, [None if gap else str(v) for v, gap in zip(values, self.missing, strict=True)])


def texts(name: str, values: Sequence[str | None]) -> Values:
    """Make a text column; strings are sorted as if followed by "|", to keep the order of indicators stable."""
    found: dict[str | None, int] = {None: -1}
    codes = np.array([found.setdefault(value, len(found) - 1) for value in values], dtype=np.int64)
    del found[None]
    return _coded(name, [level for level in found if level is not None], codes)


def _coded(name: str, found: list[str], codes: Any) -> Values:
    """Make a text column of distinct strings and the index of each row's string; -1 if it is missing."""
    order = sorted(range(len(found)), key=lambda i: found[i] + "|")
    rank = np.empty(len(found) + 1, dtype=np.int64)
    rank[order] = np.arange(len(found))
    rank[-1] = -1
    return Values(name, "text", rank[codes], tuple(found[i] for i in order))


def as_gaps(values: Values, gaps: Sequence[bool]) -> Values:
    """Return a text column with some of its distinct strings treated as missing."""
    if not any(gaps):
        return values
    rank = np.cumsum(~np.array(gaps)) - 1
    rank[np.array(gaps)] = -1
    kept = tuple(level for level, gap in zip(values.levels, gaps, strict=True) if not gap)
    return Values(values.name, "text", np.where(values.data < 0, -1, rank[values.data]), kept)


def take_rows(values: Values, rows: Ints) -> Values:
    """Return a column of these rows only, with the strings that occur among them."""
    part = Values(values.name, values.kind, values.data[rows], values.levels, values.bare)
    return as_gaps(part, (part.counts == 0).tolist()) if part.levels else part


def read_all(data: Data) -> list[Values]:
    """Return all feature columns in the common form; a large sparse matrix is refused."""
    if data.form == "frame":
        return list(map(read_column, data.X.iter_columns()))
    is_numeric = data.X.dtype.kind not in "OUSMm"
    values = checked_array(data.X, dtype=np.float64 if is_numeric else None, order="C", ensure_all_finite=False)
    if is_numeric:
        return [Values(f"x{j}", "number", column, bare=True) for j, column in enumerate(values.T)]
    return [read_list(f"x{j}", column.tolist()) for j, column in enumerate(values.T)]


def read_column(column: Any) -> Values:
    """Return a column of a narwhals frame in the common form."""
    name, kind = str(column.name), str(column.dtype)
    if column.dtype.is_numeric() and not kind.startswith("Decimal"):
        return Values(name, "number", np.array(column.to_numpy(), dtype=np.float64))
    if kind == "Date" or (kind.startswith("Datetime") and column.dtype.time_zone is None):
        moments = column.to_numpy()
        if moments.dtype.kind == "M":
            return Values(name, "date", moments.astype("datetime64[us]"))
    if kind.startswith(("List(", "Array(")) and (block := _stack(column)) is not None:
        return Values(name, "list", block)
    if kind == "String" and column.implementation.is_pyarrow() and column.null_count() < len(column):
        coded = column.to_native().dictionary_encode().combine_chunks()
        return _coded(name, coded.dictionary.to_pylist(), coded.indices.fill_null(-1).to_numpy())
    if kind == "String" and (found := column.to_numpy()).dtype == object:  # faster than column.to_list
        return read_list(name, found.tolist())
    return read_list(name, column.to_list())


def _stack(column: Any) -> Floats | None:
    """Stack the lists of a column as a matrix without creating Python objects; return None if that is impossible."""
    if find_spec("pyarrow") is None:
        return None
    native = column.to_native()
    lists = native if hasattr(native, "chunks") else column.to_arrow()
    block = stack_lists(lists if hasattr(lists, "chunks") else arrow().chunked_array([lists]))
    return None if block is None else block.astype(np.float64, copy=False)


def read_list(name: str, values: Sequence[Any]) -> Values:
    """Return Python values of any types as a column in the common form."""
    types = set(map(type, values))
    has_numbers = float in types and any(value == value for value in values if isinstance(value, float))  # noqa: PLR0124
    if types <= {str, type(None), float} and str in types and not has_numbers:
        return texts(name, [value if isinstance(value, str) else None for value in values])
    gaps = [is_missing(value) for value in values]
    kinds = {_kind(type(value)) for value, gap in zip(values, gaps, strict=True) if not gap}
    if not kinds:
        return Values(name, "number", np.full(len(values), np.nan))
    kind = kinds.pop() if len(kinds) == 1 else "number" if kinds == {"number", "boolean"} else "text"
    if kind == "list":
        return Values(name, kind, _read_lists(name, values, gaps))
    if kind == "struct":
        raise InputError(
            f"Got structures in column {quoted(name)}, but expected one value per row. "
            "Unpack them into several columns, or drop the column."
        )
    if kind == "text":
        given = (each.decode(errors="backslashreplace") if isinstance(each, bytes) else each for each in values)
        return texts(name, [None if gap else f"{value}" for value, gap in zip(given, gaps, strict=True)])
    turn, missing, dtype = _TURNS[kind]
    data = [missing if gap else turn(value) for value, gap in zip(values, gaps, strict=True)]
    return Values(name, kind, np.array(data, dtype=dtype))


def _kind(kind: type) -> str:
    return next((name for name, types in _KINDS if issubclass(kind, types)), "text")


def _as_moment(value: Any) -> np.datetime64:
    """Return a date or datetime in its own local time."""
    plain = value.replace(tzinfo=None) if getattr(value, "tzinfo", None) is not None else value
    return np.datetime64(plain.isoformat() if isinstance(plain, dt.date) else plain).astype("datetime64[us]")


def _as_hours(value: dt.time) -> float:
    return (((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond) / 3.6e9


def _as_days(value: Any) -> float:
    exact = value.to_timedelta64() if hasattr(value, "to_timedelta64") else np.timedelta64(value)
    return float(exact.astype("timedelta64[us]") / _DAY)


_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("duration", (dt.timedelta, np.timedelta64)),  # before numbers: NumPy counts its durations as numbers
    ("boolean", (bool, np.bool_)),
    ("number", (int, float, Decimal, np.number)),
    ("date", (dt.date, np.datetime64)),  # Python's datetimes are dates too
    ("time", (dt.time,)),
    ("list", (list, tuple, np.ndarray)),
    ("struct", (dict,)),
)
_TURNS: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "boolean": (float, np.nan, "float64"),
    "number": (float, np.nan, "float64"),
    "date": (_as_moment, np.datetime64("NaT"), "datetime64[us]"),
    "time": (_as_hours, np.nan, "float64"),
    "duration": (_as_days, np.nan, "float64"),
}


def _read_lists(name: str, values: Sequence[Any], gaps: Sequence[bool]) -> Floats:
    """Return lists of numbers, all of the same length, as a matrix; missing lists become NaN."""
    width = next(len(value) for value, gap in zip(values, gaps, strict=True) if not gap)
    none = np.full(width, np.nan)
    try:
        rows = [none if gap else np.asarray(v, dtype=np.float64) for v, gap in zip(values, gaps, strict=True)]
        block = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        block = np.empty(0)
    if block.ndim != 2 or not width:
        raise InputError(
            f"Got lists in column {quoted(name)} that are empty, differ in length or do not contain only numbers, "
            "but expected the same number of values in every row."
        )
    return block


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, or anything else that differs from itself or cannot be compared."""
    if value is None:
        return True
    if isinstance(value, (str, bytes, list, tuple, dict, np.ndarray)):
        return False
    try:
        return bool(value != value)  # noqa: PLR0124
    except (ArithmeticError, TypeError, ValueError):  # a signalling Decimal cannot be compared
        return True
