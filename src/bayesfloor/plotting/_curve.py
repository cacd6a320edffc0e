"""``FloorCurveDisplay``: how the floor goes on as rows are added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.counts._labels import Floats
from bayesfloor.floor._results import Floor
from bayesfloor.floor._spread import N_PARTS
from bayesfloor.formulas._limits import two_sided
from bayesfloor.formulas._multiclass import random_cross_rate
from bayesfloor.plotting._display import DARK, LIGHT, MIDDLE, Display, clear_frame, stroke, swatch, title_and_legend

_CLOSE = 0.13  # of the axis: what the name of a number of rows takes
_BEYOND = 4.0  # how many times the most rows the limit is drawn at


@dataclass(eq=False, repr=False)
class FloorCurveDisplay(Display):
    """The floor over the number of rows, and where it is expected to end.

    Points are estimates from a quarter of the rows (the mean of four or more quarters), from growing
    samples where there were any, and from all rows in use. Behind a dotted line stands the
    extrapolation to infinitely many rows. A curve that still falls says that bounds are too high.

    Parameters
    ----------
    n_rows : (m,) array
        Numbers of rows, ascending; infinity for the extrapolation.
    lower, estimate, upper : (m,) arrays
        Bounds and their middle.
    low, high : (m,) arrays
        Ends of the confidence interval of the estimate, from that of the share of cross edges.
    level : float
        Of the intervals.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Set by ``plot``.
    line_, bars_, band_ : Line2D, LineCollection, PolyCollection
        Estimates, their intervals, and the bounds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import FloorCurveDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> FloorCurveDisplay.from_estimator(floor).n_rows
    array([ 37.5, 150. ,   inf])
    """

    n_rows: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    low: Floats
    high: Floats
    level: float = 0.95

    @classmethod
    def from_estimator(cls, floor: Any, *, level: float = 0.95, **looks: Any) -> FloorCurveDisplay:
        """Draw what a fitted ``BayesFloor`` knows of its growth; further arguments go to ``plot``."""
        overall = floor.overall_
        points = sorted({n: (rate, *ends) for n, rate, *ends in _points(floor, level)}.items())
        columns = [_carry(overall, *rates) for _, rates in points]
        n_rows = np.array([n for n, _ in points], dtype=np.float64)
        lower, estimate, upper, low, high = np.array(columns).T
        return cls(n_rows, lower, estimate, upper, low, high, level).plot(**looks)

    def plot(self, *, ax: Any = None) -> FloorCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        self
        """
        ax = self._start(ax, 6.0, 4.0)
        last = self.n_rows[np.isfinite(self.n_rows)].max()
        x = np.minimum(self.n_rows, _BEYOND * last)
        ax.set_xscale("log")
        self._draw_curve(x, np.isfinite(self.n_rows))
        self._draw_axes(x, last)
        title_and_legend(ax, "Floor by number of rows", self._handles())
        return self

    def _draw_curve(self, x: Floats, known: np.ndarray) -> None:
        ax = self.ax_
        self.band_ = ax.fill_between(x[known], self.lower[known], self.upper[known], color=LIGHT, linewidth=0)
        self.bars_ = ax.vlines(x, self.low, self.high, colors=DARK, linewidth=1.2)
        (self.line_,) = ax.plot(x[known], self.estimate[known], color=DARK, marker="o", markersize=5)
        if not known.all():
            ax.vlines(x[~known], self.lower[~known], self.upper[~known], colors=LIGHT, linewidth=9, zorder=0)
            ax.plot(
                x[~known], self.estimate[~known], "D", color="white", markeredgecolor=DARK, markersize=6, clip_on=False
            )
            ax.plot(x[-2:], self.estimate[-2:], color=MIDDLE, linestyle=":", zorder=0.5)

    def _draw_axes(self, x: Floats, last: float) -> None:
        ax = self.ax_
        names = [f"{round(n):,}" if np.isfinite(n) else "∞" for n in self.n_rows]
        ax.set_xticks(x, _spaced(names, x))
        ax.set_xticks([], minor=True)
        ax.set_xlim(x.min() / 1.5, x.max() * 1.5)
        ax.set_ylim(bottom=0.0)
        if not np.isfinite(self.n_rows).all():
            ax.axvline(last * np.sqrt(_BEYOND), color=DARK, linestyle=(0, (1, 3)), linewidth=0.8)
        ax.set_xlabel("rows (log scale)", size=9)
        ax.set_ylabel("error", size=9)
        clear_frame(ax)

    def _handles(self) -> list[Any]:
        interval = f"bar: its {100 * self.level:g} % confidence interval"
        handles = [
            stroke(f"estimate; {interval}", color=DARK, marker="o", markersize=5),
            swatch("lower to upper bound", color=LIGHT, linewidth=0),
        ]
        if not np.isfinite(self.n_rows).all():
            text = "extrapolated to infinitely many rows"
            handles.append(stroke(text, marker="D", color="white", markeredgecolor=DARK, linestyle="", markersize=6))
        return handles

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("n_rows", "lower", "estimate", "upper", "low", "high")}


def _spaced(names: list[str], x: Floats) -> list[str]:
    """Names of places on a log axis without those that would touch the one before; the last two stay."""
    place = np.log(x) / max(np.log(x[-1] / x[0]), 1e-9)
    kept = list(range(max(0, len(names) - 2), len(names)))
    for i in range(kept[0] - 1, -1, -1):
        if place[kept[0]] - place[i] > _CLOSE:
            kept.insert(0, i)
    return [name if i in kept else "" for i, name in enumerate(names)]


def _points(floor: Any, level: float) -> list[tuple[float, float, float, float]]:
    """Rows, share of cross edges and its interval: from growing samples, a quarter, all rows, the limit.

    Quarters are dealt out, so together they are all rows, and the mean of four is about as sure as the
    rate of all.
    """
    overall = floor.overall_
    reach = two_sided(level) * np.array([point["std_error"] for point in floor.curve_])
    grown = [
        (point["n_rows"], point["cross_rate"], point["cross_rate"] - r, point["cross_rate"] + r)
        for point, r in zip(floor.curve_, reach, strict=True)
    ]
    found = [*grown, (overall.n_rows, overall.cross_rate, *overall.interval(level))]
    quarter, half = _quarter_rate(floor), (found[-1][3] - found[-1][2]) / 2
    if np.isfinite(quarter):
        found.insert(0, (overall.n_rows / N_PARTS, quarter, quarter - half, quarter + half))
    if np.isfinite(overall.limit):
        found.append((np.inf, overall.limit, *overall.limit_interval(level)))
    return found


def _quarter_rate(floor: Any) -> float:
    """Share of cross edges of a quarter: what the drop says, with the forced edges put back.

    NaN under labels other than those of the fit, of which no quarters were measured.
    """
    sizes = floor._labels.class_sizes  # noqa: SLF001 - a display of the same package
    n, chance, K = floor.overall_.n_rows, random_cross_rate(sizes), len(sizes)
    forced = (K - 1) / max(n - 1, 1), (K - 1) * N_PARTS / max(n - N_PARTS, 1)
    if max(forced) >= chance or floor._labels is not floor._fitted_labels:  # noqa: SLF001
        return float("nan")
    free = max(0.0, floor.overall_.cross_rate - forced[0]) * chance / (chance - forced[0])
    return float((free + floor._spread.drop) * (chance - forced[1]) / chance + forced[1])  # noqa: SLF001


def _carry(overall: Floor, rate: float, low: float, high: float) -> tuple[float, ...]:
    """Bounds at a share of cross edges, and the estimate at the ends of its interval."""
    at, ends = overall.bounds_at(rate), [overall.bounds_at(float(np.clip(end, 0, 1))).estimate for end in (low, high)]
    return tuple(map(float, (at.lower, at.estimate, at.upper, *ends)))
