"""Base classes for results: a short repr, a notebook view, plain values and a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
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
# What null means in fields where a number may be missing.
_NULL = dict.fromkeys(("Floor.dimension", "Floor._degrees", "OneVsRestFloor._degrees"), np.inf)
_NULL |= dict.fromkeys((f"Floor.{name}" for name in ("bias", "limit", "limit_std_error", "std_error")), np.nan)
_NULL |= dict.fromkeys(("Floor.tie_spread", "Answer.lower", "GapLines.lower", "MergeStep.lower"), np.nan)
_NULL |= dict.fromkeys((f"TooGood.{name}" for name in ("floor_p_value", "best_error", "best_p_value")), np.nan)


def restore(kind: type[Made], given: dict[str, Any], **known: Any) -> Made:
    """Restore a result, and the results inside it, from plain values; ``known`` fields are taken as they are."""
    values, types = dict(known), _types(kind)  # type: ignore[arg-type]
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name not in known:
            name = f"{kind.__name__}.{item.name}"
            values[item.name] = read(types[item.name], given[item.name.lstrip("_")], name)
    columns = {len(value) for value in values.values() if isinstance(value, np.ndarray)}
    if len(columns) > 1 and kind.__name__ != "ClassTree":  # it has columns for classes and for nodes
        raise InputTypeError(f"columns of {kind.__name__} differ in length")
    return kind(**values)


@cache
def _types(kind: type) -> dict[str, Any]:
    """Return the types of a result's fields; cached, because finding them is the slowest step."""
    return get_type_hints(kind)


def read(kind: Any, value: Any, name: str) -> Any:
    """Convert a plain value to the type of a field."""
    if kind is np.ndarray or get_origin(kind) is np.ndarray:
        if name == "Curve.measured":
            return _flat(value, np.bool_)
        return floats(value) if kind == Floats else _flat(value, np.int64 if kind == Ints else None)
    if isinstance(kind, UnionType):
        return None if value is None else read(get_args(kind)[0], value, name)
    if is_dataclass(kind):
        return restore(kind, value)  # type: ignore[arg-type]
    if get_origin(kind) is not None:
        return _collection(kind, value, name)
    if value is None and name in _NULL:
        return _NULL[name]
    if not isinstance(value, _PLAIN[kind]) or (isinstance(value, bool) and kind not in (bool, Any)):
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return value


def _collection(kind: Any, value: Any, name: str) -> Any:
    """Convert to a tuple, list or dict whose items all have one type."""
    whole, inside = get_origin(kind), get_args(kind)
    if whole is dict and isinstance(value, dict):
        return {key: read(inside[1], item, name) for key, item in value.items()}
    so_many = whole is tuple and inside[-1] is not ...
    if whole is dict or not isinstance(value, list) or (so_many and len(value) != len(inside)):
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return whole(read(inside[0], item, name) for item in value)


def _flat(values: Any, kind: Any) -> np.ndarray:
    """Convert a list of single values to an array."""
    if not isinstance(values, list) or any(isinstance(value, (list, dict, type(None))) for value in values):
        raise InputTypeError(f"got {repr_short(values)}, but expected a list of labels or numbers")
    if kind is not None and not all(isinstance(value, bool if kind is np.bool_ else int) for value in values):
        raise InputTypeError(
            f"got {repr_short(values)}, but expected {'true or false' if kind is np.bool_ else 'whole numbers'}"
        )
    return np.array(values, dtype=kind)


def floats(values: Any) -> Floats:
    """Convert a list of numbers to an array; None becomes NaN."""
    if not isinstance(values, list) or not all(value is None or isinstance(value, (int, float)) for value in values):
        raise InputTypeError(f"got {repr_short(values)}, but expected a list of numbers")
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
