"""Pairs of merged classes equal those of a fresh fit."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from bayesfloor import BayesFloor

SAME = ["matrix", "lower", "estimate", "upper", "cross", "resolution"]


@pytest.fixture(params=["digits", "tied"])
def points(request, rng):
    if request.param == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:500], y[:500]
    X = rng.integers(0, 5, (400, 2)).astype(float)
    return X, (X.sum(axis=1) + rng.integers(0, 3, 400)).astype(int) % 6


def test_merged_classes_have_the_pairs_of_a_fresh_fit(points):
    """Merging is what the pairs are looked at for."""
    X, y = points
    merged = np.array(["zoo", "zoo", "bar", "bar", "ant", "zoo", "bar", "ant", "ant", "cow"])[y]
    pairs = BayesFloor(scale=None, interval="fast").fit(X, y).relabel(merged).pairwise_
    fresh = BayesFloor(scale=None, interval="fast").fit(X, merged).pairwise_

    assert np.array_equal(pairs.classes, fresh.classes)
    for name in SAME:
        np.testing.assert_allclose(getattr(pairs, name), getattr(fresh, name), rtol=1e-12, err_msg=name)
    assert np.array_equal(pairs.at_resolution, fresh.at_resolution)
    np.testing.assert_allclose(pairs.p_values, fresh.p_values, atol=1e-2)


def test_pairs_are_counted_when_they_are_asked_for_and_once(points):
    """A loop over labels that looks at G alone should not pay for pairs."""
    X, y = points
    other = BayesFloor(scale=None, interval="fast").fit(X, y).relabel(y // 2)

    assert other.pairwise_ is other.pairwise_
