"""Turn a model's scores into calibrated posteriors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats, Ints

_TEMPERATURES = np.geomspace(0.05, 20, 22)
_LEAST = 1e-4  # smallest probability of a class


def class_scores(model: Any, X: Floats) -> Floats:
    """Return log probabilities or decision values per class; for a model with neither, return zeros and ones."""
    if hasattr(model, "predict_proba"):
        return np.log(np.maximum(model.predict_proba(X), 1e-9))
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return (model.predict(X)[:, None] == model.classes_).astype(np.float64)


def calibrate(scores: Floats, codes: Ints, fold: Ints) -> Floats:
    """Return probabilities: a softmax of the scores times a factor chosen by the log loss on the other folds.

    This is temperature scaling (Guo et al. 2017); each fold's factor is chosen without that fold's labels. If only one
    fold was tested, its two halves are used as folds. The class with the highest score does not change.
    """
    part = halves_if_one(fold)
    shifted = scores - scores.max(axis=1, keepdims=True)
    loss = np.stack([np.bincount(part, each) for each in _log_losses(shifted, codes)])
    best = (loss.sum(axis=1, keepdims=True) - loss).argmin(axis=0)
    chances = np.exp(_TEMPERATURES[best[part], None] * shifted)
    return np.clip(chances / chances.sum(axis=1, keepdims=True), _LEAST, 1.0)


def fit_temperature(scores: Floats, codes: Ints) -> tuple[float, float]:
    """Return the factor with the smallest log loss on these rows, and that loss."""
    loss = [float(each.mean()) for each in _log_losses(scores - scores.max(axis=1, keepdims=True), codes)]
    best = int(np.argmin(loss))
    return float(_TEMPERATURES[best]), loss[best]


def _log_losses(shifted: Floats, codes: Ints) -> Iterator[Floats]:
    """Yield the log loss of each row for every factor; the highest score of each row is 0."""
    own = shifted[np.arange(len(codes)), codes]
    for factor in _TEMPERATURES:
        yield np.log(np.exp(factor * shifted).sum(axis=1)) - factor * own


def halves_if_one(fold: Ints) -> Ints:
    """Return the folds or, if only one was tested, its two halves."""
    return fold if fold.max() > 0 else np.arange(len(fold)) % 2
