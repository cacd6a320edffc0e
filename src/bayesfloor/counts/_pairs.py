"""Cross edges of every pair of classes, each in the pair's own forest."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._edges import class_edges, forest_moments
from bayesfloor.counts._labels import Floats, Ints, Labels
from bayesfloor.forest._classes import ClassForests, pair_number
from bayesfloor.forest._forest import Forest
from bayesfloor.formulas._permutation import Moments


class HasPairs(Protocol):
    """Whatever has the forest of two classes."""

    def pair(self, i: int, j: int) -> Forest:
        """The forest of the rows of classes ``i`` and ``j``."""


class PairCounts(NamedTuple):
    """Pairs (0, 1), (0, 2), ... (K-2, K-1).

    ``rate`` is the share of the pair's edges that cross and ``sizes`` the rows of both classes, both
    weighted. For tests, which leave weights out: ``cross``, the edges of all trees that cross,
    ``units``, how many of each class were drawn (rows or groups), and ``moments`` of the pair's graph.
    """

    rate: Floats
    sizes: Floats
    cross: Floats
    units: Floats
    moments: Moments


def pair_counts(forests: ClassForests, labels: Labels) -> PairCounts:
    """Counts of all pairs of classes.

    Where no vertex has rows of both classes, all edges across cross and no others do; the other
    pairs, and all where rows have weights, are counted edge by edge.
    """
    one, two = np.triu_indices(labels.n_classes, 1)
    moments = forests.pair_moments.copy()
    sizes = np.column_stack([labels.class_sizes[one], labels.class_sizes[two]])
    units = sizes.copy()
    cross = forests.pair_sizes.astype(np.float64)
    rate = cross / np.maximum(moments[:, 0], 1.0)
    for i, j in _pairs_to_count(labels):
        number = pair_number(np.array(i), np.array(j), labels.n_classes)
        forest, own = pair_of(forests, labels, i, j)
        edges, free = class_edges(forest, own), class_edges(forest, replace(own, weight=None))
        rate[number] = edges.split_rate(np.array([i]), np.array([j]))
        cross[number] = free.matrix[i, j]
        moments[number] = np.array(forest_moments(forest, own))
        units[number] = own.units.sum(axis=0)[[i, j]]
    return PairCounts(rate, sizes, cross, units, Moments(*moments.T))


def pair_of(forests: HasPairs, labels: Labels, i: int, j: int) -> tuple[Forest, Labels]:
    """A pair's forest and the labels of its rows."""
    forest = forests.pair(i, j)
    return forest, labels.take(forest.rows, forest.vertex, labels.n_vertices)


def _pairs_to_count(labels: Labels) -> list[tuple[int, int]]:
    if labels.weight is not None or labels.groups is not None:
        return list(combinations(range(labels.n_classes), 2))
    codes, vertex = labels.codes, labels.vertex
    mixed = np.flatnonzero(np.diff(labels.mass.indptr) > 1)
    chosen = np.isin(vertex, mixed)
    order = np.argsort(vertex[chosen], kind="stable")
    stops = np.flatnonzero(np.diff(vertex[chosen][order])) + 1
    groups = (np.unique(part).tolist() for part in np.split(codes[chosen][order], stops))
    return sorted({pair for group in groups for pair in combinations(group, 2)})


def permuted_cross(forest: Forest, labels: Labels, n_permutations: int, rng: np.random.Generator) -> Floats:
    """Cross edges of a forest of two classes under labels drawn at random."""
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


def soft_pair_counts(forests: ClassForests, labels: Labels) -> PairCounts:
    """The same for rows with chances of several labels; ``forests`` has a row for each chance.

    In a pair, a row counts as much as it is likely to be of one of its two classes.
    """
    pairs = list(combinations(range(labels.n_classes), 2))
    dense = labels.shares.tocsc()
    found = [_soft_pair(forests.pair(i, j), labels, dense[:, [i, j]].toarray()) for i, j in pairs]
    rate, moments = (np.array(part) for part in zip(*found, strict=True))
    sizes = labels.class_sizes[np.array(pairs)]
    return PairCounts(rate, sizes, rate * moments[:, 0], sizes, Moments(*moments.T))


def _soft_pair(forest: Forest, labels: Labels, chance: Floats) -> tuple[float, Moments]:
    rows = np.flatnonzero(chance.any(axis=1))
    total = chance[rows].sum(axis=1)
    shares = csr_array(chance[rows] / total[:, None])
    own = Labels(labels.vertex[rows], shares, labels.n_vertices, total / total.mean(), labels.joined)
    return class_edges(forest, own).split_rate(np.array([0]), np.array([1])), forest_moments(forest, own)
