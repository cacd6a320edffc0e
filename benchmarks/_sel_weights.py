"""Class weights from the floor beside none and "balanced", for two linear classifiers."""

import warnings

import numpy as np

from benchmarks._compared import BEST_CASES
from benchmarks._data import SEED
from benchmarks._recipes import load

_SETS = ("segment", "satimage", "letter", "optdigits", "yeast", "abalone", "winered", "kr-vs-k")
_QUICK = ("segment",)
_ROWS, _QUICK_ROWS, _TEST_SHARE, _SPLITS, _QUICK_SPLITS = 6000, 800, 0.3, 3, 2
_STRENGTHS = (0.5, 1.0, 2.0)
_MODELS = ("logistic", "linear SVM")
_SCORES = ("accuracy", "balanced accuracy", "worst recall")


def cells(*, quick):
    """Datasets."""
    return list(_QUICK if quick else _SETS)


def measure(cell, *, quick):
    """Scores of both models on each split, under every weighting."""
    X, y = cut(*load(cell, dict(BEST_CASES)[cell]), _QUICK_ROWS if quick else _ROWS)
    splits = range(1, 1 + (_QUICK_SPLITS if quick else _SPLITS))  # split 0 is the one that the formula was chosen on
    found = [try_split(X, y, split) for split in splits]
    scores = {model: {name: [one[model][name] for one in found] for name in found[0][model]} for model in _MODELS}
    return {"rows": len(y), "classes": int(y.max()) + 1, "mean_weight": [one["mean_weight"] for one in found]} | scores


def cut(X, y, most):
    """So many rows at most, classes in proportion."""
    from sklearn.model_selection import train_test_split

    if len(y) <= most:
        return X, y
    X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=SEED)
    return X, y


def try_split(X, y, split):
    """Scores on one split; the floor sees its training rows alone."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    from bayesfloor import BayesFloor
    from bayesfloor.selection._weights import class_weight

    X, test, y, truth = train_test_split(X, y, test_size=_TEST_SHARE, stratify=y, random_state=split)
    scaler = StandardScaler().fit(X)
    X, test = scaler.transform(X), scaler.transform(test)
    floor = BayesFloor(scale=None, interval="fast").fit(X, y)
    weights = {"none": None, "balanced": "balanced"} | {f"{s:g}": class_weight(floor, s) for s in _STRENGTHS}
    found = {m: {name: score(m, w, (X, y), (test, truth)) for name, w in weights.items()} for m in _MODELS}
    return found | {"mean_weight": float(np.mean([weights["1"][label] for label in y.tolist()]))}


def score(model, weight, train, test):
    """Accuracy, its mean over classes, and the recall of the class that is found least."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import recall_score
    from sklearn.svm import LinearSVC

    made = LogisticRegression(max_iter=300, class_weight=weight)
    if model == "linear SVM":
        made = LinearSVC(dual="auto", class_weight=weight, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as many steps for all weightings
        found = made.fit(*train).predict(test[0])
    recall = recall_score(test[1], found, average=None, zero_division=0)
    return dict(zip(_SCORES, map(float, (np.mean(found == test[1]), recall.mean(), recall.min())), strict=True))


def differences(case, model, name, what):
    """By how many points a weighting is better than none, for each split."""
    none, other = (np.array([one[what] for one in case[model][way]]) for way in ("none", name))
    return 100 * (other - none)


def tables(results):
    """For each model and score what none gives, and what each weighting adds."""
    return {f"weights, {model}, {what}": _table(results, model, what) for model in _MODELS for what in _SCORES}


def goals(_results):
    """There are none."""
    return []


def _table(results, model, what):
    lines = [_line(name, case, model, what) for name, case in results.items()]
    return [_header(results, model), *lines, _mean_line(results, model, what)]


def _ways(results, model):
    return [name for name in next(iter(results.values()))[model] if name != "none"]


def _header(results, model):
    ways = [name if name == "balanced" else f"strength {name}" for name in _ways(results, model)]
    return ("dataset", "no weights, %", *ways)


def _line(name, case, model, what):
    none = 100 * np.mean([one[what] for one in case[model]["none"]])
    gained = [differences(case, model, way, what) for way in _ways({name: case}, model)]
    return (name, f"{none:.1f}", *(f"{one.mean():+.1f} ±{one.std(ddof=1):.1f}{_agree(one)}" for one in gained))


def _agree(gained):
    return "*" if (gained > 0).all() or (gained < 0).all() else ""


def _mean_line(results, model, what):
    """The mean over all sets, with how many gained and lost in all splits."""
    cells = []
    for way in _ways(results, model):
        gained = [differences(case, model, way, what) for case in results.values()]
        up, down = (sum(bool((sign * one > 0).all()) for one in gained) for sign in (1, -1))
        cells.append(f"{np.mean(gained):+.1f} ({up} up, {down} down)")
    return ("mean", "", *cells)


def check(results):
    """Weights add up to the rows, and every score is a share."""
    for case in results.values():
        assert np.allclose(case["mean_weight"], 1.0)
        scores = [one for model in _MODELS for way in case[model].values() for split in way for one in split.values()]
        assert all(0 <= one <= 1 for one in scores)
