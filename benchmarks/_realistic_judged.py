"""Families of problems used only for evaluation: no method was tuned on any of them.

They resemble real data: event counts, questionnaires, time series, failing sensors, shells, scorecards, business
rules. A method that was changed after looking at one of these has to be evaluated on others.
"""

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import gamma

from benchmarks._known import two_columns
from benchmarks._realistic import by_class, family, squares, with_error


@family("events")
def events(seed, K, d, error):
    """Event counts: each class is a mixture of two profiles of Poisson rates; exposure varies between rows."""
    rng = np.random.default_rng([21, K, d, seed])
    profile, classes = rng.normal(size=(2 * K, d)), np.repeat(np.arange(K), 2)
    base = gamma.ppf(rng.random(d), 1.5)

    def make(blandness):
        rate = base * np.exp(profile / blandness)

        def law(n, rng):
            part, exposure = rng.integers(len(classes), size=n), rng.gamma(4, 0.25, size=(n, 1))
            counts = rng.poisson(exposure * rate[part])
            logs = counts @ np.log(rate).T - exposure * rate.sum(axis=1)
            return np.hstack([counts, exposure]), by_class(softmax(logs, axis=1), classes, K)

        return law

    return with_error(make, error, 0.2, 50)


@family("survey")
def survey(seed, K, items, error, levels=5):
    """Answers on a scale: latent groups within each class, items independent within a group, one column per item."""
    rng = np.random.default_rng([22, K, items, seed])
    groups, classes = rng.normal(size=(3 * K, items)), np.repeat(np.arange(K), 3)
    cuts = np.linspace(-1.5, 1.5, levels - 1)

    def make(blandness):
        above = expit((groups[:, :, None] / blandness - cuts) * 1.7)
        edges = np.concatenate([np.ones_like(above[..., :1]), above, np.zeros_like(above[..., :1])], axis=-1)
        logs = np.log(np.maximum(edges[..., :-1] - edges[..., 1:], 1e-300))

        def law(n, rng):
            part, u = rng.integers(len(classes), size=n), rng.random((n, items))
            answers = (u[:, :, None] < above[part]).sum(axis=2)
            likely = logs[:, np.arange(items), answers].sum(axis=2).T
            return answers.astype(float), by_class(softmax(likely, axis=1), classes, K)

        return law

    return with_error(make, error, 0.05, 50)


@family("signals")
def signals(seed, K, length, error):
    """Noisy series whose spectrum reveals the class: zero-mean Gaussians with their own covariances."""
    rng = np.random.default_rng([23, K, length, seed])
    turns = 2 * np.pi * np.arange(length)[:, None] * rng.uniform(0.05, 0.45, size=(K, 1, 3))
    tones = np.concatenate([np.cos(turns), np.sin(turns)], axis=2) / np.sqrt(3)

    def make(noise):
        covariances = tones @ tones.transpose(0, 2, 1) + noise**2 * np.eye(length)
        inverses, half_logs = np.linalg.inv(covariances), 0.5 * np.linalg.slogdet(covariances)[1]

        def law(n, rng):
            part, strength = rng.integers(K, size=n), rng.normal(size=(n, 6))
            x = noise * rng.normal(size=(n, length))
            for k in range(K):
                x[part == k] += strength[part == k] @ tones[k].T
            logs = [-half - 0.5 * squares(x, inverse) for half, inverse in zip(half_logs, inverses, strict=True)]
            return x, softmax(np.stack(logs, axis=1), axis=1)

        return law

    return with_error(make, error, 0.05, 50)


@family("regimes")
def regimes(seed, K, sensors, error, n_regimes=3):
    """Sensors of a machine that runs in one of several hidden regimes; a class looks different in each.

    A sensor fails more often in some regimes; it then reads 0, and an extra column says so.
    """
    rng = np.random.default_rng([24, K, sensors, seed])
    level, spread = 2 * rng.normal(size=(1, n_regimes, sensors)), rng.uniform(0.5, 1.5, size=(1, n_regimes, sensors))
    effect = rng.normal(size=(K, n_regimes, sensors)) * (rng.random((1, n_regimes, sensors)) < 0.5)
    fails = np.broadcast_to(rng.beta(1, 6, size=(1, n_regimes, sensors)), effect.shape).reshape(-1, sensors)
    often = np.tile(rng.dirichlet(np.full(n_regimes, 4)), K) / K
    classes = np.repeat(np.arange(K), n_regimes)

    def make(overlap):
        centre = (level + effect / overlap).reshape(-1, sensors)
        width = np.broadcast_to(spread, effect.shape).reshape(-1, sensors)

        def law(n, rng):
            part = rng.choice(len(classes), size=n, p=often)
            x, failed = rng.normal(centre[part], width[part]), rng.random((n, sensors)) < fails[part]
            logs = [np.log(often[j]) + _reading(x, failed, centre[j], width[j], fails[j]) for j in range(len(classes))]
            eta = by_class(softmax(np.stack(logs, axis=1), axis=1), classes, K)
            return np.hstack([np.where(failed, 0, x), failed]), eta

        return law

    return with_error(make, error, 0.05, 50)


def _reading(x, failed, centre, width, fails):
    """Return the log density of the sensor readings."""
    read = np.log1p(-fails) - np.log(width) - 0.5 * ((x - centre) / width) ** 2
    return np.where(failed, np.log(fails), read).sum(axis=1)


@family("shells")
def shells(seed, K, m, error, junk=4, columns=20):
    """Shells around one centre in m coordinates, two per class in alternation; with junk, mixed into more columns."""
    rng = np.random.default_rng([25, K, m, seed])
    radius, classes = 1 + np.arange(2 * K), np.tile(np.arange(K), 2)
    mix = rng.normal(size=(m + junk, columns))

    def make(spread):
        def law(n, rng):
            far = rng.normal(radius[rng.integers(2 * K, size=n)], spread)
            side = rng.normal(size=(n, m))
            z = side * (far / np.linalg.norm(side, axis=1))[:, None]
            # A negative radius is a positive one on the other side; both are seen at the same distance.
            gaps = [np.abs(far)[:, None] - sign * radius for sign in (1, -1)]
            eta = softmax(np.logaddexp(*(-(gap**2) / (2 * spread**2) for gap in gaps)), axis=1)
            return np.hstack([z, K * rng.normal(size=(n, junk))]) @ mix, by_class(eta, classes, K)

        return law

    return with_error(make, error, 0.02, 20)


@family("scorecard")
def scorecard(seed, bad, error, junk=6):
    """Loans: income, debt, age, delays, jobs and regions; risk is monotone in each, and some interact."""
    rng = np.random.default_rng([26, seed])
    weight, job, region = rng.uniform(0.5, 1.5, size=7), rng.normal(size=5) * 0.5, rng.normal(size=6) * 0.4

    def customers(n, rng):
        wealth = rng.normal(size=n)
        income, age = np.exp(10 + 0.5 * wealth + 0.4 * rng.normal(size=n)), rng.gamma(4, 5, size=n) + 18
        used, delays = expit(1.5 * rng.normal(size=n) - 0.7 * wealth), rng.poisson(np.exp(-0.5 - 0.4 * wealth))
        debt, a, b = income * rng.gamma(2, 0.3, size=n), rng.integers(5, size=n), rng.integers(6, size=n)
        parts = (-np.log(income / 22_000), 2 * (used - 0.5), np.minimum(delays, 4) - 0.6, np.log(debt / income) + 0.7)
        parts += ((40 - age) / 15 * (age < 60), (used > 0.7) * (delays > 1) * 2.0, (age < 30) * np.log(debt / 10_000))
        score = np.stack(parts, axis=1) @ weight + job[a] + region[b]
        x = np.column_stack([income, age, used, delays, debt, np.eye(5)[a], np.eye(6)[b], rng.normal(size=(n, junk))])
        return x, score

    cut = np.quantile(customers(20_000, rng)[1], 1 - bad)

    def make(bluntness):
        def law(n, rng):
            x, score = customers(n, rng)
            return x, two_columns(expit((score - cut) / bluntness))

        return law

    return with_error(make, error, 0.01, 50)


@family("leaves")
def leaves(seed, K, depth, error, d=12):
    """Business rules: a tree of cuts on numbers and flags, with its own class proportions in every leaf."""
    rng = np.random.default_rng([27, K, depth, seed])
    column, cut = rng.integers(d, size=2**depth), rng.normal(size=2**depth) * 0.6
    cut[column >= d // 2] = 0.5  # flags
    share = 2 * rng.normal(size=(2**depth, K))

    def make(bluntness):
        eta = softmax(share / bluntness, axis=1)

        def law(n, rng):
            x = rng.normal(size=(n, d))
            x[:, d // 2 :] = x[:, d // 2 :] > 0.3
            node = np.ones(n, dtype=int)
            for _ in range(depth):
                node = 2 * node + (x[np.arange(n), column[node]] > cut[node])
            return x, eta[node - 2**depth]

        return law

    return with_error(make, error, 0.02, 50)
