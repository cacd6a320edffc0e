"""Makers of laws for the problems of ``_metric_families``: eight for training, and fifteen others for judging.

A maker draws one law from a random generator: it returns ``sample(n, rng) -> X`` and ``score(X)``, which has one column
for each of the ``k`` scores that are asked for.
"""

import numpy as np
from scipy.special import ndtr


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def log_int(rng, low, high):
    return round(log_uniform(rng, low, high))


def _columns(rng, d):
    """Return a sampler of columns with about unit variance."""
    form, near = str(rng.choice(["normal", "chained", "uniform", "skewed"])), rng.uniform(0.3, 0.9)
    chain = np.linalg.cholesky(near ** np.abs(np.subtract.outer(np.arange(d), np.arange(d))))
    form_of = {
        "normal": lambda Z: Z,
        "chained": lambda Z: Z @ chain.T,
        "uniform": lambda Z: np.sqrt(12) * (ndtr(Z) - 0.5),
        "skewed": lambda Z: 1.65 * (np.exp(0.5 * Z) - 1.133),
    }[form]
    return lambda n, rng: form_of(rng.normal(size=(n, d)))


def _used(rng, d, k):
    """Return weights of columns for ``k`` scores; some columns have none."""
    used = rng.random((d, 1)) < rng.uniform(0.3, 1)
    used[rng.integers(d)] = True
    return rng.normal(size=(d, k)) * used


# Makers for training.


def sparse_linear(rng, k):
    d = log_int(rng, 2, 80)
    weights = _used(rng, d, k)
    return _columns(rng, d), lambda X: X @ weights


def friedman(rng, k):
    """A sine of a product, a square and two lines; the other columns are noise."""
    d, size = log_int(rng, 5, 20), rng.uniform(0.4, 1.6, (4, k))

    def score(X):
        terms = (np.sin(1.6 * X[:, 0] * X[:, 1]) * 1.5, X[:, 2] ** 2 / 1.5, X[:, 3], X[:, 4] / 2)
        return np.column_stack(terms) @ size

    return _columns(rng, d), score


def waves(rng, k):
    """A smooth random function: many waves of similar length."""
    d, many = log_int(rng, 1, 8), 120
    slope, phase = rng.normal(size=(d, many)) * rng.uniform(0.6, 2) / np.sqrt(d), rng.uniform(0, 2 * np.pi, many)
    height = rng.normal(size=(many, k))
    return _columns(rng, d), lambda X: np.cos(X @ slope + phase) @ height


def tree(rng, k):
    d, depth = log_int(rng, 3, 25), rng.integers(3, 7)
    column, cut = rng.integers(min(d, 8), size=2**depth), rng.normal(0, 0.7, 2**depth)
    leaf = rng.normal(size=(2**depth, k))

    def score(X):
        node = np.ones(len(X), int)
        for _ in range(depth):
            node = 2 * node + (X[np.arange(len(X)), column[node]] > cut[node])
        return leaf[node - 2**depth]

    return _columns(rng, d), score


def products(rng, k):
    d = log_int(rng, 4, 12)
    terms = [rng.choice(d, rng.integers(2, 4), replace=False) for _ in range(5)]
    height, weights = rng.normal(size=(5, k)), rng.normal(size=(d, k)) * 0.4
    return _columns(rng, d), lambda X: np.stack([X[:, term].prod(axis=1) for term in terms], 1) @ height + X @ weights


def network(rng, k):
    d, width = log_int(rng, 4, 40), log_int(rng, 8, 40)
    first, middle = rng.normal(size=(d, width)) * 1.5 / np.sqrt(d), rng.normal(size=(width, width)) / np.sqrt(width)
    last = rng.normal(size=(width, k))
    return _columns(rng, d), lambda X: np.tanh(1.5 * np.tanh(X @ first) @ middle) @ last


def additive(rng, k):
    """A wave of each column."""
    d = log_int(rng, 3, 30)
    speed, phase = rng.gamma(2, 0.6, d), rng.uniform(0, 2 * np.pi, d)
    height = rng.normal(size=(d, k)) * rng.gamma(1, 1, (d, 1))
    return _columns(rng, d), lambda X: np.sin(X * speed + phase) @ height


def categories(rng, k):
    """Categories as numbers: an effect of each, and a table of two of them."""
    d, levels = log_int(rng, 3, 12), rng.integers(3, 9)
    main = rng.normal(size=(d, levels, k)) * rng.gamma(1, 1, (d, 1, 1))
    both = rng.normal(size=(levels, levels, k)) * rng.uniform(0.5, 2)

    def score(X):
        code = X.astype(int)
        return main[np.arange(d), code].sum(axis=1) + both[code[:, 0], code[:, 1]]

    return lambda n, rng: rng.integers(levels, size=(n, d)).astype(float), score


# Makers for judging.


def rough_field(rng, k):
    """Waves of very different length: continuous, with kinks everywhere."""
    d, many = log_int(rng, 1, 6), 300
    slope = rng.normal(size=(d, many)) / np.abs(rng.normal(size=many)) * rng.uniform(0.1, 0.6)
    phase, height = rng.uniform(0, 2 * np.pi, many), rng.normal(size=(many, k))
    return _columns(rng, d), lambda X: np.cos(X @ slope + phase) @ height


def hinges(rng, k):
    """Sums of ramps and of products of two ramps."""
    d, terms = log_int(rng, 3, 40), rng.integers(4, 15)
    column, knot, side = (
        rng.integers(d, size=(2, terms)),
        rng.normal(0, 0.8, (2, terms)),
        rng.choice([-1, 1], (2, terms)),
    )
    alone, height = rng.random(terms) < 0.6, rng.normal(size=(terms, k))

    def score(X):
        first, second = (np.maximum(0, side[i] * (X[:, column[i]] - knot[i])) for i in range(2))
        return first * np.where(alone, 1, second) @ height

    return _columns(rng, d), score


def power_laws(rng, k):
    """Formulas of positive quantities: sums of products of their powers."""
    d, terms = log_int(rng, 2, 12), rng.integers(1, 4)
    power = rng.choice([-2, -1, -0.5, 0.5, 1, 2], (terms, d))
    for own in power:
        own[rng.permutation(d)[min(3, d) :]] = 0
    height = rng.normal(size=(terms, k))
    return lambda n, rng: rng.uniform(0.5, 2, (n, d)), lambda X: np.exp(np.log(X) @ power.T) @ height


def nearest_place(rng, k):
    """The effect of the nearest of some places, which fades with the distance, and of other columns."""
    d, more, places = rng.integers(2, 5), rng.integers(0, 8), rng.integers(3, 25)
    columns, where, height = _columns(rng, d + more), rng.normal(size=(places, d)), rng.normal(size=(places, k))
    weights, reach = rng.normal(size=(more, k)) * 0.3, rng.uniform(0.4, 2)

    def score(X):
        squared = ((X[:, None, :d] - where) ** 2).sum(axis=2)
        fade = np.exp(-np.sqrt(squared.min(axis=1)) / reach)
        return height[squared.argmin(axis=1)] * fade[:, None] + X[:, d:] @ weights

    return columns, score


def word_counts(rng, k):
    """Counts of words in texts with topics; logarithms of some counts matter, and the presence of some words."""
    d, topics = log_int(rng, 20, 100), rng.integers(3, 9)
    rate = np.exp(rng.normal(-0.5, 1, (topics, d)))
    often, present = _used(rng, d, k), _used(rng, d, k)

    def sample(n, rng):
        return rng.poisson(rng.dirichlet(np.full(topics, 0.5), n) @ rate).astype(float)

    return sample, lambda X: np.log1p(X) @ often + (X > 0) @ present / 2


def series(rng, k):
    """The next value of a series, by a linear rule that depends on the last value."""
    length, cut = log_int(rng, 6, 48), rng.normal(0, 0.5)
    radius, turn = rng.uniform(0.3, 0.9), rng.uniform(0.2, 2.5)
    low, high = rng.normal(size=(2, 4, k))

    def sample(n, rng):
        X = rng.normal(size=(n, length + 20))
        for t in range(2, X.shape[1]):
            X[:, t] += 2 * radius * np.cos(turn) * X[:, t - 1] - radius**2 * X[:, t - 2]
        return X[:, 20:]

    def score(X):
        last = X[:, -4:]
        return np.where(last[:, -1:] > cut, last @ high, last @ low)

    return sample, score


def pooled(rng, k):
    """Small pictures: the strongest answer of some filters, wherever it is."""
    side, filters = rng.integers(5, 10), rng.normal(size=(rng.integers(1, 4), 3, 3))
    height, smooth = rng.normal(size=(len(filters), k)), rng.uniform(0, 1)

    def sample(n, rng):
        Z = rng.normal(size=(n, side + 1, side + 1))
        return (Z[:, 1:, 1:] + smooth * (Z[:, :-1, 1:] + Z[:, 1:, :-1])).reshape(n, -1)

    def score(X):
        windows = np.lib.stride_tricks.sliding_window_view(X.reshape(-1, side, side), (3, 3), axis=(1, 2))
        return np.tensordot(windows, filters, axes=((3, 4), (1, 2))).max(axis=(1, 2)) @ height

    return sample, score


def survey(rng, k):
    """Answers from 1 to 5 in sections; the number of high answers of a section counts up to some limit."""
    d, sections, shared = log_int(rng, 6, 40), rng.integers(2, 6), rng.uniform(0, 0.8)
    of, cuts = rng.integers(sections, size=d), np.sort(rng.normal(0, 1, (d, 4)), axis=1)
    limit, height, weights = rng.integers(1, 6, sections), rng.normal(size=(sections, k)), _used(rng, d, k) / 8

    def sample(n, rng):
        answer = np.sqrt(shared) * rng.normal(size=(n, sections))[:, of] + np.sqrt(1 - shared) * rng.normal(size=(n, d))
        return 1.0 + (answer[:, :, None] > cuts).sum(axis=2)

    def score(X):
        return np.minimum((X >= 4) @ np.eye(sections)[of], limit) @ height + X @ weights

    return sample, score


def calendar(rng, k):
    """Days, weekdays and hours with their cycles, a trend, and the weather."""
    cycle, day, hour = rng.normal(size=(4, k)), rng.normal(size=(7, k)), rng.normal(size=(2, 4, k))
    trend, weather = rng.normal(size=k) / 4, rng.normal(size=(2, k)) / 2

    def sample(n, rng):
        whole = [rng.integers(least, most, n) for least, most in ((1, 366), (0, 7), (0, 24), (0, 8))]
        return np.column_stack([*whole, rng.normal(size=n)])

    def circle(turns):
        return np.column_stack([wave(2 * np.pi * times * turns) for times in (1, 2) for wave in (np.sin, np.cos)])

    def score(X):
        weekday, daily = X[:, 1].astype(int), circle(X[:, 2] / 24)
        rest = np.where(weekday[:, None] >= 5, daily @ hour[1], daily @ hour[0])
        mild = np.column_stack([X[:, 4], X[:, 4] ** 2])
        return circle(X[:, 0] / 365) @ cycle + day[weekday] + rest + np.outer(X[:, 3], trend) + mild @ weather

    return sample, score


def orders(rng, k):
    """The smallest, the largest and other ranks of measurements, whichever column they are in."""
    d = log_int(rng, 3, 12)
    weights = rng.normal(size=(d, k))
    return _columns(rng, d), lambda X: np.sort(X, axis=1) @ weights


def one_column(rng, k):
    """A function of one column: jumps, peaks, a bent wave or ever faster waves."""
    form, places = str(rng.choice(["jumps", "peaks", "bent", "faster"])), rng.uniform(0, 1, 9)
    height, width = rng.normal(size=(9, k)), rng.uniform(0.005, 0.05, 9)

    def score(X):
        away = X - places
        return {
            "jumps": lambda: (away > 0) @ height,
            "peaks": lambda: (1 + np.abs(away / width)) ** -4.0 @ np.abs(height),
            "bent": lambda: np.sin(4 * np.pi * X) * height[0] * 2 + np.sign(away[:, :3]) @ height[:3] / 2,
            "faster": lambda: np.sqrt(X * (1 - X)) * np.sin(2.1 * np.pi / (X + 0.05) + 3 * height[0]),
        }[form]()

    return lambda n, rng: rng.uniform(0, 1, (n, 1)), score


def quadratic(rng, k):
    """Squares along few directions, among columns that are correlated."""
    d, directions = log_int(rng, 3, 40), rng.integers(1, 5)
    across = rng.normal(size=(d, directions)) / np.sqrt(d)
    height, weights = rng.normal(size=(directions, k)), rng.normal(size=(d, k)) * 0.4 / np.sqrt(d)
    return _columns(rng, d), lambda X: (X @ across) ** 2 @ height + X @ weights


def boxes(rng, k):
    """Boxes in two or three columns each; inside, a constant is added."""
    d, many = log_int(rng, 2, 25), rng.integers(4, 25)
    columns = [rng.choice(d, min(d, rng.integers(2, 4)), replace=False) for _ in range(many)]
    middles, half, height = rng.normal(0, 0.7, (many, 3)), rng.uniform(0.4, 1.4, (many, 3)), rng.normal(size=(many, k))

    def score(X):
        inside = [
            (np.abs(X[:, own] - middle[: len(own)]) < reach[: len(own)]).all(axis=1)
            for own, middle, reach in zip(columns, middles, half, strict=True)
        ]
        return np.column_stack(inside) @ height

    return _columns(rng, d), score


def bumps(rng, k):
    """Round hills and hollows."""
    d, many = log_int(rng, 2, 8), log_int(rng, 6, 40)
    where, height, width = (
        rng.normal(size=(many, d)),
        rng.normal(size=(many, k)),
        rng.uniform(0.4, 1, many) * np.sqrt(d),
    )

    def score(X):
        squared = ((X[:, None] - where) ** 2).sum(axis=2)
        return np.exp(-squared / (2 * width**2)) @ height

    return _columns(rng, d), score


def spectra(rng, k):
    """Spectra with overlapping peaks; logarithms of the ratios of their areas matter."""
    d, peaks = log_int(rng, 25, 100), rng.integers(2, 6)
    centre, width = rng.uniform(0.1, 0.9, peaks), rng.uniform(0.03, 0.12, peaks)
    shape = np.exp(-0.5 * ((np.arange(d) / d - centre[:, None]) / width[:, None]) ** 2)
    height, drift = rng.normal(size=(peaks, k)), rng.uniform(0, 0.2)

    def sample(n, rng):
        amount, base = np.exp(0.5 * rng.normal(size=(n, peaks))), drift * rng.random((n, 1))
        return amount @ shape + base + 0.02 * rng.normal(size=(n, d))

    def score(X):
        areas = np.maximum(X @ shape.T, 1e-6)
        return np.log(areas / areas.sum(axis=1, keepdims=True)) @ height

    return sample, score


def by_name(*makers):
    return {make.__name__: make for make in makers}


TRAINING_MAKERS = by_name(sparse_linear, friedman, waves, tree, products, network, additive, categories)
JUDGING_MAKERS = by_name(
    rough_field, hinges, power_laws, nearest_place, word_counts, series, pooled, survey, calendar, orders, one_column,
    quadratic, boxes, bumps, spectra,
)  # fmt: skip
