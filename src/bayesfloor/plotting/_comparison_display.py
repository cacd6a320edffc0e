"""``ComparisonDisplay``: which representations have the fewest cross-class edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    DARK,
    GREY,
    LIGHT,
    MIDDLE,
    MOST,
    STRONG,
    ResultDisplay,
    check_most,
    stroke,
    swatch,
)
from bayesfloor.plotting._fonts import label_texts
from bayesfloor.plotting._named_rows import ABOVE, ROW, draw_intervals, draw_marks, frame_rows, name_rows, write_beside
from bayesfloor.selection._selection_path import NO_DIFFERENCE

if TYPE_CHECKING:
    from bayesfloor.selection._comparison import Comparison

_GROUND = {"best": MIDDLE, NO_DIFFERENCE: LIGHT, "worse": "white"}


@dataclass(eq=False, repr=False)
class ComparisonDisplay(ResultDisplay):
    """Representations by their cross-class edges, fewest first; those that are significantly worse are white.

    The hollow diamond below each bar is the best representation on the same rows. The line is the confidence interval
    for the difference from it: a representation is worse if the line is entirely to the right of the diamond. All of
    these are predicted for more rows; a cross is the measured value.

    Parameters
    ----------
    result : Comparison
        From ``compare_representations``.

    Attributes
    ----------
    bars_ : BarContainer
        Predicted fractions of cross-class edges.
    intervals_, marks_ : LineCollection, PathCollection
        Confidence intervals for the differences, and the best representation on the same rows.
    measured_ : PathCollection
        Measured fractions of cross-class edges.
    words_ : list of Text
        "best", "no significant difference" or "worse" for each representation.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> from bayesfloor.plotting import ComparisonDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler()}, y, X=X)
    >>> display = ComparisonDisplay.from_comparison(found)
    >>> [word.get_text() for word in display.words_]
    ['best', 'worse']
    """

    result: Comparison

    @classmethod
    def from_comparison(cls, comparison: Comparison, **looks: Any) -> ComparisonDisplay:
        """Draw a comparison; further arguments go to ``plot``."""
        return cls(comparison).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = MOST) -> ComparisonDisplay:
        """Draw a row for each representation.

        most : int or None, default=40
            Draw at most this many representations, the best ones. None draws all.
        """
        check_most(most)
        n = len(self.result.names[:most])
        ax = self._start(ax, 7.5, 1.75 + ROW * n)
        self._draw_bars(n)
        self._draw_texts(n)
        frame_rows(ax, n - 0.4, "cross-class edges", self._title(n), self._handles())
        return self

    def _draw_bars(self, n: int) -> None:
        found, y = self.result, np.arange(n)
        worse = np.array(found.word[:n]) == "worse"
        ground, ink = [_GROUND[word] for word in found.word[:n]], np.where(worse, GREY, DARK)
        looks = {"color": ground, "edgecolor": ink, "linewidth": 0.5}
        self.bars_ = self.ax_.barh(y + ABOVE, found.predicted[:n], 0.42, **looks)
        best = np.maximum(found.predicted - found.difference, 0.0)[:n]  # on the same rows
        low, high = best + found.difference_low[:n], best + found.difference_high[:n]
        self.intervals_ = draw_intervals(self.ax_, y[1:], low[1:], high[1:], STRONG)
        hollow = {"color": "white", "edgecolors": DARK, "linewidths": 0.9, "zorder": 3, "clip_on": False}
        self.marks_ = draw_marks(self.ax_, y, best, "D", s=13, **hollow)
        self.measured_ = draw_marks(self.ax_, y, found.cross_rate[:n], "x", s=16, color=GREY, linewidths=1.2)

    def _draw_texts(self, n: int) -> None:
        found, rows = self.result, self.result.n_rows
        columns = {"features": [f"{each:,}" for each in found.n_features[:n]]}
        if rows.min() < rows.max():
            columns["rows"] = [f"{each:,}" for each in rows[:n]]
        name_rows(self.ax_, range(n), label_texts(found.names)[:n], columns)
        self.words_ = [
            write_beside(self.ax_, 1.0, y, word, 5, size=8, color=DARK, weight="bold" if word == "best" else "normal")
            for y, word in enumerate(found.word[:n])
        ]

    def _handles(self) -> list[Any]:
        names = {"best": "best (bars: cross-class edges, predicted for more rows)"}
        edge, level = {"edgecolor": DARK, "linewidth": 0.5}, f"{100 * self.result.level:g} %"
        diamond = {"marker": "D", "color": "white", "markeredgecolor": DARK, "linestyle": "", "markersize": 4}
        kinds = [swatch(names.get(w, w), facecolor=_GROUND[w], **edge) for w in dict.fromkeys(self.result.word)]
        return [
            *kinds,
            stroke(f"simultaneous {level} CI for the difference from the best", color=STRONG, marker="|", markersize=5),
            stroke("the best, predicted from the same rows", **diamond),
            stroke("measured cross-class edges", color=GREY, marker="x", linestyle="", markersize=4),
        ]

    def _title(self, n: int) -> str:
        n_all = len(self.result.names)
        return f"{n} best of {n_all} representations" if n < n_all else "Representations by their cross-class edges"
