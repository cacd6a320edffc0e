"""Find rows that look like duplicates or near-duplicates of another row."""

from __future__ import annotations

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._forest import Forest

_AROUND = 1.5  # an edge is at the gap if it is shorter or longer by at most this factor
_AT_GAP = 0.1  # largest number of edges at the gap, relative to the edges below or above it, whichever are fewer
_FEWEST_SHORT, _FEWEST_LONG = 0.05, 0.02  # smallest fractions of all edges that are below and above the gap
_LEAST = 30  # fewest edges on each side

# Equal rows may be duplicates if more than this fraction of rows repeat another row, but each distinct row occurs on
# average fewer than this many times.
_COPIES, _MOST_COPIES = 0.01, 5


def may_be_copies(n_rows: int, n_distinct: int) -> bool:
    """Whether equal rows look like duplicates: many rows equal another row, yet there are many distinct rows.

    If features have few distinct values, equal rows are independent observations like any others.
    """
    return bool((1 - _COPIES) * n_rows > n_distinct > n_rows / _MOST_COPIES)


def near_duplicates(forest: Forest) -> float:
    """Return the fraction of rows that are near-duplicates of another row."""
    length = _lengths(forest)
    return float(np.mean(length < gap_length(length))) if len(length) else 0.0


def near_duplicate_clusters(forest: Forest) -> Ints | None:
    """Return a cluster number for each row, the same for near-duplicates; None if there are none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    gap = gap_length(_lengths(forest))
    if not gap:
        return None
    near = (forest.tree == 0) & (forest.length < gap)
    shape = forest.n_vertices, forest.n_vertices
    joined = csr_array((np.ones(int(near.sum())), (forest.a[near], forest.b[near])), shape=shape)
    return np.asarray(connected_components(joined, directed=False)[1][forest.vertex], dtype=np.int64)


def _lengths(forest: Forest) -> Floats:
    return forest.length[(forest.tree == 0) & (forest.length > 0)]


def gap_length(length: Floats) -> float:
    """Return a length that hardly any edge has, although many are shorter and many longer; 0 if there is none.

    The lengths of independent rows have no such gap: their logarithms have one broad peak.
    """
    if len(length) < 2 * _LEAST:
        return 0.0
    size = np.sort(np.log(length))
    candidates = np.linspace(size[0], size[-1], 200)
    short = np.searchsorted(size, candidates - np.log(_AROUND))
    long = len(size) - np.searchsorted(size, candidates + np.log(_AROUND))
    n = len(size)
    enough = (short >= max(_LEAST, _FEWEST_SHORT * n)) & (long >= max(_LEAST, _FEWEST_LONG * n))
    if not enough.any():
        return 0.0
    at_gap = np.where(enough, (n - short - long) / np.maximum(np.minimum(short, long), 1), np.inf)
    best = int(at_gap.argmin())
    return float(np.exp(candidates[best])) if at_gap[best] < _AT_GAP else 0.0
