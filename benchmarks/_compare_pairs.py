"""Pairs of representations of the same rows, each with a known Bayes error.

A view draws features given the labels, so that its Bayes error follows from a closed form. Views are then padded with
noise columns, rotated, or changed column by column by an increasing function: none of these changes the Bayes error.
Half of the pairs without a difference are one view seen twice.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm, ortho_group, t

SIZES = (500, 1000, 2000, 3000, 5000)
GAPS = (0, 1, 2, 3, 4, 5, 7, 10)  # percentage points of Bayes error
_JUDGE, _EXAMPLE = 71, 73  # streams of random numbers
_MOST, _MOST_CURVED = 300, 20  # columns; curved boundaries among many columns cannot be learned from few rows


class Pair(NamedTuple):
    """Two representations by name, their Bayes errors, the labels, and how they were made."""

    views: dict
    errors: dict
    y: np.ndarray
    made: str


# Views of two classes, except simplex: features given labels, with this Bayes error.


def ring(y, error, rng):
    """Rings around the same centre, in two to four columns."""
    direction = rng.normal(size=(len(y), int(rng.integers(2, 5))))
    radius = 6 - 2 * norm.ppf(error) * (y - 0.5) + rng.normal(size=len(y))
    return direction / np.linalg.norm(direction, axis=1, keepdims=True) * radius[:, None]


def wave(y, error, rng):
    """A wavy boundary through a square, with noise in the labels."""
    side = np.where(rng.random(len(y)) < error, 1 - y, y)
    points = rng.random((3 * len(y), 2))
    above = points[:, 1] > 0.5 + 0.3 * np.sin(2 * np.pi * points[:, 0])
    X = np.empty((len(y), 2))
    for k in (0, 1):
        X[side == k] = points[above == k][: np.count_nonzero(side == k)]
    return X


def student(y, error, rng):
    """Heavy-tailed noise around two means in one column, with up to five columns of such noise."""
    noise = rng.standard_t(3, (len(y), int(rng.integers(1, 7))))
    noise[:, 0] += -2 * t.ppf(error, 3) * (y - 0.5)
    return noise


def simplex(y, error, rng):
    """Gaussians of all classes, whose means are equally far from each other."""
    k = int(y.max()) + 1

    def loss(far):
        return 1 - quad(lambda z: norm.pdf(z - far) * norm.cdf(z) ** (k - 1), -8, far + 8)[0]

    return rng.normal(size=(len(y), k)) + brentq(lambda far: loss(far) - error, 0.01, 20) * np.eye(k)[y]


JUDGING = (ring, wave, student, simplex)
_CURVED = (ring, wave)


# What leaves the Bayes error as it is.


def dress(X, most, rng):
    """Pad with noise to a number of columns up to ``most``, and maybe rotate or bend the columns."""
    d = X.shape[1]
    more = int(np.exp(rng.uniform(np.log(d), np.log(most)))) - d if most > d else 0
    X = np.column_stack([X, X.std() * rng.normal(size=(len(X), more))])
    how = rng.choice(["plain", "rotated", "bent"])
    if how == "rotated" and X.shape[1] > 1:
        X = X @ ortho_group.rvs(X.shape[1], random_state=rng)
    if how == "bent":
        X = X * np.abs(X)
    return X, f"{X.shape[1]} columns, {how}"


def draw_pair(views, n, gap, rng):
    """Draw a pair whose Bayes errors differ by ``gap`` points; which of the two is better is random."""
    error = rng.uniform(0.03, 0.2)
    better, worse = (views[each] for each in rng.integers(len(views), size=2))
    y = rng.integers(int(rng.integers(2, 5)) if better is worse is simplex else 2, size=n)
    one = better(y, error, rng)
    same = gap == 0 and rng.random() < 0.5
    other = one if same else worse(y, error + gap / 100, rng)
    dressed = [
        dress(X, _MOST_CURVED if view in _CURVED else _MOST, rng)
        for view, X in ((better, one), (better if same else worse, other))
    ]
    names = ["A", "B"] if rng.random() < 0.5 else ["B", "A"]
    made = "; ".join(
        f"{name}: {view.__name__}, {how}"
        for name, view, (_, how) in zip(names, (better, better if same else worse), dressed, strict=True)
    )
    return Pair(
        dict(sorted(zip(names, (X for X, _ in dressed), strict=True))),
        dict(zip(names, (error, error + gap / 100), strict=True)),
        y,
        made,
    )


def example(seed):
    """Draw two columns with a Bayes error of 17 %, and sixty with one of 10 %: Gaussians, 1,500 rows."""
    rng = np.random.default_rng([_EXAMPLE, seed])
    y = rng.integers(2, size=1500)
    views, errors = {}, {"A": 0.17, "B": 0.10}
    for name, d in (("A", 2), ("B", 60)):
        views[name] = rng.normal(size=(len(y), d)) - 2 * norm.ppf(errors[name]) * (y - 0.5)[:, None] / np.sqrt(d)
    return Pair(views, errors, y, "A: shift, 2 columns; B: shift, 60 columns")


def judging(n, gap):
    return draw_pair(JUDGING, n, gap, np.random.default_rng([_JUDGE, n, gap]))


def all_pairs():
    """Return how to draw each pair, by name: forty to judge and eighteen of the example."""
    grid = list(product(SIZES, GAPS))
    return {
        **{f"judge/{n}/{gap}": (judging, n, gap) for n, gap in grid},
        **{f"example/{seed}": (example, seed) for seed in range(18)},
    }
