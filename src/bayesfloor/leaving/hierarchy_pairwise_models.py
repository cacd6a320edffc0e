"""Train a kernel SVM for every pair of classes, and compute class probabilities from their margins.

``CoupledPairs`` predicts from margins alone, with matrix products: all SVMs from one kernel matrix. The
log-probability of a class is the sum over its pairs, ``t * sum_j log sigmoid(a * margin_ij)``, with ``a`` and ``t``
fitted to held-out rows. Counting votes would ignore how confident each pair is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_expit, softmax

from bayesfloor.answer._race import fit_temperature
from bayesfloor.support._types import Floats, Ints

_SHARPNESS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_CALIBRATED_ON = 1500  # rows
_AT_ONCE = 1 << 24  # numbers in a block of the kernel matrix


@dataclass(frozen=True, eq=False)
class KernelPairs:
    """Gaussian kernel SVMs of all pairs, in libsvm's format."""

    support: Floats
    start: Ints  # where each class starts among the support vectors
    dual: Floats
    intercept: Floats
    gamma: float

    def margins(self, X: Floats) -> Floats:
        """Return the margins, one column per pair."""
        step = max(1, _AT_ONCE // max(1, len(self.support)))
        return np.concatenate([self._margins(X[first : first + step]) for first in range(0, len(X), step)])

    def _margins(self, X: Floats) -> Floats:
        from sklearn.metrics.pairwise import rbf_kernel

        kernel, ends = rbf_kernel(X, self.support, self.gamma), zip(self.start[:-1], self.start[1:], strict=True)
        sums = [kernel[:, first:last] @ self.dual[:, first:last].T for first, last in ends]
        one, two = np.triu_indices(len(sums), 1)
        pairs = zip(one.tolist(), two.tolist(), strict=True)
        return np.column_stack([sums[i][:, j - 1] + sums[j][:, i] for i, j in pairs]) + self.intercept


@dataclass(frozen=True, eq=False)
class CoupledPairs:
    """A classifier based on the margins of pairs."""

    classes_: Ints
    pairs: KernelPairs
    sharpness: float = 2.0
    temperature: float = 1.0

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probability of each class."""
        return np.concatenate([softmax(scores, axis=1) for scores in self._blocks(X)])

    def predict(self, X: Floats) -> Ints:
        """Return the most likely class."""
        return self.classes_[np.concatenate([scores.argmax(axis=1) for scores in self._blocks(X)])]

    def _blocks(self, X: Floats) -> Iterator[Floats]:
        """Yield scores for some rows at a time, because many classes have very many pairs."""
        step = max(1, _AT_ONCE // (len(self.classes_) * (len(self.classes_) - 1) // 2))
        return (self.scores(self.pairs.margins(X[first : first + step])) for first in range(0, max(len(X), 1), step))

    def calibrated(self, X: Floats, codes: Ints) -> CoupledPairs:
        """Return the model with ``a`` and ``t`` fitted to rows that the pairs have not seen."""
        chosen = _even_rows(len(codes), _CALIBRATED_ON)
        chosen = chosen[np.isin(codes[chosen], self.classes_)]
        if not len(chosen):
            return self
        margins, place = self.pairs.margins(X[chosen]), np.searchsorted(self.classes_, codes[chosen])
        tried = [replace(self, sharpness=a, temperature=1.0) for a in _SHARPNESS]
        warm = [fit_temperature(one.scores(margins), place) for one in tried]
        best = min(range(len(tried)), key=lambda number: warm[number][1])
        return replace(tried[best], temperature=warm[best][0])

    def like(self, other: CoupledPairs) -> CoupledPairs:
        """Return the model with another model's calibration."""
        return replace(self, sharpness=other.sharpness, temperature=other.temperature)

    def scores(self, margins: Floats) -> Floats:
        """Return the log-probabilities of the classes, up to a constant per row."""
        K = len(self.classes_)
        one, two = np.triu_indices(K, 1)
        first = log_expit(self.sharpness * margins)
        second = first - self.sharpness * margins  # log sigmoid(-x) = log sigmoid(x) - x
        return self.temperature * (first @ np.eye(K)[one] + second @ np.eye(K)[two])


def _even_rows(n: int, most: int) -> Ints:
    """Return at most ``most`` row numbers, spread evenly."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def train_kernel_pairs(X: Floats, codes: Ints, weight: Floats | None, C: float, gamma: float) -> CoupledPairs:
    """Train a Gaussian kernel SVM for each pair of classes."""
    from sklearn.svm import SVC

    model = SVC(C=C, gamma=gamma, cache_size=500, decision_function_shape="ovo").fit(X, codes, weight)
    start = np.concatenate([[0], np.cumsum(model.n_support_)])
    sign = -1.0 if len(model.classes_) == 2 else 1.0  # scikit-learn flips the sign with two classes
    pairs = KernelPairs(model.support_vectors_, start, sign * model.dual_coef_, sign * model.intercept_, gamma)
    return CoupledPairs(model.classes_, pairs)
