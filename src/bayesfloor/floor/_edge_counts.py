"""Expected numbers of cross-class edges, from a forest and labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from bayesfloor.forest._edges import graph_moments
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._permutation_null import Moments, class_moments, soft_moments
from bayesfloor.support._types import Floats, Ints

_AT_ONCE = 1 << 22  # votes made dense at a time: several times as fast as SciPy's sparse argmax


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
        mass = csr_array(gather(self.vertex, self.n_vertices, self.weight) @ self.shares)
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
        gathered = csr_array(gather(self.group_number, self.n_groups) @ self.shares)
        return scale_rows(gathered, 1 / np.bincount(self.group_number))


def likeliest(shares: csr_array) -> Ints:
    """Return the likeliest label of each row."""
    if shares.nnz == shares.shape[0]:
        return np.asarray(shares.indices, dtype=np.int64)
    return np.asarray(shares.argmax(axis=1)).ravel()


def scale_rows(matrix: csr_array, factor: Floats) -> csr_array:
    """Multiply each row by its factor."""
    data = matrix.data * np.repeat(factor, np.diff(matrix.indptr))
    return csr_array((data, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


def gather(vertex: Ints, n_vertices: int, weight: Floats | None = None) -> Any:
    """Return the matrix that adds up the rows at each vertex."""
    n = len(vertex)
    values = np.ones(n) if weight is None else weight
    return csr_array((values, (vertex, np.arange(n))), shape=(n_vertices, n))


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


class GroupPairs(NamedTuple):
    """Pairs of groups joined by at least one edge, and each edge's weight: 1 / (number of edges between its groups)."""

    a: Ints
    b: Ints
    share: Floats


def group_pairs(a: Ints, b: Ints, labels: VertexLabels) -> GroupPairs:
    """Find the pairs of groups that these edges join."""
    one, two = labels.group_at[a], labels.group_at[b]
    low, high = np.minimum(one, two), np.maximum(one, two)
    pair, place, count = np.unique(low * labels.n_groups + high, return_inverse=True, return_counts=True)
    return GroupPairs(pair // labels.n_groups, pair % labels.n_groups, 1 / count[place])


def group_mean(values: csr_array, labels: VertexLabels) -> csr_array:
    """Compute the mean over the vertices of each group."""
    group = labels.group_at
    return scale_rows(
        csr_array(gather(group, labels.n_groups) @ values), 1 / np.bincount(group, minlength=labels.n_groups)
    )


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
        K, code = labels.n_classes, np.zeros(labels.n_vertices, dtype=np.int64)  # much faster if no two rows are equal
        code[labels.vertex] = labels.codes
        return _fold(np.bincount(code[a] * K + code[b], minlength=K * K).reshape(K, K).astype(np.float64))
    scale = np.ones(len(a)) if labels.weight is None else 1 / local_weight(a, b, labels)
    if labels.groups is not None:
        scale *= group_pairs(a, b, labels).share
    edges = csr_array((scale, (a, b)), shape=(labels.n_vertices,) * 2)
    return _fold(np.asarray((labels.mean.T @ (edges @ labels.mean)).todense()))


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
