"""The learners that race on numbers, and their blend; they see numbers of mean 0 and standard deviation 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin  # noqa: TID253 - itself imported when first used

from bayesfloor.answer._learners import Learner, NearestRows, Size, gaussian_kernel, n_epochs, n_trees, scaled
from bayesfloor.support._types import Floats, Ints

_MOST_KERNEL = 2000  # training rows; a kernel matrix of more takes much time and memory
_CHOOSE_BY = 300  # rows by which the kernel's width and penalty are chosen
_WIDTHS = (0.1, 0.4, 1.6)  # squares of the kernel's width, as multiples of the median squared distance
_PENALTIES = np.geomspace(1e-4, 30, 12)  # the variance of the noise over that of the signal
_SHRINKAGES = np.geomspace(0.1, 1e4, 11)
_TREE_SEARCH = 15  # columns; with more, scikit-learn finds neighbours by all distances
_BATCH = 64  # with few rows, large batches are too few steps
_LITTLE = 1e-3  # spread of predictions, as a fraction of that of the numbers, below which weights shrink to 0


def _linear(_size: Size, _seed: int) -> Any:
    from sklearn.linear_model import RidgeCV

    return scaled(RidgeCV(_SHRINKAGES))


def _forest(size: Size, random_state: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(n_trees(size), min_samples_leaf=2, random_state=random_state)


def _boosting(size: Size, random_state: int) -> Any:
    """Make a boosting that learns almost as well as 100 rounds at a rate of 0.1, in half to two thirds of the time."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    n_rounds, rate = _rounds(size)
    steps: Any = {"max_iter": n_rounds, "learning_rate": rate, "early_stopping": False}
    return HistGradientBoostingRegressor(max_leaf_nodes=15, random_state=random_state, **steps)


def _network(size: Size, random_state: int) -> Any:
    """Make a network that trains fast, like the one for classes."""
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import FunctionTransformer

    steps: Any = {"learning_rate_init": 0.005, "early_stopping": True, "n_iter_no_change": 5, "batch_size": _BATCH}
    network = MLPRegressor(hidden_layer_sizes=(200,), max_iter=n_epochs(size), random_state=random_state, **steps)
    return scaled(FunctionTransformer(np.float32), network)


def _rounds(size: Size) -> tuple[int, float]:
    return (40, 0.2) if size.effort == "quick" else (60, 0.15)


def _kernel_cost(size: Size) -> float:
    n, d = size[:2]
    return 0.005 + 3e-7 * min(n, _CHOOSE_BY) ** 2 + n**2 * (1.2e-8 + 1e-10 * d + 1.6e-11 * n)


def _forest_cost(size: Size) -> float:
    n, d = size[:2]
    return float(n_trees(size) * (7e-4 + n * np.log2(n + 2) * (3.5e-8 + 1.1e-8 * d)))


def _nearest_cost(size: Size) -> float:
    n, d = size[:2]
    if d <= _TREE_SEARCH:
        return 0.01 + n * (5e-6 + 5e-7 * d**2)
    return 0.01 + n * (n / 4 + 1000) * (6e-9 + 5e-11 * d)


REGRESSORS = {
    "linear": Learner(
        _linear,
        "linear",
        lambda s: 0.004 + s.n_rows * (7e-7 + 5e-8 * s.n_features + 1.1e-9 * s.n_features * min(s[:2])),
    ),
    "kernel": Learner(
        lambda _size, _seed: scaled(KernelRidge()), "smooth", _kernel_cost, suits=lambda s: s.n_rows <= _MOST_KERNEL
    ),
    "forest": Learner(_forest, "trees", _forest_cost),
    "boosting": Learner(
        _boosting, "trees", lambda s: _rounds(s)[0] / 60 * (0.04 + 1e-4 * s.n_features * np.sqrt(s.n_rows))
    ),
    "neighbours": Learner(lambda _size, _seed: NeighbourMean(), "local", _nearest_cost, first=False),
    "network": Learner(
        _network, "smooth", lambda s: 0.02 + s.n_rows * n_epochs(s) * (6e-6 + 3e-8 * s.n_features), first=False
    ),
}


def forest_of_100(size: Size) -> float:
    """Return how many seconds a forest of 100 trees takes; its splits look at all columns, unlike those of classes."""
    return REGRESSORS["forest"].cost(size) * 100 / n_trees(size)


def stack(predictions: list[Floats], y: Floats, part: Ints) -> tuple[Floats, Floats]:
    """Return a weighted sum of predictions and a constant, and each learner's mean weight.

    This is stacking with weights of at least 0 (Breiman 1996) by squared error. The weights for each part of the rows
    are chosen by the numbers of the other parts, so the blend's errors can be counted like those of any learner.
    """
    found, blend, weights = np.stack(predictions, axis=1), np.empty(len(y)), []
    for number in np.unique(part):
        other, own = part != number, part == number
        middle, mean = found[other].mean(axis=0), y[other].mean()
        weights.append(_best_weights(found[other] - middle, y[other] - mean))
        blend[own] = mean + (found[own] - middle) @ weights[-1]
    return blend, np.mean(weights, axis=0)


def _best_weights(found: Floats, y: Floats) -> Floats:
    """Return the weights with the smallest squared error, made unique by a penalty that does not change useful ones."""
    from scipy.optimize import nnls

    n_rows, n_learners = found.shape
    spread = y.std() or 1.0
    penalty = _LITTLE * np.sqrt(n_rows) * np.eye(n_learners)
    weights, _ = nnls(np.vstack([found / spread, penalty]), np.append(y / spread, np.zeros(n_learners)))
    return np.asarray(weights)


class KernelRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Ridge regression with a Gaussian kernel; width and penalty have the lowest leave-one-out error on 300 rows."""

    def fit(self, X: Floats, y: Floats) -> KernelRidge:
        """Choose the width and the penalty, then train on all rows."""
        from scipy.linalg import cho_factor, cho_solve

        self.mean_ = float(y.mean())
        tried = np.linspace(0, len(X) - 1, min(len(X), _CHOOSE_BY)).astype(int)
        self._choose(X[tried], y[tried] - self.mean_)
        kernel = gaussian_kernel(X, X, self.gamma_)
        kernel[np.diag_indices_from(kernel)] += self.alpha_
        factor = cho_factor(kernel, overwrite_a=True, check_finite=False)
        self._X, self._dual = X, cho_solve(factor, y - self.mean_, check_finite=False)
        return self

    def predict(self, X: Floats) -> Floats:
        """Return the predicted numbers."""
        return np.asarray(gaussian_kernel(X, self._X, self.gamma_) @ self._dual + self.mean_)

    def _choose(self, X: Floats, y: Floats) -> None:
        """Choose from the eigenvalues of each width's kernel, which give the errors of all penalties at once."""
        from scipy.spatial.distance import pdist

        squares, least = pdist(X, "sqeuclidean"), np.inf
        typical = np.median(squares[squares > 0]) if squares.any() else 1.0
        for width in _WIDTHS:
            gamma = float(1 / (2 * width * typical))
            values, vectors = np.linalg.eigh(gaussian_kernel(X, X, gamma))
            inverse = 1 / (np.maximum(values, 0) + _PENALTIES[:, None])  # of the kernel with each penalty
            left_out = (inverse * (vectors.T @ y)) @ vectors.T / (inverse @ (vectors**2).T)
            errors = (left_out**2).mean(axis=1)
            if errors.min() < least:
                least, self.gamma_, self.alpha_ = errors.min(), gamma, float(_PENALTIES[errors.argmin()])


class NeighbourMean(RegressorMixin, NearestRows):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts the mean of the k nearest rows."""

    def fit(self, X: Floats, y: Floats) -> NeighbourMean:
        """Store the rows and choose k."""
        self._y = y
        self._store(X, lambda near, rows: float(((y[near].mean(axis=1) - y[rows]) ** 2).mean()))
        return self

    def predict(self, X: Floats) -> Floats:
        """Return the mean of the neighbours' numbers."""
        return np.asarray(self._y[self._nearest(X)].mean(axis=1))
