"""Cuts and joins of classes: held against all cuts there are, and against networkx and SciPy."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from bayesfloor.hierarchy import ClassTree, _cuts
from bayesfloor.hierarchy._cuts import check_cut, class_tree, given_tree, min_cut

CUTS = ["min_cut", "average"]
ONE = 2**40  # the weight of a floor of 1


def symmetric(matrix):
    """The upper half on both sides, and nothing in between."""
    upper = np.triu(matrix, 1)
    return upper + upper.T


def all_sides(n):
    return (np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n)) % 2 == 1


def cut_weight(weights, side):
    return weights[np.ix_(side, ~side)].sum()


def all_weights(weights, sides):
    return np.einsum("ci,ij,cj->c", sides.astype(weights.dtype), weights, (~sides).astype(weights.dtype))


VALUES = {
    "any": st.integers(0, ONE),
    "few values": st.integers(0, 2),
    "zeros and ones": st.sampled_from([0, ONE]),
    "at resolution": st.just(7),
    "mostly zero": st.sampled_from([0, 0, 0, 0, 5]),
    "any scale": st.integers(0, 39).map(lambda k: 2**k),
}


@st.composite
def graphs(draw, most=10, least=2):
    """Weights between classes: with ties, zeros, blocks, or all alike."""
    n, kind = draw(st.integers(least, most)), draw(st.sampled_from(sorted(VALUES)))
    n_edges = n * (n - 1) // 2
    weights = np.zeros((n, n), dtype=np.int64)
    weights[np.triu_indices(n, 1)] = draw(st.lists(VALUES[kind], min_size=n_edges, max_size=n_edges))
    if draw(st.booleans()):  # blocks: heavy inside
        block = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        weights = np.where(block[:, None] == block, 2 * weights + 3, weights)
    return symmetric(weights)


@given(graphs(), st.sampled_from([(), ("_least_cut_bound",), ("_least_cut_bound", "_tighter_cut_bound")]))
def test_no_cut_is_lighter_than_the_minimal_one(weights, without):
    """All cuts of ten classes can be looked at; shortcuts only save the search."""
    with pytest.MonkeyPatch.context() as patch:
        for shortcut in without:
            patch.setattr(_cuts, shortcut, lambda _: -1)
        side = min_cut(weights)

    assert side.dtype == bool
    assert 0 < side.sum() < len(weights)
    assert cut_weight(weights, side) == all_weights(weights, all_sides(len(weights))).min()


@given(graphs(least=4))
def test_shortcuts_are_below_every_larger_cut(weights):
    """So a class alone that is not above them is minimal."""
    sides = all_sides(len(weights))
    size = sides.sum(axis=1)
    least = all_weights(weights, sides[(size > 1) & (size < len(weights) - 1)]).min()

    assert _cuts._least_cut_bound(weights) <= least
    assert _cuts._tighter_cut_bound(weights) <= least
    assert _cuts._tighter_cut_bound(weights) >= _cuts._least_cut_bound(weights)


@given(graphs())
def test_ties_are_broken_alike_and_floors_of_a_class_with_itself_mean_nothing(weights):
    """Of equal cuts the plainest is taken; a cut through nothing costs nothing."""
    side, degree = min_cut(weights), weights.sum(axis=1)

    assert np.array_equal(side, min_cut(weights.copy()))
    if cut_weight(weights, side) == degree.min():
        assert np.flatnonzero(side).tolist() == [degree.argmin()]

    with_ones = weights + ONE * np.eye(len(weights), dtype=np.int64)

    assert np.array_equal(min_cut(with_ones), min_cut(weights))


def draw_graph(rng, n, kind):
    """A larger graph; minimal cuts of blocks have several classes on both sides."""
    weights = rng.integers(1, 1000, (n, n))
    block = rng.permutation(np.arange(n) % (4 if kind == "four blocks" else 2))
    alike = block[:, None] == block
    return symmetric(
        {"random": weights, "sparse": weights * (alike | (rng.random((n, n)) < 0.02))}.get(
            kind, np.where(alike, 100 * weights, weights // 100)
        )
    )


@pytest.mark.parametrize("kind", ["random", "two blocks", "four blocks", "sparse"])
def test_larger_graphs_are_cut_as_networkx_cuts_them(rng, kind):
    """A second program, by the same authors' method."""
    for n in (11, 20, 31, 40):
        weights = draw_graph(rng, n, kind)
        graph = nx.from_edgelist([(i, j, {"weight": int(weights[i, j])}) for i in range(n) for j in range(i)], nx.Graph)
        expected, _ = nx.stoer_wagner(graph)
        side = min_cut(weights)

        assert cut_weight(weights, side) == expected
        assert kind in ("random", "sparse") or 1 < side.sum() < n - 1


def test_sums_in_another_order_break_no_ties():
    """Each class has the same floors to the others, in another order: all are alike, the first is cut off."""
    floors = np.linspace(0.1, 0.8, 8)
    matrix = floors[np.arange(8)[:, None] ^ np.arange(8)]
    np.fill_diagonal(matrix, 0)
    tree = class_tree(np.arange(8), matrix, "min_cut")

    assert len(set(matrix.cumsum(axis=1)[:, -1])) > 1  # as floats they differ; Python's own sum() has mended that
    assert tree.members(int(tree.left[0])).tolist() == [0]


@given(graphs(most=8), st.sampled_from([2.0**-40, 2.0**-30]))
def test_every_split_of_the_tree_is_a_minimal_cut(weights, unit):
    """Of its own classes, not of all."""
    tree = class_tree(np.arange(len(weights)), np.minimum(weights * unit, 1.0), "min_cut")
    weights = np.minimum(weights, round(1 / unit))

    for node in tree.splits.tolist():
        members, left = tree.members(node), tree.members(int(tree.left[node]))
        own = weights[np.ix_(members, members)]
        least = all_weights(own, all_sides(len(members))).min()
        assert cut_weight(own, np.isin(members, left)) == least


LARGE = {
    "random": lambda rng, n: symmetric(rng.random((n, n))),
    "blocks": lambda rng, n: symmetric(
        np.where(np.arange(n)[:, None] // 10 == np.arange(n) // 10, 0.9, 0.01) + 0.01 * rng.random((n, n))
    ),
    "all equal": lambda _, n: symmetric(np.full((n, n), 0.3)),
    "sparse": lambda rng, n: symmetric(rng.random((n, n)) * (rng.random((n, n)) < 0.05)),
}


def count_steps(monkeypatch):
    """A list that grows with each step that looks at a whole graph."""
    steps = []

    def counted(step):
        return lambda graph: steps.append(step) or step(graph)

    monkeypatch.setattr(_cuts, "_most_attached", counted(_cuts._most_attached))
    return steps


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
@pytest.mark.parametrize(("cut", "n"), [("min_cut", 200), ("average", 1000)])
def test_trees_of_many_classes_are_grown_in_few_steps_and_without_a_deep_stack(rng, shallow, monkeypatch, kind, cut, n):
    """Hundreds of products or species are classes, too; a ladder of them is as deep as they are many."""
    matrix = LARGE[kind](rng, n)
    class_tree(np.arange(4), np.ones((4, 4)), cut)  # whatever is loaded late is loaded now
    steps = count_steps(monkeypatch)
    with shallow():
        tree = class_tree(np.arange(n), matrix, cut)

    assert len(steps) <= 10 * n  # Stoer and Wagner's own would be n**2 / 2
    assert tree.n_nodes == 2 * n - 1
    assert np.array_equal(np.sort(tree.order), np.arange(n))
    if (kind, cut) == ("all equal", "min_cut"):
        assert tree.depth.max() == n - 1


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_few_classes_and_floors_that_tell_nothing_make_a_tree(cut, n, value):
    """There is always an answer, and the first class decides."""
    tree = class_tree(np.arange(n), symmetric(np.full((n, n), value)), cut)

    assert tree.n_nodes == 2 * n - 1
    assert sorted(tree.order.tolist()) == list(range(n))
    assert np.isnan(tree.link[tree.left == -1]).all()
    assert (tree.link[tree.splits] == value).all()


def test_joins_are_scipys(rng):
    """All classes across a split are as far apart as SciPy's dendrogram has them, and nearer below."""
    for n in (2, 3, 10, 60):
        matrix = symmetric(rng.random((n, n)))
        tree = class_tree(np.arange(n), matrix, "average")
        distance = squareform(cophenet(linkage(squareform(1 - matrix - np.eye(n)), "average")))
        height = np.zeros(tree.n_nodes)
        for node in tree.splits.tolist():
            across = distance[np.ix_(tree.members(int(tree.left[node])), tree.members(int(tree.right[node])))]
            height[node] = across.flat[0]
            assert (across == height[node]).all()

        assert (height[1:] < height[tree.parent[1:]]).all()


@pytest.mark.parametrize("cut", CUTS)
def test_names_order_and_unit_mean_nothing(rng, sets_of, cut):
    """Without ties a tree is one of the data, not of how classes are numbered or confusions counted."""
    n = 12
    matrix, order = symmetric(rng.integers(1, 2**20, (n, n)) / 2.0**20), rng.permutation(n)
    tree, other = class_tree(np.arange(n), matrix, cut), class_tree(np.arange(n), matrix[np.ix_(order, order)], cut)

    def renamed(part):
        return frozenset(map(renamed, part)) if isinstance(part, frozenset) else int(order[part])

    assert renamed(sets_of(other)) == sets_of(tree)
    for factor in (2.0**-10, 2.0**12, 2.0**40):
        assert sets_of(class_tree(np.arange(n), factor * matrix, cut)) == sets_of(tree)


@pytest.mark.parametrize("cut", ["mincut", None, 2, {"ab"}, np.eye(2)], ids=str)
def test_what_gives_no_tree_is_refused_with_the_choice(cut):
    """A slip in a name is the usual case; names, trees and pairs are taken."""
    with pytest.raises(ValueError, match=r"(?s)Got cut=.*, but expected 'min_cut', 'average', a Cl"):
        check_cut(cut)
    for good in (*CUTS, ["a", "b"], ("a", ("b", "c")), ClassTree.from_nested(["a", "b"])):
        check_cut(good)


def test_given_trees_are_cut_to_the_classes_there(sets_of):
    """A fold may lack a class, and pairs are a tree."""
    pairs = [["cat", "dog"], ["car", "bus"]]
    here = np.array(["bus", "cat", "dog"])

    assert sets_of(given_tree(pairs, here)) == {frozenset(["cat", "dog"]), "bus"}
    assert sets_of(given_tree(ClassTree.from_nested(pairs), here)) == {frozenset(["cat", "dog"]), "bus"}
