"""Moments of cross edges over permutations, against formulas restated, enumeration and simulation."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import norm

from bayesfloor.formulas._permutation_null import (
    Moments,
    Null,
    class_moments,
    fewer_than_chance,
    permutation_null,
    share_not_above,
    soft_moments,
)


def moments(matrix):
    """Moments of a symmetric matrix with an empty diagonal."""
    return Moments(matrix.sum() / 2, (matrix**2).sum() / 2, (matrix.sum(axis=1) ** 2).sum())


def draw_graph(rng, n, filled=0.5):
    weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < filled), 1)
    return weights + weights.T


def differ(codes):
    return (codes[:, None] != codes[None, :]).astype(float)


def soft_differ(shares):
    chance = 1 - shares @ shares.T
    np.fill_diagonal(chance, 0)
    return chance


def permuted(weights, labels, order):
    return (weights * labels[np.ix_(order, order)]).sum() / 2


def enumerate_null(weights, labels):
    """Mean and variance over all permutations."""
    values = [permuted(weights, labels, np.array(order)) for order in permutations(range(len(weights)))]
    return np.mean(values), np.var(values)


def falling(n, power):
    """Product of so many factors n, n - 1, ..."""
    return np.prod([np.asarray(n, dtype=float) - step for step in range(power)], axis=0)


def draw_equal_rows(rng, m, n_trees):
    """Weights of trees on rows, of which so many are equal at each vertex of a random tree."""
    x = rng.random((len(m), 2))
    lengths = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    vertex, weights = np.repeat(np.arange(len(m)), m), np.zeros((sum(m),) * 2)
    for _ in range(n_trees):
        tree = coo_array(minimum_spanning_tree(lengths))
        for a, b in zip(*tree.coords, strict=True):
            weights[np.ix_(vertex == a, vertex == b)] = 1 / (m[a] * m[b])
            weights[np.ix_(vertex == b, vertex == a)] = 1 / (m[a] * m[b])
            lengths[a, b] = lengths[b, a] = 0
    inside = vertex[:, None] == vertex[None, :]
    weights[inside] = (n_trees * 2 / np.array(m)[vertex][:, None] * inside)[inside]
    np.fill_diagonal(weights, 0)
    return weights


def draw_whole_edges(rng, m, weights, n_trees):
    """The same trees where every edge has two rows of its own: weights of one."""
    vertex, edges = np.repeat(np.arange(len(m)), m), np.zeros_like(weights)
    rows = [np.flatnonzero(vertex == v) for v in range(len(m))]
    pairs = [
        (rng.choice(rows[a]), rng.choice(rows[b]))
        for a, b in combinations(range(len(m)), 2)
        if weights[rows[a][0], rows[b][0]]
    ]
    for path in (rng.permutation(members) for members in rows for _ in range(n_trees)):
        pairs += pairwise(path)
    for i, j in pairs:
        edges[i, j] += 1
        edges[j, i] += 1
    return edges


@pytest.mark.parametrize("sizes", [(2, 2), (3, 9), (20, 50), (1, 30)])
def test_two_classes_have_the_explicit_weighted_moments(sizes, global_random_seed):
    """Friedman and Rafsky's formula with weights, as theory writes it."""
    n1, n2 = sizes
    n = n1 + n2
    graph = moments(draw_graph(np.random.default_rng(global_random_seed), n))
    W, S2, SS = graph
    p1 = 2 * n1 * n2 / (n * (n - 1))
    p2 = 4 * n1 * (n1 - 1) * n2 * (n2 - 1) / (n * (n - 1) * (n - 2) * (n - 3))
    null = permutation_null(n, graph, class_moments(sizes))

    assert null.mean == pytest.approx(p1 * W)
    assert null.variance == pytest.approx(p2 * S2 + (p1 / 2 - p2) * SS + (p2 - p1**2) * W**2, abs=1e-9)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 4, 5), (1, 1, 1, 1), (30, 2, 9, 14, 1)])
def test_many_classes_have_the_moments_with_falling_powers(sizes, global_random_seed):
    """The same for any number of classes, by the edges that do not cross."""
    k, n = np.array(sizes), sum(sizes)
    graph = moments(draw_graph(np.random.default_rng(global_random_seed), n))
    W, S2, SS = graph
    q1, qs = (falling(k, power).sum() / falling(n, power) for power in (2, 3))
    two = falling(k, 2)
    qd = (falling(k, 4).sum() + two.sum() ** 2 - (two**2).sum()) / falling(n, 4)
    variance = q1 * S2 + qs * (SS - 2 * S2) + qd * (W**2 - SS + S2) - q1**2 * W**2
    null = permutation_null(n, graph, class_moments(sizes))

    assert null.mean == pytest.approx(W - q1 * W)
    assert null.variance == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("codes", ["000111", "011111", "001122", "012333", "01", "011"])
def test_moments_are_those_of_all_permutations(codes, global_random_seed):
    """No formula stands above counting; two or three rows have no pairs apart, and nothing is divided by zero."""
    codes = [int(code) for code in codes]
    weights = draw_graph(np.random.default_rng(global_random_seed), len(codes), 0.7 if len(codes) > 3 else 1.0)
    null = permutation_null(len(codes), moments(weights), class_moments(np.bincount(codes)))

    assert null[:2] == pytest.approx(enumerate_null(weights, differ(np.array(codes))), abs=1e-9)


def test_soft_labels_have_the_moments_of_all_permutations(rng):
    """Rows with chances of several labels are permuted like rows with one."""
    weights, shares = draw_graph(rng, 6, 0.7), rng.dirichlet(np.ones(3), 6)
    null = permutation_null(6, moments(weights), soft_moments(shares))

    assert null[:2] == pytest.approx(enumerate_null(weights, soft_differ(shares)), abs=1e-9)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_moments_agree_with_permutations_of_equal_rows(n_trees, rng):
    """Equal rows share their vertex's edges; edges of weight one would be wrong."""
    m = [12, 1, 1, 9, 2, 1, 7, 1, 1, 5]
    weights, codes = draw_equal_rows(rng, m, n_trees), rng.permutation(np.repeat([0, 1, 2], [12, 12, 16]))
    labels, n = differ(codes), len(codes)
    values = np.array([permuted(weights, labels, rng.permutation(n)) for _ in range(4000)])
    squared = (values - values.mean()) ** 2
    graphs = moments(weights), moments(draw_whole_edges(rng, m, weights, n_trees))
    null, whole = (permutation_null(n, graph, class_moments(np.bincount(codes))) for graph in graphs)

    assert weights.sum() / 2 == pytest.approx(n_trees * (n - 1))
    assert null.mean == pytest.approx(values.mean(), abs=6 * values.std() / np.sqrt(4000))
    assert null.variance == pytest.approx(values.var(), abs=6 * squared.std() / np.sqrt(4000))
    assert whole.variance > 1.3 * values.var()


def test_moments_agree_with_permutations_of_soft_labels(rng):
    """Annotators who disagree give chances, on rows that may be equal."""
    weights = draw_equal_rows(rng, [1] * 15 + [4, 6], 2)
    shares = rng.dirichlet([0.3, 0.4, 0.5], len(weights))
    labels = soft_differ(shares)
    values = np.array([permuted(weights, labels, rng.permutation(len(weights))) for _ in range(4000)])
    squared = (values - values.mean()) ** 2
    null = permutation_null(len(weights), moments(weights), soft_moments(shares))

    assert null.mean == pytest.approx(values.mean(), abs=6 * values.std() / np.sqrt(4000))
    assert null.variance == pytest.approx(values.var(), abs=6 * squared.std() / np.sqrt(4000))


def test_label_moments_are_those_of_their_matrix(rng):
    """They are computed without the matrix, which would not fit into memory."""
    codes, shares = rng.permutation(np.repeat(np.arange(4), [1, 5, 8, 11])), rng.dirichlet(np.ones(4), 25)

    assert class_moments(np.bincount(codes)) == pytest.approx(moments(differ(codes)))
    assert soft_moments(shares) == pytest.approx(moments(soft_differ(shares)))
    assert soft_moments(np.eye(4)[codes]) == pytest.approx(class_moments(np.bincount(codes)))


def test_moments_of_many_pairs_are_one_call(rng):
    """A thousand classes have half a million pairs."""
    sizes = np.array([[3, 4], [10, 2], [1, 5]])
    graphs = [moments(draw_graph(rng, n)) for n in sizes.sum(axis=1)]
    together = permutation_null(sizes.sum(axis=1), Moments(*np.array(graphs).T), class_moments(sizes))

    for i, (graph, both) in enumerate(zip(graphs, sizes, strict=True)):
        assert tuple(part[i] for part in together) == permutation_null(both.sum(), graph, class_moments(both))


def test_few_cross_edges_have_small_p_values():
    """A one-sided test, and a normal one far from the most: only fewer than chance speaks for classes that differ."""
    null = Null(np.array(100.0), np.array(25.0), np.array(1e6))

    assert fewer_than_chance(100, null) == pytest.approx(0.5, abs=1e-4)
    assert fewer_than_chance([100 + 5 * norm.ppf(0.05), 110], null) == pytest.approx([0.05, norm.cdf(2)], abs=1e-4)


@pytest.mark.parametrize("n_vertices", [1, 2, 30])
def test_chance_misses_one_edge_a_vertex_but_one(n_vertices):
    """As the chi-square of a table of V values has degrees of freedom: V - 1 of each class, a tree."""
    n, sizes, graph = 30, np.array([15, 9, 6]), Moments(*np.array([58.0, 50.0, 300.0]))  # two trees
    null = permutation_null(n, graph, class_moments(sizes), n_vertices)

    assert null.most - null.mean == pytest.approx(2 * (n_vertices - 1) * (1 - 0.5**2 - 0.3**2 - 0.2**2))


def test_no_spread_proves_nothing_and_is_never_negative():
    """Where every permutation gives the same number, the p-value is one."""
    null = Null(np.array([3.0, 3.0]), np.array([0.0, 0.0]), np.array([9.0, 3.0]))

    assert fewer_than_chance([3.0, 1.0], null).tolist() == [1, 1]

    null = permutation_null(5, moments(1 - np.eye(5)), class_moments([2, 3]))

    assert null.mean == pytest.approx(6)
    assert null.variance == pytest.approx(0, abs=1e-9)
    assert null.variance >= 0


def test_the_observed_labels_are_one_of_the_permutations_and_equal_sums_are_equal():
    """A p-value of zero would claim too much; ties in the last bit would count as evidence."""
    assert share_not_above(1.0, np.array([2.0, 3, 4])) == 0.25
    assert share_not_above(2.0, np.array([2.0, 3, 4])) == 0.5
    assert share_not_above(9.0, np.array([2.0, 3, 4])) == 1

    total = 0.1 + 0.2

    assert share_not_above(0.3, np.array([total, 0.7])) == share_not_above(total, np.array([0.3, 0.7])) == 2 / 3


def test_p_values_from_permutations_are_valid(global_random_seed):
    """Under the null at most a share a of them is a or less."""
    rng, n = np.random.default_rng(global_random_seed), 4000
    values = rng.integers(0, 12, (n, 40))
    p = np.array([share_not_above(row[0], row[1:]) for row in values])

    for level in (0.05, 0.1, 0.5):
        assert (p <= level).mean() <= level + 5 * np.sqrt(level * (1 - level) / n)
