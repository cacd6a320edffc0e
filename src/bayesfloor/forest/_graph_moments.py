"""The shape of a graph on rows, as far as a permutation test needs it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.engine._types import Floats, Ints


class Equal(NamedTuple):
    """Equal rows: how many each class has at each of its vertices, and whether each tree joins them."""

    rows: list[Ints]
    inside: bool

    def union(self, members: list[Ints], i: int, j: int) -> tuple[Ints, Ints]:
        """Vertices of two classes, ascending, and the rows that the two have at each."""
        both, rows = np.concatenate([members[i], members[j]]), np.concatenate([self.rows[i], self.rows[j]])
        order = np.argsort(both, kind="stable")  # quick, since both parts are in order
        union, rows = both[order], rows[order]
        new = np.ones(len(union), dtype=bool)
        new[1:] = union[1:] != union[:-1]
        return (union, rows) if new.all() else (union[new], np.add.reduceat(rows, np.flatnonzero(new)))


def graph_moments(a: Ints, b: Ints, rows_at: Ints, n_trees: int, *, inside: bool) -> tuple[float, float, float]:
    """Sum of the weights, of their squares, and of the squared sums at each row.

    Each edge between two vertices is shared evenly by the pairs of their rows: 1 / (m_a m_b). Equal
    rows are joined inside their vertex by m - 1 edges a tree, any two of them by 2 / m of one, unless
    they are of a group and may not be joined.
    """
    degree = np.bincount(a, minlength=len(rows_at)) + np.bincount(b, minlength=len(rows_at))
    if rows_at.max(initial=1) == 1:  # no rows are equal, and all of this is simpler
        return float(len(a)), float(len(a)), float((degree**2).sum())
    m = rows_at.astype(np.float64)
    more = (m - 1) * n_trees if inside else np.zeros_like(m)
    squares = (1 / (m[a] * m[b])).sum() + (2 * more * n_trees / m).sum()
    return len(a) + more.sum(), squares, float(((2 * more + degree) ** 2 / m).sum())


def moments_of_pairs(n_pairs: int) -> Floats:
    """Room for the moments of each pair's graph."""
    return np.zeros((n_pairs, 3))
