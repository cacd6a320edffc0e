"""Helpers for plots with named rows: a bar of bounds with an interval below it, and words and numbers next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesfloor.plotting._display import GREY, clear_frame, title_and_legend
from bayesfloor.plotting._fonts import label_style

ROW = 0.26  # inches
_LETTER = 4.6  # points per character in the small print next to rows
ABOVE, _BELOW = -0.12, 0.27  # offsets of the bar and of the interval from the middle of a row
_HEAD = -0.95  # y of column headings, above the first row


def draw_bounds(ax: Any, y: Any, bounds: Sequence[Any], ground: Any, ink: Any) -> tuple[Any, Any]:
    """Draw a bar from lower to upper bound in each row, with a dot at the estimate."""
    lower, estimate, upper = bounds
    at = np.asarray(y) + ABOVE
    bars = ax.barh(at, upper - lower, 0.42, lower, color=ground, edgecolor=ink, linewidth=0.5)
    return bars, ax.scatter(estimate, at, s=16, color=ink, zorder=3)


def draw_intervals(ax: Any, y: Any, low: Any, high: Any, ink: Any) -> Any:
    """Draw a line with end marks below each bar."""
    at = np.asarray(y) + _BELOW
    lines = ax.hlines(at, low, high, colors=ink, linewidth=1.5)
    for end in (low, high):
        draw_marks(ax, y, end, "|", color=ink, s=18, linewidth=1.5)
    return lines


def draw_marks(ax: Any, y: Any, x: Any, marker: str, **looks: Any) -> Any:
    """Draw a mark in each row, at the height of the intervals."""
    return ax.scatter(x, np.asarray(y) + _BELOW, marker=marker, **looks)


def name_rows(ax: Any, y: Any, texts: Sequence[str], columns: Mapping[str, Sequence[str]]) -> None:
    """Write names on the left, then columns of numbers.

    Each number is a separate label, so that a right-to-left name cannot swap them.
    """
    ax.set_yticks(y, texts, size=8, **label_style())
    reach = 4.0
    for head, numbers in reversed(list(columns.items())):
        for at, number in zip([_HEAD, *y], [head, *numbers], strict=True):
            write_beside(ax, 0.0, at, number, -reach, ha="right")
        reach += 6 + _LETTER * max(map(len, [head, *numbers]))
    ax.tick_params(axis="y", length=0, pad=reach)


def frame_rows(ax: Any, bottom: float, name: str, title: str, handles: list[Any]) -> None:
    """Set the axis limits and label, the title and the legend; x starts at 0 %, and the first row is at the top."""
    from matplotlib.ticker import PercentFormatter

    ax.set_xlim(left=0.0)
    ax.set_ylim(bottom, -0.6)
    ax.set_xlabel(name, size=9)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    clear_frame(ax)
    title_and_legend(ax, title, handles)


def write_beside(ax: Any, x: float, y: float, text: str, offset: float, **looks: Any) -> Any:
    """Write a small label next to a row, at x from 0 (left) to 1 (right end of the axes)."""
    return ax.annotate(
        text,
        (x, y),
        (offset, 0),
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        **{"va": "center", "size": 7, "color": GREY, **looks},
    )
