"""The linear SVMs that ``benchmarks.paper`` compares, on the same rows: datasets, searches, scores, and running them.

A method takes a ``Task`` and returns the fitted model with its fitting time, in CPU seconds of one thread. Searches
choose the cost C by accuracy in the same folds; the model is then refitted on all rows.

Linear SVMs stop after LinearSVC's thousand steps, converged or not, in all methods. The kernels for the floors are
compiled beforehand, as in any process that has already computed one.
"""

import warnings
from functools import partial
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from benchmarks._data import SEED, labelled
from benchmarks._paper_tables import METHODS, key_of
from benchmarks._recipes import load
from benchmarks._results import plain
from benchmarks._timing import seconds_of

CUT = ("fars", "shuttle")  # datasets that a protocol may subsample
TEST_SHARE = 0.2
SINGLE_MACHINE_SIZE = 22_000  # rows times classes; above this, searching the Crammer-Singer SVM takes too long


class Protocol(NamedTuple):
    """How much is searched, and on how many rows."""

    name: str
    costs: list
    folds: int
    splits: int
    most_rows: int | None  # for the datasets in ``CUT``


PROTOCOLS = {
    "quick": Protocol("quick", [0.125, 8.0], 2, 1, 2000),
    "reduced": Protocol("reduced", [2.0**power for power in range(-9, 10, 3)], 3, 3, 20_000),
    "paper": Protocol("paper", [2.0**power for power in range(-18, 19, 2)], 10, 5, None),
}


class Task(NamedTuple):
    """Training rows, test rows, and the search settings."""

    X: np.ndarray
    y: np.ndarray
    test: np.ndarray
    truth: np.ndarray  # codes of the test rows
    protocol: Protocol
    split: int


def make_task(name, recipe, split, protocol):
    """Return one split of a dataset, scaled to [-1, 1] by its training part."""
    X, y = load(name, recipe)
    if name in CUT and protocol.most_rows:
        X, _, y, _ = train_test_split(X, y, train_size=protocol.most_rows, stratify=y, random_state=SEED)
    X, test, y, truth = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=split)
    scaler = MinMaxScaler((-1, 1)).fit(X)
    return Task(scaler.transform(X), y, scaler.transform(test), truth, protocol, split)


# Searches.


def linear(**options):
    return LinearSVC(dual="auto", random_state=SEED, **options)


def folds(task):
    """Return the folds of a search, the same for every method."""
    return StratifiedKFold(task.protocol.folds, shuffle=True, random_state=task.split)


def search(estimator, grid, task):
    """Return the estimator with the best parameters, refitted on all rows, and the time of all this."""
    seconds, found = seconds_of(lambda: GridSearchCV(estimator, grid, cv=folds(task)).fit(task.X, task.y))
    return found.best_estimator_, {"seconds": seconds}


class DirectedAcyclicGraph(OneVsOneClassifier):
    """Platt's DAG: the linear one-vs-one SVMs, evaluated one after the other until one class remains."""

    def predict(self, X):
        """Compare the first and the last remaining class and drop one, until one class remains."""
        k, rows = len(self.classes_), np.arange(len(X))
        machine = np.zeros((k, k), dtype=int)
        machine[np.triu_indices(k, 1)] = np.arange(len(self.estimators_))
        weights = np.vstack([one.coef_ for one in self.estimators_])
        offsets = np.concatenate([one.intercept_ for one in self.estimators_])
        ends = np.tile([0, k - 1], (len(X), 1))
        for _ in range(k - 1):
            asked = machine[ends[:, 0], ends[:, 1]]
            is_last = np.einsum("ij,ij->i", X, weights[asked]) + offsets[asked] > 0
            ends[rows, 1 - is_last] += np.where(is_last, 1, -1)
        return self.classes_[ends[:, 0]]


# Methods: each returns a fitted model and its fitting time.


def fit_smart(task):
    """Fit the paper's tree of SVMs.

    Floors are recomputed in each fold and for the final fit; the cost with floors from all training rows only, as in
    the paper, is measured as well.
    """
    from bayesfloor import SmartSVM

    grid = {"estimator__C": task.protocol.costs}
    with TemporaryDirectory() as memory:
        model, record = search(SmartSVM(linear(), memory=memory), grid, task)
    _, searched = search(SmartSVM(linear(), floor=model.floor_matrix_), grid, task)
    return model, record | {"paper_seconds": model.floor_seconds_ + searched["seconds"]}


def fit_plain(task, estimator, cost="C"):
    """Search the cost of a classifier, the parameter of this name."""
    return search(estimator, {cost: task.protocol.costs}, task)


FITS = {
    "crammer_singer": partial(fit_plain, estimator=linear(multi_class="crammer_singer")),
    "dag": partial(fit_plain, estimator=DirectedAcyclicGraph(linear()), cost="estimator__C"),
    "ovo": partial(fit_plain, estimator=OneVsOneClassifier(linear()), cost="estimator__C"),
    "ovr": partial(fit_plain, estimator=linear()),
    "smart_min_cut": fit_smart,
}


# What is measured of a method.


def reason_to_skip(method, task):
    """Return the reason why a method is not run on these rows; an empty string if it is."""
    size = len(task.X) * (task.y.max() + 1)
    reduced = task.protocol.most_rows is not None
    too_large = method == "crammer_singer" and reduced and size > SINGLE_MACHINE_SIZE
    return f"{size} rows times classes are more than {SINGLE_MACHINE_SIZE}" if too_large else ""


def measure(method, task):
    """Return the times and the index of a method, as plain values."""
    reason = reason_to_skip(method, task)
    if reason:
        return {"skipped": reason}
    model, record = FITS[method](task)
    record["ari"] = adjusted_rand_score(task.truth, model.predict(task.test))
    return {key: plain(value) for key, value in record.items()}


# Running.


def warm_up():
    from bayesfloor import BayesFloor
    from bayesfloor.forest._spanning_forest import prepare_kernels

    prepare_kernels()
    for k in (2, 30):  # few and many classes use different kernels
        BayesFloor(n_jobs=1).fit(*labelled([3000 // k] * k, 10, 1.0))


def groups_of(cases, splits):
    """Cells that share their rows: a dataset, a recipe and a split."""
    return [(*case, split) for split in range(splits) for case in cases]


def run_groups(groups, protocol, file):
    """Run the cells that are not in the file."""
    warnings.filterwarnings("ignore", category=ConvergenceWarning)  # linear SVMs with a high cost do not converge
    if groups and protocol.name != "quick":
        warm_up()
    for group in groups:
        missing = [name for name in METHODS if key_of(group, name) not in file.results["cases"]]
        task = make_task(*group, protocol) if missing else None
        for name in missing:
            file.add(key_of(group, name), measure(name, task))
            print(key_of(group, name), flush=True)


def check_records(keys, results):
    for key in keys:
        one = results["cases"].get(key, {})
        assert "seconds" in one, f"{key}: {one}"
        assert -1 <= one["ari"] <= 1, f"{key}: {one}"
