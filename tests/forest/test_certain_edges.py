"""What a block calls certain is so, and contracting it changes nothing."""

from itertools import combinations, pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor import spanning_forest
from bayesfloor.forest._blocks import reduce_edges
from bayesfloor.forest._edges import new_edges
from bayesfloor.forest._kernels import edge_lengths
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.leaving.forest_certain_edges import Loose, core_distance, fit_loose, in_order, make_links, settle
from bayesfloor.leaving.forest_out_of_core_cells import cut_cells


class Settling(NamedTuple):
    """A block, its vertices' numbers in the whole, its forest and what is certain of it."""

    numbers: np.ndarray
    edges: object
    settled: object


def settle_cells(X, n_trees, cells):
    """The vertices of the whole, and what each cell that is not empty knows of it."""
    whole, vertex = find_vertices(X)
    cell, out = cells.find(X), []
    for number in np.unique(cell):
        rows = np.flatnonzero(cell == number)
        own, own_vertex = find_vertices(X[rows], exponent_of_all=whole.exponent)
        numbers = np.empty(len(own), np.int64)
        numbers[own_vertex] = vertex[rows]
        edges = prim_forest(Distances(own, keep=True), n_trees)
        reach = cells.reach(number, own.x, whole.exponent)
        out.append(Settling(numbers, edges, settle(len(own), edges, n_trees, reach)))
    return whole, out


def trees_of(a, b, tree):
    """Edges told by their ends, with their trees."""
    return dict(zip(zip(a.tolist(), b.tolist(), strict=True), tree.tolist(), strict=True))


def certain_edges(block):
    """Edges that a block is certain of, told by numbers of the whole."""
    edges = block.edges.take(block.settled.certain)
    one, two = block.numbers[edges.a], block.numbers[edges.b]
    return trees_of(np.minimum(one, two), np.maximum(one, two), edges.tree)


@pytest.fixture(scope="module")
def settlings(cases, global_random_seed):
    """Many sets, each with its forest and any split into cells: (Case, Answer, whole, blocks)."""
    rng, out = np.random.default_rng(global_random_seed), []
    chosen = [(case, expected) for case, expected in cases if case.groups is None][:400]
    for case, expected in chosen:
        X, n_cells = case.X + 0.0, int(rng.integers(1, 9))
        seen = X[rng.permutation(len(X))[: rng.integers(1, len(X) + 1)]]
        out.append((case, expected, *settle_cells(X, case.n_trees, cut_cells(seen, n_cells))))
    return out


def test_a_certain_edge_is_in_that_tree_of_all_rows(settlings):
    """Whatever the other blocks hold."""
    wrong, n_certain = [], 0
    for case, expected, _, blocks in settlings:
        truth = trees_of(expected.a, expected.b, expected.tree)
        for block in blocks:
            found = certain_edges(block)
            n_certain += len(found)
            wrong += [case] if any(truth.get(edge) != tree for edge, tree in found.items()) else []

    assert wrong == []
    assert n_certain > 1000


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=18),
    st.integers(1, 4),
    st.integers(1, 6),
)
def test_a_certain_edge_of_a_small_lattice(points, n_trees, n_cells):
    """Nearly all edges are tied, in length and often in hash."""
    X = np.array(points, dtype=float)
    forest = spanning_forest(X, n_trees)
    truth = trees_of(forest.a, forest.b, forest.tree)
    _, blocks = settle_cells(X, n_trees, cut_cells(X, n_cells))
    found = {edge: tree for block in blocks for edge, tree in certain_edges(block).items()}

    assert {edge: truth.get(edge) for edge in found} == found


def test_most_edges_of_few_features_are_certain(global_random_seed):
    """Or the reduction would have to hold them all."""
    X = np.random.default_rng(global_random_seed).random((3000, 2))
    _, blocks = settle_cells(X, 3, cut_cells(X, 4))

    assert np.mean(np.concatenate([block.settled.certain for block in blocks])) > 0.7


def test_a_block_that_is_all_is_certain_of_all(settlings):
    """With one cell nothing is left open."""
    one_cell = [settle_cells(case.X + 0.0, case.n_trees, cut_cells(case.X[:1], 1))[1] for case, *_ in settlings[:30]]

    assert all(block.settled.certain.all() for (block,) in one_cell)
    assert all((block.settled.part[:, 0] == 0).all() for (block,) in one_cell)


def test_an_edge_as_long_as_the_reach_is_not_certain():
    """One from the other side may be as long, and come first."""
    vertices, _ = find_vertices([[0.0], [1.0]])
    edges = prim_forest(Distances(vertices, keep=True), 1)

    assert not settle(2, edges, 1, np.array([edges.squared[0], 0.0])).certain.any()
    assert settle(2, edges, 1, np.array([np.nextafter(edges.squared[0], 1.0), 0.0])).certain.all()


def test_parts_are_what_certain_edges_join(settlings):
    """Each tree for itself, numbered from 0."""
    for _, _, _, blocks in settlings[::7]:
        for block in blocks:
            n, n_trees = block.settled.part.shape
            for tree in range(n_trees):
                mine = block.edges.take(block.settled.certain & (block.edges.tree == tree))
                graph = nx.Graph(zip(mine.a.tolist(), mine.b.tolist(), strict=True))
                graph.add_nodes_from(range(n))
                joined = {frozenset(part) for part in nx.connected_components(graph)}
                part = block.settled.part[:, tree]

                assert {frozenset(np.flatnonzero(part == number)) for number in range(part.max() + 1)} == joined


def loose_of(whole, blocks, n_trees):
    """All edges that no block is certain of, and all across, with parts numbered through; how many parts."""
    n_parts = np.array([block.settled.part.max(axis=0) + 1 for block in blocks])
    part = np.empty((len(whole), n_trees), np.int64)
    for block, first in zip(blocks, np.cumsum(n_parts, axis=0) - n_parts, strict=True):
        part[block.numbers] = block.settled.part + first
    ends = [block.numbers[np.stack(block.edges.take(~block.settled.certain)[:2])] for block in blocks]
    ends += [np.stack(np.meshgrid(one.numbers, two.numbers)).reshape(2, -1) for one, two in combinations(blocks, 2)]
    a, b = np.hstack(ends).astype(np.int32)
    squared, none = edge_lengths(whole.x, a, b), np.zeros(len(a))
    return Loose(a, b, squared, whole.key[a], whole.key[b], part[a], part[b], none, none), n_parts.sum(axis=0)


def test_contracting_certain_edges_changes_nothing(settlings):
    """The rest falls into the same trees."""
    wrong = []
    for case, expected, whole, blocks in settlings[::2]:
        loose, n_parts = loose_of(whole, blocks, case.n_trees)
        loose = in_order(loose)
        tree = fit_loose(loose, n_parts)
        kept, found = tree >= 0, {}
        found |= trees_of(np.minimum(loose.a, loose.b)[kept], np.maximum(loose.a, loose.b)[kept], tree[kept])
        for block in blocks:
            found |= certain_edges(block)
        wrong += [] if found == trees_of(expected.a, expected.b, expected.tree) else [case]

    assert wrong == []


def longest_on_the_way(n, a, b, squared):
    """All pairs by Kruskal: the edge that joins two components is the longest between their vertices."""
    out, members = np.full((n, n), np.inf), [{v} for v in range(n)]
    np.fill_diagonal(out, 0.0)
    for i, j, length in zip(a.tolist(), b.tolist(), squared.tolist(), strict=True):
        one, two = members[i], members[j]
        for u in one:
            out[u, list(two)] = out[list(two), u] = length
        one |= two
        for v in two:
            members[v] = one
    return out


def draw_forest(rng, n, share):
    """Edges of a forest of random shape and of lengths often tied, shortest first."""
    shape = rng.choice(["path", "star", "any"])
    child = rng.permutation(n)
    parent = {"path": np.arange(n) - 1, "star": np.zeros(n, int), "any": (rng.random(n) * np.arange(n)).astype(int)}
    a, b = child[1:], child[parent[shape][1:]]
    squared = rng.choice([np.sort(rng.integers(0, 5, n - 1)), np.sort(rng.random(n - 1) * 9)]).astype(float)
    kept = rng.random(n - 1) < share
    order = rng.permutation(n - 1)
    return a[order][kept], b[order][kept], squared[kept]


def test_links_lead_as_the_tree_does(global_random_seed):
    """Ties, stars, paths, and forests of many parts."""
    rng = np.random.default_rng(global_random_seed)
    for _ in range(200):
        n = int(rng.integers(1, 40))
        a, b, squared = draw_forest(rng, n, rng.choice([1.0, 0.7]))
        one, two = (side.ravel() for side in np.indices((n, n)))
        found = make_links(n, a, b, squared).bottleneck(one, two).reshape(n, n)

        assert np.array_equal(found, longest_on_the_way(n, a, b, squared))


def test_links_agree_with_networkx(global_random_seed):
    """On a graph that is no tree the minimal spanning tree has the way whose longest edge is shortest."""
    rng = np.random.default_rng(global_random_seed)
    forest = spanning_forest(rng.standard_normal((40, 2)), 1)
    tree = nx.Graph()
    tree.add_weighted_edges_from(zip(forest.a, forest.b, forest.length, strict=True))
    links = make_links(40, forest.a, forest.b, forest.length)
    for v in range(40):
        for u, way in nx.single_source_shortest_path(tree, v).items():
            longest = max((tree.edges[step]["weight"] for step in pairwise(way)), default=0.0)

            assert links.bottleneck(np.array([v]), np.array([u])) == longest


def test_few_links_lead_to_the_root():
    """A path of a million vertices must not take a million steps."""
    n = 1 << 10
    parent = make_links(n, np.arange(n - 1), np.arange(1, n), np.arange(n - 1.0)).parent
    at, steps = np.arange(n), 0
    while (parent[at] != at).any():
        at, steps = parent[at], steps + 1

    assert steps <= 10


def test_infinite_links_are_no_way():
    """A part that is not known to lead to its block's core."""
    links = make_links(4, np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([1.0, np.inf, np.inf]))
    one, two = np.array([0, 0, 0, 2, 3]), np.array([1, 2, 3, 3, 3])

    assert links.bottleneck(one, two).tolist() == [1, np.inf, np.inf, np.inf, 0]


def test_core_distance_is_the_way_by_the_last_tree(settlings):
    """Infinite where the last tree does not lead to the core, as in blocks with fewer rows than trees."""
    seen = set()
    for case, _, _, blocks in settlings[::5]:
        for block in blocks:
            n, last = len(block.numbers), block.edges.take(block.edges.tree == case.n_trees - 1)
            to_core, core = core_distance(n, block.edges, case.n_trees)
            seen.add(np.isinf(to_core).any())

            assert np.array_equal(to_core, longest_on_the_way(n, last.a, last.b, last.squared)[core])

    assert seen == {False, True}


def test_no_edge_across_is_longer_than_the_way_by_the_cores(settlings):
    """What pairs of blocks, and vertices of them, are left out by."""
    for case, _, whole, blocks in settlings[::5]:
        n = len(whole)
        a, b = np.triu_indices(n, 1)
        edges = new_edges(a.astype(np.int32), b.astype(np.int32), edge_lengths(whole.x, a, b))
        forest = reduce_edges(whole, [edges], case.n_trees)
        last = forest.take(forest.tree == case.n_trees - 1)
        way = longest_on_the_way(n, last.a, last.b, last.squared)
        to_core, core, home = np.empty(n), np.empty(n, int), np.empty(n, int)
        for number, block in enumerate(blocks):
            to_core[block.numbers], own = core_distance(len(block.numbers), block.edges, case.n_trees)
            core[block.numbers], home[block.numbers] = block.numbers[own], number
        across = forest.take(home[forest.a] != home[forest.b])
        bound = np.maximum(np.maximum(to_core[across.a], to_core[across.b]), way[core[across.a], core[across.b]])

        assert (across.squared <= bound).all()
