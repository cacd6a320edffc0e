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

CUT = ("fars", "shuttle")  # sets of which a protocol may take a part
TEST_SHARE = 0.2
KERNEL_ROWS, KERNEL_PARTS = 25_000, 1000  # above so many rows a kernel machine is approximated by so many of them
SINGLE_MACHINE_SIZE = 22_000  # rows times classes; above, Crammer and Singer's machine takes too long to search
MANY_SPREAD = (
    0.65  # of a thousand centres in 64 dimensions: one-vs-rest gets 86 % of the rows right, a nearest centre 92 %
)
MANY_DIMENSIONS, MANY_ROWS, MANY_TEST_ROWS = 64, 50, 10  # the last two of each class
BANKING_ROWS = 10_003  # the first ones are for training, by the source's own split
PREDICTED_ROWS = 10_000  # with many classes
PREDICT_ROUNDS = 3


class Protocol(NamedTuple):
    """How much is searched, and on how many rows."""

    name: str
    costs: list
    kernel_costs: list
    folds: int
    splits: int
    most_rows: int | None  # of the sets in ``CUT``
    seconds: float  # a method that takes longer is ended
    rounds: int  # of the methods that are quick


class Task(NamedTuple):
    """Rows to learn from, rows to predict, and how to search."""

    X: np.ndarray
    y: np.ndarray
    test: np.ndarray
    truth: np.ndarray  # codes of the rows to predict
    protocol: Protocol
    split: int


# Data.


def make_task(name, recipe, split, protocol):
    """One split of a dataset, scaled to [-1, 1] by its training part."""
    X, y = load(name, recipe)
    if name in CUT and protocol.most_rows:
        X, _, y, _ = train_test_split(X, y, train_size=protocol.most_rows, stratify=y, random_state=SEED)
    X, test, y, truth = train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=split)
    scaler = MinMaxScaler((-1, 1)).fit(X)
    return Task(scaler.transform(X), y, scaler.transform(test), truth, protocol, split)


def make_many(name, protocol):
    """A set of many classes: embedded texts, or normal clouds as many as the name says."""
    if name == "banking77":
        X, y = load("banking77_lsa", "plain")
        first = np.arange(len(y)) < BANKING_ROWS
    else:
        size = MANY_ROWS + MANY_TEST_ROWS
        X, y = labelled([size] * int(name.rpartition("-")[2]), MANY_DIMENSIONS, MANY_SPREAD)
        first = np.arange(len(y)) % size < MANY_ROWS
    return Task(X[first], y[first], X[~first], y[~first], protocol, SEED)


# Searches.


def linear(**options):
    """The linear machine of all methods."""
    return LinearSVC(dual="auto", random_state=SEED, **options)


def folds(task):
    """Folds of a search, the same for every method."""
    return StratifiedKFold(task.protocol.folds, shuffle=True, random_state=task.split)


def search(estimator, grid, task):
    """The estimator with the best of some parameters, fitted to all rows, which is timed apart."""
    found = GridSearchCV(estimator, grid, cv=folds(task), refit=False)
    searching, _ = seconds_of(lambda: found.fit(task.X, task.y))
    best = clone(found.estimator).set_params(**found.best_params_)
    fitting, model = seconds_of(lambda: best.fit(task.X, task.y))
    return model, {"seconds": searching + fitting, "refit_seconds": fitting, **best_cost(found)}


def best_cost(found):
    """The cost that a search chose, if it searched for one."""
    return dict(zip(["cost"], found.best_params_.values(), strict=False))


class DirectedAcyclicGraph(OneVsOneClassifier):
    """Platt's graph: the linear machines of one-vs-one, asked one after the other while two classes remain."""

    def predict(self, X):
        """Of the first and the last class left, vote one away until one remains."""
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


# Methods: each gives a fitted model and what fitting it took.


def fit_ovo(task):
    """One machine for each pair of classes."""
    return search(OneVsOneClassifier(linear()), {"estimator__C": task.protocol.costs}, task)


def fit_ovr(task):
    """One machine for each class."""
    return search(linear(), {"C": task.protocol.costs}, task)


def fit_crammer_singer(task):
    """A single machine for all classes."""
    return search(linear(multi_class="crammer_singer"), {"C": task.protocol.costs}, task)


def fit_dag(task):
    """The machines of one-vs-one in a graph."""
    return search(DirectedAcyclicGraph(linear()), {"estimator__C": task.protocol.costs}, task)


def fit_rbf(task):
    """The kernel machine; with very many rows an approximation of it."""
    if len(task.X) <= KERNEL_ROWS:
        return search(SVC(gamma="scale"), {"C": task.protocol.kernel_costs}, task)
    gamma = 1 / (task.X.shape[1] * task.X.var())  # what "scale" is
    model = make_pipeline(Nystroem(gamma=gamma, n_components=KERNEL_PARTS, random_state=SEED), linear())
    model, record = search(model, {"linearsvc__C": task.protocol.kernel_costs}, task)
    return model, record | {"model": f"Nystroem, {KERNEL_PARTS} parts"}


def fit_boosting(task):
    """Boosted trees as they come; the folds are run to know how good they are."""
    return search(HistGradientBoostingClassifier(random_state=task.split), {}, task)


def fit_smart(task, cut):
    """The paper's tree of machines; floors are measured in each fold anew, and for the last fit."""
    from bayesfloor import SmartSVM

    with TemporaryDirectory() as memory:
        smart, grid = SmartSVM(linear(), cut=cut, memory=memory), {"estimator__C": task.protocol.costs}
        model, record = search(smart, grid, task)
    return model, record | {"floor_seconds": floor_seconds(task) + model.floor_seconds_}


def floor_seconds(task):
    """What the floors of all folds take, measured again outside the search."""
    from bayesfloor import SmartSVM

    parts = [train for train, _ in folds(task).split(task.X, task.y)]
    fits = [SmartSVM(DummyClassifier()).fit(task.X[part], task.y[part]) for part in parts]
    return sum(fit.floor_seconds_ for fit in fits)


def fit_smart_min_cut(task):
    """The same, and what it takes with the floors of all training rows alone, as the paper did."""
    from bayesfloor import SmartSVM

    model, record = fit_smart(task, "min_cut")
    once = SmartSVM(linear(), cut="min_cut", floor=model.floor_matrix_)
    _, searched = search(once, {"estimator__C": task.protocol.costs}, task)
    floors = model.floor_seconds_
    return model, record | {"paper_seconds": floors + searched["seconds"], "paper_floor_seconds": floors}


def fit_floor_guided(task):
    """A tree that chooses a model for each of its nodes."""
    from bayesfloor import FloorGuidedClassifier

    seconds, model = seconds_of(lambda: FloorGuidedClassifier(random_state=task.split).fit(task.X, task.y))
    return model, {"seconds": seconds, "floor_seconds": model.floor_seconds_, **describe_tree(model.tree_)}


def describe_tree(tree):
    """How many nodes a tree has, and how many of them each kind of model; single classes have none."""
    names = [str(name or "").partition(" (")[0] for name in tree.frame()["model"]]
    return {"nodes": len(names), "models": dict(Counter(name for name in names if name).most_common())}


def fit_plain(task, estimator):
    """A model without a search."""
    seconds, model = seconds_of(lambda: clone(estimator).fit(task.X, task.y))
    return model, {"seconds": seconds}


def fit_smart_plain(task, cut):
    """The paper's tree without a search."""
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
    "smart_min_cut": partial(fit_smart_plain, cut="min_cut"),
    "smart_average": partial(fit_smart_plain, cut="average"),
    "floor_guided": fit_floor_guided,
}


# What a method scored.


def reason_to_skip(method, task):
    """Why a method is not run on these rows; nothing if it is."""
    size = len(task.X) * (task.y.max() + 1)
    reduced = task.protocol.most_rows is not None
    too_large = method == "crammer_singer" and reduced and size > SINGLE_MACHINE_SIZE
    return f"{size} rows times classes are more than {SINGLE_MACHINE_SIZE}" if too_large else ""


def measure(method, task, methods):
    """Times and scores of a method, as plain values."""
    reason = reason_to_skip(method, task)
    if reason:
        return {"skipped": reason}
    model, record = methods[method](task)
    shape = [*task.X.shape, int(task.y.max()) + 1]
    return {key: plain(value) for key, value in (record | judge(model, task)).items()} | {"shape": shape}


def judge(model, task):
    """Scores of the predictions, and how long they took."""
    calls = [seconds_of(lambda: model.predict(task.test)) for _ in range(PREDICT_ROUNDS)]
    guess = calls[0][1]
    return {
        "ari": adjusted_rand_score(task.truth, guess),
        "accuracy": accuracy_score(task.truth, guess),
        "log_loss": probability_loss(model, task),
        "predict_seconds": min(seconds for seconds, _ in calls),
    }


def probability_loss(model, task):
    """Log loss of the probabilities, which must add up to 1; None of a model that has none."""
    if not hasattr(model, "predict_proba"):
        return None
    shares = model.predict_proba(task.test)
    assert np.allclose(shares.sum(axis=1), 1), f"{model}: probabilities add up to {shares.sum(axis=1)}"
    return log_loss(task.truth, shares, labels=model.classes_)


# In a process of its own.


def prepare_case(group, protocol):
    """Load one group of cells and compile; returns what measures a method of it by name."""
    warnings.filterwarnings("ignore", category=ConvergenceWarning)  # linear machines of a high cost do not converge
    threadpool_limits(limits=1)
    if protocol.rounds > 1:
        warm_up()
    if group[0] == "many":
        return partial(measure, task=widen(make_many(group[1], protocol)), methods=MANY_METHODS)
    return partial(measure, task=make_task(*group, protocol), methods=METHODS)


def widen(task):
    """The same task with as many rows to predict as all such tasks have."""
    rows = np.arange(PREDICTED_ROWS) % len(task.truth)
    return task._replace(test=task.test[rows], truth=task.truth[rows])


def warm_up():
    """Compile the kernels of floors on a few rows."""
    from bayesfloor import BayesFloor
    from bayesfloor.forest._spanning_forest import prepare_kernels

    prepare_kernels()
    for k in (2, 30):  # few classes and many take different kernels
        BayesFloor(n_jobs=1).fit(*labelled([3000 // k] * k, 10, 1.0))
