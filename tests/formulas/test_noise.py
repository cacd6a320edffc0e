"""Label noise: laws that hold exactly in expectation, summed over all noisy labels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.formulas._multiclass import soft_confusion
from bayesfloor.formulas._noise import (
    accuracy_under_noise,
    confusion_under_noise,
    confusion_without_noise,
    cross_rate_under_noise,
    cross_rate_without_noise,
    error_under_flips,
    error_under_noise,
)

A, B = np.array([0, 0, 1, 3, 0]), np.array([1, 2, 3, 4, 4])  # a tree, and an edge of the next one
CODES = np.array([0, 0, 1, 2, 1])
shares = st.floats(0, 1)
some_noise = st.floats(0, 0.9)


def uniform(rate, n_classes):
    """With this chance a label is drawn anew from all."""
    return (1 - rate) * np.eye(n_classes) + rate / n_classes


def count_edges(codes, n_classes):
    """Edges between and inside classes."""
    matrix = np.zeros((n_classes, n_classes))
    for i, j in zip(codes[A], codes[B], strict=True):
        matrix[i, j] += 1
        matrix[j, i] += i != j
    return matrix


def expected_edges(codes, transition):
    """Edges by class, summed over all noisy labels, each as likely as it is."""
    n_classes = len(transition)
    drawn = [np.array(labels) for labels in product(range(n_classes), repeat=len(codes))]
    return sum(transition[codes, labels].prod() * count_edges(labels, n_classes) for labels in drawn)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_uniform_noise_pulls_the_cross_rate_to_chance(rate):
    """(1 - rho)^2 of the way is left, for any tree and any labels."""
    clean, noisy = count_edges(CODES, 3), expected_edges(CODES, uniform(rate, 3))
    G, G_noisy = (1 - np.trace(matrix) / len(A) for matrix in (clean, noisy))

    assert cross_rate_under_noise(G, rate, 3) == pytest.approx(G_noisy)
    assert 2 / 3 - G_noisy == pytest.approx((1 - rate) ** 2 * (2 / 3 - G))


def test_noise_acts_on_both_sides_of_the_soft_confusion(global_random_seed):
    """S' = T' S T for any noise matrix, exact in expectation for any tree."""
    transition = np.random.default_rng(global_random_seed).dirichlet(np.ones(3), 3)
    clean, noisy = (soft_confusion(edges) for edges in (count_edges(CODES, 3), expected_edges(CODES, transition)))

    assert confusion_under_noise(clean, transition) == pytest.approx(noisy)
    assert noisy.sum() == pytest.approx(1)


def test_known_noise_is_taken_out_of_the_soft_confusion(global_random_seed):
    """The way back, with a matrix that is not symmetric."""
    rng = np.random.default_rng(global_random_seed)
    transition = 0.7 * np.eye(4) + 0.3 * rng.dirichlet(np.ones(4), 4)
    confusion = rng.random((4, 4))
    noisy = confusion_under_noise(confusion, transition)

    assert confusion_without_noise(noisy, transition) == pytest.approx(confusion)


def test_the_law_of_the_cross_rate_is_that_of_the_soft_confusion(global_random_seed):
    """Two formulas for one noise."""
    products = np.random.default_rng(global_random_seed).dirichlet(np.ones(16)).reshape(4, 4)
    confusion = (products + products.T) / 2
    noisy = confusion_under_noise(confusion, uniform(0.3, 4))

    assert 1 - np.trace(noisy) == pytest.approx(cross_rate_under_noise(1 - np.trace(confusion), 0.3, 4))


@given(shares, some_noise, st.integers(2, 100))
def test_known_noise_is_taken_out_of_the_cross_rate(cross_rate, rate, n_classes):
    """The inverse function."""
    noisy = cross_rate_under_noise(cross_rate, rate, n_classes)

    assert cross_rate_without_noise(noisy, rate, n_classes) == pytest.approx(cross_rate, abs=1e-9)


@pytest.mark.parametrize("rate", [1.0, 1.5, [0.1, 1.0]])
def test_noise_that_leaves_nothing_cannot_be_taken_out(rate):
    """Dividing by zero would give any answer."""
    with pytest.raises(ValueError, match=r"Got a noise rate of .*, but expected less than 1"):
        cross_rate_without_noise(0.3, rate, 3)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_uniform_noise_raises_the_bayes_error_by_its_law(n_classes, global_random_seed):
    """From the posterior itself: noise mixes it with the uniform one and keeps its order."""
    eta = np.random.default_rng(global_random_seed).dirichlet(np.ones(n_classes), 500)
    rates = np.linspace(0, 1, 6)
    noisy = [(1 - (eta @ uniform(rate, n_classes)).max(axis=1)).mean() for rate in rates]

    assert error_under_noise(noisy[0], rates, n_classes) == pytest.approx(noisy)


def test_flips_raise_the_bayes_error_by_their_law(global_random_seed):
    """Two classes, flips up to one half."""
    eta = np.random.default_rng(global_random_seed).random(500)
    rates = np.linspace(0, 0.5, 6)
    flipped = [np.minimum((1 - eps) * eta + eps * (1 - eta), (1 - eps) * (1 - eta) + eps * eta).mean() for eps in rates]

    assert error_under_flips(flipped[0], rates) == pytest.approx(flipped)


@given(shares, st.floats(0, 0.5))
def test_flips_are_uniform_noise_of_twice_the_rate(error, rate):
    """Half of the labels drawn anew come out as they were."""
    assert error_under_flips(error, rate) == pytest.approx(error_under_noise(error, 2 * rate, 2))


@given(shares, shares, st.integers(2, 100))
def test_accuracy_falls_as_the_error_rises(accuracy, rate, n_classes):
    """One law for any classifier, the Bayes rule among them."""
    noisy = error_under_noise(1 - accuracy, rate, n_classes)

    assert accuracy_under_noise(accuracy, rate, n_classes) == pytest.approx(1 - noisy)


def test_accuracy_against_noisy_labels_is_the_expected_one():
    """Counted: answers, labels, and the chance that noise leaves or makes them equal."""
    answers, transition = np.array([0, 1, 1, 2, 2]), uniform(0.3, 3)
    expected = transition[CODES, answers].mean()

    assert accuracy_under_noise((answers == CODES).mean(), 0.3, 3) == pytest.approx(expected)
