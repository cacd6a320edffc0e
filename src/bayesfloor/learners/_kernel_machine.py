"""An RBF support vector machine that tests many rows at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253 - imported when a race is first run

from bayesfloor.engine._types import Floats, Ints

_AT_ONCE = 4_000_000  # numbers held at the same time: kernel values, or decisions between pairs of classes


class KernelMachine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """``sklearn.svm.SVC`` with the same decisions; libsvm tests row by row, which takes as long as training.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.learners._kernel_machine import KernelMachine
    >>> KernelMachine().fit(np.arange(8.0)[:, None], np.repeat([0, 1], 4)).predict([[0.5], [6.5]])
    array([0, 1])
    """

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
        vectors = self._machine.support_vectors_
        square = (X**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1) - 2 * X @ vectors.T
        return np.asarray(np.exp(np.multiply(square, -self.gamma_, out=square), out=square))

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
