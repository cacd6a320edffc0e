"""``SelectionDisplay``: how each feature lowers the fraction of cross-class edges, and the result on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    FAINT,
    MOST,
    ROW,
    ResultDisplay,
    check_most,
    draw_dots,
    draw_intervals,
    draw_references,
    frame_rows,
    label_texts,
    name_above,
    name_rows,
    wide_enough,
    write_columns,
    write_title,
)
from bayesfloor.support._types import Ints
from bayesfloor.support._words import how_many, percent

if TYPE_CHECKING:
    from bayesfloor.decide._features import FloorSelector, HoldOut, SelectionPath

_APART = 1.4  # distance from the last step to the result on held-out rows, in rows of the plot


@dataclass(eq=False, repr=False)
class SelectionDisplay(ResultDisplay):
    """Features in the order of selection, with the fraction of cross-class edges after each step.

    The steps are measured on the rows used for the selection, so they are optimistic. Steps without a significant gain
    have hollow dots and a note. The result on held-out rows is at the bottom. The dashed line is the fraction with all
    features, on the same rows.

    Parameters
    ----------
    result : SelectionPath
        ``path_`` of a fitted ``FloorSelector``.

    Attributes
    ----------
    shown_ : int array
        Which steps are drawn, from top to bottom.
    dots_, intervals_ : PathCollection, LineCollection or None
        Fractions of cross-class edges, and the intervals for each step's gain if that was the selection criterion.
    all_ : LineCollection
        Fraction of cross-class edges with all features, on the selection rows and on the held-out rows.
    held_out_ : PathCollection or None
        Fraction of cross-class edges with the selected features, on held-out rows.

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
        y = [*range(n), *([] if held_out is None else [n - 1 + _APART])]
        names = self._names()
        ax = self._start(ax, wide_enough(names, 2.9), 1.15 + ROW * (y[-1] + 0.6))
        self._draw_steps(np.arange(n))
        self._write(y, names)
        self.held_out_ = None if held_out is None else self._draw_held_out(y[-1], held_out)
        frame_rows(ax, y[-1] + 0.6, "cross-class edges")
        name_above(ax, self.result.all_cross_rate, f"all {self.result.n_all:,} features")
        write_title(ax, self._title(n), 16)
        self.caption_ = self._caption(n)
        return self

    def _draw_steps(self, y: Ints) -> None:
        ax, found, shown = self.ax_, self.result, self.shown_
        rate, self.intervals_ = found.cross_rate[shown], None
        self.all_ = draw_references(ax, y, np.full(len(y), found.all_cross_rate))
        if found.criterion == "overall":
            reach = found.gain[shown] - found.gain_low[shown]
            self.intervals_ = draw_intervals(ax, y, np.maximum(rate - reach, 0.0), rate + reach)
        self.dots_ = draw_dots(ax, y, rate, found.shown[shown])

    def _names(self) -> list[str]:
        found = self.result
        short = iter(label_texts([name for names in found.added for name in names]))
        steps = [" + ".join(next(short) for _ in names) for names in found.added]
        return [*(steps[k] for k in self.shown_), *([] if found.holdout is None else ["on held-out rows"])]

    def _write(self, y: list[float], names: list[str]) -> None:
        found, k = self.result, self.shown_
        counts, rates = [f"{found.n_features[step]:,}" for step in k], list(found.cross_rate[k])
        words = ["" if gained else "no significant gain" for gained in found.shown[k]]
        if found.holdout is not None:
            counts, rates = [*counts, counts[-1]], [*rates, found.holdout.cross_rate]
            words = [*words, found.holdout.word]
        name_rows(self.ax_, y, names, {"features": counts})
        columns = {"edges": [f"{percent(rate)} %" for rate in rates], "": words}
        write_columns(self.ax_, y, columns, ("o", ""))

    def _draw_held_out(self, y: float, held_out: HoldOut) -> Any:
        """Draw the selected features on held-out rows, compared with all features."""
        ax, whole = self.ax_, held_out.all_cross_rate
        ax.axhline(y - _APART / 2, color=FAINT, linewidth=0.8)
        draw_references(ax, [y], np.array([whole]))
        draw_intervals(ax, [y], [max(0.0, whole + held_out.difference_low)], [whole + held_out.difference_high])
        return draw_dots(ax, [y], [held_out.cross_rate], np.array([True]))

    def _title(self, n: int) -> str:
        n_steps, found = len(self.result.added), self.result
        part = f", first {n - 1} and the last of {n_steps} steps" if n < n_steps else ""
        return f"{found.n_features[-1]:,} of {found.n_all:,} features{part}"

    def _caption(self, n: int) -> str:
        found, level = self.result, f"{100 * self.result.level:g} % confidence intervals"
        sentences = [
            (
                f"{self._title(n)}: cross-class edges after each step (dots; hollow: no significant gain), on the "
                f"{how_many(found.n_rows, 'row')} used for the selection."
            ),
            "" if self.intervals_ is None else f"Lines are {level} for the gain of the step.",
            "Dashed: all features, on the same rows.",
        ]
        if found.holdout is not None:
            rows = how_many(found.holdout.n_rows, "held-out row")
            sentences.append(f"Last line: {rows}, with the interval for the difference from all features.")
        return " ".join(sentence for sentence in sentences if sentence)


def _first_and_last(n: int, most: int | None) -> Ints:
    every = np.arange(n)
    return every if most is None or n <= most else np.append(every[: most - 1], n - 1)
