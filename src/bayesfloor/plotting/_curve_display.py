"""``CurveDisplay``: how the best learner's error falls with more training rows, and where it is likely to level off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.engine._show import percent, range_text
from bayesfloor.plotting._answer_display import NAME, learner_name
from bayesfloor.plotting._display import (
    DARK,
    LIGHT,
    MIDDLE,
    STRONG,
    ResultDisplay,
    clear_frame,
    in_percent,
    stroke,
    swatch,
    title_and_legend,
)
from bayesfloor.plotting._fonts import label_texts

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.engine._types import Ints
    from bayesfloor.floor._bayes_floor import BayesFloor

_MARKED = 8  # factor between ticks beyond the measured rows


@dataclass(eq=False, repr=False)
class CurveDisplay(ResultDisplay):
    """The learning curve of the best learner: measured, then predicted, with the answer at its end.

    Parameters
    ----------
    result : Answer
        From ``BayesFloor.answer`` or ``Check.answer``.

    Attributes
    ----------
    points_, bars_ : Line2D, LineCollection
        Cross-validated errors and their 95 % intervals.
    line_, band_ : Line2D, PolyCollection
        Predicted errors and their 95 % intervals.
    estimate_ : Line2D
        The best estimate of the lowest possible error.
    range_ : Rectangle
        Its range, at the right edge; pale and starting at 0 if it has no lower end.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import CurveDisplay
    >>> display = CurveDisplay.from_estimator(BayesFloor().fit(*load_iris(return_X_y=True)))
    >>> display.points_.get_xdata()[-1]
    np.int64(120)
    """

    result: Answer

    @classmethod
    def from_estimator(cls, floor: BayesFloor, *, effort: str = "normal", **looks: Any) -> CurveDisplay:
        """Draw the curve of a fitted ``BayesFloor``, computing its answer first if needed.

        Parameters
        ----------
        floor : BayesFloor
            A fitted floor.
        effort : {"quick", "normal", "thorough"}, default="normal"
            As in ``BayesFloor.answer``.
        **looks
            Arguments of ``plot``.
        """
        return cls.from_answer(floor.answer(effort), **looks)

    @classmethod
    def from_answer(cls, answer: Answer, **looks: Any) -> CurveDisplay:
        """Draw the curve of an answer; further arguments go to ``plot``."""
        return cls(answer).plot(**looks)

    def plot(self, *, ax: Any = None) -> CurveDisplay:
        """Draw the curve."""
        ax = self._start(ax, 7.0, 4.6)
        ax.set_xscale("log")
        self._draw_measured()
        self._draw_predicted()
        self._draw_axes()
        self._draw_answer()
        title_and_legend(ax, self._title(), self._handles(), n_columns=2)
        return self

    def _draw_measured(self) -> None:
        curve, there = self.result.curve, self.result.curve.measured
        n, low, high = (values[there] for values in (curve.n_rows, curve.low, curve.high))
        self.bars_ = self.ax_.vlines(n, low, high, colors=DARK, linewidth=1.2)
        (self.points_,) = self.ax_.plot(n, curve.error[there], "o-", color=DARK, markersize=5, linewidth=1.2)

    def _draw_predicted(self) -> None:
        curve, there = self.result.curve, ~self.result.curve.measured
        n, error, low, high = (values[there] for values in (curve.n_rows, curve.error, curve.low, curve.high))
        self.band_ = self.ax_.fill_between(n, low, high, color=LIGHT, linewidth=0, zorder=0)
        (self.line_,) = self.ax_.plot(n, error, color=DARK, linestyle=(0, (4, 2)), linewidth=1.2)

    def _draw_answer(self) -> None:
        """Draw the best estimate as a horizontal line and the range at the right edge."""
        answer, open_ = self.result, np.isnan(self.result.lower)
        low, ground = (0.0, LIGHT) if open_ else (answer.lower, MIDDLE)
        self.estimate_ = self.ax_.axhline(answer.estimate, color=STRONG, linewidth=1.6, zorder=1.5)
        across = self.ax_.get_yaxis_transform()
        looks = {"transform": across, "color": ground, "linewidth": 0, "clip_on": False}
        (self.range_,) = self.ax_.bar(1.0, answer.upper - low, 0.03, low, **looks)
        self.ax_.hlines([answer.estimate], 0.985, 1.015, colors=DARK, linewidth=2.6, transform=across, clip_on=False)

    def _draw_axes(self) -> None:
        ax, answer, places = self.ax_, self.result, curve_ticks(self.result)
        ax.set_xticks(places, [f"{place:,}" for place in places])
        ax.set_xticks([], minor=True)
        n = self.result.curve.n_rows if len(self.result.curve.n_rows) else np.array([1, max(2, answer.n_rows)])
        ax.set_xlim(n[0] / 1.2, n[-1] * 1.6)
        shown = [answer.upper, answer.estimate, *answer.curve.error, *answer.curve.high[answer.curve.measured]]
        ax.set_ylim(0.0, max(1.08 * max(shown), 1e-3))
        in_percent(ax.yaxis)
        ax.set_xlabel("training rows", size=9)
        ax.set_ylabel("error, %", size=9)
        clear_frame(ax)

    def _title(self) -> str:
        if not self.result.best:
            return "Learning curve: no learner could be trained"
        (name,) = label_texts([learner_name(self.result.best)], NAME)
        return f"Learning curve of the best learner: {name}"

    def _handles(self) -> list[Any]:
        name = f"lowest possible error: best estimate {percent(self.result.estimate)} %"
        return [
            stroke("cross-validated error, 95 % interval", color=DARK, marker="o", markersize=5, linewidth=1.2),
            stroke("predicted", color=DARK, linestyle=(0, (4, 2)), linewidth=1.2),
            swatch("95 % interval for the prediction", color=LIGHT, linewidth=0),
            stroke(name, color=STRONG, linewidth=1.6),
            swatch(
                f"range: {range_text(self.result.lower, self.result.upper)}",
                color=LIGHT if np.isnan(self.result.lower) else MIDDLE,
            ),
        ]

    def _columns(self) -> dict[str, Any]:
        return self.result.curve._columns()  # noqa: SLF001 - of the same package


def curve_ticks(answer: Answer) -> list[int]:
    """Return the ticks for training rows: the fewest and most measured ones, and some beyond."""
    curve = answer.curve
    measured: Ints = curve.n_rows[curve.measured]
    if not len(measured):
        return []
    beyond = [int(n) for n in curve.n_rows[~curve.measured] if round(n / measured[-1]) in (_MARKED, _MARKED**2)]
    return sorted({int(measured[0]), int(measured[-1]), *beyond})
