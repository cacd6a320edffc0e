"""Cross edges of pairs of classes: each pair as if its rows were alone."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_array

from bayesfloor import spanning_forest
from bayesfloor.floor._edge_counts import VertexLabels, class_edges, forest_moments, label_moments
from bayesfloor.floor._pair_counts import pair_counts, pair_of, permuted_cross, sets_of_pairs, soft_pair_counts
from bayesfloor.forest import class_forests
from bayesfloor.formulas._permutation_null import fewer_than_chance, permutation_null
from bayesfloor.io._labels import hard_shares


def draw_set(rng, kind):
    """Rows, codes of four classes and groups: distinct rows, rows equal in a class only or in all classes."""
    n, codes = 70, rng.permutation(np.concatenate([np.arange(4), rng.integers(0, 4, 66)]))
    groups = rng.integers(0, 20, n) if "groups" in kind else None
    if kind.startswith("distinct"):
        return rng.standard_normal((n, 3)), codes, groups
    if kind.startswith("equal in a class"):
        return rng.integers(0, 3, (n, 2)) + codes[:, None] * 0.1, codes, groups
    if kind.startswith("equal in some"):
        return rng.integers(0, 4, (n, 2)).astype(float), codes, groups
    shared = np.zeros((8, 2))  # one place that every class has, twice
    X = np.vstack([shared, rng.integers(0, 4, (n - 8, 2))])
    codes = np.concatenate([np.arange(8) // 2, codes[8:]])
    return X, codes, None if groups is None else np.concatenate([np.zeros(8, dtype=int), groups[8:]])


def pairs_alone(X, codes, groups, label, n_trees=3):
    """Of each pair: share of cross edges and moments, in the forest of its own rows."""
    for i, j in combinations(range(codes.max() + 1), 2):
        rows = np.flatnonzero((codes == i) | (codes == j))
        own_groups = None if groups is None else groups[rows]
        forest = spanning_forest(X[rows], n_trees, own_groups, method="prim")
        labels = label(forest, (codes[rows] == j).astype(int), 2, joined=groups is None)
        yield class_edges(forest, labels).cross_rate, forest_moments(forest, labels)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "kind",
    [
        "distinct",
        "distinct, in groups",
        "equal in a class",
        "equal in a class, in groups",
        "equal in some classes",
        "equal in some classes, in groups",
        "equal in all classes",
        "equal in all classes, in groups",
    ],
)
def test_every_pair_is_counted_as_if_alone(kind, label, global_random_seed):
    """A pair's floor may not depend on other classes, nor on how its forest was found."""
    X, codes, groups = draw_set(np.random.default_rng(global_random_seed), kind)
    forests = class_forests(X, codes, 3, groups)
    found = pair_counts(forests, label(forests.all(), codes, joined=groups is None))
    rates, moments = zip(*pairs_alone(X, codes, groups, label), strict=True)

    assert found.rate == pytest.approx(rates)
    assert np.column_stack(found.graph) == pytest.approx(np.array(moments))


def test_sizes_and_sets_of_pairs_are_those_of_both_classes(label):
    """In the order of the pairs; equal rows are one set, whichever of the two classes they are of."""
    codes = np.repeat([0, 1, 2], [2, 3, 5])
    forests = class_forests(np.arange(10.0)[:, None], codes)

    assert pair_counts(forests, label(forests.all(), codes)).sizes.tolist() == [[2, 3], [2, 5], [3, 5]]

    codes = np.array([0, 0, 1, 1, 1, 2])
    forest = spanning_forest(np.array([0.0, 0, 0, 1, 2, 2])[:, None])

    assert sets_of_pairs(label(forest, codes)).tolist() == [3, 2, 3]


def test_two_classes_are_one_pair(draw_labelled, global_random_seed):
    """Their forest is that of all rows."""
    X, codes, _, forest, labels = draw_labelled(np.random.default_rng(global_random_seed), n_classes=2)
    found = pair_counts(class_forests(X, codes), labels)

    assert found.rate == pytest.approx([class_edges(forest, labels).cross_rate])
    assert np.ravel(found.graph) == pytest.approx(np.array(forest_moments(forest, labels)))


def test_a_pair_has_the_labels_of_its_rows(draw_labelled, global_random_seed):
    """Vertices keep their numbers, rows their weights."""
    X, codes, _, _, labels = draw_labelled(np.random.default_rng(global_random_seed))
    forests = class_forests(X, codes)
    forest, own = pair_of(forests.pair, replace(labels, weight=np.arange(60.0)), 0, 2)
    rows = np.flatnonzero(codes != 1)

    assert forest.rows.tolist() == own.weight.tolist() == rows.tolist()
    assert own.codes.tolist() == (codes[rows] == 2).astype(int).tolist()
    assert own.vertex.tolist() == labels.vertex[rows].tolist()


@pytest.mark.usefixtures("way")
def test_weights_count_in_every_pair(label, rng):
    """The fast count of whole edges does not know them."""
    X, codes, _ = draw_set(rng, "distinct")
    weight, forests = rng.uniform(0.5, 2, len(X)), class_forests(X, codes)
    found = pair_counts(forests, label(forests.all(), codes, weight=weight))
    for (i, j), rate in zip(combinations(range(4), 2), found.rate, strict=True):
        rows = np.flatnonzero((codes == i) | (codes == j))
        forest = spanning_forest(X[rows], method="prim")
        alone = label(forest, (codes[rows] == j).astype(int), 2, weight[rows])

        assert rate == pytest.approx(class_edges(forest, alone).cross_rate)


ROWS = {
    "one bit": lambda rng: rng.integers(0, 2, (400, 1)),
    "three bits": lambda rng: rng.integers(0, 2, (400, 3)),
    "six bits": lambda rng: rng.integers(0, 2, (400, 6)),
    "thirty values": lambda rng: rng.integers(0, 30, (400, 1)),
    "half zero": lambda rng: rng.standard_normal((400, 2)) * (rng.random((400, 1)) < 0.5),
    "distinct": lambda rng: rng.standard_normal((400, 3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.filterwarnings("ignore:Tree")
def test_the_test_keeps_its_level_with_any_ties(kind, share, label, rng):
    """A normal R would declare one set of noise in sixty at the level of .001 where rows are a bit."""
    forest = spanning_forest(ROWS[kind](rng).astype(float))
    labels = label(forest, (np.arange(400) < 400 * share).astype(int), 2)
    null = permutation_null(400, forest_moments(forest, labels), label_moments(labels), labels.n_sets)
    p = fewer_than_chance(permuted_cross(forest, labels, 20_000, rng), null)

    assert (p <= 0.001).mean() <= 0.003
    assert (p <= 0.01).mean() <= 0.02
    assert 0.02 <= (p <= 0.05).mean() <= 0.07


def test_permuted_labels_are_counted_as_others_are(draw_labelled, label, global_random_seed):
    """Each draw on its own: the same permutation, counted by ``class_edges``."""
    X, codes, _, _, labels = draw_labelled(np.random.default_rng(global_random_seed))
    forest, own = pair_of(class_forests(X, codes).pair, labels, 0, 1)
    values = permuted_cross(forest, own, 5, np.random.default_rng(7))
    again = np.random.default_rng(7)

    for value in values:
        edges = class_edges(forest, label(forest, again.permutation(own.codes == 1).astype(int), 2))
        assert value == pytest.approx(edges.cross_rate * edges.n_edges)


def test_soft_pairs_are_those_of_rows_with_a_chance(rng):
    """A row that can be of neither class has no part in the pair; the others weigh what they are likely."""
    X, chances = rng.standard_normal((40, 2)), rng.dirichlet(np.ones(3), 40) * (rng.random((40, 3)) < 0.7)
    chances[chances.sum(axis=1) == 0] = [1, 0, 0]
    chances /= chances.sum(axis=1, keepdims=True)
    row, code = np.nonzero(chances)
    forests, whole = class_forests(X[row], code), spanning_forest(X)
    found = soft_pair_counts(forests, VertexLabels(whole.vertex, csr_array(chances), whole.n_vertices))
    for number, (i, j) in enumerate(combinations(range(3), 2)):
        pair = chances[:, [i, j]]
        rows = np.flatnonzero(pair.sum(axis=1))
        total, forest = pair[rows].sum(axis=1), spanning_forest(X[rows], method="prim")
        shares = csr_array(pair[rows] / total[:, None])
        labels = VertexLabels(forest.vertex, shares, forest.n_vertices, total / total.mean())

        assert found.rate[number] == pytest.approx(class_edges(forest, labels).cross_rate)
        assert found.sizes[number] == pytest.approx(chances[:, [i, j]].sum(axis=0))
        assert found.graph.total[number] == pytest.approx(3 * (len(rows) - 1))


def test_codes_of_a_pair_need_not_be_zero_and_one(rng):
    """Rows of classes 3 and 5 are permuted among themselves."""
    forest = spanning_forest(rng.standard_normal((20, 2)))
    small, large = (VertexLabels(forest.vertex, hard_shares(np.repeat(c, [8, 12]), 6), 20) for c in ([0, 1], [3, 5]))
    one, two = (permuted_cross(forest, labels, 10, np.random.default_rng(1)) for labels in (small, large))

    assert one.tolist() == two.tolist()
