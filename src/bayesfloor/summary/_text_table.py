"""Tables for a terminal: aligned columns that fit its width."""

from __future__ import annotations

from collections.abc import Sequence

from bayesfloor.engine._show import cells, pad

_GAP, _LEAST = 2, 6  # characters between two columns, and the minimum width of the first column


def align(rows: Sequence[Sequence[str]], width: int | None = None, drop: Sequence[int] = ()) -> list[str]:
    """Align columns, the first to the left and the others to the right.

    If the table is wider than ``width``, the columns in ``drop`` are removed one by one; if that is not enough, the
    first column is shortened.
    """
    if width is not None:
        rows = _shorten_first(_drop_columns(rows, width, drop), width)
    widths = _widths(rows)
    lines = ("  ".join(pad(cell, widths[k], right=k > 0) for k, cell in enumerate(row)) for row in rows)
    return [line.rstrip() for line in lines]


def _drop_columns(rows: Sequence[Sequence[str]], width: int, drop: Sequence[int]) -> list[list[str]]:
    """Remove columns in the given order until the table fits."""
    kept = list(range(len(rows[0])))
    waiting = list(drop)
    while waiting and _total([[row[k] for k in kept] for row in rows]) > width:
        kept.remove(waiting.pop(0))
    return [[row[k] for k in kept] for row in rows]


def _shorten_first(rows: list[list[str]], width: int) -> list[list[str]]:
    """Shorten the first column's cells by as much as the table is too wide."""
    excess = _total(rows) - width
    if excess <= 0:
        return rows
    most = max(_widths(rows)[0] - excess, _LEAST)
    return [[cut(row[0], most), *row[1:]] for row in rows]


def cut(text: str, width: int) -> str:
    """Shorten a string that is too wide, with an ellipsis."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]


def _total(rows: Sequence[Sequence[str]]) -> int:
    widths = _widths(rows)
    return sum(widths) + _GAP * (len(widths) - 1)
