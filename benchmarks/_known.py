"""Designs with a known Bayes error: rows from a known density, labels from a known posterior.

A design samples its rows first and then each label from the posterior at its row. This gives the same joint
distribution as sampling the class first, and needs only one piece of code for all designs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import norm

TRUTH_SEED = 20_240_501
TRUTH_DRAWS = 400_000
CENTRES_SEED = 7


@dataclass(frozen=True)
class Design:
    """A distribution of rows and labels whose posterior can be computed."""

    name: str
    d: int
    n_classes: int
    smooth: bool  # the posterior has no jump
    rows: Callable  # (n, rng) -> X
    posterior: Callable  # X -> (n, n_classes)
    exact: float | None = None  # the Bayes error, if there is a closed form

    def draw(self, n, rng):
        """Sample rows and their labels, codes 0 to n_classes - 1."""
        X = self.rows(n, rng)
        return X, draw_labels(self.posterior(X), rng)

    @property
    def bayes_error(self):
        """The smallest error that any classifier can have."""
        return _simulated(self.name)[0] if self.exact is None else self.exact

    @property
    def truth_error(self):
        """Standard error of ``bayes_error``; none of a closed form."""
        return _simulated(self.name)[1] if self.exact is None else 0.0


def draw_labels(eta, rng):
    """One label a row, from that row's posterior."""
    limits = np.cumsum(eta, axis=1)
    # The last limit may be rounded to just below 1.
    return np.minimum((rng.random(len(eta))[:, None] > limits).sum(axis=1), eta.shape[1] - 1)


@cache
def _simulated(name):
    """Return the mean of the smallest possible loss over many rows, and its standard error."""
    design = DESIGNS[name]
    X = design.rows(TRUTH_DRAWS, np.random.default_rng(TRUTH_SEED))
    loss = 1 - design.posterior(X).max(axis=1)
    return float(loss.mean()), float(loss.std() / np.sqrt(TRUTH_DRAWS))


# Gaussians of unit covariance, one or several per class.


def mixture_rows(centres, weights):
    """Return a sampler of rows around these centres."""

    def rows(n, rng):
        return centres[rng.choice(len(centres), size=n, p=weights)] + rng.normal(size=(n, centres.shape[1]))

    return rows


def mixture_posterior(centres, weights, classes):
    """Return the posterior of the classes that the centres belong to."""
    members = np.equal.outer(classes, np.arange(max(classes) + 1)).astype(float)

    def posterior(X):
        scores = X @ centres.T - (centres**2).sum(axis=1) / 2 + np.log(weights)
        return softmax(scores, axis=1) @ members

    return posterior


def mixture(name, centres, weights, classes, exact=None):
    """Make a design of Gaussians with unit covariance around the centres."""
    rows, posterior = mixture_rows(centres, weights), mixture_posterior(centres, weights, classes)
    return Design(name, centres.shape[1], max(classes) + 1, smooth=True, rows=rows, posterior=posterior, exact=exact)


def two_centres(d, distance):
    """Return centres this far apart along the diagonal: no feature is better than another."""
    direction = np.full(d, distance / 2 / np.sqrt(d))
    return np.array([-direction, direction])


def two_error(distance, share):
    """Return the Bayes error of two Gaussians this far apart, the first with this proportion."""
    shift = np.log(share / (1 - share)) / distance
    return float(share * norm.cdf(-distance / 2 - shift) + (1 - share) * norm.cdf(-distance / 2 + shift))


def two_gaussians(d, error):
    """Make two equally frequent Gaussians with this Bayes error."""
    centres = two_centres(d, -2 * norm.ppf(error))
    return mixture(f"gauss-{error:.2f}-d{d}", centres, np.full(2, 0.5), [0, 1], exact=error)


def unequal_gaussians(d, share, distance=2.0):
    """Make two Gaussians, the first with this proportion."""
    weights = np.array([share, 1 - share])
    name = f"prior-{share:.2f}-d{d}"
    return mixture(name, two_centres(d, distance), weights, [0, 1], exact=two_error(distance, share))


def random_centres(k, d, spread):
    """Return normal centres, the same in every run; their distances do not grow with d."""
    rng = np.random.default_rng([CENTRES_SEED, k, d])
    return rng.normal(size=(k, d)) * spread / np.sqrt(d)


def many_gaussians(k, d, spread):
    """Make equally frequent Gaussians around random centres, one per class."""
    return mixture(f"many-k{k}-d{d}", random_centres(k, d, spread), np.full(k, 1 / k), np.arange(k))


def split_classes(parts, d, spread):
    """Make two classes of several Gaussians each."""
    centres = random_centres(2 * parts, d, spread)
    return mixture(f"mixture-d{d}", centres, np.full(2 * parts, 0.5 / parts), np.arange(2 * parts) % 2)


def noisy_labels(k, d, rho, distance=14.0):
    """Make Gaussians far apart, with labels reassigned uniformly at rate rho."""
    centres = distance * np.eye(k, d)
    clean = mixture_posterior(centres, np.full(k, 1 / k), np.arange(k))
    return Design(
        f"noise-{rho:.1f}-k{k}",
        d,
        k,
        smooth=True,
        rows=mixture_rows(centres, np.full(k, 1 / k)),
        posterior=lambda X: rho / k + (1 - rho) * clean(X),
        exact=rho * (1 - 1 / k),
    )


# Curved boundaries.


def two_columns(second):
    """Return the posterior of two classes from that of the second."""
    return np.column_stack([1 - second, second])


def above_wave(X):
    """Return how far a row lies above the wave; all but two features are noise."""
    return X[:, 1] - np.sin(3 * X[:, 0])


def normal_rows(d):
    """Return a sampler of standard normal rows."""
    return lambda n, rng: rng.normal(size=(n, d))


def wave(d, noise=0.1):
    """Make a wavy boundary at which the posterior jumps."""
    return Design(
        f"wave-d{d}",
        d,
        2,
        smooth=False,
        rows=normal_rows(d),
        posterior=lambda X: two_columns(noise + (1 - 2 * noise) * (above_wave(X) > 0)),
        exact=noise,
    )


def swell(d, slope=3.0):
    """Make a wavy boundary with a smooth posterior."""
    rows, posterior = normal_rows(d), lambda X: two_columns(expit(slope * above_wave(X)))
    return Design(f"swell-d{d}", d, 2, smooth=True, rows=rows, posterior=posterior)


def checkerboard(d, noise=0.1, cells=4):
    """Make squares of two colours in the first two features; the others are noise."""

    def posterior(X):
        odd = np.floor(X[:, :2]).sum(axis=1) % 2
        return two_columns(noise + (1 - 2 * noise) * odd)

    def rows(n, rng):
        return rng.uniform(0, cells, size=(n, d))

    return Design(f"checker-d{d}", d, 2, smooth=False, rows=rows, posterior=posterior, exact=noise)


# Rows that are their own posterior, and rows that repeat.


def dirichlet(k, alpha, *, dropped):
    """Use posteriors drawn from a Dirichlet as rows; the last column may be left out, since the others determine it."""

    def rows(n, rng):
        return rng.dirichlet(np.full(k, alpha), size=n)[:, : k - dropped]

    def posterior(X):
        return np.column_stack([X[:, : k - 1], np.clip(1 - X[:, : k - 1].sum(axis=1), 0, 1)])

    return Design(f"dirichlet-k{k}", k - dropped, k, smooth=True, rows=rows, posterior=posterior)


def points(size, k, d):
    """Make a few points, each drawn many times, with posteriors from a Dirichlet."""
    rng = np.random.default_rng([CENTRES_SEED, size, k, d])
    places, weights, eta = rng.normal(size=(size, d)), rng.dirichlet(np.full(size, 2)), rng.dirichlet(np.ones(k), size)
    # The first feature identifies the points; sorting by it makes the search simple.
    places = places[np.argsort(places[:, 0])]
    return Design(
        f"points-d{d}",
        d,
        k,
        smooth=False,
        rows=lambda n, rng: places[rng.choice(size, size=n, p=weights)],
        posterior=lambda X: eta[np.searchsorted(places[:, 0], X[:, 0])],
        exact=float(weights @ (1 - eta.max(axis=1))),
    )


def grid(d, step, distance=2.0):
    """Make two Gaussians of which only the grid cell is observed."""
    centres = two_centres(d, distance)

    def mass(X, centre):
        return np.prod(norm.cdf(X + step / 2 - centre) - norm.cdf(X - step / 2 - centre), axis=1)

    def posterior(X):
        first, second = (mass(X, centre) for centre in centres)
        return two_columns(second / (first + second))

    rows = mixture_rows(centres, np.full(2, 0.5))
    return Design(
        f"grid-d{d}",
        d,
        2,
        smooth=True,
        rows=lambda n, rng: step * np.round(rows(n, rng) / step),
        posterior=posterior,
    )


def _all_designs():
    return [
        *(two_gaussians(d, 0.15) for d in (2, 5, 10, 20, 50)),
        *(two_gaussians(d, error) for error in (0.05, 0.30) for d in (2, 5, 10)),
        *(unequal_gaussians(d, share) for share in (0.80, 0.95) for d in (2, 5)),
        many_gaussians(3, 2, 2.0),
        many_gaussians(5, 5, 2.5),
        many_gaussians(10, 10, 3.0),
        many_gaussians(20, 5, 4.0),
        *(wave(d) for d in (2, 5, 10, 20)),
        *(swell(d) for d in (2, 5)),
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
    ]


DESIGNS = {design.name: design for design in _all_designs()}
