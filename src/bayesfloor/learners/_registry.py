"""The learners of a race: how each is made, what it costs, and what part of the error level its limit may spend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._errors import InputError, InputTypeError
from bayesfloor.learners._neighbours import Neighbours

EFFORTS = {"quick": 0.8, "normal": 2.2, "thorough": 8.0}  # times five-fold cross-validation of a random forest
# Seconds, to be divided by the number of classes: on few rows and classes all learners are cheap.
LEAST_BUDGET = {"quick": 3.0, "normal": 16.0, "thorough": 100.0}
BLEND, TREES, OWN = "blend", "spanning trees", "your own"
_MANY_FEATURES, _MANY_ROWS = 100, 2000
_MOST_QUADRATIC = 60  # features: covariances of more are hardly known


class Size(NamedTuple):
    """Of a training set."""

    n_rows: float
    n_features: int
    n_classes: int


class Learner(NamedTuple):
    """How to make a learner, its kind, its seconds on one core, and whether it is among the first to run.

    Seconds are those of training, and of testing on a quarter as many rows, fitted to measured CPU times. They decide
    what runs, so they do not depend on the machine.
    """

    make: Callable[[Size, int], Any]
    kind: str
    cost: Callable[[Size], float]
    first: bool = True


def forest_cost(size: Size) -> float:
    """Seconds of a random forest of 100 trees, the measure of all others."""
    n, d, _ = size
    return float(0.1 + 3e-6 * n * np.log2(n + 2) * np.sqrt(d))


def _nearest(_size: Size, _seed: int) -> Any:
    return Neighbours()


def _linear(size: Size, _seed: int) -> Any:
    """Logistic regression; in many dimensions a discriminant, its shrinkage by Ledoit and Wolf's formula."""
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
    from sklearn.svm import SVC

    return _scaled(SVC(C=10.0 if size.n_features <= _MANY_FEATURES else 1.0))


def _boosting(_size: Size, random_state: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_leaf_nodes=15, early_stopping=False, random_state=random_state)


def _network(_size: Size, random_state: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return _scaled(MLPClassifier((100,), early_stopping=True, max_iter=100, random_state=random_state))


def _scaled(learner: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), learner)


def _n_trees(size: Size) -> int:
    """Few rows are learned as well by fewer trees, whose overhead is most of the cost there."""
    return 100 if size.n_rows >= _MANY_ROWS else 50


def _forest_cost(size: Size) -> float:
    return 0.65 * forest_cost(size) * _n_trees(size) / 100


def _linear_cost(size: Size) -> float:
    n, d, K = size
    return 0.01 + (5e-8 * n * d * K if d <= _MANY_FEATURES else 6e-10 * n * d**2 + 6e-10 * d**3)


def _boosting_cost(size: Size) -> float:
    n, d, K = size
    return float((1 if K == 2 else K) * (0.05 + 2e-4 * d * np.sqrt(n)))


def _nearest_cost(size: Size) -> float:
    n, d, _ = size
    return 0.01 + 5e-10 * n * (n / 4 + 1000) * (5 + d)


def _network_cost(size: Size) -> float:
    n, d, K = size
    return 0.05 + 1.4e-4 * n * (1 + d / 100 + K / 15)


REGISTRY = {
    "linear": Learner(_linear, "linear", _linear_cost),
    "quadratic": Learner(_quadratic, "smooth", lambda s: 0.005 + 2e-9 * s.n_rows * s.n_features**2 * s.n_classes),
    "kernel": Learner(_kernel, "smooth", lambda s: 0.005 + 7e-10 * s.n_rows**2 * (10 + s.n_features)),
    "forest": Learner(_forest, "trees", _forest_cost),
    "boosting": Learner(_boosting, "trees", _boosting_cost),
    "neighbours": Learner(_nearest, "local", _nearest_cost, first=False),
    "network": Learner(_network, "smooth", _network_cost, first=False),
}

# Parts of the error level that upper limits may spend, fixed before any label is seen; they add up to 1.
WEIGHTS = {
    TREES: 0.02,
    "linear": 0.1,
    "quadratic": 0.05,
    "neighbours": 0.03,
    "forest": 0.15,
    "kernel": 0.15,
    "boosting": 0.15,
    "network": 0.05,
    BLEND: 0.2,
    OWN: 0.1,  # shared by all learners of the user's
}


def weight_of(name: str, own: list[str]) -> float:
    """The part of the error level that this learner's limit may spend."""
    return WEIGHTS[OWN] / len(own) if name in own else WEIGHTS[name]


def suits(name: str, size: Size) -> bool:
    """Whether a learner can be of use for data of this size."""
    return name != "quadratic" or size.n_features <= _MOST_QUADRATIC


def check_effort(effort: object) -> None:
    """Refuse what is not an amount of work."""
    if effort not in EFFORTS:
        raise InputError(f"Got effort={effort!r}, but expected one of {', '.join(map(repr, EFFORTS))}.")


def check_learners(learners: Any) -> None:
    """Refuse what is not a dict of classifiers by name."""
    from sklearn.base import is_classifier

    if not isinstance(learners, dict):
        raise InputTypeError(
            f"Got learners of type {type(learners).__name__}, but expected a dict of name -> classifier."
        )
    for name, learner in learners.items():
        if name in (*REGISTRY, BLEND, TREES):
            raise InputError(f"Got a learner named {name!r}, but that name is taken. Use a different name.")
        if not hasattr(learner, "fit") or not is_classifier(learner):
            raise InputTypeError(f"Got {learner!r} as learner {name!r}, but expected a classifier.")
