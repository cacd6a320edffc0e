"""``ForecastDisplay``: what the best model could reach, now, with more rows and with any number of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._metrics import CLASSES, IN_PERCENT, score_text, span_text, wish
from bayesfloor.plotting._display import (
    INK,
    LIGHT,
    MIDDLE,
    ROW,
    SOFT,
    STRONG,
    Display,
    frame_rows,
    name_rows,
    wide_enough,
    write_at,
    write_beside,
    write_title,
)
from bayesfloor.support._errors import InputError
from bayesfloor.support._words import about, chance_text, how_many, percent

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.answer._forecast import Forecast
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.support._types import Floats

_TIMES = (1, 2, 4, 16, 64)  # as many rows; the last row of the picture is for any number
_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)
_FAR = 0.5  # if all errors are below this fraction of guessing's error, only the left part of the ruler is drawn
NAME = 28  # characters in the name of a learner


@dataclass(eq=False, repr=False)
class ForecastDisplay(Display):
    """What the best model could reach with 1, 2, 4, 16 and 64 times as many rows, and with any number of them.

    The ruler runs from the best possible value, on the left, to that of guessing. If all values are far from that of
    guessing, it ends earlier and says so.

    Parameters
    ----------
    answer : Answer
        From ``BayesFloor.answer`` or ``Check.answer``.
    target : float, default=None
        A score to mark, in the unit of the answer's metric; its probability is then written beside each row.

    Attributes
    ----------
    bars_, cores_ : BarContainer
        95 % and 50 % intervals.
    medians_ : LineCollection
        Best estimates.
    markers_ : PathCollection
        Cross-validated errors, or other losses, of the learners tried.
    zoomed_ : bool
        Whether the ruler ends before guessing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import ForecastDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> len(ForecastDisplay.from_estimator(floor, target=0.95).bars_)
    6
    """

    answer: Answer
    target: float | None = None

    @classmethod
    def from_estimator(
        cls, floor: BayesFloor, *, target: float | None = None, effort: str = "normal", **looks: Any
    ) -> ForecastDisplay:
        """Draw the forecast of a fitted ``BayesFloor``, with this effort; further arguments go to ``plot``."""
        return cls.from_answer(floor.answer(effort), target, **looks)

    @classmethod
    def from_answer(cls, answer: Answer, target: float | None = None, **looks: Any) -> ForecastDisplay:
        """Draw the forecast of an answer; further arguments go to ``plot``."""
        if target is not None:
            answer.of.check_target(target)
        return cls(answer, target).plot(**looks)

    @property
    def _forecast(self) -> Forecast:
        if self.answer.forecast is None:
            raise InputError("This answer has no forecast: no learning curve was measured, or it is for later periods.")
        return self.answer.forecast

    def plot(self, *, ax: Any = None) -> ForecastDisplay:
        """Draw the forecast."""
        names, ends = self._names(), self._ends()
        y = np.arange(len(names), dtype=np.float64)
        ax = self._start(ax, wide_enough(names, 2.4), 1.0 + ROW * (len(names) + 0.5))
        low, first, middle, last, high = ends.T
        self.bars_ = ax.barh(y, high - low, 0.6, low, color=LIGHT, linewidth=0)
        self.cores_ = ax.barh(y, last - first, 0.6, first, color=MIDDLE, linewidth=0)
        self.medians_ = ax.vlines(middle, y - 0.42, y + 0.42, colors=INK, linewidth=2.4)
        errors = [error for _, error in ranked(self.answer)]
        self.markers_ = ax.scatter(errors, np.zeros(len(errors)), s=16, color=STRONG, clip_on=False, zorder=3)
        name_rows(ax, y.tolist(), names, {})
        for at, text in zip(y, self._texts(ends), strict=True):
            write_beside(ax, 1.0, at, text, 6, **({"weight": "bold"} if at == y[-1] else {}))
        frame_rows(ax, y[-1] + 0.6, self._name_ruler(ends))
        if not self.answer.of.of_errors:
            ax.xaxis.set_major_formatter(lambda loss, _: self._tick(loss))
        self._draw_ends()
        write_title(ax, f"{self._title}, by training rows", 0 if self.target is None else 12)
        self.caption_ = self._caption()
        return self

    def _sizes(self) -> list[float | None]:
        return [*(float(times * self._forecast.n_rows) for times in _TIMES), None]

    def _names(self) -> list[str]:
        return [*(f"{times * self._forecast.n_rows:,}" for times in _TIMES), "unlimited"]

    def _ends(self) -> Floats:
        return np.stack([self._forecast.quantiles(_LEVELS, rows) for rows in self._sizes()])

    @property
    def _what(self) -> str:
        """What the ruler shows: errors rather than accuracies, and other metrics as they are."""
        return "error" if self.answer.of.of_errors else self.answer.of.words

    @property
    def _title(self) -> str:
        return f"{self._what[0].upper()}{self._what[1:]} of the best model"

    def _value(self, loss: float) -> str:
        return f"{percent(loss)} %" if self.answer.of.of_errors else score_text(self.answer.of, loss)

    def _about(self, middle: float, low: float, high: float) -> str:
        if self.answer.of.of_errors:
            return about(middle, low, high)
        return f"about {self._value(middle)} ({span_text(self.answer.of, low, high)})"

    def _tick(self, loss: float) -> str:
        """Return a number of the ruler, which is drawn in losses: the best end is on the left for all metrics."""
        if self.answer.of.is_score:
            score = round(1 - loss, 9)  # not -2e-16
            return f"{100 * score:.6g} %" if self.answer.metric in IN_PERCENT else f"{score:g}"
        return f"{loss:,.6g}"

    def _texts(self, ends: Floats) -> list[str]:
        texts = [self._about(middle, low, high) for low, _, middle, _, high in ends.tolist()]
        if self.target is None:
            return texts
        chances = [self.answer.chance(self.target, rows) for rows in self._sizes()]
        return [f"{text}   {'' if np.isnan(p) else chance_text(p)}" for text, p in zip(texts, chances, strict=True)]

    def _name_ruler(self, ends: Floats) -> str:
        marked = [] if self.target is None else [self.answer.of.loss(self.target)]
        self._top = max([float(ends.max()), *self.answer.errors.values(), *marked])
        self.zoomed_ = self._top < _FAR * self.answer.guessing
        guess = f"guessing: {self._value(self.answer.guessing)}"
        return f"{self._what} ({guess} →)" if self.zoomed_ else f"{self._what} (dotted: {guess})"

    def _draw_ends(self) -> None:
        ax, guessing = self.ax_, self.answer.guessing
        ax.set_xlim(0.0, max(1.06 * self._top, 1e-3 * guessing) if self.zoomed_ else 1.02 * max(self._top, guessing))
        if not self.zoomed_:
            ax.axvline(guessing, color=SOFT, linestyle=":", linewidth=1.2)
        if self.target is not None:
            error, text = self.answer.of.loss(self.target), f"target: {wish(self.answer.of, self.target)}"
            ax.axvline(error, color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
            way, side = (-3, "right") if error > 0.5 * ax.get_xlim()[1] else (3, "left")
            write_at(ax, text, (error, 1.0), (way, 3), xycoords=ax.get_xaxis_transform(), ha=side)

    def _caption(self) -> str:
        answer, what = self.answer, self._what
        classes = f" and {how_many(answer.n_classes, 'class')}" if answer.of.task == CLASSES else ""
        sentences = [
            (
                f"{self._title} by number of training rows, from {how_many(answer.n_rows, 'row')}{classes}: best "
                "estimate (mark), 50 % interval (dark) and 95 % interval (light)."
            ),
            f"With unlimited rows, it is the {'lowest' if answer.of.of_errors else 'best'} possible {what}.",
            f"Dots are cross-validated {'errors' if answer.of.of_errors else 'values'} of the models tried."
            if answer.errors
            else "",
            ""
            if self.target is None
            else f"Dashed: the target, {wish(answer.of, self.target)}, with its probability on the right.",
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer and the target as plain values."""
        return {"answer": self.answer.to_dict(), "target": self.target}

    def _columns(self) -> dict[str, Any]:
        ends, metric = self._ends(), self.answer.of
        if metric.is_score and not metric.of_errors:  # as the ruler shows them; the levels are symmetric
            ends = 1 - ends[:, ::-1]
        named = zip((f"{100 * level:g} %" for level in _LEVELS), ends.T.tolist(), strict=True)
        return {"training rows": self._names(), **dict(named)}


def ranked(answer: Answer) -> list[tuple[str, float]]:
    """Return learners and their cross-validated errors, smallest first; of several, the answer's best comes first."""
    return sorted(answer.errors.items(), key=lambda item: (item[1], item[0] != answer.best))


def learner_name(name: str, task: str = CLASSES) -> str:
    """Return a learner's name for a list, such as "random forest"; a user's learner keeps the name it was given."""
    from bayesfloor.answer._learners import BLEND, REGISTRY, called  # late import: it loads scikit-learn

    if name not in (*REGISTRY, BLEND):
        return name
    return called(name, task).removeprefix("an ").removeprefix("a ")
