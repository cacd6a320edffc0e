"""Pairs of classes, coupled: libsvm's own margins, and probabilities that held-out rows agree with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from bayesfloor.leaving import hierarchy_pairwise_models as _pairwise_models
from bayesfloor.leaving.hierarchy_pairwise_models import CoupledPairs, train_kernel_pairs

SIZES = {2: [40, 25], 3: [30, 20, 25], 5: [25, 15, 20, 18, 12]}


@pytest.fixture(params=SIZES, ids=lambda K: f"{K} classes")
def some(request, rng, clouds):
    """Rows of several classes that overlap, and weights."""
    X, y = clouds(rng, SIZES[request.param], spread=1.0)
    return X, y, rng.uniform(0.2, 3.0, len(y))


def halves(rng, clouds, sizes=(200, 160, 120)):
    """Rows to train on and rows held out."""
    X, y = clouds(rng, list(sizes), spread=0.7)
    return X[::2], y[::2], X[1::2], y[1::2]


def trained(X, codes):
    """Coupled machines."""
    return train_kernel_pairs(X, codes, None, 10, 0.5)


def margins(X, codes, weight, gamma, rows):
    """The margins of some rows."""
    return train_kernel_pairs(X, codes, weight, 10, gamma).pairs.margins(rows)


# Margins


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_kernel_margins_are_those_of_libsvm(some, weighted):
    """Support vectors are shared by all pairs, so one matrix of kernels must answer for all as libsvm would."""
    X, y, weight = some
    weight = weight if weighted else None
    expected = SVC(C=10, gamma=0.3, decision_function_shape="ovo").fit(X, y, weight).decision_function(X + 0.1)
    expected = -expected[:, None] if expected.ndim == 1 else expected  # of two classes: positive for the second

    assert margins(X, y, weight, 0.3, X + 0.1) == pytest.approx(expected)


def test_kernel_margins_are_positive_for_the_first_class(rng):
    """Also of two classes, whose sign scikit-learn turns."""
    X = np.repeat(np.eye(3), 10, axis=0) + 0.01 * rng.standard_normal((30, 3))
    y = np.repeat([0, 1, 2], 10)

    three = margins(X, y, None, 1.0, np.eye(3))

    for number, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        assert three[i, number] > 0 > three[j, number]
    assert (margins(X[:20], y[:20], None, 1.0, np.eye(3)[:2]) > 0).tolist() == [[True], [False]]


def test_blocks_of_rows_answer_as_all_rows_would(some, monkeypatch):
    """Memory must not be felt in the answers."""
    X, y, _ = some
    pairs = train_kernel_pairs(X, y, None, 10, 0.3).pairs
    whole = pairs.margins(X)
    for at_once in (1, 3 * len(pairs.support), 7 * len(pairs.support) + 1):
        monkeypatch.setattr(_pairwise_models, "_AT_ONCE", at_once)
        assert pairs.margins(X) == pytest.approx(whole)


# Probabilities


class Given:
    """Pairs whose margins are the rows themselves."""

    def margins(self, X):
        """The rows."""
        return X


MARGINS = st.integers(2, 6).flatmap(
    lambda K: arrays(np.float64, st.tuples(st.integers(1, 5), st.just(K * (K - 1) // 2)), elements=st.floats(-1e3, 1e3))
)


@given(MARGINS, st.sampled_from([0.5, 2.0, 16.0]), st.sampled_from([0.01, 1.0, 7.0]))
def test_probabilities_add_up_to_one_and_the_largest_is_predicted(margins, sharpness, temperature):
    """For any margins, also far beyond what exp can hold."""
    K = round((1 + np.sqrt(1 + 8 * margins.shape[1])) / 2)
    model = CoupledPairs(np.arange(K) * 3, Given(), sharpness, temperature)
    chances = model.predict_proba(margins)
    found = chances[np.arange(len(margins)), model.predict(margins) // 3]

    assert chances.shape == (len(margins), K)
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(margins)))
    assert np.array_equal(found, chances.max(axis=1))


@given(MARGINS, st.sampled_from([0.5, 2.0]), st.sampled_from([0.3, 1.0]))
def test_scores_are_sums_of_what_pairs_give_each_class(margins, sharpness, temperature):
    """By the formula, class by class; margins small enough for it."""
    margins = margins / 100
    K = round((1 + np.sqrt(1 + 8 * margins.shape[1])) / 2)
    expected, number = np.zeros((len(margins), K)), 0
    for i in range(K):
        for j in range(i + 1, K):
            expected[:, i] += temperature * np.log(expit(sharpness * margins[:, number]))
            expected[:, j] += temperature * np.log(expit(-sharpness * margins[:, number]))
            number += 1

    assert CoupledPairs(np.arange(K), Given(), sharpness, temperature).scores(margins) == pytest.approx(expected)


@given(arrays(np.float64, (4, 1), elements=st.floats(-50, 50)))
def test_two_classes_have_the_logistic_function_of_their_margin(margins):
    """What Platt has, without a shift."""
    chances = CoupledPairs(np.arange(2), Given(), 2.0, 0.7).predict_proba(margins)

    assert chances[:, 0] == pytest.approx(expit(2.0 * 0.7 * margins[:, 0]), abs=1e-12)


def test_classes_keep_their_numbers(rng, clouds):
    """A node's classes are some of all, and answers name them."""
    X, y = clouds(rng, [30, 30, 30])
    plain, named = trained(X, y), trained(X, np.array([2, 5, 9])[y])

    assert named.classes_.tolist() == [2, 5, 9]
    assert np.array_equal(named.predict(X), np.array([2, 5, 9])[plain.predict(X)])
    assert np.mean(plain.predict(X) == y) > 0.6


# Calibration


def test_calibration_lowers_the_loss_on_other_rows(rng, clouds):
    """It has two numbers to fit and hundreds of rows: what it gains on these, others feel."""
    X, y, Z, z = halves(rng, clouds, (600, 480, 360))
    model = trained(X, y)
    warm = model.calibrated(Z[::2], z[::2])

    assert log_loss(z[::2], warm.predict_proba(Z[::2])) < log_loss(z[::2], model.predict_proba(Z[::2]))
    assert log_loss(z[1::2], warm.predict_proba(Z[1::2])) < log_loss(z[1::2], model.predict_proba(Z[1::2])) + 0.01
    assert np.array_equal(warm.predict(Z), warm.predict_proba(Z).argmax(axis=1))
    assert np.mean(warm.predict(Z) == z) > np.mean(model.predict(Z) == z) - 0.03


def test_calibration_changes_no_pair(rng, clouds):
    """Only the two numbers."""
    X, y, Z, z = halves(rng, clouds)
    model = trained(X, y)
    warm = model.calibrated(Z, z)

    assert warm.pairs is model.pairs
    assert (model.sharpness, model.temperature) == (2.0, 1.0)
    assert warm.sharpness in _pairwise_models._SHARPNESS
    assert warm.temperature > 0
    other = CoupledPairs(model.classes_, model.pairs).like(warm)
    assert np.array_equal(other.predict_proba(Z), warm.predict_proba(Z))


def test_overconfident_margins_are_cooled_and_timid_ones_warmed(rng):
    """Margins of coin tosses say nothing; margins that are always right may be believed."""
    margins = rng.standard_normal((400, 1))
    tosses, right = rng.integers(0, 2, 400), (margins[:, 0] < 0).astype(int)
    model = CoupledPairs(np.arange(2), Given())

    assert np.abs(model.calibrated(margins, tosses).predict_proba(margins) - 0.5).mean() < 0.1
    assert log_loss(right, model.calibrated(margins, right).predict_proba(margins)) < 0.05


def test_classes_that_are_not_among_the_rows_held_out_are_no_hindrance(rng, clouds):
    """A class of one row is in one fold only."""
    X, y, Z, z = halves(rng, clouds)
    warm = trained(X, y).calibrated(Z[z != 1], z[z != 1])

    assert warm.predict_proba(Z).shape == (len(z), 3)
    assert np.isfinite(warm.predict_proba(Z)).all()


def test_held_out_rows_of_classes_that_no_pair_knows_are_left_out(rng, clouds):
    """The other way round: the one row of a class is held out."""
    X, y, Z, z = halves(rng, clouds)
    model, known = trained(X[y != 1], y[y != 1]), z != 1
    two, clean = model.calibrated(Z, z), model.calibrated(Z[known], z[known])

    assert (two.sharpness, two.temperature) == (clean.sharpness, pytest.approx(clean.temperature))
    assert model.calibrated(Z[~known], z[~known]) is model


def test_many_rows_are_calibrated_on_some_of_them(rng, monkeypatch):
    """More would only take time; they are spread over all rows, whose order may mean something."""
    seen = []

    class Watched:
        def margins(self, X):
            seen.append(X[:, 0])
            return X

    monkeypatch.setattr(_pairwise_models, "_CALIBRATED_ON", 50)
    CoupledPairs(np.arange(2), Watched()).calibrated(np.arange(1000.0)[:, None], rng.integers(0, 2, 1000))

    assert len(seen[0]) == 50
    assert (seen[0][0], seen[0][-1]) == (0, 999)
    assert np.ptp(np.diff(seen[0])) <= 1
