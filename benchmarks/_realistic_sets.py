"""Which realistic problems a method may be tuned on, and which are held back to evaluate it.

Development seeds start at 100, held-back seeds at 700. The families in ``NEVER_TUNED`` occur only among the held-back
problems: no method was tuned on any of them. They resemble real data: event counts, questionnaires, time series,
failing sensors, shells, scorecards, business rules. A method that was changed after looking at one of these has to be
evaluated on others.
"""

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import gamma

from benchmarks import _realistic as made
from benchmarks._known import by_class, two_columns
from benchmarks._realistic import family, squares, with_error

BEST = {"digits": 0.015, "letter": 0.03, "optdigits": 0.012, "pendigits": 0.008, "satimage": 0.09}  # clean errors
DRAWS = 4


# Families that no method was tuned on


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


# Sets


def noisy(dataset, n, seed, rho):
    """A real dataset with planted noise."""
    return made.PlantedNoise(dataset, n, seed, rho, BEST[dataset])


DEVELOPMENT = (
    made.embedded_blobs(1000, 100, K=2, m=8, d=384, error=0.15),
    made.embedded_blobs(2000, 101, K=5, m=10, d=128, error=0.1),
    made.embedded_blobs(3000, 102, K=10, m=12, d=256, error=0.2),
    made.embedded_blobs(1500, 103, K=3, m=6, d=768, error=0.05),
    made.embedded_waves(1500, 104, K=2, m=6, d=128, error=0.1),
    made.embedded_waves(3000, 105, K=3, m=8, d=256, error=0.2),
    made.embedded_waves(1000, 106, K=2, m=4, d=384, error=0.05),
    made.embedded_waves(2000, 107, K=4, m=5, d=768, error=0.15),
    made.table(1500, 108, flips=0.05),
    made.table(4000, 109, flips=0.1),
    made.table(3000, 110, flips=0.2),
    made.table(1000, 111, flips=0.0),
    made.rules(3000, 112, d=12, n_rules=5, flips=0.1),
    made.rules(2000, 113, d=20, n_rules=8, flips=0.05),
    made.rules(5000, 114, d=10, n_rules=6, flips=0.2),
    made.junk_mixture(1000, 115, K=2, error=0.1),
    made.junk_mixture(3000, 116, K=4, error=0.2),
    made.junk_mixture(2000, 117, K=3, error=0.05),
    made.junk_mixture(5000, 118, K=2, error=0.15),
    made.heavy_tails(2000, 119, K=2, degrees=3, error=0.15),
    made.heavy_tails(3000, 120, K=3, degrees=4, error=0.1),
    made.heavy_tails(1000, 121, K=2, degrees=2.5, error=0.05),
    made.imbalanced(3000, 122, rare=0.1, share=0.3),
    made.imbalanced(2000, 123, rare=0.2, share=0.5),
    made.imbalanced(5000, 124, rare=0.05, share=0.2),
    made.many_classes(5000, 125, K=100, error=0.2),
    made.many_classes(2500, 126, K=25, error=0.1),
    made.easy(1500, 127, error=0.01),
    made.easy(800, 128, error=0.03),
    made.useless(2000, 129, K=2, strength=0.5),
    made.useless(3000, 130, K=3, strength=1.0),
    made.useless(1000, 131, K=2, strength=0.2),
    made.words(1500, 132, K=3, vocabulary=300, error=0.1),
    made.words(3000, 133, K=8, vocabulary=500, error=0.2),
    made.words(1000, 134, K=2, vocabulary=400, error=0.05),
    made.hidden_cells(2000, 135, d=7, side=2, junk=3, flips=0.1),
    made.hidden_cells(1500, 136, d=2, side=10, junk=4, flips=0.05),
    made.hidden_patterns(1500, 137, bits=13, flips=0.1),
    made.half_hidden(1500, 138, d=4, side=2, weight=0.5, flips=0.1),
    made.half_hidden(3000, 139, d=3, side=2, weight=0.3, flips=0.05),
    made.half_hidden(2000, 140, d=6, side=2, weight=0.3, flips=0.05),
    made.half_hidden(2000, 141, d=2, side=8, weight=0.4, flips=0.02),
    made.half_added(2000, 142, d=5, side=2, hidden=2.0),
    made.half_added(3000, 143, d=2, side=10, hidden=3.0),
    noisy("digits", 1500, 144, rho=0.1),
    noisy("digits", 1000, 145, rho=0.3),
    noisy("pendigits", 3000, 146, rho=0.2),
    noisy("pendigits", 1500, 147, rho=0.05),
)

HELD_BACK = (
    made.embedded_blobs(1200, 700, K=2, m=7, d=256, error=0.08),
    made.embedded_blobs(2500, 701, K=6, m=11, d=128, error=0.15),
    made.embedded_blobs(6000, 702, K=10, m=14, d=768, error=0.12),
    made.embedded_blobs(1500, 703, K=3, m=9, d=512, error=0.25),
    made.embedded_waves(1000, 704, K=2, m=5, d=128, error=0.15),
    made.embedded_waves(2500, 705, K=3, m=6, d=256, error=0.1),
    made.embedded_waves(1800, 706, K=2, m=7, d=768, error=0.2),
    made.embedded_waves(4000, 707, K=5, m=5, d=384, error=0.08),
    made.table(1200, 708, flips=0.1),
    made.table(2500, 709, flips=0.02),
    made.table(3500, 710, flips=0.15),
    made.rules(2500, 711, d=14, n_rules=6, flips=0.08),
    made.rules(4000, 712, d=16, n_rules=4, flips=0.15),
    made.junk_mixture(1000, 713, K=3, error=0.12),
    made.junk_mixture(2000, 714, K=2, error=0.05),
    made.junk_mixture(2500, 715, K=5, error=0.2),
    made.junk_mixture(6000, 716, K=2, error=0.12),
    made.heavy_tails(1500, 717, K=2, degrees=3, error=0.1),
    made.heavy_tails(2500, 718, K=4, degrees=5, error=0.15),
    made.imbalanced(2000, 719, rare=0.1, share=0.4),
    made.imbalanced(3000, 720, rare=0.05, share=0.3),
    made.imbalanced(1500, 721, rare=0.25, share=0.25),
    made.many_classes(4000, 722, K=100, error=0.15),
    made.many_classes(2000, 723, K=20, error=0.25),
    made.easy(1000, 724, error=0.02),
    made.easy(2000, 725, error=0.005),
    made.useless(1500, 726, K=2, strength=0.4),
    made.useless(2500, 727, K=4, strength=0.8),
    made.words(1200, 728, K=2, vocabulary=300, error=0.12),
    made.words(2500, 729, K=5, vocabulary=400, error=0.08),
    made.words(2000, 730, K=4, vocabulary=600, error=0.2),
    made.hidden_cells(2000, 731, d=8, side=2, junk=2, flips=0.05),
    made.hidden_cells(1200, 732, d=2, side=12, junk=5, flips=0.1),
    made.hidden_patterns(2000, 733, bits=14, flips=0.05),
    made.half_hidden(2500, 734, d=5, side=2, weight=0.25, flips=0.05),
    made.half_hidden(1500, 735, d=2, side=9, weight=0.35, flips=0.03),
    made.half_added(2000, 736, d=6, side=2, hidden=2.5),
    made.half_added(3000, 737, d=2, side=12, hidden=2.0),
    noisy("letter", 4000, 738, rho=0.15),
    noisy("satimage", 2000, 739, rho=0.1),
    noisy("optdigits", 1500, 740, rho=0.25),
    noisy("satimage", 1000, 741, rho=0.3),
    events(1200, 742, K=2, d=15, error=0.1),
    events(2500, 743, K=4, d=20, error=0.2),
    events(1500, 744, K=3, d=30, error=0.05),
    survey(1000, 745, K=2, items=20, error=0.15),
    survey(2000, 746, K=3, items=30, error=0.08),
    survey(3000, 747, K=4, items=25, error=0.2),
    signals(1500, 748, K=2, length=32, error=0.1),
    signals(3000, 749, K=3, length=64, error=0.15),
    regimes(800, 750, K=2, sensors=10, error=0.12),
    regimes(2000, 751, K=3, sensors=15, error=0.08),
    regimes(3000, 752, K=2, sensors=20, error=0.2),
    shells(1500, 753, K=2, m=3, error=0.1),
    shells(2500, 754, K=3, m=2, error=0.15),
    scorecard(1500, 755, bad=0.3, error=0.15),
    scorecard(3000, 756, bad=0.2, error=0.1),
    scorecard(2000, 757, bad=0.4, error=0.25),
    leaves(1500, 758, K=2, depth=5, error=0.12),
    leaves(2500, 759, K=3, depth=6, error=0.2),
)

NEVER_TUNED = frozenset(one.family for one in HELD_BACK) - {one.family for one in DEVELOPMENT}
SETS = {"development": DEVELOPMENT, "held-back": HELD_BACK}
