"""Families of tables with a known lowest error: with copies, leaks, rare classes or drift, and honest discrete ones.

``draw(family, seed)`` gives one table. Seeds 3000 to 3999 are for development. Seeds 7000 to 7999 are held back: they
come from the same ranges and are looked at once, after the last change of a threshold.
"""

import zlib
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from benchmarks._hazard_sets import slow

MANY = 100_000  # rows of a simulated truth
MOST = 12_000  # rows of a table with copies
POINTS = 0.03  # distance of the target, or of an end of the range, beyond which an answer is wrong


class Drawn(NamedTuple):
    """A table, the lowest possible error of new rows, and a target that is clearly met or clearly missed.

    ``columns`` are those of the hazard, ``known`` is the lowest error between known rows if that is another, and
    ``margin`` is what counts as clearly.
    """

    X: Any
    y: np.ndarray
    truth: float
    target: float
    reachable: bool
    columns: tuple = ()
    known: float | None = None
    margin: float = POINTS


def draw(family, seed):
    """Return the table of a family and a seed."""
    rng = np.random.default_rng([seed, zlib.crc32(family.encode())])
    return GROUPS[FAMILIES[family]][family](rng, seed)


def _log_uniform(low, high, rng):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _judged(X, y, truth, rng, *, true=0.2, **more):
    """Add a target that is 5 to 25 points from the truth; ``true`` is how often the target can be met."""
    reachable = truth < 0.07 or bool(truth < 0.45 and rng.random() < true)
    away = rng.uniform(0.05, 0.25)
    error = truth + away if reachable else max(truth - away, 0.01)
    return Drawn(X, y, float(truth), round(float(1 - error), 3), reachable, **more)


def _shuffled(table, y, rng):
    order = rng.permutation(len(y))
    return table.iloc[order].reset_index(drop=True), y[order]


# Copies. The label is the sign of a linear score plus noise; without a score, a coin flip.


def _gaussian_error(covariance, weight, kept, jitter=0.0):
    """Return the lowest error for the sign of weight @ x + noise, if only some columns are seen, plus jitter."""
    seen = covariance + jitter**2 * np.diag(np.diag(covariance))
    shared = (covariance @ weight)[kept]
    explained = shared @ np.linalg.solve(seen[np.ix_(kept, kept)], shared)
    return np.arccos(np.sqrt(explained / (weight @ covariance @ weight + 1))) / np.pi


def _strength(rng):
    """Return zero for coin flips, in half of the cases, or a weak signal."""
    return rng.choice([0.0, 1.0]) * rng.uniform(0.3, 0.9)


def _numbers(n, d, rng):
    """Return correlated normal columns, their covariance and the weights of a weak score."""
    mix = np.eye(d) + rng.uniform(0, 0.6) * rng.normal(size=(d, d)) / np.sqrt(d)
    covariance, weight = mix.T @ mix, rng.normal(size=d)
    return rng.normal(size=(n, d)) @ mix, covariance, weight * _strength(rng) / np.sqrt(weight @ covariance @ weight)


def _categories(n, d, rng):
    """Return columns of letters, each level as likely as its column says, and functions that draw a column again."""
    chances = [rng.dirichlet(np.full(rng.integers(4, 13), 2.0)) for _ in range(d)]
    again = {
        f"k{j}": partial(rng.choice, np.array(list("abcdefghijkl"))[: len(chance)], p=chance)
        for j, chance in enumerate(chances)
    }
    return pd.DataFrame({name: one(size=n) for name, one in again.items()}), again, chances


def _distinct(form, n, rng):
    """Return rows, labels, functions that draw a column again, and the lowest error without some columns."""
    d = int(rng.integers(4, 21))
    if form == "categorical":
        table, again, chances = _categories(n, max(6, d // 2), rng)
        rate = 0.5 + _strength(rng) / 3 * rng.choice([-1, 1], len(chances[0]))
        y = (rng.random(n) < rate[np.array([ord(letter) - ord("a") for letter in table["k0"]])]).astype(int)
        del again["k0"]  # the only column that matters stays
        return table, y, again, lambda _: float(chances[0] @ np.minimum(rate, 1 - rate))
    X, covariance, weight = _numbers(n, d, rng)
    y = (X @ weight + rng.normal(size=n) > 0).astype(int)
    table = pd.DataFrame(X, columns=[f"m{j}" for j in range(d)])
    again = {f"m{j}": partial(rng.normal, scale=np.sqrt(covariance[j, j])) for j in range(d)}
    if form == "mixed":
        letters, more, _ = _categories(n, int(rng.integers(1, 6)), rng)
        table, again = pd.concat([table, letters], axis=1), again | more
    return (
        table,
        y,
        again,
        lambda gone: _gaussian_error(covariance, weight, [j for j in range(d) if f"m{j}" not in gone]),
    )


def _repeats(how, rng):
    """Return the number of distinct rows, and the distinct row of each row."""
    k = int(rng.integers(2, 21))
    n = int(_log_uniform(60, min(5000, MOST / k), rng))
    if how == "uneven":
        return n, np.repeat(np.arange(n), 1 + rng.poisson(k - 1, n))
    return n, np.repeat(np.arange(n), np.where(np.arange(n) < n // 2, k, 1) if how == "half" else k)


def _copies(rng, seed, *, form=None, how="even", redrawn=0, noise=False):
    """Exact copies, or copies with some columns drawn again or with one more column."""
    n, row = _repeats(how, rng)
    form = form or ("numeric", "categorical", "mixed")[seed % 3]
    table, y, again, error = _distinct(form, n, rng)
    table, gone = table.iloc[row].reset_index(drop=True), rng.permutation(list(again))[:redrawn]
    for name in gone:
        table[name] = again[name](size=len(row))
    if noise:
        table.insert(int(rng.integers(table.shape[1] + 1)), "extra", _noise_column(len(row), seed, rng))
    return _judged(*_shuffled(table, y[row], rng), error(gone), rng)


def _noise_column(n, seed, rng):
    return (rng.normal(0, 3, n), rng.lognormal(size=n).round(2), rng.permutation(n), rng.integers(50, size=n))[seed % 4]


def _jittered(rng, seed, *, low, high, per_copy=False):
    """Copies with noise in every column, of one size or of another size in each copy."""
    n, row = _repeats(("even", "even", "uneven")[seed % 3], rng)
    X, covariance, weight = _numbers(n, int(rng.integers(4, 21)), rng)
    y = (X @ weight + rng.normal(size=n) > 0).astype(int)
    size = np.exp(rng.uniform(np.log(low), np.log(high), len(row) if per_copy else 1))
    X = X[row] + size[:, None] * np.sqrt(np.diag(covariance)) * rng.normal(size=(len(row), X.shape[1]))
    # The sign of the best score is best at every size of the noise only if all columns are alike: a close bound.
    every = list(range(X.shape[1]))
    truth = np.mean([_gaussian_error(covariance, weight, every, one) for one in size[:200]])
    return _judged(*_shuffled(pd.DataFrame(X).add_prefix("m"), y[row], rng), truth, rng)


def _smote(rng, seed):
    """A rare class filled up with points between its rows: any two, or one and one of its five nearest."""
    n, d, share = int(_log_uniform(400, 4000, rng)), int(rng.integers(4, 16)), rng.uniform(0.05, 0.3)
    apart = rng.choice([0.0, 1.0]) * rng.uniform(0.3, 1.0)
    y = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, d)) + apart * y[:, None] / np.sqrt(d)
    rare = X[y == 1]
    first = rng.integers(len(rare), size=n - 2 * len(rare))
    near = np.argsort(((rare[:, None] - rare) ** 2).sum(axis=2), axis=1)[first, rng.integers(1, 6, len(first))]
    second = near if seed % 2 else rng.integers(len(rare), size=len(first))
    made = rare[first] + rng.random((len(first), 1)) * (rare[second] - rare[first])
    X, y = np.r_[X, made], np.r_[y, np.ones(len(made), int)]
    return _judged(*_shuffled(pd.DataFrame(X).add_prefix("m"), y, rng), norm.cdf(-apart / 2), rng)


def _word_rows(n, rng):
    """Return texts of common and rare words, with labels that one word tells, rarely right enough to help."""
    size = int(rng.integers(8, 31))
    words = np.array([f"w{j}" for j in range(int(rng.integers(200, 3000)))])
    rank = 1 / np.arange(3, len(words) + 3)
    texts = rng.choice(words, (n, size), p=rank / rank.sum()).astype(object)
    y, wrong = rng.integers(2, size=n), rng.choice([0.5, rng.uniform(0.3, 0.45)])
    said = np.where(rng.random(n) < wrong, 1 - y, y)
    texts[np.arange(n), rng.integers(size, size=n)] = np.array(["calm", "loud"], dtype=object)[said]
    return texts, words, y, wrong


def _text_copies(rng, seed):
    """Texts of which one word is changed in each copy."""
    n, k = int(_log_uniform(80, 1000, rng)), int(rng.integers(2, 9))
    texts, words, y, wrong = _word_rows(n, rng)
    row, size = np.repeat(np.arange(n), k), texts.shape[1]
    texts = texts[row]
    texts[np.arange(len(row)), rng.integers(size, size=len(row))] = rng.choice(words, len(row))
    table = pd.DataFrame({"text": [" ".join(each) for each in texts]})
    if seed % 2:
        table["amount"] = rng.normal(size=len(row))
    return _judged(*_shuffled(table, y[row], rng), wrong + (0.5 - wrong) / size, rng)


def _patients(rng, seed):
    """Rows of persons, of whom no column tells; each has one label."""
    m, d, spread = int(rng.integers(40, 201)), int(rng.integers(4, 21)), rng.uniform(0.2, 0.7)
    X, covariance, weight = _numbers(m, d, rng)
    y = (X @ weight + rng.normal(size=m) > 0).astype(int)
    row = np.repeat(np.arange(m), 1 + rng.poisson(rng.integers(4, 30), m))
    X = X[row] + spread * np.sqrt(np.diag(covariance)) * rng.normal(size=(len(row), d))
    truth = _gaussian_error(covariance, weight, list(range(d)), spread)
    table = pd.DataFrame(X).add_prefix("m")
    if seed % 3 == 0:
        table["height"] = rng.normal(170, 9, m).round(1)[row]
    return _judged(*_shuffled(table, y[row], rng), truth, rng)


# Leaks. Classes are equally frequent normal clouds; the truth is the error without the columns that leak.


def _clouds(n, n_classes, error, rng):
    """Return rows, labels, and the error of the nearest centre, which is the best rule; about ``error`` for a pair."""
    d = int(rng.integers(n_classes, 16))
    centres = np.linalg.qr(rng.normal(size=(d, n_classes)))[0].T * np.sqrt(2) * norm.isf(error)
    y, new = rng.integers(n_classes, size=n), rng.integers(n_classes, size=MANY)
    score = (centres[new] + rng.normal(size=(MANY, d))) @ centres.T  # all centres have one length
    return centres[y] + rng.normal(size=(n, d)), y, float(np.mean(score.argmax(axis=1) != new))


def _alone(y, how, rng):
    k, codes, words = y.max() + 1, rng.permutation(90), np.array(["open", "closed", "void", "paid"])
    return {
        "copy": lambda: {"result": rng.permutation(words)[y]},
        "code": lambda: {"c7": codes[y]},
        "one-hot": lambda: {f"is_{word}": (y == j).astype(int) for j, word in enumerate(words[:k])},
        "noisy copy": lambda: {"balance": 10.0 * y + rng.normal(size=len(y))},
    }[how]()


def _joint(y, how, rng):
    n, bit = len(y), rng.integers(2, size=len(y))
    if how.startswith("split"):
        m = int(how[-1])
        where = rng.integers(m, size=n)
        return {f"s{j}": np.where(where == j, y + 1, 0) for j in range(m)}
    usual = 50 + _log_uniform(1, 30, rng) * rng.normal(size=n)
    words = np.array(["no", "yes"]) if rng.random() < 0.5 else np.arange(2)
    return {
        "xor": lambda: {"u": words[bit], "v": words[bit ^ y]},
        "difference": lambda: {"before": usual, "after": usual + y + 0.1 * rng.normal(size=n)},
        "two noisy": lambda: {"p": y + rng.uniform(0.15, 0.25) * rng.normal(size=n), "q": y + 0.2 * rng.normal(size=n)},
    }[how]()


def _marks(y, how, rng):
    n, number = len(y), rng.integers(10**6, size=len(y))
    said = np.array(["negative", "positive"])[np.minimum(y, 1)]
    return {
        "prefix": lambda: {"uid": [f"{'NPQR'[c]}{v:06d}" for c, v in zip(y, number, strict=True)]},
        "range": lambda: {"number": 100_000 * (y + 1) + rng.permutation(n)},
        "path": lambda: {"path": [f"/data/{'abcd'[c]}/{v}.png" for c, v in zip(y, number, strict=True)]},
        "note": lambda: {
            "note": [f"seen by {v % 99}, test {w}, at {v % 24} h" for v, w in zip(number, said, strict=True)]
        },
    }[how]()


def _gaps(y, how, rng):
    """Values that are missing in one class."""
    value = {"number": rng.normal, "whole": partial(rng.integers, 1000), "letter": partial(rng.choice, list("abcde"))}
    column = pd.Series(value[how](size=len(y)))
    gone = (y == rng.integers(y.max() + 1)) & (rng.random(len(y)) < rng.choice([1.0, 0.97]))
    return {"lab": column.where(~gone)}


def _dates(y, how, rng):
    n, start = len(y), pd.Timestamp("2021-03-01")
    later = pd.Series(start + pd.to_timedelta(rng.integers(900, size=n), unit="D"))
    return {
        "date": lambda: {"done": start + pd.to_timedelta(y * 400 + rng.integers(380, size=n), unit="D")},
        "stamp": lambda: {"seen": start + pd.to_timedelta(y * 40 + 38 * rng.random(n), unit="D").round("s")},
        "hour": lambda: {"seen": later + pd.to_timedelta(y * 6 + 5 * rng.random(n), unit="h").round("s")},
        "date with gaps": lambda: {"left": later.where(y != rng.integers(y.max() + 1))},
    }[how]()


LEAKS = {
    _alone: ("copy", "code", "one-hot", "noisy copy"),
    _joint: ("split 2", "xor", "difference", "two noisy", "split 3", "split 4"),
    _marks: ("prefix", "range", "path", "note"),
    _gaps: ("number", "whole", "letter"),
    _dates: ("date", "stamp", "hour", "date with gaps"),
}
TWO_CLASSES = ("xor", "difference", "two noisy", "note", "date with gaps")


def _leak(rng, seed, *, maker=None, easy=False):
    """One to four columns that give the label away, beside columns that say little, or nearly everything."""
    maker = maker or list(LEAKS)[seed % len(LEAKS)]
    how = LEAKS[maker][(seed // (len(LEAKS) if easy else 1)) % len(LEAKS[maker])]
    k = 2 if how in TWO_CLASSES or maker is _gaps else int(rng.integers(2, 5))
    n = int(_log_uniform(400, 5000, rng))
    error = rng.uniform(1e-6, 0.015 / (k - 1)) if easy else rng.uniform(0.2, 0.45)
    X, y, truth = _clouds(n, k, error, rng)
    table, extra = pd.DataFrame(X).add_prefix("m"), pd.DataFrame(maker(y, how, rng))
    table = pd.concat([table, extra], axis=1)[list(rng.permutation([*table.columns, *extra.columns]))]
    return _judged(table, y, truth, rng, columns=tuple(extra.columns))


# Rare classes: at no place is the rare class the likelier one, so guessing is best.


def _rare(rng, seed, *, signal):
    n, d = int(_log_uniform(2000, 50_000, rng)), int(rng.integers(3, 13))
    share = _log_uniform(max(0.002, 12 / n), 0.05, rng)
    strength = rng.uniform(0.5, 1.2) if signal else 0.0

    def chance(score):
        return np.minimum(0.45, share * np.exp(strength * score - strength**2 / 2))

    X, weight = rng.normal(size=(n, d)), rng.normal(size=d)
    y = (rng.random(n) < chance(X @ weight / np.linalg.norm(weight))).astype(int)
    truth = float(chance(rng.normal(size=10 * MANY)).mean())
    reachable = bool(seed % 2)
    error = truth * (1.8 if reachable else 0.4)  # three points would be more than the class has
    return Drawn(pd.DataFrame(X).add_prefix("m"), y, truth, 1 - error, reachable, margin=0.5 * truth)


# Drift. The truth is that of later rows; between known rows more is known.


def _drift(rng, seed, *, dated):
    """A score whose weights turn and fade; the rows tell their time, or only their order does."""
    n, d, turn = int(_log_uniform(1500, 8000, rng)), int(rng.integers(3, 11)), rng.uniform(0.5, 2.5)
    strong, weak = rng.uniform(1.5, 3), rng.uniform(0.3, 1)

    def strength(time):
        return np.maximum(0.1, strong + (weak - strong) * time)

    time, later = np.sort(rng.random(n)), rng.uniform(1, 1.25, MANY)
    plane = np.linalg.qr(rng.normal(size=(d, 2)))[0]
    X = rng.normal(size=(n, d))
    score = ((X @ plane) * np.column_stack([np.cos(turn * time), np.sin(turn * time)])).sum(axis=1)
    y = (strength(time) * score + rng.normal(size=n) > 0).astype(int)
    # The newest rows tell the last weights; later ones have turned away from them.
    sure = strength(later) / np.sqrt(1 + strength(later) ** 2)
    truth = float(np.mean(np.arccos(sure * np.cos(turn * (later - 1)))) / np.pi)
    times, points = np.linspace(0, 1, 51), rng.normal(size=(MANY // 5, 2))
    chance = norm.cdf(strength(times) * (points @ np.stack([np.cos(turn * times), np.sin(turn * times)])))
    chance = chance if dated else chance.mean(axis=1)
    known = float(np.minimum(chance, 1 - chance).mean())
    table = pd.DataFrame(X).add_prefix("m")
    columns = ()
    if dated:
        columns = (("timestamp", "date", "recorded_at")[seed % 3],)
        hours = (time * n).round() if columns == ("date",) else time * n * 0.5
        table.insert(
            0,
            columns[0],
            pd.Timestamp("2023-02-01") + pd.to_timedelta(hours, unit="D" if columns == ("date",) else "h").round("s"),
        )
        if rng.random() < 0.5:
            table, y = _shuffled(table, y, rng)
    # A target between the two truths can be met between known rows only.
    target = round(1 - (known + truth) / 2, 3)
    return Drawn(table, y, truth, target, reachable=False, columns=columns, known=known)


def _slow_features(rng, _seed):
    """Two features that drift slowly, in file order, and a label that a hidden slow cause decides."""
    n, memory = int(_log_uniform(800, 6000, rng)), 1 - _log_uniform(0.002, 0.03, rng)
    X, pull, y = slow(n, 2, memory, rng), _strength(rng), np.zeros(n, int)
    while not 0.2 < y.mean() < 0.8:
        y = (pull * X[:, 0] + slow(n, 1, memory, rng)[:, 0] > 0).astype(int)
    table = pd.DataFrame(X, columns=["level", "flow"])
    for j in range(int(rng.integers(0, 4))):
        table[f"noise{j}"] = rng.normal(size=n)
    truth = float(np.arccos(pull / np.sqrt(1 + pull**2)) / np.pi)
    return _judged(table, y, truth, rng, true=0, known=float(np.mean(y[1:] != y[:-1])))


# Honest discrete tables: equal rows occur, or every combination does, and all rows are independent.


def _labelled(rows, fresh, scores, rng):
    """Draw labels from a softmax of the scores; the truth comes from fresh rows."""

    def chances(table):
        score = scores(np.asarray(table, dtype=float))
        chance = np.exp(score - score.max(axis=1, keepdims=True))
        return chance / chance.sum(axis=1, keepdims=True)

    y = (rng.random((len(rows), 1)) > chances(rows).cumsum(axis=1)[:, :-1]).sum(axis=1)
    return y, float(np.mean(1 - chances(fresh).max(axis=1)))


def _linear_scores(X, n_classes, rng):
    """Return a function that gives linear scores of rows, moderately sure."""
    weight, sure = rng.normal(size=(X.shape[1], n_classes)), rng.uniform(0.5, 2.5)
    centre, spread = X.mean(axis=0), (X @ weight).std()
    return lambda rows: sure * (rows - centre) @ weight / spread


def _named(X, rng):
    """Return codes as whole numbers or as letters."""
    table = pd.DataFrame(X).add_prefix("q")
    return table if rng.random() < 0.5 else table.map(lambda code: "abcdefghijklmnop"[code])


def _noisy(y, error, rng):
    """Replace a fraction of the labels by another one."""
    k = y.max() + 1
    return np.where(rng.random(len(y)) < error, (y + rng.integers(1, k, len(y))) % k, y)


def _lattice(rng, seed, *, levels):
    """All combinations, or a part of them, once; the label follows a rule of all columns, exactly or with noise."""
    X = np.indices(levels).reshape(len(levels), -1).T
    effects = [rng.normal(size=size) * rng.uniform(0.3, 1.5) for size in levels]
    score = sum(effect[X[:, j]] for j, effect in enumerate(effects))
    y = np.digitize(score, np.quantile(score, np.sort(rng.uniform(0.1, 0.9, rng.integers(1, 4)))))
    y[X[:, 0] == 0] = 0  # one level decides alone, as in the originals
    error = 0.0 if seed % 2 else rng.uniform(0.03, 0.25)
    part = rng.permutation(len(X))[: int(len(X) * rng.choice([1.0, rng.uniform(0.15, 0.8)]))]
    return _judged(_named(X[part], rng), _noisy(y, error, rng)[part], error, rng, true=0.5)


def _chess(rng, _seed):
    """Three pieces on a board; the label is a number of moves that the squares decide."""
    X = rng.integers(8, size=(int(_log_uniform(1000, 10_000, rng)), 6))
    X = np.unique(X, axis=0)[rng.permutation(len(np.unique(X, axis=0)))]
    king, rook, other = X[:, :2], X[:, 2:4], X[:, 4:]
    edge = np.minimum(other, 7 - other).min(axis=1)
    moves = np.abs(king - other).max(axis=1) + 2 * edge + (rook == other).any(axis=1)
    y = np.unique(np.minimum(moves, rng.integers(5, 14)), return_inverse=True)[1]
    return _judged(_named(X, rng), y, 0.0, rng, true=1)


def _flare(rng, _seed):
    """Few levels of which one is common, and a common class: many equal rows with different labels."""
    chances = [rng.dirichlet(np.full(size, 0.7)) for size in (7, 6, 4, 2, 3, 3, 2, 2, 2, 2)]

    def rows(n):
        return np.column_stack([rng.choice(len(chance), n, p=chance) for chance in chances])

    X, fresh = rows(int(_log_uniform(300, 2000, rng))), rows(MANY)
    scores, usual = _linear_scores(fresh, 3, rng), np.array([rng.uniform(1, 3), 0, 0])
    y, truth = _labelled(X, fresh, lambda table: scores(table) + usual, rng)
    return _judged(_named(X, rng), y, truth, rng, true=0.5)


def _survey(rng, _seed):
    """Answers from 1 to 5 that have an opinion in common."""
    d = int(rng.integers(4, 26))
    common, bias = rng.uniform(0.2, 1, d), rng.normal(3, 0.7, d)

    def rows(n):
        return np.clip(np.round(bias + common * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, d))), 1, 5).astype(
            int
        )

    X, fresh = rows(int(_log_uniform(300, 8000, rng))), rows(MANY)
    y, truth = _labelled(X, fresh, _linear_scores(fresh, int(rng.integers(2, 5)), rng), rng)
    return _judged(_named(X, rng), y, truth, rng, true=0.5)


def _crowded(rng, seed):
    """A small table of which most combinations occur many times, each with its own rate, or with a sure label."""
    q, d = [(2, 5), (2, 7), (3, 4), (3, 5), (4, 4)][seed % 5]
    cells = np.indices((q,) * d).reshape(d, -1).T
    rate = rng.beta(*rng.uniform(0.3, 2, 2), len(cells))
    rate = np.round(rate) if seed % 3 == 0 else rate
    cell = rng.integers(len(cells), size=int(len(cells) * rng.uniform(3, 30)))
    y = (rng.random(len(cell)) < rate[cell]).astype(int)
    return _judged(_named(cells[cell], rng), y, float(np.minimum(rate, 1 - rate).mean()), rng, true=0.5)


def _counts(rng, _seed):
    mean = rng.uniform(0.3, 8, int(rng.integers(3, 15)))
    X, fresh = (rng.poisson(mean, (n, len(mean))) for n in (int(_log_uniform(300, 8000, rng)), MANY))
    scores = _linear_scores(np.sqrt(fresh), int(rng.integers(2, 5)), rng)
    y, truth = _labelled(X, fresh, lambda rows: scores(np.sqrt(rows)), rng)
    return _judged(pd.DataFrame(X).add_prefix("n"), y, truth, rng, true=0.5)


HONEST = {
    "nursery": partial(_lattice, levels=(3, 5, 4, 4, 3, 2, 3, 3)),
    "car": partial(_lattice, levels=(4, 4, 4, 3, 3, 3)),
    "flare": _flare,
    "chess": _chess,
    "survey": _survey,
    "crowded": _crowded,
    "counts": _counts,
}
COPIES = {
    "exact numeric": partial(_copies, form="numeric"),
    "exact categorical": partial(_copies, form="categorical"),
    "exact mixed": partial(_copies, form="mixed"),
    "uneven": partial(_copies, how="uneven"),
    "half copied": partial(_copies, how="half"),
    "one redrawn": partial(_copies, redrawn=1),
    "noise column": partial(_copies, noise=True),
    "jitter": partial(_jittered, low=1e-3, high=0.3),
    "jitter per copy": partial(_jittered, low=1e-3, high=0.6, per_copy=True),
    "smote": _smote,
    "texts": _text_copies,
}
APART = {  # what nobody can promise to find
    "two redrawn": partial(_copies, redrawn=2),
    "strong jitter": partial(_jittered, low=0.3, high=0.6),
    "hidden groups": _patients,
}
GIVEN_AWAY = {
    "leak in one": partial(_leak, maker=_alone),
    "leak in several": partial(_leak, maker=_joint),
    "leak in marks": partial(_leak, maker=_marks),
    "gaps": partial(_leak, maker=_gaps),
    "dates": partial(_leak, maker=_dates),
}
DRIFT = {
    "drift, dated": partial(_drift, dated=True),
    "drift, in order": partial(_drift, dated=False),
    "slow features": _slow_features,
}
RARE = {"rare": partial(_rare, signal=False), "rare with signal": partial(_rare, signal=True)}
EASY = {"leak in an easy task": partial(_leak, easy=True)}
GROUPS = {
    "copies": COPIES,
    "apart": APART,
    "leaks": GIVEN_AWAY,
    "easy": EASY,
    "drift": DRIFT,
    "rare": RARE,
    "honest": HONEST,
}
CAUSES = {"copies": "copies", "apart": "copies", "leaks": "leak", "easy": "leak", "drift": "time"}
FAMILIES = {family: group for group, drawers in GROUPS.items() for family in drawers}
