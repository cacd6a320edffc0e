"""Lists of edges, trees built from them in plain Python, and their moments as a graph, for the permutation test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._vertices import Numbers, Vertices, sort_edges
from bayesfloor.support._types import Floats, Ints

Number = TypeVar("Number", int, Ints)

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


class Equal(NamedTuple):
    """The number of rows that each class has at each of its vertices, and whether trees join equal rows."""

    rows: list[Ints]
    inside: bool

    def union(self, members: list[Ints], i: int, j: int) -> tuple[Ints, Ints]:
        """Return the vertices of two classes in ascending order, and the number of rows of both at each."""
        both, rows = np.concatenate([members[i], members[j]]), np.concatenate([self.rows[i], self.rows[j]])
        order = np.argsort(both, kind="stable")  # fast, because both parts are sorted
        union, rows = both[order], rows[order]
        new = np.ones(len(union), dtype=bool)
        new[1:] = union[1:] != union[:-1]
        return (union, rows) if new.all() else (union[new], np.add.reduceat(rows, np.flatnonzero(new)))


def graph_moments(a: Ints, b: Ints, rows_at: Ints, n_trees: int, *, inside: bool) -> tuple[float, float, float]:
    """Return the sums of the weights, of their squares, and of the squared row sums.

    Each edge between two vertices is divided evenly among the pairs of their rows: 1 / (m_a m_b) each.
    Inside a vertex, each tree joins the m equal rows by m - 1 edges, so the weight between any two of them is 2 / m per
    tree. With groups, equal rows are not joined (``inside`` is false).
    """
    degree = np.bincount(a, minlength=len(rows_at)) + np.bincount(b, minlength=len(rows_at))
    if rows_at.max(initial=1) == 1:  # no rows are equal, so the sums are simpler
        return float(len(a)), float(len(a)), float((degree**2).sum())
    m = rows_at.astype(np.float64)
    more = (m - 1) * n_trees if inside else np.zeros_like(m)
    squares = (1 / (m[a] * m[b])).sum() + (2 * more * n_trees / m).sum()
    return len(a) + more.sum(), squares, float(((2 * more + degree) ** 2 / m).sum())


def pair_number(i: Number, j: Number, n_classes: int) -> Number:
    """Return the position of the pair ``i < j`` among all pairs."""
    return i * n_classes - i * (i + 1) // 2 + j - i - 1
