"""Lists of edges, and a function in plain Python that builds trees from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._vertices import Numbers, Vertices, sort_edges
from bayesfloor.support._types import Floats, Ints

REJECTED = -1  # the tree number of an edge that is not in any tree


class Edges(NamedTuple):
    """Edges in the strict order, each from a lower to a higher vertex number."""

    a: Numbers
    b: Numbers
    squared: Floats
    tree: NDArray[np.int8]

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Edges:
        """Return the edges at these positions."""
        if isinstance(which, slice):
            return Edges(self.a[which], self.b[which], self.squared[which], self.tree[which])
        at = np.flatnonzero(which) if which.dtype == np.bool_ else which  # several times as fast as using the mask
        return Edges(self.a.take(at), self.b.take(at), self.squared.take(at), self.tree.take(at))

    def renumber(self, numbers: Numbers) -> Edges:
        """Return the same edges with vertex ``v`` renumbered to ``numbers[v]``."""
        one, two = numbers[self.a], numbers[self.b]
        return Edges(np.minimum(one, two), np.maximum(one, two), self.squared, self.tree)


def no_edges() -> Edges:
    return Edges(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0, np.int8))


def new_edges(a: Numbers, b: Numbers, squared: Floats) -> Edges:
    """Make edges that are not in a tree yet."""
    return Edges(a, b, squared, np.full(len(a), REJECTED, dtype=np.int8))


def concatenate(lists: Iterable[Edges]) -> Edges:
    """Concatenate the lists; the result is no longer in order."""
    return Edges(*(np.concatenate(fields) for fields in zip(no_edges(), *lists, strict=True)))


def sort_once(vertices: Vertices, edges: Edges) -> Edges:
    """Sort the edges in the strict order and drop duplicates, keeping the first."""
    order = sort_edges(edges.a, edges.b, edges.squared, vertices.key, vertices.rank)
    a, b = edges.a[order], edges.b[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return edges.take(order if new.all() else order[new])


def merge(vertices: Vertices, one: Edges, two: Edges) -> Edges:
    """Merge two lists in the strict order; an edge in both appears once, as in ``one``."""
    if not len(one.a) or not len(two.a):
        return two if not len(one.a) else one
    place = np.searchsorted(one.squared, two.squared)
    tied = place < np.searchsorted(one.squared, two.squared, side="right")
    if tied.any():
        return sort_once(vertices, concatenate([one, two]))
    a, b = np.insert(one.a, place, two.a), np.insert(one.b, place, two.b)
    return Edges(a, b, np.insert(one.squared, place, two.squared), np.insert(one.tree, place, two.tree))


def without_copies(edges: Edges, known: Edges) -> Edges:
    """Drop the edges that are in ``known``, if their length alone identifies them."""
    place = np.searchsorted(known.squared, edges.squared)
    seen = np.flatnonzero(place < len(known.squared))
    there = place[seen]
    copy = (known.a[there] == edges.a[seen]) & (known.b[there] == edges.b[seen])
    return edges.take(np.delete(np.arange(len(edges.a)), seen[copy]))


def first_fit(n_vertices: int, edges: Edges, n_trees: int) -> Edges:
    """Put each edge, in order, into the first tree in which it closes no cycle, in plain Python."""
    parents = [list(range(n_vertices)) for _ in range(n_trees)]
    tree = np.full(len(edges.a), REJECTED, dtype=np.int8)
    for e, (i, j) in enumerate(zip(edges.a.tolist(), edges.b.tolist(), strict=True)):
        for t, parent in enumerate(parents):
            one, two = _root(parent, i), _root(parent, j)
            if one != two:
                parent[one] = two
                tree[e] = t
                break
    return edges._replace(tree=tree).take(tree != REJECTED)


def _root(parent: list[int], v: int) -> int:
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v
