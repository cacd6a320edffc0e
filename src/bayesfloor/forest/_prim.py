"""Minimum spanning trees in plain NumPy: Prim's algorithm.

This is the reference that every kernel must match edge for edge. It is also used for small sets, because
it needs no compilation. It takes t n steps, each over a row of squared distances. The rows come from one matrix
that all subsets share, if it is small, or are computed on the fly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._edges import Edges, sort_once
from bayesfloor.forest._vertices import Vertices, pair_hash
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints

_ROWS_AT_ONCE = 64  # rows of the matrix: they stay in the cache while features are added


class Distances:
    """Squared distances between vertices; infinite if an edge is forbidden."""

    def __init__(self, vertices: Vertices, *, keep: bool) -> None:
        self.vertices = vertices
        self.matrix = self._measure(slice(None)) if keep else None
        self._used: list[list[int]] = [[] for _ in range(0 if keep else len(vertices))]

    def row(self, v: int) -> Floats:
        """Return the distances from one vertex to all; do not write to them."""
        if self.matrix is not None:
            return self.matrix[v]
        row = self._measure(slice(v, v + 1))[0]
        row[self._used[v]] = np.inf
        return row

    def forbid(self, a: int, b: int) -> None:
        """Forbid an edge."""
        if self.matrix is not None:
            self.matrix[a, b] = self.matrix[b, a] = np.inf
        else:
            self._used[a].append(b)
            self._used[b].append(a)

    def of(self, members: Ints) -> Distances:
        """Return a copy with only the distances between these vertices, renumbered."""
        part = object.__new__(Distances)
        part.vertices, part._used = self.vertices.take(members), [[] for _ in members]
        part.matrix = None if self.matrix is None else self.matrix[np.ix_(members, members)]
        return part

    def _measure(self, rows: slice) -> Floats:
        """Compute the squared distances from these vertices to all."""
        x, group = self.vertices.x, self.vertices.group
        total = squared_distances(x[rows], x)
        if len(group):
            total[group[rows, None] == group] = np.inf
        return total


def squared_distances(x: Floats, z: Floats) -> Floats:
    """Add squared differences feature by feature, in order, with the same result as the kernels, bit for bit.

    SciPy is several times as fast, and is used unless it was compiled with fused multiply-add.
    """
    return _measured_by_scipy(x, z) if _scipy_adds_in_order() else _add_in_order(x, z)


def _measured_by_scipy(x: Floats, z: Floats) -> Floats:
    from scipy.spatial.distance import cdist

    return cdist(x, z, "sqeuclidean")


def _add_in_order(x: Floats, z: Floats) -> Floats:
    total, columns = np.zeros((len(x), len(z))), np.ascontiguousarray(z.T)
    for start in range(0, len(x), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        for own, other in zip(x[part].T, columns, strict=True):
            step = other - own[:, None]
            step *= step
            total[part] += step
    return total


@cache
def _scipy_adds_in_order() -> bool:
    """Whether SciPy's distances equal ours to the last bit, tested on numbers of many magnitudes."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(40, d)) * np.exp2(rng.integers(-9, 9, d)) for d in (1, 2, 3, 5, 8, 17, 64, 131)]
    return all(np.array_equal(_measured_by_scipy(x, x), _add_in_order(x, x)) for x in trials)


def prim_forest(distances: Distances, n_trees: int, progress: Progress | None = None) -> Edges:
    """Compute the first ``n_trees`` orthogonal minimum spanning trees; their edges are forbidden in ``distances``."""
    rows = []
    for tree in range(n_trees):
        edges = list(_prim_tree(distances))
        for a, b, _ in edges:
            distances.forbid(a, b)
        rows += [(min(a, b), max(a, b), squared, tree) for a, b, squared in edges]
        if progress is not None:
            progress("trees", tree + 1, n_trees)
    table = np.array(rows, dtype=[("a", np.int32), ("b", np.int32), ("squared", float), ("tree", np.int8)])
    return sort_once(distances.vertices, Edges(table["a"], table["b"], table["squared"], table["tree"]))


def _prim_tree(distances: Distances) -> Iterator[tuple[int, int, float]]:
    """Yield the edges of the minimum spanning tree (or forest).

    ``best`` is each vertex's distance from the tree, and infinite for vertices in the tree. ``limit`` is the
    same, but minus infinity for vertices in the tree, so that they are never updated.
    """
    n = len(distances.vertices)
    best, limit, origin = np.full(n, np.inf), np.full(n, np.inf), np.full(n, -1)
    v = 0
    for _ in range(n - 1):
        best[v], limit[v] = np.inf, -np.inf
        _look_from(distances.vertices, v, distances.row(v), best, limit, origin)
        v = _nearest(distances.vertices, best, origin)
        if best[v] < np.inf:
            yield int(origin[v]), v, float(best[v])
        else:
            v = int(limit.argmax())  # start another component: no edge leads to the remaining vertices


def _look_from(vertices: Vertices, v: int, row: Floats, best: Floats, limit: Floats, origin: Ints) -> None:
    """Update the vertices that are nearer to ``v`` than to the rest of the tree."""
    tied = (row == limit).nonzero()[0]
    nearer = (row < limit).nonzero()[0]
    best[nearer] = limit[nearer] = row[nearer]
    origin[nearer] = v
    if tied.size:
        _break_ties(vertices, v, tied[row[tied] < np.inf], origin)


def _break_ties(vertices: Vertices, v: int, tied: Ints, origin: Ints) -> None:
    """Update the vertices that are equally near to ``v`` and to the tree, if the edge to ``v`` comes first."""
    here, there = _tie_keys(vertices, tied, np.full(len(tied), v)), _tie_keys(vertices, tied, origin[tied])
    before = np.zeros(len(tied), dtype=bool)
    for one, two in zip(here[::-1], there[::-1], strict=True):
        before = (one < two) | ((one == two) & before)
    origin[tied[before]] = v


def _nearest(vertices: Vertices, best: Floats, origin: Ints) -> int:
    """Return the vertex whose best edge comes first in the strict order."""
    v = int(best.argmin())
    tied = (best == best[v]).nonzero()[0]
    if len(tied) == 1 or best[v] == np.inf:
        return v
    hashed, low, high = _tie_keys(vertices, tied, origin[tied])
    first = np.flatnonzero(hashed == hashed.min())
    return int(tied[first[np.lexsort((high[first], low[first]))[0]]])


def _tie_keys(vertices: Vertices, a: Ints, b: Ints) -> tuple[NDArray[Any], ...]:
    """Return the keys that order equally long edges: hash, lower rank, higher rank."""
    one, two = vertices.rank[a], vertices.rank[b]
    return pair_hash(vertices.key[a], vertices.key[b]), np.minimum(one, two), np.maximum(one, two)
