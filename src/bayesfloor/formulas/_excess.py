"""How far above the Bayes error a classifier can be whose posterior is wrong by a known amount.

A rule that answers with the largest of its posteriors eta^ errs more than the Bayes rule by
E[eta_c - eta_y] over the places where their answers c and y differ. There eta_c - eta_y <=
delta - m, with delta = sqrt(2) |eta - eta^| and m the margin of eta^, its largest value less its
second. So margins, and D = E|eta - eta^|^2, bound the excess.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from bayesfloor.formulas._types import Floats, Ints


def margins(eta: Floats) -> Floats:
    """The largest posterior of each row less the second."""
    top = np.partition(eta, -2, axis=1)[:, -2:]
    return top[:, 1] - top[:, 0]


def worst_excess(margin: ArrayLike, squared_error: float) -> float:
    """The most that E[delta - m] over differing places can be with E[delta^2] = 2 D.

    On a share s of places the mean of delta is at most sqrt(2 D s) over all (Cauchy and Schwarz), and
    the harm is largest where margins are smallest; so the largest sqrt(2 D s) less the sum of the s
    smallest margins.
    """
    m = np.sort(np.asarray(margin, dtype=np.float64))
    share = np.arange(1, len(m) + 1) / max(len(m), 1)
    harm = np.sqrt(2 * max(0.0, squared_error) * share) - np.cumsum(m) / max(len(m), 1)
    return float(np.clip(harm.max(initial=0.0), 0.0, 1.0))


def likely_excess(margin: ArrayLike, squared_error: float, n_classes: int) -> float:
    """The excess to expect if eta - eta^ is normal with squared length D, alike in all directions.

    The difference of two of its entries, delta, then has variance 2 D / (K - 1): E[(delta - m)+]. Of
    several classes only the second in line is reckoned with.
    """
    m, s = np.asarray(margin, dtype=np.float64), np.sqrt(2 * max(0.0, squared_error) / (n_classes - 1))
    return float(np.mean(s * norm.pdf(m / s) - m * norm.sf(m / s))) if s > 0 else 0.0


def residual_product(a: Ints, b: Ints, residual: Floats) -> Floats:
    """(1[y_i] - eta^_i) (1[y_j] - eta^_j) along each edge.

    Labels of neighbours are independent given their places, so its mean estimates D less the
    roughness of eta - eta^ along the edges, without asking how rough eta itself is.
    """
    return np.einsum("ek,ek->e", residual[a], residual[b])
