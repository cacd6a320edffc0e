"""Multiclass classifiers on the same rows: the datasets, every method with its search, and the score of each.

A method takes a ``Task`` and returns the fitted model with its fitting time, in CPU seconds of one thread.
Searches choose the cost C by accuracy in the same folds; the model is then refitted on all rows.
"""

import warnings
from collections import Counter
from functools import partial
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, adjusted_rand_score, log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks._data import SEED, labelled
from benchmarks._recipes import load
from benchmarks._timing import seconds_of
from benchmarks.known_floor import plain

RIVALS = ("ovo", "rbf", "boosting")  # of the floor-guided classifier
CUT = ("fars", "shuttle")  # datasets that a protocol may subsample
TEST_SHARE = 0.2
KERNEL_ROWS, KERNEL_PARTS = 25_000, 1000  # above this many rows a kernel SVM is approximated with this many of them
SINGLE_MACHINE_SIZE = 22_000  # rows times classes; above this, searching the Crammer-Singer SVM takes too long
MANY_SPREAD = (
    0.65  # a thousand centres in 64 dimensions: one-vs-rest is right on 86 % of the rows, the nearest centre on 92 %
)
CLOSER = {"synthetic-77": (60, 0.45), "synthetic-200": (50, 0.5)}  # rows per class and spread, where classes overlap
MANY_DIMENSIONS, MANY_ROWS, MANY_TEST_ROWS = 64, 50, 10  # the last two rows of each class
BANKING_ROWS = 10_003  # the first rows are for training, as in the original split
PREDICTED_ROWS = 10_000  # with many classes
PREDICT_ROUNDS = 3


class Protocol(NamedTuple):
    """How much is searched, and on how many rows."""

    name: str
    costs: list
    kernel_costs: list
    folds: int
    splits: int
    most_rows: int | None  # for the datasets in ``CUT``
    seconds: float  # a method that takes longer is stopped
    rounds: int  # for the fast methods


class Task(NamedTuple):
    """Training rows, test rows, and the search settings."""

    X: np.ndarray
    y: np.ndarray
    test: np.ndarray
    truth: np.ndarray  # codes of the test rows
    protocol: Protocol
    split: int
    tested: int = 0  # distinct test rows, if some are repeated


# Data.


def make_task(name, recipe, split, protocol):
    """Return one split of a dataset, scaled to [-1, 1] by its training part."""
    X, y = load(name, recipe)
    if name in CUT and protocol.most_rows:
        X, _, y, _ = train_test_split(X, y, train_size=protocol.most_rows, stratify=y, random_state=SEED)
    X, test, y, truth = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=split)
    scaler = MinMaxScaler((-1, 1)).fit(X)
    return Task(scaler.transform(X), y, scaler.transform(test), truth, protocol, split)


def make_many(name, protocol):
    """Return a dataset of many classes: embedded texts, or the number of normal clouds given by the name."""
    if name == "banking77":
        X, y = load("banking77_lsa", "plain")
        first = np.arange(len(y)) < BANKING_ROWS
    else:
        rows, spread = CLOSER.get(name, (MANY_ROWS, MANY_SPREAD))
        size = rows + MANY_TEST_ROWS
        X, y = labelled([size] * int(name.rpartition("-")[2]), MANY_DIMENSIONS, spread)
        first = np.arange(len(y)) % size < rows
    return Task(X[first], y[first], X[~first], y[~first], protocol, SEED)


# Searches.


def linear(**options):
    """Make the linear SVM that all methods use."""
    return LinearSVC(dual="auto", random_state=SEED, **options)


def folds(task):
    """Return the folds of a search, the same for every method."""
    return StratifiedKFold(task.protocol.folds, shuffle=True, random_state=task.split)


def search(estimator, grid, task):
    """Return the estimator with the best parameters, refitted on all rows, which is timed separately."""
    found = GridSearchCV(estimator, grid, cv=folds(task), refit=False)
    searching, _ = seconds_of(lambda: found.fit(task.X, task.y))
    best = clone(found.estimator).set_params(**found.best_params_)
    fitting, model = seconds_of(lambda: best.fit(task.X, task.y))
    return model, {"seconds": searching + fitting, "refit_seconds": fitting, **best_cost(found)}


def best_cost(found):
    """Return the cost that a search chose, if it searched for one."""
    return dict(zip(["cost"], found.best_params_.values(), strict=False))


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


def fit_ovo(task):
    """Fit one SVM for each pair of classes."""
    return search(OneVsOneClassifier(linear()), {"estimator__C": task.protocol.costs}, task)


def fit_ovr(task):
    """Fit one SVM for each class."""
    return search(linear(), {"C": task.protocol.costs}, task)


def fit_crammer_singer(task):
    """Fit a single SVM for all classes."""
    return search(linear(multi_class="crammer_singer"), {"C": task.protocol.costs}, task)


def fit_dag(task):
    """Fit the one-vs-one SVMs as a DAG."""
    return search(DirectedAcyclicGraph(linear()), {"estimator__C": task.protocol.costs}, task)


def fit_rbf(task):
    """Fit the kernel SVM, or an approximation of it for very many rows."""
    if len(task.X) <= KERNEL_ROWS:
        return search(SVC(gamma="scale"), {"C": task.protocol.kernel_costs}, task)
    gamma = 1 / (task.X.shape[1] * task.X.var())  # the meaning of "scale"
    model = make_pipeline(Nystroem(gamma=gamma, n_components=KERNEL_PARTS, random_state=SEED), linear())
    model, record = search(model, {"linearsvc__C": task.protocol.kernel_costs}, task)
    return model, record | {"model": f"Nystroem, {KERNEL_PARTS} parts"}


def fit_boosting(task):
    """Fit boosted trees with default settings; the folds only measure how good they are."""
    return search(HistGradientBoostingClassifier(random_state=task.split), {}, task)


def fit_smart(task, cut):
    """Fit the paper's tree of SVMs; floors are recomputed in each fold and for the final fit."""
    from bayesfloor import SmartSVM

    with TemporaryDirectory() as memory:
        smart, grid = SmartSVM(linear(), cut=cut, memory=memory), {"estimator__C": task.protocol.costs}
        model, record = search(smart, grid, task)
    return model, record | {"floor_seconds": floor_seconds(task) + model.floor_seconds_}


def floor_seconds(task):
    """Measure the cost of the floors of all folds, outside the search."""
    from bayesfloor import SmartSVM

    parts = [train for train, _ in folds(task).split(task.X, task.y)]
    fits = [SmartSVM(DummyClassifier()).fit(task.X[part], task.y[part]) for part in parts]
    return sum(fit.floor_seconds_ for fit in fits)


def fit_smart_min_cut(task):
    """Do the same, and measure the cost with floors from all training rows only, as in the paper."""
    from bayesfloor import SmartSVM

    model, record = fit_smart(task, "min_cut")
    once = SmartSVM(linear(), cut="min_cut", floor=model.floor_matrix_)
    _, searched = search(once, {"estimator__C": task.protocol.costs}, task)
    floors = model.floor_seconds_
    return model, record | {"paper_seconds": floors + searched["seconds"], "paper_floor_seconds": floors}


def fit_floor_guided(task):
    """Fit a tree that chooses a model for each of its nodes."""
    from bayesfloor import FloorGuidedClassifier

    seconds, model = seconds_of(lambda: FloorGuidedClassifier(random_state=task.split).fit(task.X, task.y))
    return model, {
        "seconds": seconds,
        "floor_seconds": model.floor_seconds_,
        **describe_tree(model.tree_),
        **without_tree(model, task),
    }


def without_tree(model, task):
    """Measure the predictions of the same classifier without splits, if it has some."""
    from bayesfloor.hierarchy._class_tree import grow_tree

    if model.tree_.n_nodes == 1:
        return {}
    one_leaf = grow_tree(model.classes_, 0, lambda _: np.arange(len(model.classes_)))
    flat = clone(model).set_params(cut=one_leaf).fit(task.X, task.y)
    scores = judge(flat, task)
    return {"flat_ari": scores["ari"], "flat_predict_seconds": scores["predict_seconds"]}


def describe_tree(tree):
    """Count the nodes of a tree, and those with each kind of model; single classes have none."""
    names = [str(name or "").partition(" (")[0] for name in tree.frame()["model"]]
    return {"nodes": len(names), "models": dict(Counter(name for name in names if name).most_common())}


def fit_plain(task, estimator):
    """Fit a model without a search."""
    seconds, model = seconds_of(lambda: clone(estimator).fit(task.X, task.y))
    return model, {"seconds": seconds}


def fit_smart_plain(task, cut):
    """Fit the paper's tree without a search."""
    from bayesfloor import SmartSVM

    model, record = fit_plain(task, SmartSVM(linear(), cut=cut))
    return model, record | {"floor_seconds": model.floor_seconds_}


METHODS = {
    "ovo": fit_ovo,
    "ovr": fit_ovr,
    "crammer_singer": fit_crammer_singer,
    "dag": fit_dag,
    "rbf": fit_rbf,
    "boosting": fit_boosting,
    "smart_min_cut": fit_smart_min_cut,
    "smart_normalized_cut": partial(fit_smart, cut="normalized_cut"),
    "smart_average": partial(fit_smart, cut="average"),
    "smart_complete": partial(fit_smart, cut="complete"),
    "floor_guided": fit_floor_guided,
}
MANY_METHODS = {
    "ovr": partial(fit_plain, estimator=linear()),
    "logistic": partial(fit_plain, estimator=LogisticRegression()),
    "lda": partial(fit_plain, estimator=LinearDiscriminantAnalysis()),
    "smart_min_cut": partial(fit_smart_plain, cut="min_cut"),
    "smart_normalized_cut": partial(fit_smart_plain, cut="normalized_cut"),
    "smart_average": partial(fit_smart_plain, cut="average"),
    "smart_complete": partial(fit_smart_plain, cut="complete"),
    "floor_guided": fit_floor_guided,
}


# Scores of a method.


def reason_to_skip(method, task):
    """Return the reason why a method is not run on these rows; an empty string if it is."""
    size = len(task.X) * (task.y.max() + 1)
    reduced = task.protocol.most_rows is not None
    too_large = method == "crammer_singer" and reduced and size > SINGLE_MACHINE_SIZE
    return f"{size} rows times classes are more than {SINGLE_MACHINE_SIZE}" if too_large else ""


def measure(method, task, methods):
    """Return the times and scores of a method, as plain values."""
    reason = reason_to_skip(method, task)
    if reason:
        return {"skipped": reason}
    model, record = methods[method](task)
    if method in RIVALS:
        record["calibrated_log_loss"] = calibrated_loss(model, task)
    shape = [*task.X.shape, int(task.y.max()) + 1]
    repeated = {"tested": task.tested} if task.tested else {}
    return {key: plain(value) for key, value in (record | judge(model, task)).items()} | {"shape": shape} | repeated


def judge(model, task):
    """Return the scores of the predictions, and their time."""
    calls = [seconds_of(lambda: model.predict(task.test)) for _ in range(PREDICT_ROUNDS)]
    guess = calls[0][1]
    return {
        "ari": adjusted_rand_score(task.truth, guess),
        "accuracy": accuracy_score(task.truth, guess),
        "log_loss": probability_loss(model, task),
        "predict_seconds": min(seconds for seconds, _ in calls),
    }


def probability_loss(model, task):
    """Return the log loss of the probabilities, which must add up to 1; None for a model without probabilities."""
    if not hasattr(model, "predict_proba"):
        return None
    shares = model.predict_proba(task.test)
    assert np.allclose(shares.sum(axis=1), 1), f"{model}: probabilities add up to {shares.sum(axis=1)}"
    return log_loss(task.truth, shares, labels=model.classes_)


def calibrated_loss(model, task):
    """Return the log loss after temperature scaling in the folds of the search, which is not timed."""
    warm = CalibratedClassifierCV(clone(model), method="temperature", cv=folds(task), ensemble=False)
    return probability_loss(warm.fit(task.X, task.y), task)


# In a process of its own.


def prepare_case(group, protocol):
    """Load one group of cells and compile; return a function that measures one of its methods by name."""
    warnings.filterwarnings("ignore", category=ConvergenceWarning)  # linear SVMs with a high cost do not converge
    threadpool_limits(limits=1)
    if protocol.rounds > 1:
        warm_up()
    if group[0] == "many":
        return partial(measure, task=widen(make_many(group[1], protocol)), methods=MANY_METHODS)
    return partial(measure, task=make_task(*group, protocol), methods=METHODS)


def widen(task):
    """Return the same task with the number of test rows that all such tasks have."""
    rows = np.arange(PREDICTED_ROWS) % len(task.truth)
    return task._replace(test=task.test[rows], truth=task.truth[rows], tested=len(task.truth))


def warm_up():
    """Compile the kernels for floors on a few rows."""
    from bayesfloor import BayesFloor
    from bayesfloor.forest._spanning_forest import prepare_kernels

    prepare_kernels()
    for k in (2, 30):  # few and many classes use different kernels
        BayesFloor(n_jobs=1).fit(*labelled([3000 // k] * k, 10, 1.0))
