"""The shape of a graph on rows, as far as a permutation test needs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._order import Floats, Ints


class Equal(NamedTuple):
    """Equal rows: how many each class has at each of its vertices, and whether each tree joins them."""

    rows: list[Ints]
    inside: bool

    def rows_at(self, members: list[Ints], union: Ints, classes: Iterable[int]) -> Ints:
        """Rows of these classes at each vertex of their union."""
        total = np.zeros(len(union), dtype=np.int64)
        for c in classes:
            total[np.searchsorted(union, members[c])] += self.rows[c]
        return total


def graph_moments(
    a: NDArray[np.integer], b: NDArray[np.integer], rows_at: NDArray[np.integer], n_trees: int, *, inside: bool
) -> tuple[float, float, float]:
    """Sum of the weights, of their squares, and of the squared sums at each row.

    Each edge between two vertices is shared evenly by the pairs of their rows: 1 / (m_a m_b). Equal
    rows are joined inside their vertex by m - 1 edges a tree, any two of them by 2 / m of one, unless
    they are of a group and may not be joined.
    """
    m = rows_at.astype(np.float64)
    more = (m - 1) * n_trees if inside else np.zeros_like(m)
    degree = np.bincount(a, minlength=len(m)) + np.bincount(b, minlength=len(m))
    squares = (1 / (m[a] * m[b])).sum() + (2 * more * n_trees / m).sum()
    return len(a) + more.sum(), squares, float(((2 * more + degree) ** 2 / m).sum())


def moments_of_pairs(n_pairs: int) -> Floats:
    """Room for the moments of each pair's graph."""
    return np.zeros((n_pairs, 3))
