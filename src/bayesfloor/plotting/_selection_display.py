"""``SelectionDisplay``: how each feature lowers the tree bounds, and the bounds on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.plotting._display import (
    DARK,
    LIGHT,
    MIDDLE,
    MOST,
    PALE,
    STRONG,
    ResultDisplay,
    check_most,
    stroke,
    swatch,
)
from bayesfloor.plotting._fonts import label_texts
from bayesfloor.plotting._named_rows import (
    ROW,
    draw_bounds,
    draw_intervals,
    draw_marks,
    frame_rows,
    name_rows,
    write_beside,
)

if TYPE_CHECKING:
    from bayesfloor.selection._floor_selector import FloorSelector
    from bayesfloor.selection._selection_path import HoldOut, SelectionPath

_APART = 1.4  # distance from the last step to the result on held-out rows, in rows of the plot


@dataclass(eq=False, repr=False)
class SelectionDisplay(ResultDisplay):
    """Features in the order of selection, with the tree bounds after each step.

    The band runs from the lower to the upper bound on the rows used for the selection, so it is optimistic. Steps
    without a significant gain have hollow dots and a note. The result on held-out rows is at the bottom.

    Parameters
    ----------
    result : SelectionPath
        ``path_`` of a fitted ``FloorSelector``.

    Attributes
    ----------
    shown_ : int array
        Which steps are drawn, from top to bottom.
    band_ : BarContainer
        Lower to upper bound of each step.
    points_, intervals_ : PathCollection, LineCollection or None
        Fractions of cross-class edges, and the intervals for each step's gain if that was the selection criterion.
    all_ : Line2D
        Fraction of cross-class edges with all features.
    held_out_, optimistic_ : PathCollection or None
        Fraction of cross-class edges with the selected features, on held-out rows and on as many selection rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> from bayesfloor.plotting import SelectionDisplay
    >>> selector = FloorSelector(n_features=3).fit(*load_wine(return_X_y=True, as_frame=True))
    >>> display = SelectionDisplay.from_estimator(selector)
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['flavanoids', 'color_intensity', 'proline', 'on held-out rows']
    """

    result: SelectionPath

    @classmethod
    def from_estimator(cls, selector: FloorSelector, **looks: Any) -> SelectionDisplay:
        """Draw the path of a fitted ``FloorSelector``; further arguments go to ``plot``."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(selector)
        return cls.from_path(selector.path_, **looks)

    @classmethod
    def from_path(cls, path: SelectionPath, **looks: Any) -> SelectionDisplay:
        """Draw a path; further arguments go to ``plot``."""
        return cls(path).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = MOST) -> SelectionDisplay:
        """Draw a row for each step.

        most : int or None, default=40
            Draw at most this many steps: the first ones and the last. None draws all.
        """
        check_most(most)
        self.shown_ = _first_and_last(len(self.result.added), most)
        n, held_out = len(self.shown_), self.result.holdout
        bottom = n - 0.5 if held_out is None else n + _APART - 0.4
        ax = self._start(ax, 7.5, 1.85 + ROW * (bottom + 0.6))
        self._draw_steps(np.arange(n))
        self._draw_names(n, held_out)
        self.held_out_ = self.optimistic_ = None
        if held_out is not None:
            self._draw_held_out(n - 1 + _APART, held_out)
        frame_rows(ax, bottom, "error, or cross-class edges", self._title(n), self._handles())
        return self

    def _draw_steps(self, y: Ints) -> None:
        ax, found, shown = self.ax_, self.result, self.shown_
        lower, upper, rate = found.lower[shown], found.upper[shown], found.cross_rate[shown]
        self.band_ = ax.barh(y, upper - lower, 1.0, lower, color=LIGHT, linewidth=0)
        self.intervals_ = None
        if found.criterion == "overall":
            reach = found.gain[shown] - found.gain_low[shown]
            self.intervals_ = ax.hlines(y, rate - reach, rate + reach, colors=STRONG, linewidth=1.3)
        inks = np.where(found.shown[shown], STRONG, "white")
        self.points_ = ax.scatter(rate, y, s=24, c=inks, edgecolors=STRONG, linewidths=1.2, zorder=3)
        ends = [-0.5, len(y) - 0.5]
        (self.all_,) = ax.plot([found.all_cross_rate] * 2, ends, color=DARK, linestyle="--", linewidth=1.2)
        for at, helped in zip(y, found.shown[shown], strict=True):
            if not helped:
                write_beside(ax, 1.0, at, "no significant gain", 5, size=8, color=DARK)

    def _draw_names(self, n: int, held_out: HoldOut | None) -> None:
        found = self.result
        short = iter(label_texts([name for names in found.added for name in names]))
        steps = [" + ".join(next(short) for _ in names) for names in found.added]
        names, counts = [steps[k] for k in self.shown_], [f"{found.n_features[k]:,}" for k in self.shown_]
        y: list[float] = list(range(n))
        if held_out is not None:
            y, names, counts = [*y, n - 1 + _APART], [*names, "on held-out rows"], [*counts, counts[-1]]
        name_rows(self.ax_, y, names, {"features": counts})

    def _draw_held_out(self, y: float, held_out: HoldOut) -> None:
        """Draw the selected features on held-out rows: bounds, cross-class edges, and all features for comparison."""
        ax, best = self.ax_, held_out.all_cross_rate
        bounds = [np.array([each]) for each in (held_out.lower, held_out.estimate, held_out.upper)]
        ax.axhline(y - _APART / 2 - 0.05, color=PALE, linewidth=0.8)
        draw_bounds(ax, [y], bounds, MIDDLE, DARK)
        draw_intervals(ax, [y], [best + held_out.difference_low], [best + held_out.difference_high], DARK)
        self.held_out_ = draw_marks(ax, [y], [held_out.cross_rate], "D", s=22, color=DARK, zorder=3)
        looks = {"s": 26, "color": STRONG, "linewidths": 1.5, "zorder": 4}
        self.optimistic_ = draw_marks(ax, [y], [held_out.optimistic], "x", **looks)
        draw_marks(ax, [y], [best], "s", s=18, color="white", edgecolors=DARK, linewidths=0.9, zorder=2.5)
        write_beside(ax, 1.0, y, held_out.word, 5, size=8, color=DARK)

    def _handles(self) -> list[Any]:
        found, dot = self.result, {"color": STRONG, "marker": "o", "markersize": 5}
        level = f"{100 * found.level:g} %"
        line = f"; line: {level} CI for the step's gain" if self.intervals_ is not None else ""
        style = dot if self.intervals_ is not None else {**dot, "linestyle": ""}
        handles = [
            swatch(f"tree bounds on the {found.n_rows:,} rows used for selection", color=LIGHT, linewidth=0),
            stroke(f"cross-class edges on these rows{line}", **style),
            stroke(f"cross-class edges with all {found.n_all:,} features", color=DARK, linestyle="--", linewidth=1.2),
        ]
        if not found.shown.all():
            hollow = {**dot, "markerfacecolor": "white", "linestyle": ""}
            handles.append(stroke("step without a significant gain", **hollow))
        return [*handles, *([] if found.holdout is None else _held_out_handles(found.holdout, level))]

    def _title(self, n: int) -> str:
        n_steps, found = len(self.result.added), self.result
        part = f", first {n - 1} and the last of {n_steps} steps" if n < n_steps else ""
        return f"{found.n_features[-1]:,} of {found.n_all:,} features{part}"


def _first_and_last(n: int, most: int | None) -> Ints:
    every = np.arange(n)
    return every if most is None or n <= most else np.append(every[: most - 1], n - 1)


def _held_out_handles(held_out: HoldOut, level: str) -> list[Any]:
    text = f"on {held_out.n_rows:,} held-out rows; line: {level} CI for the difference from using all features"
    box = {"color": "white", "markeredgecolor": DARK, "linestyle": "", "markersize": 4}
    return [
        stroke(text, color=DARK, marker="D", markersize=4),
        stroke("all features on held-out rows", marker="s", **box),
        stroke("on as many selection rows (optimistic)", color=STRONG, marker="x", linestyle="", markersize=5),
    ]
