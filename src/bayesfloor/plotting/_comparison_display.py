"""``ComparisonDisplay``: the errors of representations today, with more rows, and at best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    INK,
    MIDDLE,
    MOST,
    PAPER,
    ROW,
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
from bayesfloor.support._words import how_many

if TYPE_CHECKING:
    from bayesfloor.decide._representations import Comparison


@dataclass(eq=False, repr=False)
class ComparisonDisplay(ResultDisplay):
    """Representations by their errors, the best first.

    Each row has the cross-validated error today with its 95 % interval, the error expected with four times as many
    rows, and the lowest possible one. Hollow dots are worse than the best. By other metrics than accuracy, the axis
    shows losses, which are lower for better scores.

    Parameters
    ----------
    result : Comparison
        From ``compare_representations``.

    Attributes
    ----------
    dots_, intervals_ : PathCollection, LineCollection
        Errors today, hollow for worse representations, and their intervals.
    ahead_, lowest_ : PathCollection
        Errors with four times as many rows, and the lowest possible ones.
    words_ : list of Text
        "best", "no clear difference" or "worse" for each representation.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import compare_representations
    >>> from bayesfloor.plotting import ComparisonDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"all": X, "first two": X[:, :2]}, y)
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
        frame_rows(ax, n - 0.4, self._axis(), percent=self.result.of.is_score)
        write_title(ax, self._title(n), 16)
        self.caption_ = self._caption(n)
        return self

    def _draw(self, n: int) -> None:
        found, y, ax = self.result, np.arange(n), self.ax_
        self.intervals_ = draw_intervals(ax, y, np.maximum(found.error_low[:n], 0.0), found.error_high[:n])
        inks = [PAPER if word == "worse" else STRONG for word in found.word[:n]]
        looks: dict[str, Any] = {"s": 26, "linewidths": 1.2, "zorder": 3, "clip_on": False}
        self.ahead_ = ax.scatter(found.error_4x[:n], y, marker="s", color=MIDDLE, **looks | {"s": 18})
        self.lowest_ = ax.scatter(found.lowest[:n], y, marker="D", color=INK, **looks | {"s": 14})
        self.dots_ = ax.scatter(found.error[:n], y, c=inks, edgecolors=STRONG, **looks)

    def _write(self, names: list[str]) -> None:
        found, n = self.result, len(names)
        name_rows(self.ax_, range(n), names, {"features": [f"{each:,}" for each in found.n_features[:n]]})
        columns = {"today": found.error, "4 x rows": found.error_4x, "at best": found.lowest}
        right = {head: [found.tell(each) for each in values[:n]] for head, values in columns.items()}
        self.words_ = write_columns(self.ax_, range(n), {**right, "": found.word[:n]}, ("o", "s", "D", ""))
        self.words_[0].set_weight("bold")

    def _axis(self) -> str:
        found = self.result
        return f"1 - {found.quantity}" if found.of.is_score and found.quantity != "error" else found.quantity

    def _title(self, n: int) -> str:
        n_all = len(self.result.names)
        return f"{n} best of {n_all} representations" if n < n_all else f"{n_all} representations, best first"

    def _caption(self, n: int) -> str:
        rows = how_many(self.result.n_rows, "row")
        return (
            f"{self._title(n)}, by their {self._axis()}: today (dots, with 95 % intervals, tested on {rows}), expected "
            "with four times as many rows (squares), and at best (diamonds). Hollow dots are worse than the best."
        )
