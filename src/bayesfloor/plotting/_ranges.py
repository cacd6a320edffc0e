"""Draw ranges of the lowest possible error: a bar with a mark at the best estimate.

Below the best estimate, a bar fades towards a lower end that is extrapolated rather than proved. Without a lower end,
it fades to nothing at 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.plotting._style import INK, MIDDLE

_MOST_BARS = 100  # for all fades of a plot; more would not be seen
_OPEN, _EXTRAPOLATED, _PROVED = 0.05, 0.35, 1.0  # opacity of the lower end


class Layer(NamedTuple):
    """One of several bars on top of each other: which ranges it belongs to, its ends and its colours."""

    own: np.ndarray
    begin: Floats
    end: Floats
    color: Floats


def draw_ranges(ax: Any, y: Any, ends: Sequence[Any], *, height: float = 0.5, proved: bool = False) -> tuple[Any, Any]:
    """Draw horizontal ranges with these lower ends, best estimates and upper ends; return bars and marks."""
    y, lower, estimate, upper = (np.asarray(each, dtype=np.float64) for each in (y, *ends))
    bars = [
        ax.barh(y[layer.own], layer.end - layer.begin, height, layer.begin, color=layer.color, linewidth=0)
        for layer in layers(lower, estimate, upper, proved=proved)
    ]
    known = [upper, lower] if proved else [upper]
    for end in known:
        ax.vlines(end, y - height / 2, y + height / 2, colors=INK, linewidth=0.8)
    return bars[0], ax.vlines(estimate, y - 0.7 * height, y + 0.7 * height, colors=INK, linewidth=2.4)


def layers(lower: Floats, estimate: Floats, upper: Floats, *, proved: bool) -> Iterator[Layer]:
    """Return bars that all end at the upper end, so that a range gets denser in steps; the first one is the widest."""
    from matplotlib.colors import to_rgba_array

    start = np.where(np.isnan(lower), _OPEN, _PROVED if proved else _EXTRAPOLATED)
    low, before = np.nan_to_num(lower), np.zeros(len(lower))
    for step in np.linspace(0.0, 1.0, int(np.clip(_MOST_BARS // max(1, len(lower)), 10, 20))):
        own, opacity = before < 1.0, start + (1.0 - start) * step
        alpha = 1.0 - (1.0 - opacity[own]) / (1.0 - before[own])
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
