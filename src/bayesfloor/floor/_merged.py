"""Pairs of merged classes, from the forests of the classes that they were made of."""

from __future__ import annotations

import numpy as np

from bayesfloor.counts._edges import class_edges, forest_moments
from bayesfloor.counts._labels import Ints, Labels
from bayesfloor.counts._pairs import PairCounts
from bayesfloor.floor._overall import Options, pairwise_floor
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.forest._classes import ClassForests
from bayesfloor.forest._forest import Forest
from bayesfloor.formulas._permutation import Moments


class MergedForests:
    """Forests of merged classes under the names that ``ClassForests`` has for them."""

    def __init__(self, forests: ClassForests, merged: Ints) -> None:
        """``merged[c]`` is the new class of class ``c``."""
        self._forests, self._merged = forests, merged

    def pair(self, i: int, j: int) -> Forest:
        """The forest of two merged classes."""
        return self._forests.of(np.flatnonzero(np.isin(self._merged, [i, j])).tolist())


def merged_pairwise(
    forests: ClassForests, labels: Labels, merged: Ints, classes: np.ndarray, dimension: float, options: Options
) -> PairwiseFloor:
    """The floor of every pair of merged classes, without measuring a distance again."""
    own = MergedForests(forests, merged)
    one, two = np.triu_indices(len(classes), 1)
    counted = [_count(own.pair(int(i), int(j)), labels, int(i), int(j)) for i, j in zip(one, two, strict=True)]
    rate, moments = zip(*counted, strict=True)
    sizes = np.column_stack([labels.class_sizes[one], labels.class_sizes[two]])
    shape = Moments(*np.array(moments).T)
    counts = PairCounts(np.array(rate), sizes, np.array(rate) * shape.total, sizes, shape)
    return pairwise_floor(own, labels, counts, classes, dimension, options, np.random.default_rng(0))


def _count(forest: Forest, labels: Labels, i: int, j: int) -> tuple[float, Moments]:
    own = labels.take(forest.rows, forest.vertex, labels.n_vertices)
    return class_edges(forest, own).split_rate(np.array([i]), np.array([j])), forest_moments(forest, own)
