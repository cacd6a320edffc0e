"""Realistic problems with a known Bayes error: embeddings, tables, words, many classes, noise and junk.

A law generates rows together with the posterior at each; labels are drawn from the posterior, and the Bayes error is
the mean of 1 - max posterior over many rows. ``@family`` turns a function that makes laws into one that makes problems:
``table(1500, 3, flips=0.1)`` is a problem of 1,500 rows with seed 3. Laws are made when they are first needed, since
many search for the overlap that gives the requested error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from benchmarks._data import read_rows
from benchmarks._known import by_class, draw_labels, two_columns

TRUTH_SEED, TRUTH_ROWS, PART = 41, 40_000, 10_000  # the standard error of a truth is below .00125
SEARCH_ROWS, SEARCH_STEPS = 2000, 10


class Truth(NamedTuple):
    """The ends between which the Bayes error lies, mostly equal, and the error of predicting the largest class."""

    low: float
    high: float
    guessing: float


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and labels from a known law."""

    name: str
    family: str
    n_rows: int
    make: Callable  # () -> law: (n, rng) -> X, posterior

    @cached_property
    def law(self):
        """Return the law, which may have to be searched for."""
        return self.make()

    def draw(self, seed):
        """Sample rows and labels."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        X, eta = self.law(self.n_rows, rng)
        return X, draw_labels(eta, rng)

    @cached_property
    def truth(self):
        """Return what is known about the problem."""
        rng, law = np.random.default_rng([TRUTH_SEED, *self.name.encode()]), getattr(self.law, "latent", self.law)
        parts = [law(PART, rng)[1] for _ in range(TRUTH_ROWS // PART)]
        floor = float(np.mean([_floor(eta) for eta in parts]))
        return Truth(floor, floor, 1 - float(np.mean([eta.mean(axis=0) for eta in parts], axis=0).max()))


def family(name):
    """Decorate a function that makes laws, so that it makes problems."""

    def decorate(make):
        @wraps(make)
        def problem(n, seed, **knobs):
            told = "".join(f"-{key}{value:g}" for key, value in knobs.items())
            return Problem(f"{make.__name__}{told}-n{n}-{seed}", name, n, lambda: make(seed, **knobs))

        return problem

    return decorate


def _floor(eta):
    return float(1 - eta.max(axis=1).mean())


def with_error(make, error, low, high):
    """Find the law with about this Bayes error; a larger knob in ``make(knob)`` gives more overlap."""
    for _ in range(SEARCH_STEPS):
        middle = np.sqrt(low * high)
        found = _floor(make(middle)(SEARCH_ROWS, np.random.default_rng(TRUTH_SEED))[1])
        low, high = (middle, high) if found < error else (low, middle)
    return make(np.sqrt(low * high))


def nearness(X, centres, spread, log_weight=0.0):
    """Return the posterior of the centres of isotropic Gaussians."""
    square = (X**2).sum(axis=1)[:, None] - 2 * X @ centres.T + (centres**2).sum(axis=1)
    return softmax(log_weight - square / (2 * spread**2), axis=1)


def flipped(flips, second):
    """Return the posterior of two classes when a rule decides and labels are flipped at this rate."""
    return two_columns(np.where(second, 1 - flips, flips))


# Embeddings: few latent coordinates, many columns.


class Lift:
    """Return a smooth one-to-one map of m coordinates into d columns: the coordinates and 48 sines, mixed."""

    def __init__(self, m, d, rng):
        self.wave, self.phase = rng.normal(size=(m, 48)) / np.sqrt(m), rng.uniform(0, 2 * np.pi, 48)
        self.mix = rng.normal(size=(m + 48, d)) / np.sqrt(m)

    def __call__(self, z):
        return np.hstack([z, 1.5 * np.sin(1.5 * (z @ self.wave) + self.phase)]) @ self.mix


def lifted(latent, lift, d, noise=0.1):
    """Embed a latent law in d columns with noise, which hides less than .0005 of the labels if d is ten times m."""
    scale = noise * lift(latent(2000, np.random.default_rng(TRUTH_SEED))[0]).std()

    def law(n, rng):
        z, eta = latent(n, rng)
        return lift(z) + scale * rng.normal(size=(n, d)), eta

    law.latent = latent  # since the truth needs no columns
    return law


def blobs(K, m, rng, per_class=2):
    """Make Gaussian blobs; the knob is their spread."""
    centres, classes = rng.normal(size=(per_class * K, m)), np.repeat(np.arange(K), per_class)

    def make(spread):
        def law(n, rng):
            z = centres[rng.integers(len(centres), size=n)] + spread * rng.normal(size=(n, m))
            return z, by_class(nearness(z, centres, spread), classes, K)

        return law

    return make


def waves(K, m, rng, frequency=2.2):
    """Draw labels from a smooth random field; the knob is its flatness."""
    slope = rng.normal(size=(m, 60)) * 0.6 * frequency / np.sqrt(m)
    phase, weight = rng.uniform(0, 2 * np.pi, 60), rng.normal(size=(60, K)) / np.sqrt(30)

    def make(bluntness):
        def law(n, rng):
            z = rng.normal(size=(n, m))
            return z, softmax(np.cos(z @ slope + phase) @ weight / bluntness, axis=1)

        return law

    return make


@family("embedding, blobs")
def embedded_blobs(seed, K, m, d, error):
    """Make two blobs per class in m latent coordinates, embedded in d columns."""
    rng = np.random.default_rng([1, K, m, d, seed])
    return lifted(with_error(blobs(K, m, rng), error, 1e-3, 10), Lift(m, d, rng), d)


@family("embedding, waves")
def embedded_waves(seed, K, m, d, error):
    """Make a smooth field of m latent coordinates, embedded in d columns."""
    rng = np.random.default_rng([12, K, m, d, seed])
    return lifted(with_error(waves(K, m, rng), error, 1e-3, 10), Lift(m, d, rng), d)


# Tables.


@family("table")
def table(seed, flips, slope=4.0):
    """Make sixteen numbers and three categories, with products, steps, a sine and category effects; two classes."""
    rng = np.random.default_rng([2, seed])
    one, two = rng.normal(size=4), rng.normal(size=(4, 4)) * 0.7

    def law(n, rng):
        x = rng.normal(size=(n, 16))
        x[:, 5], x[:, 12], x[:, 7] = np.exp(0.7 * x[:, 5]), np.exp(x[:, 12]), rng.uniform(-1.7, 1.7, n)
        a, b, c = rng.integers(4, size=n), rng.integers(4, size=n), rng.integers(5, size=n)
        score = 0.9 * x[:, 0] * x[:, 1] + 0.8 * np.sin(2 * x[:, 2]) + 0.9 * (x[:, 3] > 0) * x[:, 4]
        score += 0.5 * np.log(x[:, 5]) + 0.7 * x[:, 7] + one[a] * x[:, 6] + two[a, b]
        p = flips + (1 - 2 * flips) * expit(slope * score)
        return np.hstack([x, np.eye(4)[a], np.eye(4)[b], np.eye(5)[c]]), two_columns(p)

    return law


@family("rules")
def rules(seed, d, n_rules, flips):
    """Make a vote of rules such as "exactly one of two columns is above its cut"; labels are flipped."""
    rng = np.random.default_rng([3, d, n_rules, seed])
    pairs = np.stack([rng.choice(8, 2, replace=False) for _ in range(n_rules)])
    cuts, weight = rng.normal(size=(n_rules, 2)) * 0.5, rng.uniform(0.5, 1.5, n_rules)
    alone, at = rng.normal(size=8) * 0.5, rng.normal(size=8) * 0.5

    def vote(x):
        either = np.sign(x[:, pairs[:, 0]] - cuts[:, 0]) * np.sign(x[:, pairs[:, 1]] - cuts[:, 1])
        return either @ weight + np.sign(x[:, :8] - at) @ alone

    middle = np.median(vote(rng.normal(size=(20_000, d))))

    def law(n, rng):
        x = rng.normal(size=(n, d))
        return x, flipped(flips, vote(x) > middle)

    return law


# Mixtures.


def _root(rng, p):
    return rng.uniform(-1, 1, size=(p, p)) + 0.5 * np.eye(p)


@family("mixture with junk")
def junk_mixture(seed, K, error, p=6, redundant=4, junk=10):
    """Make two Gaussians per class with their own covariances, redundant columns and junk."""
    rng = np.random.default_rng([4, K, seed])
    corners = np.array(np.meshgrid(*[[-1, 1]] * p)).reshape(p, -1).T
    centres = corners[rng.choice(len(corners), 2 * K, replace=False)].astype(float)
    classes, roots = np.arange(2 * K) % K, [_root(rng, p) for _ in range(2 * K)]
    covariances = [root.T @ root + 0.05 * np.eye(p) for root in roots]
    factors, inverses = [np.linalg.cholesky(c) for c in covariances], [np.linalg.inv(c) for c in covariances]
    mix, order = rng.normal(size=(p, redundant)), rng.permutation(p + redundant + junk)

    def make(overlap):
        def law(n, rng):
            part, x = rng.integers(2 * K, size=n), rng.normal(size=(n, p))
            for k in range(2 * K):
                x[part == k] = centres[k] / overlap + x[part == k] @ factors[k].T
            logs = [
                0.5 * np.linalg.slogdet(inverse)[1] - 0.5 * squares(x - centre / overlap, inverse)
                for centre, inverse in zip(centres, inverses, strict=True)
            ]
            eta = by_class(softmax(np.stack(logs, axis=1), axis=1), classes, K)
            return np.hstack([x, x @ mix, rng.normal(size=(n, junk))])[:, order], eta

        return law

    return with_error(make, error, 0.05, 20)


def squares(gap, inverse):
    """Return the squared lengths of rows with respect to an inverse covariance."""
    return ((gap @ inverse) * gap).sum(axis=1)


@family("heavy tails")
def heavy_tails(seed, K, degrees, error, p=6, junk=6):
    """Make two multivariate t distributions per class, and equally heavy-tailed junk."""
    rng = np.random.default_rng([5, K, seed])
    centres, classes = rng.normal(size=(2 * K, p)), np.arange(2 * K) % K
    shapes = rng.normal(size=(2 * K, p, p))

    def make(overlap):
        # Shapes are shared like places; otherwise they alone would separate the classes.
        roots = np.eye(p) + 0.4 * shapes / (0.5 + overlap)
        inverses = np.linalg.inv(roots @ roots.transpose(0, 2, 1))

        def law(n, rng):
            part = rng.integers(2 * K, size=n)
            x = rng.normal(size=(n, p)) / np.sqrt(rng.chisquare(degrees, size=(n, 1)) / degrees)
            for k in range(2 * K):
                x[part == k] = centres[k] / overlap + x[part == k] @ roots[k].T
            logs = []
            for centre, inverse in zip(centres, inverses, strict=True):
                far = np.log1p(squares(x - centre / overlap, inverse) / degrees)
                logs.append(0.5 * np.linalg.slogdet(inverse)[1] - 0.5 * (degrees + p) * far)
            eta = by_class(softmax(np.stack(logs, axis=1), axis=1), classes, K)
            return np.hstack([x, rng.standard_t(degrees, size=(n, junk))]), eta

        return law

    return with_error(make, error, 0.02, 20)


@family("imbalance")
def imbalanced(seed, rare, share, d=10, junk=5):
    """Make a rare class in two blobs among three of the other; the Bayes error is ``share * rare``."""
    rng = np.random.default_rng([6, seed])
    centres, classes = rng.normal(size=(5, d)), np.array([0, 0, 0, 1, 1])
    weight = np.array([(1 - rare) / 3] * 3 + [rare / 2] * 2)

    def make(spread):
        def law(n, rng):
            x = centres[rng.choice(5, n, p=weight)] + spread * rng.normal(size=(n, d))
            eta = by_class(nearness(x, centres, spread, np.log(weight)), classes, 2)
            return np.hstack([x, rng.normal(size=(n, junk))]), eta

        return law

    return with_error(make, share * rare, 0.05, 4)


@family("many classes")
def many_classes(seed, K, error, d=20):
    """Make one Gaussian per class."""
    return with_error(blobs(K, d, np.random.default_rng([7, K, seed]), per_class=1), error, 0.05, 4)


@family("easy")
def easy(seed, error, K=3, d=10):
    """Make six Gaussians far apart."""
    return with_error(blobs(K, d, np.random.default_rng([8, seed])), error, 0.02, 4)


@family("nearly useless")
def useless(seed, K, strength, d=15):
    """Make almost no signal."""
    rng = np.random.default_rng([9, K, seed])
    inner, outer = rng.normal(size=(d, 20)) / np.sqrt(d), rng.normal(size=(20, K)) / np.sqrt(20)

    def law(n, rng):
        x = rng.normal(size=(n, d))
        return x, softmax(strength * np.tanh(2 * x @ inner) @ outer, axis=1)

    return law


# Structure that learners cannot see, or see only in part.


def in_odd_cell(x, side):
    """Whether rows of a unit cube, with this many cells per side, lie in a cell of the second colour."""
    return np.floor(side * x).sum(axis=1) % 2 == 1


@family("hidden")
def hidden_cells(seed, d, side, junk, flips):  # noqa: ARG001 - the law is the same for all seeds
    """Make the parity of d signs (two cells per side) or a checkerboard (more cells), with junk and flipped labels."""

    def law(n, rng):
        x = rng.random((n, d + junk))
        return x, flipped(flips, in_odd_cell(x[:, :d], side))

    return law


@family("hidden")
def hidden_patterns(seed, bits, flips, junk=3):
    """Make a random label for each pattern of bits; there are more patterns than rows."""
    lot = np.random.default_rng([13, bits, seed]).permutation(2**bits) % 2 == 1

    def law(n, rng):
        x = rng.integers(2, size=(n, bits))
        return np.hstack([x, rng.normal(size=(n, junk))]), flipped(flips, lot[x @ 2 ** np.arange(bits)])

    return law


@family("half hidden")
def half_hidden(seed, d, side, weight, flips, plain=5):
    """Make cells decide in a fraction ``weight`` of rows and a linear rule in the others; a column says which."""
    slope = np.random.default_rng([10, d, seed]).normal(size=plain)

    def law(n, rng):
        cells, x, hidden = rng.random((n, d)), rng.normal(size=(n, plain)), rng.random(n) < weight
        second = np.where(hidden, in_odd_cell(cells, side), x @ slope > 0)
        return np.column_stack([cells, x, hidden]), flipped(flips, second)

    return law


@family("half hidden")
def half_added(seed, d, side, hidden, strength=2.0, plain=5):
    """Make a linear score that cells shift up or down by ``hidden``."""
    slope = np.random.default_rng([14, d, seed]).normal(size=plain)
    slope *= strength / np.linalg.norm(slope)

    def law(n, rng):
        cells, x = rng.random((n, d)), rng.normal(size=(n, plain))
        score = x @ slope + hidden * np.where(in_odd_cell(cells, side), 1, -1)
        return np.column_stack([cells, x]), two_columns(expit(score))

    return law


# Words.


@family("words")
def words(seed, K, vocabulary, error, length=60, topics=3):
    """Make word counts: topics depend on the class, classes share a language; columns are log(1 + count)."""
    rng = np.random.default_rng([11, K, vocabulary, seed])
    common = 1 / np.arange(3, vocabulary + 3)
    common /= common.sum()
    classes = np.repeat(np.arange(K), topics)
    own = rng.dirichlet(common * 30, size=K)
    topic = np.stack([rng.dirichlet(own[k] * 30 + 1e-4) for k in classes])

    def make(blandness):
        language = topic / blandness + (1 - 1 / blandness) * common

        def law(n, rng):
            part, long = rng.integers(len(classes), size=n), rng.integers(length // 2, 2 * length, size=n)
            counts = rng.multinomial(long, language[part])
            return np.log1p(counts), by_class(softmax(counts @ np.log(language).T, axis=1), classes, K)

        return law

    return with_error(make, error, 1.01, 100)


# Real rows.


@dataclass(frozen=True, eq=False)
class PlantedNoise:
    """Rows of a real dataset, with labels reassigned uniformly at rate rho; the clean error is at most ``best``.

    The Bayes error is known up to the clean error: it lies between that of the noise alone and that of the best known
    classifier.
    """

    dataset: str
    n_rows: int
    seed: int
    rho: float
    best: float
    family = "planted noise"

    @property
    def name(self):
        """Return the name of the problem."""
        return f"{self.dataset}-rho{self.rho:g}-n{self.n_rows}-{self.seed}"

    @cached_property
    def clean(self):
        """Return all rows and codes."""
        if self.dataset == "digits":
            from sklearn.datasets import load_digits

            return load_digits(return_X_y=True)
        return read_rows(self.dataset)

    def draw(self, seed):
        """Sample rows and labels."""
        X, codes = self.clean
        rng = np.random.default_rng([seed, *self.name.encode()])
        rows = rng.permutation(len(codes))[: self.n_rows]
        noise = rng.integers(codes.max() + 1, size=self.n_rows)
        return X[rows], np.where(rng.random(self.n_rows) < self.rho, noise, codes[rows])

    @cached_property
    def truth(self):
        """Return what is known about the problem."""
        shares = np.bincount(self.clean[1]) / len(self.clean[1])
        low, largest = self.rho * (1 - 1 / len(shares)), (1 - self.rho) * shares.max() + self.rho / len(shares)
        return Truth(low, low + (1 - self.rho) * self.best, 1 - float(largest))
