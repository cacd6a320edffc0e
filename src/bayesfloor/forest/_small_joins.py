"""Join many pairs of small blocks in one compiled call.

A thousand classes of fifty points each need half a million joins. Each join is too small for lists and
scans, so all distances between the two blocks are measured and Prim's algorithm runs on the small matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._edge_lists import Edges
from bayesfloor.forest._edge_order import Keys, Numbers
from bayesfloor.forest._jit import kernel, step
from bayesfloor.forest._small_kernels import squared_lengths, tie_before
from bayesfloor.forest._vertices import Vertices

SMALL = 256  # vertices of both blocks together: the matrix fits in the cache


class Parts(NamedTuple):
    """Blocks of vertices, one after another, each with its forest."""

    number: Numbers  # vertices of the blocks, ascending in each
    x: Floats  # their rows
    rows: Ints  # number of the block's rows at each vertex
    first: Ints  # where each block starts, and where the last one ends
    a: Numbers  # ends of the blocks' edges, as positions in their block
    b: Numbers
    squared: Floats
    first_edge: Ints


class Across(NamedTuple):
    """The edges found, each with its pair of blocks."""

    pair: Ints
    a: Numbers
    b: Numbers
    squared: Floats


def make_parts(vertices: Vertices, members: list[Ints], forests: list[Edges], rows: list[Ints]) -> Parts:
    """Build the parts from each block's vertex numbers and its forest, whose ends are such numbers."""
    number = np.concatenate(members).astype(np.int32)
    ends = [np.searchsorted(m, [f.a, f.b]).astype(np.int32) for m, f in zip(members, forests, strict=True)]
    a, b = np.concatenate(ends, axis=1)
    squared = np.concatenate([f.squared for f in forests])
    x, many = vertices.x[number], np.concatenate(rows)
    return Parts(number, x, many, _starts(members), a, b, squared, _starts([f.a for f in forests]))


def _starts(lists: Sequence[Ints]) -> Ints:
    return np.cumsum([0, *(len(one) for one in lists)])


@step
def _place(
    parts: Parts, i: int, j: int, number: Numbers, place: Numbers, shared: NDArray[np.bool_], rows: Numbers
) -> int:
    """Place block i's vertices, then those of block j that are not in block i, and return how many there are."""
    n, p = parts.first[i + 1] - parts.first[i], parts.first[i]
    for q in range(n):
        number[q], shared[q], rows[q] = parts.number[p + q], False, parts.rows[p + q]
    stop = n
    for q in range(parts.first[j + 1] - parts.first[j]):
        vertex = parts.number[parts.first[j] + q]
        while p < parts.first[i + 1] and parts.number[p] < vertex:
            p += 1
        if p < parts.first[i + 1] and parts.number[p] == vertex:
            place[q] = p - parts.first[i]
            shared[place[q]] = True
            rows[place[q]] += parts.rows[parts.first[j] + q]
        else:
            place[q], number[stop], rows[stop] = stop, vertex, parts.rows[parts.first[j] + q]
            stop += 1
    return stop


@step
def _measure_across(
    parts: Parts,
    i: int,
    j: int,
    group: Ints,
    place: Numbers,
    shared: NDArray[np.bool_],
    columns: Floats,
    matrix: Floats,
) -> None:
    """Measure the possible edges between the blocks: those not at a vertex of both blocks and not inside a group."""
    s, t, d = parts.first[i], parts.first[j], parts.x.shape[1]
    n, m, grouped = parts.first[i + 1] - s, parts.first[j + 1] - t, len(group) > 0
    row = np.empty(m)
    for q in range(m):
        for k in range(d):
            columns[0, k, q] = parts.x[t + q, k]
    for u in range(n):
        squared_lengths(columns, 0, parts.x, s + u, row)
        for q in range(m):
            v, same = place[q], grouped and group[parts.number[s + u]] == group[parts.number[t + q]]
            if v >= n and not shared[u] and not same:
                matrix[u, v] = matrix[v, u] = row[q]


@step
def _enter_known(parts: Parts, i: int, j: int, place: Numbers, matrix: Floats) -> None:
    """Enter the edges of the blocks' own forests in the matrix."""
    for e in range(parts.first_edge[i], parts.first_edge[i + 1]):
        u, v = parts.a[e], parts.b[e]
        matrix[u, v] = matrix[v, u] = parts.squared[e]
    for e in range(parts.first_edge[j], parts.first_edge[j + 1]):
        u, v = place[parts.a[e]], place[parts.b[e]]
        matrix[u, v] = matrix[v, u] = parts.squared[e]


@step
def _settle_ties(
    matrix: Floats,
    v: int,
    left: int,
    rest: Numbers,
    number: Numbers,
    key: Keys,
    rank: Ints,
    best: Floats,
    origin: Numbers,
) -> int:
    """Among equally long edges, choose the first for each vertex and then over all vertices; return its position."""
    chosen = 0
    for r in range(left):
        u = rest[r]
        if (
            matrix[v, u] == best[u]
            and best[u] < np.inf
            and tie_before(key, rank, number[u], number[v], number[u], number[origin[u]])
        ):
            origin[u] = v
        w = rest[chosen]
        if best[u] < best[w] or (
            best[u] == best[w] and tie_before(key, rank, number[u], number[origin[u]], number[w], number[origin[w]])
        ):
            chosen = r
    return chosen


@step
def _prim(
    matrix: Floats,
    n: int,
    number: Numbers,
    key: Keys,
    rank: Ints,
    best: Floats,
    origin: Numbers,
    rest: Numbers,
    ends: Numbers,
) -> int:
    """Find the edges of a matrix's minimum spanning tree (or forest), and return how many there are."""
    for u in range(n):
        best[u], origin[u], rest[u] = np.inf, u, u + 1
    v, count = 0, 0
    for left in range(n - 1, 0, -1):
        chosen, low, tied = 0, np.inf, False
        for r in range(left):
            u = rest[r]
            length = matrix[v, u]
            tied |= length == best[u] and length < np.inf
            if length < best[u]:
                best[u], origin[u] = length, v
            tied |= best[u] == low and low < np.inf
            if best[u] < low:
                low, chosen = best[u], r
        if tied:
            chosen = _settle_ties(matrix, v, left, rest, number, key, rank, best, origin)
        v, rest[chosen] = rest[chosen], rest[left - 1]
        if best[v] < np.inf:
            ends[count, 0], ends[count, 1] = min(origin[v], v), max(origin[v], v)
            count += 1
    return count


def join_small(
    parts: Parts, key: Keys, rank: Ints, group: Ints, pairs: Ints, n_trees: int, inside: bool
) -> tuple[Across, Floats]:
    """Find the edges between the blocks in the forests of these pairs, and the moments of each forest."""
    room, moments = len(pairs) * SMALL * n_trees, np.zeros((len(pairs), 3))
    found = Across(np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room))
    count = _join(parts, key, rank, group, pairs, n_trees, inside, moments, *found)
    pair, a, b, squared = found
    return Across(pair[:count].copy(), a[:count].copy(), b[:count].copy(), squared[:count].copy()), moments


@step
def _add_vertices(moments: Floats, p: int, n: int, rows: Numbers, degree: Numbers, n_trees: int, inside: bool) -> None:
    """Add the vertices' terms to the moments of a graph, as in ``graph_moments``."""
    for u in range(n):
        m = rows[u]
        more = (m - 1) * n_trees if inside else 0
        moments[p, 0] += more
        moments[p, 1] += 2.0 * more * n_trees / m
        moments[p, 2] += (2.0 * more + degree[u]) ** 2 / m


@kernel
def _join(
    parts: Parts,
    key: Keys,
    rank: Ints,
    group: Ints,
    pairs: Ints,
    n_trees: int,
    inside: bool,
    moments: Floats,
    pair: Ints,
    a: Numbers,
    b: Numbers,
    squared: Floats,
) -> int:
    """Fill in the edges between the blocks, and return how many there are."""
    number, place = np.empty(SMALL, np.int32), np.empty(SMALL, np.int32)
    degree, rows = np.empty(SMALL, np.int32), np.empty(SMALL, np.int32)
    shared, ends = np.empty(SMALL, np.bool_), np.empty((SMALL, 2), np.int32)
    best, origin, rest = np.empty(SMALL), np.empty(SMALL, np.int32), np.empty(SMALL, np.int32)
    matrix, columns, found = np.empty((SMALL, SMALL)), np.empty((1, parts.x.shape[1], SMALL)), 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        first, n = parts.first[i + 1] - parts.first[i], _place(parts, i, j, number, place, shared, rows)
        for u in range(n):
            for v in range(n):
                matrix[u, v] = np.inf
        _measure_across(parts, i, j, group, place, shared, columns, matrix)
        _enter_known(parts, i, j, place, matrix)
        degree[:n] = 0
        for _ in range(n_trees):
            for e in range(_prim(matrix, n, number, key, rank, best, origin, rest, ends)):
                u, v = ends[e, 0], ends[e, 1]
                degree[u] += 1
                degree[v] += 1
                moments[p, 0] += 1
                moments[p, 1] += 1 / (rows[u] * rows[v])
                if u < first and v >= first and not shared[u]:
                    pair[found], squared[found] = p, matrix[u, v]
                    a[found], b[found] = min(number[u], number[v]), max(number[u], number[v])
                    found += 1
                matrix[u, v] = matrix[v, u] = np.inf
        _add_vertices(moments, p, n, rows, degree, n_trees, inside)
    return found
