"""Compute the matrix of pairwise floors that class trees are made from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.floor._make_results import square
from bayesfloor.floor._pair_counts import pair_counts
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.floor._sample import LARGE, SampledRowsWarning, draw_rows, make_sample, prepare
from bayesfloor.floor._scaling import fit_scale, pick_scale
from bayesfloor.forest._class_forests import class_forests
from bayesfloor.formulas._bounds import henze_penrose
from bayesfloor.io._features import Features
from bayesfloor.io._labels import Target, hard_shares
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._types import Floats, Ints

_PAIRS_COST = 3  # the pairs cost about as much as this many forests on all rows


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
    """Return the floor of every pair relative to guessing, as in the paper, from at most 50,000 rows.

    It takes and returns plain arrays, which can be cached.
    """
    classes = np.arange(int(codes.max()) + 1)
    target = Target(classes, hard_shares(codes, len(classes)), np.arange(len(codes)))
    sample = make_sample(Features(values, quantity), target, None)
    if len(sample) > LARGE:
        sample = sample.take(draw_rows(sample, LARGE, np.random.default_rng(random_state)))
    name, _ = pick_scale(scale, sample, random_state, n_jobs)
    points = fit_scale(sample.features, name).apply(sample.features.values)
    prepare(len(points), points.shape[1], n_trees, _PAIRS_COST)
    forests = class_forests(points, sample.codes, n_trees, None, n_jobs)
    labels = VertexLabels(forests.vertex, sample.shares, int(forests.vertex.max()) + 1)
    pairs = pair_counts(forests, labels)
    n1, n2 = pairs.sizes.T
    cross = pairs.rate * (n1 + n2 - 1)  # a pair's tree has one edge less than rows
    return square(henze_penrose(cross, n1, n2, normalize=True).estimate)


def announce_drawing(n_rows: int) -> None:
    """Warn, from inside ``fit``, that floors do not use all rows."""
    if n_rows > LARGE:
        message = f"{LARGE:,} of {n_rows:,} rows are used for the class floors; the models use all rows."
        warnings.warn(SampledRowsWarning(message), stacklevel=3)


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
