"""The blend: weights by log loss, each fold without its own labels."""

import numpy as np
import pytest
from scipy.special import softmax

from bayesfloor.answer._race import blend


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def rows(rng):
    """Scores of three classes, the labels drawn from them, and five folds."""
    eta = softmax(2 * rng.normal(size=(3000, 3)), axis=1)
    return eta, (rng.random((3000, 1)) > eta.cumsum(axis=1)).sum(axis=1), np.arange(3000) % 5


def test_learners_that_know_nothing_get_no_weight_and_those_that_err_apart_are_better_together(rows, rng):
    """By log loss."""
    eta, codes, fold = rows

    mixed, weights = blend([eta, softmax(rng.normal(size=eta.shape), axis=1)], codes, fold, np.ones(3))

    assert weights[0] == pytest.approx(1, abs=0.1)
    assert weights[1] < 0.05
    np.testing.assert_allclose(mixed, eta, atol=0.1)

    noisy = [softmax(np.log(eta) + rng.normal(size=eta.shape), axis=1) for _ in range(3)]

    mixed, weights = blend(noisy, codes, fold, np.ones(3))

    assert (weights > 0.1).all()
    assert np.mean(mixed.argmax(axis=1) != codes) < min(np.mean(one.argmax(axis=1) != codes) for one in noisy)


def test_a_fold_does_not_see_its_own_labels(rows, rng):
    """Other labels in a fold change the predictions in all folds except that one."""
    eta, codes, fold = rows
    members = [eta, softmax(rng.normal(size=eta.shape), axis=1)]
    shuffled = np.where(fold == 0, rng.permutation(codes), codes)

    before, after = (blend(members, labels, fold, np.ones(3))[0] for labels in (codes, shuffled))

    np.testing.assert_array_equal(before[fold == 0].argmax(axis=1), after[fold == 0].argmax(axis=1))
    assert (before[fold != 0] != after[fold != 0]).any()


@pytest.mark.parametrize("n_folds", [1, 5])
def test_rows_are_probabilities(rows, n_folds):
    eta, codes, fold = rows

    mixed, _ = blend([eta, eta**2 / (eta**2).sum(axis=1, keepdims=True)], codes, fold % n_folds, np.ones(3))

    np.testing.assert_allclose(mixed.sum(axis=1), 1, atol=1e-3)
