"""Compute an exact forest from candidate edges: scan, find uncertain places, search there, scan again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.forest._edge_lists import (
    REJECTED,
    Edges,
    concatenate,
    merge,
    new_edges,
    no_edges,
    sort_once,
    without_copies,
)
from bayesfloor.forest._edge_order import Numbers
from bayesfloor.forest._first_fit import finish_scan, first_nodes, scan_edges, start_scan
from bayesfloor.forest._neighbour_finders import Candidates, Finder, Search
from bayesfloor.forest._small_kernels import AFTER_TIES
from bayesfloor.forest._vertices import Vertices

_SCANNED_AT_ONCE = 1 << 20  # edges in one compiled call: few enough that an interrupt takes effect soon
_MARKS = (0.5, 0.75, 0.9, 0.96, 0.99)  # a scan saves its state here (fractions of the edges): the next changes little
_MARKED_FROM = 100_000  # edges
_STRANGERS = 16  # strangers to find around a doubtful component in the first round; each later round doubles this
_MANY = 256  # to find more strangers than this, use a finder that handles ties and rounding exactly


class Reach(NamedTuple):
    """The length up to which all edges at a vertex are known, and the end of the last edge known at that length."""

    length: Floats
    end: Numbers

    def extend(self, found: Candidates) -> None:
        """Update the reach of the vertices that searched."""
        farther = found.reach >= self.length[found.asked]
        self.length[found.asked[farther]] = found.reach[farther]
        self.end[found.asked[farther]] = found.end[farther]


def full_reach(n: int) -> Reach:
    """Return the reach of vertices at which all edges are known."""
    return Reach(np.full(n, np.inf), np.full(n, AFTER_TIES, dtype=np.int32))


class FirstFit:
    """The trees of the edges added so far.

    A new edge only affects edges after it. So the scan saves its state at a few marks and restarts at
    the last mark before the shortest new edge.
    """

    def __init__(self, vertices: Vertices, n_trees: int, reach: Reach) -> None:
        self.vertices, self.n_trees, self.reach, self.edges = vertices, n_trees, reach, no_edges()
        self.marks = [(0, first_nodes(len(vertices), n_trees))]
        self.scan = start_scan(self.marks[0][1])

    def add(self, new: Edges) -> None:
        """Add these edges to the others and update the trees."""
        new = without_copies(new, self.edges)
        start = self._go_back(new.squared.min(initial=np.inf))
        head, tail = self.edges.take(slice(start)), self.edges.take(slice(start, None))
        tail = self._scan_tail(merge(self.vertices, tail, new), start)
        self.edges = concatenate([head, tail]) if start else tail

    def useful(self, edges: Edges) -> Edges:
        """If the last tree spans all vertices, drop the edges that are longer than all edges of the trees."""
        spans = np.count_nonzero(self.edges.tree == self.n_trees - 1) == len(self.vertices) - 1
        return edges.take(edges.squared <= self.edges.squared[-1]) if spans and len(self.edges.a) else edges

    def doubts(self) -> Search | None:
        """Return where to search for missing edges, or None if the trees are exact."""
        bound, label = self.scan.bound[: self.scan.parts[0]].copy(), self.scan.label
        if not len(bound):
            return None
        asked = np.flatnonzero((label >= 0) & (self.reach.length <= bound[label]))
        return Search(asked.astype(np.int32), label, bound)

    def _go_back(self, shortest: float) -> int:
        """Restore the last mark before the first edge of this length, and return its position."""
        before = np.searchsorted(self.edges.squared, shortest)
        self.marks = [mark for mark in self.marks if mark[0] <= before]
        position, node = self.marks[-1]
        self.scan = start_scan(node)
        return position

    def _scan_tail(self, edges: Edges, start: int) -> Edges:
        at, (a, b, squared, tree) = 0, edges._replace(tree=edges.tree.copy())
        for stop in _stops(len(a)):
            key, rank = self.vertices.key, self.vertices.rank
            scan_edges(self.scan, a, b, squared, tree, self.n_trees, at, stop, *self.reach, key, rank)
            at = stop
            if self.scan.parts[0] == 0 and stop < len(a):
                self.marks.append((start + int(np.count_nonzero(tree[:stop] != REJECTED)), self.scan.node.copy()))
        finish_scan(self.scan, self.n_trees, self.reach.length)
        return Edges(a, b, squared, tree).take(tree != REJECTED)


def _stops(n: int) -> list[int]:
    """Return where compiled calls end: at the marks, and never too far apart."""
    steady = range(_SCANNED_AT_ONCE, n, _SCANNED_AT_ONCE)
    marks = (int(n * share) for share in _MARKS) if n > _MARKED_FROM else ()
    return sorted({*steady, *marks, n})


def grow_forest(vertices: Vertices, finder: Finder, n_trees: int, m: int, known: Edges | None = None) -> Edges:
    """Compute the exact first ``n_trees`` trees from the ``known`` edges and all edges that the finder can find."""
    found, m = finder.first(m), _STRANGERS
    reach = full_reach(len(vertices))
    reach.length[found.asked], reach.end[found.asked] = found.reach, found.end
    forest = FirstFit(vertices, n_trees, reach)
    forest.add(sort_once(vertices, concatenate([known or no_edges(), new_edges(*found[:3])])))
    while (search := forest.doubts()) is not None:
        finder = finder if m <= _MANY else finder.exact()
        found, m = finder.strangers(search, m), 2 * m
        reach.extend(found)
        forest.add(sort_once(vertices, new_edges(*found[:3])))
    return forest.edges
