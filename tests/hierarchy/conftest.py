"""Classes as clouds of points, trees as nested sets, and a shallow stack."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.hierarchy._class_tree import NONE


def draw_clouds(rng, sizes, d=3, spread=2.0):
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.standard_normal((len(y), d)) + spread * rng.standard_normal((len(sizes), d))[y], y


@pytest.fixture(scope="session")
def clouds():
    """Source of classes: (rng, sizes, d=3, spread=2.0) -> X, y."""
    return draw_clouds


@pytest.fixture(scope="session")
def points(global_random_seed):
    """120 rows of five classes of various sizes, and no two distances alike; tests only look at them."""
    X, y = draw_clouds(np.random.default_rng(global_random_seed), [34, 28, 24, 20, 14])
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.fixture(scope="session")
def pairwise(points):
    return BayesFloor(scale=None, interval="fast").fit(*points).pairwise_


def as_sets(tree, node=0):
    """A node as sets within sets: what is left of a tree when left and right mean nothing."""
    if tree.left[node] != NONE:
        return frozenset(as_sets(tree, int(child[node])) for child in (tree.left, tree.right))
    return tree.classes[tree.order[tree.start[node]]].item()


@pytest.fixture(scope="session")
def sets_of():
    """Reader of a tree's shape: tree -> sets of labels within sets."""
    return as_sets


@contextmanager
def limit_depth(more=100):
    """Let calls nest this much deeper, and no further."""
    frame, depth, before = sys._getframe(), 0, sys.getrecursionlimit()
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + more)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@pytest.fixture(scope="session")
def shallow():
    """A context in which nothing can call itself a thousand times."""
    return limit_depth
