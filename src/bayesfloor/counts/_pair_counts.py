"""Count the cross-class edges of every pair of classes in the pair's own forest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._class_edges import class_edges, forest_moments, label_moments
from bayesfloor.counts._vertex_labels import VertexLabels
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._class_forests import ClassForests
from bayesfloor.forest._forest import Forest
from bayesfloor.forest._graph_moments import pair_number
from bayesfloor.formulas._permutation_null import Moments, class_moments

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
    return _gather([count_pair(*pair_of(pair, labels, i, j)) for i, j in pairs], labels)


def _gather(counted: list[_Count], labels: VertexLabels) -> PairCounts:
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
    gather = csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(members), len(place)))
    counts = gather @ drawn
    return _cross_of_two(a, b, m, counts, forest.n_trees if labels.joined else 0)


def _cross_of_two(a: Ints, b: Ints, m: Ints, counts: Floats, inside: int) -> Floats:
    share = counts / m[:, None]
    between = (share[a] * (1 - share[b]) + share[b] * (1 - share[a])).sum(axis=0)
    return between + inside * (2 * share * (m[:, None] - counts)).sum(axis=0)


def soft_pair_counts(forests: ClassForests, labels: VertexLabels) -> PairCounts:
    """Count all pairs for rows with label probabilities; ``forests`` has a row for each nonzero probability.

    In a pair, a row counts with the probability that it belongs to one of the two classes.
    """
    columns, pairs = labels.shares.tocsc(), combinations(range(labels.n_classes), 2)
    own = ((forests.pair(i, j), _soft_pair(labels, columns[:, [i, j]].toarray())) for i, j in pairs)
    return _gather([count_pair(forest, labels_of) for forest, labels_of in own], labels)


def _soft_pair(labels: VertexLabels, chance: Floats) -> VertexLabels:
    """Return the labels of the rows that may belong to the pair, each weighted by this probability."""
    rows = np.flatnonzero(chance.any(axis=1))
    total = chance[rows].sum(axis=1)
    weight = total if labels.weight is None else total * labels.weight[rows]
    groups = None if labels.groups is None else labels.groups[rows]
    shares = csr_array(chance[rows] / total[:, None])
    return VertexLabels(labels.vertex[rows], shares, labels.n_vertices, weight / weight.mean(), labels.joined, groups)
