"""``TreesDisplay``: what more orthogonal trees do to the estimate, as in the paper's second figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.formulas._henze_penrose import henze_penrose
from bayesfloor.plotting._bounds_display import SPREAD
from bayesfloor.plotting._display import DARK, LIGHT, STRONG, Display, clear_frame, stroke, swatch, title_and_legend
from bayesfloor.plotting._gaussians import bayes_error, cross_counts


@dataclass(eq=False, repr=False)
class TreesDisplay(Display):
    """Mean and spread of the estimate over the number of trees, beside the truth.

    Parameters
    ----------
    n_trees : (m,) int array
        Numbers of trees.
    estimates : (repetitions, m) array
        The estimate of each sample with so many trees.
    truth : float
        The true Bayes error.

    Attributes
    ----------
    line_, bars_, band_ : Line2D, LineCollection, PolyCollection
        Means, standard deviations, and where 90 % of the estimates are.

    Examples
    --------
    >>> from bayesfloor.plotting import TreesDisplay
    >>> display = TreesDisplay.from_gaussians(2.0, most_trees=3, n_rows=100, repetitions=3)
    >>> display.estimates.shape
    (3, 3)
    """

    n_trees: Ints
    estimates: Floats
    truth: float

    @classmethod
    def from_gaussians(
        cls,
        distance: float,
        *,
        most_trees: int = 8,
        n_rows: int = 1000,
        repetitions: int = 20,
        proportion: float = 1 / 3,
        random_state: int = 0,
        **looks: Any,
    ) -> TreesDisplay:
        """Draw two spherical Gaussian classes in the plane, so far apart.

        Parameters
        ----------
        distance : float
            Distance between the class means.
        most_trees : int, default=8
            Trees are added up to so many.
        n_rows, repetitions : int
            Rows of a sample, and samples; the paper has 1,000 and 500.
        proportion : float, default=1/3
            Proportion of the first class.
        random_state : int, default=0
            Seed.
        **looks
            Arguments of ``plot``.
        """
        rng, n_trees = np.random.default_rng(random_state), np.arange(1, most_trees + 1)
        sizes = round(proportion * n_rows), n_rows - round(proportion * n_rows)
        R = np.array([cross_counts(distance, sizes, most_trees, rng) for _ in range(repetitions)])
        found = henze_penrose(np.cumsum(R, axis=1) / n_trees, *sizes)
        return cls(n_trees, np.asarray(found.estimate), float(bayes_error(distance, proportion))).plot(**looks)

    def plot(self, *, ax: Any = None) -> TreesDisplay:
        """Draw means and spread."""
        ax = self._start(ax, 6.0, 3.8)
        mean, error = self.estimates.mean(axis=0), self.estimates.std(axis=0)
        self.band_ = ax.fill_between(
            self.n_trees, *np.quantile(self.estimates, SPREAD, axis=0), color=LIGHT, linewidth=0
        )
        self.bars_ = ax.vlines(self.n_trees, mean - error, mean + error, colors=STRONG, linewidth=1.3)
        (self.line_,) = ax.plot(self.n_trees, mean, color=STRONG, marker="o", markersize=5)
        ax.axhline(self.truth, color=DARK, linestyle="--", linewidth=1.5)
        ax.set_xticks(self.n_trees)
        ax.set_xlabel("orthogonal trees", size=9)
        ax.set_ylabel("error", size=9)
        clear_frame(ax)
        title_and_legend(ax, "Estimate by number of trees", self._handles(), 2)
        return self

    def _handles(self) -> list[Any]:
        return [
            stroke("mean estimate; bar: standard deviation", color=STRONG, marker="o", markersize=5),
            swatch("90 % of estimates", color=LIGHT, linewidth=0),
            stroke(f"true Bayes error {self.truth:.3f}", color=DARK, linestyle="--"),
        ]

    def _columns(self) -> dict[str, Any]:
        low, high = np.quantile(self.estimates, SPREAD, axis=0)
        spread = {"std": self.estimates.std(axis=0), "low": low, "high": high}
        return {"n_trees": self.n_trees, "mean": self.estimates.mean(axis=0), **spread}
