"""Count the cross-class edges of every pair of classes in the pair's own forest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import (
    VertexLabels,
    class_edges,
    forest_moments,
    gather,
    group_pairs,
    label_moments,
    row_edges,
    scale_rows,
)
from bayesfloor.forest._class_forests import ClassForests
from bayesfloor.forest._edges import pair_number
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._permutation_null import Moments, class_moments, conditional_variance
from bayesfloor.support._types import Floats, Ints

_DRAWS = 8  # random assignments of edges to equal rows: their mean is close to the expectation used in the rates
PairForest = Callable[[int, int], Forest]  # the forest of the rows of two classes


class PairCounts(NamedTuple):
    """Counts for the pairs (0, 1), (0, 2), ... (K-2, K-1).

    ``rate`` is the fraction of the pair's edges that are cross-class, and ``sizes`` are the numbers of rows of the
    two classes, both weighted. The other fields are for tests, which ignore weights: ``cross`` is the number
    of cross-class edges in all trees, ``n_units`` the number of rows or groups, and ``graph`` and
    ``labels`` are the moments of the pair's graph and labels.
    """

    rate: Floats
    sizes: Floats
    cross: Floats
    n_units: Floats
    graph: Moments
    labels: Moments


_Count = tuple[float, float, int, Moments, Moments]  # the fields for a single pair, without its sizes


def pair_counts(forests: ClassForests, labels: VertexLabels) -> PairCounts:
    """Count all pairs of classes.

    If no vertex has rows of both classes, the cross-class edges are the edges between the classes. The other
    pairs, and all pairs if rows have weights or groups, are counted edge by edge.
    """
    sizes = _sizes(labels)
    graph, differ = forests.pair_moments.copy(), np.column_stack(class_moments(sizes))
    n_units, cross = sizes.sum(axis=1), forests.pair_sizes.astype(np.float64)
    rate = cross / np.maximum(graph[:, 0], 1.0)
    for i, j in _pairs_to_count(labels):
        at = pair_number(np.array(i), np.array(j), labels.n_classes)
        rate[at], cross[at], n_units[at], graph[at], differ[at] = count_pair(*pair_of(forests.pair, labels, i, j))
    return PairCounts(rate, sizes, cross, n_units, Moments(*graph.T), Moments(*differ.T))


def count_pairs(pair: PairForest, labels: VertexLabels) -> PairCounts:
    """Count all pairs of classes edge by edge."""
    pairs = combinations(range(labels.n_classes), 2)
    return _collect([count_pair(*pair_of(pair, labels, i, j)) for i, j in pairs], labels)


def _collect(counted: list[_Count], labels: VertexLabels) -> PairCounts:
    rate, cross, n_units, graph, differ = (np.array(part, dtype=np.float64) for part in zip(*counted, strict=True))
    return PairCounts(rate, _sizes(labels), cross, n_units, Moments(*graph.T), Moments(*differ.T))


def _sizes(labels: VertexLabels) -> Floats:
    one, two = np.triu_indices(labels.n_classes, 1)
    return np.column_stack([labels.class_sizes[one], labels.class_sizes[two]])


def pair_of(pair: PairForest, labels: VertexLabels, i: int, j: int) -> tuple[Forest, VertexLabels]:
    """Return a pair's forest and the labels of its rows, 0 for class i and 1 for class j."""
    forest = pair(i, j)
    own = labels.take(forest.rows, forest.vertex, labels.n_vertices)
    return forest, replace(own, shares=csr_array(own.shares[:, [i, j]]))


def count_pair(forest: Forest, own: VertexLabels) -> _Count:
    """Count one pair, whose labels are 0 and 1."""
    free = class_edges(forest, replace(own, weight=None))
    rate = free.cross_rate if own.weight is None else class_edges(forest, own).cross_rate
    return rate, float(free.matrix[0, 1]), own.units.shape[0], forest_moments(forest, own), label_moments(own)


def _pairs_to_count(labels: VertexLabels) -> list[tuple[int, int]]:
    if labels.weight is not None or labels.groups is not None:
        return list(combinations(range(labels.n_classes), 2))
    codes, vertex = labels.codes, labels.vertex
    mixed = np.flatnonzero(np.diff(labels.mass.indptr) > 1)
    chosen = np.isin(vertex, mixed)
    order = np.argsort(vertex[chosen], kind="stable")
    stops = np.flatnonzero(np.diff(vertex[chosen][order])) + 1
    groups = (np.unique(part).tolist() for part in np.split(codes[chosen][order], stops))
    return sorted({pair for group in groups for pair in combinations(group, 2)})


def sets_of_pairs(labels: VertexLabels) -> Ints:
    """Return the number of sets of equal rows in each pair of classes."""
    has = csr_array((np.ones(len(labels.vertex)), (labels.vertex, labels.codes)), (labels.n_vertices, labels.n_classes))
    has.data[:] = 1
    shared = np.asarray((has.T @ has).todense()).astype(np.int64)
    one, two = np.triu_indices(labels.n_classes, 1)
    return shared[one, one] + shared[two, two] - shared[one, two]


def permuted_cross(forest: Forest, labels: VertexLabels, n_permutations: int, rng: np.random.Generator) -> Floats:
    """Count the cross-class edges of a forest of two classes under randomly permuted labels."""
    members, place = np.unique(labels.vertex, return_inverse=True)
    a, b = np.searchsorted(members, [forest.a, forest.b])
    m, two = np.bincount(place), (labels.codes == labels.codes.max()).astype(np.float64)
    drawn = rng.permuted(np.tile(two, (n_permutations, 1)), axis=1).T
    counts = gather(place, len(members)) @ drawn
    share, inside = counts / m[:, None], forest.n_trees if labels.joined else 0
    between = (share[a] * (1 - share[b]) + share[b] * (1 - share[a])).sum(axis=0)
    return np.asarray(between + inside * (2 * share * (m[:, None] - counts)).sum(axis=0))


def soft_pair_counts(forests: ClassForests, labels: VertexLabels) -> PairCounts:
    """Count all pairs for rows with label probabilities; ``forests`` has a row for each nonzero probability.

    In a pair, a row counts with the probability that it belongs to one of the two classes.
    """
    columns, pairs = labels.shares.tocsc(), combinations(range(labels.n_classes), 2)
    own = ((forests.pair(i, j), _soft_pair(labels, columns[:, [i, j]].toarray())) for i, j in pairs)
    return _collect([count_pair(forest, labels_of) for forest, labels_of in own], labels)


def _soft_pair(labels: VertexLabels, chance: Floats) -> VertexLabels:
    """Return the labels of the rows that may belong to the pair, each weighted by this probability."""
    rows = np.flatnonzero(chance.any(axis=1))
    total = chance[rows].sum(axis=1)
    weight = total if labels.weight is None else total * labels.weight[rows]
    groups = None if labels.groups is None else labels.groups[rows]
    shares = csr_array(chance[rows] / total[:, None])
    return VertexLabels(labels.vertex[rows], shares, labels.n_vertices, weight / weight.mean(), labels.joined, groups)


class Graph(NamedTuple):
    """Edges between rows, or between groups, with weights that add up to 1; G is the weight of cross-class edges."""

    weight: csr_array
    cross_rate: float
    n_edges: float


def row_graph(forest: Forest, labels: VertexLabels, rng: np.random.Generator, *, by_group: bool = False) -> Graph:
    """Turn a forest into a graph on its rows, or on their groups if each group has one label (``by_group``)."""
    edges = class_edges(forest, labels)
    if labels.groups is not None:
        pairs = group_pairs(forest.a, forest.b, labels)
        if by_group:
            weight = _equal_weights(pairs.a, pairs.b, labels.n_groups)
        else:  # every pair of groups has the same total weight
            a, b = row_edges(forest, labels, rng)
            weight = _upper_triangle(a, b, pairs.share / max(len(pairs.a), 1), len(labels.vertex))
        return Graph(weight, edges.cross_rate, edges.n_edges)
    draws = _DRAWS if labels.joined and len(labels.vertex) > np.count_nonzero(labels.rows_at) else 1
    ends = [row_edges(forest, labels, rng) for _ in range(draws)]
    a, b = (np.concatenate([each[side] for each in ends]) for side in (0, 1))
    return Graph(_equal_weights(a, b, len(labels.vertex)), edges.cross_rate, edges.n_edges)


def _equal_weights(a: Ints, b: Ints, n_units: int) -> csr_array:
    return _upper_triangle(a, b, np.full(len(a), 1 / max(len(a), 1)), n_units)


def _upper_triangle(a: Ints, b: Ints, weight: Floats, n_units: int) -> csr_array:
    matrix = csr_array((weight, (np.minimum(a, b), np.maximum(a, b))), shape=(n_units,) * 2)
    matrix.sum_duplicates()
    return matrix


def pooled_posterior(graphs: list[Graph], units: csr_array) -> csr_array:
    """Return the mean label of each unit and its neighbours, averaged over these graphs."""
    total = _posterior(graphs[0], units)
    for graph in graphs[1:]:
        total = csr_array(total + _posterior(graph, units))
    return csr_array(total / len(graphs))


def _posterior(graph: Graph, units: csr_array) -> csr_array:
    """Return the mean label of each unit and its neighbours in a graph."""
    n_units = graph.weight.shape[0]
    joined = csr_array(graph.weight + graph.weight.T) * (3.0 * n_units)  # about six edges per unit, as in three trees
    votes = csr_array(joined @ units + units)
    return scale_rows(votes, 1 / np.asarray(votes.sum(axis=1)))


def difference_error(one: Graph, two: Graph, eta: csr_array) -> float:
    """Compute the standard error of the difference between two rates on the same rows.

    The variance is Var(R_1 - R_2 | X), in which edges in both forests cancel, plus the variance of the
    conditional mean: units of unequal degree d and impurity g = 1 - |eta|^2 add
    sum_v (d_1 - d_2) (g - mean g) / 2 to that mean.
    """
    gap = csr_array(one.weight - two.weight)
    gap.eliminate_zeros()
    a, b = gap.nonzero()
    purity = np.asarray((eta**2).sum(axis=1))
    degree = np.bincount(a, gap.data, len(purity)) + np.bincount(b, gap.data, len(purity))
    own = degree * (purity - purity.mean()) / 2
    return float(np.sqrt(conditional_variance(a, b, eta, gap.data) + (own**2).sum()))


def rate_error(graph: Graph, eta: csr_array) -> float:
    """Compute the standard error of one rate."""
    return difference_error(graph, Graph(csr_array(graph.weight.shape), 0.0, 0.0), eta)
