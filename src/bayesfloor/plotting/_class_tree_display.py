"""Compute the positions of a class tree's nodes in a drawing; nothing is drawn here.

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
    LONGEST,
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
from bayesfloor.support._words import how_many, percent, show_labels, without_shared_prefix

_DEEPEST = 0.85  # x of the deepest split, which leaves space for its number; labels are at 1


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """Coordinates of a tree that grows from left to right, with rows counted from the top."""

    rows: Ints  # number of the class in each row
    x: Floats  # of each node, from 0 (all classes) to 1 (single classes)
    y: Floats  # of each node, in rows: a leaf of one class is at its row, other nodes are halfway between two rows
    segments: Floats  # (m, 2, 2) lines, as start and end of (x, y), all horizontal or vertical
    forks: Ints  # nodes with more than one class; these have text


def layout(tree: ClassTree) -> TreeLayout:
    """Compute the positions of a tree's nodes and the lines between them."""
    size = tree.stop - tree.start
    first, second = _sides(tree)
    top = _tops(tree, first, second, size)
    forks = np.flatnonzero(size > 1)
    deepest = tree.depth[forks].max(initial=1)
    x, y = np.ones(tree.n_nodes), top.astype(np.float64)
    x[forks] = _DEEPEST * tree.depth[forks] / deepest
    y[forks] = top[forks] + size[forks] // 2 - 0.5
    y[tree.splits] = top[second] - 0.5
    return TreeLayout(_rows(tree, top), x, y, _segments(tree, x, y, first, second, top, size), forks)


def _sides(tree: ClassTree) -> tuple[Ints, Ints]:
    """Return the two sides of each split; a side that splits no further comes first."""
    left, right = tree.left[tree.splits], tree.right[tree.splits]
    swap = (tree.left[left] != NONE) & (tree.left[right] == NONE)
    return np.where(swap, right, left), np.where(swap, left, right)


def _tops(tree: ClassTree, first: Ints, second: Ints, size: Ints) -> Ints:
    """Return the first row of each node."""
    top = np.zeros(tree.n_nodes, dtype=np.int64)
    for node, one, two in zip(tree.splits.tolist(), first, second, strict=True):  # parents before their children
        top[one], top[two] = top[node], top[node] + size[one]
    return top


def _rows(tree: ClassTree, top: Ints) -> Ints:
    rows = np.zeros(len(tree.classes), dtype=np.int64)
    for leaf in np.flatnonzero(tree.left == NONE).tolist():
        members = tree.members(leaf)
        rows[top[leaf] : top[leaf] + len(members)] = members
    return rows


def _segments(tree: ClassTree, x: Floats, y: Floats, first: Ints, second: Ints, top: Ints, size: Ints) -> Floats:
    """Return vertical lines at splits and horizontal lines to their children; a leaf of several classes is a comb."""
    parts = [_lines(x[tree.splits], y[first], x[tree.splits], y[second])]
    parts += [_lines(x[tree.splits], y[side], x[side], y[side]) for side in (first, second)]
    combs = np.flatnonzero((tree.left == NONE) & (size > 1))
    parts.append(_lines(x[combs], top[combs], x[combs], top[combs] + size[combs] - 1))
    teeth = np.repeat(combs, size[combs])
    height = np.concatenate([np.arange(top[leaf], top[leaf] + size[leaf]) for leaf in combs] or [np.zeros(0)])
    parts.append(_lines(x[teeth], height, np.ones(len(teeth)), height))
    return np.concatenate(parts)


def _lines(x0: Floats, y0: Floats | Ints, x1: Floats, y1: Floats | Ints) -> Floats:
    return np.stack([np.stack([x0, y0], axis=-1), np.stack([x1, y1], axis=-1)], axis=1).astype(np.float64)


_ROWS = ((30, 0.27), (60, 0.2), (10**9, 0.15))  # (most classes, inches per row)
_NAMES = {
    "floor": "tree estimate of the error at the split",
    "link": "mean error of pairs across the split, relative to guessing",
}


@dataclass(eq=False, repr=False)
class ClassTreeDisplay(Display):
    """A class tree, from all classes on the left to single classes on the right.

    The number at each split is the tree estimate of its error if that was measured, else the mean error of the pairs
    across the split, relative to guessing. The split's cross-validated error and model follow, if there are any. A
    chain that splits off one class at a time looks like a staircase.

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
        Numbers, errors and models at the splits.

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
        """Draw the class tree of a fitted ``SmartSVM`` or ``FloorGuidedClassifier``, or one made from a ``BayesFloor``.

        Parameters
        ----------
        estimator : fitted estimator
            An estimator with ``tree_``, or a ``BayesFloor``: the numbers are then best estimates from its answer, which
            is computed first if needed.
        cut : str, default="average"
            How to make the tree from a ``BayesFloor``'s pairs, as in ``SmartSVM``.
        effort : {"quick", "normal", "thorough"}, default="normal"
            As in ``BayesFloor.answer``.
        **looks
            Arguments of ``plot``.
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
        self._draw_texts(self.layout_, self._points_a_row(row))
        ax.set(xlim=(-0.03, 1.0), ylim=(K - 0.4, -0.6), xticks=[])
        ax.spines[:].set_visible(False)
        write_title(ax, f"Class tree, {K} classes")
        dot = "; · too small to measure" if self._shown == "link" else ""
        ax.set_xlabel(f"at each split: {_NAMES[self._shown]}{dot}", size=SMALL, color=SOFT, loc="left")
        self.caption_ = self._caption(dot)
        return self

    def _caption(self, dot: str) -> str:
        models = ", then the split's cross-validated error and model" if any(self.tree.model) else ""
        return (
            f"Class tree of {how_many(len(self.tree.classes), 'class')}: those that are hard to separate split last. "
            f"At each split: {_NAMES[self._shown]}, in percent{models}{dot}."
        )

    @property
    def _shown(self) -> str:
        """Which numbers are written at the splits."""
        return "floor" if np.isfinite(self.tree.floor).any() else "link"

    def _points_a_row(self, planned: float) -> float:
        if self._own:
            return 72 * planned
        return 72 * float(self.ax_.get_window_extent().height / self.figure_.dpi / len(self.tree.classes))

    def _draw_tree(self, placed: TreeLayout, cmap: str) -> None:
        from matplotlib.collections import LineCollection

        self.lines_ = LineCollection(list(placed.segments), colors=SOFT, linewidths=0.8, capstyle="projecting")
        self.ax_.add_collection(self.lines_)
        value = getattr(self.tree, self._shown)[placed.forks]
        self.nodes_ = self.ax_.scatter(
            placed.x[placed.forks],
            placed.y[placed.forks],
            s=14,
            c=np.nan_to_num(value),
            cmap=cmap,
            norm=pair_norm(),
            edgecolors=INK,
            linewidths=0.5,
            zorder=3,
        )

    def _draw_texts(self, placed: TreeLayout, points: float) -> None:
        texts = label_texts(without_shared_prefix(self.tree.classes.tolist()))
        shown = [_telling(self.tree, node, self._shown) for node in placed.forks.tolist()]
        close = max(map(len, shown), default=0) > 8  # long strings may reach the labels and must fit between their rows
        size = min(SMALL, points * (0.42 if close else 0.6))
        label_size = min(TEXT, points * (0.45 if close else 0.8))
        self.ax_.yaxis.tick_right()
        self.ax_.set_yticks(range(len(texts)), [texts[k] for k in placed.rows], size=label_size, **label_style())
        self.ax_.tick_params(axis="y", length=0, pad=2, labelcolor=INK)
        self.texts_ = [
            self.ax_.annotate(
                text,
                (placed.x[node], placed.y[node]),
                (4, 0),
                textcoords="offset points",
                va="center",
                size=size,
                color=INK,
                **label_style(),
            )
            for node, text in zip(placed.forks.tolist(), shown, strict=True)
        ]

    def _columns(self) -> dict[str, Any]:
        placed = layout(self.tree)
        return {**self.tree._columns(), "x": placed.x, "y": placed.y}  # noqa: SLF001 - a table of the same package

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values."""
        return self.tree.to_dict()


def _telling(tree: ClassTree, node: int, shown: str) -> str:
    """Return the string to write at a split."""
    value, error = getattr(tree, shown)[node], tree.cv_error[node]
    figure = "·" if shown == "link" and value == 0 else f"{percent(value)} %"  # all too small to measure
    parts = [figure if np.isfinite(value) else "", f"error {percent(error)} %" if np.isfinite(error) else ""]
    parts += show_labels([tree.model[node]], LONGEST) if tree.model[node] else []
    return ", ".join(part for part in parts if part)
