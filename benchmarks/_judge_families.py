"""Sixteen families of problems with a known Bayes error, on which a forecast of the Bayes error is judged once.

No family was fitted to a method. Whoever changes a method after a look at its results on ``PROBLEMS`` needs new seeds:
``AGAIN`` has them, since a rule for data without a signal was dropped after the first judgement.
A family is a function of a random generator: it chooses a law (columns, classes, noise, ...) and returns
``rows(n, rng, strength) -> X, y, posterior`` with the exact P(class | row). The strength of the signal is then set so
that the Bayes error is near a goal, which is drawn too; at strength 0 most laws have no signal.
"""

import zlib
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri, softmax
from scipy.stats import multivariate_normal as normal

TRUTH_ROWS, BATCH = 40_000, 4_000  # in batches, because counts of 1,000 words need 8 kB a row
TUNING_ROWS, WEAKEST, STRONGEST = 3_000, 2.0**-6, 2.0**6
PER_FAMILY, FEWEST, MOST, MOST_NORMAL = 20, 100, 8_000, 2_000  # rows, and those up to which an effort is "normal"


class Problem(NamedTuple):
    """Rows, labels, and the Bayes error of their law with its standard error."""

    name: str
    X: np.ndarray
    y: np.ndarray
    bayes_error: float
    std_error: float


def draw(family, seed, n):
    """Return ``n`` rows of the law of a family and a seed."""
    rows, rng = law(family, seed), _stream(family, seed, 2)
    losses = np.concatenate([1 - rows(BATCH, rng)[2].max(axis=1) for _ in range(TRUTH_ROWS // BATCH)])
    X, y, _ = rows(n, _stream(family, seed, 3, n))
    truth = float(losses.mean()), float(losses.std() / np.sqrt(TRUTH_ROWS))
    return Problem(f"{family}/{seed}/{n}", X.astype(float), y.astype(int), *truth)


def law(family, seed):
    """Return the law as a function: number of rows, generator -> rows, labels, posterior."""
    rng = _stream(family, seed, 0)
    rows = FAMILIES[family](rng)

    def error(strength):
        return 1 - rows(TUNING_ROWS, _stream(family, seed, 1), strength)[2].max(axis=1).mean()

    if rng.random() < 0.05:
        return partial(rows, strength=0.0)
    # A few problems are nearly separable; the errors of the others are spread evenly.
    goal = np.exp(rng.uniform(-7, -4)) if rng.random() < 0.15 else rng.uniform(0.02, 0.45)
    goal *= min(1.0, 2 * error(0.0))  # with unequal classes even guessing has a smaller error
    low, high = WEAKEST, STRONGEST
    for _ in range(12):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if error(middle) > goal else (low, middle)
    return partial(rows, strength=high)


def _stream(family, seed, *use):
    return np.random.default_rng([seed, zlib.crc32(family.encode()), *use])


def _classes(rng, most=6):
    """Return the number of classes, two in half of the cases, and their shares."""
    k = 2 if rng.random() < 0.5 else rng.integers(3, most + 1)
    return k, 0.4 / k + 0.6 * rng.dirichlet(np.full(k, rng.choice([2.0, 30.0])))


def _columns(d, rng):
    """Return a sampler of ``d`` numeric columns of about unit variance: n, generator -> X."""
    form, shared = rng.choice(["normal", "factors", "clusters", "uniform", "rounded"]), rng.integers(1, 9)
    mixing = rng.normal(size=(shared, d)) / (np.sqrt(shared) if form == "factors" else 1)

    def sample(n, rng):
        X = rng.normal(size=(n, d))
        if form == "clusters":
            return 0.6 * X + 0.8 * mixing[rng.integers(shared, size=n)]
        if form == "factors":
            return 0.6 * X + 0.8 * rng.normal(size=(n, shared)) @ mixing
        return {"normal": X, "uniform": np.sqrt(12) * (ndtr(X) - 0.5), "rounded": X.round(1)}[form]

    return sample


def _smooth(d, k, rng):
    """Return a smooth function of ``d`` columns with ``k`` values: random waves, or a network of random weights."""
    used, width, waves = min(d, rng.integers(1, 9)), 200, rng.random() < 0.5
    first, shift = np.zeros((d, width)), rng.uniform(0, 2 * np.pi, width)
    first[rng.choice(d, used, replace=False)] = rng.normal(size=(used, width)) * rng.uniform(0.5, 1.5) / np.sqrt(used)
    middle, last = (2 * rng.normal(size=(width, out)) / np.sqrt(width) for out in (width, k))
    return lambda X: (
        (np.cos(X @ first + shift) - np.cos(shift) if waves else np.tanh(np.sin(X @ first) @ middle)) @ last
    )


def _labelled(X, posterior, rng):
    """Draw one label per row from its posterior."""
    above = rng.random(len(X))[:, None] > posterior.cumsum(axis=1)
    return X, np.minimum(above.sum(axis=1), posterior.shape[1] - 1), posterior  # the last sum may be below 1


def _logistic(sample, score, rng):
    """Return the rows of a law whose logits are the strength times a score of the columns."""

    def rows(n, rng, strength):
        X = sample(n, rng)
        return _labelled(X, softmax(strength * score(X), axis=1), rng)

    return _disguised(rows, rng)


def _by_class(log_joint, classes):
    """Return the posteriors of classes from the joint log-likelihoods of their components."""
    return softmax(log_joint, axis=1) @ np.equal.outer(classes, np.arange(classes.max() + 1)).astype(float)


def _gaussians(weights, classes, centres, n, rng, roots=None):
    """Draw from Gaussians that belong to classes; roots of their covariances are unit matrices if not given."""
    part, X = rng.choice(len(weights), n, p=weights), rng.normal(size=(n, centres.shape[1]))
    X = centres[part] + (X if roots is None else np.einsum("nij,nj->ni", roots[part], X))
    if roots is None:
        densities = X @ centres.T - (centres**2).sum(axis=1) / 2
    else:
        densities = np.transpose([normal.logpdf(X, *each) for each in zip(centres, roots @ roots.mT, strict=True)])
    return X, classes[part], _by_class(densities + np.log(weights), classes)


def _disguised(rows, rng):
    """Add columns of noise and noisy copies, which tell nothing more; shuffle all columns and change their units."""
    d = rows(2, rng, 1.0)[0].shape[1]
    extra = int(rng.choice([0, 0, rng.integers(1, 6), rng.integers(1, min(2 * d, 40) + 1)]))
    copied, copies, size = rng.integers(d, size=extra), rng.random(extra) < 0.3, rng.uniform(0.2, 1, extra)
    order, units = rng.permutation(d + extra), 10 ** (rng.uniform(-1, 2, d + extra) * rng.choice([0, 1]))

    def disguised_rows(n, rng, strength):
        X, y, posterior = rows(n, rng, strength)
        more = X[:, copied] * copies + size * rng.normal(size=(n, extra))
        return np.hstack([X, more])[:, order] * units, y, posterior

    return disguised_rows


def text_counts(rng):
    """Documents as counts of words; each class has one to three styles, each style is a mixture of topics."""
    (k, shares), (vocabulary, topics, styles) = _classes(rng), rng.integers([100, 4, 1], [1001, 21, 4])
    words = (rng.gamma(rng.uniform(0.1, 1), size=(topics, vocabulary)) + 0.05) / (rng.permutation(vocabulary) + 3)
    words /= words.sum(axis=1, keepdims=True)
    classes, weights = np.repeat(np.arange(k), styles), np.repeat(shares, styles) / styles
    own, common = rng.dirichlet(np.full(topics, 0.3), k * styles), rng.dirichlet(np.full(topics, 2.0))
    length, spread = rng.uniform(15, 120), rng.uniform(0.1, 0.6)

    def rows(n, rng, strength):
        chances = (common + strength * own) / (1 + strength) @ words
        part = rng.choice(len(weights), n, p=weights)
        document = np.repeat(np.arange(n), 3 + (length * rng.lognormal(0, spread, n)).astype(int))
        # The limits of style j lie between j and j + 1, so that one search serves all styles.
        limits = (np.arange(len(weights))[:, None] + chances.cumsum(axis=1)).ravel()
        word = np.searchsorted(limits, part[document] + rng.random(len(document))) % vocabulary
        X = np.bincount(document * vocabulary + word, minlength=n * vocabulary).reshape(n, vocabulary)
        return X, classes[part], _by_class(X @ np.log(chances).T + np.log(weights), classes)

    return rows


def ordinal(rng):
    """Survey answers 1 to 5, of which some depend on a hidden score; the classes are levels of the score."""
    (k, shares), d = _classes(rng, most=5), rng.integers(4, 31)
    cuts = np.sort(rng.normal(0, 1.2, (d, 4, 1)), axis=1)
    loads = rng.normal(size=(d, 1, 1)) * (rng.random((d, 1, 1)) < rng.uniform(0.3, 1))
    quantile = (np.arange(60) + 0.5) / 60  # the hidden score takes 60 values, equally often
    level = np.searchsorted(shares.cumsum()[: k - 1], quantile)

    def rows(n, rng, strength):
        hidden = rng.integers(60, size=n)
        below = expit(cuts - strength * loads * ndtri(quantile))  # question, answer, hidden score
        X = 1 + (rng.random((n, d, 1)) > below[np.arange(d), :, hidden[:, None]]).sum(axis=2)
        log_chance = np.log(np.maximum(np.diff(below, axis=1, prepend=0, append=1), 1e-300))
        return X, level[hidden], _by_class(sum(log_chance[j, X[:, j] - 1] for j in range(d)), level)

    return rows


def images(rng):
    """Squares of pixels: a smooth prototype per class, bent in three ways, shifted, with smooth and white noise."""
    (k, shares), (size, most) = _classes(rng, most=10), rng.integers([8, 0], [13, 3])
    distance = np.minimum(np.arange(size), size - np.arange(size)) / rng.uniform(0.8, 2)
    kernel = np.exp(-np.add.outer(distance**2, distance**2) / 2)

    def blur(fields):
        return np.fft.ifft2(np.fft.fft2(fields) * np.fft.fft2(kernel)).real

    bent = blur(rng.normal(size=(k, 1, size, size)) + rng.uniform(0.1, 0.6) * rng.normal(size=(k, 3, size, size)))
    steps = list(product(range(-most, most + 1), repeat=2))
    centres = np.stack([np.roll(bent, step, axis=(2, 3)) for step in steps], axis=2).reshape(-1, size**2)
    classes, weights = (np.repeat(each, 3 * len(steps)) for each in (np.arange(k), shares / 3 / len(steps)))
    smooth = rng.uniform(0, 0.4) * blur(np.eye(size**2).reshape(-1, size, size)).reshape(size**2, -1)
    root = np.linalg.cholesky(smooth.T @ smooth + rng.uniform(0.2, 1) * np.eye(size**2))
    white = np.linalg.solve(root, centres.T).T

    def rows(n, rng, strength):
        X, y, posterior = _gaussians(weights, classes, strength * white, n, rng)
        return X @ root.T, y, posterior

    return rows


def rules(rng):
    """A logical or arithmetic rule over columns of few integers; half of the problems have no label noise."""
    d, levels, clean = rng.integers(4, 16), rng.integers(2, 7), rng.random() < 0.5
    kind = rng.choice(["or of ands", "comparison", "sum", "remainder"])
    k = 2 if kind in ("or of ands", "comparison") else rng.integers(2, 5)
    weights, a = rng.integers(1, 4, 4), rng.permutation(d)
    limits = np.unique(np.quantile(rng.integers(levels, size=(1000, 4)) @ weights, np.arange(1, k) / k))
    # Conditions are met by at most half of the values, so that both classes are frequent.
    ands = [(rng.choice(d, 2, replace=False), rng.integers((levels + 1) // 2, levels, 2)) for _ in range(d // 4 + 2)]
    decide = {
        "or of ands": lambda X: np.any([(X[:, columns] >= least).all(axis=1) for columns, least in ands], axis=0) + 0,
        "comparison": lambda X: (X[:, a[0]] + X[:, a[1]] > X[:, a[2]] + X[:, a[3]]).astype(int),
        "sum": lambda X: np.searchsorted(limits, X[:, a[:4]] @ weights),
        "remainder": lambda X: X[:, a[:2]].sum(axis=1) % k,
    }[kind]

    def rows(n, rng, strength):
        X, random = rng.integers(levels, size=(n, d)), 0 if clean else max(0, 1 - strength)  # rate of random labels
        return _labelled(X, random / k + (1 - random) * np.eye(k)[decide(X)], rng)

    return _disguised(rows, rng)


def regimes(rng):
    """Which linear rule holds depends on a category, or on the region of a further column."""
    (k, _), d, modes, by_category = _classes(rng, 4), rng.integers(2, 13), rng.integers(2, 6), rng.random() < 0.5
    used, columns = rng.random((d, 1)) < rng.uniform(0.4, 1), _columns(d, rng)
    weights = used * rng.normal(size=(modes, d, k)) + rng.normal(size=(d, k)) / 2
    limits = np.arange(1, modes) - 0.5 if by_category else np.sort(rng.normal(size=modes - 1))

    def sample(n, rng):
        return np.column_stack([columns(n, rng), rng.integers(modes, size=n) if by_category else rng.normal(size=n)])

    return _logistic(sample, lambda X: (X[:, :d, None] * weights[np.searchsorted(limits, X[:, d])]).sum(axis=1), rng)


def label_noise(rng):
    """A smooth sharp boundary; then many labels are drawn anew, from each class at a rate of its own."""
    (k, _), d = _classes(rng, most=5), rng.integers(2, 21)
    columns, score, least = _columns(d, rng), _smooth(d, k, rng), rng.uniform(0.1, 0.5, (k, 1))

    def rows(n, rng, strength):
        X, anew = columns(n, rng), least ** np.tanh(strength)
        return _labelled(X, softmax(15 * score(X), axis=1) @ ((1 - anew) * np.eye(k) + anew / k), rng)

    return _disguised(rows, rng)


def many_classes(rng):
    """Ten to forty classes in groups: Gaussians, or profiles of attributes that are present or absent."""
    k, groups, present = rng.integers(10, 41), rng.integers(3, 9), rng.random() < 0.5
    d, shares = int(rng.integers(15, 61) if present else rng.integers(4, 26)), rng.dirichlet(np.full(k, 5.0))
    centres = rng.normal(size=(groups, d))[np.arange(k) % groups] + rng.uniform(0.4, 1.2) * rng.normal(size=(k, d))
    base = rng.normal(-0.5, 1, d)

    def rows(n, rng, strength):
        if not present:
            return _gaussians(shares, np.arange(k), strength * centres, n, rng)
        y, logits = rng.choice(k, n, p=shares), base + strength * centres
        X = (rng.random((n, d)) < expit(logits[y])).astype(float)
        return X, y, softmax(X @ logits.T - np.logaddexp(0, logits).sum(axis=1) + np.log(shares), axis=1)

    return _disguised(rows, rng)


def mixed_tables(rng):
    """Numbers, skewed numbers, and categories; gaps, whose columns of marks may tell about the class."""
    (k, _), d, sizes = _classes(rng, most=5), rng.integers(3, 13), rng.integers(2, 9, rng.integers(2, 9))
    columns, skewed, one_hot, by_value = _columns(d, rng), rng.random(d) < 0.4, rng.random() < 0.5, rng.random() < 0.5
    gap_rate = rng.uniform(0, 0.3, d) * (rng.random(d) < 0.5)
    line, step, gap = (rng.normal(size=(d, k)) * (rng.random((d, 1)) < share) for share in (0.6, 0.3, 0.5))
    categories = [(rng.dirichlet(np.full(size, 2.0)), rng.normal(size=(size, k)) * rng.integers(2)) for size in sizes]

    def rows(n, rng, strength):
        X = columns(n, rng)
        missing = rng.random((n, d)) < gap_rate * (2 * (X > 0) if by_value else 1)  # large values more often
        X[missing] = 0
        scores = X @ line + (X > 0.5) @ step + missing @ gap
        codes = [rng.choice(len(chances), n, p=chances) for chances, _ in categories]
        scores += sum(effect[code] for code, (_, effect) in zip(codes, categories, strict=True))
        coded = [np.eye(size)[code] if one_hot else code for code, size in zip(codes, sizes, strict=True)]
        seen = np.column_stack([np.where(skewed, np.exp(1.5 * X), X), missing[:, gap_rate > 0], *coded])
        return _labelled(seen, softmax(strength * scores, axis=1), rng)

    return _disguised(rows, rng)


def gaussian_modes(rng):
    """One to four modes per class, whose covariances have eigenvalues of very different size."""
    (k, shares), d, modes = _classes(rng, most=5), rng.integers(2, 13), rng.integers(1, 5)
    classes, weights = np.repeat(np.arange(k), modes), np.outer(shares, rng.dirichlet(np.full(modes, 5.0))).ravel()
    turn, spread = np.linalg.qr(rng.normal(size=(modes, d, d)))[0], rng.uniform(0, 2.5)
    size = np.exp(rng.uniform(-spread, spread, (modes, d)))
    common, (own, wider) = rng.normal(0, 2, (modes, d)), rng.normal(size=(2, k, modes, d))

    def rows(n, rng, strength):
        roots = turn * (size * np.exp(0.3 * min(strength, 1) * wider))[:, :, None]
        centres = common + strength * np.einsum("mij,kmj->kmi", turn, size * own)
        return _gaussians(weights, classes, centres.reshape(-1, d), n, rng, roots.reshape(-1, d, d))

    return _disguised(rows, rng)


def smooth_logit(rng):
    """Logits that are a smooth nonlinear function of a few of the columns."""
    (k, _), d = _classes(rng), rng.integers(2, 21)
    return _logistic(_columns(d, rng), _smooth(d, k, rng), rng)


def trees(rng):
    """A random tree of depth 3 to 9; deeper splits matter less."""
    (k, _), d, depth = _classes(rng), rng.integers(3, 16), rng.integers(3, 10)
    feature, cut = rng.integers(d, size=2**depth), rng.normal(0, 0.7, 2**depth)
    pushes = rng.normal(size=(depth, 2**depth, k)) * rng.uniform(0.6, 1) ** np.arange(depth)[:, None, None]

    def score(X):
        node, total = np.ones(len(X), int), np.zeros((len(X), k))  # the children of node i are 2 i and 2 i + 1
        for level in range(depth):
            node = 2 * node + (X[np.arange(len(X)), feature[node]] > cut[node])
            total += pushes[level, node - 2 ** (level + 1)]
        return total

    return _logistic(_columns(d, rng), score, rng)


def sparse_linear(rng):
    """Thirty to two hundred columns, numbers or rare marks, of which two to eight matter."""
    (k, _), d, used = _classes(rng, most=4), rng.integers(30, 161), rng.integers(2, 9)
    weights, columns, marks = np.zeros((d, k)), _columns(d, rng), rng.random() < 0.3
    weights[rng.choice(d, used, replace=False)] = rng.normal(size=(used, k))

    return _logistic(lambda n, rng: columns(n, rng) > 0.8 if marks else columns(n, rng), lambda X: X @ weights, rng)


def interactions(rng):
    """Waves, and products of two or three columns, of their signs or of their waves; each is useless alone."""
    (k, _), d = _classes(rng, most=4), rng.integers(3, 13)
    terms = []
    for form in rng.choice([np.positive, np.sign, np.sin], rng.integers(1, 4)):
        used = rng.choice(d, rng.integers(1 if form is np.sin else 2, 4), replace=False)
        terms.append((form, used, rng.uniform(1.5, 5) / len(used), rng.normal(size=k)))

    def score(X):
        return sum(np.outer(form(speed * X[:, used]).prod(axis=1), weights) for form, used, speed, weights in terms)

    return _logistic(_columns(d, rng), score, rng)


def heavy_tails(rng):
    """Columns with t and lognormal tails and rows of outliers; a logistic rule of the squashed columns."""
    (k, _), d, outliers = _classes(rng, most=5), rng.integers(3, 21), rng.choice([0.0, 0.02, 0.05])
    columns, freedom, spread = _columns(d, rng), rng.uniform(1, 4, d), rng.uniform(0.7, 2.5, d)
    weights, lognormal = rng.normal(size=(d, k)) * (rng.random((d, 1)) < rng.uniform(0.3, 1)), rng.random(d) < 0.4

    def sample(n, rng):
        X = columns(n, rng)
        X = np.where(lognormal, np.exp(spread * X), X / np.sqrt(rng.chisquare(freedom, (n, d)) / freedom))
        return X * np.where(rng.random((n, 1)) < outliers, 10 ** rng.uniform(1, 3, (n, 1)), 1.0)

    return _logistic(sample, lambda X: (np.arcsinh(X) - lognormal) @ weights, rng)


def windows(rng):
    """Windows of a series: autoregressions with other coefficients, or waves of other frequency and any phase."""
    (k, shares), length, waves = _classes(rng, most=5), rng.integers(16, 65), rng.random() < 0.5
    middle, radius, most = rng.uniform([0.9, 0.6, 0.2], [2.2, 0.95, 0.7])
    apart = rng.permutation(np.linspace(-most, most, k))

    def wave_rows(n, rng, strength):
        turns = (middle + apart)[:, None, None] * np.arange(length) + np.pi / 8 * np.arange(16)[:, None]
        weights, classes, centres = np.repeat(shares, 16) / 16, np.repeat(np.arange(k), 16), np.sin(turns)
        return _gaussians(weights, classes, strength * centres.reshape(-1, length), n, rng)

    def auto_rows(n, rng, strength):
        first, second = 2 * radius * np.cos(middle + np.tanh(strength) * apart), -(radius**2)
        y, X = rng.choice(k, n, p=shares), rng.normal(size=(n, length))
        for t in range(2, length):
            X[:, t] += first[y] * X[:, t - 1] + second * X[:, t - 2]
        squares = [((X[:, 2:] - a * X[:, 1:-1] - second * X[:, :-2]) ** 2).sum(axis=1) for a in first]
        return X, y, softmax(np.log(shares) - np.column_stack(squares) / 2, axis=1)

    return wave_rows if waves else auto_rows


def imbalanced(rng):
    """Gaussian modes of different width, with a rarest class of 2 to 10 percent near another class."""
    (k, shares), d, modes = _classes(rng, most=4), rng.integers(2, 16), rng.integers(1, 4)
    shares = np.append(rng.uniform(0.02, 0.1), shares[1:])
    shares[1:] *= (1 - shares[0]) / shares[1:].sum()
    classes, weights = np.repeat(np.arange(k), modes), np.repeat(shares, modes) / modes
    centres, widths = rng.normal(size=(k * modes, d)), rng.normal(0, 0.4, k * modes) * rng.integers(2)
    centres[:modes] = centres[modes : 2 * modes] + rng.uniform(0.5, 1) * rng.normal(size=(modes, d))

    def rows(n, rng, strength):
        roots = np.eye(d) * np.exp(min(strength, 1) * widths)[:, None, None]
        return _gaussians(weights, classes, strength * centres, n, rng, roots)

    return _disguised(rows, rng)


NUMERIC = (regimes, label_noise, gaussian_modes, smooth_logit, trees, interactions, heavy_tails, imbalanced)
OTHERS = (text_counts, ordinal, images, rules, many_classes, mixed_tables, sparse_linear, windows)
FAMILIES = {family.__name__: family for family in (*NUMERIC, *OTHERS)}


def problems(first_seed):
    """Return 20 problems of each family: family, seed, rows and effort."""
    found = []
    for at, (family, i) in enumerate(product(FAMILIES, range(PER_FAMILY))):
        seed = first_seed + 3 * at
        # Evenly spread over the logarithm in every family; the fraction moves each problem within its twentieth.
        n = round(FEWEST * (MOST / FEWEST) ** ((i + 0.618034 * seed % 1) / PER_FAMILY))
        found.append((family, seed, n, "normal" if n <= MOST_NORMAL and i % 2 else "quick"))
    return found


PROBLEMS, AGAIN = problems(9000), problems(11_000)
