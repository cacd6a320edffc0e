"""``SampleScoreDisplay``: how suspicious the labels are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.floor._results import SampleScores
from bayesfloor.plotting._display import DARK, LIGHT, STRONG, Display, clear_frame, swatch, title_and_legend

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
        ax = self._start(ax, 6.0, 3.6)
        finite = np.isfinite(self.score)
        edges = np.histogram_bin_edges(self.score[finite], bins)
        few, hatched = {"color": LIGHT}, {"facecolor": "white", "edgecolor": STRONG, "hatch": "//////"}
        self.all_ = self._draw(self.score[finite], edges, few)
        self.suspects_ = self._draw(self.score[finite & self.suspect], edges, hatched)
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.6)  # so that a bar of one row is visible
        ax.set_xlabel("score (higher: more suspicious label)", size=9)
        ax.set_ylabel("rows (log scale)", size=9)
        clear_frame(ax)
        title_and_legend(ax, "How suspicious the labels are", self._handles(few, hatched))
        return self

    def _draw(self, score: Floats, edges: Floats, looks: dict[str, Any]) -> Any:
        """Draw the bars of all or of suspicious rows; both start at the bottom, because a log scale cannot stack."""
        counts = np.histogram(score, edges)[0]
        style = {"edgecolor": DARK, "linewidth": 0.5, **looks}
        return self.ax_.bar(edges[:-1], counts.astype(float), np.diff(edges), align="edge", **style)

    def _handles(self, few: dict[str, Any], hatched: dict[str, Any]) -> list[Any]:
        n_suspects = int(np.count_nonzero(self.suspect))
        return [
            swatch(f"all {len(self.score):,} rows", linewidth=0.5, edgecolor=DARK, facecolor=few["color"]),
            swatch(f"{n_suspects:,} suspicious" if n_suspects else "none suspicious", linewidth=0.5, **hatched),
        ]
