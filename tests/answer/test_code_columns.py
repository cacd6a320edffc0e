"""Tests of codes for learners that know numbers only."""

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import TargetEncoder

from bayesfloor.answer._learners import encode_codes


def test_codes_become_class_rates_of_shuffled_folds_and_without_codes_nothing_is_done():
    """Each row's code tells the classes of the other folds, the same at every run, and nothing warns."""
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.normal(size=300), rng.integers(0, 20, 300)]), rng.integers(0, 3, 300)
    learners = encode_codes({"linear": LogisticRegression()}, np.array([False, True]), 3)
    found = learners["linear"][0].fit_transform(X, y)
    np.testing.assert_array_equal(found[:, 3], X[:, 0])
    for train, test in StratifiedKFold(5, shuffle=True, random_state=3).split(X, y):
        rates = TargetEncoder().fit(X[train, 1:], y[train])
        np.testing.assert_array_equal(found[test, :3], rates.transform(X[test, 1:]))

    learners = {"linear": LogisticRegression()}
    assert encode_codes(learners, None, 0) is learners


def test_for_numbers_codes_become_mean_numbers_of_shuffled_folds():
    """Also if the numbers are whole, which scikit-learn takes for classes."""
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.normal(size=300), rng.integers(0, 20, 300)]), rng.integers(0, 5, 300).astype(float)

    learners = encode_codes({"linear": LinearRegression()}, np.array([False, True]), 3, "numbers")
    found = learners["linear"][0].fit_transform(X, y)

    np.testing.assert_array_equal(found[:, 1], X[:, 0])
    for train, test in KFold(5, shuffle=True, random_state=3).split(X):
        means = TargetEncoder(target_type="continuous").fit(X[train, 1:], y[train])
        np.testing.assert_array_equal(found[test, :1], means.transform(X[test, 1:]))
