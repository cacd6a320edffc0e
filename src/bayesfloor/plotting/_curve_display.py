"""``CurveDisplay``: how the best learner's error falls with more training rows, and where it is likely to level off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    INK,
    LIGHT,
    STRONG,
    ResultDisplay,
    clear_frame,
    fade_text,
    in_percent,
    label_texts,
    layers,
    name_axis,
    write_at,
    write_title,
)
from bayesfloor.plotting._forecast_display import NAME, learner_name
from bayesfloor.support._errors import InputError
from bayesfloor.support._words import about, how_many, percent, range_text

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.support._types import Ints

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
        Its range, at the right edge. It fades towards a lower end that is extrapolated, and to nothing at 0 if there
        is none.

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
        """Draw the curve of a fitted ``BayesFloor``, with this effort; further arguments go to ``plot``."""
        return cls.from_answer(floor.answer(effort), **looks)

    @classmethod
    def from_answer(cls, answer: Answer, **looks: Any) -> CurveDisplay:
        """Draw the curve of an answer; further arguments go to ``plot``."""
        if not answer.of.of_errors:
            raise InputError(f"Got an answer by {answer.metric}, but expected one by accuracy. Use ForecastDisplay.")
        return cls(answer).plot(**looks)

    def plot(self, *, ax: Any = None) -> CurveDisplay:
        """Draw the curve."""
        ax = self._start(ax, 6.4, 3.8)
        ax.set_xscale("log")
        curve, there = self.result.curve, self.result.curve.measured
        n, error, low, high = (values[there] for values in (curve.n_rows, curve.error, curve.low, curve.high))
        self.bars_ = ax.vlines(n, low, high, colors=INK, linewidth=1.2)
        (self.points_,) = ax.plot(n, error, "o-", color=INK, markersize=5, linewidth=1.2)
        n, error, low, high = (values[~there] for values in (curve.n_rows, curve.error, curve.low, curve.high))
        self.band_ = ax.fill_between(n, low, high, color=LIGHT, linewidth=0, zorder=0)
        (self.line_,) = ax.plot(n, error, color=INK, linestyle=(0, (4, 2)), linewidth=1.2)
        self._draw_axes()
        self._draw_answer()
        self._name_parts()
        write_title(ax, self._title())
        self.caption_ = self._caption()
        return self

    def _draw_answer(self) -> None:
        """Draw the best estimate as a horizontal line and the range at the right edge."""
        ax, answer = self.ax_, self.result
        across = {"transform": ax.get_yaxis_transform(), "clip_on": False}
        self.estimate_ = ax.axhline(answer.estimate, color=STRONG, linewidth=1.6, zorder=1.5)
        ends = (np.array([end]) for end in (answer.useful_lower, answer.estimate, answer.upper))
        self.range_, *_ = [
            ax.bar(1.0, layer.end - layer.begin, 0.03, layer.begin, color=layer.color, linewidth=0, **across)[0]
            for layer in layers(*ends, proved=answer.proved)
        ]
        ax.hlines([answer.estimate], 0.98, 1.02, colors=INK, linewidth=2.4, **across)

    def _draw_axes(self) -> None:
        ax, answer, places = self.ax_, self.result, curve_ticks(self.result)
        ax.set_xticks(places, [f"{place:,}" for place in places])
        ax.set_xticks([], minor=True)
        n = self.result.curve.n_rows if len(self.result.curve.n_rows) else np.array([1, max(2, answer.n_rows)])
        ax.set_xlim(n[0] / 1.2, n[-1] * 1.6)
        shown = [answer.upper, answer.estimate, *answer.curve.error, *answer.curve.high[answer.curve.measured]]
        ax.set_ylim(0.0, max(1.15 * max(shown), 1e-3))
        in_percent(ax.yaxis)
        name_axis(ax.xaxis, "training rows")
        name_axis(ax.yaxis, "error, with 95 % intervals")
        clear_frame(ax)

    def _name_parts(self) -> None:
        """Write next to the curve, its continuation and the range what they are."""
        answer, curve = self.result, self.result.curve
        about_it = (
            f"lowest possible error\n{percent(answer.estimate)} %\n({range_text(answer.useful_lower, answer.upper)})"
        )
        low = answer.estimate < 0.12 * self.ax_.get_ylim()[1]  # the text stays above the axis
        where = self.ax_.get_yaxis_transform()
        va = "bottom" if low else "center"
        write_at(self.ax_, about_it, (1.0, answer.estimate), (9, -4 if low else 0), xycoords=where, va=va)
        if curve.measured.any():
            place = curve.n_rows[0], curve.high[curve.measured].max()
            write_at(self.ax_, "cross-validated", place, (-3, 3), va="bottom")
        if not curve.measured.all():
            far = np.flatnonzero(~curve.measured)[np.count_nonzero(~curve.measured) // 3 :]  # below the text
            height = min(curve.high[far].max(), 0.92 * self.ax_.get_ylim()[1])
            write_at(self.ax_, "predicted", (curve.n_rows[-1], height), (0, 3), va="bottom", ha="right")

    def _title(self) -> str:
        if not self.result.best:
            return "Learning curve: no learner could be trained"
        (name,) = label_texts([learner_name(self.result.best)], NAME)
        return f"Learning curve of the best learner: {name}"

    def _caption(self) -> str:
        answer = self.result
        if not answer.best:
            return f"{self._title()}, from {how_many(answer.n_rows, 'row')}."
        return (
            f"{self._title()}, from {how_many(answer.n_rows, 'row')}. Dots are cross-validated errors, dashed are "
            "predicted ones, both with 95 % intervals. Line and bar on the right: the lowest possible error, "
            f"{about(answer.estimate, answer.useful_lower, answer.upper)}. "
            f"{fade_text(answer.useful_lower, proved=answer.proved)}"
        ).rstrip()

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
