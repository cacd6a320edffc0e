"""Label noise: laws that hold exactly in expectation, summed over all noisy labels."""

from itertools import product

import numpy as np
import pytest

from bayesfloor.formulas._bounds import cross_rate_without_noise

A, B = np.array([0, 0, 1, 3, 0]), np.array([1, 2, 3, 4, 4])  # a tree, and an edge of the next one
CODES = np.array([0, 0, 1, 2, 1])


def uniform(rate, n_classes):
    """With this chance a label is drawn anew from all."""
    return (1 - rate) * np.eye(n_classes) + rate / n_classes


def count_edges(codes, n_classes):
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


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_known_noise_is_taken_out_of_the_cross_rate(rate):
    """(1 - rho)^2 of the way is left, for any tree and any labels."""
    clean, noisy = count_edges(CODES, 3), expected_edges(CODES, uniform(rate, 3))
    G, G_noisy = (1 - np.trace(matrix) / len(A) for matrix in (clean, noisy))

    assert cross_rate_without_noise(G_noisy, rate, 3) == pytest.approx(G)
    assert 2 / 3 - G_noisy == pytest.approx((1 - rate) ** 2 * (2 / 3 - G))


@pytest.mark.parametrize("rate", [1.0, 1.5, [0.1, 1.0]])
def test_noise_that_leaves_nothing_cannot_be_taken_out(rate):
    """Dividing by zero would give any answer."""
    with pytest.raises(ValueError, match=r"Got a noise rate of .*, but expected less than 1"):
        cross_rate_without_noise(0.3, rate, 3)
