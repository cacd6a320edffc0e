"""The Henze-Penrose divergence of two classes, and its bounds on their Bayes error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._errors import InputError, blame
from bayesfloor.engine._types import Floats


@dataclass(frozen=True)
class HenzePenrose:
    """Divergence, bounds and estimate for two classes, from their number of cross-class edges.

    Attributes
    ----------
    divergence : float or array
        Estimate of the Henze-Penrose divergence: 1 for separate classes, about 0 for identical ones.
        It may be negative at finite n.
    lower, upper : float or array
        Bounds on the Bayes error, asymptotic in the number of samples.
    estimate : float or array
        The midpoint of the two, which the paper calls the HP-estimate.

    Examples
    --------
    >>> from bayesfloor.formulas import henze_penrose
    >>> found = henze_penrose(10, 50, 50)
    >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
    0.053 to 0.100
    """

    divergence: Floats | float
    lower: Floats | float
    estimate: Floats | float
    upper: Floats | float


def henze_penrose(
    n_cross: ArrayLike,
    n1: ArrayLike,
    n2: ArrayLike,
    *,
    bias_correction: bool = True,
    normalize: bool = False,
) -> HenzePenrose:
    """Bound the Bayes error of two classes, from the cross-class edges of their spanning tree.

    Parameters
    ----------
    n_cross : float or array-like
        R, the number of edges of the minimum spanning tree that join the two classes. It need not be
        a whole number: it may be a mean over several trees, or an expectation if rows are equal.
    n1, n2 : float or array-like
        Number of samples in each of the two classes.
    bias_correction : bool, default=True
        Limit the number of cross-class edges so that the estimate does not exceed the smaller class's
        proportion, as the paper does. This changes only the estimate: both bounds are always capped.
    normalize : bool, default=False
        Divide bounds and estimate by the smaller class's proportion. Then 1 means that nothing beats
        always guessing the larger class.

    Returns
    -------
    HenzePenrose

    Notes
    -----
    With n = n1 + n2 and u = 1 - 2 R / n, the bounds are 1/2 - sqrt(u)/2 and 1/2 - u/2 (Berisha et
    al., theorem 1, at the sample's own class proportions). Other proportions need other samples or
    weights: substituting them into the divergence's long form does not give bounds. The midpoint is not
    consistent for the Bayes error; it is off by up to 1/16 even with infinitely many samples.

    References
    ----------
    Berisha, Wisler, Hero and Spanias (2016), IEEE Transactions on Signal Processing 64(3).
    van den Burg and Hero (2017), arXiv:1711.03512, sections 2 and 3.

    Examples
    --------
    >>> from bayesfloor.formulas import henze_penrose
    >>> result = henze_penrose(n_cross=38, n1=100, n2=100)
    >>> print(f"{result.lower:.3f} {result.estimate:.3f} {result.upper:.3f}")
    0.106 0.148 0.190

    Even with 50 % more cross-class edges than identical classes would have, the estimate is at most one half:

    >>> henze_penrose(150, 100, 100).estimate
    0.5
    """
    cross, one, two = _check(n_cross, n1, n2)
    n, share = one + two, np.minimum(one, two) / (one + two)
    u = cross_to_u(cross / n)
    estimate = 0.5 - np.sqrt(u) / 4 - u / 4
    if bias_correction:
        estimate = np.minimum(estimate, share)
    unit = share if normalize else np.ones_like(share)
    return HenzePenrose(
        divergence=_plain(1 - n * cross / (2 * one * two)),
        lower=_plain(np.minimum(0.5 - np.sqrt(u) / 2, share) / unit),
        estimate=_plain(estimate / unit),
        upper=_plain(np.minimum(0.5 - u / 2, share) / unit),
    )


def cross_to_u(share: ArrayLike) -> Floats:
    """Compute u = 4 p1 p2 D + (p1 - p2)^2 = 1 - 2 R / n, at least 0, from R / n."""
    return np.maximum(0.0, 1 - 2 * np.asarray(share, dtype=np.float64))


def _check(n_cross: ArrayLike, n1: ArrayLike, n2: ArrayLike) -> tuple[Floats, Floats, Floats]:
    with blame("n_cross, n1 or n2"):
        cross, one, two = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (n_cross, n1, n2)))
    if not (np.isfinite(one) & np.isfinite(two) & (one > 0) & (two > 0)).all():
        raise InputError(f"Got class sizes n1={n1!r} and n2={n2!r}, but expected positive numbers.")
    if not (np.isfinite(cross) & (cross >= 0) & (cross <= one + two)).all():
        raise InputError(f"Got n_cross={n_cross!r}, but expected numbers from 0 to n1 + n2.")
    return cross, one, two


def _plain(values: Floats) -> Floats | float:
    return float(values) if np.ndim(values) == 0 else values
