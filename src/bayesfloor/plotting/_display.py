"""The base classes and helpers of all displays."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._result import Result, Tabled
from bayesfloor.plotting._fonts import label_style, need_matplotlib
from bayesfloor.plotting._style import INK, SMALL, SOFT, TEXT, TITLE

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
            plot.__doc__ = _plot_doc(plot.__doc__ or "")

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


def check_most(most: object) -> None:
    """Raise if the limit on the number of rows in a plot is invalid."""
    if most is not None and (not isinstance(most, (int, np.integer)) or most < 2):
        raise InputError(f"Got most={most!r}, but expected None or a whole number of at least 2.")


def _new_axes(width: float, height: float) -> Any:
    """Return the axes of a new figure that pyplot does not manage."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


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
