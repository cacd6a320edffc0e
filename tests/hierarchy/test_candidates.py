"""Candidates: models that can be trained on whatever a node holds, and chances that held-out rows agree with."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from bayesfloor.answer._learners import Size
from bayesfloor.leaving.hierarchy_candidates import (
    DISCRIMINANT,
    Calibrated,
    Candidate,
    Encoded,
    _mapped,
    logistic,
    make_candidates,
    suitable_gamma,
)
from bayesfloor.leaving.hierarchy_linear_models import Linear, train_discriminant, train_logistic
from bayesfloor.leaving.hierarchy_pairwise_models import CoupledPairs
from bayesfloor.leaving.hierarchy_problem import Problem


def names(n=50, d=3, K=4):
    """The names of all candidates for a problem of this size, without their parameters."""
    return [one.name.partition(" (")[0] for one in make_candidates(Size(n, d, K), 1.0, 0)]


# Linear models


def test_the_discriminant_is_that_of_scikit_learn():
    """Up to the ridge, which keeps collinear columns apart."""
    X, y = load_iris(return_X_y=True)
    ours, theirs = train_discriminant(X, y, None), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    scores = theirs.decision_function(X)
    found = ours.decision_function(X)

    assert found - found[:, :1] == pytest.approx(scores - scores[:, :1], rel=0.02, abs=0.02)


def test_the_discriminant_knows_weights(rng, clouds):
    """A row of weight two is two rows."""
    X, y = clouds(rng, [30, 20, 10])
    weight = rng.integers(1, 4, 60)
    twice = np.repeat(np.arange(60), weight)
    one, two = train_discriminant(X, y, weight.astype(float)), train_discriminant(X[twice], y[twice], None)

    assert one.coef == pytest.approx(two.coef)
    assert one.intercept == pytest.approx(two.intercept)


def test_collinear_and_constant_columns_are_no_hindrance(rng, clouds):
    """Indicators of a category add up to one."""
    X, y = clouds(rng, [40, 40])
    more = np.column_stack([X, X[:, 0], np.ones(80)])

    assert np.isfinite(train_discriminant(more, y, None).coef).all()
    assert np.isfinite(train_discriminant(np.ones((4, 2)), np.arange(4) % 2, None).coef).all()


@pytest.mark.parametrize("K", [2, 3])
def test_logistic_scores_have_the_chances_of_scikit_learn(rng, clouds, K):
    """Two classes share one score, half each."""
    X, y = clouds(rng, [40] * K)
    model = Calibrated(np.arange(K), train_logistic(X, y, None, 2.0))
    expected = LogisticRegression(C=2.0).fit(X, y).predict_proba(X)

    assert model.predict_proba(X) == pytest.approx(expected, abs=2e-3)


# Calibration


def test_the_factor_suits_rows_that_were_not_trained_on(rng):
    """Scores ten times too large are made ten times smaller, and nothing else changes."""
    X = rng.standard_normal((3000, 1))
    codes = (rng.random(3000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    loud = Calibrated(np.arange(2), Linear(np.arange(2), np.array([[-10.0], [10.0]]), np.zeros(2)))
    warm = loud.calibrated(X[::2], codes[::2])

    assert warm.temperature == pytest.approx(0.1, rel=0.25)
    assert log_loss(codes[1::2], warm.predict_proba(X[1::2])) < log_loss(codes[1::2], loud.predict_proba(X[1::2]))
    assert np.array_equal(warm.predict(X), loud.predict(X))
    assert np.array_equal(loud.like(warm).predict_proba(X), warm.predict_proba(X))


def test_held_out_rows_of_unknown_classes_are_left_out(rng):
    """The one row of a class may be held out."""
    model = Calibrated(np.array([1, 4]), Linear(np.array([1, 4]), np.array([[-1.0], [1.0]]), np.zeros(2)))
    X = rng.standard_normal((40, 1))

    assert model.calibrated(X, np.full(40, 2)) is model
    assert model.calibrated(X, np.repeat([1, 2, 4, 4], 10)).temperature > 0


# Training


def test_one_class_needs_no_training(rng):
    """A fold may leave no other."""
    model = DISCRIMINANT.fit(Problem(rng.standard_normal((5, 2)), np.full(5, 3)), 0)

    assert model.predict(np.zeros((4, 2))).tolist() == [3] * 4
    assert model.predict_proba(np.zeros((4, 2))).tolist() == [[1.0]] * 4


def test_a_model_that_cannot_be_trained_is_replaced_and_warnings_are_quiet(rng):
    """A poor model only loses; warnings for each of hundreds would help nobody."""

    def refuse(*_):
        warnings.warn("not converged", stacklevel=2)
        raise ValueError("too few rows")

    problem = Problem(rng.standard_normal((20, 2)), np.repeat([0, 1], [5, 15]))
    model = Candidate("never", "never", refuse, lambda _: 1.0, lambda _: 1.0).fit(problem, 0)

    assert set(model.predict(problem.X)) == {1}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_every_candidate_learns(rng, clouds, weighted):
    """And answers with chances of the classes that it saw."""
    X, y = clouds(rng, [50, 40, 30], spread=0)
    X = X + 3 * np.eye(3)[y]
    X, codes, weight = X / X.std(), np.array([0, 2, 5])[y], rng.uniform(0.5, 2, 120) if weighted else None
    for candidate in [*make_candidates(Size(120, 3, 3), suitable_gamma(X), 0), _mapped(0.3, 0)]:
        model = candidate.fit(Problem(X, codes, weight), 0)
        chances = model.predict_proba(X)

        assert model.classes_.tolist() == [0, 2, 5]
        assert chances.sum(axis=1) == pytest.approx(np.ones(120), abs=1e-12)
        assert np.array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
        assert np.mean(model.predict(X) == codes) > 0.7


@pytest.mark.parametrize("n_classes", [3, 41])
def test_candidates_are_trained_on_as_many_rows_as_classes(rng, n_classes):
    """Of many small classes a fold leaves one row each."""
    X = rng.standard_normal((n_classes, 4))
    for candidate in make_candidates(Size(n_classes, 4, n_classes), suitable_gamma(X), 0):
        model = candidate.fit(Problem(X, np.arange(n_classes)), 0)

        assert model.predict_proba(X).shape == (n_classes, n_classes)


def test_codes_become_class_rates(rng):
    """The order of zip codes means nothing, to a linear model least of all."""
    code = rng.integers(0, 30, 900)
    codes = (code % 2 == 0).astype(int)
    X = np.column_stack([rng.standard_normal(900), code])
    model = logistic(1.0).fit(Problem(X[:600], codes[:600], code=np.array([False, True])), 0)

    assert isinstance(model, Encoded)
    assert np.mean(model.predict(X[600:]) == codes[600:]) > 0.95
    assert np.mean(logistic(1.0).fit(Problem(X[:600], codes[:600]), 0).predict(X[600:]) == codes[600:]) < 0.7
    warm = model.calibrated(X[600:], codes[600:])
    assert np.array_equal(model.like(warm).predict_proba(X), warm.predict_proba(X))


# Which, and what they cost


def test_the_registry_of_learners_is_shared():
    """Forest, network and boosting, beside linear models and kernels of several parameters."""
    assert names() == [
        "linear discriminant",
        *["logistic regression"] * 2,
        "random forest",
        "neural network",
        "gradient boosting",
        *["RBF SVM"] * 4,
    ]
    every = make_candidates(Size(50, 3, 4), 1.0, 0)
    assert len({one.name for one in every}) == len(every)  # what was tried is kept by name


@pytest.mark.parametrize(
    ("n", "K", "there", "not_there"),
    [
        (30_001, 4, "logistic regression on a Nystroem map", "RBF SVM"),
        (5000, 41, "neural network", "gradient boosting"),
    ],
)
def test_large_problems_have_other_candidates(n, K, there, not_there):
    """Kernels of all rows, and trees or machines for every class or pair, have their price."""
    assert there in names(n=n, K=K)
    assert not_there not in names(n=n, K=K)


def test_costs_grow_with_the_problem():
    """More rows, more columns, more classes: none makes a model cheaper."""
    for one in make_candidates(Size(1000, 10, 5), 1.0, 0):
        assert one.seconds(Size(1000, 10, 5)) <= one.seconds(Size(4000, 10, 5))
        assert one.seconds(Size(1000, 10, 5)) <= one.seconds(Size(1000, 40, 5))
        assert 0 < one.row_seconds(Size(1000, 10, 5)) < 1e-3
    assert DISCRIMINANT.row_seconds(Size(1000, 10, 5)) < min(
        one.row_seconds(Size(1000, 10, 5)) for one in make_candidates(Size(1000, 10, 5), 1.0, 0)[3:]
    )


def test_where_rows_lie_means_nothing_to_the_width_of_kernels(rng):
    """A node's rows need not lie around the middle of all; distances among them are the same there."""
    X = rng.standard_normal((60, 4))

    assert suitable_gamma(X + np.array([30, 0, 0, -30])) == pytest.approx(suitable_gamma(X))
    assert np.isfinite(suitable_gamma(np.ones((10, 2))))


def test_kernels_are_coupled_pairs(rng, clouds):
    """With their own calibration."""
    X, y = clouds(rng, [30, 30, 30])
    kernel = next(one for one in make_candidates(Size(90, 3, 3), 0.3, 0) if one.family == "RBF SVM")

    assert isinstance(kernel.fit(Problem(X, y), 0), CoupledPairs)
