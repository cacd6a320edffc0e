"""Tables of any number of rows whose lowest possible error is known, written to Parquet in row groups.

``TRAINING`` are for choosing constants. ``JUDGING`` are six families in which rows matter differently, with parameters
from seeds of their own; nothing is tuned on them. ``OTHERS`` are for memory and cost: ten classes, mixed columns with
gaps, numbers. A problem is made from its family and seed alone, and so is each row group.
"""

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

N_FEATURES, GROUP = 20, 50_000  # rows in a row group
TRAINING = [
    *((family, seed) for family in ("rings", "signs", "fields", "linear", "rules", "blobs") for seed in (11, 12, 13)),
    *(("old lattice", 1), ("old mixture", 2), ("coins", 11), ("coins", 12)),
]
FAMILIES = ("lattice", "mixture", "trees", "interactions", "saturated", "noise")
JUDGING = [(family, seed) for family in FAMILIES for seed in (701, 702)]
OTHERS = [("ten classes", 801), ("mixed", 802), ("numbers", 803)]


class Problem(NamedTuple):
    """``draw(n, rng)`` returns columns and what is expected of each row: P(y = 1), a row of P(y = k), or a mean.

    ``noise`` is the standard deviation of numbers around their mean; None for classes.
    """

    draw: Callable
    noise: float | None = None


def problem_of(family, seed):
    rng = np.random.default_rng([seed, zlib.crc32(family.encode())])
    return _MAKERS[family](rng)


def groups_of(problem, n, seed):
    """Yield columns, labels and what was expected of them by row group, which depends on its number only."""
    for number, start in enumerate(range(0, n, GROUP)):
        rng = np.random.default_rng([seed, number])
        X, expected = problem.draw(GROUP, rng)
        if problem.noise is not None:
            y = (expected + problem.noise * rng.standard_normal(GROUP)).astype(np.float32)
        elif expected.ndim == 1:
            y = (rng.random(GROUP) < expected).astype(np.int8)
        else:
            y = (rng.random((GROUP, 1)) > expected.cumsum(axis=1)[:, :-1]).sum(axis=1).astype(np.int8)
        rows = min(GROUP, n - start)
        X = {name: column[:rows] for name, column in X.items()} if isinstance(X, dict) else X[:rows]
        yield X, y[:rows], expected[:rows]


def write(family, seed, n, path):
    """Write a table with the label in column ``y``; return its lowest possible loss: error, or 1 - R^2."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    problem, losses, sums, file = problem_of(family, seed), 0.0, np.zeros(2), None
    for X, y, expected in groups_of(problem, n, seed):
        columns = X if isinstance(X, dict) else {f"f{at}": np.ascontiguousarray(x) for at, x in enumerate(X.T)}
        table = pa.table({**columns, "y": y})
        texts = [field.name for field in table.schema if pa.types.is_string(field.type)]  # random floats only grow
        file = file or pq.ParquetWriter(path, table.schema, use_dictionary=texts)
        file.write_table(table, row_group_size=GROUP)
        losses += lowest_losses(problem, expected).sum()
        sums += [y.sum(dtype=float), (y.astype(float) ** 2).sum()]
    file.close()
    variance = 1.0 if problem.noise is None else sums[1] / n - (sums[0] / n) ** 2
    return float(losses / n / variance)


def lowest_losses(problem, expected):
    """Return the loss that the best possible prediction expects at each row: of being wrong, or squared."""
    if problem.noise is not None:
        return np.full(len(expected), problem.noise**2)
    return np.minimum(expected, 1 - expected) if expected.ndim == 1 else 1 - expected.max(axis=1)


# Scores of rows: functions of a matrix, as log odds after scaling to a spread.


def _logistic(score, spread, rng, rows="uniform"):
    """Return the problem whose log odds are a score of uniform or normal rows, centred and scaled."""

    def sample(n, rng):
        draw = rng.random if rows == "uniform" else rng.standard_normal
        return draw((n, N_FEATURES), dtype=np.float32)

    few = score(sample(20_000, rng))
    middle, scale = few.mean(), spread / few.std()

    def draw(n, rng):
        X = sample(n, rng)
        return X, 1 / (1 + np.exp(-scale * (score(X) - middle)))

    return Problem(draw)


def _cells(X, columns, levels):
    """Return the number of each row's cell in a lattice."""
    cell = np.zeros(len(X), dtype=np.int64)
    for column in columns:
        cell = cell * levels + (X[:, column] * levels).astype(np.int64)
    return cell


def _lattice_score(rules, rng):
    """Return a sum of rules: columns, levels of each and strength, with a random sign in each cell."""
    signs = [size * rng.choice([-1.0, 1.0], levels ** len(columns)) for columns, levels, size in rules]
    return lambda X: sum(
        sign[_cells(X, columns, levels)] for (columns, levels, _), sign in zip(rules, signs, strict=True)
    )


def _components(middles, widths, expected_of, n_columns=N_FEATURES):
    """Return the problem of normal components; ``expected_of`` maps their probabilities to those of classes."""
    k, d = middles.shape
    middles, widths = middles.astype(np.float32), np.broadcast_to(widths, k).astype(np.float32)

    def draw(n, rng):
        X, own = rng.standard_normal((n, n_columns), dtype=np.float32), rng.integers(0, k, n)
        X[:, :d] = middles[own] + widths[own, None] * X[:, :d]
        away = (X[:, :d] ** 2).sum(axis=1)[:, None] - 2 * X[:, :d] @ middles.T + (middles**2).sum(axis=1)
        near = -away / (2 * widths**2) - d * np.log(widths)
        near = np.exp(near - near.max(axis=1, keepdims=True))
        return X, expected_of(near / near.sum(axis=1, keepdims=True))

    return Problem(draw)


def _two_halves(near):
    return near[:, near.shape[1] // 2 :].sum(axis=1).astype(float)


# Training families.


def _rings(rng):
    """Rings around the middle, of equal width."""
    d, waves = rng.integers(2, 5), rng.uniform(3, 8)
    return _logistic(lambda X: np.cos(waves * np.sqrt((X[:, :d] ** 2).sum(axis=1))), rng.uniform(1.5, 4), rng, "normal")


def _signs(rng):
    """Products of the signs of two to four columns: no column alone tells anything."""
    sets = [rng.choice(N_FEATURES, rng.integers(2, 5), replace=False) for _ in range(rng.integers(2, 7))]
    return _logistic(
        lambda X: sum(np.sign(X[:, some]).prod(axis=1) for some in sets), rng.uniform(1.5, 3), rng, "normal"
    )


def _fields(rng):
    """Fields around random points, each with a value of its own."""
    d, k = rng.integers(2, 6), rng.integers(60, 500)
    points, values = rng.random((k, d)).astype(np.float32), rng.normal(size=k)
    offset = (points**2).sum(axis=1)
    return _logistic(lambda X: values[(offset - 2 * X[:, :d] @ points.T).argmin(axis=1)], rng.uniform(1.5, 3.5), rng)


def _linear(rng):
    weight = rng.normal(size=N_FEATURES) * (rng.random(N_FEATURES) < rng.uniform(0.3, 1))
    weight[0] = 1.0
    return _logistic(lambda X: X @ weight, rng.uniform(1, 4), rng, "normal")


def _rules(rng):
    """Rules of two to four thresholds, each of which fires for a few rows."""
    rules = []
    for _ in range(rng.integers(30, 120)):
        columns = rng.choice(N_FEATURES, rng.integers(2, 5), replace=False)
        rules.append((columns, rng.uniform(0.3, 0.7, len(columns)), rng.choice([-1, 1], len(columns)), rng.normal()))

    def score(X):
        return sum(
            value * np.all([side * X[:, at] > side * limit for at, limit, side in zip(*rule, strict=True)], axis=0)
            for *rule, value in rules
        )

    return _logistic(score, rng.uniform(1.5, 3.5), rng)


def _blobs(rng):
    """Few normal components per class, of different widths."""
    k, d = 2 * int(rng.integers(8, 40)), int(rng.integers(3, 9))
    return _components(rng.normal(size=(k, d)), rng.uniform(0.3, 0.9, k), _two_halves)


def _coins(rng):
    rate = rng.uniform(0.2, 0.5)
    return Problem(lambda n, rng: (rng.standard_normal((n, N_FEATURES), dtype=np.float32), np.full(n, rate)))


def _old_lattice(_):
    """Four rules of growing size: the more rows, the more of them can be learned."""
    rules = ((range(2), 5, 2.0), (range(2, 4), 8, 1.5), (range(4, 7), 8, 1.2), (range(7, 10), 12, 1.0))
    score = _lattice_score(rules, np.random.default_rng(1))

    def draw(n, rng):
        X = rng.random((n, N_FEATURES), dtype=np.float32)
        return X, 1 / (1 + np.exp(-score(X)))

    return Problem(draw)


def _old_mixture(_):
    return _components(np.random.default_rng(2).normal(size=(300, 10)), 0.75, _two_halves)


# Judging families.


def _lattice(rng):
    """Rules on lattices with ever more cells, some of them too many for any number of rows at hand."""
    order, rules = iter(rng.permutation(N_FEATURES)), []
    for k, most in ((2, 7), (2, 12), (3, 9), (3, 16)):
        columns = [next(order) for _ in range(k)]
        rules.append((columns, int(rng.integers(most // 2, most)), rng.uniform(0.8, 1.6)))
    return _logistic(_lattice_score(rules, rng), rng.uniform(2, 3.2), rng)


def _mixture(rng):
    """Each class a mixture of many normal components."""
    k, d = 2 * int(rng.integers(80, 200)), int(rng.integers(7, 13))
    return _components(rng.normal(size=(k, d)), rng.uniform(0.6, 0.85), _two_halves)


def _trees(rng):
    """Sums of random trees, each node with a column and a threshold of its own."""
    trees = []
    for _ in range(rng.integers(5, 25)):
        depth = rng.integers(4, 9)
        nodes = 2**depth - 1
        trees.append(
            (depth, rng.integers(0, N_FEATURES, nodes), rng.uniform(0.2, 0.8, nodes), rng.normal(size=nodes + 1))
        )

    def score(X):
        found, rows = np.zeros(len(X)), np.arange(len(X))
        for depth, column, limit, value in trees:
            at = np.zeros(len(X), dtype=np.int64)
            for _ in range(depth):
                at = 2 * at + 1 + (X[rows, column[at]] > limit[at])
            found += value[at - len(column)]
        return found

    return _logistic(score, rng.uniform(1.5, 3.5), rng)


def _interactions(rng):
    """Products of waves of two or three columns."""
    terms = []
    for _ in range(rng.integers(5, 15)):
        k = rng.integers(2, 4)
        terms.append(
            (rng.choice(N_FEATURES, k, replace=False), rng.uniform(2, 9, k), rng.uniform(0, 6.3, k), rng.normal())
        )
    return _logistic(
        lambda X: sum(size * np.sin(X[:, some] * waves + start).prod(axis=1) for some, waves, start, size in terms),
        rng.uniform(1.5, 3.5),
        rng,
    )


def _saturated(rng):
    """A few cells of three columns, which some thousand rows tell everything about."""
    values = rng.normal(size=(3, 4)).cumsum(axis=1)
    return _logistic(
        lambda X: sum(each[(X[:, at] * 4).astype(int)] for at, each in enumerate(values)), rng.uniform(1.5, 3), rng
    )


def _noise(rng):
    rate = rng.uniform(0.3, 0.5)
    return Problem(lambda n, rng: (rng.random((n, N_FEATURES), dtype=np.float32), np.full(n, rate)))


# Tables for memory and cost.


def _ten_classes(rng):
    """Ten classes of six normal components each, in 12 of 50 columns."""
    return _components(
        1.2 * rng.normal(size=(60, 12)), 0.9, lambda near: near.reshape(-1, 10, 6).sum(axis=2).astype(float), 50
    )


def _mixed(rng):
    """Numbers with gaps, a few small categories and one of 1,000 values; gaps count like a value of their own."""
    names = [np.array([f"{name}{at}" for at in range(k)]) for name, k in (("city", 1000), ("kind", 12), ("plan", 4))]
    effects = [size * rng.normal(size=len(each)) for size, each in zip((1.5, 0.7, 0.5), names, strict=True)]
    unknown, waves = rng.normal(size=8), rng.uniform(1, 4, 8)

    def draw(n, rng):
        columns, logit = {}, np.zeros(n)
        for at in range(12):
            value, gap = rng.standard_normal(n, dtype=np.float32), rng.random(n) < 0.02 * at
            if at < 8:
                logit += 0.6 * np.where(gap, unknown[at], np.sin(waves[at] * value))
            columns[f"number{at}"] = np.where(gap, np.float32("nan"), value)
        for each, effect in zip(names, effects, strict=True):
            code = (len(each) * rng.random(n) ** 2).astype(int)  # some values are rare
            gap = rng.random(n) < 0.03
            logit += np.where(gap, 0.0, effect[code])
            columns[each[0][:-1]] = np.where(gap, None, each[code].astype(object))
        return columns, 1 / (1 + np.exp(-logit))

    return Problem(draw)


def _numbers(rng):
    """A sum of waves of pairs of columns, with noise that is a fifth of the variance."""
    pairs = rng.permutation(N_FEATURES)[:16].reshape(8, 2)
    waves, sizes = rng.uniform(2, 7, (8, 2)), rng.uniform(0.5, 1.5, 8)

    def draw(n, rng):
        X = rng.random((n, N_FEATURES), dtype=np.float32)
        terms = zip(pairs, waves, sizes, strict=True)
        return X, sum(size * np.sin(X[:, pair] * wave).prod(axis=1) for pair, wave, size in terms)

    return Problem(draw, noise=0.5 * float(np.std(draw(20_000, rng)[1])))


_ALL = (_rings, _signs, _fields, _linear, _rules, _blobs, _coins, _old_lattice, _old_mixture)
_ALL += (_lattice, _mixture, _trees, _interactions, _saturated, _noise, _ten_classes, _mixed, _numbers)
_MAKERS = {make.__name__[1:].replace("_", " "): make for make in _ALL}
