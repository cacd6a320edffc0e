"""Blocks, joins and reductions: any split of the rows composes to the forest of the whole."""

from itertools import combinations

import numpy as np
import pytest

from bayesfloor import spanning_forest
from bayesfloor.forest._blocks import forest_of, join, reduce_edges
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.support._tasks import one_blas_thread


@pytest.fixture(autouse=True)
def one_thread():
    """Who calls these functions sees to the threads of BLAS."""
    with one_blas_thread():
        yield


def read_blocks(X, groups, split):
    vertices, number = find_vertices(X, groups)
    return [vertices.take(np.unique(number[rows])) for rows in split]


def draw_split(rng, X):
    """Rows of 2 to 8 blocks, some in several blocks; blocks lie apart or among each other."""
    k = int(rng.integers(2, 9))
    order = np.lexsort(X.T) if rng.random() < 0.5 else rng.permutation(len(X))
    cuts = np.sort(rng.integers(0, len(X) + 1, k - 1))
    extra = [rng.integers(0, len(X), rng.choice([0, 0, 1, 9])) for _ in range(k)]
    split = [np.union1d(rows, more) for rows, more in zip(np.split(order, cuts), extra, strict=True)]
    return [rows for rows in split if len(rows)]


def reduce_in_any_order(rng, vertices, lists, n_trees):
    """Some lists become one, again and again."""
    lists = list(lists)
    while len(lists) > 1:
        order, few = rng.permutation(len(lists)), int(rng.integers(2, len(lists) + 1))
        chosen, rest = order[:few], order[few:]
        lists = [reduce_edges(vertices, [lists[i] for i in chosen], n_trees), *(lists[i] for i in rest)]
    return reduce_edges(vertices, lists, n_trees)


@pytest.fixture
def read_edges(answer_of):
    """Reader of edges between ranks: (edges, exponent) -> Answer."""

    class Seen:
        def __init__(self, edges, exponent):
            self.a, self.b, self.tree = edges.a, edges.b, edges.tree
            self.length = np.ldexp(np.sqrt(edges.squared), exponent)

    return lambda edges, exponent: answer_of(Seen(edges, exponent))


@pytest.fixture(scope="module")
def some_cases(cases):
    """Sets of every kind with more than a few rows; groups, if any, are numbers."""
    wanted = [(c, e) for c, e in cases if len(c.X) > 5 and (c.groups is None or c.groups.dtype.kind == "i")]
    return wanted[:120]


@pytest.mark.slow
def test_any_split_composes_to_the_whole(some_cases, compiled_method, read_edges, global_random_seed):
    """What classes on a laptop and blocks on a cluster both stand on."""
    rng, wrong = np.random.default_rng(global_random_seed), []
    for case, expected in some_cases:
        vertices, _ = find_vertices(case.X, case.groups)
        split = draw_split(rng, case.X)
        blocks = [forest_of(v, case.n_trees, compiled_method) for v in read_blocks(case.X, case.groups, split)]
        joins = [join(one, two, case.n_trees, compiled_method) for one, two in combinations(blocks, 2)]
        lists = [joined.edges for joined in joins] or [block.by_rank() for block in blocks]
        edges = reduce_in_any_order(rng, vertices, lists, case.n_trees)
        wrong += [] if read_edges(edges, vertices.exponent) == expected else [(case, len(split))]

    assert len(some_cases) > 80
    assert wrong == []


def test_a_join_is_the_forest_of_both(some_cases, compiled_method, read_edges, oracle_forest, global_random_seed):
    """Each pair of classes has its own forest, which counts as much as that of the whole."""
    rng, wrong = np.random.default_rng(global_random_seed), []
    for case, _ in some_cases[::2]:
        split = draw_split(rng, case.X)[:2]
        both = np.unique(np.concatenate(split))
        groups = None if case.groups is None else case.groups[both]
        expected = oracle_forest(case.X[both], case.n_trees, groups)
        vertices = read_blocks(case.X[both], groups, [np.searchsorted(both, rows) for rows in split])
        blocks = [forest_of(v, case.n_trees, compiled_method) for v in vertices]
        for one, two in (blocks[0], blocks[-1]), (blocks[-1], blocks[0]):
            edges = join(one, two, case.n_trees, compiled_method).edges
            wrong += [] if read_edges(edges, vertices[0].exponent) == expected else [case]

    assert wrong == []


def test_a_block_joins_its_own_copy(compiled_method):
    """Two classes may have the same distinct rows; then nothing is left to look for."""
    one = two = find_vertices([[1.0], [2.0], [4.0]])[0]
    joined = join(forest_of(one, 2, compiled_method), forest_of(two, 2, compiled_method), 2, compiled_method)

    assert joined.edges.tree.tolist() == [0, 0, 1]
    assert not joined.across.any()


def test_edges_across_lie_in_neither_block(some_cases, compiled_method, rng):
    """Per pair only these are kept: one too many is kept twice, one too few is lost."""
    for case, _ in some_cases[::5]:
        one, two = (read_blocks(case.X, case.groups, draw_split(rng, case.X)) * 2)[:2]
        edges, across = join(*(forest_of(v, 2, compiled_method) for v in (one, two)), 2, compiled_method)
        inside = [np.isin(edges.a, v.rank) & np.isin(edges.b, v.rank) for v in (one, two)]

        assert np.array_equal(across, ~inside[0] & ~inside[1])


def test_blocks_and_edges_across_are_enough(some_cases, read_edges, rng):
    """The edges inside a block need not travel with each of its joins; blocks may differ in method."""
    for case, expected in some_cases[::3]:
        vertices, _ = find_vertices(case.X, case.groups)
        parts = read_blocks(case.X, case.groups, draw_split(rng, case.X))
        blocks = [forest_of(v, case.n_trees, ["kdtree", "matmul", "auto"][i % 3]) for i, v in enumerate(parts)]
        lists = [block.by_rank() for block in blocks]
        for one, two in combinations(blocks, 2):
            edges, across = join(one, two, case.n_trees)
            lists.append(edges.take(across))

        assert read_edges(reduce_edges(vertices, lists, case.n_trees), vertices.exponent) == expected, case


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gaussian", "lattice", "zeros and ones", "clusters"])
def test_large_blocks_compose_to_the_whole(kind, compiled_method, read_edges, answer_of, draw_points, rng):
    """Blocks of more rows than one task takes, with rows in common."""
    X = draw_points(rng, kind, 11_000, 15 if kind == "zeros and ones" else 4)
    X = X + np.arange(len(X))[:, None] // 50 if kind == "lattice" else X
    split = np.arange(9000), np.arange(4200, 9400), rng.integers(0, 11_000, 200), np.arange(9300, 11_000)
    vertices, _ = find_vertices(X)
    blocks = [forest_of(v, 2, compiled_method) for v in read_blocks(X, None, split)]
    edges = reduce_edges(
        vertices, [join(one, two, 2, compiled_method).edges for one, two in combinations(blocks, 2)], 2
    )

    assert read_edges(edges, vertices.exponent) == answer_of(spanning_forest(X, 2, method="kdtree"))


def test_reducing_the_edges_of_a_forest_gives_it_back(some_cases, read_edges):
    """Copies of edges, lists without edges and edges of no use change nothing."""
    for case, expected in some_cases[::5]:
        vertices, _ = find_vertices(case.X, case.groups)
        edges = forest_of(vertices, case.n_trees + 2, "kdtree").by_rank()
        lists = [edges.take(slice(0)), edges, edges.take(slice(None, None, 2)), edges]

        assert read_edges(reduce_edges(vertices, lists, case.n_trees), vertices.exponent) == expected, case
