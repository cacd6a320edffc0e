"""``GapDisplay``: a model's errors and the lowest possible ones, largest possible gain first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.plotting._display import (
    DARK,
    LIGHT,
    PALE,
    STRONG,
    ResultDisplay,
    check_most,
    stroke,
    swatch,
)
from bayesfloor.plotting._fonts import label_texts
from bayesfloor.plotting._named_rows import (
    ROW,
    draw_bounds,
    draw_intervals,
    draw_marks,
    frame_rows,
    name_rows,
    write_beside,
)

if TYPE_CHECKING:
    from bayesfloor.selection._gap import Gap, GapLines

_MOST = 12  # most classes, and most pairs, to draw


class _Part(NamedTuple):
    """A block of rows (overall, classes or pairs): which are drawn, their names and row counts, and a heading."""

    lines: GapLines
    shown: Ints
    names: list[str]
    rows: list[str]
    head: str


@dataclass(eq=False, repr=False)
class GapDisplay(ResultDisplay):
    """The model's error and the lowest possible error: the whole problem, classes and pairs, with a word for each.

    Bars are ranges of the lowest possible error, with a dot at the best estimate; a range without a lower end is grey
    and starts at 0. Diamonds below are the model's errors with their intervals, filled if there is room to improve.

    Parameters
    ----------
    result : Gap
        From ``gap``.

    Attributes
    ----------
    bounds_ : list of BarContainer
        Ranges for the whole problem, classes and pairs.
    errors_, intervals_ : list of PathCollection, of LineCollection
        The model's errors and their intervals.
    words_ : list of Text
        "room to improve", "at the floor" and so on, from top to bottom.
    shown_classes_, shown_pairs_ : int arrays
        The classes and pairs drawn, from top to bottom; pairs are numbered as in ``np.triu_indices(n_classes, 1)``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.selection import gap
    >>> from bayesfloor.plotting import GapDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = DummyClassifier().fit(X[::2], y[::2])
    >>> display = GapDisplay.from_gap(gap(BayesFloor().fit(X[::2], y[::2]), y[1::2], model.predict(X[1::2])))
    >>> display.words_[0].get_text()
    'room to improve'
    """

    result: Gap

    @classmethod
    def from_gap(cls, gap: Gap, **looks: Any) -> GapDisplay:
        """Draw a gap; further arguments go to ``plot``."""
        return cls(gap).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = _MOST) -> GapDisplay:
        """Draw a row for the whole problem, for classes and for pairs.

        most : int or None, default=12
            Draw at most this many classes, and this many pairs: those with the largest possible gain. None draws all.
        """
        check_most(most)
        parts = self._parts(most)
        places = _places([len(part.names) for part in parts])
        bottom = places[-1][-1] + 0.6
        width = 5.8 + 0.06 * max(len(name) for part in parts for name in part.names)
        ax = self._start(ax, width, 1.75 + ROW * bottom)
        drawn = [self._draw(part, y) for part, y in zip(parts, places, strict=True)]
        self.bounds_, self.errors_, self.intervals_ = map(list, zip(*drawn, strict=True))
        self.words_ = [word for part, y in zip(parts, places, strict=True) for word in self._write_words(part, y)]
        self._draw_names(parts, places)
        frame_rows(ax, bottom, "error", f"Your model and the floor: {self.result.overall.word}", self._handles())
        return self

    def _parts(self, most: int | None) -> list[_Part]:
        found, texts = self.result, label_texts(self.result.classes.tolist())
        columns = found.overall._columns()  # noqa: SLF001
        whole = type(found.overall)(*map(np.atleast_1d, columns.values()))  # arrays, like the others
        one, two = np.triu_indices(len(texts), 1)
        pairs = [f"{texts[i]} / {texts[j]}" for i, j in zip(one, two, strict=True)]
        self.shown_classes_, self.shown_pairs_ = (_worst(each, most) for each in (found.by_class, found.by_pair))
        return [
            _part(whole, np.array([0]), ["all classes"], whole.n_rows, ""),
            _part(found.by_class, self.shown_classes_, texts, found.sizes, "classes (of their rows)"),
            _part(found.by_pair, self.shown_pairs_, pairs, found.by_pair.n_rows, "pairs (of their rows)"),
        ]

    def _draw(self, part: _Part, y: Ints) -> tuple[Any, Any, Any]:
        ax, lines, k = self.ax_, part.lines, part.shown
        ground = np.where(np.isnan(lines.lower[k]), PALE, LIGHT)
        bounds, _ = draw_bounds(ax, y, (np.nan_to_num(lines.lower[k]), lines.estimate[k], lines.upper[k]), ground, DARK)
        intervals = draw_intervals(ax, y, lines.low[k], lines.high[k], STRONG)
        ink = np.where(lines.room[k], STRONG, "white")
        looks = {"s": 22, "c": ink, "edgecolors": STRONG, "linewidths": 1.2, "zorder": 3, "clip_on": False}
        return bounds, draw_marks(ax, y, lines.error[k], "D", **looks), intervals

    def _write_words(self, part: _Part, y: Ints) -> list[Any]:
        words, room = part.lines.word[part.shown], part.lines.room[part.shown]
        return [
            write_beside(self.ax_, 1.0, at, word, 5, weight="bold" if bold else "normal", size=8, color=DARK)
            for at, word, bold in zip(y, words, room, strict=True)
        ]

    def _draw_names(self, parts: list[_Part], places: list[Ints]) -> None:
        names = [name for part in parts for name in part.names]
        rows = [count for part in parts for count in part.rows]
        name_rows(self.ax_, np.concatenate(places).tolist(), names, {"rows": rows})
        for part, y in zip(parts, places, strict=True):
            write_beside(self.ax_, 0.0, y[0] - 1, part.head, 3, size=8, ha="left")

    def _handles(self) -> list[Any]:
        dot, level = {"color": STRONG, "marker": "D", "markersize": 4}, f"{100 * self.result.level:g} %"
        return [
            swatch("lowest possible error: range; dot: best estimate", facecolor=LIGHT, edgecolor=DARK, linewidth=0.5),
            swatch("range without a lower limit", facecolor=PALE, edgecolor=DARK, linewidth=0.5),
            stroke(f"your model's error and its {level} interval; filled: room to improve", **dot),
        ]


def _part(lines: GapLines, shown: Ints, names: list[str], rows: Any, what: str) -> _Part:
    n, n_all = len(shown), len(names)
    head = f"{n} worst of {n_all:,} {what}" if n < n_all else what
    return _Part(lines, shown, [names[k] for k in shown], [f"{rows[k]:,}" for k in shown], head)


def _worst(lines: GapLines, most: int | None) -> Ints:
    """Sort by possible gain in rows: first those with room to improve, then the others, then those without rows."""
    from bayesfloor.selection._gap import NO_ROWS  # late import: it loads scikit-learn

    won = np.nan_to_num((lines.error - lines.upper) * lines.n_rows, nan=-np.inf)
    return np.lexsort((-won, ~lines.room, lines.word == NO_ROWS))[:most]


def _places(sizes: list[int]) -> list[Ints]:
    """Return the y positions of the rows of each block, leaving a row for its heading."""
    starts = np.cumsum([0, *(size + 1 for size in sizes[:-1])])
    return [start + np.arange(size) for start, size in zip(starts, sizes, strict=True)]
