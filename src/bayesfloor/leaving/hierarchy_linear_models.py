"""Linear models of all classes at once: the cheapest to train, and the fastest to predict with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.io._labels import hard_shares
from bayesfloor.support._types import Floats, Ints

_RIDGE = 1e-4  # fraction of the mean variance added to every variance: features may be collinear


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear score for each class."""

    classes_: Ints
    coef: Floats
    intercept: Floats

    def decision_function(self, X: Floats) -> Floats:
        """Return the scores, one column per class."""
        return X @ self.coef.T + self.intercept


def train_discriminant(X: Floats, codes: Ints, weight: Floats | None) -> Linear:
    """Train a linear discriminant: class means and one covariance, from two matrix products."""
    classes, place = np.unique(codes, return_inverse=True)
    share = np.ones(len(codes)) if weight is None else weight
    members = hard_shares(place, len(classes)).T
    size = members @ share
    means = (members @ (share[:, None] * X)) / size[:, None]
    inside = X - means[place]
    covariance = (share[:, None] * inside).T @ inside / size.sum()
    typical = float(np.trace(covariance)) / X.shape[1] or float(X.var()) or 1.0
    coef = np.linalg.solve(covariance + _RIDGE * typical * np.eye(X.shape[1]), means.T).T
    return Linear(classes, coef, np.log(size / size.sum()) - (means * coef).sum(axis=1) / 2)


def train_logistic(X: Floats, codes: Ints, weight: Floats | None, C: float) -> Linear:
    """Train a logistic regression; with two classes, each gets half of the score."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=C).fit(X, codes, weight)
    if len(model.classes_) > 2:
        return Linear(model.classes_, model.coef_, model.intercept_)
    sides = np.array([[-0.5], [0.5]])
    return Linear(model.classes_, sides * model.coef_, sides[:, 0] * model.intercept_)
