"""Cells of space, with cuts chosen from a sample: each row is in one cell, and equal rows are in the same cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.support._types import Floats, Ints


class Cells(NamedTuple):
    """A kd-tree of cuts in preorder: a node's left child directly follows it, and ``right`` is its right child.

    A node with ``right <= 0`` is the cell with the number ``-right``. Rows below ``value`` in ``feature`` belong to the
    left child.
    """

    feature: Ints
    value: Floats
    right: Ints
    low: Floats  # (cells, d) lower and upper corner of each cell; infinite for outer cells
    high: Floats

    def __len__(self) -> int:
        return len(self.low)

    def find(self, rows: Floats) -> Ints:
        """Return the cell of each row."""
        node = np.zeros(len(rows), dtype=np.int64)
        while True:
            going = np.flatnonzero(self.right[node] > 0)
            if not len(going):
                return -self.right[node]
            at = node[going]
            above = rows[going, self.feature[at]] >= self.value[at]
            node[going] = np.where(above, self.right[at], at + 1)

    def reach(self, cell: int, rows: Floats, exponent: int) -> Floats:
        """Compute the squared distance of rows, scaled by ``2 ** -exponent``, to the border of their cell.

        It is rounded like a length, so it never exceeds the computed length of an edge that leaves the cell.
        """
        below, above = rows - np.ldexp(self.low[cell], -exponent), np.ldexp(self.high[cell], -exponent) - rows
        return (np.minimum(below, above) ** 2).min(axis=1)


def cut_cells(sample: Floats, n_cells: int) -> Cells:
    """Cut space into about ``n_cells`` cells with equally many sample rows, by cuts along the widest feature."""
    nodes: list[tuple[int, float, int]] = []
    boxes: list[tuple[Floats, Floats]] = []
    d = sample.shape[1]
    todo = [(sample, n_cells, np.full(d, -np.inf), np.full(d, np.inf), -1)]
    while todo:
        rows, cells, low, high, parent = todo.pop()
        if parent >= 0:
            nodes[parent] = (*nodes[parent][:2], len(nodes))
        plane = _find_plane(rows, cells)
        if plane is None:
            nodes.append((0, 0.0, -len(boxes)))
            boxes.append((low, high))
            continue
        feature, value = plane
        above = rows[:, feature] >= value
        todo.append((rows[above], cells - cells // 2, _moved(low, feature, value), high, len(nodes)))
        todo.append((rows[~above], cells // 2, low, _moved(high, feature, value), -1))
        nodes.append((feature, value, 0))
    features, values, right = zip(*nodes, strict=True)
    lows, highs = zip(*boxes, strict=True)
    return Cells(np.array(features), np.array(values), np.array(right), np.array(lows), np.array(highs))


def _find_plane(rows: Floats, cells: int) -> tuple[int, float] | None:
    """Return the widest feature and where to cut it; None for a single cell, or if all rows are equal."""
    if cells < 2 or len(rows) < 2:
        return None
    with np.errstate(over="ignore"):  # a range that overflows is the widest
        feature = int(np.argmax(np.ptp(rows, axis=0)))
    values = np.sort(rows[:, feature])
    if values[0] == values[-1]:
        return None
    middle = values[len(values) * (cells // 2) // cells]
    return feature, float(middle if middle > values[0] else values[np.searchsorted(values, middle, side="right")])


def _moved(corner: Floats, feature: int, value: float) -> Floats:
    out = corner.copy()
    out[feature] = value
    return out


def box_gaps(low: Floats, high: Floats, one: Ints, two: Ints) -> Floats:
    """Compute squared distances between boxes, rounded like lengths."""
    return gap_between(low[one], high[one], low[two], high[two])


def gap_between(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> Floats:
    """Compute squared distances from boxes, or points (boxes from x to x), to other boxes, rounded like lengths."""
    total = np.zeros(len(low))
    for k in range(low.shape[1]):
        step = np.maximum(0.0, np.maximum(other_low[..., k] - high[:, k], low[:, k] - other_high[..., k]))
        total += step * step
    return total
