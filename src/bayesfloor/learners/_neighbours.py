"""A nearest-neighbour classifier that chooses its own k."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253 - imported when a race is first run

from bayesfloor.engine._types import Floats, Ints

_NUMBERS = (1, 3, 5, 7, 11, 15, 21, 31, 45, 65, 91, 131)
_CHOOSE_BY = 1000  # training rows used to choose k by leaving each out in turn


class Neighbours(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Classifies by a vote of the k nearest rows, with the k that has the lowest leave-one-out error on 1,000 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.learners._neighbours import Neighbours
    >>> Neighbours().fit(np.arange(8.0)[:, None], np.repeat([0, 1], 4)).predict([[0.5], [6.5]])
    array([0, 1])
    """

    def fit(self, X: Floats, y: Ints) -> Neighbours:
        """Store the rows and choose k."""
        from sklearn.neighbors import NearestNeighbors

        self.classes_, self._codes = np.unique(y, return_inverse=True)
        numbers = np.array([k for k in _NUMBERS if k < len(X)] or [1])
        self._search, self.k_ = NearestNeighbors().fit(X), 1
        if len(X) > 2:  # otherwise there are too few rows to choose k
            tried = np.linspace(0, len(X) - 1, min(len(X), _CHOOSE_BY)).astype(int)
            votes = self._codes[self._others(X[tried], tried, int(numbers[-1]))]
            wrong = [np.mean(self._vote(votes[:, :k]).argmax(axis=1) != self._codes[tried]) for k in numbers]
            self.k_ = int(numbers[np.argmin(wrong)])
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the class proportions among the k nearest rows, smoothed by half a vote split among the classes."""
        near = self._search.kneighbors(X, n_neighbors=self.k_, return_distance=False)
        votes = self._vote(self._codes[near]) + 0.5 / len(self.classes_)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: Floats) -> np.ndarray:
        """Return the most frequent class among the neighbours."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _others(self, X: Floats, rows: Ints, k: int) -> Ints:
        """Return each training row's k nearest other rows; among more than k equal rows, it may miss itself."""
        near = self._search.kneighbors(X, n_neighbors=k + 1, return_distance=False)
        itself = near == rows[:, None]
        itself[~itself.any(axis=1), -1] = True
        return near[~itself].reshape(len(rows), k)

    def _vote(self, codes: Ints) -> Floats:
        n, K = len(codes), len(self.classes_)
        place = np.arange(n)[:, None] * K + codes
        return np.bincount(place.ravel(), minlength=n * K).reshape(n, K).astype(np.float64)
