"""Compute the standard error of the difference between the rates of two forests on the same rows and labels.

Anything that both forests have in common cancels: an edge in both adds nothing to the difference, and
unusual labels are unusual in both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._class_edges import class_edges
from bayesfloor.counts._groups import GroupPairs, group_pairs
from bayesfloor.counts._row_edges import row_edges
from bayesfloor.counts._vertex_labels import VertexLabels, scale_rows
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._forest import Forest
from bayesfloor.formulas._variance import conditional_variance

_DRAWS = 8  # random assignments of edges to equal rows: their mean is close to the expectation used in the rates


class Graph(NamedTuple):
    """Edges between rows, or between groups, with weights that add up to 1; G is the weight of cross-class edges."""

    weight: csr_array
    cross_rate: float
    n_edges: float


def join_graphs(graphs: list[Graph], units: list[Ints], n_units: int) -> Graph:
    """Join graphs on subsets of the units into one graph in which all edges have the same weight."""
    sizes = np.array([graph.n_edges for graph in graphs])
    shares = sizes / max(sizes.sum(), 1.0)
    ends = [[unit[end] for end in graph.weight.nonzero()] for graph, unit in zip(graphs, units, strict=True)]
    values = [share * graph.weight.data for share, graph in zip(shares, graphs, strict=True)]
    a, b = (np.concatenate([pair[side] for pair in ends]) for side in (0, 1))
    rate = float(sum(share * graph.cross_rate for share, graph in zip(shares, graphs, strict=True)))
    return Graph(_upper(a, b, np.concatenate(values), n_units), rate, float(sizes.sum()))


def row_graph(forest: Forest, labels: VertexLabels, rng: np.random.Generator, *, by_group: bool = False) -> Graph:
    """Turn a forest into a graph on its rows, or on their groups if each group has one label (``by_group``)."""
    edges = class_edges(forest, labels)
    if labels.groups is not None:
        pairs = group_pairs(forest.a, forest.b, labels)
        weight = _even(pairs.a, pairs.b, labels.n_groups) if by_group else _shared(forest, labels, pairs, rng)
        return Graph(weight, edges.cross_rate, edges.n_edges)
    draws = _DRAWS if labels.joined and len(labels.vertex) > np.count_nonzero(labels.rows_at) else 1
    ends = [row_edges(forest, labels, rng) for _ in range(draws)]
    a, b = (np.concatenate([each[side] for each in ends]) for side in (0, 1))
    return Graph(_even(a, b, len(labels.vertex)), edges.cross_rate, edges.n_edges)


def _shared(forest: Forest, labels: VertexLabels, pairs: GroupPairs, rng: np.random.Generator) -> csr_array:
    """Return edges between rows in groups, weighted so that every pair of groups has the same total weight."""
    a, b = row_edges(forest, labels, rng)
    return _upper(a, b, pairs.share / max(len(pairs.a), 1), len(labels.vertex))


def _even(a: Ints, b: Ints, n_units: int) -> csr_array:
    return _upper(a, b, np.full(len(a), 1 / max(len(a), 1)), n_units)


def _upper(a: Ints, b: Ints, weight: Floats, n_units: int) -> csr_array:
    matrix = csr_array((weight, (np.minimum(a, b), np.maximum(a, b))), shape=(n_units,) * 2)
    matrix.sum_duplicates()
    return matrix


def spread_out(graph: Graph, places: Ints, n_units: int) -> Graph:
    """Embed the graph in a larger set of units, with its own units at ``places``."""
    a, b = graph.weight.nonzero()
    return graph._replace(weight=_upper(places[a], places[b], graph.weight.data, n_units))


def combine(graphs: list[Graph], factors: list[float]) -> Graph:
    """Return the sum of these graphs, each times its factor; its rate is the same sum of their rates.

    Its standard error is computed as for any other graph.
    """
    weight = graphs[0].weight * factors[0]
    for graph, factor in zip(graphs[1:], factors[1:], strict=True):
        weight = weight + graph.weight * factor
    rate = sum(graph.cross_rate * factor for graph, factor in zip(graphs, factors, strict=True))
    return Graph(csr_array(weight), rate, graphs[0].n_edges)


def pooled_posterior(graphs: list[Graph], units: csr_array) -> csr_array:
    """Return the mean of these graphs' posteriors: a single but rougher posterior for all of them."""
    return pool([posterior(graph, units) for graph in graphs])


def pool(posteriors: list[csr_array]) -> csr_array:
    """Return the mean of these posteriors."""
    total = posteriors[0]
    for each in posteriors[1:]:
        total = csr_array(total + each)
    return csr_array(total / len(posteriors))


def posterior(graph: Graph, units: csr_array) -> csr_array:
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
