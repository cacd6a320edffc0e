"""``OneVsRestDisplay``: which classes are hard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.floor._results import FEW, OneVsRestFloor
from bayesfloor.plotting._display import (
    MOST,
    ROW,
    SOFT,
    Display,
    check_most,
    draw_ranges,
    fade_text,
    frame_rows,
    label_texts,
    name_rows,
    wide_enough,
    write_columns,
    write_title,
)
from bayesfloor.support._types import Floats
from bayesfloor.support._words import amount, how_many, percent, range_text, without_shared_prefix

if TYPE_CHECKING:
    from bayesfloor.answer._pairs_and_classes import ClassAnswers
    from bayesfloor.floor._bayes_floor import BayesFloor

_NAMES = {
    "best estimate": "lowest possible error within the class",
    "tree estimate": "error of the class against the rest, of all rows",
}


@dataclass(eq=False, repr=False)
class OneVsRestDisplay(Display):
    """Each class against the rest: best estimate and range of the lowest possible error within it, hardest first.

    A range fades towards a lower end that is extrapolated, and fades out at 0 if there is none. Classes with a note
    instead of numbers come last.

    Parameters
    ----------
    classes, n_rows : (K,) arrays
        Class labels, and the number of rows of each.
    lower, estimate, upper : (K,) arrays
        Range and best estimate of how often the most accurate classifier gets rows of the class wrong.
    note : (K,) array of str
        Why the numbers of a class are unreliable, if they are: "too few rows" or "too small to measure".
    name : str
        What the numbers are: "best estimate" with its range, or "tree estimate" with the tree bounds.

    Attributes
    ----------
    ranges_, estimates_ : BarContainer, LineCollection
        Ranges and best estimates.
    texts_ : list of Text
        Numbers or notes, from top to bottom.
    shown_ : int array
        Which classes are drawn, from top to bottom.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import OneVsRestDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = OneVsRestDisplay.from_estimator(floor, effort="quick")
    >>> display.texts_[-1].get_text()
    'too small to measure'
    """

    classes: np.ndarray
    n_rows: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    note: np.ndarray
    name: str = "best estimate"

    @classmethod
    def from_estimator(cls, floor: BayesFloor, *, effort: str = "normal", **looks: Any) -> OneVsRestDisplay:
        """Draw the classes of a fitted ``BayesFloor``, computing its answer first if needed.

        Parameters
        ----------
        floor : BayesFloor
            A fitted floor.
        effort : {"quick", "normal", "thorough"}, default="normal"
            As in ``BayesFloor.answer``.
        **looks
            Arguments of ``plot``.
        """
        from bayesfloor.answer._pairs_and_classes import class_answers  # late import: it loads scikit-learn

        return cls.from_results(class_answers(floor.answer(effort), floor.classes_), **looks)

    @classmethod
    def from_results(cls, found: ClassAnswers | OneVsRestFloor, **looks: Any) -> OneVsRestDisplay:
        """Draw classes.

        Parameters
        ----------
        found : ClassAnswers or OneVsRestFloor
            Best estimates, as in ``Check.classes``, or the paper's tree bounds, as in ``BayesFloor.one_vs_rest_``.
        **looks
            Arguments of ``plot``.
        """
        of_trees = isinstance(found, OneVsRestFloor)
        n_rows, unseen = (found.sizes, False) if isinstance(found, OneVsRestFloor) else (found.n_rows, found.too_small)
        note = np.where(n_rows < FEW, "too few rows", np.where(unseen, "too small to measure", ""))
        name = "tree estimate" if of_trees else "best estimate"
        return cls(found.classes, n_rows, found.lower, found.estimate, found.upper, note, name).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = MOST) -> OneVsRestDisplay:
        """Draw a row for each class.

        most : int or None, default=40
            Draw at most this many classes, the hardest ones. None draws all.
        """
        check_most(most)
        self.shown_ = np.lexsort((-self.estimate, self.note != ""))[:most]
        n = len(self.shown_)
        texts = label_texts(without_shared_prefix(self.classes.tolist()))
        names = [texts[k] for k in self.shown_]
        ax = self._start(ax, wide_enough(names, 3.0), 1.15 + ROW * n)
        self._draw()
        self._write(names)
        frame_rows(ax, n - 0.4, _NAMES[self.name])
        self._grey_out()
        write_title(ax, self._title(), 16)
        self.caption_ = self._caption()
        return self

    def _draw(self) -> None:
        k = self.shown_[self.note[self.shown_] == ""]
        ends = self.lower[k], self.estimate[k], self.upper[k]
        proved = self.name == "tree estimate"  # both tree bounds are equally firm
        self.ranges_, self.estimates_ = draw_ranges(self.ax_, np.arange(len(k)), ends, proved=proved)

    def _write(self, names: list[str]) -> None:
        k, y = self.shown_, range(len(self.shown_))
        name_rows(self.ax_, y, names, {"rows": [amount(n) for n in self.n_rows[k]]})
        self.texts_ = write_columns(self.ax_, y, {f"{self.name} (range)": [self._figures(each) for each in k]}, "s")

    def _grey_out(self) -> None:
        """Make the names and notes of classes without reliable numbers grey."""
        for k, tick, text in zip(self.shown_, self.ax_.get_yticklabels(), self.texts_, strict=True):
            if self.note[k]:
                tick.set_color(SOFT)
                text.set_color(SOFT)

    def _figures(self, k: int) -> str:
        return self.note[k] or f"{percent(self.estimate[k])} % ({range_text(self.lower[k], self.upper[k])})"

    def _title(self) -> str:
        n, K = len(self.shown_), len(self.classes)
        return f"{n} hardest of {K} classes, each against the rest" if n < K else "Each class against the rest"

    def _caption(self) -> str:
        rows = how_many(self.n_rows.sum(), "row")
        start = f"{self._title()}, from {rows}: {_NAMES[self.name]}"
        if self.name == "tree estimate":
            return f"{start}. Bars: lower to upper tree bound, not a confidence interval; mark: their midpoint."
        return f"{start}. Bars: range (95 % for each class on its own); mark: best estimate. {fade_text(self.lower)}"

    def _columns(self) -> dict[str, Any]:
        names = ("classes", "n_rows", "lower", "estimate", "upper", "note")
        return {name: getattr(self, name) for name in names}
