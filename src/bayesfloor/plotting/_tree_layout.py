"""Compute the positions of a class tree's nodes in a drawing; nothing is drawn here.

Classes are rows. A split is in the gap between the last row of its first side and the first row of its second: K
classes have K - 1 gaps, one for each split. So nothing is to the right of a split at the same height, and its text has
space up to the labels, however deep the tree is. A chain that splits off single classes looks like a staircase.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.hierarchy._class_tree import NONE, ClassTree

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
