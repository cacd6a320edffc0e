"""``GapDisplay``: a model's errors and the lowest possible ones, largest possible gain first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.plotting._display import (
    INK,
    PAPER,
    ROW,
    SOFT,
    ResultDisplay,
    check_most,
    draw_intervals,
    draw_ranges,
    fade_text,
    frame_rows,
    label_texts,
    name_rows,
    wide_enough,
    write_beside,
    write_columns,
    write_title,
)
from bayesfloor.support._types import Ints
from bayesfloor.support._words import about, how_many, percent, without_shared_prefix

if TYPE_CHECKING:
    from bayesfloor.decide._gap import Gap, GapLines

_NAME = 16  # characters in the name of a class: pairs have two
_MOST = 12  # most classes, and most pairs, to draw
_ABOVE, _BELOW = -0.16, 0.24  # offsets of the range and of the model's error from the middle of a row


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

    Bars are ranges of the lowest possible error, with a mark at the best estimate; they fade towards a lower end that
    is extrapolated, and fade out at 0 if there is none. Diamonds below are the model's errors with their intervals,
    filled if there is room to improve. With two classes, the only pair is the whole problem and is left out.

    Parameters
    ----------
    result : Gap
        From ``gap``.

    Attributes
    ----------
    ranges_ : list of BarContainer
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
    >>> import bayesfloor
    >>> from bayesfloor.plotting import GapDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> display = GapDisplay.from_gap(bayesfloor.check(X, y, predictions=0 * y, effort="quick").gap)
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
        sizes = [len(part.names) for part in parts]
        starts = np.cumsum([0, *(size + 1 for size in sizes[:-1])])  # a row between blocks for the heading
        places = [start + np.arange(size) for start, size in zip(starts, sizes, strict=True)]
        bottom = places[-1][-1] + 0.6
        width = wide_enough([name for part in parts for name in part.names], 3.8)
        ax = self._start(ax, width, 1.15 + 1.15 * ROW * bottom)
        drawn = [self._draw(part, y) for part, y in zip(parts, places, strict=True)]
        self.ranges_, self.errors_, self.intervals_ = map(list, zip(*drawn, strict=True))
        self._write(parts, places)
        frame_rows(ax, bottom, "error")
        write_title(ax, f"Your model and the floor: {self.result.overall.word}", 18)
        self.caption_ = self._caption(parts)
        return self

    def _parts(self, most: int | None) -> list[_Part]:
        found, texts = self.result, label_texts(without_shared_prefix(self.result.classes.tolist()), _NAME)
        columns = found.overall._columns()  # noqa: SLF001
        whole = type(found.overall)(*map(np.atleast_1d, columns.values()))  # arrays, like the others
        one, two = np.triu_indices(len(texts), 1)
        pairs = [f"{texts[i]} / {texts[j]}" for i, j in zip(one, two, strict=True)]
        self.shown_classes_, self.shown_pairs_ = (_worst(each, most) for each in (found.by_class, found.by_pair))
        parts = [
            _part(whole, np.array([0]), ["all classes"], whole.n_rows, ""),
            _part(found.by_class, self.shown_classes_, texts, found.sizes, "classes (of their rows)"),
            _part(found.by_pair, self.shown_pairs_, pairs, found.by_pair.n_rows, "pairs (of their rows)"),
        ]
        return parts if len(texts) > 2 else parts[:2]

    def _draw(self, part: _Part, y: Ints) -> tuple[Any, Any, Any]:
        ax, lines, k, below = self.ax_, part.lines, part.shown, y + _BELOW
        ranges, _ = draw_ranges(ax, y + _ABOVE, (lines.lower[k], lines.estimate[k], lines.upper[k]), height=0.4)
        intervals = draw_intervals(ax, below, lines.low[k], lines.high[k])
        inks = np.where(lines.room[k], INK, PAPER)
        looks = {"s": 22, "c": inks, "edgecolors": INK, "linewidths": 1.2, "zorder": 3, "clip_on": False}
        return ranges, ax.scatter(lines.error[k], below, marker="D", **looks), intervals

    def _write(self, parts: list[_Part], places: list[Ints]) -> None:
        y = np.concatenate(places).tolist()
        names, rows = ([each for part in parts for each in getattr(part, name)] for name in ("names", "rows"))
        name_rows(self.ax_, y, names, {"rows": rows})
        shown = [(part.lines, k) for part in parts for k in part.shown]
        columns = {
            "your model": [_percent(lines.error[k]) for lines, k in shown],
            "lowest possible": [_percent(lines.estimate[k]) for lines, k in shown],
            "": [lines.word[k] for lines, k in shown],
        }
        self.words_ = write_columns(self.ax_, y, columns, ("D", "s", ""))
        for word, (lines, k) in zip(self.words_, shown, strict=True):
            word.set_weight("bold" if lines.room[k] else "normal")
        for part, at in zip(parts, places, strict=True):
            write_beside(self.ax_, 0.0, at[0] - 1, part.head, 3, ha="left", color=SOFT)

    def _caption(self, parts: list[_Part]) -> str:
        whole, level = self.result.overall, f"{100 * self.result.level:g} %"
        lower = np.concatenate([part.lines.lower[part.shown] for part in parts])
        return (
            f"The model's error on {how_many(whole.n_rows, 'row')}, {percent(whole.error)} % (diamonds, with {level} "
            "intervals; filled: room to improve), and the lowest possible error, "
            f"{about(whole.estimate, whole.lower, whole.upper)} (bars: range; mark: best estimate). {fade_text(lower)}"
        )


def _part(lines: GapLines, shown: Ints, names: list[str], rows: Any, what: str) -> _Part:
    n, n_all = len(shown), len(names)
    head = f"{n} worst of {n_all:,} {what}" if n < n_all else what
    return _Part(lines, shown, [names[k] for k in shown], [f"{rows[k]:,}" for k in shown], head)


def _percent(error: float) -> str:
    return "" if np.isnan(error) else f"{percent(error)} %"


def _worst(lines: GapLines, most: int | None) -> Ints:
    """Sort by possible gain in rows: first those with room to improve, then the others, then those without rows."""
    from bayesfloor.decide._gap import NO_ROWS  # late import: it loads scikit-learn

    won = np.nan_to_num((lines.error - lines.upper) * lines.n_rows, nan=-np.inf)
    return np.lexsort((-won, ~lines.room, lines.word == NO_ROWS))[:most]
