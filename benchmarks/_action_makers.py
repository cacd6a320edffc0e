"""Problems with known parts of the error, and tables with a known best next step.

A family makes a law: rows, and the chance of each class at every row if labels are right. Wrong labels mix the classes,
so that the lowest error with and without them is known at every row. Truths are means over 200,000 rows (20,000 for
tables), and errors of models are those at up to 50,000 of them. Families for training and for judging have nothing in
common.

The best step of a table follows from true gains: what right labels, four times the rows, a strong model and perfect
features bring. Tables in which another gain is more than two thirds of the largest were left out. This needs no check:
``python -m benchmarks._action_makers`` computes gains, selects tables and writes ``next_step.json``.
"""

import json
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks import _known
from benchmarks._known import draw_labels, two_columns
from benchmarks._metric_makers import JUDGING_MAKERS, TRAINING_MAKERS, log_int, log_uniform
from benchmarks._results import plain

TABLES = Path(__file__).with_name("next_step.json")
TRUTH_ROWS, TEST_ROWS, TABLE_ROWS = 200_000, 50_000, 20_000
FACTOR = 1.5  # how many times any other gain the largest one is
MOST_KERNEL = 4000  # training rows of a support vector machine
LEAST_GAIN, AT_CEILING, MARGIN = 0.03, 0.02, 0.04
SPLITS = 2  # of five, on which models are trained
FEWEST = 25  # rows of a class


# Families: a function of a generator and a sharpness, which returns a law (rows, generator -> X, chances of classes).


def _scored(make):
    """Return the family of a maker of scores; 2 to 30 columns."""

    def family(rng, sharp):
        k = int(rng.integers(2, 7))
        sample, score = make(rng, k)
        while not 2 <= sample(2, rng).shape[1] <= 30:
            sample, score = make(rng, k)
        values = score(sample(TEST_ROWS, rng))
        middle = values.mean(axis=0)
        scale = (values - middle - (values - middle).mean(axis=1, keepdims=True)).std() / (6 * sharp)

        def law(n, rng):
            X = sample(n, rng)
            return X, softmax((score(X) - middle) / scale, axis=1)

        return law

    return family


def answers(rng, sharp):
    """A few answers of a few levels, each combination many times and with chances of its own."""
    levels, k = rng.integers(2, 4, 3), int(rng.integers(2, 5))
    chances = [rng.dirichlet(np.full(each, 8.0)) for each in levels]
    eta = softmax(2.5 * sharp * rng.normal(size=(*levels, k)), axis=-1)

    def law(n, rng):
        X = np.column_stack([rng.choice(len(each), n, p=each) for each in chances])
        return X.astype(float), eta[tuple(X.T)]

    return law


def typed(rng, sharp):
    """Half of the rows have one of eight codes and no measurements, the others measurements and no code."""
    d, eta = int(rng.integers(2, 5)), two_columns(expit(1.5 * sharp * rng.normal(size=8)))

    def law(n, rng):
        coded, code, X = rng.random((n, 1)) < 0.5, rng.integers(0, 8, n), rng.normal(size=(n, d))
        free = two_columns(expit(2 * sharp * np.sin(2 * X[:, 0]) * np.sign(X[:, 1])))
        return np.hstack([np.where(coded, code[:, None], -1), X * ~coded]), np.where(coded, eta[code], free)

    return law


def ovals(rng, sharp):
    """Gaussians with covariances of their own."""
    k, d = int(rng.integers(3, 7)), int(rng.integers(2, 9))
    centres, turns = 1.3 * sharp * rng.normal(size=(k, d)) / np.sqrt(d), np.linalg.qr(rng.normal(size=(k, d, d)))[0]
    widths = np.exp(rng.uniform(-0.9, 0.9, (k, d)))

    def law(n, rng):
        of = rng.integers(k, size=n)
        X = centres[of] + np.einsum("nij,nj->ni", turns[of], widths[of] * rng.normal(size=(n, d)))
        away = [(((X - centres[j]) @ turns[j] / widths[j]) ** 2).sum(axis=1) for j in range(k)]
        return X, softmax(-np.column_stack(away) / 2 - np.log(widths).sum(axis=1), axis=1)

    return law


def clusters(rng, sharp):
    """Gaussians far apart."""
    return _known.noisy_labels(int(rng.integers(2, 7)), int(rng.integers(6, 15)), 0.0, distance=3 + sharp).law


def spots(rng, _sharp):
    """A few points, each many times."""
    return _known.points(int(rng.integers(8, 20)), int(rng.integers(2, 5)), 2).law


def pair(rng, sharp):
    return _known.two_gaussians(int(rng.integers(2, 21)), _known.two_error(1.6 * sharp, 0.5)).law


_MINE = {  # the user's model in each family of the budget
    "training": "sparse_linear stale, friedman linear, waves linear, tree stump, products linear, network predictions, "
    "spots linear, pair none",
    "judging": "rough_field linear, hinges stump, power_laws stale, nearest_place linear, orders predictions, "
    "quadratic linear, boxes shallow, bumps linear, answers linear, typed shallow, ovals stump, clusters none",
}
MINE = {group: dict(one.split() for one in text.split(", ")) for group, text in _MINE.items()}
OWN = {make.__name__: make for make in (answers, typed, ovals, clusters, spots, pair)}
FAMILIES = {
    name: OWN.get(name) or _scored((TRAINING_MAKERS | JUDGING_MAKERS)[name])
    for names in MINE.values()
    for name in names
}
ATOMS = {  # families in which rows repeat, and which rows do
    "answers": lambda X: np.ones(len(X), bool),
    "spots": lambda X: np.ones(len(X), bool),
    "typed": lambda X: X[:, 0] >= 0,
}


# Problems.


class Problem(NamedTuple):
    """Rows and labels; how the user's model is passed; fresh rows with known chances; and the lowest errors.

    ``clean`` is the lowest error if labels were right, and ``repeated`` the part of ``floor`` on rows of which these
    have at least two that are equal. ``own`` is the true error of a user's model that was not trained on these rows.
    """

    X: np.ndarray
    y: np.ndarray
    ways: dict
    fresh: np.ndarray
    eta: np.ndarray
    floor: float
    clean: float
    repeated: float
    own: float | None
    draw: object


def draw_problem(family, seed, *, n=None, sharp=None, rate=None, mine="none", truth_rows=TRUTH_ROWS):
    """Return a problem; what is not given is random."""
    rng = np.random.default_rng([seed, zlib.crc32(family.encode())])
    n, sharp = n or log_int(rng, 400, 4000), sharp or log_uniform(rng, 0.5, 2.5)
    wrong = rng.uniform(0, 0.2) * (rng.random() < 0.65)
    rate = (wrong if rate is None else rate) * (family not in ATOMS)
    cyclic, y = rng.random() < 0.5, np.zeros(n, int)
    while np.bincount(y, minlength=2).min() < FEWEST:
        draw = _wrong_at(FAMILIES[family](rng, sharp), rate, cyclic=cyclic)
        X, _, noisy = draw(n, rng)
        y = draw_labels(noisy, rng)
    fresh, clean, eta = draw(truth_rows, rng)
    loss = 1 - eta.max(axis=1)
    repeated = float((loss * _is_repeated(family, X, fresh)).mean())
    ways, own = _users_model(mine, draw, X, fresh[:TEST_ROWS], eta[:TEST_ROWS], rng)
    floors = float(loss.mean()), float(1 - clean.max(axis=1).mean())
    return Problem(X, y, ways, fresh[:TEST_ROWS], eta[:TEST_ROWS], *floors, repeated, own, draw)


def _wrong_at(law, rate, *, cyclic):
    """Return a law whose labels become the next class, or any other, at this rate; with the clean chances."""

    def draw(n, rng):
        X, eta = law(n, rng)
        others = np.roll(eta, 1, axis=1) if cyclic else (1 - eta) / (eta.shape[1] - 1)
        return X, eta, (1 - rate) * eta + rate * others

    return draw


def _is_repeated(family, X, fresh):
    """Return whether each fresh row equals at least two rows of the table."""
    if family not in ATOMS:
        return np.zeros(len(fresh), bool)
    counts = pd.MultiIndex.from_arrays(X.T).value_counts().reindex(pd.MultiIndex.from_arrays(fresh.T), fill_value=0)
    counts = counts.to_numpy()
    return (counts >= 2) & ATOMS[family](fresh)


def _users_model(mine, draw, X, fresh, eta, rng):
    """Return the options of ``check`` for the user's model, and its error if it is trained on other rows."""
    if mine == "none":
        return {}, None
    if mine not in ("stale", "predictions"):
        return {"model": MODELS[mine]}, None
    older, _, chances = draw(300, rng)
    model = MODELS["linear" if mine == "stale" else "nearest"]
    # A stale model was trained on rows from elsewhere: its columns have moved since.
    older = older + 0.6 * older.std(axis=0) if mine == "stale" else older
    model = clone(model).fit(older, draw_labels(chances, rng))
    own = error_at(model.predict(fresh), eta)
    if mine == "predictions":
        return {"predictions": model.predict(X)}, own
    n_test = log_int(rng, 200, 2000)
    tested, _, chances = draw(n_test, rng)
    right = (model.predict(tested) == draw_labels(chances, rng)).mean()
    return {"accuracy": round(float(right), 4), "n_test": n_test}, own


def error_at(predicted, eta):
    """Return the true error of predictions at rows with known chances."""
    return float(1 - eta[np.arange(len(eta)), predicted].mean())


def _scaled(model):
    return make_pipeline(StandardScaler(), model)


MODELS = {
    "linear": _scaled(LogisticRegression(max_iter=300)),
    "stump": DecisionTreeClassifier(max_depth=2, random_state=0),
    "shallow": DecisionTreeClassifier(max_depth=4, random_state=0),
    "nearest": _scaled(KNeighborsClassifier(1)),
    "good": _scaled(SVC(C=2.0)),
}
STRONG = {
    "linear": MODELS["linear"],
    "quadratic": _scaled(QuadraticDiscriminantAnalysis(reg_param=0.02)),
    "boosting": HistGradientBoostingClassifier(learning_rate=0.15, max_iter=60, max_leaf_nodes=15, random_state=0),
    "trees": ExtraTreesClassifier(100, min_samples_leaf=2, random_state=0),
    "near": _scaled(KNeighborsClassifier(25)),
    "kernel": _scaled(SVC(C=2.0)),
}


def trained_error(problem, train):
    """Return the mean true error of what ``train`` (rows, other rows -> predictions of fresh ones) learns on 4/5.

    Of five possible fifths that are left out, two are tried.
    """
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(problem.X, problem.y)
    return float(np.mean([error_at(train(*rows), problem.eta) for rows in list(splits)[:SPLITS]]))


def own_error(problem):
    """Return the true error of the user's model; None without one."""
    if "model" not in problem.ways:
        return problem.own
    model, (X, y, *_) = problem.ways["model"], problem
    return trained_error(problem, lambda rows, _: clone(model).fit(X[rows], y[rows]).predict(problem.fresh))


# Tables and their true gains.

KINDS = ("labels", "rows", "stop", "features", "model", "fix")
ACTIONS = dict(
    zip(KINDS, ("look at labels", "more rows", "stop", "better features", "try model", "fix first"), strict=True)
)
SIZES = {"labels": (600, 2000), "rows": (300, 900), "stop": (500, 6000), "features": (800, 6000), "model": (300, 2000)}
SHARP = {"labels": (1.5, 4), "rows": (3, 8), "stop": (0.6, 2), "features": (0.3, 1), "model": (2, 6)}
HAZARDS = ("leak", "copies", "mixed leak", "near copies", "synthetic", "spellings")
CODES = {  # findings that tell a hazard
    "leak": ("BF114",),
    "mixed leak": ("BF114",),
    "spellings": ("BF106",),
    **dict.fromkeys(("copies", "near copies", "synthetic"), ("BF113", "BF118", "BF119")),
}


def draw_table(kind, family, seed):
    """Return a problem that may have this best step, with its true gains."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, sharp = log_int(rng, *SIZES.get(kind, (300, 2000))), log_uniform(rng, *SHARP.get(kind, (0.6, 2)))
    rate = rng.uniform(0.08, 0.2) if kind == "labels" else 0.0
    turn = (seed + seed // 10) % 4
    mine = "good" if turn == 0 or (turn == 2 and kind in ("stop", "features")) else "none"
    mine = {"fix": "none", "model": ("linear", "stump", "shallow", "stale")[turn]}.get(kind, mine)
    return draw_problem(family, seed, n=n, sharp=sharp, rate=rate, mine=mine, truth_rows=TABLE_ROWS)


def gains_of(kind, problem):
    """Return the true errors and gains of a table, by strong learners on its rows and on four times as many.

    Only where more rows may be best are these learned on: elsewhere, their gain is the most that it can be.
    """
    now, mine = _strong_error(problem, problem.X, problem.y), own_error(problem)
    later = problem.floor
    if kind == "rows":
        rng, n = np.random.default_rng(0), 3 * len(problem.X)
        X, _, chances = problem.draw(n, rng)
        more = np.append(problem.y, draw_labels(chances, rng))
        later = min(now, _strong_error(problem, np.vstack([problem.X, X]), more))
    return {
        "labels": problem.floor - problem.clean,
        "rows": now - later,
        "features": problem.clean,
        "model": 0.0 if mine is None else mine - now,
        "now": now,
        "later": later,
        "floor": problem.floor,
        "mine": mine,
    }


def _strong_error(problem, X, y):
    fewest = np.bincount(y).min()
    leave_out = {"kernel": len(X) > MOST_KERNEL, "quadratic": fewest <= X.shape[1] + 1}
    fits = [model for name, model in STRONG.items() if not leave_out.get(name)]
    return min(error_at(clone(model).fit(X, y).predict(problem.fresh), problem.eta) for model in fits)


def best_step(kind, gains, seed):
    """Return the target (or None) of a table of this kind, and whether its best step is clear."""
    own = gains["now"] if gains["mine"] is None else gains["mine"]
    others = {name: gains[name] for name in ("labels", "rows", "features", "model") if name != kind}
    clear = kind == "stop" or gains[kind] >= max(LEAST_GAIN, FACTOR * max(others.values()))
    at_ceiling = max(own, gains["now"]) - gains["floor"] <= AT_CEILING
    middles = {
        "labels": (gains["floor"] + gains["floor"] - gains["labels"]) / 2 if seed % 4 > 1 else None,
        "rows": (gains["now"] + gains["later"]) / 2,
        "stop": own + MARGIN,
        "features": max(gains["floor"] - max(MARGIN, gains["floor"] / 3), 0.01),
        "model": (2 * gains["now"] + own) / 3 if seed % 8 > 3 else None,
    }
    error = middles[kind]
    ready = at_ceiling if kind in ("stop", "features") else True
    return None if error is None else round(1 - error, 3), bool(clear and ready)


def add_hazard(X, y, hazard, seed):
    """Return the rows and labels of a table in which something has to be fixed first."""
    rng = np.random.default_rng([seed, 9])
    if hazard == "leak":
        shown = np.where(rng.random(len(y)) < 0.995, y, rng.permutation(y))
        X = np.column_stack([X, 10.0 * shown + rng.normal(size=len(y))])
    elif hazard == "mixed leak":
        X = np.column_stack([X[:, :1], np.exp(2 * y) * (1 + 0.05 * rng.random(len(y))), X[:, 1:]])
    elif hazard in ("copies", "near copies"):
        row = rng.permutation(np.repeat(np.arange(len(y)), int(rng.integers(3, 7))))
        X, y = X[row] + ("near" in hazard) * 1e-3 * X.std(axis=0) * rng.normal(size=(len(row), X.shape[1])), y[row]
    elif hazard == "synthetic":
        few = np.flatnonzero(y == 0)[: len(y) // 8]
        one, two = rng.choice(few, (2, len(y) // 2))
        X = np.vstack([X[y != 0], X[few], X[one] + rng.random((len(one), 1)) * (X[two] - X[one])])
        y = np.concatenate([y[y != 0], np.zeros(len(few) + len(one), int)])
        order = rng.permutation(len(y))
        X, y = X[order], y[order]
    names = np.array([f"class {letter}" for letter in "ABCDEF"])[y]
    if hazard == "spellings":
        names = np.where(rng.random(len(y)) < 0.3, np.char.upper(names), names)
    return X, names


# Selection.


def _try(kind, family, seed):
    problem = draw_table(kind, family, seed)
    if not _may_be_clear(kind, problem):
        return {"clear": False}
    gains = gains_of(kind, problem)
    target, clear = best_step(kind, gains, seed)
    return {"kind": kind, "family": family, "seed": seed, "target": target, "clear": clear} | {
        "gains": {name: value if value is None else plain(value) for name, value in gains.items()}
    }


def _may_be_clear(kind, problem):
    """Return whether gains that need no training leave a chance."""
    noise, overlap, mine = problem.floor - problem.clean, problem.clean, own_error(problem)
    model = 0 if mine is None else mine - problem.floor
    return {
        "labels": noise >= FACTOR * max(overlap, model),
        "rows": overlap <= 0.1,
        "stop": overlap <= 0.35 and model <= AT_CEILING,
        "features": overlap >= 3 * MARGIN and model <= AT_CEILING,
        "model": model >= FACTOR * overlap,
    }[kind]


def _select(families, kind, wanted, first_seed):
    """Return clear tables, at most three of a family."""
    if kind == "fix":
        return [
            {"kind": kind, "family": families[at % len(families)], "seed": first_seed + at, "target": None}
            | {"hazard": HAZARDS[at % 4 if at < 8 else at - 4]}
            for at in range(wanted)
        ]
    found = []
    for at in range(12 * len(families)):
        family = families[at % len(families)]
        if len(found) < wanted and sum(one["family"] == family for one in found) < 3:
            found += [one for one in [_try(kind, family, first_seed + at)] if one.pop("clear")]
    print(kind, [one["family"] for one in found], flush=True)
    return found


def main():
    lines = {}
    for group, wanted, first in (("training", 4, 50_000), ("judging", 10, 60_000)):
        lines[group] = []
        for at, kind in enumerate(KINDS):
            names = [name for name in MINE[group] if name not in ATOMS]
            lines[group] += map(json.dumps, _select(names, kind, wanted, first + 1000 * at))
            text = ",\n".join(f'"{name}": [\n' + ",\n".join(own) + "\n]" for name, own in lines.items())
            TABLES.write_text("{" + text + "}\n")


if __name__ == "__main__":
    main()
