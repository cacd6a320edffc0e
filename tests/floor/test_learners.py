"""Learners out of fold."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from bayesfloor.floor._learners import make_folds, out_of_fold


class Memory(ClassifierMixin, BaseEstimator):
    """Knows the rows that it has seen, and answers 0 elsewhere."""

    def fit(self, X, y):
        """Remember."""
        self.classes_ = np.unique(y)
        self.known_ = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        return self

    def predict(self, X):
        """What was seen, or 0."""
        return np.array([self.known_.get(row.tobytes(), 0) for row in X])


def test_no_learner_has_seen_what_it_answers_for(rng, gaussians):
    """Else every error is too low."""
    X, y = gaussians(rng, [60, 60])
    found = out_of_fold(X, y, int(y.max()) + 1, np.arange(120), 5, {"memory": Memory()}, None, 0)

    assert found.wrong("memory").mean() == 0.5


def test_posteriors_add_up_to_one(rng, gaussians):
    """For learners and neighbours alike."""
    X, y = gaussians(rng, [60, 60, 60])
    found = out_of_fold(X, y, int(y.max()) + 1, np.arange(180), 5, {"bayes": GaussianNB(), "memory": Memory()}, None, 0)

    for eta in found.eta.values():
        assert eta.shape == (180, 3)
        np.testing.assert_allclose(eta.sum(axis=1), 1)


@pytest.mark.parametrize("cv", [2, 5])
def test_folds_share_out_every_class(rng, cv):
    """A class missing from a fold's training rows cannot be learnt."""
    codes = rng.permutation(np.repeat([0, 1, 2], [100, 40, 20]))
    fold = make_folds(codes, np.arange(160), cv, 0)
    counts = np.array([np.bincount(codes[fold == f], minlength=3) for f in range(cv)])

    assert np.ptp(counts, axis=0).max() <= 1


def test_folds_keep_clusters_whole(rng):
    """Copies of a row belong to one fold."""
    cluster = np.repeat(np.arange(50), 4)
    fold = make_folds(np.repeat(rng.integers(0, 2, 50), 4), cluster, 5, 0)

    assert all(len(set(fold[cluster == c])) == 1 for c in range(50))
    assert set(fold) == set(range(5))


def test_a_class_of_one_row_is_no_trouble(rng, gaussians):
    """It is in one fold only, and unknown to that fold's learner."""
    X, y = gaussians(rng, [40, 40, 1])
    found = out_of_fold(X, y, int(y.max()) + 1, np.arange(81), 5, {"bayes": GaussianNB()}, None, 0)

    assert found.eta["bayes"].shape == (81, 3)
    assert found.eta["bayes"][80, 2] == 0
