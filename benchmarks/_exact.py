"""Checks that measured results are correct: each asserts, and reports in one line what it verified."""

import math

import numpy as np

from bayesfloor import spanning_forest

METHODS = ("prim", "kdtree", "matmul")
_SAME_WEIGHT = 1e-12  # relative; two programs round sums of lengths differently


def first_weight(forest):
    return math.fsum(forest.length[forest.tree == 0])


def check_weight(ours, theirs):
    difference = abs(ours - theirs) / theirs
    assert difference <= _SAME_WEIGHT, f"first tree weighs {ours}, the peer's {theirs}"
    return difference


def check_forest(forest, peer_weight):
    """Check size, order and first weight of a forest whose trees all span."""
    sizes = forest.tree_sizes.tolist()
    assert sizes == [forest.n_spanned - 1] * forest.n_trees, f"trees of {sizes} edges on {forest.n_spanned} vertices"
    assert (forest.a < forest.b).all(), "ends in order"
    assert (np.diff(forest.length) >= 0).all(), "edges in order"
    weights = [math.fsum(forest.length[forest.tree == tree]) for tree in range(forest.n_trees)]
    assert weights == sorted(weights), f"trees get heavier, but these weigh {weights}"
    return say_weight([check_weight(weights[0], peer_weight)]) + f"; trees of {' + '.join(map(str, sizes))} edges"


def say_weight(differences):
    trees = "first tree weighs" if len(differences) == 1 else f"first trees of {len(differences)} forests weigh"
    return f"{trees} as quitefastmst's to {max(differences):.0e}"


def assert_same(one, two):
    for field in ("a", "b", "length", "tree"):
        assert np.array_equal(getattr(one, field), getattr(two, field)), f"{field} differs"


def check_methods(X):
    forest = spanning_forest(X, method="prim")
    for method in METHODS:
        for n_jobs in (1, 2):
            assert_same(forest, spanning_forest(X, method=method, n_jobs=n_jobs))
    shuffled = np.random.default_rng(1).permutation(X)
    assert_same(forest, spanning_forest(shuffled, method="kdtree"))
    return f"{len(X)} x {X.shape[1]}: {', '.join(METHODS)} give equal edges, on 1 and 2 threads, rows shuffled"


def check_pair(X, pair):
    """Compare a pair's composed forest with the forest of its rows."""
    alone = spanning_forest(X[pair.rows], n_trees=pair.n_trees)
    members = np.unique(pair.vertex)
    assert np.array_equal(pair.length, alone.length), "lengths differ"
    assert np.array_equal(pair.tree, alone.tree), "trees differ"
    assert np.array_equal(pair.a, members[alone.a]), "ends differ"
    assert np.array_equal(pair.b, members[alone.b]), "ends differ"
