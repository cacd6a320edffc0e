"""Generated tables with groups or a time order, and tables without any hazard."""

from typing import NamedTuple

import numpy as np
import pandas as pd

PLANTED = ("groups", "time")
CLEAN = (
    *("gaussians", "modes", "curve", "rare", "whole numbers", "heavy tails", "sorted", "one strong column"),
    *("table", "harmless ids", "harmless dates", "codes", "two strong columns", "texts"),
)


class Made(NamedTuple):
    """A table, its labels, and the column that is the hazard, if one is."""

    table: pd.DataFrame
    y: np.ndarray
    column: str = ""


def make(kind, seed):
    """Return the table of a kind and a seed."""
    rng = np.random.default_rng([seed, (*PLANTED, *CLEAN).index(kind)])
    return {**_PLANTERS, **_CLEAN}[kind](rng)


def _labels(score, rng, noise=1.0):
    """Draw classes whose log odds are these scores, one column per class."""
    chance = np.exp(score / noise - (score / noise).max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    return (rng.random((len(score), 1)) > chance.cumsum(axis=1)).sum(axis=1)


def _scores(X, n_classes, rng, strength):
    """Return scores that are linear in a few columns, plus a bend."""
    weight = rng.normal(size=(X.shape[1], n_classes)) * (rng.random((X.shape[1], 1)) < 0.7)
    bend = np.sin(X[:, :1] + X[:, -1:]) * rng.normal(size=(1, n_classes))
    score = X @ weight + bend
    return strength * score / score.std()


def _frame(X, rng, *, extra=True):
    table = pd.DataFrame(X.round(4), columns=[f"m{j}" for j in range(X.shape[1])])
    if extra and rng.random() < 0.5:
        table["kind"] = rng.choice(["north", "south", "east", "west"], len(X))
    return table


# Planted hazards.


def _groups(rng):
    """Rows of a person: nearly one label each, and measurements around the person's own."""
    n_groups, each = int(rng.integers(40, 250)), int(rng.integers(4, 30))
    d, n_classes = int(rng.integers(3, 15)), int(rng.integers(2, 4))
    label = rng.integers(0, n_classes, n_groups)
    centre = rng.normal(size=(n_classes, d)) * rng.uniform(0.3, 0.8)
    usual = centre[label] + rng.normal(size=(n_groups, d))
    group = np.repeat(np.arange(n_groups), each)
    X = usual[group] + rng.uniform(0.1, 0.8) * rng.normal(size=(len(group), d))
    y = label[group]
    flipped = rng.random(len(y)) < rng.choice([0.0, 0.02])
    y = np.where(flipped, rng.integers(0, n_classes, len(y)), y)
    table = _frame(X, rng)
    name, form = [
        ("patient_id", "P-{:04d}"),
        ("subject", "{}"),
        ("user_id", None),
        ("session", "s{:x}"),
        ("device", "dev-{:03d}"),
        ("Probe", "x{:05d}"),
    ][rng.integers(6)]
    if name == "Probe" and n_groups <= 40:
        name = "probe_id"
    table.insert(0, name, [form.format(7 * g + 11) for g in group] if form else 7 * group + 11)
    order = rng.permutation(len(y)) if rng.random() < 0.5 else np.arange(len(y))
    return Made(table.iloc[order].reset_index(drop=True), y[order], name)


def slow(n, d, memory, rng):
    """Return columns that change slowly, with unit variance."""
    steps = rng.normal(size=(n, d)) * np.sqrt(1 - memory**2)
    steps[0] /= np.sqrt(1 - memory**2)
    for row in range(1, n):
        steps[row] += memory * steps[row - 1]
    return steps


def _time(rng):
    """Slow measurements, and a slow cause that is not measured."""
    n, d, n_classes = int(rng.integers(1500, 7000)), int(rng.integers(4, 12)), int(rng.integers(2, 4))
    X = slow(n, d, rng.uniform(0.93, 0.99), rng)
    hidden = slow(n, n_classes, rng.uniform(0.95, 0.99), rng) * rng.uniform(1.2, 2.5)
    y = _labels(_scores(X, n_classes, rng, rng.uniform(1.0, 2.0)) + hidden, rng)
    table = _frame(X, rng)
    how = rng.integers(3)
    if how == 0:
        table.insert(0, "timestamp", pd.date_range("2024-03-01", periods=n, freq="30min"))
    elif how == 1:
        table["time"] = np.arange(n) * 0.5 + 100
    order = rng.permutation(n) if how == 0 and rng.random() < 0.5 else np.arange(n)
    return Made(table.iloc[order].reset_index(drop=True), y[order], ("timestamp", "time", "")[how])


_PLANTERS = {"groups": _groups, "time": _time}


# Tables without a hazard.


def _size(rng):
    return int(rng.integers(400, 5000)), int(rng.integers(2, 15)), int(rng.integers(2, 6))


def _gaussians(rng):
    n, d, n_classes = _size(rng)
    y = rng.integers(0, n_classes, n)
    return Made(_frame(rng.normal(size=(n_classes, d))[y] * rng.uniform(0.3, 1.5) + rng.normal(size=(n, d)), rng), y)


def _modes(rng):
    """Classes of many tight clusters."""
    n, d, n_classes = _size(rng)
    mode = rng.integers(0, 30, n)
    y = rng.permutation(np.arange(30) % n_classes)[mode]
    y = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y)
    return Made(_frame(3 * rng.normal(size=(30, d))[mode] + rng.uniform(0.2, 1) * rng.normal(size=(n, d)), rng), y)


def _curve(rng):
    """A curved surface in more dimensions, with a little noise."""
    n, d, n_classes = _size(rng)
    plane = rng.normal(size=(n, 2))
    X = np.sin(plane @ rng.normal(size=(2, d)) + rng.normal(size=d)) + 0.02 * rng.normal(size=(n, d))
    return Made(_frame(X, rng), _labels(_scores(plane, n_classes, rng, 2.0), rng))


def _rare(rng):
    """A class of two percent."""
    n, d, _ = _size(rng)
    y = (rng.random(n) < max(0.02, 20 / n)).astype(int)
    return Made(_frame(rng.normal(size=(n, d)) + y[:, None] * rng.uniform(0.5, 2), rng), y)


def _whole_numbers(rng):
    n, d, n_classes = _size(rng)
    X = rng.poisson(rng.uniform(1, 20, d), size=(n, d)).astype(float)
    return Made(_frame(X, rng), _labels(_scores(np.sqrt(X), n_classes, rng, 2.0), rng))


def _heavy_tails(rng):
    n, d, n_classes = _size(rng)
    X = np.exp(rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d))
    return Made(_frame(X, rng), _labels(_scores(np.log(X), n_classes, rng, 2.0), rng))


def _sorted(rng):
    """Rows sorted by class, as many files are."""
    made = _gaussians(rng)
    order = np.argsort(made.y, kind="stable")
    return Made(made.table.iloc[order].reset_index(drop=True), made.y[order])


def _one_strong_column(rng):
    """One column that knows most, but not all."""
    n, d, n_classes = _size(rng)
    X = rng.normal(size=(n, d + 1))
    y = _labels(_scores(X[:, 1:], n_classes, rng, 0.7), rng)
    X[:, 0] += y * rng.uniform(1.0, 2.5)
    return Made(_frame(X, rng), y)


def _table(rng):
    """Categories, dates and amounts, as in a business table."""
    n, _, n_classes = _size(rng)
    X = rng.normal(size=(n, 3))
    region = rng.integers(0, 6, n)
    y = _labels(_scores(np.column_stack([X, region == 2]), n_classes, rng, 1.5), rng)
    table = pd.DataFrame({"amount": np.exp(X[:, 0]).round(2), "age": (40 + 12 * X[:, 1]).round(), "score": X[:, 2]})
    table["region"] = np.array(["A", "B", "C", "D", "E", "F"])[region]
    table["customer_id"] = [f"C{number:06d}" for number in rng.permutation(10 * n)[:n]]
    table["signup_date"] = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    table["note"] = rng.choice(["", "called", "wrote", "called twice"], n)
    return Made(table, y)


def _harmless_ids(rng):
    """An id that repeats, but whose rows have nothing else in common."""
    made = _gaussians(rng)
    n = len(made.y)
    name, n_groups = rng.choice(["store_id", "user_id", "batch", "session"]), int(rng.integers(20, max(21, n // 3)))
    return Made(made.table.assign(**{name: [f"{name[0]}{g}" for g in rng.integers(0, n_groups, n)]}), made.y)


def _harmless_dates(rng):
    """Rows in order of a date that matters a little, as a slow trend."""
    made = _gaussians(rng)
    n = len(made.y)
    days = np.sort(rng.integers(0, 700, n))
    trend = made.table["m0"] + 0.5 * days / 700
    return Made(made.table.assign(m0=trend, date=pd.Timestamp("2022-01-01") + pd.to_timedelta(days, unit="D")), made.y)


def _codes(rng):
    """A code with many levels, each with its own class rates."""
    made = _gaussians(rng)
    n, n_classes = len(made.y), int(made.y.max()) + 1
    code = rng.integers(0, max(45, n // 20), n)
    rates = rng.normal(size=(code.max() + 1, n_classes))
    y = _labels(rates[code] + 1.5 * np.eye(n_classes)[made.y], rng)
    return Made(made.table.assign(zip=10000 + 7 * code), y)


def _two_strong_columns(rng):
    """Three classes that two columns nearly tell apart, as the petals of iris do."""
    n, d = int(rng.integers(150, 3000)), int(rng.integers(2, 12))
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, d + 2)) + 0.6 * y[:, None]
    X[:, :2] += y[:, None] * rng.uniform(2.0, 4.0) + 0.6 * rng.normal(size=(n, 1))
    return Made(_frame(X, rng), y)


def _texts(rng):
    """Independent short texts; some words are usual in one class."""
    n, n_words, size = int(rng.integers(400, 2000)), int(rng.integers(200, 2000)), int(rng.integers(8, 30))
    y, rank = rng.integers(0, 2, n), np.arange(n_words)
    chances = [1 / (3 + rng.permuted(rank) * rng.uniform(0.1, 0.5) + rank) for _ in range(2)]
    words = np.array([f"w{j}" for j in rank])
    texts = [" ".join(rng.choice(words, size, p=chances[c] / chances[c].sum())) for c in y]
    return Made(pd.DataFrame({"text": texts, "amount": rng.normal(size=n).round(2)}), y)


_CLEAN = {
    "gaussians": _gaussians,
    "modes": _modes,
    "curve": _curve,
    "rare": _rare,
    "whole numbers": _whole_numbers,
    "heavy tails": _heavy_tails,
    "sorted": _sorted,
    "one strong column": _one_strong_column,
    "table": _table,
    "harmless ids": _harmless_ids,
    "harmless dates": _harmless_dates,
    "codes": _codes,
    "two strong columns": _two_strong_columns,
    "texts": _texts,
}
