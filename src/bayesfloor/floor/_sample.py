"""The rows in use, in the order of their content, and drawing from them.

All that follows (scales, draws, folds) sees rows in this order, so that shuffling the input changes
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._labels import Floats, Ints, likeliest
from bayesfloor.floor._data import Features, Target, read_features, read_target, read_weight
from bayesfloor.forest._vertices import check_groups, find_vertices


@dataclass(frozen=True, eq=False)
class Sample:
    """Units (rows, or single votes on rows) with their labels.

    ``row`` is the input row of each unit; units of one ``cluster`` (a row, or a group of rows) are
    drawn together; ``groups`` is None where any two rows may be joined.
    """

    features: Features
    classes: np.ndarray
    shares: csr_array
    row: Ints
    cluster: Ints
    groups: Ints | None
    weight: Floats | None

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def codes(self) -> Ints:
        """The likeliest class of each unit."""
        return likeliest(self.shares)

    def take(self, units: Ints) -> Sample:
        """These units."""
        return replace(
            self,
            features=Features(self.features.values[units], self.features.quantity),
            shares=self.shares[units],
            row=self.row[units],
            cluster=self.cluster[units],
            groups=None if self.groups is None else self.groups[units],
            weight=None if self.weight is None else self.weight[units],
        )


def read_sample(estimator: Any, X: Any, y: Any, groups: Any, sample_weight: Any) -> Sample:
    """The input, checked, in the order of its content."""
    features, n = read_features(estimator, X), len(X) if hasattr(X, "__len__") else X.shape[0]
    target, weight = read_target(y, n), read_weight(sample_weight, n)
    numbers = None
    if groups is not None:
        numbers = np.unique(check_groups(groups, n), return_inverse=True)[1]
    sample = _put_together(features, target, numbers, weight)
    sample = sample.take(_content_order(sample))
    return sample if sample.weight is None else sample.take(np.flatnonzero(sample.weight))


def _put_together(features: Features, target: Target, groups: Ints | None, weight: Floats | None) -> Sample:
    row = target.row
    return Sample(
        features=features if len(row) == len(features.values) else Features(features.values[row], features.quantity),
        classes=target.classes,
        shares=target.shares,
        row=row,
        cluster=row if groups is None else groups[row],
        groups=None if groups is None else groups[row],
        weight=None if weight is None else weight[row],
    )


def _content_order(sample: Sample) -> Ints:
    _, vertex = find_vertices(sample.features.values)
    groups = np.zeros(len(sample), dtype=int) if sample.groups is None else sample.groups
    return np.lexsort((groups, sample.codes, vertex))


def deal(sample: Sample, n_parts: int, rng: np.random.Generator) -> list[Ints]:
    """Units in so many parts, each with its share of every class; clusters stay whole."""
    first, number = _clusters(sample)
    part = np.empty(len(first), dtype=np.int64)
    for members in _strata(sample.codes[first]):
        start = rng.integers(n_parts)
        part[rng.permutation(members)] = (start + np.arange(len(members))) % n_parts
    return [np.flatnonzero(part[number] == p) for p in range(n_parts)]


def draw(sample: Sample, per_class: Ints, rng: np.random.Generator) -> Ints:
    """Units of so many clusters of each class, without replacement."""
    first, number = _clusters(sample)
    chosen = np.zeros(len(first), dtype=bool)
    for members, size in zip(_strata(sample.codes[first], len(sample.classes)), per_class, strict=True):
        chosen[rng.permutation(members)[:size]] = True
    return np.flatnonzero(chosen[number])


def draw_rows(sample: Sample, n_rows: int, rng: np.random.Generator) -> Ints:
    """About so many units, every class with its share and at least one."""
    first, _ = _clusters(sample)
    sizes = np.bincount(sample.codes[first], minlength=len(sample.classes))
    return draw(sample, np.maximum(1, np.round(sizes * (n_rows / len(sample)))).astype(int), rng)


def draw_to_shares(sample: Sample, shares: Floats, rng: np.random.Generator) -> Ints:
    """As many units as there can be with these class shares."""
    first, _ = _clusters(sample)
    sizes = np.bincount(sample.codes[first], minlength=len(sample.classes))
    total = (sizes / shares).min()
    return draw(sample, np.maximum(1, np.floor(total * shares + 1e-9)).astype(int), rng)


def _clusters(sample: Sample) -> tuple[Ints, Ints]:
    """First unit of each cluster, in the order of units, and each unit's cluster by that order."""
    _, first, number = np.unique(sample.cluster, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[number]


def _strata(codes: Ints, n_classes: int | None = None) -> list[Ints]:
    return [np.flatnonzero(codes == c) for c in range(codes.max() + 1 if n_classes is None else n_classes)]


def read_priors(priors: Any, classes: np.ndarray) -> Floats | None:
    """Target shares of the classes, adding up to 1."""
    if priors is None:
        return None
    if isinstance(priors, str):
        if priors != "balanced":
            raise ValueError(f"Got priors={priors!r}, but expected None, 'balanced', shares or a dict of shares.")
        return np.full(len(classes), 1 / len(classes))
    if isinstance(priors, dict):
        known = {label: priors[label] for label in classes.tolist() if label in priors}
        if len(known) != len(classes) or len(priors) != len(classes):
            raise ValueError(f"Got priors for {list(priors)}, but expected one for each of {classes.tolist()}.")
        priors = list(known.values())
    shares = np.asarray(priors, dtype=np.float64)
    if shares.shape != classes.shape or not (shares > 0).all() or not np.isfinite(shares).all():
        raise ValueError(f"Got priors={priors!r}, but expected {len(classes)} positive numbers.")
    return shares / shares.sum()
