"""Nearest-stranger search with a kd-tree, for few dimensions.

The kd-tree is balanced: boxes are halved at the median of the widest feature (Friedman, Bentley &
Finkel 1977). One search serves the whole library: for each query point, it finds the nearest points with a different
label. If every point has its own label, this is the plain neighbour search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayesfloor.forest._kernels import AFTER_TIES, kernel, pair_hash, squared_lengths, step
from bayesfloor.forest._vertices import Keys, Numbers, Vertices
from bayesfloor.support._types import Floats, Ints

_ROUNDED_UP = 1 + 1e-9  # keeps a bound safe although square roots are rounded
_DEEP = 128  # levels of the tree; a balanced tree has fewer than 64
_ASKED_TO_SAMPLE = 256  # number of searches from which the cost of all is estimated
_SAMPLED = 256  # points used to find a node's widest feature


class Tree(NamedTuple):
    """Boxes in preorder: a node's left child directly follows it, and ``right`` is its right child.

    A leaf has ``right <= 0`` and the number ``-right``. Its points are stored together in ``blocks``, feature after
    feature; the last block is padded with points at infinity.
    """

    blocks: Floats  # (leaves, d, leaf_size)
    number: Numbers  # (leaves, leaf_size) vertex of each point
    right: Ints
    low: Floats
    high: Floats

    def renumber(self, numbers: Numbers) -> Tree:
        """Return the same tree with vertex ``v`` renumbered to ``numbers[v]``."""
        return self._replace(number=np.append(numbers, np.int32(-1))[self.number])


class Found(NamedTuple):
    """Up to m nearest strangers to each query point, nearest first."""

    squared: Floats  # inf if there are fewer
    other: Numbers  # vertex, -1 if there are fewer
    reach: Floats  # every stranger nearer than this is listed
    end: Numbers  # the other end of the last edge listed, or BEFORE_TIES / AFTER_TIES
    scans: int  # how often a point was compared with a leaf


class Room(NamedTuple):
    """What a search writes over and over: kernels do not allocate."""

    lengths: Floats  # from a point to those of a leaf
    near_by: Ints  # which of them are short
    point: Floats  # the batch's points, and their box
    low: Floats
    high: Floats
    node: Ints  # nodes left to visit, and how far they are
    distance: Floats
    child: Ints
    gap: Floats


def build_tree(x: Floats, leaf_size: int) -> Tree:
    """Build the tree of the points ``x``."""
    (n, d), leaves = x.shape, -(-len(x) // leaf_size)
    order, right = np.arange(n, dtype=np.int32), np.zeros(2 * leaves - 1, np.int64)
    _split(x, leaf_size, np.empty((_DEEP, 3), np.int64), order, np.empty(n), right)
    blocks, number = np.full((leaves, d, leaf_size), np.inf), np.full((leaves, leaf_size), -1, np.int32)
    number.ravel()[:n] = order
    _fill(x, number, blocks)
    low, high = np.full((len(right), d), np.inf), np.full((len(right), d), -np.inf)
    _find_boxes(blocks, right, low, high)
    return Tree(blocks, number, right, low, high)


def sample_scans(tree: Tree, vertices: Vertices, m: int) -> float:
    """Estimate, from a sample, how many leaves the search for a vertex's m nearest neighbours visits."""
    n = len(vertices)
    asked = np.unique(np.linspace(0, n - 1, _ASKED_TO_SAMPLE).astype(np.int32))
    number, pure = np.arange(n, dtype=np.int32), np.full(len(tree.right), -1, np.int32)
    slot, bound = np.arange(len(asked), dtype=np.int32), np.full(len(asked), np.inf)
    v = vertices
    found = search_tree(tree, pure, v.x, v.key, v.rank, v.group, number, asked, slot, bound, m, 1, len(v.group) == 0)
    return found.scans / len(asked)


@step
def _partition(values: Floats, order: Numbers, low: int, high: int, middle: int) -> None:
    """Move the value that sorting ``values[low:high]`` would put at ``middle`` to that position (quickselect)."""
    high -= 1
    while low < high:
        centre = (low + high) >> 1
        one, two, three = values[low], values[centre], values[high]
        pivot = max(min(one, two), min(max(one, two), three))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@step
def _widest(x: Floats, order: Numbers, start: int, stop: int) -> int:
    """Return the feature with the largest range in a sample of the points."""
    best, widest = -1.0, 0
    step = max(1, (stop - start) // _SAMPLED)
    for k in range(x.shape[1]):
        low = high = x[order[start], k]
        for p in range(start, stop, step):
            value = x[order[p], k]
            low, high = min(low, value), max(high, value)
        if high - low > best:
            best, widest = high - low, k
    return widest


@kernel
def _split(x: Floats, leaf_size: int, todo: Ints, order: Numbers, values: Floats, right: Ints) -> None:
    """Put the points in the order of the leaves, and number the right child of every node.

    ``todo`` holds the parts that are left: start, stop, and the node whose right child this is.
    """
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, len(x), -1
    left, nodes = 1, 0
    while left > 0:
        left -= 1
        s, e, parent = todo[left, 0], todo[left, 1], todo[left, 2]
        if parent >= 0:
            right[parent] = nodes
        leaves = (e - s + leaf_size - 1) // leaf_size
        if leaves > 1:
            feature, middle = _widest(x, order, s, e), s + (leaves // 2) * leaf_size
            for p in range(s, e):
                values[p] = x[order[p], feature]
            _partition(values, order, s, e, middle)
            todo[left, 0], todo[left, 1], todo[left, 2] = middle, e, nodes
            todo[left + 1, 0], todo[left + 1, 1], todo[left + 1, 2] = s, middle, -1
            left += 2
        else:
            right[nodes] = -(s // leaf_size)
        nodes += 1


@kernel
def _fill(x: Floats, number: Numbers, blocks: Floats) -> None:
    """Copy the points into their leaves' blocks."""
    for leaf in range(number.shape[0]):
        for p in range(number.shape[1]):
            if number[leaf, p] >= 0:
                for k in range(x.shape[1]):
                    blocks[leaf, k, p] = x[number[leaf, p], k]


@kernel
def _find_boxes(blocks: Floats, right: Ints, low: Floats, high: Floats) -> None:
    for v in range(len(right) - 1, -1, -1):
        for k in range(blocks.shape[1]):
            if right[v] > 0:
                low[v, k] = min(low[v + 1, k], low[right[v], k])
                high[v, k] = max(high[v + 1, k], high[right[v], k])
                continue
            for p in range(blocks.shape[2]):
                value = blocks[-right[v], k, p]
                low[v, k] = min(low[v, k], value)
                if value < np.inf:
                    high[v, k] = max(high[v, k], value)


def node_labels(tree: Tree, label: Numbers) -> Numbers:
    """Return the label shared by all points of each node, or -1."""
    out = np.empty(len(tree.right), np.int32)
    _label_nodes(tree, label, out)
    return out


@kernel
def _label_nodes(tree: Tree, label: Numbers, out: Numbers) -> None:
    for v in range(len(out) - 1, -1, -1):
        if tree.right[v] > 0:
            out[v] = out[v + 1] if out[v + 1] == out[tree.right[v]] else -1
            continue
        leaf = -tree.right[v]
        out[v] = label[tree.number[leaf, 0]]
        for p in range(1, tree.number.shape[1]):
            if tree.number[leaf, p] >= 0 and label[tree.number[leaf, p]] != out[v]:
                out[v] = -1
                break


@step
def _gap(tree: Tree, node: int, low: Floats, high: Floats, i: int) -> float:
    """Compute the squared distance from a box to the ``i``-th box (low, high).

    It is rounded like a length, so it never exceeds the computed length between points inside the boxes.
    """
    total = 0.0
    for k in range(low.shape[1]):
        step = max(0.0, max(tree.low[node, k] - high[i, k], low[i, k] - tree.high[node, k]))  # noqa: PLW3301
        total += step * step
    return total


def search_tree(
    tree: Tree,
    pure: Numbers,
    x: Floats,
    key: Keys,
    rank: Ints,
    group: Ints,
    label: Numbers,
    asked: Numbers,
    slot: Numbers,
    bound: Floats,
    m: int,
    batch: int,
    alone: bool,
) -> Found:
    """Find the nearest strangers to the vertices ``asked`` that are within ``bound[slot]``.

    Consecutive vertices in ``asked`` should be near each other, because a batch of them descends the tree
    together. The points of a slot share a ``bound``, which shrinks: m strangers to one point are m
    strangers to the set that it represents. ``alone`` means that every vertex has its own label and that
    there are no groups.
    """
    n = len(asked)
    found = Found(
        np.full((n, m), np.inf), np.full((n, m), -1, np.int32), bound[slot], np.full(n, AFTER_TIES, np.int32), 0
    )
    room = _make_room(tree.blocks.shape[2], batch, x.shape[1])
    scans = _search(tree, pure, x, key, rank, group, label, asked, slot, bound, batch, alone, *found[:4], room)
    return found._replace(scans=scans)


def _make_room(leaf_size: int, batch: int, d: int) -> Room:
    return Room(
        *(np.empty(leaf_size), np.empty(leaf_size, np.int64), np.empty((batch, d)), np.empty((1, d)), np.empty((1, d))),
        *(np.empty(_DEEP, np.int64), np.empty(_DEEP), np.empty(2, np.int64), np.empty(2)),
    )


@kernel
def _search(
    tree: Tree,
    pure: Numbers,
    x: Floats,
    key: Keys,
    rank: Ints,
    group: Ints,
    label: Numbers,
    asked: Numbers,
    slot: Numbers,
    bound: Floats,
    batch: int,
    alone: bool,
    found: Floats,
    other: Numbers,
    reach: Floats,
    end: Numbers,
    room: Room,
) -> int:
    """Fill the short lists, and return how often a point was compared with a leaf.

    The lists are updated inline, because a call would take longer than the update.
    """
    (n, m), d, grouped, scans = found.shape, x.shape[1], len(group) > 0, 0
    lengths, near_by, point, low, high, node, distance, child, gap = room
    for first in range(0, n, batch):
        stop, widest = min(n, first + batch), 0.0
        for k in range(d):
            low[0, k], high[0, k] = np.inf, -np.inf
        common = label[asked[first]]
        for q in range(first, stop):
            reach[q] = bound[slot[q]]
            widest = max(widest, reach[q])
            if label[asked[q]] != common:
                common = -2
            for k in range(d):
                point[q - first, k] = x[asked[q], k]
                low[0, k], high[0, k] = min(low[0, k], x[asked[q], k]), max(high[0, k], x[asked[q], k])
        node[0], distance[0], left = 0, 0.0, 1
        while left > 0:
            left -= 1
            v = node[left]
            if distance[left] > widest or pure[v] == common:
                continue
            if tree.right[v] > 0:
                for side in range(2):
                    child[side] = tree.right[v] if side else v + 1
                    gap[side] = _gap(tree, child[side], low, high, 0)
                far = 1 if gap[0] <= gap[1] else 0
                node[left], distance[left] = child[far], gap[far]
                left += gap[far] <= widest
                node[left], distance[left] = child[1 - far], gap[1 - far]
                left += gap[1 - far] <= widest
                continue
            leaf, widest = -tree.right[v], 0.0
            for q in range(first, stop):
                hub, limit = asked[q], reach[q]
                if alone and limit == np.inf and q > 0 and other[q - 1, m - 1] >= 0:
                    step = 0.0  # points near the previous vertex are near this one
                    for k in range(d):
                        step += (x[hub, k] - x[asked[q - 1], k]) * (x[hub, k] - x[asked[q - 1], k])
                    radius = math.sqrt(step) + math.sqrt(reach[q - 1])
                    limit = radius * radius * _ROUNDED_UP
                if batch == 1 or _gap(tree, v, point, point, q - first) <= limit:
                    scans += 1
                    squared_lengths(tree.blocks, leaf, point, q - first, lengths)
                    hit, hits = False, 0
                    for p in range(len(lengths)):  # vectorised: most leaves contain no near point
                        hit |= lengths[p] <= limit
                    for p in range(len(lengths) if hit else 0):  # without a branch, because half would be mispredicted
                        near_by[hits] = p
                        hits += lengths[p] <= limit
                    for h in range(hits):
                        p = near_by[h]
                        if lengths[p] > limit:
                            continue
                        stranger = tree.number[leaf, p]
                        if stranger < 0 or label[stranger] == label[hub]:
                            continue
                        if grouped and group[stranger] == group[hub]:
                            continue
                        length, c = lengths[p], m - 1
                        while c > 0 and length < found[q, c - 1]:
                            found[q, c], other[q, c] = found[q, c - 1], other[q, c - 1]
                            c -= 1
                        c += length == found[q, c]  # a full list that ends in a tie
                        while c > 0 and length == found[q, c - 1]:
                            last = other[q, c - 1]
                            mine, theirs = pair_hash(key[hub], key[stranger]), pair_hash(key[hub], key[last])
                            if mine > theirs or (mine == theirs and rank[stranger] > rank[last]):
                                break
                            if c < m:
                                found[q, c], other[q, c] = length, last
                            c -= 1
                        if c < m:
                            found[q, c], other[q, c] = length, stranger
                        limit = min(limit, found[q, m - 1])
                    reach[q] = limit
                widest = max(widest, limit)
        for q in range(first, stop):
            if other[q, m - 1] >= 0:
                end[q] = other[q, m - 1]
                bound[slot[q]] = min(bound[slot[q]], reach[q])
    return scans
