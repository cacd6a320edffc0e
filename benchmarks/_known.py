"""Designs with a known Bayes error: rows from a known density, labels from a known posterior.

A law samples rows and returns the posterior at each; labels are drawn from the posterior. This gives the same joint
distribution as sampling the class first, and needs only one piece of code for all designs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

CENTRES_SEED = 7


@dataclass(frozen=True, eq=False)
class Design:
    """A distribution of rows and labels whose posterior can be computed."""

    name: str
    d: int
    n_classes: int
    law: Callable  # (n, rng) -> X, posterior
    bayes_error: float  # the smallest error that any classifier can have

    def draw(self, n, rng):
        """Sample rows and their labels, codes 0 to n_classes - 1."""
        X, eta = self.law(n, rng)
        return X, draw_labels(eta, rng)


def draw_labels(eta, rng):
    """Draw one label per row, from that row's posterior."""
    limits = np.cumsum(eta, axis=1)
    # The last limit may be rounded to just below 1.
    return np.minimum((rng.random(len(eta))[:, None] > limits).sum(axis=1), eta.shape[1] - 1)


def two_columns(second):
    """Return the posterior of two classes from that of the second."""
    return np.column_stack([1 - second, second])


def by_class(eta, classes, n_classes):
    """Sum the posteriors of a class's components."""
    return eta @ np.equal.outer(classes, np.arange(n_classes)).astype(float)


# Gaussians of unit covariance, one or several per class.


def gaussians(name, centres, weights, classes, error, noise=0.0):
    """Make Gaussians around centres that belong to these classes; labels are reassigned uniformly at rate ``noise``."""
    d, k = centres.shape[1], max(classes) + 1

    def law(n, rng):
        X = centres[rng.choice(len(centres), size=n, p=weights)] + rng.normal(size=(n, d))
        scores = X @ centres.T - (centres**2).sum(axis=1) / 2 + np.log(weights)
        eta = by_class(softmax(scores, axis=1), classes, k)
        return X, noise / k + (1 - noise) * eta if noise else eta

    return Design(name, d, k, law, error)


def two_centres(d, distance):
    """Return centres this far apart along the diagonal: no feature is better than another."""
    direction = np.full(d, distance / 2 / np.sqrt(d))
    return np.array([-direction, direction])


def two_error(distance, share):
    """Return the Bayes error of two Gaussians this far apart, the first with this proportion."""
    if distance == 0:
        return min(share, 1 - share)
    shift = np.log(share / (1 - share)) / distance
    return float(share * norm.cdf(-distance / 2 - shift) + (1 - share) * norm.cdf(-distance / 2 + shift))


def gap_of(error):
    """Return the distance of two equally frequent Gaussians with this Bayes error."""
    return -2 * norm.ppf(error)


def two_gaussians(d, error):
    """Make two equally frequent Gaussians with this Bayes error."""
    return gaussians(f"gauss-{error:.2f}-d{d}", two_centres(d, gap_of(error)), np.full(2, 0.5), [0, 1], error)


def noisy_labels(k, d, rho, distance=14.0):
    """Make Gaussians far apart, with labels reassigned uniformly at rate rho."""
    centres, weights = distance * np.eye(k, d), np.full(k, 1 / k)
    return gaussians(f"noise-{rho:.1f}-k{k}", centres, weights, np.arange(k), rho * (1 - 1 / k), noise=rho)


def points(size, k, d):
    """Make a few points, each drawn many times, with posteriors from a Dirichlet."""
    rng = np.random.default_rng([CENTRES_SEED, size, k, d])
    places, weights, eta = rng.normal(size=(size, d)), rng.dirichlet(np.full(size, 2)), rng.dirichlet(np.ones(k), size)
    places = places[np.argsort(places[:, 0])]  # the committed results are of this order

    def law(n, rng):
        drawn = rng.choice(size, size=n, p=weights)
        return places[drawn], eta[drawn]

    return Design(f"points-d{d}", d, k, law, float(weights @ (1 - eta.max(axis=1))))
