"""``SampleScoreDisplay``: how suspicious the labels are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.floor._results import SampleScores
from bayesfloor.plotting._display import (
    LIGHT,
    PAPER,
    SMALL,
    SOFT,
    STRONG,
    Display,
    clear_frame,
    name_axis,
    write_title,
)
from bayesfloor.support._types import Floats
from bayesfloor.support._words import how_many

_BINS = 40


@dataclass(eq=False, repr=False)
class SampleScoreDisplay(Display):
    """Histogram of the rows' scores, with suspicious rows hatched in front of all rows.

    Parameters
    ----------
    score : (n,) array
        Higher means more suspicious.
    suspect : (n,) bool array
        Rows with suspicious labels.

    Attributes
    ----------
    all_, suspects_ : BarContainer
        Number of rows per bin: all rows, and suspicious rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import SampleScoreDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = SampleScoreDisplay.from_estimator(floor)
    >>> print(sum(bar.get_height() for bar in display.all_))
    150.0
    """

    score: Floats
    suspect: np.ndarray

    @classmethod
    def from_estimator(cls, floor: Any, **looks: Any) -> SampleScoreDisplay:
        """Draw the scores of a fitted ``BayesFloor``; further arguments go to ``plot``."""
        return cls.from_results(floor.samples_, **looks)

    @classmethod
    def from_results(cls, samples: SampleScores, **looks: Any) -> SampleScoreDisplay:
        """Draw scores, including those from ``suspicious_labels``; further arguments go to ``plot``."""
        return cls(samples.score, samples.suspect).plot(**looks)

    def plot(self, *, ax: Any = None, bins: int = _BINS) -> SampleScoreDisplay:
        """Draw the histogram.

        bins : int, default=40
            Number of bins.
        """
        ax = self._start(ax, 6.0, 3.4)
        finite = np.isfinite(self.score)
        edges = np.histogram_bin_edges(self.score[finite], bins)
        self.all_ = self._draw(self.score[finite], edges, {"color": LIGHT, "edgecolor": SOFT})
        hatched = {"facecolor": PAPER, "edgecolor": STRONG, "hatch": "//////"}
        self.suspects_ = self._draw(self.score[finite & self.suspect], edges, hatched)
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.6)  # so that a bar of one row is visible
        ax.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        name_axis(ax.xaxis, "score (higher: more suspicious label)")
        name_axis(ax.yaxis, "rows (log scale)")
        clear_frame(ax)
        self._name_bars(edges)
        write_title(ax, self._title())
        self.caption_ = self._caption()
        return self

    def _name_bars(self, edges: Floats) -> None:
        """Write next to the hatched bars what they are."""
        counts = np.array([bar.get_height() for bar in self.suspects_])
        if not counts.any():
            return
        last = int(np.flatnonzero(counts)[-1])
        style = {"ha": "right", "va": "bottom", "size": SMALL, "color": STRONG, "annotation_clip": False}
        place = edges[last + 1], max(bar.get_height() for bar in self.all_[max(0, last - len(counts) // 3) :])
        self.ax_.annotate("suspicious (hatched)", place, (0, 4), textcoords="offset points", **style)

    def _draw(self, score: Floats, edges: Floats, looks: dict[str, Any]) -> Any:
        """Draw the bars of all or of suspicious rows; both start at the bottom, because a log scale cannot stack."""
        counts = np.histogram(score, edges)[0]
        style = {"linewidth": 0.6, **looks}
        return self.ax_.bar(edges[:-1], counts.astype(float), np.diff(edges), align="edge", **style)

    def _title(self) -> str:
        found = f"{np.count_nonzero(self.suspect):,} of {how_many(len(self.score), 'row')}"
        return f"Suspicious labels: {found}"

    def _caption(self) -> str:
        return f"{self._title()}. Histogram of the scores of all rows; suspicious rows are hatched."
