"""What label noise does to errors and counts, and how to take a known noise out.

Uniform noise at rate rho: with chance rho a label is drawn anew from all K classes alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._types import Floats


def error_under_noise(error: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """BER' = BER + rho (1 - 1/K - BER): the Bayes error after uniform noise."""
    e, rho = np.asarray(error, dtype=np.float64), np.asarray(rate, dtype=np.float64)
    return e + rho * (1 - 1 / n_classes - e)


def cross_rate_under_noise(cross_rate: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """Gmax - G' = (1 - rho)^2 (Gmax - G), exact in expectation for any tree."""
    most = 1 - 1 / n_classes
    return most - (1 - np.asarray(rate, dtype=np.float64)) ** 2 * (most - np.asarray(cross_rate, dtype=np.float64))


def cross_rate_without_noise(cross_rate: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """The G before uniform noise of a known rate: the inverse of ``cross_rate_under_noise``."""
    most, rho = 1 - 1 / n_classes, np.asarray(rate, dtype=np.float64)
    if (rho >= 1).any():
        raise ValueError(f"Got a noise rate of {rate!r}, but expected less than 1: nothing is left of the labels.")
    return most - (most - np.asarray(cross_rate, dtype=np.float64)) / (1 - rho) ** 2


def shares_without_noise(shares: Floats, rate: float) -> Floats:
    """Class shares before uniform noise: p' = (1 - rho) p + rho / K; never below 0, though a sample's may say so."""
    clean = np.maximum(0.0, shares - rate / len(shares))
    return clean / clean.sum()


def error_under_flips(error: ArrayLike, rate: ArrayLike) -> Floats:
    """BER' = eps + (1 - 2 eps) BER: two classes, each label flipped with chance eps."""
    e, eps = np.asarray(error, dtype=np.float64), np.asarray(rate, dtype=np.float64)
    return eps + (1 - 2 * eps) * e


def accuracy_under_noise(accuracy: ArrayLike, rate: ArrayLike, n_classes: int) -> Floats:
    """Acc' = (1 - rho) acc + rho / K: accuracy against labels with uniform noise."""
    rho = np.asarray(rate, dtype=np.float64)
    return (1 - rho) * np.asarray(accuracy, dtype=np.float64) + rho / n_classes


def confusion_under_noise(confusion: Floats, transition: Floats) -> Floats:
    """S' = T' S T: the soft confusion matrix when label i becomes j with chance T_ij."""
    return transition.T @ confusion @ transition


def confusion_without_noise(confusion: Floats, transition: Floats) -> Floats:
    """S = T'^-1 S' T^-1: a known noise matrix taken out of the soft confusion matrix."""
    return np.linalg.solve(transition.T, np.linalg.solve(transition.T, confusion.T).T)
