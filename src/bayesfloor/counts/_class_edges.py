"""Expected numbers of edges between and inside classes.

Equal rows are one vertex. An edge between two vertices is equally likely to end at any of their rows.
Inside a vertex of m rows, each tree has m - 1 edges of length zero, equally likely between any two of
these rows. So counts are expectations and need not be whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._groups import group_pairs
from bayesfloor.counts._vertex_labels import VertexLabels, scale_rows
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._forest import Forest
from bayesfloor.forest._graph_moments import graph_moments
from bayesfloor.formulas._permutation_null import Moments, class_moments, soft_moments


class ClassEdges(NamedTuple):
    """Expected numbers of edges, summed over all trees.

    ``matrix[i, j]`` counts edges between classes i and j, ``matrix[i, i]`` those inside class i.
    """

    matrix: Floats

    @property
    def n_edges(self) -> float:
        """Total number of edges."""
        return float(np.triu(self.matrix).sum())

    @property
    def cross_rate(self) -> float:
        """G, the fraction of edges that join two classes."""
        return 1 - float(np.trace(self.matrix)) / self.n_edges if self.n_edges else 0.0

    @property
    def class_rates(self) -> Floats:
        """Fraction of edges with exactly one end in each class."""
        return (self.matrix.sum(axis=1) - np.diag(self.matrix)) / (self.n_edges or 1.0)


def class_edges(forest: Forest, labels: VertexLabels, n_trees: int | None = None) -> ClassEdges:
    """Count the edges of the forest, or of its first ``n_trees`` trees, by the classes that they join."""
    trees = forest.n_trees if n_trees is None else n_trees
    chosen = slice(None) if trees == forest.n_trees else forest.tree < trees
    a, b = forest.a[chosen], forest.b[chosen]
    matrix = _between(a, b, labels)
    if labels.joined:
        matrix += trees * _inside(labels)
    return ClassEdges(matrix)


def _between(a: Ints, b: Ints, labels: VertexLabels) -> Floats:
    """Count edges between vertices: (a_i b_j + a_j b_i) / (m_a m_b) for classes i and j."""
    plain = labels.weight is None and labels.groups is None
    if plain and labels.hard and len(labels.vertex) == np.count_nonzero(labels.rows_at):
        return _between_single_rows(a, b, labels)
    scale = np.ones(len(a)) if labels.weight is None else 1 / local_weight(a, b, labels)
    if labels.groups is not None:
        scale *= group_pairs(a, b, labels).share
    edges = csr_array((scale, (a, b)), shape=(labels.n_vertices,) * 2)
    return _fold(np.asarray((labels.mean.T @ (edges @ labels.mean)).todense()))


def _between_single_rows(a: Ints, b: Ints, labels: VertexLabels) -> Floats:
    """Count the same edges, much faster, if no two rows are equal."""
    K, code = labels.n_classes, np.zeros(labels.n_vertices, dtype=np.int64)
    code[labels.vertex] = labels.codes
    return _fold(np.bincount(code[a] * K + code[b], minlength=K * K).reshape(K, K).astype(np.float64))


def _fold(directed: Floats) -> Floats:
    """Add edges from i to j and from j to i; count those inside a class once."""
    both = directed + directed.T
    np.fill_diagonal(both, np.diag(directed))
    return both


def _inside(labels: VertexLabels) -> Floats:
    """Count the edges of one tree inside vertices: 2 (c_i c_j - Q_ij) / m, Q_ij = sum over rows of p_i p_j.

    For plain labels this is 2 c_i c_j / m between classes and c_i (c_i - 1) / m inside one; Q removes
    a row's edges to itself.
    """
    m = labels.rows_at
    full = np.flatnonzero(m > 1)
    if not len(full):
        return np.zeros((labels.n_classes,) * 2)
    rows = np.flatnonzero(m[labels.vertex] > 1)
    weight = np.ones(len(rows)) if labels.weight is None else labels.weight[rows]
    local = np.ones(len(m)) if labels.weight is None else np.asarray(labels.mean.sum(axis=1))
    mass, own = labels.mass[full], scale_rows(labels.shares[rows], weight)
    per_vertex, per_row = 1 / (np.maximum(m, 1) * np.where(local > 0, local, 1.0)), labels.vertex[rows]
    product = mass.T @ scale_rows(mass, per_vertex[full]) - own.T @ scale_rows(own, per_vertex[per_row])
    return _fold(np.asarray(product.todense()))


def local_weight(a: Ints, b: Ints, labels: VertexLabels) -> Floats:
    """Return the mean weight around each edge, over the rows at its ends and at their neighbours.

    If a row of weight w represents w rows, an edge counts as w_i w_j divided by the mean weight around it:
    E_f[w_k w_l eta_k eta_l / w(x)] is the value under the reweighted distribution.
    """
    total, rows = np.asarray(labels.mass.sum(axis=1)), labels.rows_at.astype(np.float64)
    around, count = total.copy(), rows.copy()
    for one, two in ((a, b), (b, a)):
        around += np.bincount(one, total[two], labels.n_vertices)
        count += np.bincount(one, rows[two], labels.n_vertices)
    mean = around / np.maximum(count, 1.0)
    return (mean[a] + mean[b]) / 2


def forest_moments(forest: Forest, labels: VertexLabels) -> Moments:
    """Compute the moments of the forest as a graph on rows, or on groups, for the permutation test."""
    if labels.groups is not None:
        pairs = group_pairs(forest.a, forest.b, labels)
        shape = graph_moments(pairs.a, pairs.b, np.ones(labels.n_groups, dtype=int), forest.n_trees, inside=False)
        return Moments(*(np.asarray(value) for value in shape))
    members, place = np.unique(labels.vertex, return_inverse=True)
    a, b = np.searchsorted(members, [forest.a, forest.b])
    shape = graph_moments(a, b, np.bincount(place), forest.n_trees, inside=labels.joined)
    return Moments(*(np.asarray(value) for value in shape))


def label_moments(labels: VertexLabels) -> Moments:
    """Compute the moments of the indicator that the labels of two rows (or groups) differ."""
    units = labels.units
    hard = units.nnz == units.shape[0]
    return class_moments(units.sum(axis=0)) if hard else soft_moments(units.toarray())
