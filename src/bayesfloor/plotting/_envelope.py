"""``EnvelopeDisplay``: where the Bayes error lies, on a ruler from 0 to guessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.floor._results import Floor
from bayesfloor.plotting._display import DARK, GREY, LIGHT, MIDDLE, PALE, STRONG, Display, clear_frame
from bayesfloor.plotting._fonts import label_style, label_texts

_FAR = 0.5  # of the error of guessing: where all is below, only the left part of the ruler is drawn


@dataclass(eq=False, repr=False)
class EnvelopeDisplay(Display):
    """Envelope, bounds of the trees and errors of classifiers on one ruler, each in a row of its own.

    The ruler goes from 0 to the error of guessing the largest class; where all is far below that, it
    ends earlier and says so.

    Parameters
    ----------
    envelope, bounds : (float, float, float)
        Lower, estimate and upper: of trees and classifiers together, and of the trees alone.
    interval : (float, float)
        The trees' bounds at the ends of the 95 % interval: the low end's lower, the high end's upper.
    errors : dict
        Error of each classifier.
    constant_error : float
        Error of guessing.
    target : float or None
        An accuracy to mark.
    trusted : bool
        Whether the envelope's lower end is known; else its bar is pale and begins at 0.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Set by ``plot``.
    bars_ : list of BarContainer
        Envelope, interval and bounds of the trees.
    ticks_ : LineCollection
        The two estimates.
    markers_ : PathCollection
        Errors of classifiers, smallest first.
    zoomed_ : bool
        Whether the ruler ends before guessing.

    Examples
    --------
    >>> from bayesfloor.plotting import EnvelopeDisplay
    >>> display = EnvelopeDisplay((0.01, 0.02, 0.04), (0.03, 0.04, 0.05), (0.02, 0.07), {"linear": 0.021}, 0.37)
    >>> display.plot().zoomed_
    True
    """

    envelope: tuple[float, float, float]
    bounds: tuple[float, float, float]
    interval: tuple[float, float]
    errors: dict[str, float]
    constant_error: float
    target: float | None = None
    trusted: bool = True

    @classmethod
    def from_estimator(cls, floor: Any, *, target: float | None = None, **looks: Any) -> EnvelopeDisplay:
        """Draw the envelope of a fitted ``BayesFloor``, which tries classifiers if that was not done before."""
        return cls.from_results(floor.envelope(), floor.overall_, target=target, **looks)

    @classmethod
    def from_results(
        cls, envelope: Any, overall: Floor, *, target: float | None = None, **looks: Any
    ) -> EnvelopeDisplay:
        """Draw an envelope and the floor that it came from.

        Parameters
        ----------
        envelope : Envelope
            Of ``BayesFloor.envelope``.
        overall : Floor
            ``overall_`` of the same ``BayesFloor``.
        target : float, default=None
            An accuracy in (0, 1] to mark.
        **looks
            Arguments of ``plot``.
        """
        from bayesfloor.floor._verdict import check_target  # late: it brings scikit-learn

        if target is not None:
            check_target(target)
        low, high = overall.interval()
        interval = float(overall.bounds_at(low).lower), float(overall.bounds_at(high).upper)
        return cls(
            (envelope.lower, envelope.estimate, envelope.upper),
            (overall.lower, overall.estimate, overall.upper),
            interval,
            dict(envelope.errors),
            overall.constant_error,
            target,
            envelope.trusted,
        ).plot(**looks)

    def plot(self, *, ax: Any = None) -> EnvelopeDisplay:
        """Draw the ruler.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        self
        """
        ax = self._start(ax, 7.5, 1.5 + 0.27 * (3 + len(self.errors)))
        self._draw_bars()
        self._draw_markers()
        self._draw_names()
        self._draw_range()
        ax.set_title("Where the Bayes error lies", loc="left", fontsize=10, pad=8 if self.target is None else 20)
        return self

    @property
    def _ranked(self) -> list[tuple[str, float]]:
        return sorted(self.errors.items(), key=lambda item: item[1])

    def _draw_bars(self) -> None:
        known = (self.envelope, 0.6, MIDDLE) if self.trusted else ((0.0, self.envelope[2]), 0.6, PALE)
        rows = known, (self.bounds, 0.4, LIGHT), (self.interval, 0.15, PALE)
        self.bars_ = [
            self.ax_.barh(y, ends[-1] - ends[0], height, ends[0], color=color, edgecolor=DARK, linewidth=0.6)
            for y, (ends, height, color) in enumerate(rows)
        ]
        middles = self.envelope[1], self.bounds[1]
        self.ticks_ = self.ax_.vlines(middles, [-0.42, 0.68], [0.42, 1.32], colors=DARK, linewidth=2.2)

    def _draw_markers(self) -> None:
        errors = [error for _, error in self._ranked]
        y = np.arange(3, 3 + len(errors))
        self.ax_.hlines(y, 0, errors, colors=PALE, linewidth=0.8, zorder=0)
        self.markers_ = self.ax_.scatter(errors, y, marker="D", s=22, color=STRONG)

    def _draw_names(self) -> None:
        """What each row is on the left, its numbers on the right: neither can touch a bar."""
        names = ["trees and classifiers", "trees: lower to upper", "trees: with 95 % interval"]
        names += label_texts([name for name, _ in self._ranked])
        reach = _span(self.envelope) if self.trusted else f"at most {self.envelope[2]:.3f}, lower end not known"
        told = [reach, _span(self.bounds), _span(self.interval)]
        told += [f"errs on {error:.3f}" for _, error in self._ranked]
        self.ax_.set_yticks(range(len(names)), names, **label_style())
        for y, text in enumerate(told):
            self._write(text, (1.0, y), (5, 0), self.ax_.get_yaxis_transform(), va="center")
        self.ax_.set_ylim(len(names) - 0.5, -0.6)

    def _draw_range(self) -> None:
        ax, marked = self.ax_, [] if self.target is None else [1 - self.target]
        top = max([self.envelope[2], self.bounds[2], self.interval[1], *self.errors.values(), *marked])
        self.zoomed_ = top < _FAR * self.constant_error
        ax.set_xlim(0.0, max(1.12 * top, 1e-3) if self.zoomed_ else 1.02 * max(top, self.constant_error))
        guess = f"guessing errs on {100 * self.constant_error:.0f} %"
        ax.set_xlabel(f"error ({guess}: →)" if self.zoomed_ else f"error (dashed: {guess})", size=9)
        if not self.zoomed_:
            ax.axvline(self.constant_error, color=GREY, linestyle="--", linewidth=1)
        if self.target is not None:
            self._draw_target(1 - self.target, ax.get_xlim()[1])
        clear_frame(ax)
        ax.tick_params(axis="y", length=0)

    def _draw_target(self, error: float, right: float) -> None:
        self.ax_.axvline(error, color=DARK, linewidth=1.2, linestyle=(0, (4, 2)))
        text, late = f"target: accuracy {self.target:g}, error {error:.3g}", error > 0.6 * right
        self._write(text, (error, 1.0), (-2 if late else 2, 3), self.ax_.get_xaxis_transform(), ha=_side(late))

    def _write(self, text: str, xy: tuple[float, float], offset: tuple[float, float], where: Any, **looks: Any) -> None:
        self.ax_.annotate(
            text, xy, offset, xycoords=where, textcoords="offset points", size=8, annotation_clip=False, **looks
        )

    def _columns(self) -> dict[str, Any]:
        rows = [("trees and classifiers", *self.envelope), ("trees", *self.bounds)]
        rows += [("trees, 95 % interval", self.interval[0], np.nan, self.interval[1])]
        rows += [(name, np.nan, error, np.nan) for name, error in self._ranked]
        return dict(zip(("name", "lower", "estimate", "upper"), map(list, zip(*rows, strict=True)), strict=True))


def _side(late: bool) -> str:  # noqa: FBT001 - a flag is all it takes
    return "right" if late else "left"


def _span(ends: tuple[float, ...]) -> str:
    about = f", about {ends[1]:.3f}" if len(ends) == 3 else ""
    return f"{ends[0]:.3f} to {ends[-1]:.3f}{about}"
