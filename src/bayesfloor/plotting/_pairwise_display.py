"""``PairwiseDisplay``: which classes are hard to separate, as a heat map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.hierarchy._cuts import pair_tree
from bayesfloor.plotting._display import (
    DARK,
    GREY,
    MAP,
    MOST,
    Display,
    check_most,
    need_matplotlib,
    stroke,
    title_and_legend,
)
from bayesfloor.plotting._fonts import label_style, label_texts

_NAMES = {"relative": "tree estimate of the error,\nrelative to guessing", "estimate": "tree estimate of the error"}
_NUMBERS_UP_TO = 15  # classes; with more, cells are too small for numbers
_SMALLEST = 4.0  # points; smaller numbers are unreadable
_CELLS = ((3, 0.8), (15, 0.42), (MOST, 0.23), (10**9, 0.14))  # (most classes, inches per cell)


@dataclass(eq=False, repr=False)
class PairwiseDisplay(Display):
    """Heat map of the tree estimate of the error between each pair of classes.

    Classes are in the order of their class tree, so that those that are hard to separate are next to each other. A pair
    with no more cross-class edges than classes without overlap would have is drawn as a dot without colour: its error
    is too small to measure, and any number would be wrong.

    Parameters
    ----------
    classes : (K,) array
        Class labels.
    values : (K, K) array
        The values shown as colours.
    at_resolution : (K, K) bool array
        Pairs whose error is too small to measure.
    order : (K,) int array
        Classes in the order of rows and columns.
    name : str
        Label of the colour bar.

    Attributes
    ----------
    image_ : AxesImage
        The coloured cells.
    dots_ : PathCollection
        The pairs whose error is too small to measure.
    numbers_ : list of Text
        Numbers in cells, for up to 15 classes.
    shown_ : int array
        Which classes are drawn, in order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import PairwiseDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = PairwiseDisplay.from_estimator(floor)
    >>> [text.get_text() for text in display.numbers_]
    ['0.12', '0.12']
    """

    classes: np.ndarray
    values: Floats
    at_resolution: np.ndarray
    order: Ints
    name: str = _NAMES["relative"]

    @classmethod
    def from_estimator(cls, floor: Any, *, values: str = "relative", tree: Any = None, **looks: Any) -> PairwiseDisplay:
        """Draw the pairs of a fitted ``BayesFloor``; further arguments go to ``plot``."""
        return cls.from_results(floor.pairwise_, values=values, tree=tree, **looks)

    @classmethod
    def from_results(
        cls, pairwise: PairwiseFloor, *, values: str = "relative", tree: ClassTree | None = None, **looks: Any
    ) -> PairwiseDisplay:
        """Draw pairs of classes.

        Parameters
        ----------
        pairwise : PairwiseFloor
            Pairs of classes.
        values : {"relative", "estimate"}, default="relative"
            The estimate relative to the error of guessing, or the estimate itself.
        tree : ClassTree, default=None
            Defines the order of classes; by default a class tree from average linkage.
        **looks
            Arguments of ``plot``.
        """
        if values not in _NAMES:
            raise InputError(f"Got values={values!r}, but expected one of {', '.join(map(repr, _NAMES))}.")
        tree = pair_tree(pairwise, "average") if tree is None else tree
        place = {label: number for number, label in enumerate(pairwise.classes.tolist())}
        order = np.array([place[label] for label in tree.classes[tree.order].tolist()])
        matrix = pairwise.matrix if values == "relative" else pairwise.estimate
        return cls(pairwise.classes, matrix, pairwise.at_resolution, order, _NAMES[values]).plot(**looks)

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
        n, texts = len(self.shown_), self._texts()
        cell = next(inches for up_to, inches in _CELLS if n <= up_to)
        side = n * cell + 0.075 * max(map(len, texts))
        ax = self._start(ax, max(4.2, side + 1.5), max(3.2, side + 0.9))
        self._draw_cells(cmap)
        self._draw_ticks(texts, min(9.0, 50 * self._cell(cell)))
        self._draw_scale()
        dot = stroke("too small to measure", marker=".", linestyle="", color=GREY)
        title_and_legend(ax, self._title(), [dot] if self._unseen.any() else [])
        return self

    def _hardest(self, most: int | None) -> Ints:
        """Return the classes to draw, in order: those in the hardest pairs."""
        measured = np.where(self.at_resolution, -1.0, self.values) - 2.0 * np.eye(len(self.classes))
        rank = np.argsort(-measured.max(axis=1), kind="stable")
        return self.order[np.isin(self.order, rank[:most])]

    def _texts(self) -> list[str]:
        texts = label_texts(self.classes.tolist())
        return [texts[place] for place in self.shown_]

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
        return np.asarray(self.at_resolution[part]) & ~np.eye(len(self.shown_), dtype=bool)

    def _draw_cells(self, cmap: str) -> None:
        n, unseen = len(self.shown_), self._unseen
        cells = np.ma.array(self.values[np.ix_(self.shown_, self.shown_)], mask=unseen | np.eye(n, dtype=bool))
        top = float(cells.max()) if cells.count() else 1.0
        self.image_ = self.ax_.imshow(cells, cmap=cmap, vmin=0.0, vmax=top or 1.0, interpolation="nearest")
        row, column = np.nonzero(unseen)
        self.dots_ = self.ax_.scatter(column, row, s=400 / n if n > 20 else 20, marker=".", color=GREY, linewidth=0)
        self.numbers_ = self._draw_numbers(cells) if n <= _NUMBERS_UP_TO else []

    def _draw_numbers(self, cells: Any) -> list[Any]:
        size = min(8.0, 18 * self._cell(_CELLS[1][1]))
        if size < _SMALLEST:
            return []
        light = luminance(self.image_.to_rgba(cells)) > 0.2  # dark ink has more contrast there
        digits, centre = 2 if self.image_.get_clim()[1] > 0.1 else 3, {"ha": "center", "va": "center", "size": size}
        return [
            self.ax_.text(j, i, f"{cells[i, j]:.{digits}f}", color=DARK if light[i, j] else "white", **centre)
            for i, j in zip(*np.nonzero(~cells.mask), strict=True)
        ]

    def _draw_ticks(self, texts: list[str], size: float) -> None:
        upright = max(map(len, texts)) <= 2
        places = range(len(texts))
        self.ax_.set_yticks(places, texts, size=size, **label_style())
        self.ax_.set_xticks(places, texts, size=size, rotation=0 if upright else 90, **label_style())
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_color(GREY)

    def _draw_scale(self) -> None:
        bar = self.figure_.colorbar(self.image_, ax=self.ax_, aspect=30)
        bar.set_label(self.name, size=8)
        bar.ax.tick_params(labelsize=8)

    def _title(self) -> str:
        n, K = len(self.shown_), len(self.classes)
        return f"{n} hardest of {K} classes" if n < K else f"Pairs of {K} classes"

    def _columns(self) -> dict[str, Any]:
        one, two = np.triu_indices(len(self.classes), 1)
        return {
            "class_1": self.classes[one],
            "class_2": self.classes[two],
            "value": self.values[one, two],
            "at_resolution": self.at_resolution[one, two],
        }


def luminance(colors: Any) -> Floats:
    """Return the perceived lightness of colours (..., RGBA), from 0 to 1."""
    rgb = np.asarray(colors, dtype=np.float64)[..., :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
