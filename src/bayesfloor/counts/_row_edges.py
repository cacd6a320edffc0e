"""Count the expected edges of each row by the class at the other end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from bayesfloor.counts._vertex_labels import VertexLabels, scale_rows
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._forest import Forest

_AT_ONCE = 1 << 22  # votes made dense at a time: several times as fast as SciPy's sparse argmax


class SampleEdges(NamedTuple):
    """Expected numbers of edges of each row: all edges, those to a different label, and those to each class.

    ``degree_around`` and ``cross_around`` are the same sums for its neighbours, without their edges to the row itself.
    """

    degree: Floats
    cross: Floats
    votes: csr_array
    degree_around: Floats
    cross_around: Floats


def sample_edges(forest: Forest, labels: VertexLabels) -> SampleEdges:
    """Count the edges of each row in all trees of the forest.

    A row at a vertex of m rows has 1/m of the vertex's edges and, per tree, 2 (m - 1) / m edges to the
    rows equal to it.
    """
    m, joins = labels.rows_at[labels.vertex], adjacency(forest, labels.n_vertices)
    between = scale_rows(csr_array(joins @ labels.mean)[labels.vertex], 1 / m)
    votes = between
    if labels.joined and (m > 1).any():
        equal = labels.mass[labels.vertex] - labels.shares
        votes = csr_array(votes + scale_rows(csr_array(equal), 2 * forest.n_trees / m))
    degree, cross = _degree_and_cross(votes, labels)
    own_degree, own_cross = (degree, cross) if votes is between else _degree_and_cross(between, labels)
    around = _around(joins, labels, degree, own_degree), _around(joins, labels, cross, own_cross)
    return SampleEdges(degree, cross, votes, *around)


def _degree_and_cross(votes: csr_array, labels: VertexLabels) -> tuple[Floats, Floats]:
    degree = np.asarray(votes.sum(axis=1), dtype=np.float64)
    return degree, degree - np.asarray((votes * labels.shares).sum(axis=1), dtype=np.float64)


def most_voted(votes: csr_array) -> Ints:
    """Return the class that most edges of each row lead to."""
    step = max(1, _AT_ONCE // votes.shape[1])
    parts = [votes[start : start + step].toarray().argmax(axis=1) for start in range(0, votes.shape[0], step)]
    return np.concatenate(parts)


def adjacency(forest: Forest, n_vertices: int) -> csr_array:
    """Return the symmetric adjacency matrix of the forest's vertices."""
    edges = csr_array((np.ones(len(forest.a)), (forest.a, forest.b)), shape=(n_vertices,) * 2)
    return csr_array(edges + edges.T)


def _around(joins: csr_array, labels: VertexLabels, values: Floats, own: Floats) -> Floats:
    """Sum the values over the rows of neighbouring vertices, excluding the vertex's own contribution."""
    total, part = (np.bincount(labels.vertex, each, labels.n_vertices) for each in (values, own))
    return np.maximum(0.0, joins @ total - part)[labels.vertex]


def vertex_posterior(forest: Forest, labels: VertexLabels) -> csr_array:
    """Return the mean label of each vertex's neighbours and its own rows: a rough posterior."""
    votes = csr_array(adjacency(forest, labels.n_vertices) @ labels.mean + labels.mass)
    total = np.asarray(votes.sum(axis=1))
    return csr_array(diags_array(1 / np.where(total > 0, total, 1.0)) @ votes)


def row_edges(forest: Forest, labels: VertexLabels, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return edges between rows, assigning a vertex's edges to its equal rows at random.

    An edge between two vertices ends at a random row of each; inside a vertex, each tree is a random path.
    """
    order = np.argsort(labels.vertex, kind="stable")
    first = np.searchsorted(labels.vertex[order], np.arange(labels.n_vertices))
    ends = [order[first[v] + rng.integers(labels.rows_at[v])] for v in (forest.a, forest.b)]
    if labels.joined and len(labels.vertex) > np.count_nonzero(labels.rows_at):
        paths = [_paths(labels.vertex, rng) for _ in range(forest.n_trees)]
        ends = [np.concatenate([end, *(path[side] for path in paths)]) for side, end in enumerate(ends)]
    return ends[0], ends[1]


def _paths(vertex: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return a random path through the rows of each vertex."""
    order = rng.permutation(len(vertex))
    order = order[np.argsort(vertex[order], kind="stable")]
    joined = np.flatnonzero(np.diff(vertex[order]) == 0)
    return order[joined], order[joined + 1]


def nearest_other(forest: Forest, labels: VertexLabels, rows: Ints) -> Ints:
    """Find each row's nearest row with another label, among equal rows and tree neighbours; -1 if there is none."""
    order = np.argsort(labels.vertex, kind="stable")
    first = np.searchsorted(labels.vertex[order], np.arange(labels.n_vertices + 1))
    return np.array([_nearest_other(forest, labels, int(row), order, first) for row in rows], dtype=np.int64)


def _nearest_other(forest: Forest, labels: VertexLabels, row: int, order: Ints, first: Ints) -> int:
    vertex = labels.vertex[row]
    touching = np.flatnonzero((forest.a == vertex) | (forest.b == vertex))
    touching = touching[np.argsort(forest.length[touching], kind="stable")]
    for place in (vertex, *(forest.a[touching] + forest.b[touching] - vertex)):
        there = order[first[place] : first[place + 1]]
        other = there[labels.codes[there] != labels.codes[row]]
        if len(other):
            return int(other[0])
    return -1
