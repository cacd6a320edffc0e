"""``PairwiseDisplay``: which classes are hard to separate, as a heat map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.hierarchy._cuts import class_tree, pair_tree
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.plotting._display import (
    INK,
    MAP,
    MOST,
    PAIR_EDGES,
    SMALL,
    SOFT,
    TEXT,
    Display,
    check_most,
    label_style,
    label_texts,
    need_matplotlib,
    pair_norm,
    write_title,
)
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, without_shared_prefix

if TYPE_CHECKING:
    from bayesfloor.answer._pairs_and_classes import PairAnswers
    from bayesfloor.floor._bayes_floor import BayesFloor

_BEST, _TREES = "best estimate", "tree estimate"
_ON_LIGHT, _ON_DARK = "#222222", "#fafafa"  # numbers on cells, which have the same colours on light and dark pages
_NUMBERS_UP_TO = 15  # classes; with more, cells are too small for numbers
_SMALLEST = 4.0  # points; smaller numbers are unreadable
_CELLS = ((3, 0.8), (15, 0.42), (MOST, 0.23), (10**9, 0.14))  # (most classes, inches per cell)


@dataclass(eq=False, repr=False)
class PairwiseDisplay(Display):
    """Heat map of the lowest possible error between each pair of classes, relative to guessing.

    100 % means that nothing separates the two classes. The colours mean the same for all data. Classes are in the
    order of their class tree, so that those that are hard to separate are next to each other. A pair whose error is too
    small to measure is a dot without colour.

    Parameters
    ----------
    classes : (K,) array
        Class labels.
    relative : (K, K) array
        Errors relative to guessing, as fractions.
    too_small : (K, K) bool array
        Pairs whose error is too small to measure.
    order : (K,) int array
        Classes in the order of rows and columns.
    n_rows : float
        Number of rows behind the errors.
    name : str
        What the errors are: "best estimate" or "tree estimate".

    Attributes
    ----------
    image_ : AxesImage
        The coloured cells.
    dots_ : PathCollection
        The pairs whose error is too small to measure.
    numbers_ : list of Text
        Percentages in cells, for up to 15 classes.
    shown_ : int array
        Which classes are drawn, in order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import PairwiseDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = PairwiseDisplay.from_estimator(floor, effort="quick")
    >>> len(display.numbers_)  # one pair, in both halves
    2
    """

    classes: np.ndarray
    relative: Floats
    too_small: np.ndarray
    order: Ints
    n_rows: float
    name: str = _BEST

    @classmethod
    def from_estimator(
        cls, floor: BayesFloor, *, effort: str = "normal", tree: ClassTree | None = None, **looks: Any
    ) -> PairwiseDisplay:
        """Draw the pairs of a fitted ``BayesFloor``, with this effort; the rest is as in ``from_results``."""
        from bayesfloor.answer._pairs_and_classes import pair_answers  # late import: it loads scikit-learn

        tree = pair_tree(floor.pairwise_, "average") if tree is None else tree
        return cls.from_results(pair_answers(floor.answer(effort), floor.classes_), tree=tree, **looks)

    @classmethod
    def from_results(
        cls, pairs: PairAnswers | PairwiseFloor, *, tree: ClassTree | None = None, **looks: Any
    ) -> PairwiseDisplay:
        """Draw pairs of classes.

        Parameters
        ----------
        pairs : PairAnswers or PairwiseFloor
            Best estimates, as in ``Check.pairs``, or the paper's tree estimates, as in ``BayesFloor.pairwise_``.
        tree : ClassTree, default=None
            Defines the order of classes; by default a class tree from average linkage.
        **looks
            Arguments of ``plot``.
        """
        if isinstance(pairs, PairwiseFloor):
            relative, too_small, n_rows, name = pairs.matrix, pairs.at_resolution, float(pairs.sizes.sum()), _TREES
        else:
            n_rows = float(np.triu(pairs.n_rows, 1).sum() / (len(pairs.classes) - 1))  # each class is in K - 1 pairs
            relative, too_small, name = pairs.relative, pairs.too_small, _BEST
        tree = class_tree(pairs.classes, np.where(too_small, 0.0, relative), "average") if tree is None else tree
        place = {label: number for number, label in enumerate(pairs.classes.tolist())}
        order = np.array([place[label] for label in tree.classes[layout(tree).rows].tolist()])
        return cls(pairs.classes, relative, too_small, order, n_rows, name).plot(**looks)

    def plot(self, *, ax: Any = None, most: int | None = MOST, cmap: str = MAP) -> PairwiseDisplay:
        """Draw the heat map.

        most : int or None, default=40
            Draw at most this many classes, those with the hardest pairs. None draws all.
        cmap : str, default="Oranges"
            Colour map; one that runs from light to dark stays readable in greyscale.
        """
        need_matplotlib()
        check_most(most)
        self.shown_ = self._hardest(most)
        names = label_texts(without_shared_prefix(self.classes.tolist()))
        n, texts = len(self.shown_), [names[place] for place in self.shown_]
        cell = next(inches for up_to, inches in _CELLS if n <= up_to)
        side = n * cell + 0.075 * max(map(len, texts))
        ax = self._start(ax, max(4.2, side + 1.2), max(3.4, side + 0.9))
        self._draw_cells(cmap)
        self._draw_ticks(texts, min(TEXT, 50 * self._cell(cell)))
        self._draw_scale()
        write_title(ax, self._title())
        self.caption_ = self._caption()
        return self

    def _hardest(self, most: int | None) -> Ints:
        """Return the classes to draw, in order: those in the hardest pairs."""
        # A pair too small to measure counts as less than any measured one, and a class with itself as less still.
        measured = np.where(self.too_small, -1.0, self.relative) - 2.0 * np.eye(len(self.classes))
        rank = np.argsort(-measured.max(axis=1), kind="stable")
        return self.order[np.isin(self.order, rank[:most])]

    def _cell(self, planned: float) -> float:
        """Return the inches per cell: the usual size, or the size that fits in the caller's axes."""
        if self._own:
            return planned
        box = self.ax_.get_window_extent()
        return float(min(box.width, box.height) / self.figure_.dpi / len(self.shown_))

    @property
    def _unseen(self) -> np.ndarray:
        """Which of the drawn pairs are too small to measure."""
        part = np.ix_(self.shown_, self.shown_)
        return np.asarray(self.too_small[part]) & ~np.eye(len(self.shown_), dtype=bool)

    def _draw_cells(self, cmap: str) -> None:
        n, unseen = len(self.shown_), self._unseen
        cells = np.ma.array(self.relative[np.ix_(self.shown_, self.shown_)], mask=unseen | np.eye(n, dtype=bool))
        self.image_ = self.ax_.imshow(cells, cmap=cmap, norm=pair_norm(), interpolation="nearest")
        row, column = np.nonzero(unseen)
        self.dots_ = self.ax_.scatter(column, row, s=400 / n if n > 20 else 20, marker=".", color=SOFT, linewidth=0)
        self.numbers_ = self._draw_numbers(cells) if n <= _NUMBERS_UP_TO else []

    def _draw_numbers(self, cells: Any) -> list[Any]:
        size = min(8.0, 18 * self._cell(_CELLS[1][1]))
        if size < _SMALLEST:
            return []
        light = luminance(self.image_.to_rgba(cells)) > 0.2  # dark ink has more contrast there
        centre = {"ha": "center", "va": "center", "size": size}
        return [
            self.ax_.text(j, i, short_percent(cells[i, j]), color=_ON_LIGHT if light[i, j] else _ON_DARK, **centre)
            for i, j in zip(*np.nonzero(~cells.mask), strict=True)
        ]

    def _draw_ticks(self, texts: list[str], size: float) -> None:
        upright = max(map(len, texts)) <= 2
        places = range(len(texts))
        self.ax_.set_yticks(places, texts, size=size, **label_style())
        self.ax_.set_xticks(places, texts, size=size, rotation=0 if upright else 90, **label_style())
        self.ax_.tick_params(length=0, labelcolor=INK)
        self.ax_.spines[:].set_color(SOFT)

    def _draw_scale(self) -> None:
        bar = self.figure_.colorbar(self.image_, ax=self.ax_, aspect=30, spacing="uniform", ticks=PAIR_EDGES)
        bar.ax.set_yticks(PAIR_EDGES, [f"{100 * edge:g} %" for edge in PAIR_EDGES])
        bar.set_label("error relative to guessing", size=TEXT, color=INK)
        bar.ax.tick_params(labelsize=SMALL, length=0, labelcolor=INK)
        bar.outline.set_edgecolor(SOFT)
        if self._unseen.any():
            self.ax_.set_xlabel("·  too small to measure", size=SMALL, color=SOFT)

    def _title(self) -> str:
        n, K = len(self.shown_), len(self.classes)
        return f"{n} hardest of {K} classes" if n < K else f"Pairs of {K} classes"

    def _caption(self) -> str:
        kind = "Lowest possible error" if self.name == _BEST else "Error"
        return (
            f"{kind} between two classes relative to guessing ({self.name}), in percent: 100 % means that nothing "
            f"separates them. {self._title()}, {how_many(self.n_rows, 'row')}. "
            + ("Dots: too small to measure." if self._unseen.any() else "")
        ).rstrip()

    def _columns(self) -> dict[str, Any]:
        one, two = np.triu_indices(len(self.classes), 1)
        return {
            "class_1": self.classes[one],
            "class_2": self.classes[two],
            "relative": self.relative[one, two],
            "too_small": self.too_small[one, two],
        }


def short_percent(value: float) -> str:
    """Format a fraction in percent with two or three characters."""
    return f"{100 * value:.1f}" if value < 0.0995 else f"{100 * value:.0f}"


def luminance(colors: Any) -> Floats:
    """Return the perceived lightness of colours (..., RGBA), from 0 to 1."""
    rgb = np.asarray(colors, dtype=np.float64)[..., :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
