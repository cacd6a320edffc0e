"""Nearest neighbours that choose their number."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from bayesfloor.answer._learners import Neighbours


def test_as_scikit_learn_with_the_chosen_number():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.choice(["a", "b", "c"], size=300)

    ours = Neighbours().fit(X[:200], y[:200])
    theirs = KNeighborsClassifier(ours.k_).fit(X[:200], y[:200])

    votes = theirs.predict_proba(X[200:]) * ours.k_
    expected = (votes + 0.5 / 3) / (ours.k_ + 0.5)
    np.testing.assert_allclose(ours.predict_proba(X[200:]), expected)


def test_pure_noise_asks_many_and_separate_classes_few():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), np.repeat([0, 1], [240, 160])

    assert Neighbours().fit(X, rng.permutation(y)).k_ > 10
    assert Neighbours().fit(X + 100 * y[:, None], y).k_ == 1


def test_a_row_does_not_vote_for_itself_many_may_be_equal_and_two_are_enough():
    """By hand, on a line."""
    X, y = np.zeros((50, 1)), np.repeat([0, 1], [30, 20])

    assert (Neighbours().fit(X, y).predict(X) == 0).mean() in (0.0, 1.0)

    assert Neighbours().fit(np.array([[0.0], [1.0]]), np.array([0, 1])).predict([[0.2], [0.9]]).tolist() == [0, 1]

    X = np.array([0.0, 0.0, 1.0, 3.0, 3.0, 6.0])[:, None]
    model = Neighbours().fit(X, np.array([0, 1, 0, 1, 0, 1]))

    near = model._others(X, np.arange(6), 2)

    assert near[:, 0].tolist() == [1, 0, near[2, 0], 4, 3, near[5, 0]]
    assert not (near == np.arange(6)[:, None]).any()
