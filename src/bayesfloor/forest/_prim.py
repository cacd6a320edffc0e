"""Points become trees, plainly: Prim's algorithm in NumPy.

The reference that every kernel has to equal edge for edge, and the way for small sets, because it
needs no compilation. It costs t n steps over rows of squared distances; these come from one matrix
that all subsets share while it is small, or are measured on the fly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._progress import Progress
from bayesfloor.forest._edges import Edges, sort_once
from bayesfloor.forest._order import Floats, Ints, pair_hash
from bayesfloor.forest._vertices import Vertices

_ROWS_AT_ONCE = 64  # of the matrix: its parts stay in the cache while features are added


class Distances:
    """Squared distances between vertices; infinite where an edge is forbidden."""

    def __init__(self, vertices: Vertices, *, keep: bool) -> None:
        self.vertices, self.columns = vertices, np.ascontiguousarray(vertices.x.T)
        self.matrix = self._measure_all() if keep else None

    def row(self, v: int) -> Floats:
        """Distances from one vertex to all, as an array of its own."""
        return self._measure(slice(v, v + 1))[0] if self.matrix is None else self.matrix[v].copy()

    def of(self, members: Ints) -> Distances:
        """Distances between these vertices only, numbered anew."""
        part = object.__new__(Distances)
        part.vertices, part.columns = self.vertices.take(members), self.columns[:, members]
        part.matrix = None if self.matrix is None else self.matrix[np.ix_(members, members)]
        return part

    def _measure_all(self) -> Floats:
        n = len(self.vertices)
        parts = (slice(start, start + _ROWS_AT_ONCE) for start in range(0, n, _ROWS_AT_ONCE))
        return np.concatenate([self._measure(part) for part in parts])

    def _measure(self, rows: slice) -> Floats:
        """Squared differences added feature by feature, in order: bit for bit as in the kernels."""
        total = np.zeros((len(self.vertices.x[rows]), len(self.vertices)))
        for feature in self.columns:
            step = feature - feature[rows, None]
            step *= step
            total += step
        group = self.vertices.group
        if len(group):
            total[group[rows, None] == group] = np.inf
        return total


def prim_forest(distances: Distances, n_trees: int, progress: Progress | None = None) -> Edges:
    """The first ``n_trees`` orthogonal minimal spanning trees."""
    used: list[list[int]] = [[] for _ in range(len(distances.vertices))]
    rows = []
    for tree in range(n_trees):
        edges = list(_prim_tree(distances, used))
        for a, b, _ in edges:
            used[a].append(b)
            used[b].append(a)
        rows += [(min(a, b), max(a, b), squared, tree) for a, b, squared in edges]
        if progress is not None:
            progress("trees", tree + 1, n_trees)
    table = np.array(rows, dtype=[("a", np.int32), ("b", np.int32), ("squared", float), ("tree", np.int8)])
    return sort_once(distances.vertices, Edges(table["a"], table["b"], table["squared"], table["tree"]))


def _prim_tree(distances: Distances, used: list[list[int]]) -> Iterator[tuple[int, int, float]]:
    """Edges of the minimal spanning tree (or forest) without the edges used before."""
    n = len(distances.vertices)
    outside = np.ones(n, dtype=bool)
    best, origin = np.full(n, np.inf), np.full(n, -1)
    v = 0
    while True:
        outside[v], best[v] = False, np.inf
        row = distances.row(v)
        row[used[v]] = np.inf
        _look_from(distances.vertices, v, row, outside, best, origin)
        v = _nearest(distances.vertices, best, origin)
        if best[v] < np.inf:
            yield int(origin[v]), v, float(best[v])
        elif outside.any():
            v = int(outside.argmax())
        else:
            return


def _look_from(vertices: Vertices, v: int, row: Floats, outside: NDArray[np.bool_], best: Floats, origin: Ints) -> None:
    """Take over what is nearer from ``v``."""
    nearer = (row < best) & outside
    best[nearer], origin[nearer] = row[nearer], v
    tied = np.flatnonzero((row == best) & (origin != v) & (best < np.inf))
    if tied.size:
        here, there = _tie_keys(vertices, tied, np.full(len(tied), v)), _tie_keys(vertices, tied, origin[tied])
        before = np.zeros(len(tied), dtype=bool)
        for one, two in zip(here[::-1], there[::-1], strict=True):
            before = (one < two) | ((one == two) & before)
        origin[tied[before]] = v


def _nearest(vertices: Vertices, best: Floats, origin: Ints) -> int:
    """The vertex with the first edge in the strict order."""
    v = int(best.argmin())
    tied = np.flatnonzero(best == best[v])
    if best[v] == np.inf or len(tied) == 1:
        return v
    hashed, low, high = _tie_keys(vertices, tied, origin[tied])
    first = np.flatnonzero(hashed == hashed.min())
    return int(tied[first[np.lexsort((high[first], low[first]))[0]]])


def _tie_keys(vertices: Vertices, a: Ints, b: Ints) -> tuple[NDArray[Any], ...]:
    """What orders edges of one length: hash, lower rank, higher rank."""
    one, two = vertices.rank[a], vertices.rank[b]
    return pair_hash(vertices.key[a], vertices.key[b]), np.minimum(one, two), np.maximum(one, two)
