"""Alarms for models that have seen their test rows: silent for honest models, loud for those that remember."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from bayesfloor import BayesFloor
from bayesfloor.decide import gap
from bayesfloor.decide._gap import Predicted, _equal_rows


def draw(seed, n, *, rounded=False):
    """Two normal classes, a distance of 1.5 apart, and the predictions of the best classifier."""
    rng = np.random.default_rng([seed, 5])
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, 2)) + 1.5 * y[:, None] * [1, 0]
    return (np.round(X) if rounded else X), y, (X[:, 0] > 0.75).astype(int)


def fit(X, y, **options):
    """A quick floor."""
    return BayesFloor(scale=None, interval="fast", n_trees=1).fit(X, y, **options)


def equal_p_value(floor, y, predicted, groups=None):
    """P-value of the test of equal rows."""
    return _equal_rows(floor.fitted_, Predicted(y, predicted, np.arange(len(y)), groups))[-1]


@pytest.mark.nightly
def test_predictions_that_ignore_the_labels_seldom_look_as_if_they_had_seen_them():
    """Of 400 sets: predictions differ among equal rows, and the p-value is uniform or larger."""
    p_values = []
    for seed in range(400):
        X, y, _ = draw(seed, 120, rounded=True)
        predicted = np.random.default_rng([seed, 6]).integers(0, 2, len(y))
        p_values.append(equal_p_value(fit(X, y), y, predicted))

    for level in (0.01, 0.05, 0.2):
        assert np.sum(np.array(p_values) <= level) <= binom.ppf(0.999, 400, level)
    assert np.mean(np.array(p_values) <= 0.5) > 0.3  # not silent for want of a test


@pytest.mark.slow
def test_cross_validated_predictions_do_not_look_as_if_they_had_seen_the_labels():
    """A fold's model has seen the labels of equal rows in other folds, which speaks against the row's own."""
    alarms = 0
    for seed in range(60):
        X, y, _ = draw(seed, 150, rounded=True)
        alarms += equal_p_value(fit(X, y), y, cross_val_predict(KNeighborsClassifier(3), X, y)) <= 0.05

    assert alarms <= 3


def test_one_prediction_for_equal_rows_is_no_evidence():
    """Whatever a function of the features predicts."""
    X, y, _ = draw(0, 200, rounded=True)
    rows = _equal_rows(fit(X, y).fitted_, Predicted(y, (X[:, 0] > 0.75).astype(int), np.arange(200), None))

    assert rows == (0, 0, 0.0, 1.0)


@pytest.mark.parametrize("part", [0.1, 1.0])
def test_a_model_that_remembers_labels_is_found_out(part):
    """Even if it has seen only one row in ten."""
    X, y, _ = draw(1, 600, rounded=True)
    predicted = np.where(np.random.default_rng(1).random(600) < part, y, (X[:, 0] > 0.75).astype(int))
    floor = fit(X, y)
    found = gap(floor, y, predicted, rows=np.arange(600)).too_good

    assert found.seen
    assert found.n_right > found.expected


def test_rows_of_a_group_count_once():
    """Two patients with equal rows and different labels: right for both is luck, however many rows they have."""
    y = np.repeat([0, 1], 40)
    groups = np.repeat([0, 1], 40)
    X = np.zeros((80, 1))
    X[::2] = 1.0
    floor = fit(np.vstack([X, X]), np.r_[y, 1 - y], groups=np.r_[groups, groups + 2])
    whole = np.r_[y, 1 - y]

    assert equal_p_value(floor, whole, whole, np.r_[groups, groups + 2]) > 0.01
    assert equal_p_value(floor, whole, whole) == 0.001


def test_the_rows_may_be_some_of_the_floors_in_any_order():
    """Predictions are matched with rows by number."""
    X, y, _ = draw(2, 400, rounded=True)
    order = np.random.default_rng(0).permutation(400)[:300]
    found = gap(fit(X, y), y[order], y[order], rows=order).too_good

    assert found.n_right == found.n_equal > 100


@pytest.mark.parametrize("rows", [[0, 1], np.zeros(100, dtype=int), np.arange(100) / 2])
def test_row_numbers_that_are_none_are_refused(rows):
    """Too few, twice the same, or not whole."""
    X, y, best = draw(3, 100)

    with pytest.raises(ValueError, match=r"as rows, but expected 100 different row numbers"):
        gap(fit(X, y), y, best, rows=rows)


@pytest.mark.nightly
@pytest.mark.real_race
def test_the_best_classifier_is_seldom_called_too_good():
    """Of 60 sets; its error is the lowest there is, so the lower end of the range should not lie above it."""
    below = 0
    for seed in range(60):
        X, y, best = draw(seed, 250)
        floor = BayesFloor(scale=None).fit(X, y)
        found = gap(floor, y, best, answer=floor.answer("quick"), rows=np.arange(250))
        below += found.overall.word == "below the floor"

    assert below <= binom.ppf(0.99, 60, 0.05)


@pytest.mark.real_race
def test_a_model_that_was_trained_on_the_rows_is_below_the_floor():
    """The nearest neighbour of a row that it was trained on is the row itself."""
    X, y, _ = draw(4, 600)
    floor = BayesFloor(scale=None).fit(X, y)
    found = gap(floor, y, KNeighborsClassifier(1).fit(X, y).predict(X), answer=floor.answer("quick"))

    assert found.overall.word == "below the floor"
    assert found.too_good.floor_p_value < 1e-6
    assert not found.too_good.proved
    assert "That end is not proved" in found.text


def test_a_floor_that_is_proved_leaves_one_explanation():
    """Equal rows with different labels: no model is right about all of them."""
    X = np.repeat(np.arange(20), 30)[:, None]
    y = np.random.default_rng(0).integers(0, 2, 600)
    found = gap(fit(X, y), y, y, rows=np.arange(600))

    assert found.overall.word == "below the floor"
    assert found.too_good.proved
    assert "prove that end, so your model has seen the rows" in found.text
