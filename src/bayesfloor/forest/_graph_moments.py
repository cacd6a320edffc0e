"""Moments of a graph on rows, for the permutation test."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from bayesfloor.support._types import Floats, Ints

Number = TypeVar("Number", int, Ints)


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


def moments_of_pairs(n_pairs: int) -> Floats:
    """Return an empty array for the moments of each pair's graph."""
    return np.zeros((n_pairs, 3))


def pair_number(i: Number, j: Number, n_classes: int) -> Number:
    """Return the position of the pair ``i < j`` among all pairs."""
    return i * n_classes - i * (i + 1) // 2 + j - i - 1
