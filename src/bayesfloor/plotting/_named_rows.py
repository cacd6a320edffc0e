"""Helpers for plots with named rows: marks with intervals, what they are compared with, and columns of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.plotting._display import clear_frame, in_percent, name_axis
from bayesfloor.plotting._fonts import label_style
from bayesfloor.plotting._style import INK, MIDDLE, PAPER, SMALL, SOFT, STRONG, TEXT

ROW = 0.28  # inches
HEAD = -1.0  # y of column headings, above the first row
_GAP = 9.0  # points between columns
_LETTER = 0.07  # inches per character of a name


def wide_enough(names: Sequence[str], beside: float) -> float:
    """Return the width in inches of a figure with these names on the left and this much text beside the axes."""
    return 2.6 + beside + _LETTER * max(map(len, names))


def draw_intervals(ax: Any, y: Any, low: Any, high: Any) -> Any:
    """Draw a line with end marks in each row."""
    for end in (low, high):
        ax.scatter(end, y, marker="|", color=INK, s=16, linewidth=1.2, clip_on=False)
    return ax.hlines(y, low, high, colors=INK, linewidth=1.2)


def draw_dots(ax: Any, y: Any, x: Any, filled: Any) -> Any:
    """Draw a dot in each row, filled or hollow."""
    inks = [STRONG if each else PAPER for each in filled]
    return ax.scatter(x, y, s=26, c=inks, edgecolors=STRONG, linewidths=1.2, zorder=3, clip_on=False)


def draw_references(ax: Any, y: Any, x: Floats) -> Any:
    """Draw a dashed line through each row at what it is compared with."""
    y = np.asarray(y)
    return ax.vlines(x, y - 0.5, y + 0.5, colors=SOFT, linestyles=(0, (3, 2)), linewidth=1.2, zorder=1)


def name_rows(ax: Any, y: Sequence[float], texts: Sequence[str], columns: Mapping[str, Sequence[str]]) -> None:
    """Write names on the left, then columns of numbers.

    Each number is a separate label, so that a right-to-left name cannot swap them.
    """
    ax.set_yticks(y, texts, size=TEXT, **label_style())
    reach = 5.0
    for head, numbers in reversed(list(columns.items())):
        written = [
            write_beside(ax, 0.0, at, number, -reach, ha="right", color=SOFT)
            for at, number in zip([HEAD, *y], [head, *numbers], strict=True)
        ]
        reach += _GAP + _widest(written)
    ax.tick_params(axis="y", length=0, pad=reach)


def write_columns(ax: Any, y: Sequence[float], columns: Mapping[str, Sequence[str]], marks: Sequence[str]) -> list[Any]:
    """Write columns on the right, each with a heading next to the mark that it explains; return the last column."""
    reach, last = _GAP, []
    for (head, texts), mark in zip(columns.items(), marks, strict=True):
        if mark:
            draw_key(ax, reach + 3, mark)
            reach += 9
        heading = write_beside(ax, 1.0, HEAD, head, reach, color=SOFT)
        last = [write_beside(ax, 1.0, at, text, reach) for at, text in zip(y, texts, strict=True)]
        reach += _GAP + _widest([heading, *last])
    return last


def name_above(ax: Any, x: float, name: str) -> None:
    """Name the line at x above the first row, on the side that has more space."""
    left, right = ax.get_xlim()
    side, offset = ("left", -3) if x - left < right - x else ("right", 3)
    style = {"ha": side, "va": "bottom", "size": SMALL, "color": SOFT, "annotation_clip": False}
    where = ax.get_xaxis_transform()
    ax.annotate(name, (x, 1.0), (offset, 3), xycoords=where, textcoords="offset points", **style)


def draw_key(ax: Any, offset: float, mark: str) -> None:
    """Draw a mark in the line of the headings, this many points to the right of the axes."""
    from matplotlib.transforms import ScaledTranslation

    place = ax.get_yaxis_transform() + ScaledTranslation(offset / 72, 0, ax.figure.dpi_scale_trans)
    color = {"s": MIDDLE, "o": STRONG}.get(mark, INK)
    ax.scatter([1.0], [HEAD], marker=mark, s=22, color=color, transform=place, clip_on=False)


def _widest(texts: Sequence[Any]) -> float:
    """Return the width of the widest text, in points."""
    return max(text.get_window_extent().width * 72 / text.figure.dpi for text in texts)


def frame_rows(ax: Any, bottom: float, name: str) -> None:
    """Set the axis limits and label; x starts at 0 %, and the first row is at the top."""
    ax.set_xlim(left=0.0)
    ax.set_ylim(bottom, -0.6)
    name_axis(ax.xaxis, name)
    ax.locator_params(axis="x", nbins=6, steps=[1, 2, 5, 10])
    in_percent(ax.xaxis)
    clear_frame(ax)
    ax.tick_params(axis="y", labelsize=TEXT)
    ax.spines["left"].set_visible(False)
    ax.axvline(0.0, color=SOFT, linewidth=0.8, zorder=0, clip_on=False)


def write_beside(ax: Any, x: float, y: float, text: str, offset: float, **looks: Any) -> Any:
    """Write a small label next to a row, at x from 0 (left) to 1 (right end of the axes)."""
    return ax.annotate(
        text,
        (x, y),
        (offset, 0),
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        **{"va": "center", "size": SMALL, "color": INK, **looks},
    )
