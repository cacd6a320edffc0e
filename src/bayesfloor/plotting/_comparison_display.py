"""``ComparisonDisplay``: which representations have the fewest cross-class edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    MOST,
    PAPER,
    ROW,
    SMALL,
    SOFT,
    STRONG,
    ResultDisplay,
    check_most,
    draw_intervals,
    frame_rows,
    label_texts,
    name_rows,
    wide_enough,
    write_columns,
    write_title,
)
from bayesfloor.support._words import how_many, percent

if TYPE_CHECKING:
    from bayesfloor.decide._representations import Comparison


@dataclass(eq=False, repr=False)
class ComparisonDisplay(ResultDisplay):
    """Representations by their fraction of cross-class edges, fewest first.

    The line through each dot is the confidence interval for the difference from the best, which is the dashed line: a
    representation is worse if its interval is entirely to the right of it. Fractions are predicted for more rows. If a
    representation dropped out early, it is compared with the best on as many rows.

    Parameters
    ----------
    result : Comparison
        From ``compare_representations``.

    Attributes
    ----------
    dots_, intervals_ : PathCollection, LineCollection
        Fractions of cross-class edges, hollow for worse ones, and intervals for the differences from the best.
    best_ : LineCollection
        The best representation, in each row as predicted from the same rows.
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
        names = label_texts(self.result.names)[:n]
        ax = self._start(ax, wide_enough(names, 3.3), 1.15 + ROW * n)
        self._draw(n)
        self._write(names)
        frame_rows(ax, n - 0.4, self._quantity())
        self._name_best(self.result.predicted[0])
        write_title(ax, self._title(n), 16)
        self.caption_ = self._caption(n)
        return self

    def _draw(self, n: int) -> None:
        found, y = self.result, np.arange(n)
        best = np.maximum(found.predicted - found.difference, 0.0)[:n]  # on the same rows
        low, high = (np.maximum(best + ends[:n], 0.0) for ends in (found.difference_low, found.difference_high))
        dashed = {"colors": SOFT, "linestyles": (0, (3, 2)), "linewidth": 1.2, "zorder": 1}
        self.best_ = self.ax_.vlines(best, y - 0.5, y + 0.5, **dashed)
        self.intervals_ = draw_intervals(self.ax_, y[1:], low[1:], high[1:])
        inks = [PAPER if word == "worse" else STRONG for word in found.word[:n]]
        looks = {"s": 26, "c": inks, "edgecolors": STRONG, "linewidths": 1.2, "zorder": 3, "clip_on": False}
        self.dots_ = self.ax_.scatter(found.predicted[:n], y, **looks)

    def _name_best(self, x: float) -> None:
        """Name the line at x above the first row, on the side that has more space."""
        left, right = self.ax_.get_xlim()
        side, offset = ("left", -3) if x - left < right - x else ("right", 3)
        style = {"ha": side, "va": "bottom", "size": SMALL, "color": SOFT, "annotation_clip": False}
        where = self.ax_.get_xaxis_transform()
        self.ax_.annotate("best", (x, 1.0), (offset, 3), xycoords=where, textcoords="offset points", **style)

    def _write(self, names: list[str]) -> None:
        found, rows, n = self.result, self.result.n_rows, len(names)
        columns = {"features": [f"{each:,}" for each in found.n_features[:n]]}
        if rows.min() < rows.max():
            columns["rows"] = [f"{each:,}" for each in rows[:n]]
        name_rows(self.ax_, range(n), names, columns)
        right = {"edges": [f"{percent(rate)} %" for rate in found.predicted[:n]], "": found.word[:n]}
        self.words_ = write_columns(self.ax_, range(n), right, ("o", ""))
        self.words_[0].set_weight("bold")

    def _quantity(self) -> str:
        ahead = "" if np.array_equal(self.result.predicted, self.result.cross_rate) else ", predicted for more rows"
        return f"cross-class edges{ahead}"

    def _title(self, n: int) -> str:
        n_all = len(self.result.names)
        return f"{n} best of {n_all} representations" if n < n_all else f"{n_all} representations, best first"

    def _caption(self, n: int) -> str:
        found = self.result
        rows = how_many(found.n_rows.max(), "row")
        return (
            f"{self._title(n)}, by their {self._quantity()} (dots), from {rows}. Lines are "
            f"simultaneous {100 * found.level:g} % confidence intervals for the difference from the best (dashed); "
            "hollow dots are significantly worse."
        )
