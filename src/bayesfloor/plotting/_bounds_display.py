"""``BoundsDisplay``: bounds and estimate against the true Bayes error, as in the paper's first figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._types import Floats
from bayesfloor.formulas._henze_penrose import henze_penrose
from bayesfloor.plotting._display import (
    DARK,
    GREY,
    LIGHT,
    STRONG,
    Display,
    clear_frame,
    swatch,
    title_and_legend,
)
from bayesfloor.plotting._gaussians import bayes_error, cross_counts

SPREAD = (0.05, 0.95)  # quantiles of repetitions that a band reaches


@dataclass(eq=False, repr=False)
class BoundsDisplay(Display):
    """Bounds on the Bayes error, their middle and the truth, over anything that changes the truth.

    Parameters
    ----------
    x : (m,) array
        What is varied, such as the distance between two classes.
    truth : (m,) array
        The true Bayes error.
    lower, estimate, upper : (repetitions, m) arrays
        Bounds and their middle, with the bias correction.
    uncorrected : (repetitions, m) array or None
        The middle without it.
    name : str
        What ``x`` is.

    Attributes
    ----------
    lines_ : dict of name -> Line2D
        "truth", and means over repetitions: "lower", "estimate", "upper", "uncorrected".
    band_ : PolyCollection
        Where 90 % of the estimates are.

    Examples
    --------
    >>> from bayesfloor.plotting import BoundsDisplay
    >>> display = BoundsDisplay.from_gaussians([0, 1, 2, 3], n_rows=100, repetitions=2)
    >>> display.truth.round(2)
    array([0.33, 0.27, 0.14, 0.06])
    """

    x: Floats
    truth: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    uncorrected: Floats | None = None
    name: str = "distance between class means"

    @classmethod
    def from_gaussians(
        cls,
        distances: ArrayLike,
        *,
        n_rows: int = 1000,
        repetitions: int = 20,
        proportion: float = 1 / 3,
        n_trees: int = 1,
        random_state: int = 0,
        **looks: Any,
    ) -> BoundsDisplay:
        """Draw two spherical Gaussian classes in the plane that move apart.

        Parameters
        ----------
        distances : array-like
            Distances between the class means.
        n_rows, repetitions : int
            Rows of a sample, and samples at each distance; the paper has 1,000 and 200.
        proportion : float, default=1/3
            Proportion of the first class; the paper has 0.15 as well.
        n_trees : int, default=1
            Number of orthogonal trees.
        random_state : int, default=0
            Seed.
        **looks
            Arguments of ``plot``.
        """
        x, rng = np.asarray(distances, dtype=np.float64), np.random.default_rng(random_state)
        sizes = round(proportion * n_rows), n_rows - round(proportion * n_rows)
        R = np.array([[cross_counts(far, sizes, n_trees, rng).mean() for far in x] for _ in range(repetitions)])
        with_, without = (henze_penrose(R, *sizes, bias_correction=corrected) for corrected in (True, False))
        lower, middle, upper = map(np.asarray, (with_.lower, with_.estimate, with_.upper))
        return cls(x, bayes_error(x, proportion), lower, middle, upper, np.asarray(without.estimate)).plot(**looks)

    def plot(self, *, ax: Any = None) -> BoundsDisplay:
        """Draw all curves."""
        ax = self._start(ax, 6.0, 4.2)
        self.band_ = ax.fill_between(self.x, *np.quantile(self.estimate, SPREAD, axis=0), color=LIGHT, linewidth=0)
        self.lines_ = {name: self._draw(name, **looks) for name, looks in self._looks.items()}
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel(self.name, size=9)
        ax.set_ylabel("error", size=9)
        clear_frame(ax)
        band = swatch("90 % of estimates", color=LIGHT, linewidth=0)
        title_and_legend(ax, "Bounds on the Bayes error", [*self.lines_.values(), band], 2)
        return self

    @property
    def _looks(self) -> dict[str, dict[str, Any]]:
        """Lines by name; styles and markers tell them apart without colour."""
        looks: dict[str, dict[str, Any]] = {
            "truth": {"color": DARK, "linewidth": 2.2, "label": "true Bayes error"},
            "upper": {"color": GREY, "linestyle": "--", "marker": "v", "label": "upper bound"},
            "estimate": {"color": STRONG, "marker": "o", "label": "estimate"},
            "lower": {"color": GREY, "linestyle": "--", "marker": "^", "label": "lower bound"},
            "uncorrected": {"color": STRONG, "linestyle": ":", "marker": "x", "label": "estimate, no bias correction"},
        }
        return looks if self.uncorrected is not None else {k: v for k, v in looks.items() if k != "uncorrected"}

    def _draw(self, name: str, **looks: Any) -> Any:
        values = np.asarray(getattr(self, name))
        mean = values.mean(axis=0) if values.ndim == 2 else values
        return self.ax_.plot(self.x, mean, **{"markersize": 4, "linewidth": 1.3, **looks})[0]

    def _columns(self) -> dict[str, Any]:
        low, high = np.quantile(self.estimate, SPREAD, axis=0)
        means = {name: np.mean(getattr(self, name), axis=0) for name in ("lower", "estimate", "upper")}
        extra = {} if self.uncorrected is None else {"uncorrected": self.uncorrected.mean(axis=0)}
        return {"x": self.x, "truth": self.truth, **means, "estimate_low": low, "estimate_high": high, **extra}
