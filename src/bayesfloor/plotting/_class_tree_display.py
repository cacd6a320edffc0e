"""``ClassTreeDisplay``: a class tree, and the positions of its nodes in a drawing.

Classes are rows. A split is in the gap between the last row of its first side and the first row of its second: K
classes have K - 1 gaps, one for each split. So nothing is to the right of a split at the same height, and its text has
space up to the labels, however deep the tree is. A chain that splits off single classes looks like a staircase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.hierarchy._class_tree import NONE, ClassTree
from bayesfloor.hierarchy._cuts import pair_tree
from bayesfloor.plotting._display import (
    INK,
    MAP,
    SMALL,
    SOFT,
    TEXT,
    Display,
    label_style,
    label_texts,
    pair_norm,
    write_title,
)
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, percent, without_shared_prefix

_DEEPEST = 0.85  # x of the deepest split, which leaves space for its number; labels are at 1


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """Coordinates of a tree that grows from left to right, with rows counted from the top."""

    rows: Ints  # number of the class in each row
    x: Floats  # of each node, from 0 (all classes) to 1 (single classes)
    y: Floats  # of each node, in rows: a class is at its row, a split is halfway between two rows
    segments: Floats  # (m, 2, 2) lines, as start and end of (x, y), all horizontal or vertical


def layout(tree: ClassTree) -> TreeLayout:
    """Compute the positions of a tree's nodes and the lines between them."""
    # A side that splits no further comes first, so that a chain is a staircase.
    left, right = tree.left[tree.splits], tree.right[tree.splits]
    swap = (tree.left[left] != NONE) & (tree.left[right] == NONE)
    first, second = np.where(swap, right, left), np.where(swap, left, right)
    size, top = tree.stop - tree.start, np.zeros(tree.n_nodes, dtype=np.int64)  # the first row of each node
    for node, one, two in zip(tree.splits.tolist(), first, second, strict=True):  # parents before their children
        top[one], top[two] = top[node], top[node] + size[one]
    x, y = np.ones(tree.n_nodes), top.astype(np.float64)
    x[tree.splits] = _DEEPEST * tree.depth[tree.splits] / tree.depth[tree.splits].max(initial=1)
    y[tree.splits] = top[second] - 0.5
    leaves = np.flatnonzero(tree.left == NONE)
    rows = np.zeros(len(leaves), dtype=np.int64)
    rows[top[leaves]] = tree.order[tree.start[leaves]]
    at = x[tree.splits]  # vertical lines at splits, and horizontal ones to their children
    across = [_lines(at, y[side], x[side], y[side]) for side in (first, second)]
    return TreeLayout(rows, x, y, np.concatenate([_lines(at, y[first], at, y[second]), *across]))


def _lines(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Floats:
    return np.stack([np.stack([x0, y0], axis=-1), np.stack([x1, y1], axis=-1)], axis=1)


_ROWS = ((30, 0.27), (60, 0.2), (10**9, 0.15))  # (most classes, inches per row)
_SHOWN = "at each split: mean error of pairs across the split, relative to guessing"
_DOT = "; · too small to measure"


@dataclass(eq=False, repr=False)
class ClassTreeDisplay(Display):
    """A class tree, from all classes on the left to single classes on the right.

    The number at each split is the mean error of the pairs across the split, relative to guessing. A chain that splits
    off one class at a time looks like a staircase.

    Parameters
    ----------
    tree : ClassTree
        The tree.

    Attributes
    ----------
    layout_ : object
        Positions: ``x`` and ``y`` of the nodes, and ``rows``, the classes from top to bottom.
    lines_ : LineCollection
        The lines of the tree.
    nodes_ : PathCollection
        Splits; the higher the number, the darker.
    texts_ : list of Text
        Numbers at the splits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.plotting import ClassTreeDisplay
    >>> floor = BayesFloor().fit(*load_iris(return_X_y=True))
    >>> display = ClassTreeDisplay.from_estimator(floor, effort="quick")
    >>> display.texts_[0].get_text()  # the first split is easy: too small to measure
    '·'
    """

    tree: ClassTree

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, cut: str = "average", effort: str = "normal", **looks: Any
    ) -> ClassTreeDisplay:
        """Draw the class tree of a fitted ``SmartSVM``, or one made from a ``BayesFloor``.

        The second is made by this ``cut``, as in ``SmartSVM``, and its numbers are best estimates from an answer with
        this effort. Further arguments go to ``plot``.
        """
        if hasattr(estimator, "tree_"):
            return cls(estimator.tree_).plot(**looks)
        from bayesfloor.answer._pairs_and_classes import pair_answers  # late import: it loads scikit-learn

        pairs = pair_answers(estimator.answer(effort), estimator.classes_)
        tree = pair_tree(estimator.pairwise_, cut).linked(np.where(pairs.too_small, 0.0, pairs.relative))
        return cls(tree).plot(**looks)

    @classmethod
    def from_results(cls, tree: ClassTree, **looks: Any) -> ClassTreeDisplay:
        """Draw a class tree; further arguments go to ``plot``."""
        return cls(tree).plot(**looks)

    def plot(self, *, ax: Any = None, cmap: str = MAP) -> ClassTreeDisplay:
        """Draw the tree.

        cmap : str, default="Oranges"
            Colour map for the splits.
        """
        K = len(self.tree.classes)
        row = next(inches for up_to, inches in _ROWS if up_to >= K)
        ax = self._start(ax, 7.0, 0.9 + row * K)
        self.layout_ = layout(self.tree)
        self._draw_tree(self.layout_, cmap)
        if not self._own:  # the caller's axes have the height they have
            row = float(ax.get_window_extent().height / self.figure_.dpi / K)
        self._draw_texts(self.layout_, 72 * row)
        ax.set(xlim=(-0.03, 1.0), ylim=(K - 0.4, -0.6), xticks=[])
        ax.spines[:].set_visible(False)
        write_title(ax, f"Class tree, {K} classes")
        ax.set_xlabel(_SHOWN + _DOT, size=SMALL, color=SOFT, loc="left")
        self.caption_ = (
            f"Class tree of {how_many(K, 'class')}: those that are hard to separate split last. "
            f"A{_SHOWN[1:]}, in percent{_DOT}."
        )
        return self

    def _draw_tree(self, placed: TreeLayout, cmap: str) -> None:
        from matplotlib.collections import LineCollection

        self.lines_ = LineCollection(list(placed.segments), colors=SOFT, linewidths=0.8, capstyle="projecting")
        self.ax_.add_collection(self.lines_)
        splits = self.tree.splits
        looks = {"s": 14, "cmap": cmap, "norm": pair_norm(), "edgecolors": INK, "linewidths": 0.5, "zorder": 3}
        color = np.nan_to_num(self.tree.link[splits])
        self.nodes_ = self.ax_.scatter(placed.x[splits], placed.y[splits], c=color, **looks)

    def _draw_texts(self, placed: TreeLayout, points: float) -> None:
        texts = label_texts(without_shared_prefix(self.tree.classes.tolist()))
        label_size = min(TEXT, points * 0.8)
        self.ax_.yaxis.tick_right()
        self.ax_.set_yticks(range(len(texts)), [texts[k] for k in placed.rows], size=label_size, **label_style())
        self.ax_.tick_params(axis="y", length=0, pad=2, labelcolor=INK)
        looks = {"va": "center", "size": min(SMALL, points * 0.6), "color": INK, **label_style()}
        # A tree that was not made from floors has no numbers; at 0, all pairs are too small to measure.
        link = self.tree.link
        told = np.where(np.isfinite(link), ["·" if not each else f"{percent(each)} %" for each in link], "")
        self.texts_ = [
            self.ax_.annotate(told[k], (placed.x[k], placed.y[k]), (4, 0), textcoords="offset points", **looks)
            for k in self.tree.splits.tolist()
        ]

    def _columns(self) -> dict[str, Any]:
        placed = layout(self.tree)
        return {**self.tree._columns(), "x": placed.x, "y": placed.y}  # noqa: SLF001 - a table of the same package

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values."""
        return self.tree.to_dict()
