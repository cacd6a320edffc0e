"""The base classes and helpers of all displays."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError, MissingPackageError
from bayesfloor.engine._result import Result, Tabled
from bayesfloor.plotting._fonts import label_style

DARK, GREY, PALE = "#222222", "#8c8c8c", "#d9d9d9"
STRONG, MIDDLE, LIGHT = "#a63603", "#f16913", "#fdd0a2"  # one hue, from dark to light
MAP = "Oranges"  # light to dark, so that it also works in greyscale
MOST = 40  # classes that fit on a page

_HEAD = "Attributes\n----------\n"
_AXES_DOC = "ax_, figure_ : Axes and Figure\n    Set by ``plot``.\n"
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

    ``plot`` imports matplotlib, sets ``ax_`` and ``figure_`` and changes no global
    state. It opens no window, but notebooks show a display automatically.
    """

    ax_: Any = None
    figure_: Any = None
    _own: bool = False

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cleandoc(cls.__doc__ or "").replace(_HEAD, _HEAD + _AXES_DOC)
        plot = vars(cls).get("plot")
        if plot is not None:
            plot.__doc__ = _plot_doc(plot.__doc__ or "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'plotted' if self.ax_ is not None else 'call plot() to draw'})"

    def _repr_png_(self) -> bytes | None:
        """Return the plot for notebooks; None if the caller passed the axes and will show them."""
        return self._png() if self._own else None

    def _png(self) -> bytes:
        from io import BytesIO

        file = BytesIO()
        self.figure_.savefig(file, format="png")
        return file.getvalue()

    def _start(self, ax: Any, width: float, height: float) -> Any:
        """Return the caller's axes, or the axes of a new figure of this size in inches."""
        need_matplotlib()
        self._own = ax is None
        self.ax_ = _new_axes(width, height) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


def _plot_doc(doc: str) -> str:
    """Build a ``plot`` docstring: insert the method's own summary and parameters into the shared template."""
    head, _, own = cleandoc(doc).partition("\n\n")
    return _PLOT_DOC.format(head=head, own=f"{own}\n" if own else "")


class ResultDisplay(Display):
    """A plot of one result; its table and values are those of the result."""

    result: Result

    def _columns(self) -> dict[str, Any]:
        return self.result._columns()  # noqa: SLF001 - of the same package

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return self.result.to_dict()


def need_matplotlib() -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401, ICN001 - only to see whether it is installed
    except ImportError as error:
        raise MissingPackageError('plot() needs matplotlib: python -m pip install "bayesfloor[plot]"') from error


def check_most(most: object) -> None:
    """Raise if the limit on the number of rows in a plot is invalid."""
    if most is not None and (not isinstance(most, (int, np.integer)) or most < 2):
        raise InputError(f"Got most={most!r}, but expected None or a whole number of at least 2.")


def _new_axes(width: float, height: float) -> Any:
    """Return the axes of a new figure that pyplot does not manage."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def title_and_legend(ax: Any, title: str, handles: list[Any], n_columns: int = 1) -> None:
    """Put a legend above the axes and the title above the legend, so that neither hides data."""
    legend = ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=n_columns,
        frameon=False,
        fontsize=8,
        borderaxespad=0.2,
        borderpad=0.2,
    )
    for text in legend.get_texts():
        text.set(**label_style())
    n_lines = -(-len(handles) // n_columns)
    ax.set_title(title, loc="left", fontsize=10, pad=6 + 13 * n_lines, **label_style())


def swatch(label: str, **looks: Any) -> Any:
    """Return a filled box for a legend."""
    from matplotlib.patches import Patch

    return Patch(label=label, **looks)


def stroke(label: str, **looks: Any) -> Any:
    """Return a line or marker for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **looks)


def clear_frame(ax: Any) -> None:
    """Remove the top and right spines and use small tick labels."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)


def in_percent(axis: Any) -> None:
    """Show the fractions on an axis in percent."""
    axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}")
