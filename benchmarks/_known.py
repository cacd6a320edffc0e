"""Designs with a known Bayes error: rows from a known density, labels from a known posterior.

A law samples rows and returns the posterior at each; labels are drawn from the posterior. This gives the same joint
distribution as sampling the class first, and needs only one piece of code for all designs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import norm

TRUTH_SEED, TRUTH_DRAWS = 20_240_501, 400_000
CENTRES_SEED = 7


@dataclass(frozen=True, eq=False)
class Design:
    """A distribution of rows and labels whose posterior can be computed."""

    name: str
    d: int
    n_classes: int
    law: Callable  # (n, rng) -> X, posterior
    exact: float | None = None  # the Bayes error, if there is a closed form
    smooth: bool = True  # the posterior has no jump

    def draw(self, n, rng):
        """Sample rows and their labels, codes 0 to n_classes - 1."""
        X, eta = self.law(n, rng)
        return X, draw_labels(eta, rng)

    @property
    def bayes_error(self):
        """The smallest error that any classifier can have."""
        return self._simulated[0] if self.exact is None else self.exact

    @property
    def truth_error(self):
        """Standard error of ``bayes_error``; none of a closed form."""
        return self._simulated[1] if self.exact is None else 0.0

    @cached_property
    def _simulated(self):
        loss = 1 - self.law(TRUTH_DRAWS, np.random.default_rng(TRUTH_SEED))[1].max(axis=1)
        return float(loss.mean()), float(loss.std() / np.sqrt(TRUTH_DRAWS))


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


def gaussians(name, centres, weights, classes, exact=None, noise=0.0):
    """Make Gaussians around centres that belong to these classes; labels are reassigned uniformly at rate ``noise``."""
    d, k = centres.shape[1], max(classes) + 1

    def law(n, rng):
        X = centres[rng.choice(len(centres), size=n, p=weights)] + rng.normal(size=(n, d))
        scores = X @ centres.T - (centres**2).sum(axis=1) / 2 + np.log(weights)
        eta = by_class(softmax(scores, axis=1), classes, k)
        return X, noise / k + (1 - noise) * eta if noise else eta

    return Design(name, d, k, law, exact)


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


def unequal_gaussians(d, share, distance=2.0):
    """Make two Gaussians, the first with this proportion."""
    weights, exact = np.array([share, 1 - share]), two_error(distance, share)
    return gaussians(f"prior-{share:.2f}-d{d}", two_centres(d, distance), weights, [0, 1], exact)


def random_centres(k, d, spread):
    """Return normal centres, the same in every run; their distances do not grow with d."""
    return np.random.default_rng([CENTRES_SEED, k, d]).normal(size=(k, d)) * spread / np.sqrt(d)


def many_gaussians(k, d, spread):
    """Make equally frequent Gaussians around random centres, one per class."""
    return gaussians(f"many-k{k}-d{d}", random_centres(k, d, spread), np.full(k, 1 / k), np.arange(k))


def split_classes(parts, d, spread):
    """Make two classes of several Gaussians each."""
    centres = random_centres(2 * parts, d, spread)
    return gaussians(f"mixture-d{d}", centres, np.full(2 * parts, 0.5 / parts), np.arange(2 * parts) % 2)


def noisy_labels(k, d, rho, distance=14.0):
    """Make Gaussians far apart, with labels reassigned uniformly at rate rho."""
    centres, weights = distance * np.eye(k, d), np.full(k, 1 / k)
    return gaussians(f"noise-{rho:.1f}-k{k}", centres, weights, np.arange(k), rho * (1 - 1 / k), noise=rho)


# Curved boundaries.


def wave(d, slope=None, noise=0.1):
    """Make a wavy boundary at which the posterior jumps, or a smooth one with this slope; most features are noise."""

    def law(n, rng):
        X = rng.normal(size=(n, d))
        above = X[:, 1] - np.sin(3 * X[:, 0])
        return X, two_columns(noise + (1 - 2 * noise) * (above > 0) if slope is None else expit(slope * above))

    return Design(f"wave-d{d}", d, 2, law, noise, smooth=False) if slope is None else Design(f"swell-d{d}", d, 2, law)


def checkerboard(d, noise=0.1, cells=4):
    """Make squares of two colours in the first two features; the others are noise."""

    def law(n, rng):
        X = rng.uniform(0, cells, size=(n, d))
        return X, two_columns(noise + (1 - 2 * noise) * (np.floor(X[:, :2]).sum(axis=1) % 2))

    return Design(f"checker-d{d}", d, 2, law, noise, smooth=False)


# Rows that are their own posterior, and rows that repeat.


def dirichlet(k, alpha, *, dropped):
    """Use posteriors drawn from a Dirichlet as rows; the last column may be left out, since the others determine it."""

    def law(n, rng):
        X = rng.dirichlet(np.full(k, alpha), size=n)[:, : k - dropped]
        return X, np.column_stack([X[:, : k - 1], np.clip(1 - X[:, : k - 1].sum(axis=1), 0, 1)])

    return Design(f"dirichlet-k{k}", k - dropped, k, law)


def points(size, k, d):
    """Make a few points, each drawn many times, with posteriors from a Dirichlet."""
    rng = np.random.default_rng([CENTRES_SEED, size, k, d])
    places, weights, eta = rng.normal(size=(size, d)), rng.dirichlet(np.full(size, 2)), rng.dirichlet(np.ones(k), size)
    places = places[np.argsort(places[:, 0])]  # the committed results are of this order

    def law(n, rng):
        drawn = rng.choice(size, size=n, p=weights)
        return places[drawn], eta[drawn]

    return Design(f"points-d{d}", d, k, law, float(weights @ (1 - eta.max(axis=1))), smooth=False)


def grid(d, step, distance=2.0):
    """Make two Gaussians of which only the grid cell is observed."""
    centres = two_centres(d, distance)

    def law(n, rng):
        X = step * np.round((centres[rng.choice(2, size=n, p=np.full(2, 0.5))] + rng.normal(size=(n, d))) / step)
        first, second = (
            np.prod(norm.cdf(X + step / 2 - centre) - norm.cdf(X - step / 2 - centre), axis=1) for centre in centres
        )
        return X, two_columns(second / (first + second))

    return Design(f"grid-d{d}", d, 2, law)


DESIGNS = {
    design.name: design
    for design in (
        *(two_gaussians(d, 0.15) for d in (2, 5, 10, 20, 50)),
        *(two_gaussians(d, error) for error in (0.05, 0.30) for d in (2, 5, 10)),
        *(unequal_gaussians(d, share) for share in (0.80, 0.95) for d in (2, 5)),
        many_gaussians(3, 2, 2.0),
        many_gaussians(5, 5, 2.5),
        many_gaussians(10, 10, 3.0),
        many_gaussians(20, 5, 4.0),
        *(wave(d) for d in (2, 5, 10, 20)),
        *(wave(d, slope=3.0) for d in (2, 5)),
        *(checkerboard(d) for d in (2, 5)),
        split_classes(2, 2, 3.0),
        split_classes(3, 5, 3.0),
        dirichlet(3, 1.0, dropped=True),
        dirichlet(5, 0.5, dropped=False),
        dirichlet(10, 0.2, dropped=False),
        points(40, 3, 3),
        grid(2, 0.5),
        noisy_labels(2, 5, 0.4),
        noisy_labels(10, 10, 0.2),
    )
}
