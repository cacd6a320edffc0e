"""``PredictedDisplay``: true numbers against predicted ones, with the band that noise explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.answer._metrics import NUMBERS
from bayesfloor.plotting._display import (
    INK,
    LIGHT,
    SMALL,
    STRONG,
    Display,
    clear_frame,
    label_texts,
    name_axis,
    write_title,
)
from bayesfloor.plotting._forecast_display import NAME, learner_name
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import plain
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, number_text

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.decide._number_rows import OddNumbers

_MOST = 2_000  # points
_SPREADS = 1.96  # to each side; 95 % of normal noise stays within
_EDGE = 0.03  # of the axes, outside all points


@dataclass(eq=False, repr=False)
class PredictedDisplay(Display):
    """True numbers against predicted ones, with the diagonal and a band for the noise around it.

    Each row was predicted by the best learner, trained on other rows. The band reaches 1.96 times the lowest possible
    RMSE to each side if the answer is by RMSE and known, otherwise 1.96 times the RMSE of these predictions. At most
    2,000 points are drawn, evenly over all predictions.

    Parameters
    ----------
    answer : Answer
        For numbers, such as ``Check.answer`` or ``Check.beside["rmse"]``; not one that was read from a file.
    odd : OddNumbers, default=None
        Rows to mark, from ``Check.odd``. Marks that are far outside stand at the edge.

    Attributes
    ----------
    points_, odd_points_ : PathCollection
        Rows, and those to mark; None if there are none to mark.
    diagonal_, band_ : Line2D, PolyCollection
        Predictions that are right, and the noise around them.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> from bayesfloor.plotting import PredictedDisplay
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> found = bayesfloor.check(x, x[:, 0] + 0.1 * x[:, 1], metric="rmse", effort="quick")
    >>> len(PredictedDisplay.from_answer(found.answer).points_.get_offsets())
    300
    """

    answer: Answer
    odd: OddNumbers | None = None

    @classmethod
    def from_answer(cls, answer: Answer, odd: OddNumbers | None = None, **looks: Any) -> PredictedDisplay:
        """Draw the predictions behind an answer for numbers; further arguments go to ``plot``."""
        if answer.of.task != NUMBERS:
            raise InputError(
                f"Got an answer by {answer.metric}, but expected one for numbers, such as that of "
                "check(X, y, metric='rmse')."
            )
        return cls(answer, odd).plot(**looks)

    def plot(self, *, ax: Any = None) -> PredictedDisplay:
        """Draw true numbers against predicted ones: with noise in the true ones, the band is straight."""
        found = place_rows(self.answer, self.odd, _MOST)
        ends, reach = found.ends, found.reach
        ax = self._start(ax, 4.8, 4.8)
        self.points_ = ax.scatter(found.predicted, found.y, s=6, color=INK, alpha=0.35, linewidth=0)
        self.band_ = ax.fill_between(ends, ends - reach, ends + reach, color=LIGHT, linewidth=0, zorder=0)
        (self.diagonal_,) = ax.plot(ends, ends, color=INK, linewidth=1.2, zorder=1.5)
        ax.set(xlim=ends, ylim=ends, aspect="equal")
        self._draw_odd(found)
        for axis, name in ((ax.xaxis, "predicted"), (ax.yaxis, "true")):
            axis.set_major_formatter(lambda value, _: f"{value:,.6g}")
            name_axis(axis, name)
        ax.locator_params(nbins=5)
        clear_frame(ax)
        write_title(ax, self._title())
        self.caption_ = self._caption(found)
        return self

    def _draw_odd(self, found: Places) -> None:
        """Mark rows that do not fit, and write beside the points what band and marks are."""
        self.odd_points_, texts = None, [f"band: ±{number_text(found.reach, 3)}"]
        if found.odd.size:
            self.odd_points_ = self.ax_.scatter(*found.odd, s=22, marker="D", color=STRONG, zorder=3, clip_on=False)
            texts += ["diamonds: do not fit"]
        for line, text in enumerate(texts):
            where = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top"}
            self.ax_.annotate(text, (0.0, 1.0), (5, -3 - 12 * line), size=SMALL, color=INK, **where)

    def _title(self) -> str:
        if not self.answer.best:
            return "Predicted and true numbers: no learner could be trained"
        (name,) = label_texts([learner_name(self.answer.best, NUMBERS)], NAME)
        return f"Predicted and true numbers: {name}"

    def _caption(self, found: Places) -> str:
        n_shown, n_rows = len(found.y) + found.odd.shape[1], self.answer.n_rows
        rows = how_many(n_rows, "row") if n_shown == n_rows else f"{n_shown:,} of {how_many(n_rows, 'row')}"
        marks = " Diamonds: rows that do not fit; if far outside, at the edge." if found.odd.size else ""
        return (
            f"{self._title()}. {rows}, each predicted by a learner that was trained on others. Line: predictions that "
            f"are right. Band: 1.96 times {found.unit} to each side, as for 95 % of normal noise.{marks}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain values."""
        return {name: plain(values) for name, values in self._columns().items()}

    def _columns(self) -> dict[str, Any]:
        return dict(zip(("row", "y", "predicted"), _rows(self.answer), strict=True))


class Places(NamedTuple):
    """What a picture of predictions shows: rows, those that do not fit (predicted and true), ends and band.

    ``unit`` says what the band is 1.96 times of.
    """

    predicted: Floats
    y: Floats
    odd: Floats
    ends: Floats
    reach: float
    unit: str


def place_rows(answer: Answer, odd: OddNumbers | None, most: int) -> Places:
    """Choose rows evenly over all predictions; those that do not fit move to the edge, if far outside."""
    row, y, predicted = _rows(answer)
    rmse, unit = float(np.sqrt(np.mean((y - predicted) ** 2))), "the RMSE of these predictions"
    if answer.metric == "rmse" and answer.unknown is None:  # with outliers, for example, the answer says nothing
        rmse, unit = answer.estimate, "the lowest possible RMSE"
    marked = np.empty((2, 0)) if odd is None else np.stack([odd.predicted, odd.y])
    own = np.isin(row, [] if odd is None else odd.row, invert=True)
    y, predicted = y[own], predicted[own]
    low, high = min(y.min(), predicted.min()), max(y.max(), predicted.max())
    ends = np.array([low, high]) + _EDGE * (high - low) * np.array([-1, 1])
    shown = np.argsort(predicted, kind="stable")[np.linspace(0, len(y) - 1, min(len(y), most)).astype(int)]
    return Places(predicted[shown], y[shown], np.clip(marked, *ends), ends, _SPREADS * rmse, unit)


def _rows(answer: Answer) -> tuple[Ints, Floats, Floats]:
    """Return each tested row's number in the input, its true number and the predicted one."""
    from bayesfloor.decide._number_rows import out_of_fold  # late import: it loads scikit-learn

    race, predicted = out_of_fold(answer)
    return race.row, np.asarray(race.y), predicted
