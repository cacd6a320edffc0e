"""Small compiled functions that several kernels share.

The points of a search are stored transposed, one feature after another. So a loop over points is vectorised,
while every single length is still added up feature by feature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest import _edge_order
from bayesfloor.forest._edge_order import Keys, Numbers
from bayesfloor.forest._jit import kernel, step

# Values for the end of a vertex's reach if the reach is a length and not an edge; see ``_first_fit``.
BEFORE_TIES = -1  # edges of exactly this length may be missing
AFTER_TIES = -2  # all edges of exactly this length are listed

pair_hash = cast("Callable[[int, int], int]", kernel(_edge_order.pair_hash))


@step
def tie_before(key: Keys, rank: Ints, a: int, b: int, c: int, d: int) -> bool:
    """Whether, of two equally long edges, (a, b) comes before (c, d)."""
    one, two = pair_hash(key[a], key[b]), pair_hash(key[c], key[d])
    if one != two:
        return one < two
    low_one, low_two = min(rank[a], rank[b]), min(rank[c], rank[d])
    if low_one != low_two:
        return low_one < low_two
    return max(rank[a], rank[b]) < max(rank[c], rank[d])


@step
def squared_lengths(blocks: Floats, block: int, points: Floats, i: int, out: Floats) -> None:
    """Compute squared distances from the ``i``-th point to the points of a block, two features per pass."""
    d, size = points.shape[1], len(out)
    for p in range(size):
        out[p] = 0.0
    for k in range(0, d - 1, 2):
        one, two = points[i, k], points[i, k + 1]
        for p in range(size):
            step, next_step = blocks[block, k, p] - one, blocks[block, k + 1, p] - two
            out[p] = (out[p] + step * step) + next_step * next_step
    if d % 2:
        one = points[i, d - 1]
        for p in range(size):
            step = blocks[block, d - 1, p] - one
            out[p] += step * step


def edge_lengths(x: Floats, a: Numbers, b: Numbers) -> Floats:
    """Compute the squared lengths of the edges from ``a`` to ``b``."""
    out = np.empty(len(a))
    measure(x, a, b, out)
    return out


@kernel
def measure(x: Floats, a: Numbers, b: Numbers, out: Floats) -> None:
    """Compute four sums at a time: within a sum, every addition has to wait for the one before it."""
    for e in range(0, len(a), 4):
        f, g, h = min(e + 1, len(a) - 1), min(e + 2, len(a) - 1), min(e + 3, len(a) - 1)
        one = two = three = four = 0.0
        for k in range(x.shape[1]):
            step = x[a[e], k] - x[b[e], k]
            one += step * step
            step = x[a[f], k] - x[b[f], k]
            two += step * step
            step = x[a[g], k] - x[b[g], k]
            three += step * step
            step = x[a[h], k] - x[b[h], k]
            four += step * step
        out[h], out[g], out[f], out[e] = four, three, two, one


def distinct_edges(asked: Numbers, other: Numbers, row: Numbers) -> tuple[Numbers, Numbers, Ints]:
    """Return each edge of the short lists once, with its place; ``row`` is -1 for vertices that did not search."""
    a, b, place = np.empty(other.size, np.int32), np.empty(other.size, np.int32), np.empty(other.size, np.int64)
    count = _pick(asked, other, row, a, b, place)
    return a[:count], b[:count], place[:count]


@kernel
def _pick(asked: Numbers, other: Numbers, row: Numbers, a: Numbers, b: Numbers, place: Ints) -> int:
    count, m = 0, other.shape[1]
    for q in range(len(asked)):
        hub = asked[q]
        for c in range(m):
            stranger = other[q, c]
            copy = stranger < 0
            if stranger < hub and not copy and row[stranger] >= 0:
                for p in range(m):
                    copy |= other[row[stranger], p] == hub
            if not copy:
                a[count], b[count], place[count] = min(hub, stranger), max(hub, stranger), q * m + c
                count += 1
    return count
