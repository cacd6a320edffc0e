"""Compute bounds on the Bayes error of all classes, with the options of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.formulas._multiclass_bounds import Bounds, multiclass_bounds, random_cross_rate, remove_forced


@dataclass(frozen=True)
class Options:
    """How to turn counts into bounds and p-values; ``n_scales`` is how many scales were compared using the labels."""

    bias_correction: bool
    subtract_forced: bool
    normalize: bool = True
    n_scales: int = 1


USUAL = Options(bias_correction=True, subtract_forced=False)


def error_bounds(cross_rate: Any, sizes: Floats, options: Options = USUAL) -> Bounds:
    """Compute bounds on the Bayes error of all classes from one or more cross rates.

    The upper bound includes the edges that even separate classes must have.
    """
    rate, raw = (bounded_rate(cross_rate, sizes, subtract_forced=each) for each in (options.subtract_forced, False))
    cap, correct_bias = constant_error(sizes), options.bias_correction
    bounds = multiclass_bounds(rate, len(sizes), cap, correct_bias=correct_bias)
    return bounds._replace(upper=np.minimum(raw, cap))


def constant_error(sizes: Floats) -> float:
    """Return the error of always predicting the largest class."""
    return float(1 - sizes.max() / sizes.sum())


def bounded_rate(cross_rate: Any, sizes: Floats, *, subtract_forced: bool) -> Any:
    """Return the rate that the bounds use: R / n for two classes, as in the paper, otherwise R / |E|."""
    n, K = sizes.sum(), len(sizes)
    if subtract_forced:
        cross_rate = remove_forced(cross_rate, random_cross_rate(sizes), (K - 1) / (n - 1))
    return cross_rate * (n - 1) / n if K == 2 else cross_rate
