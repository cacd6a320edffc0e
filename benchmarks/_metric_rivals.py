"""Estimates of the lowest possible squared error, and of the lowest Brier score, without a learning curve.

Noise is what differs between neighbours: half the mean squared difference of their numbers is its variance, if the
signal is the same (the delta test). The Gamma test extrapolates to a distance of 0 (Stefansson et al. 1997). Residuals
of a model have less signal left than numbers. In the same way, neighbours have different labels as often as the lowest
Brier score says (Cover and Hart 1967).
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

GAMMA_NEIGHBOURS = 10


def number_rivals(X, y, race, best):
    """Return the losses that rivals name for R^2 and RMSE, by rival; residuals are those of the best learner."""
    Z = standardised(X)
    distance, near = NearestNeighbors(n_neighbors=GAMMA_NEIGHBOURS + 1).fit(Z).kneighbors(Z)
    squared, half = (distance[:, 1:] ** 2).mean(axis=0), half_differences(y, near)
    variances = {
        "neighbour differences": half[0],
        "Gamma test": np.polyfit(squared, half, 1)[1] if np.ptp(squared) > 0 else half[0],
        "residual differences": residual_variance(Z[race.row], race.y - race.predicted[best], race.fold),
    }
    return {name: noise_losses(max(0.0, variance), y.var()) for name, variance in variances.items()}


def noise_losses(noise, total):
    return {"r2": noise / total, "rmse": np.sqrt(noise)}


def residual_variance(Z, residual, fold):
    """Return the variance of the noise from neighbours in the same fold, whose predictions are of the same model."""
    halves = []
    for number in np.unique(fold):
        own = fold == number
        near = NearestNeighbors(n_neighbors=2).fit(Z[own]).kneighbors(Z[own], return_distance=False)
        halves.append(half_differences(residual[own], near)[0] * own.sum())
    return sum(halves) / len(fold)


def half_differences(y, near):
    """Return half the mean squared differences from the first neighbour, the second, ..."""
    return ((y[near[:, 1:]] - y[near[:, :1]]) ** 2).mean(axis=0) / 2


def class_rivals(X, y):
    Z = standardised(X)
    near = NearestNeighbors(n_neighbors=2).fit(Z).kneighbors(Z, return_distance=False)
    return {"neighbour error": {"brier": (y[near[:, 1]] != y[near[:, 0]]).mean()}}


def standardised(X):
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
