"""Base classes for results: a short repr, a notebook view, plain values and a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from html import escape
from reprlib import repr as repr_short
from textwrap import wrap
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from bayesfloor.support._errors import InputTypeError, MissingPackageError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import quoted, show_labels

_LINES, _WIDTH = 12, 100  # of a repr
_ROWS = 10  # of a table in a notebook


class Shown:
    """Base class with a repr of a few lines and a notebook view."""

    def __repr__(self) -> str:
        text = f"{type(self).__name__}({self._summary()})"
        lines = wrap(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False, max_lines=_LINES, placeholder=" …")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>{_table(self._columns())}"

    def _summary(self) -> str:
        """Return the part of the repr inside the parentheses."""
        raise NotImplementedError

    def _columns(self) -> dict[str, Any]:
        """Return the columns of the table, or an empty dict if there is no table."""
        return {}


class Tabled:
    """Base class for dataclasses that can be converted to a table and to plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects, ready for JSON."""
        return {name: plain(value) for name, value in _values(self).items()}

    def frame(self) -> Any:
        """Return the result as a pandas data frame."""
        return make_frame(self._columns())

    def _columns(self) -> dict[str, Any]:
        """Return one table row per array entry, or a single row if all values are scalars."""
        values = _values(self).items()
        return {name: value if isinstance(value, np.ndarray) else [value] for name, value in values}


class Result(Tabled, Shown):
    """Base class for frozen result dataclasses; fields with ``repr=False`` stay private."""

    def _summary(self) -> str:
        return ", ".join(f"{name}={_cell(value, cut=False)}" for name, value in _values(self).items())


def make_frame(columns: dict[str, Any]) -> Any:
    """Return columns as a pandas data frame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingPackageError("frame() needs pandas: pip install pandas, or use to_dict() instead.") from error
    return pd.DataFrame(columns)


def plain(value: Any) -> Any:
    """Convert a value to a JSON type; NaN and infinity become None."""
    if isinstance(value, Tabled):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()] if value.ndim else plain(value.item())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    item = value.item() if isinstance(value, np.generic) else value
    return item if item is None or isinstance(item, (str, int)) else str(item)


def _values(result: Any) -> dict[str, Any]:
    return {item.name: getattr(result, item.name) for item in fields(result) if item.repr}


def _table(columns: dict[str, Any]) -> str:
    """Render a table's first rows as HTML, with the number of remaining rows; empty if there are no columns."""
    if not columns:
        return ""
    lines = zip(*(values[:_ROWS] for values in columns.values()), strict=True)
    body = "".join(_line("td", [_cell(value) for value in line]) for line in lines)
    left = len(next(iter(columns.values()))) - _ROWS
    more = f"<p>... and {left:,} more</p>" if left > 0 else ""
    return f"<table><thead>{_line('th', columns)}</thead><tbody>{body}</tbody></table>{more}"


def _line(tag: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"


def _cell(value: Any, *, cut: bool = True) -> str:
    """Return a value as text that is safe to print and, by default, short."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return show_labels([value])[0] if cut else quoted(value)


Made = TypeVar("Made")

_PLAIN: dict[Any, Any] = {float: (int, float), int: int, str: str, bool: bool, Any: (str, int, float)}
_UNLIMITED = ("Floor.dimension", "Floor._degrees", "OneVsRestFloor._degrees")  # null is infinity there, NaN elsewhere


def store(value: Any) -> Any:
    """Return plain values from which ``restore`` makes the same result, private fields included."""
    if is_dataclass(value):
        return {item.name.lstrip("_"): store(getattr(value, item.name)) for item in _stored(type(value))}
    return [store(item) for item in value] if isinstance(value, (list, tuple)) else plain(value)


def restore(kind: type[Made], given: dict[str, Any], **known: Any) -> Made:
    """Make a result, and the results inside it, from what ``store`` returned; ``known`` fields are taken as given."""
    values, types = dict(known), _types(kind)  # type: ignore[arg-type]
    for item in _stored(kind):
        if item.name not in known:
            name = f"{kind.__name__}.{item.name}"
            values[item.name] = _read(types[item.name], given[item.name.lstrip("_")], name)
    # Columns have one entry per row or class, and matrices one per pair of classes.
    if len({size for value in values.values() if isinstance(value, np.ndarray) for size in value.shape}) > 1:
        raise InputTypeError(f"columns of {kind.__name__} differ in length")
    return kind(**values)


def _stored(kind: Any) -> list[Any]:
    """Return the fields to store: hidden ones with a default can be done without."""
    return [item for item in fields(kind) if item.repr or (item.default, item.default_factory) == (MISSING, MISSING)]


@cache  # finding types is the slowest step
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: Any, name: str) -> Any:
    """Convert a plain value to the type of a field."""
    if isinstance(kind, UnionType):
        return None if value is None else _read(get_args(kind)[0], value, name)
    if is_dataclass(kind):
        return restore(kind, value)  # type: ignore[arg-type]
    if kind is np.ndarray or get_origin(kind) is np.ndarray or (kind is Any and isinstance(value, list)):
        return _read_array(kind, value, name)
    if get_origin(kind) is not None:
        return _read_collection(kind, value, name)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if value is None and kind in (float, Any):
        return np.inf if name in _UNLIMITED else np.nan
    odd = (isinstance(value, bool) and kind not in (bool, Any)) or (kind is int and value < 0)
    if not isinstance(value, _PLAIN[kind]) or odd:
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return value


def _read_collection(kind: Any, value: Any, name: str) -> Any:
    """Convert to a tuple, list or dict whose items all have one type."""
    whole, inside = get_origin(kind), get_args(kind)
    if whole is dict and isinstance(value, dict):
        return {key: _read(inside[1], item, name) for key, item in value.items()}
    so_many = whole is tuple and inside[-1] is not ...
    if whole is dict or not isinstance(value, list) or (so_many and len(value) != len(inside)):
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return whole(_read(inside[0], item, name) for item in value)


def _read_array(kind: Any, value: Any, name: str) -> np.ndarray:
    """Convert a list to an array: of floats, whole numbers, or whatever is in it."""
    made = np.array(value, dtype=np.float64 if kind == Floats else None)
    if kind is Any and made.dtype == object:  # numbers, some of them missing
        made = made.astype(np.float64)
    if kind == Ints:
        made = made.astype(np.int64, casting="safe" if made.size else "unsafe")
    odd = made.dtype == object and not all(isinstance(item, (str, int, float)) for item in made.ravel())
    if not isinstance(value, list) or odd:
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return made
