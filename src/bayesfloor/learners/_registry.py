"""The learners in a race: how each is built, what it costs, and its fraction of the significance level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._errors import InputError, InputTypeError
from bayesfloor.engine._parameters import check_choice
from bayesfloor.learners._neighbours import Neighbours

# Budgets, as multiples of the cost of five-fold cross-validation of a random forest.
EFFORTS = {"quick": 0.2, "normal": 1.6, "thorough": 8.0}
# Smallest budgets in seconds: with few rows, most learners are cheap.
LEAST_BUDGET = {"quick": 4.0, "normal": 20.0, "thorough": 100.0}
BLEND, TREES, OWN = "blend", "spanning trees", "your own"
_MANY_FEATURES, _MANY_ROWS = 100, 2000
_ROWS_SEEN = 300_000  # rows after which a network has mostly learned what it can
_MOST_QUADRATIC = 60  # features; with more, covariances are too uncertain


class Size(NamedTuple):
    """Size of a training set, and how much effort to spend on it.

    ``n_columns`` is the number of columns before categories became several features each.
    """

    n_rows: float
    n_features: int
    n_classes: int
    n_columns: int | None = None
    effort: str = "normal"


class Learner(NamedTuple):
    """How to build a learner, its kind, its cost in seconds on one core, and whether it is chosen before others.

    The cost covers training, and testing on a quarter as many rows. It comes from a formula fitted to measured CPU
    times, so that the choice of learners does not depend on the machine.
    """

    make: Callable[[Size, int], Any]
    kind: str
    cost: Callable[[Size], float]
    first: bool = True


def budget(size: Size, n_folds: int) -> float:
    """Return how many seconds a race may take: a multiple of a forest's cross-validation, and more with few rows."""
    least = LEAST_BUDGET[size.effort] / np.sqrt(size.n_classes * max(1.0, size.n_rows / _MANY_ROWS))
    forest = _trees_cost(size.n_rows, size.n_columns or size.n_features)
    return float(max(least, EFFORTS[size.effort] * n_folds * forest))


def _trees_cost(n: float, d: int) -> float:
    """Return how many seconds a random forest of 100 trees takes."""
    return float(0.05 + 5e-6 * n * np.log2(n + 2) * d**0.3)


def _nearest(_size: Size, _seed: int) -> Any:
    return Neighbours()


def _linear(size: Size, _seed: int) -> Any:
    """Make a logistic regression or, for many features, a linear discriminant with Ledoit-Wolf shrinkage."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression

    if size.n_features <= _MANY_FEATURES:
        return _scaled(LogisticRegression(max_iter=200))
    return _scaled(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))


def _quadratic(_size: Size, _seed: int) -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return _scaled(QuadraticDiscriminantAnalysis(reg_param=0.05))


def _forest(size: Size, random_state: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(_n_trees(size), min_samples_leaf=2, random_state=random_state)


def _kernel(size: Size, _seed: int) -> Any:
    from bayesfloor.learners._kernel_machine import KernelMachine

    return _scaled(KernelMachine(C=10.0 if size.n_features <= _MANY_FEATURES else 1.0))


def _boosting(_size: Size, random_state: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_leaf_nodes=15, early_stopping=False, random_state=random_state)


def _network(size: Size, random_state: int) -> Any:
    """Make a network that trains fast: single precision, few epochs of large steps, fewer if there are many rows."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import FunctionTransformer

    steps: Any = {"learning_rate_init": 0.005, "early_stopping": True, "n_iter_no_change": 5}
    network = MLPClassifier((200,), max_iter=_n_epochs(size), random_state=random_state, **steps)
    return _scaled(FunctionTransformer(np.float32), network)


def _scaled(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), *steps)


def _n_trees(size: Size) -> int:
    """Return the number of trees; with few rows, fewer trees are as good, and most of the cost is overhead."""
    if size.effort == "quick":
        return 30
    return 70 if size.n_rows >= _MANY_ROWS else 50


def _n_epochs(size: Size) -> int:
    """Return the number of epochs: fewer if each has many rows."""
    return int(np.clip(_ROWS_SEEN / size.n_rows, 10, 25))


def _forest_cost(size: Size) -> float:
    return 0.7 * _trees_cost(size.n_rows, size.n_features) * _n_trees(size) / 100


def _linear_cost(size: Size) -> float:
    n, d, K = size[:3]
    return 0.01 + (5e-8 * n * d * K if d <= _MANY_FEATURES else 2e-10 * n * d**2 + 6e-10 * d**3)


def _kernel_cost(size: Size) -> float:
    n, d, K = size[:3]
    return 0.005 + n**2 * (8e-9 + 1e-7 / K + 2e-10 * d)


def _boosting_cost(size: Size) -> float:
    n, d, K = size[:3]
    return float((1 if K == 2 else K) * (0.03 + 1.2e-4 * d * np.sqrt(n)))


def _nearest_cost(size: Size) -> float:
    n, d = size[:2]
    return 0.02 + n * (n / 4 + 1000) * (6e-9 + 5e-11 * d)


def _network_cost(size: Size) -> float:
    n, d = size[:2]
    return 0.02 + n * _n_epochs(size) * (4e-6 + 1.6e-8 * d)


REGISTRY = {
    "linear": Learner(_linear, "linear", _linear_cost),
    "quadratic": Learner(_quadratic, "smooth", lambda s: 0.005 + 5e-10 * s.n_rows * s.n_features**2 * s.n_classes),
    "kernel": Learner(_kernel, "smooth", _kernel_cost),
    "forest": Learner(_forest, "trees", _forest_cost),
    "boosting": Learner(_boosting, "trees", _boosting_cost),
    "neighbours": Learner(_nearest, "local", _nearest_cost, first=False),
    "network": Learner(_network, "smooth", _network_cost, first=False),
}

# Fractions of the significance level for each upper limit, fixed before any label is seen; they add up to 1.
WEIGHTS = {
    TREES: 0.02,
    "linear": 0.05,
    "quadratic": 0.05,
    "neighbours": 0.03,
    "forest": 0.1,
    "kernel": 0.1,
    "boosting": 0.15,
    "network": 0.05,
    BLEND: 0.35,
    "guessing": 0.02,
    OWN: 0.08,  # shared by all of the user's learners
}


def weight_of(name: str, own: list[str]) -> float:
    """Return this learner's fraction of the significance level."""
    return WEIGHTS[OWN] / len(own) if name in own else WEIGHTS[name]


def suits(name: str, size: Size) -> bool:
    """Whether a learner is useful for data of this size."""
    return name != "quadratic" or size.n_features <= _MOST_QUADRATIC


def check_effort(effort: object) -> None:
    """Raise if this is not a known effort."""
    check_choice("effort", effort, EFFORTS)


def check_learners(learners: Any) -> None:
    """Raise if this is not a dict of named classifiers."""
    from sklearn.base import is_classifier

    if not isinstance(learners, dict):
        raise InputTypeError(f"Got learners of type {type(learners).__name__}, but expected a dict: {{'mine': SVC()}}.")
    for name, learner in learners.items():
        if name in (*REGISTRY, BLEND, TREES):
            raise InputError(f"Got a learner named {name!r}, but a built-in learner has that name. Choose another.")
        if not hasattr(learner, "fit") or not is_classifier(learner):
            raise InputTypeError(f"Got {learner!r} as learner {name!r}, but expected a scikit-learn classifier.")
