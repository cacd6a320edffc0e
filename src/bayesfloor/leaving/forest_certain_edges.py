"""Find the edges of a block that are certain to be in the forest of all rows, and settle the others.

Take a block's edges in increasing order. An edge that joins two components of tree j is in tree j of
*all* rows if one of the two components is isolated: each of its vertices is farther from the border of the
block than the edge is long, and every shorter edge that leaves it is certain to be in an earlier tree.
(That an edge is *not* in an earlier tree is always certain, because the paths of shorter edges that exclude
it can only get shorter with more rows.)

Certain edges can be contracted, separately for each tree, before the others are settled: the minimum
spanning tree of the contracted graph is that of the whole graph without the contracted edges. So only edges
near the borders of blocks have to be collected. If there are few dimensions, these are few.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._edges import REJECTED, Edges
from bayesfloor.forest._kernels import kernel, step
from bayesfloor.forest._vertices import Keys, Numbers, sort_edges
from bayesfloor.support._types import Floats, Ints


class Settled(NamedTuple):
    """Which edges of a block's forest are certain, and the parts that the vertices form when these are contracted."""

    certain: NDArray[np.bool_]
    part: Numbers  # (n, t) each vertex's part in each tree


def settle(n: int, edges: Edges, n_trees: int, reach: Floats) -> Settled:
    """Find the certain edges of a forest; at each vertex, all edges shorter than its (squared) ``reach`` are known."""
    certain = np.zeros(len(edges.a), dtype=np.bool_)
    parent, weakest = np.empty((n_trees, n), np.int32), np.empty((n_trees, n))
    _find_certain(edges.a, edges.b, edges.squared, edges.tree, reach, parent, weakest, certain)
    part = np.empty((n, n_trees), np.int32)
    _contract(edges.a, edges.b, edges.tree, certain, parent, part)
    return Settled(certain, part)


@step
def _root(parent: Ints, tree: int, v: int) -> int:
    while parent[tree, v] != v:
        parent[tree, v] = parent[tree, parent[tree, v]]
        v = parent[tree, v]
    return v


@kernel
def _find_certain(
    a: Numbers,
    b: Numbers,
    squared: Floats,
    tree: NDArray[np.int8],
    reach: Floats,
    parent: Numbers,
    weakest: Floats,
    certain: NDArray[np.bool_],
) -> None:
    n_trees, n = parent.shape
    for t in range(n_trees):
        for v in range(n):
            parent[t, v], weakest[t, v] = v, reach[v]
    for e in range(len(a)):
        t = tree[e]
        one, two = _root(parent, t, a[e]), _root(parent, t, b[e])
        certain[e] = weakest[t, one] > squared[e] or weakest[t, two] > squared[e]
        parent[t, one] = two
        weakest[t, two] = min(weakest[t, one], weakest[t, two])
        if not certain[e]:  # it may move to a later tree and join components that still look separate there
            for later in range(t + 1, n_trees):
                weakest[later, _root(parent, later, a[e])] = -1.0
                weakest[later, _root(parent, later, b[e])] = -1.0


@kernel
def _contract(
    a: Numbers, b: Numbers, tree: NDArray[np.int8], certain: NDArray[np.bool_], parent: Numbers, part: Numbers
) -> None:
    """Number the parts that the certain edges form in each tree."""
    n_trees, n = parent.shape
    for t in range(n_trees):
        for v in range(n):
            parent[t, v] = v
    for e in range(len(a)):
        if certain[e]:
            parent[tree[e], _root(parent, tree[e], a[e])] = _root(parent, tree[e], b[e])
    for t in range(n_trees):
        count = 0
        for v in range(n):
            if parent[t, v] == v:
                part[v, t] = count
                count += 1
        for v in range(n):
            part[v, t] = part[_root(parent, t, v), t]


def core_distance(n: int, edges: Edges, n_trees: int) -> tuple[Floats, int]:
    """Return the longest edge on each vertex's path to the core in the last tree, and a vertex of the core.

    Lengths are squared, and infinite if there is no path. More rows can only reduce them.
    """
    last = np.flatnonzero(edges.tree == n_trees - 1)
    links = make_links(n, edges.a[last], edges.b[last], edges.squared[last])
    core = int(np.argmax(links.size))
    return links.bottleneck(np.arange(n), np.full(n, core)), core


class Links(NamedTuple):
    """Links between nodes that form a forest; on the way to a root, links never get shorter."""

    parent: Ints
    length: Floats  # squared length of the link to the parent; infinite at roots
    size: Ints  # number of nodes in the subtree of a node

    def bottleneck(self, one: Ints, two: Ints) -> Floats:
        """Return the longest link on the path between two nodes; infinite if there is no path."""
        out = np.empty(len(one))
        _climb(self.parent, self.length, one, two, out)
        return out


def make_links(n: int, a: Ints | Numbers, b: Ints | Numbers, ascending: Floats) -> Links:
    """Build links with the same bottlenecks as a tree, but shorter paths; its edges are passed shortest first."""
    links = Links(np.arange(n), np.full(n, np.inf), np.ones(n, np.int64))
    _link(a, b, ascending, *links)
    return links


@kernel
def _link(a: Ints | Numbers, b: Ints | Numbers, squared: Floats, parent: Ints, link: Floats, size: Ints) -> None:
    """Attach the smaller component to the larger one, without path compression; paths to the root stay short."""
    for e in range(len(a)):
        one, two = a[e], b[e]
        while parent[one] != one:
            one = parent[one]
        while parent[two] != two:
            two = parent[two]
        if size[one] > size[two]:
            one, two = two, one
        parent[one], link[one] = two, squared[e]
        size[two] += size[one]


class Loose(NamedTuple):
    """Edges that are not settled yet, with the rank, key and part of each end."""

    a: Ints
    b: Ints
    squared: Floats
    key_a: Keys
    key_b: Keys
    part_a: Ints  # (m, t)
    part_b: Ints
    core_a: Floats  # longest edge on the path from the end to its block's core, squared
    core_b: Floats

    def take(self, which: Ints) -> Loose:
        """Return the edges at these positions."""
        return Loose._make(field[which] for field in self)


def in_order(edges: Loose) -> Loose:
    """Return the edges in the strict order."""
    return edges.take(sort_ends(edges.a, edges.b, edges.squared, edges.key_a, edges.key_b))


def sort_ends(a: Ints, b: Ints, squared: Floats, key_a: Keys, key_b: Keys) -> Ints:
    """Return the positions that put edges in the strict order; the edges' ends are given by rank and key."""
    first = np.arange(len(a), dtype=np.int32)
    return sort_edges(first, first + np.int32(len(a)), squared, np.concatenate([key_a, key_b]), np.concatenate([a, b]))


def fit_loose(edges: Loose, n_parts: Ints) -> NDArray[np.int8]:
    """Assign edges in the strict order to the first tree in which they close no cycle; -1 if there is none.

    ``n_parts`` is the number of parts in each tree.
    """
    tree = np.full(len(edges.a), REJECTED, dtype=np.int8)
    parent = np.empty((len(n_parts), int(n_parts.max())), np.int64)
    _fit(edges.part_a, edges.part_b, parent, tree)
    return tree


@kernel
def _fit(part_a: Ints, part_b: Ints, parent: Ints, tree: NDArray[np.int8]) -> None:
    n_trees, n = parent.shape
    for t in range(n_trees):
        for v in range(n):
            parent[t, v] = v
    for e in range(len(tree)):
        for t in range(n_trees):
            one, two = _root(parent, t, part_a[e, t]), _root(parent, t, part_b[e, t])
            if one != two:
                parent[t, one] = two
                tree[e] = t
                break


@kernel
def _climb(parent: Ints, link: Floats, one: Ints, two: Ints, out: Floats) -> None:
    for q in range(len(one)):
        u, v = one[q], two[q]
        longest = 0.0
        while u != v:
            if link[u] > link[v]:
                u, v = v, u
            longest = max(longest, link[u])
            if parent[u] == u:
                break
            u = parent[u]
        out[q] = longest
