"""Plain or compiled: the same answer."""

import numpy as np

from bayesfloor.floor import _sample as _grow


def test_kernels_are_prepared_only_where_they_pay(monkeypatch):
    """A small fit should not wait for a compiler."""
    calls = []
    monkeypatch.setattr(_grow, "prepare_kernels", lambda: calls.append(1))
    _grow.prepare(200, 4, 3, 8)
    small = len(calls)
    _grow.prepare(20_000, 16, 3, 8)

    assert small == 0
    assert len(calls) == 1


def test_grown_trees_are_those_of_the_forest(rng):
    """One tree of n rows has n - 1 edges."""
    forest = _grow.grow(rng.normal(size=(50, 2)), 2, None)

    assert np.array_equal(forest.tree_sizes, [49, 49])
