"""Labels of rows and vertices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.engine._types import Floats, Ints


@dataclass(frozen=True, eq=False)
class VertexLabels:
    """The label of each row, or the probability of each label."""

    vertex: Ints  # of each row
    shares: csr_array  # the probability of each label; the classes of a row add up to 1
    n_vertices: int
    weight: Floats | None = None  # of each row; None if all are equal
    joined: bool = True  # whether trees join equal rows; they do not if there are groups
    groups: Ints | None = None  # of each row

    @property
    def n_classes(self) -> int:
        """Number of labels."""
        return int(self.shares.shape[1])

    @cached_property
    def rows_at(self) -> Ints:
        """Number of rows at each vertex."""
        return np.bincount(self.vertex, minlength=self.n_vertices)

    @cached_property
    def mass(self) -> csr_array:
        """Expected number of rows of each class at each vertex, weighted."""
        mass = csr_array(_gather(self.vertex, self.n_vertices, self.weight) @ self.shares)
        mass.sum_duplicates()  # this also sorts the entries, which SciPy would otherwise do later, in place
        return mass

    @cached_property
    def mean(self) -> csr_array:
        """Mean label of the rows at each vertex, weighted."""
        return scale_rows(self.mass, 1 / np.maximum(self.rows_at, 1))

    @cached_property
    def class_sizes(self) -> Floats:
        """Expected number of rows of each class, weighted."""
        weight = np.ones(len(self.vertex)) if self.weight is None else self.weight
        return np.asarray(weight @ self.shares, dtype=np.float64)

    @cached_property
    def codes(self) -> Ints:
        """The likeliest label of each row."""
        return likeliest(self.shares)

    @property
    def hard(self) -> bool:
        """Whether each row has one label."""
        return bool(self.shares.nnz == self.shares.shape[0])

    def take(self, rows: Ints, vertex: Ints, n_vertices: int) -> VertexLabels:
        """Return the labels of these rows, with new vertex numbers."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        return VertexLabels(vertex, self.shares[rows], n_vertices, weight, self.joined, groups)

    @cached_property
    def group_number(self) -> Ints:
        """Group of each row, numbered from 0; without groups, all rows are in group 0."""
        none = np.zeros(len(self.vertex), dtype=np.int64)
        return none if self.groups is None else np.unique(self.groups, return_inverse=True)[1]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group_number.max()) + 1

    @cached_property
    def group_at(self) -> Ints:
        """Group of each vertex; only rows of one group share a vertex."""
        group = np.zeros(self.n_vertices, dtype=np.int64)
        group[self.vertex] = self.group_number
        return group

    @property
    def n_sets(self) -> int:
        """Number of sets of equal rows; with groups, the number of groups, because no two groups are equal."""
        return int(np.count_nonzero(self.rows_at)) if self.groups is None else self.n_groups

    @cached_property
    def units(self) -> csr_array:
        """Labels of the sampled units: labels of rows, or mean labels of groups."""
        if self.groups is None:
            return self.shares
        gather = _gather(self.group_number, self.n_groups, None)
        return scale_rows(csr_array(gather @ self.shares), 1 / np.bincount(self.group_number))


def likeliest(shares: csr_array) -> Ints:
    """Return the likeliest label of each row."""
    if shares.nnz == shares.shape[0]:
        return np.asarray(shares.indices, dtype=np.int64)
    return np.asarray(shares.argmax(axis=1)).ravel()


def scale_rows(matrix: csr_array, factor: Floats) -> csr_array:
    """Multiply each row by its factor."""
    data = matrix.data * np.repeat(factor, np.diff(matrix.indptr))
    return csr_array((data, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


def _gather(vertex: Ints, n_vertices: int, weight: Floats | None) -> Any:
    """Return the matrix that adds up the rows at each vertex."""
    n = len(vertex)
    values = np.ones(n) if weight is None else weight
    return csr_array((values, (vertex, np.arange(n))), shape=(n_vertices, n))
