"""Test whether a sample's label fits its neighbours in the forest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from bayesfloor.support._types import Floats

_PRIOR_EDGES = 20  # the whole forest's rate has as much weight as this many edges around a row


def crowd_p_value(n_own: ArrayLike, n_around: ArrayLike, n_rows: int, n_class: int) -> Floats:
    """Return P(at least this many rows around a row have its class) if labels are permuted at random.

    The distribution is hypergeometric. It is exact for any set of rows chosen without using their labels.
    """
    return np.asarray(hypergeom.sf(np.asarray(n_own) - 1, n_rows - 1, n_class - 1, np.asarray(n_around)))


def label_score(n_cross: ArrayLike, degree: ArrayLike, share: ArrayLike) -> Floats:
    """Compute Z = (J - (1 - pi) deg) / sqrt(pi (1 - pi) deg), with pi the proportion of the sample's class.

    Z ranks samples. It does not give a p-value, because its null hypothesis is "labels are random" (Muhlenbach,
    Lallich and Zighed 2004).
    """
    J, deg, pi = (np.asarray(value, dtype=np.float64) for value in (n_cross, degree, share))
    spread = np.sqrt(pi * (1 - pi) * deg)
    return np.where(spread > 0, (J - (1 - pi) * deg) / np.where(spread > 0, spread, 1.0), 0.0)


def odd_label_p_value(n_cross: ArrayLike, degree: ArrayLike, local: tuple[Floats, Floats]) -> Floats:
    """Return P(BetaBinomial(deg, a, b) >= J): the chance of at least J cross-class edges at the local rate.

    The rate of the binomial is not known but estimated from nearby edges, hence the beta
    distribution. With equal rows, counts are expectations, and they are rounded to be safe: J down and
    degrees up.
    """
    J, deg = np.floor(np.asarray(n_cross) + 1e-9), np.ceil(np.asarray(degree) - 1e-9)
    p_value = np.ones_like(local[0])
    for j, tail in _tails(deg, *local):
        np.copyto(p_value, tail, where=(j == J) & (j > 0))
    return p_value


def _tails(n: Floats, a: Floats, b: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield J = n, n - 1, ... down to 1 with the beta-binomial P(>= J), for all rows at once; SciPy cannot do this."""
    tail, term = np.zeros_like(a), np.zeros_like(a)  # term is log P(J), because P(J) itself underflows for a hub
    for i in range(int(n.max(initial=0))):
        term += np.where(i < n, np.log((a + i) / (a + b + i)), 0.0)
    for step in range(int(n.max(initial=0))):
        j = np.maximum(n - step, 1)
        tail = np.minimum(tail + np.where(step < n, np.exp(term), 0.0), 1.0)
        yield n - step, tail
        term += np.log(j * (b + step) / ((step + 1) * (a + j - 1)))


def local_rate(n_cross: ArrayLike, degree: ArrayLike, rate: float) -> tuple[Floats, Floats]:
    """Return the beta distribution of the local cross rate around a row, with the whole forest's rate as prior."""
    J, deg = np.asarray(n_cross, dtype=np.float64), np.asarray(degree, dtype=np.float64)
    q = min(max(rate, 1e-6), 1 - 1e-6)
    return J + _PRIOR_EDGES * q, np.maximum(0.0, deg - J) + _PRIOR_EDGES * (1 - q)
