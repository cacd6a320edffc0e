"""``AnswerDisplay``: the lowest possible error on a ruler from 0 to guessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._answer import TOO_HIGH, check_target
from bayesfloor.plotting._display import (
    FAINT,
    INK,
    ROW,
    SMALL,
    SOFT,
    STRONG,
    Display,
    draw_ranges,
    fade_text,
    frame_rows,
    label_texts,
    name_rows,
    wide_enough,
    write_beside,
    write_title,
)
from bayesfloor.support._words import about, how_many, percent, span

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
        The range. It fades towards a lower end that is extrapolated, and to nothing at 0 if there is none.
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
        """Draw the answer of a fitted ``BayesFloor``, with this effort; further arguments go to ``plot``."""
        return cls.from_answer(floor.answer(effort), target, overall=floor.overall_, **looks)

    @classmethod
    def from_answer(
        cls, answer: Answer, target: float | None = None, *, overall: Floor | None = None, **looks: Any
    ) -> AnswerDisplay:
        """Draw an answer, with the tree bounds of ``overall`` below it; further arguments go to ``plot``."""
        if target is not None:
            check_target(target)
        return cls(answer, None if overall is None else (overall.lower, overall.upper), target).plot(**looks)

    def plot(self, *, ax: Any = None) -> AnswerDisplay:
        """Draw the ruler."""
        rows = self._rows()
        last = rows[-1][0]
        ax = self._start(ax, wide_enough([name for _, name, _ in rows], 1.9), 1.0 + ROW * (last + 0.5))
        ends = [[each] for each in (self.answer.useful_lower, self.answer.estimate, self.answer.upper)]
        (self.range_, *_), self.estimate_ = draw_ranges(ax, [0], ends, height=0.6, proved=self.answer.proved)
        self._draw_evidence(last)
        self._write(rows)
        frame_rows(ax, last + 0.5, self._name_ruler())
        self._draw_ends()
        title = f"Lowest possible error · reliability: {self.answer.reliability}"
        write_title(ax, title, 0 if self.target is None else 12)
        self.caption_ = self._caption()
        return self

    def _rows(self) -> list[tuple[float, str, str]]:
        """Return y, name and number of each row: the answer, learners below a heading, and the tree bounds apart."""
        answer, learners = self.answer, ranked(self.answer)
        names = label_texts([learner_name(name) for name, _ in learners], NAME)
        rows = [(0.0, "lowest possible error", about(answer.estimate, answer.useful_lower, answer.upper))]
        rows += [
            (2.0 + k, name, f"{percent(error)} %")
            for k, (name, (_, error)) in enumerate(zip(names, learners, strict=True))
        ]
        if self.bounds is not None:
            too_high = answer.contradicts(self.bounds[0])
            rows.append((rows[-1][0] + 1.3, "tree bounds", TOO_HIGH if too_high else span(*self.bounds)))
        return rows

    def _draw_evidence(self, last: float) -> None:
        """Draw the learners' errors, and the tree bounds in the last row."""
        errors = [error for _, error in ranked(self.answer)]
        y = 2.0 + np.arange(len(errors))
        self.ax_.hlines(y, 0, errors, colors=FAINT, linewidth=0.8, zorder=0)
        self.markers_ = self.ax_.scatter(errors, y, s=20, color=STRONG, clip_on=False, zorder=3)
        self.bounds_ = None
        if self.bounds is not None:
            self.bounds_ = self.ax_.hlines([last], *self.bounds, colors=SOFT, linewidth=1.5)
            self.ax_.scatter(self.bounds, [last] * 2, marker="|", s=24, color=SOFT, linewidth=1.5)

    def _write(self, rows: list[tuple[float, str, str]]) -> None:
        """Write each row's name on the left and its numbers on the right, where neither can touch a bar."""
        name_rows(self.ax_, [y for y, _, _ in rows], [name for _, name, _ in rows], {})
        learners = self.answer.errors
        for place, (y, _, text) in enumerate(rows):
            looks = {"weight": "bold"} if place == 0 else {"color": SOFT} if place > len(learners) else {}
            write_beside(self.ax_, 1.0, y, text, 6, **looks)
        if learners:
            write_beside(self.ax_, 0.0, 1.0, "cross-validated errors", -5, ha="right", color=SOFT)

    def _name_ruler(self) -> str:
        marked = [] if self.target is None else [1 - self.target]
        self._top = max([self.answer.upper, *self.answer.errors.values(), *(self.bounds or ()), *marked])
        self.zoomed_ = self._top < _FAR * self.answer.guessing
        guess = f"guessing: {percent(self.answer.guessing)} %"
        return f"error ({guess} →)" if self.zoomed_ else f"error (dotted: {guess})"

    def _draw_ends(self) -> None:
        ax, guessing = self.ax_, self.answer.guessing
        ax.set_xlim(0.0, max(1.06 * self._top, 1e-3) if self.zoomed_ else 1.02 * max(self._top, guessing))
        if not self.zoomed_:
            ax.axvline(guessing, color=SOFT, linestyle=":", linewidth=1.2)
        if self.bounds is not None:
            ax.get_yticklabels()[-1].set_color(SOFT)
        if self.target is not None:
            self._draw_target(1 - self.target, ax.get_xlim()[1])

    def _draw_target(self, error: float, right: float) -> None:
        self.ax_.axvline(error, color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
        late = error > 0.5 * right
        self.ax_.annotate(
            f"target: {100 * (1 - error):.6g} % accuracy",
            (error, 1.0),
            (-3 if late else 3, 3),
            xycoords=self.ax_.get_xaxis_transform(),
            textcoords="offset points",
            ha="right" if late else "left",
            size=SMALL,
            color=INK,
            annotation_clip=False,
        )

    def _caption(self) -> str:
        answer = self.answer
        sentences = [
            (
                f"Lowest possible error {about(answer.estimate, answer.useful_lower, answer.upper)}: best estimate "
                f"(mark) and range (bar), from {how_many(answer.n_rows, 'row')} and "
                f"{how_many(answer.n_classes, 'class')}."
            ),
            "The upper end holds with 95 % confidence." if answer.upper_is_tested else "",
            fade_text(answer.useful_lower, proved=answer.proved),
            "Dots are cross-validated errors of the models tried." if answer.errors else "",
            "Grey: tree bounds." if self.bounds is not None else "",
            "" if self.target is None else f"Dashed: the error at the target of {100 * self.target:.6g} % accuracy.",
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer, tree bounds and target as plain values."""
        return {"answer": self.answer.to_dict(), "bounds": self.bounds, "target": self.target}

    def _columns(self) -> dict[str, Any]:
        rows = [("lowest possible error", self.answer.useful_lower, self.answer.estimate, self.answer.upper)]
        rows += [(name, np.nan, error, np.nan) for name, error in ranked(self.answer)]
        if self.bounds is not None:
            rows.append(("tree bounds", self.bounds[0], np.nan, self.bounds[1]))
        return dict(zip(("name", "lower", "estimate", "upper"), map(list, zip(*rows, strict=True)), strict=True))


def ranked(answer: Answer) -> list[tuple[str, float]]:
    """Return learners and their cross-validated errors, smallest first; of several, the answer's best comes first."""
    return sorted(answer.errors.items(), key=lambda item: (item[1], item[0] != answer.best))


def learner_name(name: str) -> str:
    """Return a learner's name for a list, such as "random forest"; a user's learner keeps the name it was given."""
    from bayesfloor.answer._learners import BLEND, REGISTRY
    from bayesfloor.answer._make_answer import called  # late import: it loads scikit-learn

    if name not in (*REGISTRY, BLEND):
        return name
    return called(name).removeprefix("an ").removeprefix("a ")
