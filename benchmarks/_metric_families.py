"""Problems of numbers and of classes for which the best possible loss by every metric is known.

The training families are for choosing constants. The judging families share no law and no seed with them; whoever
changes a method after a look at its results there needs new seeds. Truths are means over 40,000 fresh rows: of the
conditional moments of y, or of what the exact posterior of the classes allows. Losses are as in an answer: 1 - R^2,
1 - AUC, ..., and lower is better.

Numbers are a score of the columns and noise; the posterior of the classes is the softmax of scores, or follows from a
likelihood.
"""

import zlib
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp, ndtr, softmax

from benchmarks._known import draw_labels
from benchmarks._metric_makers import JUDGING_MAKERS, TRAINING_MAKERS, by_name, log_int, log_uniform

TRUTH_ROWS, TUNING_ROWS = 40_000, 3000
FEWEST, MOST, MOST_TRAINING = 300, 8000, 4000  # rows
RAREST = 60  # rows of the rarest class
LEAST_CHANCE = 1e-4  # at which the log loss is clipped
OUTLIERS, NEAREST, FURTHEST = 0.01, 8.0, 25.0  # rate of outliers in y, and their distances in standard deviations


class Problem(NamedTuple):
    """Rows, targets, the lowest possible losses by metric, and facts of the population: losses of guessing, ..."""

    name: str
    X: np.ndarray
    y: np.ndarray
    truth: dict
    population: dict


def draw_numbers(family, seed, tail=None):
    """Return a problem of numbers; ``tail`` is "t3" or "outliers" for a law that has no honest limit of its R^2."""
    rng, most = _stream(family, seed, 0), MOST_TRAINING if family in TRAINING_MAKERS else MOST
    n, rows = log_int(rng, FEWEST, most), number_law(family, seed, tail)
    X, y, *_ = rows(n, _stream(family, seed, 2))
    truth, population = best_numbers(*rows(TRUTH_ROWS, _stream(family, seed, 3))[1:])
    return Problem(f"{family}/{seed}", X, y, truth, population)


def draw_classes(family, seed):
    """Return a problem of classes; labels are text."""
    n, rows = class_law(family, seed)
    X, codes, _ = rows(n, _stream(family, seed, 2))
    truth, population = best_classes(rows(TRUTH_ROWS, _stream(family, seed, 3))[2])
    return Problem(f"{family}/{seed}", X, np.array([f"c{code:02d}" for code in codes]), truth, population)


def _stream(family, seed, use):
    return np.random.default_rng([seed, zlib.crc32(family.encode()), use])


# Lowest losses.


def best_numbers(y, mean, variance, absolute):
    """Return the lowest losses from conditional moments, and the losses of guessing."""
    squared, total = variance.mean(), variance.mean() + mean.var()
    truth = {"r2": squared / total, "rmse": np.sqrt(squared), "mae": absolute.mean()}
    guessing = {"r2": 1.0, "rmse": np.sqrt(total), "mae": np.abs(y - np.median(y)).mean()}
    return _floats(truth), _floats({"variance": total, **guessing})


def best_classes(eta):
    """Return the lowest losses from the posteriors of many rows, and the losses of guessing."""
    shares, k = eta.mean(axis=0), eta.shape[1]
    row, chosen = np.arange(len(eta)), (eta / shares).argmax(axis=1)
    truth = {
        "accuracy": 1 - eta.max(axis=1).mean(),
        "balanced_accuracy": 1 - (eta[row, chosen] / shares[chosen]).mean() / k,
        "roc_auc": np.mean([_rank_loss(eta[:, j]) for j in (range(k) if k > 2 else [1])]),
        "log_loss": -(eta * np.log(np.maximum(eta, LEAST_CHANCE))).sum(axis=1).mean(),
        "brier": 1 - (eta**2).sum(axis=1).mean(),
    }
    guessing = {
        "accuracy": 1 - shares.max(),
        "balanced_accuracy": 1 - 1 / k,
        "roc_auc": 0.5,
        "log_loss": -(shares * np.log(shares)).sum(),
        "brier": 1 - (shares**2).sum(),
    }
    return _floats(truth), _floats({"rarest": shares.min(), **guessing})


def _rank_loss(chance):
    """Return 1 - AUC of ranking rows by their chance to be positive; equal chances count half."""
    _, place = np.unique(chance, return_inverse=True)
    positive, negative = np.bincount(place, chance), np.bincount(place, 1 - chance)
    above = negative.sum() - negative.cumsum() + negative / 2
    return positive @ above / (positive.sum() * negative.sum())


def _floats(values):
    return {name: float(value) for name, value in values.items()}


# Laws of numbers.


def _humps(rng, n):
    return 0.9 * rng.choice([-1, 1], n) + np.sqrt(0.19) * rng.normal(size=n)


_APART = 0.9 / np.sqrt(0.19)
_HUMPS = np.sqrt(0.19) * np.sqrt(2 / np.pi) * np.exp(-(_APART**2) / 2) + 0.9 * (1 - 2 * ndtr(-_APART))
NOISES = {  # of mean 0 and variance 1: sampler, median, mean distance from the median
    "normal": (lambda rng, n: rng.normal(size=n), 0.0, np.sqrt(2 / np.pi)),
    "laplace": (lambda rng, n: rng.laplace(size=n) / np.sqrt(2), 0.0, np.sqrt(0.5)),
    "uniform": (lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), n), 0.0, np.sqrt(3) / 2),
    "humps": (_humps, 0.0, _HUMPS),
    "exponential": (lambda rng, n: rng.exponential(size=n) - 1, np.log(2) - 1, np.log(2)),
    "t3": (lambda rng, n: rng.standard_t(3, n) / np.sqrt(3), 0.0, 2 / np.pi),
}
_FREQUENT = {"normal": 0.35, "laplace": 0.2, "uniform": 0.15, "humps": 0.1, "exponential": 0.1, "lognormal": 0.1}


def number_law(family, seed, tail=None):
    """Return a function: rows, generator -> X, y, and the mean, variance and mean distance from the median given X."""
    rng = _stream(family, seed, 1)
    sample, score = ALL_MAKERS[family](rng, 1)
    noise = str(rng.choice(list(_FREQUENT), p=list(_FREQUENT.values())))
    form = str(rng.choice(["same", "columns", "mean"], p=[0.5, 0.3, 0.2]))
    weak, strong = rng.uniform(0.05, 0.3), 1 - log_uniform(rng, 0.005, 0.1)
    goal = float(rng.choice([weak, rng.uniform(0.3, 0.9), strong], p=[0.15, 0.6, 0.25]))  # R^2
    X = sample(TRUTH_ROWS, rng)
    values, slope, sharp = score(X)[:, 0], rng.normal(size=X.shape[1]) / X.std(axis=0), rng.uniform(0.3, 0.9)
    middle, scale, place, reach = values.mean(), values.std(), (X @ slope).mean(), (X @ slope).std()
    hide, unit, origin = _disguise(rng, X.shape[1]), 10 ** rng.uniform(-1, 3), rng.normal() * 10

    def parts(X):
        """Return the standardised signal, and the width of the noise before it is scaled."""
        signal = (score(X)[:, 0] - middle) / scale
        by = {"same": 0.0, "columns": (X @ slope - place) / reach, "mean": signal}[form]
        return signal, np.exp(sharp * np.clip(by, -2.5, 2.5)) * np.ones(len(X))

    if noise == "lognormal" and tail is None:
        inner = partial(_multiplied, spread=_spread_for(max(goal, 0.4), parts(X)[0]))
    else:
        size = np.sqrt((1 - goal) / goal / (parts(X)[1] ** 2).mean())
        law = {None: noise, "t3": "t3", "outliers": "normal"}[tail]
        inner = partial(_added, law=law, size=size, total=goal**-0.5 if tail == "outliers" else None)

    def rows(n, rng):
        X = sample(n, rng)
        y, mean, variance, absolute = inner(*parts(X), rng)
        return hide(X, rng), origin + unit * y, origin + unit * mean, unit**2 * variance, unit * absolute

    return rows


def _added(signal, width, rng, *, law, size, total=None):
    """Add noise of this size; ``total`` is the standard deviation of y, by which outliers are placed."""
    draw, _, away = NOISES[law]
    y, variance, absolute = signal + size * width * draw(rng, len(signal)), (size * width) ** 2, away * size * width
    if total is not None:  # outliers are on both sides alike, so that they move neither the mean nor the median
        far, side = total * rng.uniform(NEAREST, FURTHEST, len(y)), rng.choice([-1, 1], len(y))
        y = y + side * far * (rng.random(len(y)) < OUTLIERS)
        squared = total**2 * (NEAREST**2 + NEAREST * FURTHEST + FURTHEST**2) / 3
        variance = variance + OUTLIERS * squared
        absolute = (1 - OUTLIERS) * absolute + OUTLIERS * total * (NEAREST + FURTHEST) / 2
    return y, signal, variance, absolute


def _multiplied(signal, _, rng, *, spread):
    """Return exp(signal + noise)."""
    middle, rise = np.exp(0.7 * np.clip(signal, -3, 3)), np.exp(spread**2 / 2)
    y = middle * np.exp(spread * rng.normal(size=len(signal)))
    return y, middle * rise, np.expm1(spread**2) * (middle * rise) ** 2, middle * rise * (2 * ndtr(spread) - 1)


def _spread_for(goal, signal):
    """Return the spread of the lognormal noise that gives this R^2."""
    low, high = 1e-3, 3.0
    for _ in range(40):
        spread = np.sqrt(low * high)
        _, mean, variance, _ = _multiplied(signal, None, np.random.default_rng(0), spread=spread)
        low, high = (low, spread) if mean.var() < goal * (mean.var() + variance.mean()) else (spread, high)
    return low


# Laws of classes.


def class_law(family, seed):
    """Return the number of rows, and a function: rows, generator -> X, codes, posterior."""
    rng, most = _stream(family, seed, 1), MOST_TRAINING if family in TRAINING_MAKERS else MOST
    n = log_int(rng, FEWEST, most)
    shares = _shares(rng, n)
    likely = LIKELIHOODS[family](rng, shares) if family in LIKELIHOODS else _scored(ALL_MAKERS[family], rng, shares)
    noise, goal = rng.uniform(0, 0.15) * (rng.random() < 0.25), rng.uniform(0.05, 0.95)  # goal: log loss / guessing

    def posterior(n, rng, strength):
        X, eta = likely(n, rng, strength)
        return X, (1 - noise) * eta + noise * shares

    low, high = 2.0**-6, 2.0**6
    for _ in range(10):
        strength = np.sqrt(low * high)
        best, guessing = best_classes(posterior(TUNING_ROWS, _stream(family, seed, 4), strength)[1])
        low, high = (strength, high) if best["log_loss"] > goal * guessing["log_loss"] else (low, strength)
    hide = _disguise(rng, posterior(2, rng, high)[0].shape[1])

    def rows(n, rng):
        X, eta = posterior(n, rng, high)
        return hide(X, rng), draw_labels(eta, rng), eta

    return n, rows


def _shares(rng, n):
    """Return the proportions of 2 to 20 classes; the rarest has 1 to 50 %, and enough rows to draw 60."""
    k = int(rng.choice([2, 2, rng.integers(3, 7), rng.integers(7, 21)], p=[0.3, 0.2, 0.3, 0.2]))
    k = max(2, min(k, n // 120))
    rarest = log_uniform(rng, max(0.01, 1.6 * RAREST / n), 1 / k)
    return rng.permutation(np.append(rarest, rarest + (1 - k * rarest) * rng.dirichlet(np.full(k - 1, 3.0))))


def _scored(make, rng, shares):
    """Return a law whose logits are the strength times scores, moved so that the classes have these proportions."""
    sample, score = make(rng, len(shares))
    fixed = sample(TUNING_ROWS, rng)
    values = score(fixed)
    middle, scale = values.mean(axis=0), values.std() + 1e-12

    @cache
    def moves(strength):
        """Return what to add to the logits: where the gradient of this convex function is 0, proportions are right."""

        def away(move):
            logits = strength * (values - middle) / scale + move
            return (
                logsumexp(logits, axis=1).mean() - shares @ move,
                softmax(logits, axis=1).mean(axis=0) - shares,
            )

        return minimize(away, np.log(shares), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x

    def likely(n, rng, strength):
        X = sample(n, rng)
        return X, softmax(strength * (score(X) - middle) / scale + moves(strength), axis=1)

    return likely


def ellipses(rng, shares):
    """Gaussian classes, each with a covariance of its own."""
    k, d = len(shares), log_int(rng, 2, 15)
    centres, turns = rng.normal(size=(k, d)), np.linalg.qr(rng.normal(size=(k, d, d)))[0]
    sizes = rng.uniform(-1, 1, (k, d)) * rng.uniform(0.1, 0.8)

    def likely(n, rng, strength):
        log_width = min(strength, 2) * sizes
        of, Z = rng.choice(k, n, p=shares), rng.normal(size=(n, d))
        X = strength * centres[of] + np.einsum("nij,nj->ni", turns[of], Z * np.exp(log_width[of]))
        inside = [((X - strength * centres[j]) @ turns[j] / np.exp(log_width[j])) ** 2 for j in range(k)]
        return X, softmax(np.log(shares) - log_width.sum(axis=1) - np.sum(inside, axis=2).T / 2, axis=1)

    return likely


def tallies(rng, shares):
    """Counts of events, independent given the class."""
    k, d = len(shares), log_int(rng, 5, 80)
    base, own = rng.normal(0, 1, d), rng.normal(size=(k, d)) * (rng.random(d) < rng.uniform(0.2, 1))

    def likely(n, rng, strength):
        log_rate = np.clip(base + strength * own / 2, -6, 5)
        X = rng.poisson(np.exp(log_rate)[rng.choice(k, n, p=shares)]).astype(float)
        return X, softmax(np.log(shares) + X @ log_rate.T - np.exp(log_rate).sum(axis=1), axis=1)

    return likely


def lifetimes(rng, shares):
    """Positive columns with gamma laws, whose shapes differ between classes."""
    k, d = len(shares), log_int(rng, 2, 20)
    base, own, unit = rng.normal(0.5, 0.5, d), rng.normal(size=(k, d)) / 2, np.exp(rng.normal(size=d))

    def likely(n, rng, strength):
        shape = np.exp(np.clip(base + strength * own, -1, 4))
        X = np.maximum(rng.gamma(shape[rng.choice(k, n, p=shares)]), 1e-12)
        log_chance = np.log(X) @ (shape - 1).T - gammaln(shape).sum(axis=1)
        return X * unit, softmax(np.log(shares) + log_chance, axis=1)

    return likely


def _disguise(rng, d):
    """Return a function that adds columns of noise in some problems, shuffles columns and changes their units."""
    extra = min(int(rng.choice([0, 0, rng.integers(1, 6), rng.integers(1, d + 2)])), max(0, 100 - d))
    order, units = rng.permutation(d + extra), 10 ** (rng.uniform(-1, 2, d + extra) * rng.integers(2))
    return lambda X, rng: np.hstack([X, rng.normal(size=(len(X), extra))])[:, order] * units


ALL_MAKERS = TRAINING_MAKERS | JUDGING_MAKERS
LIKELIHOODS = by_name(ellipses, tallies, lifetimes)
_LIKE_NUMBERS = [name for name in JUDGING_MAKERS if name not in ("power_laws", "series", "pooled")]


def _problems(families, each, first_seed):
    return [(name, first_seed + at * each + i) for at, name in enumerate(families) for i in range(each)]


TRAINING = {"numbers": _problems(TRAINING_MAKERS, 10, 20_000), "classes": _problems(TRAINING_MAKERS, 10, 21_000)}
JUDGING = {
    "numbers": _problems(JUDGING_MAKERS, 8, 30_000),
    "classes": _problems([*_LIKE_NUMBERS, *LIKELIHOODS], 8, 31_000),
}
TAILS = [(name, 32_000 + at, ("t3", "outliers")[at % 2]) for at, name in enumerate([*JUDGING_MAKERS][:12])]
