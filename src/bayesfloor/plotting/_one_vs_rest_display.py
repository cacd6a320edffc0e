"""``OneVsRestDisplay``: which classes are hard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.floor._results import OneVsRestFloor
from bayesfloor.plotting._display import (
    DARK,
    GREY,
    LIGHT,
    MIDDLE,
    MOST,
    PALE,
    Display,
    check_most,
    stroke,
    swatch,
)
from bayesfloor.plotting._fonts import label_texts
from bayesfloor.plotting._named_rows import ROW, draw_bounds, draw_intervals, frame_rows, name_rows


@dataclass(eq=False, repr=False)
class OneVsRestDisplay(Display):
    """Each class against the rest: tree bounds, estimate and an interval for its cross-class edges, hardest first.

    The bounds show where the floor would be if edge counts were exact; the interval shows how far the counts may be
    off. They are drawn separately because neither contains the other.

    Parameters
    ----------
    classes, sizes : (K,) arrays
        Class labels, and the number of rows of each.
    lower, estimate, upper : (K,) arrays
        Tree bounds on the probability that the best classifier is wrong about the class, and their midpoint.
    rate, rate_low, rate_high : (K,) arrays
        Fraction of edges with one end in the class, and its confidence interval.
    few : (K,) bool array
        Classes with too few rows.
    level : float
        Confidence level of the interval.

    Attributes
    ----------
    bounds_ : BarContainer
        Bars from lower to upper bound.
    points_, intervals_ : PathCollection, LineCollection
        Estimates, and confidence intervals.
    shown_ : int array
        Which classes are drawn, from top to bottom.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import OneVsRestDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = OneVsRestDisplay.from_estimator(floor)
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['1', '2', '0']
    """

    classes: np.ndarray
    sizes: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    rate: Floats
    rate_low: Floats
    rate_high: Floats
    few: np.ndarray
    level: float = 0.95

    @classmethod
    def from_estimator(cls, floor: Any, *, level: float = 0.95, **looks: Any) -> OneVsRestDisplay:
        """Draw the classes of a fitted ``BayesFloor``; further arguments go to ``plot``."""
        return cls.from_results(floor.one_vs_rest_, level=level, **looks)

    @classmethod
    def from_results(cls, found: OneVsRestFloor, *, level: float = 0.95, **looks: Any) -> OneVsRestDisplay:
        """Draw the floor of each class; further arguments go to ``plot``."""
        low, high = found.interval(level)
        bounds = found.lower, found.estimate, found.upper
        return cls(found.classes, found.sizes, *bounds, found.class_rate, low, high, found.few, level).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = MOST) -> OneVsRestDisplay:
        """Draw a row for each class.

        most : int or None, default=40
            Draw at most this many classes, the hardest ones. None draws all.
        """
        check_most(most)
        self.shown_ = np.argsort(-self.estimate, kind="stable")[:most]
        ax = self._start(ax, 7.0, 1.5 + ROW * len(self.shown_))
        self._draw_bars()
        self._draw_labels()
        frame_rows(
            ax,
            len(self.shown_) - 0.4,
            "error of the class against the rest, in percent of all rows",
            self._title(),
            self._handles(),
        )
        return self

    def _draw_bars(self) -> None:
        shown, y = self.shown_, np.arange(len(self.shown_))
        few = self.few[shown]
        bounds = self.lower[shown], self.estimate[shown], self.upper[shown]
        ground, ink = np.where(few, PALE, LIGHT), np.where(few, GREY, DARK)
        self.bounds_, self.points_ = draw_bounds(self.ax_, y, bounds, ground, ink)
        ends = self.rate_low[shown], self.rate_high[shown]
        self.intervals_ = draw_intervals(self.ax_, y, *ends, np.where(few, GREY, MIDDLE))

    def _draw_labels(self) -> None:
        texts, counts = label_texts(self.classes.tolist()), [f"{self.sizes[k]:.4g}" for k in self.shown_]
        name_rows(self.ax_, range(len(counts)), [texts[k] for k in self.shown_], {"rows": counts})
        for y, (tick, k) in enumerate(zip(self.ax_.get_yticklabels(), self.shown_, strict=True)):
            tick.set_color(GREY if self.few[k] else DARK)
            if self.few[k]:
                self._mark(y, k)

    def _mark(self, y: int, k: int) -> None:
        end = max(self.upper[k], self.rate_high[k])
        self.ax_.annotate("too few rows", (end, y), (6, 0), textcoords="offset points", va="center", size=7, color=GREY)

    def _handles(self) -> list[Any]:
        return [
            stroke("estimate", marker="o", markersize=4, linestyle="", color=DARK),
            swatch(
                "lower to upper tree bound (not a confidence interval)", facecolor=LIGHT, edgecolor=DARK, linewidth=0.5
            ),
            stroke(
                f"{100 * self.level:g} % confidence interval for the class's cross-class edges",
                color=MIDDLE,
                marker="|",
                markersize=5,
            ),
        ]

    def _title(self) -> str:
        n, K = len(self.shown_), len(self.classes)
        return f"{n} hardest of {K} classes, each against the rest" if n < K else "Each class against the rest"

    def _columns(self) -> dict[str, Any]:
        names = ("classes", "sizes", "lower", "estimate", "upper", "rate", "rate_low", "rate_high", "few")
        return {name: getattr(self, name) for name in names}
