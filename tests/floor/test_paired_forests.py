"""Differences of cross rates on the same rows: rates as weights, and errors that hold."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import VertexLabels, class_edges
from bayesfloor.floor._pair_counts import (
    difference_error,
    pooled_posterior,
    rate_error,
    row_graph,
)
from bayesfloor.forest._spanning_forest import spanning_forest
from bayesfloor.formulas._permutation_null import conditional_variance
from bayesfloor.io._labels import hard_shares


def graph_of(X, codes, rng, n_trees=3, groups=None, *, by_group=False):
    forest = spanning_forest(X, n_trees, groups)
    shares = hard_shares(codes, codes.max() + 1)
    labels = VertexLabels(forest.vertex, shares, forest.n_vertices, None, groups is None, groups)
    return row_graph(forest, labels, rng, by_group=by_group), class_edges(forest, labels), labels


def crossing(graph, codes):
    a, b = graph.weight.nonzero()
    return graph.weight.data[codes[a] != codes[b]].sum()


def test_the_weight_that_crosses_is_the_cross_rate_and_a_graph_does_not_differ_from_itself(rng):
    """A rate is a sum of weights, and edges of both cancel."""
    X, codes = rng.normal(size=(80, 3)), rng.integers(3, size=80)
    graph, edges, _ = graph_of(X, codes, rng)
    assert graph.weight.sum() == pytest.approx(1)
    assert crossing(graph, codes) == pytest.approx(edges.cross_rate)
    assert graph.cross_rate == edges.cross_rate

    X, codes = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    graph, _, labels = graph_of(X, codes, rng)
    assert difference_error(graph, graph, pooled_posterior([graph], labels.shares)) == 0


def test_equal_rows_share_their_edges_nearly_evenly(rng):
    """Some draws of who has an edge come near the expectation."""
    X, codes = rng.integers(3, size=(300, 2)).astype(float), rng.integers(2, size=300)
    graph, edges, _ = graph_of(X, codes, rng)
    assert graph.weight.sum() == pytest.approx(1)
    assert crossing(graph, codes) == pytest.approx(edges.cross_rate, abs=0.05)


def test_groups_are_units_unless_each_row_has_a_label_of_its_own(rng):
    """What is drawn together counts as one; all edges of a pair of groups weigh as much as those of any other."""
    groups = np.arange(60) // 3
    graph, _, labels = graph_of(rng.normal(size=(60, 2)), groups % 2, rng, groups=groups, by_group=True)
    assert graph.weight.shape == (20, 20)
    assert graph.weight.sum() == pytest.approx(1)
    assert rate_error(graph, pooled_posterior([graph], labels.units)) > 0

    codes = rng.integers(2, size=120)
    graph, edges, _ = graph_of(rng.normal(size=(120, 2)), codes, rng, groups=np.arange(120) % 6)
    assert graph.weight.shape == (120, 120)
    assert graph.weight.sum() == pytest.approx(1)
    assert crossing(graph, codes) == pytest.approx(edges.cross_rate)


def test_the_weighted_variance_is_that_of_labels_drawn(rng):
    """By drawing labels many times."""
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    a, b = pairs[rng.choice(len(pairs), 25, replace=False)].T
    weight, eta = rng.normal(size=25), rng.dirichlet(np.ones(3), size=12)
    drawn = (eta.cumsum(axis=1)[None, :, :] < rng.random((40_000, 12))[:, :, None]).sum(axis=2)
    crossed = (drawn[:, a] != drawn[:, b]) @ weight
    for posterior in (eta, csr_array(eta)):
        assert conditional_variance(a, b, posterior, weight) == pytest.approx(crossed.var(), rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 6])
@pytest.mark.parametrize("signal", [0.0, 2.0])
def test_errors_of_differences_are_those_seen(n_classes, signal, global_random_seed):
    """The rows against the same rows beside three features of noise."""
    seen, told = [], []
    for trial in range(40):
        rng = np.random.default_rng([global_random_seed, trial])
        codes = rng.integers(n_classes, size=200)
        X = rng.normal(size=(200, n_classes)) + signal * np.eye(n_classes)[codes]
        wide = np.hstack([X, rng.normal(size=(200, 3))])
        (one, _, labels), (two, _, _) = graph_of(X, codes, rng), graph_of(wide, codes, rng)
        seen.append(one.cross_rate - two.cross_rate)
        told.append(difference_error(one, two, pooled_posterior([one, two], labels.shares)))
    assert 0.7 < np.mean(told) / np.std(seen) < 1.6
