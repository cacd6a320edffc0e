"""``AnswerDisplay``: the lowest possible error on a ruler from 0 to guessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._verdict import check_target
from bayesfloor.engine._show import about, percent, span
from bayesfloor.plotting._display import DARK, GREY, LIGHT, MIDDLE, PALE, STRONG, Display, clear_frame, in_percent
from bayesfloor.plotting._fonts import label_style, label_texts

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.floor._results import Floor

_FAR = 0.5  # if all errors are below this fraction of guessing's error, only the left part of the ruler is drawn
NAME = 28  # characters in the name of a learner


@dataclass(eq=False, repr=False)
class AnswerDisplay(Display):
    """Best estimate, range and the errors of all learners on one ruler, each in its own row.

    The ruler runs from 0 to the error of guessing. If all errors are far below that, it ends earlier and says so.

    Parameters
    ----------
    answer : Answer
        From ``BayesFloor.answer`` or ``Check.answer``.
    bounds : (float, float), default=None
        Lower and upper tree bound, drawn below in grey.
    target : float, default=None
        An accuracy to mark.

    Attributes
    ----------
    range_ : Rectangle
        The range; pale and starting at 0 if it has no lower end.
    estimate_ : LineCollection
        The best estimate.
    markers_ : PathCollection
        Cross-validated errors of learners, smallest first.
    bounds_ : LineCollection or None
        Tree bounds.
    zoomed_ : bool
        Whether the ruler ends before guessing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import AnswerDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = AnswerDisplay.from_estimator(floor, target=0.95)
    >>> bool(display.range_.get_x() <= floor.answer().estimate)
    True
    """

    answer: Answer
    bounds: tuple[float, float] | None = None
    target: float | None = None

    @classmethod
    def from_estimator(
        cls, floor: BayesFloor, *, target: float | None = None, effort: str = "normal", **looks: Any
    ) -> AnswerDisplay:
        """Draw the answer of a fitted ``BayesFloor``, computing it first if needed.

        Parameters
        ----------
        floor : BayesFloor
            A fitted floor.
        target : float, default=None
            An accuracy in (0, 1] to mark.
        effort : {"quick", "normal", "thorough"}, default="normal"
            As in ``BayesFloor.answer``.
        **looks
            Arguments of ``plot``.
        """
        return cls.from_answer(floor.answer(effort), target, overall=floor.overall_, **looks)

    @classmethod
    def from_answer(
        cls, answer: Answer, target: float | None = None, *, overall: Floor | None = None, **looks: Any
    ) -> AnswerDisplay:
        """Draw an answer.

        Parameters
        ----------
        answer : Answer
            From ``BayesFloor.answer`` or ``Check.answer``.
        target : float, default=None
            An accuracy in (0, 1] to mark.
        overall : Floor, default=None
            ``BayesFloor.overall_`` or ``Check.overall``: its tree bounds are drawn below.
        **looks
            Arguments of ``plot``.
        """
        if target is not None:
            check_target(target)
        return cls(answer, None if overall is None else (overall.lower, overall.upper), target).plot(**looks)

    def plot(self, *, ax: Any = None) -> AnswerDisplay:
        """Draw the ruler."""
        ax = self._start(ax, 7.5, 1.5 + 0.27 * self._n_rows)
        self._draw_range()
        self._draw_markers()
        self._draw_bounds()
        self._draw_names()
        self._draw_axis()
        title = f"Lowest possible error · reliability: {self.answer.reliability}"
        ax.set_title(title, loc="left", fontsize=10, pad=8 if self.target is None else 20)
        return self

    @property
    def _n_rows(self) -> int:
        return 1 + len(self.answer.errors) + (self.bounds is not None)

    def _draw_range(self) -> None:
        answer, open_ = self.answer, np.isnan(self.answer.lower)
        low, ground = (0.0, LIGHT) if open_ else (answer.lower, MIDDLE)
        (self.range_,) = self.ax_.barh(0, answer.upper - low, 0.6, low, color=ground, linewidth=0)
        ends = [answer.upper] if open_ else [low, answer.upper]
        self.ax_.vlines(ends, -0.3, 0.3, colors=DARK, linewidth=0.8)
        self.estimate_ = self.ax_.vlines([answer.estimate], -0.42, 0.42, colors=DARK, linewidth=2.6)

    def _draw_markers(self) -> None:
        errors = [error for _, error in ranked(self.answer)]
        y = np.arange(1, 1 + len(errors))
        self.ax_.hlines(y, 0, errors, colors=PALE, linewidth=0.8, zorder=0)
        self.markers_ = self.ax_.scatter(errors, y, s=20, color=STRONG)

    def _draw_bounds(self) -> None:
        self.bounds_ = None
        if self.bounds is not None:
            self.bounds_ = self.ax_.hlines([self._n_rows - 1], *self.bounds, colors=GREY, linewidth=1.5)
            self.ax_.scatter(self.bounds, [self._n_rows - 1] * 2, marker="|", s=24, color=GREY, linewidth=1.5)

    def _draw_names(self) -> None:
        """Write each row's name on the left and its numbers on the right, where neither can touch a bar."""
        names = ["lowest possible error", *label_texts([learner_name(name) for name, _ in ranked(self.answer)], NAME)]
        answer = self.answer
        numbers = [about(answer.estimate, answer.lower, answer.upper)]
        numbers += [f"cross-validated error {percent(error)} %" for _, error in ranked(self.answer)]
        if self.bounds is not None:
            names.append("tree bounds")
            numbers.append(bounds_text(self.answer, self.bounds))
        self.ax_.set_yticks(range(len(names)), names, **label_style())
        for y, text in enumerate(numbers):
            grey = {"color": GREY} if y > len(ranked(self.answer)) else {}
            self._write(text, (1.0, y), (5, 0), self.ax_.get_yaxis_transform(), va="center", **grey)
        if self.bounds is not None:
            self.ax_.get_yticklabels()[-1].set_color(GREY)
        self.ax_.set_ylim(len(names) - 0.5, -0.6)

    def _draw_axis(self) -> None:
        ax, guessing, marked = self.ax_, self.answer.guessing, [] if self.target is None else [1 - self.target]
        top = max([self.answer.upper, *self.answer.errors.values(), *(self.bounds or ()), *marked])
        self.zoomed_ = top < _FAR * guessing
        ax.set_xlim(0.0, max(1.12 * top, 1e-3) if self.zoomed_ else 1.02 * max(top, guessing))
        guess = f"guessing: {percent(guessing)} %"
        ax.set_xlabel(f"error, % ({guess} →)" if self.zoomed_ else f"error, % (dashed: {guess})", size=9)
        if not self.zoomed_:
            ax.axvline(guessing, color=GREY, linestyle="--", linewidth=1)
        if self.target is not None:
            self._draw_target(1 - self.target, ax.get_xlim()[1])
        in_percent(ax.xaxis)
        clear_frame(ax)
        ax.tick_params(axis="y", length=0)

    def _draw_target(self, error: float, right: float) -> None:
        self.ax_.axvline(error, color=DARK, linewidth=1.2, linestyle=(0, (4, 2)))
        text, late = f"target: {100 * (1 - error):.6g} % accuracy", error > 0.6 * right
        side = "right" if late else "left"
        self._write(text, (error, 1.0), (-2 if late else 2, 3), self.ax_.get_xaxis_transform(), ha=side)

    def _write(self, text: str, xy: tuple[float, float], offset: tuple[float, float], where: Any, **looks: Any) -> None:
        self.ax_.annotate(
            text, xy, offset, xycoords=where, textcoords="offset points", size=8, annotation_clip=False, **looks
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer, tree bounds and target as plain values."""
        return {"answer": self.answer.to_dict(), "bounds": self.bounds, "target": self.target}

    def _columns(self) -> dict[str, Any]:
        rows = [("lowest possible error", self.answer.lower, self.answer.estimate, self.answer.upper)]
        rows += [(name, np.nan, error, np.nan) for name, error in ranked(self.answer)]
        if self.bounds is not None:
            rows.append(("tree bounds", self.bounds[0], np.nan, self.bounds[1]))
        return dict(zip(("name", "lower", "estimate", "upper"), map(list, zip(*rows, strict=True)), strict=True))


def ranked(answer: Answer) -> list[tuple[str, float]]:
    """Return learners and their cross-validated errors, smallest first."""
    return sorted(answer.errors.items(), key=lambda item: item[1])


def learner_name(name: str) -> str:
    """Return a learner's name for a list, such as "random forest"; a user's learner keeps the name it was given."""
    from bayesfloor.answer._make_answer import called  # late import: it loads scikit-learn
    from bayesfloor.learners._registry import BLEND, REGISTRY

    if name not in (*REGISTRY, BLEND):
        return name
    return called(name).removeprefix("an ").removeprefix("a ")


def bounds_text(answer: Answer, bounds: tuple[float, float]) -> str:
    """Describe tree bounds, without numbers if the answer contradicts them."""
    from bayesfloor.answer._answer import TOO_HIGH  # late import: it loads SciPy's distributions

    return TOO_HIGH if answer.contradicts(bounds[0]) else span(*bounds)
