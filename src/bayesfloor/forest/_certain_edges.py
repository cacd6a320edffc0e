"""What a block knows for certain of the forest of all rows, and how the rest is settled.

An edge that joins two components of tree j in increasing order is in tree j of *all* rows if one of
the two is cut off from everything else: every vertex in it is farther from the end of its block than
the edge is long, and every shorter edge that leaves it is certain to be in an earlier tree. (That an
edge is *not* in an earlier tree is always certain: the shorter paths that keep it out can only get
shorter with more rows.)

Certain edges of a tree may be contracted, each tree for itself, before the others are settled: a
minimal spanning tree of the contracted graph is that of the graph, less what was contracted. So only
edges near the ends of blocks have to be brought together: in few dimensions, few.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._edge_lists import REJECTED, Edges
from bayesfloor.forest._edge_order import Keys, Numbers, sort_edges
from bayesfloor.forest._jit import kernel, step


class Settled(NamedTuple):
    """Which edges of a block's forest are certain, and what they contract the vertices to."""

    certain: NDArray[np.bool_]
    part: Numbers  # (n, t) the part of each vertex in each tree


def settle(n: int, edges: Edges, n_trees: int, reach: Floats) -> Settled:
    """What is certain of a forest whose vertices know all edges below their ``reach``, a squared length."""
    certain = np.zeros(len(edges.a), dtype=np.bool_)
    parent = np.empty((n_trees, n), np.int32)
    _find_certain(edges.a, edges.b, edges.squared, edges.tree, reach, parent, certain)
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
    certain: NDArray[np.bool_],
) -> None:
    n_trees, n = parent.shape
    weakest = np.empty((n_trees, n))
    for t in range(n_trees):
        for v in range(n):
            parent[t, v], weakest[t, v] = v, reach[v]
    for e in range(len(a)):
        t = tree[e]
        one, two = _root(parent, t, a[e]), _root(parent, t, b[e])
        certain[e] = weakest[t, one] > squared[e] or weakest[t, two] > squared[e]
        parent[t, one] = two
        weakest[t, two] = min(weakest[t, one], weakest[t, two])
        if not certain[e]:  # it may yet fall into a later tree and join what seems apart there
            for later in range(t + 1, n_trees):
                weakest[later, _root(parent, later, a[e])] = -1.0
                weakest[later, _root(parent, later, b[e])] = -1.0


@kernel
def _contract(
    a: Numbers, b: Numbers, tree: NDArray[np.int8], certain: NDArray[np.bool_], parent: Numbers, part: Numbers
) -> None:
    """Number the parts that certain edges make of each tree."""
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
    """How long an edge each vertex needs on its way to the core, by the last tree, and a vertex of the core.

    Squared; infinite where the tree does not lead there. With more rows it can only fall.
    """
    last = np.flatnonzero(edges.tree == n_trees - 1)
    links = make_links(n, edges.a[last], edges.b[last], edges.squared[last])
    core = int(np.argmax(links.size))
    return links.bottleneck(np.arange(n), np.full(n, core)), core


class Links(NamedTuple):
    """A forest of links between nodes, which never get shorter on the way to a root."""

    parent: Ints
    length: Floats  # of the link to the parent, squared; infinite at roots
    size: Ints  # of what hangs on a node

    def bottleneck(self, one: Ints, two: Ints) -> Floats:
        """The longest link between two nodes; infinite if nothing links them."""
        out = np.empty(len(one))
        _climb(self.parent, self.length, one, two, out)
        return out


def make_links(n: int, a: Ints | Numbers, b: Ints | Numbers, ascending: Floats) -> Links:
    """Links that lead from any node to any other as the edges of a tree do, by few steps; edges come shortest first."""
    links = Links(np.arange(n), np.full(n, np.inf), np.ones(n, np.int64))
    _link(a, b, ascending, *links)
    return links


@kernel
def _link(a: Ints | Numbers, b: Ints | Numbers, squared: Floats, parent: Ints, link: Floats, size: Ints) -> None:
    """Hang the smaller component on the larger one, and never shorten a path: then few steps lead to the root."""
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
    """Edges that are not settled: ends by rank with their rows' keys and the parts that they lie in."""

    a: Ints
    b: Ints
    squared: Floats
    key_a: Keys
    key_b: Keys
    part_a: Ints  # (m, t)
    part_b: Ints
    core_a: Floats  # how long an edge the end needs on its way to its block's core, squared
    core_b: Floats

    def take(self, which: Ints) -> Loose:
        """The edges at these positions."""
        return Loose._make(field[which] for field in self)


def in_order(edges: Loose) -> Loose:
    """The edges in the strict order."""
    return edges.take(sort_ends(edges.a, edges.b, edges.squared, edges.key_a, edges.key_b))


def sort_ends(a: Ints, b: Ints, squared: Floats, key_a: Keys, key_b: Keys) -> Ints:
    """Positions that put edges in the strict order, whose ends are told by rank and key."""
    first = np.arange(len(a), dtype=np.int32)
    return sort_edges(first, first + np.int32(len(a)), squared, np.concatenate([key_a, key_b]), np.concatenate([a, b]))


def fit_loose(edges: Loose, n_parts: Ints) -> NDArray[np.int8]:
    """Trees, which have so many parts, of edges in the strict order: the first where they close no cycle, or -1."""
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
