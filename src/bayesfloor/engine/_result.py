"""Base classes for results: a short repr, a notebook view, plain values and a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np

from bayesfloor.engine._errors import MissingPackageError
from bayesfloor.engine._show import quoted, show_labels

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
