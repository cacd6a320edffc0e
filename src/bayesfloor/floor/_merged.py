"""Pairs of merged classes, from the forests of the classes that they were made of."""

from __future__ import annotations

import numpy as np

from bayesfloor.counts._pairs import count_pairs
from bayesfloor.engine._types import Ints
from bayesfloor.floor._fit import Fit
from bayesfloor.floor._overall import pairwise_floor
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.forest._classes import ClassForests
from bayesfloor.forest._forest import Forest


class MergedForests:
    """Forests of merged classes under the names that ``ClassForests`` has for them."""

    def __init__(self, forests: ClassForests, merged: Ints) -> None:
        """``merged[c]`` is the new class of class ``c``."""
        self._forests, self._merged = forests, merged

    def pair(self, i: int, j: int) -> Forest:
        """The forest of two merged classes."""
        return self._forests.of(np.flatnonzero(np.isin(self._merged, [i, j])).tolist())


def merged_pairwise(fit: Fit, merged: Ints) -> PairwiseFloor:
    """The floor of every pair of classes that were merged after the fit, without measuring a distance again."""
    own, labels = MergedForests(fit.forests, merged), fit.labels
    dimension = fit.counts.spread.dimension
    return pairwise_floor(own, labels, count_pairs(own, labels), fit.sample.classes, dimension, fit.options)
