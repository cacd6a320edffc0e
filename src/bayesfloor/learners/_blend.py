"""Blend the posteriors of several learners."""

from __future__ import annotations

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.learners._calibrate import calibrate, halves_if_one

_MOST_NUMBERS = 100_000  # log probabilities of a learner from which weights are chosen
_STEPS = 30


def blend(posteriors: list[Floats], codes: Ints, fold: Ints) -> tuple[Floats, Floats]:
    """Return the softmax of a weighted sum of log posteriors, and each learner's mean weight.

    This is stacking (Wolpert 1992; Breiman 1996, with weights of at least 0) by log loss. Each fold's weights are
    chosen by the labels of the other folds, so the blend's errors can be counted like those of any learner.
    """
    logs, part = np.log(np.stack(posteriors)), halves_if_one(fold)
    whole, weights = np.empty(logs.shape[1:]), []
    for number in np.unique(part):
        other, own = np.flatnonzero(part != number), part == number
        taken = other[:: max(1, len(other) * logs.shape[2] // _MOST_NUMBERS)]
        weights.append(_choose(logs[:, taken], codes[taken]))
        whole[own] = np.tensordot(weights[-1], logs[:, own], 1)
    return calibrate(whole, codes, fold), np.mean(weights, axis=0)


def _choose(logs: Floats, codes: Ints) -> Floats:
    """Return the weights with the smallest log loss, a convex function of them."""
    from scipy.optimize import minimize

    n_learners, n_rows, _ = logs.shape
    own = logs[:, np.arange(n_rows), codes].mean(axis=1)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = np.tensordot(weights, logs, 1)
        top = scores.max(axis=1, keepdims=True)
        chances = np.exp(scores - top)
        total = chances.sum(axis=1, keepdims=True)
        chances /= total
        slope = np.tensordot(logs, chances, 2) / n_rows - own
        return float((np.log(total) + top).mean() - weights @ own), slope

    start, least = np.full(n_learners, 1 / n_learners), [(0.0, None)] * n_learners
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=least, options={"maxiter": _STEPS})
    return np.asarray(found.x)
