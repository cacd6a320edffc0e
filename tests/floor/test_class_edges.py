"""Expected edges by class: against rules written out, edges drawn at random and rows repeated."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor import spanning_forest
from bayesfloor.floor._edge_counts import ClassEdges, class_edges, forest_moments, label_moments, local_weight
from bayesfloor.formulas._permutation_null import permutation_null
from bayesfloor.io._labels import hard_shares


def count(ends, codes, n_classes):
    matrix = np.zeros((n_classes, n_classes))
    np.add.at(matrix, tuple(codes[ends]), 1)
    return matrix + matrix.T - np.diag(np.diag(matrix))


def by_the_rules(forest, labels):
    """Theory, word for word: edges inside vertices, edges between them."""
    matrix = np.zeros((labels.n_classes,) * 2)
    counts = np.array([labels.shares.toarray()[labels.vertex == v].sum(axis=0) for v in range(labels.n_vertices)])
    m = counts.sum(axis=1)
    for i, j in product(range(labels.n_classes), repeat=2):
        for a, b in zip(forest.a, forest.b, strict=True):
            both = counts[a, i] * counts[b, j] + (counts[a, j] * counts[b, i] if i != j else 0)
            matrix[i, j] += both / (m[a] * m[b])
        inside = 2 * counts[:, i] * counts[:, j] if i != j else counts[:, i] * (counts[:, i] - 1)
        matrix[i, j] += forest.n_trees * (inside / np.maximum(m, 1)).sum() if labels.joined else 0
    return matrix


def rows_graph(forest, labels):
    """Expected edges between any two rows, as a matrix."""
    m, n = labels.rows_at, len(labels.vertex)
    joins = np.zeros((labels.n_vertices,) * 2)
    joins[forest.a, forest.b] = joins[forest.b, forest.a] = 1
    weights = (joins / np.maximum(1, m[:, None] * m[None, :]))[np.ix_(labels.vertex, labels.vertex)]
    equal = (labels.vertex[:, None] == labels.vertex[None, :]) & ~np.eye(n, dtype=bool)
    return weights + (2 * forest.n_trees / m[labels.vertex][:, None] * equal if labels.joined else 0)


def test_counts_follow_the_rules_for_equal_rows_and_the_first_trees_are_a_smaller_forest(labelled):
    """The shares that theory gives each class, pair and vertex; the upper limit is of the first tree alone."""
    assert class_edges(labelled.forest, labelled.labels).matrix == pytest.approx(
        by_the_rules(labelled.forest, labelled.labels)
    )

    for n_trees in range(1, labelled.forest.n_trees + 1):
        alone = spanning_forest(labelled.X, n_trees, labelled.groups, method="prim")
        expected = class_edges(alone, labelled.labels).matrix

        assert class_edges(labelled.forest, labelled.labels, n_trees).matrix == pytest.approx(expected)


def test_counts_are_averages_over_trees_through_equal_rows(draw_labelled, draw_edges, rng):
    """What "expected" means: rows share their vertex's edges at random."""
    _, codes, _, forest, labels = draw_labelled(rng, 2, 30)
    drawn = np.array([count(draw_edges(rng, forest, labels), codes, 3) for _ in range(1200)])
    spread = drawn.std(axis=0) / np.sqrt(len(drawn))

    assert (np.abs(drawn.mean(axis=0) - class_edges(forest, labels).matrix) <= 6 * spread + 1e-9).all()
    assert spread.max() > 0


def test_rates_follow_from_the_matrix_and_one_row_has_none(label):
    """Edges inside classes are on its diagonal, edges between two in two places; nothing is divided by no edges."""
    edges = ClassEdges(np.array([[4.0, 1, 2], [1, 5, 0.5], [2, 0.5, 7.5]]))

    assert edges.n_edges == 20
    assert edges.cross_rate == pytest.approx(3.5 / 20)
    assert edges.class_rates == pytest.approx([3 / 20, 1.5 / 20, 2.5 / 20])

    forest = spanning_forest([[1.0, 2.0]])
    edges = class_edges(forest, label(forest, [0], 2))

    assert edges.n_edges == edges.cross_rate == 0
    assert edges.class_rates.tolist() == [0, 0]


def test_the_rate_of_a_class_is_that_of_it_against_the_rest(labelled, label):
    """A node of a hierarchy has one side and another; its tree is the same."""
    edges = class_edges(labelled.forest, labelled.labels)
    merged = label(labelled.forest, labelled.codes == 2, joined=labelled.groups is None)
    two = class_edges(labelled.forest, replace(merged, shares=hard_shares((labelled.codes == 2).astype(int), 2)))

    assert edges.class_rates[2] == pytest.approx(two.cross_rate)
    assert edges.class_rates.sum() == pytest.approx(2 * edges.cross_rate)


def test_soft_labels_count_as_labels_drawn_from_them(label, global_random_seed):
    """Summed over all labels that the rows can have, equal rows among them."""
    forest = spanning_forest([[0.0], [0.0], [0.0], [1.0], [1.0], [4.0], [6.0]], 2)
    chances = np.random.default_rng(global_random_seed).dirichlet(np.ones(2), 7)
    expected = np.zeros((2, 2))
    for codes in product(range(2), repeat=7):
        chance = chances[np.arange(7), codes].prod()
        expected += chance * class_edges(forest, label(forest, np.array(codes), 2)).matrix

    assert class_edges(forest, label(forest, chances)).matrix == pytest.approx(expected)


def test_the_local_weight_is_the_mean_around_an_edge(label):
    """Of the ends' rows and their neighbours', worked by hand on a path with two equal rows."""
    forest = spanning_forest([[0.0], [0.0], [1.0], [3.0], [6.0]], 1)
    labels = label(forest, [0, 1, 0, 1, 1], weight=np.array([1.0, 2, 3, 4, 5]))
    around = {0.0: (3 + 3) / 3, 1.0: (3 + 3 + 4) / 4, 3.0: (3 + 4 + 5) / 3, 6.0: (4 + 5) / 2}
    place = np.empty(4)
    place[forest.vertex] = [0, 0, 1, 3, 6]
    expected = [(around[place[a]] + around[place[b]]) / 2 for a, b in zip(forest.a, forest.b, strict=True)]

    assert local_weight(forest.a, forest.b, labels) == pytest.approx(expected)


def test_weighted_edges_follow_the_rules_for_equal_rows(draw_labelled, rng):
    """Each pair of rows counts its share of an edge times both weights, over the mean weight around."""
    _, codes, _, forest, plain = draw_labelled(rng, 2, 30)
    labels = replace(plain, weight=rng.uniform(0.2, 3, 30))
    graph, local = rows_graph(forest, labels), np.ones((labels.n_vertices,) * 2)
    local[forest.a, forest.b] = local[forest.b, forest.a] = local_weight(forest.a, forest.b, labels)
    np.fill_diagonal(local, np.bincount(labels.vertex, labels.weight) / labels.rows_at)
    weighted = graph * np.outer(labels.weight, labels.weight) / local[np.ix_(labels.vertex, labels.vertex)]
    one_hot = np.eye(3)[codes]
    both = one_hot.T @ weighted @ one_hot

    assert class_edges(forest, labels).matrix == pytest.approx(both - np.diag(np.diag(both)) / 2)


def test_no_bayes_error_is_above_the_expected_share_of_cross_edges(label, rng):
    """At every n and in every dimension: root the tree, and the parent's label is a classifier."""
    error, rates = norm.sf(1), []
    for _ in range(600):
        codes = rng.integers(0, 2, 8)
        X = rng.standard_normal((8, 3)) + np.outer(2 * codes - 1, [1, 0, 0])
        forest = spanning_forest(X, 1, method="prim")
        rates.append(class_edges(forest, label(forest, codes, 2)).cross_rate)

    assert error <= np.mean(rates) + 5 * np.std(rates) / np.sqrt(len(rates))


def test_moments_are_those_of_the_graph_on_rows(labelled):
    """The permutation test knows the forest by three numbers."""
    weights = rows_graph(labelled.forest, labelled.labels)
    total, squares, row_squares = forest_moments(labelled.forest, labelled.labels)

    assert total == pytest.approx(weights.sum() / 2)
    assert squares == pytest.approx((weights**2).sum() / 2)
    assert row_squares == pytest.approx((weights.sum(axis=1) ** 2).sum())
    assert total == pytest.approx(class_edges(labelled.forest, labelled.labels).n_edges)


def test_moments_of_some_rows_know_only_these(draw_labelled, rng):
    """A pair's forest keeps the vertex numbers of the whole."""
    _, codes, _, forest, labels = draw_labelled(rng)
    rows = np.flatnonzero(codes < 2)
    inside = np.isin(forest.a, labels.vertex[rows]) & np.isin(forest.b, labels.vertex[rows])
    part = replace(forest, a=forest.a[inside], b=forest.b[inside], vertex=forest.vertex[rows], rows=rows)
    own = labels.take(rows, part.vertex, labels.n_vertices)
    weights = rows_graph(part, own)

    assert forest_moments(part, own) == pytest.approx(
        (weights.sum() / 2, (weights**2).sum() / 2, (weights.sum(axis=1) ** 2).sum())
    )


@pytest.mark.parametrize("soft", [False, True])
def test_the_null_agrees_with_permuted_labels(labelled, label, soft, rng):
    """From the counts of a forest to mean and variance, with labels shuffled for comparison."""
    chances = rng.dirichlet(np.full(3, 0.3), len(labelled.X)) if soft else np.eye(3)[labelled.codes]
    labels = label(labelled.forest, chances, joined=labelled.groups is None)
    null = permutation_null(len(chances), forest_moments(labelled.forest, labels), label_moments(labels))
    weights, values = rows_graph(labelled.forest, labels) / 2, []
    for _ in range(1500):
        drawn = rng.permutation(chances)
        values.append((weights * (1 - drawn @ drawn.T)).sum())
    squared = (np.array(values) - np.mean(values)) ** 2
    observed = class_edges(labelled.forest, labels)

    assert (weights * (1 - chances @ chances.T)).sum() == pytest.approx(observed.cross_rate * observed.n_edges)
    assert null.mean == pytest.approx(np.mean(values), abs=6 * np.std(values) / np.sqrt(1500))
    assert null.variance == pytest.approx(np.var(values), abs=6 * squared.std() / np.sqrt(1500))
