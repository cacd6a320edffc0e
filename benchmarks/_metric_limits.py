"""How often a tested end is wrong in the worst case: if some learner is already perfect."""

import numpy as np
from scipy.stats import norm

from benchmarks._known import two_error
from benchmarks._metric_families import NOISES

LEVEL, FOLDS = 0.95, 5
LAWS, SIZES, RARE = ("normal", "uniform", "laplace", "exponential", "t3"), (500, 2000), (30, 60, 120)
DISTANCE = 2.0  # of two normal classes


def end_of(name, predicted, truth):
    """Return the end that the product would test, of a metric by name, from predictions and labels or numbers."""
    from bayesfloor.answer._metrics import METRICS

    metric, rows = METRICS[name], np.arange(len(truth))
    losses = metric.losses(predicted, truth, rows % FOLDS)
    return metric.shown(metric.limit(losses, truth, rows, LEVEL))


def wrong_ends(draw, truths, draws, rng):
    """Return how often the ends of some metrics are below the truths; ``draw`` gives predictions and what is true."""
    below = dict.fromkeys(truths, 0)
    for _ in range(draws):
        predicted, truth = draw(rng)
        for name, lowest in truths.items():
            below[name] += bool(end_of(name, predicted, truth) < lowest)
    return {name: count / draws for name, count in below.items()}


def numbers(law, n):
    """Return a drawer of numbers that are half signal and half noise, predicted perfectly, and the lowest losses."""
    noise, _, away = NOISES[law]

    def draw(rng):
        signal = rng.normal(size=n)
        return signal, signal + noise(rng, n)

    return draw, {"r2": 0.5, "rmse": 1.0, "mae": away}


def classes(rare, n):
    """Return a drawer of two normal classes with exact posteriors, of which the second is rare, and the losses."""
    codes = (np.arange(n) >= n - rare).astype(int)

    def draw(rng):
        log_odds = DISTANCE * (rng.normal(size=n) + DISTANCE * (codes - 0.5)) + np.log(rare / (n - rare))
        second = 1 / (1 + np.exp(-log_odds))
        return np.column_stack([1 - second, second]), codes

    return draw, {"roc_auc": norm.sf(DISTANCE / np.sqrt(2)), "balanced_accuracy": two_error(DISTANCE, 0.5)}
