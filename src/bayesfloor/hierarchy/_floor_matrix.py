"""Compute the matrix of pairwise floors that class trees are made from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.floor._make_results import square
from bayesfloor.floor._pair_counts import PairCounts, pair_counts
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.floor._sample import (
    LARGE,
    Sample,
    SampledRowsWarning,
    draw_rows,
    grow_labelled,
    make_sample,
    prepare,
)
from bayesfloor.floor._scaling import Scaler, fit_scale, pick_scale
from bayesfloor.forest._class_forests import ClassForests, class_forests
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._bounds import henze_penrose
from bayesfloor.io._features import Features
from bayesfloor.io._labels import Target, hard_shares
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._types import Floats, Ints

_MEASURABLE = 1.5  # cross-class edges; even two separate classes share one
PAIRS_COST = 3  # the pairs cost about as much as this many forests on all rows


@dataclass(eq=False)
class MeasuredClasses:
    """Forests of all rows, and of classes and pairs; each is grown when first used.

    ``points`` are the scaled rows used.
    """

    sample: Sample
    scaler: Scaler
    points: Floats
    n_trees: int
    n_jobs: int | None

    @cached_property
    def whole(self) -> tuple[Forest, VertexLabels]:
        """The forest of all rows, and its labels."""
        return grow_labelled(self.points, self.sample, self.n_trees, self.n_jobs)

    @cached_property
    def forests(self) -> ClassForests:
        """The forests of all classes and pairs."""
        prepare(len(self.points), self.points.shape[1], self.n_trees, PAIRS_COST)
        return class_forests(self.points, self.sample.codes, self.n_trees, self.sample.groups, self.n_jobs)

    @cached_property
    def labels(self) -> VertexLabels:
        """The labels of the forests of all classes and pairs."""
        vertex, sample = self.forests.vertex, self.sample
        return VertexLabels(vertex, sample.shares, int(vertex.max()) + 1, None, sample.groups is None, sample.groups)

    @cached_property
    def _pairs(self) -> PairCounts:
        return pair_counts(self.forests, self.labels)

    @cached_property
    def matrix(self) -> Floats:
        """The floor of every pair relative to guessing, as in the paper."""
        n1, n2 = self._pairs.sizes.T
        return square(henze_penrose(self._pairs.rate * (n1 + n2 - 1), n1, n2, normalize=True).estimate)

    @cached_property
    def ordered(self) -> Floats:
        """The same floors; pairs too small to measure are below all others, ordered by the distances of class means."""
        from scipy.spatial.distance import cdist

        n1, n2 = self._pairs.sizes.T
        too_small = square(self._pairs.rate * (n1 + n2 - 1) < _MEASURABLE).astype(bool)
        members = hard_shares(self.sample.codes, len(self.matrix)).T
        means = (members @ self.points) / np.asarray(members.sum(axis=1))[:, None]
        apart = cdist(means, means)
        least = np.min(self.matrix, where=~too_small & ~np.eye(len(means), dtype=bool), initial=1.0)
        return np.where(too_small, least * (1 - apart / (apart.max() or 1.0)) / 2, self.matrix)


def measure_classes(
    features: Features,
    codes: Ints,
    n_trees: int,
    scale: str | None,
    random_state: int,
    n_jobs: int | None,
    groups: Ints | None = None,
) -> MeasuredClasses:
    """Scale at most 50,000 rows, whose trees are grown when first used; rows of a group are never joined."""
    classes = np.arange(int(codes.max()) + 1)
    target = Target(classes, hard_shares(codes, len(classes)), np.arange(len(codes)))
    sample = _draw(make_sample(features, target, groups), random_state)
    name, _ = pick_scale(scale, sample, random_state, n_jobs)
    scaler = fit_scale(sample.features, name)
    points = scaler.apply(sample.features.values)
    return MeasuredClasses(sample, scaler, points, n_trees, n_jobs)


def _draw(sample: Sample, random_state: int) -> Sample:
    if len(sample) <= LARGE:
        return sample
    return sample.take(draw_rows(sample, LARGE, np.random.default_rng(random_state)))


def announce_drawing(n_rows: int) -> None:
    """Warn, from inside ``fit``, that floors do not use all rows."""
    if n_rows > LARGE:
        message = f"{LARGE:,} of {n_rows:,} rows are used for the class floors; the models use all rows."
        warnings.warn(SampledRowsWarning(message), stacklevel=3)


def floor_matrix(
    version: str,  # noqa: ARG001 - for caches: a different version may give different results
    values: Floats,
    quantity: np.ndarray,
    codes: Ints,
    n_trees: int,
    scale: str | None,
    random_state: int,
    n_jobs: int | None,
) -> Floats:
    """Return the floor of every pair relative to guessing; takes and returns plain arrays, which can be cached."""
    return measure_classes(Features(values, quantity), codes, n_trees, scale, random_state, n_jobs).matrix


def given_matrix(floor: Any, classes: np.ndarray) -> Floats:
    """Return the user's own pairwise floors, for the classes in the data."""
    if isinstance(floor, PairwiseFloor):
        missing = np.setdiff1d(classes, floor.classes)
        if len(missing):
            raise InputError(
                f"Got rows of class {missing.tolist()[0]!r}, which the floor has not seen. Fit it to all classes."
            )
        place = np.searchsorted(floor.classes, classes)
        return floor.matrix[np.ix_(place, place)]
    matrix, K = _check_numbers(floor), len(classes)
    if matrix.shape != (K, K):
        raise InputError(
            f"Got a floor matrix of shape {matrix.shape}, but y has {K} classes. "
            "Pass floor=BayesFloor().fit(X, y).pairwise_, which stores its classes: a fold may lack one."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any() or not np.allclose(matrix, matrix.T):
        raise InputError(
            "Got a floor matrix that is not symmetric or has negative or missing numbers, "
            "but expected one like the pairwise_.matrix of a fitted BayesFloor, with every pair twice."
        )
    return (matrix + matrix.T) / 2


def _check_numbers(floor: Any) -> Floats:
    try:
        return np.asarray(floor, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"Got floor of type {type(floor).__name__}, but expected the pairwise_ of a fitted BayesFloor or a matrix."
        ) from error
