"""Features selected by their floors: informative ones among others, compared with sequential selection with an SVM."""

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesfloor import FloorSelector
from benchmarks._data import SEED, read_rows
from benchmarks._results import Goal, at_most
from benchmarks._scaled_svc import ScaledSVC
from benchmarks._timing import seconds_of

_KINDS = ("linear", "radial")
_SETS = ("segment", "satimage", "texture")
_ROWS, _FEATURES, _INFORMATIVE, _SEEDS = 2000, 50, 5, 10
_QUICK_ROWS, _QUICK_FEATURES, _QUICK_SEEDS = 800, 12, 1
_TESTED, _FOLDS = 0.3, 3
_RIGHT, _WITHIN, _TIME = 9, 0.01, 0.2  # goals


def cells(*, quick):
    seeds = range(_QUICK_SEEDS if quick else _SEEDS)
    return [f"{kind}/{seed}" for kind in _KINDS for seed in seeds] + ([] if quick else list(_SETS))


def make(kind, n, d, seed):
    """Sample normal features, the first five informative about two classes, and slightly noisy labels."""
    rng = np.random.default_rng([SEED, seed])
    X, noise = rng.normal(size=(n, d)), rng.normal(size=n)
    if kind == "linear":
        score = X[:, :_INFORMATIVE].sum(axis=1) / np.sqrt(_INFORMATIVE) + 0.3 * noise
    else:
        score = (X[:, :_INFORMATIVE] ** 2).sum(axis=1) - 4.35 + 0.5 * noise  # about the median
    return X, (score > 0).astype(int)


def measure(cell, *, quick):
    return _measure_made(*cell.split("/"), quick=quick) if "/" in cell else _measure_real(cell)


def _measure_made(kind, seed, *, quick):
    n, d = (_QUICK_ROWS, _QUICK_FEATURES) if quick else (_ROWS, _FEATURES)
    X, y = make(kind, n, d, int(seed))
    selector = FloorSelector()
    seconds, _ = seconds_of(lambda: selector.fit(X, y))
    out = selector.path_.holdout
    return {
        "order": selector.order_.tolist(),
        "held_out": [out.optimistic, out.cross_rate],
        "first": sorted(selector.order_[:_INFORMATIVE].tolist()) == list(range(_INFORMATIVE)),
        "seconds": seconds,
    }


def _measure_real(name):
    """Run both selections on the training rows; return the test accuracy of an SVM tuned on each."""
    X, y = read_rows(name)
    rows, test, labels, truth = train_test_split(X, y, test_size=_TESTED, stratify=y, random_state=SEED)
    svm = _tuned(rows, labels)
    selector = FloorSelector()
    ours, _ = seconds_of(lambda: selector.fit(rows, labels))
    theirs, other = seconds_of(lambda: _sequential(svm.best_estimator_, rows, labels, len(selector.order_)))
    sets = {"floor": np.sort(selector.order_), "sequential": other, "all": np.arange(X.shape[1])}
    return {
        "n_features": len(selector.order_),
        "seconds": {"floor": ours, "sequential": theirs},
        "sets": {key: each.tolist() for key, each in sets.items()},
        "accuracy": {key: _tuned(rows[:, f], labels).score(test[:, f], truth) for key, f in sets.items()},
        "tested": len(truth),
    }


def _tuned(X, y):
    grid = {"scaledsvc__C": (1.0, 10.0, 100.0), "scaledsvc__width": (0.3, 1.0, 3.0)}
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=SEED)
    return GridSearchCV(make_pipeline(StandardScaler(), ScaledSVC()), grid, cv=folds).fit(X, y)


def _sequential(svm, X, y, n_features):
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=SEED)
    chosen = SequentialFeatureSelector(svm, n_features_to_select=n_features, cv=folds).fit(X, y)
    return chosen.get_support(indices=True)


def tables(results):
    made = [_kind_line(kind, cells) for kind in _KINDS if (cells := _of_kind(kind, results))]
    real = [_real_line(name, results[name]) for name in _SETS if name in results]
    flattery, scores = ("held-out - optimistic", "sd"), ("accuracy, floor", "sequential", "all features", "s.e.")
    return {
        "features, made": [
            ("kind", "informative first", "seeds", "chosen", "CPU s", "least", "most", *flattery),
            *made,
        ],
        "features, real": [("dataset", "features kept", *scores, "CPU s, floor", "sequential's", "ratio"), *real],
    }


def goals(results):
    for kind in _KINDS:
        first = sum(cell["first"] for cell in _of_kind(kind, results))
        measured = f"{kind}: seeds with the informative features first"
        yield Goal(measured, f"{first} of {_SEEDS}", f">= {_RIGHT}", first >= _RIGHT)
    for name in _SETS:
        if name in results:
            accuracy, seconds = results[name]["accuracy"], results[name]["seconds"]
            below, ratio = accuracy["sequential"] - accuracy["floor"], seconds["floor"] / seconds["sequential"]
            yield at_most(f"{name}: accuracy below sequential's", below, _WITHIN, ".4f")
            yield at_most(f"{name}: time / sequential's", ratio, _TIME)


def _of_kind(kind, results):
    return [cell for key, cell in results.items() if key.startswith(f"{kind}/")]


def _kind_line(kind, cells):
    seconds, flattery = [cell["seconds"] for cell in cells], [out - own for own, out in (c["held_out"] for c in cells)]
    chosen = sorted({len(cell["order"]) for cell in cells})
    times = [f"{one:.1f}" for one in (np.median(seconds), min(seconds), max(seconds))]
    counts = (str(sum(cell["first"] for cell in cells)), str(len(cells)), ", ".join(map(str, chosen)))
    return (kind, *counts, *times, f"{np.mean(flattery):+.3f}", f"{np.std(flattery):.3f}")


def _real_line(name, cell):
    accuracy, seconds = cell["accuracy"], cell["seconds"]
    error = np.sqrt(accuracy["all"] * (1 - accuracy["all"]) / cell["tested"])
    scores = [f"{accuracy[key]:.4f}" for key in ("floor", "sequential", "all")]
    times = [
        f"{seconds['floor']:.1f}",
        f"{seconds['sequential']:.0f}",
        f"{seconds['floor'] / seconds['sequential']:.3f}",
    ]
    return (name, str(cell["n_features"]), *scores, f"{error:.4f}", *times)


def check(results):
    for cell in results.values():
        if "order" in cell:
            assert len(set(cell["order"])) == len(cell["order"]) >= 1
