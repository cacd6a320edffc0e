"""What displays share: the base class, colours, fonts for labels in any script, rows with names, and ranges.

Right-to-left and joined scripts are drawn correctly from matplotlib 3.11 on, which shapes text. Earlier versions draw
letters one by one in the order in which they are stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.support._errors import InputError, MissingPackageError
from bayesfloor.support._results import Result, Tabled
from bayesfloor.support._types import Floats
from bayesfloor.support._words import quoted, show_labels

LONGEST = 24  # characters; the middle of a longer label is left out

# Common system fonts with characters that matplotlib's own font lacks. It cannot draw colour fonts, so none are here.
_FALLBACKS = (
    *("Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Source Han Sans SC"),
    *("PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Droid Sans Fallback", "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans Arabic"),
    *("Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Thai"),
    *("Nirmala UI", "Leelawadee UI", "Segoe UI", "Tahoma", "Arial Unicode MS"),
    *("Noto Emoji", "Segoe UI Symbol", "Apple Symbols"),
)


def need_matplotlib() -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401, ICN001 - only to see whether it is installed
    except ImportError as error:
        raise MissingPackageError('plot() needs matplotlib: python -m pip install "bayesfloor[plot]"') from error


def families() -> list[str]:
    """Return the user's fonts, then the installed fallback fonts."""
    from matplotlib import rcParams
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [*rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]


def label_style() -> dict[str, Any]:
    """Return the style for the user's text: all available fonts, never parsed as formulas."""
    return {"family": families(), "parse_math": False}


def label_texts(labels: Sequence[object], longest: int = LONGEST) -> list[str]:
    """Return labels as short strings that can be drawn, with one warning if some characters have no font."""
    need_matplotlib()
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[name]))) for name in families()]
    letters = set("".join(quoted(label) for label in labels))
    missing = {letter for letter in letters if not any(font.get_char_index(ord(letter)) for font in fonts)}
    if missing:
        warnings.warn(
            f"{len(missing)} characters in labels are not in any installed font and are written as escapes. "
            "Install a font such as Noto Sans CJK to show them.",
            stacklevel=4,
        )
    return show_labels(labels, longest, missing)


# On light pages, and on dark ones.
COLOURS = {
    "ink": ("#24292f", "#dfe4e9"),
    "soft": ("#4f5b66", "#aeb8c2"),
    "faint": ("#c5cbd1", "#545c65"),
    "paper": ("#ffffff", "#15171a"),
    "strong": ("#b63b00", "#ff9a5c"),
    "middle": ("#ee8442", "#c06a30"),
    "light": ("#fbd9bc", "#5f3d26"),
}
INK, SOFT, FAINT, PAPER, STRONG, MIDDLE, LIGHT = (light for light, _ in COLOURS.values())
# Errors of pairs relative to guessing where the colour changes: the same for all data, finer for small errors.
PAIR_EDGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
MAP = "Oranges"  # light to dark, so that it also works in greyscale
TITLE, TEXT, SMALL = 10.0, 9.0, 8.0  # points


def pair_norm() -> Any:
    """Return the colour scale of errors relative to guessing."""
    from matplotlib.colors import BoundaryNorm

    return BoundaryNorm(PAIR_EDGES, 256)


MOST = 40  # classes that fit on a page

_HEAD = "Attributes\n----------\n"
_AXES_DOC = """ax_, figure_ : Axes and Figure
    Set by ``plot``.
caption_ : str
    What the plot shows, for the caption of a figure; set by ``plot``.
"""
_PLOT_DOC = """{head}

Parameters
----------
ax : Axes, default=None
    Where to draw; by default in a new figure.
{own}
Returns
-------
self
"""


class Display(Tabled):
    """A plot: the constructor takes the data, ``plot`` draws them.

    ``plot`` imports matplotlib, sets ``ax_``, ``figure_`` and ``caption_`` and changes no global
    state. It opens no window, but notebooks show a display automatically.
    """

    ax_: Any = None
    figure_: Any = None
    caption_: str = ""
    _own: bool = False

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cleandoc(cls.__doc__ or "").replace(_HEAD, _HEAD + _AXES_DOC)
        plot = vars(cls).get("plot")
        if plot is not None:
            head, _, own = cleandoc(plot.__doc__ or "").partition("\n\n")
            plot.__doc__ = _PLOT_DOC.format(head=head, own=f"{own}\n" if own else "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'plotted' if self.ax_ is not None else 'call plot() to draw'})"

    def _repr_png_(self) -> bytes | None:
        """Return the plot for notebooks; None if the caller passed the axes and will show them."""
        if not self._own:
            return None
        from io import BytesIO

        file = BytesIO()
        self.figure_.savefig(file, format="png")
        return file.getvalue()

    def _start(self, ax: Any, width: float, height: float) -> Any:
        """Return the caller's axes, or the axes of a new figure of this size in inches."""
        need_matplotlib()
        from matplotlib.figure import Figure  # not pyplot, which would keep the figure for ever

        self._own = ax is None
        self.ax_ = Figure(figsize=(width, height), layout="constrained").add_subplot() if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


class ResultDisplay(Display):
    """A plot of one result; its table and values are those of the result."""

    result: Result

    def _columns(self) -> dict[str, Any]:
        return self.result._columns()  # noqa: SLF001 - of the same package

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return self.result.to_dict()


def check_most(most: object) -> None:
    """Raise if the limit on the number of rows in a plot is invalid."""
    if most is not None and (not isinstance(most, (int, np.integer)) or most < 2):
        raise InputError(f"Got most={most!r}, but expected None or a whole number of at least 2.")


def write_title(ax: Any, title: str, above: float = 0.0) -> None:
    """Write the title at the left, this many points above its usual place."""
    ax.set_title(title, loc="left", fontsize=TITLE, color=INK, pad=6 + above, **label_style())


def clear_frame(ax: Any) -> None:
    """Remove the top and right spines, and make ticks and their labels small."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set_color(SOFT)
    ax.tick_params(which="both", color=SOFT, labelcolor=INK, labelsize=SMALL)


def name_axis(axis: Any, name: str) -> None:
    """Write what an axis shows."""
    axis.set_label_text(name, size=TEXT, color=INK)


def in_percent(axis: Any) -> None:
    """Show the fractions on an axis in percent."""
    axis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")


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
    from matplotlib.transforms import ScaledTranslation

    reach, last = _GAP, []  # points to the right of the axes
    for (head, texts), mark in zip(columns.items(), marks, strict=True):
        if mark:
            place = ax.get_yaxis_transform() + ScaledTranslation((reach + 3) / 72, 0, ax.figure.dpi_scale_trans)
            color = {"s": MIDDLE, "o": STRONG}.get(mark, INK)
            ax.scatter([1.0], [HEAD], marker=mark, s=22, color=color, transform=place, clip_on=False)
            reach += 9
        heading = write_beside(ax, 1.0, HEAD, head, reach, color=SOFT)
        last = [write_beside(ax, 1.0, at, text, reach) for at, text in zip(y, texts, strict=True)]
        reach += _GAP + _widest([heading, *last])
    return last


def _widest(texts: Sequence[Any]) -> float:
    return max(text.get_window_extent().width * 72 / text.figure.dpi for text in texts)


def frame_rows(ax: Any, bottom: float, name: str, *, percent: bool = True) -> None:
    """Set the axis limits and label; x starts at 0, and the first row is at the top."""
    ax.set_xlim(left=0.0)
    ax.set_ylim(bottom, -0.6)
    name_axis(ax.xaxis, name)
    ax.locator_params(axis="x", nbins=6, steps=[1, 2, 5, 10])
    if percent:
        in_percent(ax.xaxis)
    clear_frame(ax)
    ax.tick_params(axis="y", labelsize=TEXT)
    ax.spines["left"].set_visible(False)
    ax.axvline(0.0, color=SOFT, linewidth=0.8, zorder=0, clip_on=False)


def write_beside(ax: Any, x: float, y: float, text: str, offset: float, **looks: Any) -> Any:
    """Write a small label next to a row, at x from 0 (left) to 1 (right end of the axes)."""
    return write_at(ax, text, (x, y), (offset, 0), xycoords=ax.get_yaxis_transform(), **{"va": "center", **looks})


def write_at(ax: Any, text: str, place: tuple[float, float], offset: tuple[float, float], **looks: Any) -> Any:
    """Write a small label at this offset in points from a place, even outside the axes."""
    style = {"size": SMALL, "color": INK, "annotation_clip": False, **looks}
    return ax.annotate(text, place, offset, textcoords="offset points", **style)


_MOST_BARS = 100  # for all fades of a plot; more would not be seen
_OPEN, _EXTRAPOLATED, _PROVED = 0.05, 0.35, 1.0  # opacity of the lower end


class Layer(NamedTuple):
    """One of several bars on top of each other: which ranges it belongs to, its ends and its colours."""

    own: np.ndarray
    begin: Floats
    end: Floats
    color: Floats


def draw_ranges(ax: Any, y: Any, ends: Sequence[Any], *, height: float) -> tuple[Any, Any]:
    """Draw horizontal ranges with these lower ends, best estimates and upper ends; return bars and marks."""
    y, lower, estimate, upper = (np.asarray(each, dtype=np.float64) for each in (y, *ends))
    bars = [
        ax.barh(y[layer.own], layer.end - layer.begin, height, layer.begin, color=layer.color, linewidth=0)
        for layer in layers(lower, estimate, upper, proved=False)
    ]
    ax.vlines(upper, y - height / 2, y + height / 2, colors=INK, linewidth=0.8)
    return bars[0], ax.vlines(estimate, y - 0.7 * height, y + 0.7 * height, colors=INK, linewidth=2.4)


def layers(lower: Floats, estimate: Floats, upper: Floats, *, proved: bool) -> Iterator[Layer]:
    """Return bars that all end at the upper end, so that a range gets denser in steps; the first one is the widest."""
    from matplotlib.colors import to_rgba_array

    start = np.where(np.isnan(lower), _OPEN, _PROVED if proved else _EXTRAPOLATED)
    low, before = np.nan_to_num(lower), np.zeros(len(lower))
    for step in np.linspace(0.0, 1.0, int(np.clip(_MOST_BARS // max(1, len(lower)), 10, 20))):
        own, opacity = before < 1.0, start + (1.0 - start) * step
        if not own.any():  # a proved range is opaque from its first bar on
            return
        alpha = 1.0 - (1.0 - opacity[own]) / (1.0 - before[own])  # what is missing on top of the bars below
        begin = (low + (np.clip(estimate, low, upper) - low) * step)[own]
        yield Layer(own, begin, upper[own], to_rgba_array([MIDDLE] * len(begin), alpha))
        before = opacity


def fade_text(lower: Any, *, proved: bool = False) -> str:
    """Explain the lower end of a range, or of several, for a caption."""
    open_ = np.isnan(lower)
    if proved:
        return ""
    if np.all(open_):
        return f"{'Bars fade' if np.ndim(lower) else 'The bar fades'} out at 0: these data give no lower limit."
    if not np.ndim(lower):
        return "The bar fades towards its lower end, which is extrapolated from learning curves."
    end = "Bars fade towards lower ends that are extrapolated from learning curves"
    return f"{end}, and fade out at 0 if there is none." if np.any(open_) else f"{end}."
