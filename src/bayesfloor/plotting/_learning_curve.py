"""``LearningCurveDisplay``: how the tree bounds come down as rows are added, and where they would end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.formulas._limits import two_sided
from bayesfloor.plotting._display import (
    DARK,
    GREY,
    LIGHT,
    MIDDLE,
    STRONG,
    ResultDisplay,
    clear_frame,
    stroke,
    swatch,
    title_and_legend,
)

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.selection._learning import LearningCurve, SamplesNeeded

_LEVEL = 0.95
_ON_TO = 16  # times the rows at hand
_LIMIT = 40  # times the rows at hand: where the limit is drawn
_POINTS = 60  # of the fitted curve


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(ResultDisplay):
    """The fraction of cross-class edges over the number of rows: measured, fitted, predicted and at its limit.

    It is the upper tree bound, which holds at every number of rows. Below it are the lower bounds.

    Parameters
    ----------
    result : LearningCurve
        Of ``learning_curve``.
    needed : SamplesNeeded, default=None
        Of ``samples_for``: its target is drawn, and the rows that it needs.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Set by ``plot``.
    points_, bars_ : Line2D, LineCollection
        What was measured, and its intervals.
    line_, band_ : Line2D, PolyCollection
        The fitted curve and what would be measured with more rows.
    limit_, limit_interval_ : Line2D, LineCollection
        For infinitely many rows.
    target_, needed_ : Line2D, PathCollection or None
        The target's error, and where the curve comes down to it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import LearningCurveDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = LearningCurveDisplay.from_estimator(floor)
    >>> display.points_.get_xdata()
    array([ 37,  75, 150])
    """

    result: LearningCurve
    needed: SamplesNeeded | None = None

    @classmethod
    def from_estimator(cls, floor: BayesFloor, **looks: Any) -> LearningCurveDisplay:
        """Measure the curve of a fitted ``BayesFloor`` and draw it; further arguments go to ``plot``."""
        from bayesfloor.selection._learning import learning_curve

        return cls.from_curve(learning_curve(floor), **looks)

    @classmethod
    def from_curve(
        cls, curve: LearningCurve, needed: SamplesNeeded | None = None, **looks: Any
    ) -> LearningCurveDisplay:
        """Draw a curve.

        Parameters
        ----------
        curve : LearningCurve
            Of ``learning_curve``.
        needed : SamplesNeeded, default=None
            Of ``samples_for``.
        **looks
            Arguments of ``plot``.
        """
        return cls(curve, needed).plot(**looks)

    def plot(self, *, ax: Any = None) -> LearningCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        self
        """
        ax = self._start(ax, 7.0, 4.8)
        ax.set_xscale("log")
        self._draw_fit()
        self._draw_points()
        self._draw_limit()
        self._draw_target()
        self._draw_axes()
        title_and_legend(ax, "Tree bounds by number of rows", self._handles())
        return self

    @property
    def _last(self) -> float:
        return float(self.result.n_rows[-1])

    def _draw_fit(self) -> None:
        n = np.geomspace(self.result.n_rows[0], _ON_TO * self._last, _POINTS)
        middle, low, high = np.array([self.result.predict(each) for each in n]).T
        self.band_ = self.ax_.fill_between(n, low, high, color=LIGHT, linewidth=0)
        (self.line_,) = self.ax_.plot(n, middle, color=MIDDLE, linewidth=1.5)

    def _draw_points(self) -> None:
        found, reach = self.result, two_sided(_LEVEL) * self.result.std_error
        low, high = np.maximum(found.cross_rate - reach, 0.0), found.cross_rate + reach
        self.bars_ = self.ax_.vlines(found.n_rows, low, high, colors=DARK, linewidth=1.2, zorder=2.5)
        (self.points_,) = self.ax_.plot(found.n_rows, found.cross_rate, "o", color=DARK, markersize=5)
        looks = {"color": GREY, "linestyle": "--", "linewidth": 1.0, "marker": "^", "markersize": 4}
        self.ax_.plot(found.n_rows, found.lower, **looks)

    def _draw_limit(self) -> None:
        ax, x, bounds = self.ax_, _LIMIT * self._last, self.result.limit_bounds(_LEVEL)
        ax.plot(x, bounds.lower, "^", color=GREY, markersize=4)
        self.limit_interval_ = ax.vlines(x, *self.result.limit_interval(_LEVEL), colors=DARK, linewidth=1.2)
        looks = {"color": "white", "markeredgecolor": DARK, "markersize": 6, "zorder": 3}
        (self.limit_,) = ax.plot(x, self.result.limit, "D", clip_on=False, **looks)
        ax.axvline(self._last * np.sqrt(_ON_TO * _LIMIT), color=DARK, linestyle=(0, (1, 3)), linewidth=0.8)

    def _draw_target(self) -> None:
        self.target_ = self.needed_ = None
        if self.needed is None:
            return
        error, rows = 1 - self.needed.target, self.needed.needed
        self.target_ = self.ax_.axhline(error, color=STRONG, linestyle=(0, (4, 2)), linewidth=1.3)
        if self._last < rows <= _ON_TO * self._last:
            self.needed_ = self.ax_.scatter(rows, error, marker="*", s=110, color=STRONG, zorder=4)

    def _draw_axes(self) -> None:
        ax, n = self.ax_, self.result.n_rows.astype(np.float64)
        places = [*n, 4 * self._last, _ON_TO * self._last]
        ax.set_xticks([*places, _LIMIT * self._last], [*(f"{each:,.0f}" for each in places), "∞"])
        ax.set_xticks([], minor=True)
        ax.set_xlim(n[0] / 1.4, _LIMIT * self._last * 1.4)
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("rows (log scale)", size=9)
        ax.set_ylabel("error", size=9)
        clear_frame(ax)

    def _handles(self) -> list[Any]:
        level, hollow = f"{100 * _LEVEL:g} %", {"color": "white", "markeredgecolor": DARK, "markersize": 6}
        limit = f"upper bound with ever more rows, extrapolated, and its {level} interval"
        lower = {"color": GREY, "linestyle": "--", "marker": "^", "markersize": 4}
        return [
            stroke(
                f"upper bound: fraction of cross-class edges, {level} interval", color=DARK, marker="o", markersize=5
            ),
            stroke("lower bound", **lower),
            stroke("fitted to the upper bounds, and on", color=MIDDLE),
            swatch(f"{level} interval of what would be measured", color=LIGHT, linewidth=0),
            stroke(limit, marker="D", linestyle="", **hollow),
            *self._target_handles(),
        ]

    def _target_handles(self) -> list[Any]:
        if self.needed is None:
            return []
        mark = {} if self.needed_ is None else {"marker": "*", "markersize": 9}
        return [stroke(self.needed.text.split(". ")[0], color=STRONG, linestyle=(0, (4, 2)), **mark)]
