"""The learners that can race: how they are built, what they cost, and which limits they may set."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin  # noqa: TID253 - itself imported when first used

from bayesfloor.answer._metrics import CLASSES
from bayesfloor.io._features import canonical, divide_columns, typical_size
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._parameters import check_choice
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

# Budgets, as multiples of the cost of five-fold cross-validation of a random forest.
EFFORTS = {"quick": 0.2, "normal": 1.6, "thorough": 8.0}
# Smallest budgets in seconds: with few rows, most learners are cheap.
LEAST_BUDGET = {"quick": 4.0, "normal": 20.0, "thorough": 100.0}
BLEND, TREES, OWN = "blend", "spanning trees", "your own"
_MANY_FEATURES, _MANY_ROWS = 100, 2000
_ROWS_SEEN = 300_000  # rows after which a network has mostly learned what it can
_MOST_QUADRATIC = 60  # features; with more, covariances are too uncertain
_NEIGHBOURS = (1, 3, 5, 7, 11, 15, 21, 31, 45, 65, 91, 131)
_CHOOSE_BY = 1000  # training rows used to choose k by leaving each out in turn
_WIDE_PENALTY = 0.1  # of a ridge on very many columns, per column
_AT_ONCE = 4_000_000  # numbers held at the same time: kernel values, or decisions between pairs of classes


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

    ``suits`` says for which training sets it is of use.

    The cost covers training, and testing on a quarter as many rows. It comes from a formula fitted to measured CPU
    times, so that the choice of learners does not depend on the machine.
    """

    make: Callable[[Size, int], Any]
    kind: str
    cost: Callable[[Size], float]
    first: bool = True
    suits: Callable[[Size], bool] = lambda _: True


def budget(size: Size, n_folds: int, forest: float | None = None) -> float:
    """Return how many seconds a race may take: a multiple of a forest's cross-validation, and more with few rows.

    ``forest`` is what a forest of 100 trees costs, if its trees do not predict classes.
    """
    least = LEAST_BUDGET[size.effort] / np.sqrt(size.n_classes * max(1.0, size.n_rows / _MANY_ROWS))
    forest = forest or _trees_cost(size.n_rows, size.n_columns or size.n_features)
    return float(max(least, EFFORTS[size.effort] * n_folds * forest))


def _trees_cost(n: float, d: int) -> float:
    """Return how many seconds a random forest of 100 trees takes."""
    return float(0.05 + 5e-6 * n * np.log2(n + 2) * d**0.3)


def _linear(size: Size, _seed: int) -> Any:
    """Make a logistic regression or, for many features, a linear discriminant with Ledoit-Wolf shrinkage."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression

    if size.n_features <= _MANY_FEATURES:
        return scaled(LogisticRegression(max_iter=200))
    return scaled(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))


def _quadratic(_size: Size, _seed: int) -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return scaled(QuadraticDiscriminantAnalysis(reg_param=0.05))


def _forest(size: Size, random_state: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(n_trees(size), min_samples_leaf=2, random_state=random_state)


def _kernel(size: Size, _seed: int) -> Any:
    return scaled(KernelMachine(C=10.0 if size.n_features <= _MANY_FEATURES else 1.0))


def _boosting(_size: Size, random_state: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_leaf_nodes=15, early_stopping=False, random_state=random_state)


def _network(size: Size, random_state: int) -> Any:
    """Make a network that trains fast: single precision, few epochs of large steps, fewer if there are many rows."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import FunctionTransformer

    steps: Any = {"learning_rate_init": 0.005, "early_stopping": True, "n_iter_no_change": 5}
    network = MLPClassifier((200,), max_iter=n_epochs(size), random_state=random_state, **steps)
    return scaled(FunctionTransformer(np.float32), network)


def scaled(*steps: Any) -> Any:
    """Return a pipeline that first scales columns to standard deviation 1."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), *steps)


def n_trees(size: Size) -> int:
    """Return the number of trees; with few rows, fewer trees are as good, and most of the cost is overhead."""
    if size.effort == "quick":
        return 30
    return 70 if size.n_rows >= _MANY_ROWS else 50


def n_epochs(size: Size) -> int:
    """Return the number of epochs: fewer if each has many rows."""
    return int(np.clip(_ROWS_SEEN / size.n_rows, 10, 25))


def _linear_cost(size: Size) -> float:
    n, d, K = size[:3]
    return 0.01 + (5e-8 * n * d * K if d <= _MANY_FEATURES else 2e-10 * n * d**2 + 6e-10 * d**3)


REGISTRY = {
    "linear": Learner(_linear, "linear", _linear_cost),
    "quadratic": Learner(
        _quadratic,
        "smooth",
        lambda s: 0.005 + 5e-10 * s.n_rows * s.n_features**2 * s.n_classes,
        suits=lambda s: s.n_features <= _MOST_QUADRATIC,
    ),
    "kernel": Learner(
        _kernel, "smooth", lambda s: 0.005 + s.n_rows**2 * (8e-9 + 1e-7 / s.n_classes + 2e-10 * s.n_features)
    ),
    "forest": Learner(_forest, "trees", lambda s: 0.7 * _trees_cost(s.n_rows, s.n_features) * n_trees(s) / 100),
    "boosting": Learner(
        _boosting,
        "trees",
        lambda s: (1 if s.n_classes == 2 else s.n_classes) * (0.03 + 1.2e-4 * s.n_features * np.sqrt(s.n_rows)),
    ),
    "neighbours": Learner(
        lambda _size, _seed: Neighbours(),
        "local",
        lambda s: 0.02 + s.n_rows * (s.n_rows / 4 + 1000) * (6e-9 + 5e-11 * s.n_features),
        first=False,
    ),
    "network": Learner(
        _network, "smooth", lambda s: 0.02 + s.n_rows * n_epochs(s) * (4e-6 + 1.6e-8 * s.n_features), first=False
    ),
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


def called(name: str, task: str = CLASSES) -> str:
    """Return a learner's name in words."""
    own = {} if task == CLASSES else {"neighbours": "an average of neighbours", "kernel": "kernel ridge regression"}
    return own.get(name) or {
        "neighbours": "a nearest-neighbour classifier",
        "linear": "a linear model",
        "quadratic": "a quadratic model",
        "kernel": "an RBF support vector machine",
        "forest": "a random forest",
        "boosting": "gradient boosting",
        "network": "a small neural network",
        "blend": "a blend of all learners",
    }.get(name, f"the learner {printable(name)}")


def check_effort(effort: object) -> None:
    """Raise if this is not a known effort."""
    check_choice("effort", effort, EFFORTS)


def check_learners(learners: Any, task: str = CLASSES) -> None:
    """Raise if this is not a dict of named classifiers or, if the task is numbers, of named regressors."""
    from sklearn.base import is_classifier, is_regressor

    numbers = task != CLASSES
    is_able, kind, mine = (is_regressor, "regressor", "SVR()") if numbers else (is_classifier, "classifier", "SVC()")
    if not isinstance(learners, dict):
        raise InputTypeError(
            f"Got learners of type {type(learners).__name__}, but expected a dict: {{'mine': {mine}}}."
        )
    for name, learner in learners.items():
        if name in (*REGISTRY, BLEND, TREES):
            raise InputError(f"Got a learner named {name!r}, but a built-in learner has that name. Choose another.")
        if not hasattr(learner, "fit") or not is_able(learner):
            raise InputTypeError(f"Got {learner!r} as learner {name!r}, but expected a scikit-learn {kind}.")


def exact_learners(own: dict[str, Any], exact: Any, task: str = CLASSES) -> dict[str, Any]:
    """Return learners for exact values, if there are any: a linear model, and user-defined ones that accept them."""
    if exact is None:
        return {}
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import get_tags

    scaler = TypicalSize() if issparse(exact) else StandardScaler()
    able = {
        name: learner for name, learner in own.items() if not issparse(exact) or get_tags(learner).input_tags.sparse
    }
    linear = LogisticRegression(max_iter=30) if task == CLASSES else Ridge(_WIDE_PENALTY * exact.shape[1])
    return {"linear": make_pipeline(scaler, linear), **able}


def encode_codes(
    learners: dict[str, Any], code: np.ndarray | None, random_state: int, task: str = CLASSES
) -> dict[str, Any]:
    """Put a target encoder before each learner; it replaces codes with rates or means from the training folds only."""
    if code is None:
        return learners
    from sklearn.pipeline import make_pipeline

    return {name: make_pipeline(code_encoder(code, random_state, task), learner) for name, learner in learners.items()}


def code_encoder(code: np.ndarray, random_state: int, task: str = CLASSES) -> Any:
    """Return a transformer that replaces codes with class rates or mean numbers of five shuffled folds.

    All other columns stay as they are.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.preprocessing import TargetEncoder

    # "auto" would take whole numbers for classes.
    kind, split = ("continuous", KFold) if task != CLASSES else ("auto", StratifiedKFold)
    rates = TargetEncoder(target_type=kind, random_state=random_state)
    if getattr(TargetEncoder(), "random_state", "deprecated") == "deprecated":  # scikit-learn 1.9 wants a splitter
        rates = TargetEncoder(target_type=kind, cv=split(5, shuffle=True, random_state=random_state))
    return make_column_transformer((rates, np.flatnonzero(code)), remainder="passthrough", sparse_threshold=0)


class NearestRows(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Finds the k nearest rows, with the k that has the lowest leave-one-out loss on 1,000 rows."""

    def _store(self, X: Floats, loss: Callable[[Ints, Ints], float]) -> None:
        """Store the rows and choose k; ``loss`` is that of using these neighbours for these rows."""
        from sklearn.neighbors import NearestNeighbors

        numbers = np.array([k for k in _NEIGHBOURS if k < len(X)] or [1])
        self._search, self.k_ = NearestNeighbors().fit(X), 1
        if len(X) > 2:  # otherwise there are too few rows to choose k
            tried = np.linspace(0, len(X) - 1, min(len(X), _CHOOSE_BY)).astype(int)
            near = self._others(X[tried], tried, int(numbers[-1]))
            self.k_ = int(numbers[np.argmin([loss(near[:, :k], tried) for k in numbers])])

    def _nearest(self, X: Floats) -> Ints:
        return np.asarray(self._search.kneighbors(X, n_neighbors=self.k_, return_distance=False))

    def _others(self, X: Floats, rows: Ints, k: int) -> Ints:
        """Return each training row's k nearest other rows; among more than k equal rows, it may miss itself."""
        near = self._search.kneighbors(X, n_neighbors=k + 1, return_distance=False)
        itself = near == rows[:, None]
        itself[~itself.any(axis=1), -1] = True
        return near[~itself].reshape(len(rows), k)


class Neighbours(ClassifierMixin, NearestRows):  # type: ignore[misc]  # scikit-learn has no types
    """Classifies by a vote of the k nearest rows."""

    def fit(self, X: Floats, y: Ints) -> Neighbours:
        """Store the rows and choose k."""
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        codes = self._codes
        self._store(X, lambda near, rows: float(np.mean(self._vote(codes[near]).argmax(axis=1) != codes[rows])))
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the class proportions among the k nearest rows, smoothed by half a vote split among the classes."""
        votes = self._vote(self._codes[self._nearest(X)]) + 0.5 / len(self.classes_)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: Floats) -> np.ndarray:
        """Return the most frequent class among the neighbours."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _vote(self, codes: Ints) -> Floats:
        n, K = len(codes), len(self.classes_)
        place = np.arange(n)[:, None] * K + codes
        return np.bincount(place.ravel(), minlength=n * K).reshape(n, K).astype(np.float64)


class KernelMachine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """``sklearn.svm.SVC`` with the same decisions; libsvm tests row by row, which takes as long as training."""

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Floats, y: Ints) -> KernelMachine:
        """Train the machine."""
        from sklearn.svm import SVC

        self.gamma_ = 1 / (X.shape[1] * (X.var() or 1.0))
        self._machine = SVC(C=self.C, gamma=self.gamma_).fit(X, y)
        self.classes_ = self._machine.classes_
        return self

    def decision_function(self, X: Floats) -> Floats:
        """Return a score per class: votes of the pairs of classes, with ties broken by the distances from borders."""
        n_classes, n_vectors = len(self.classes_), len(self._machine.support_)
        size = max(1, _AT_ONCE // max(n_vectors, n_classes**2))
        decide = self._of_two if n_classes == 2 else self._of_many
        return np.concatenate([decide(X[start : start + size]) for start in range(0, len(X), size)])

    def predict(self, X: Floats) -> np.ndarray:
        """Return the class with the highest score."""
        scores = self.decision_function(np.asarray(X))
        return np.asarray(self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)])

    def _kernel(self, X: Floats) -> Floats:
        return gaussian_kernel(X, self._machine.support_vectors_, self.gamma_)

    def _of_two(self, X: Floats) -> Floats:
        return np.asarray(self._kernel(X) @ self._machine.dual_coef_[0] + self._machine.intercept_)

    def _of_many(self, X: Floats) -> Floats:
        """Combine the decisions of all pairs of classes as scikit-learn's ``ovr`` does."""
        kernel, n_classes = self._kernel(X), len(self.classes_)
        between = np.zeros((n_classes, n_classes, len(X)))
        ends = np.cumsum([0, *self._machine.n_support_])
        for number, (start, end) in enumerate(pairwise(ends)):
            others = np.arange(n_classes) != number  # each row of dual_coef_ is for another class
            between[number, others] = self._machine.dual_coef_[:, start:end] @ kernel[:, start:end].T
        one, two = np.triu_indices(n_classes, 1)
        decision = between[one, two] + between[two, one] + self._machine.intercept_[:, None]
        between[one, two], between[two, one] = decision, -decision
        votes, sure = (between > 0).sum(axis=1), between.sum(axis=1)
        return np.asarray((votes + sure / (3 * (np.abs(sure) + 1))).T)


def gaussian_kernel(X: Floats, Y: Floats, gamma: float) -> Floats:
    """Return exp(-gamma * squared distance) for each row of X and each of Y."""
    square = (X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1) - 2 * X @ Y.T
    return np.asarray(np.exp(np.multiply(square, -gamma, out=square), out=square))


class TypicalSize(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Divides each column of a sparse matrix by the mean size of its nonzero values."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Compute the sizes."""
        self.size_ = typical_size(canonical(X))
        return self

    def transform(self, X: Any) -> Any:
        """Divide each column by its size."""
        return divide_columns(X, self.size_)
