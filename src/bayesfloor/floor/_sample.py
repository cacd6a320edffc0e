"""Hold the rows in use, sorted by content, and sample from them.

Everything that follows (scales, samples, folds) sees the rows in this order, so that shuffling the
input changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import VertexLabels, gather, likeliest
from bayesfloor.forest._spanning_forest import Forest, prepare_kernels, spanning_forest
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.io._data import Data
from bayesfloor.io._features import AUTO, Features, read_any
from bayesfloor.io._labels import Target, read_groups, read_target, read_weight, refuse_weightless
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints

LARGE = 50_000  # with more rows than this, growing samples are tried before all rows
_MISSED_SHARE = 0.05  # largest difference allowed between sampled and requested class proportions
_STEP, _ENTRY = 8e-6, 1.5e-9  # seconds per step of plain Prim, and per vertex examined in a step
_TERM = 0.5e-9  # seconds per feature of a distance
_PATIENCE = 3.0  # seconds of plain work above which compiled kernels pay off


class SampledRowsWarning(UserWarning):
    """Warning that only a sample of the rows was used, on purpose.

    Examples
    --------
    >>> import warnings
    >>> from bayesfloor.floor import SampledRowsWarning
    >>> warnings.simplefilter("ignore", SampledRowsWarning)  # a sample is fine
    """


class UnreachablePriorsError(InputError):
    """No subsample has the class proportions asked for."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What a fit is asked for: parameters of ``BayesFloor``, which has their meaning and their defaults."""

    prepare: Any = AUTO
    roles: Mapping[str, Any] | None = None
    y_kind: str = "auto"
    priors: Any = None
    scale: str | None = "auto"
    n_trees: int = 3
    max_rows: int | None = None
    target_width: float | None = 0.01
    interval: str = "auto"
    n_jobs: int | None = None
    random_state: int = 0
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """Units (rows, or single votes on rows) with their labels, from an input of ``n_input`` rows.

    ``row`` is the input row of each unit. Units of the same ``cluster`` (a row, or a group of rows)
    are sampled together. ``groups`` is None if any two rows may be joined.
    """

    features: Features
    classes: np.ndarray
    shares: csr_array
    row: Ints
    cluster: Ints
    groups: Ints | None
    weight: Floats | None
    n_input: int
    n_unlabelled: int = 0
    rows_are: str = ""  # "cases" or "copies" if it is known what equal rows are

    def __len__(self) -> int:
        return len(self.row)

    @property
    def hard(self) -> bool:
        """Whether each unit has one label."""
        return bool(self.shares.nnz == len(self.row))

    @cached_property
    def codes(self) -> Ints:
        """The likeliest class of each unit."""
        return likeliest(self.shares)

    @property
    def class_sizes(self) -> Floats:
        """Number of units in each class, or its expectation for soft labels."""
        return np.asarray(self.shares.sum(axis=0), dtype=np.float64)

    def labels(self, vertex: Ints, n_vertices: int) -> VertexLabels:
        """Return the units' labels, with the units at these vertices."""
        return VertexLabels(vertex, self.shares, n_vertices, self.weight, self.groups is None, self.groups)

    def take(self, units: Ints) -> Sample:
        """Return a sample with only these units."""
        return replace(
            self,
            features=self.features.take(units),
            shares=self.shares[units],
            row=self.row[units],
            cluster=self.cluster[units],
            groups=None if self.groups is None else self.groups[units],
            weight=None if self.weight is None else self.weight[units] / self.weight[units].mean(),
        )


def read_sample(data: Data, settings: Settings) -> Sample:
    """Turn features into numbers, read the labels, and sort the rows by content."""
    features = read_any(data, settings.prepare, settings.roles)
    n = len(features.values)
    target = read_target(data.y, n, settings.y_kind, guessed=data.task_guessed)
    weight = read_weight(data.weight, n)
    numbers = None if data.groups is None else number_groups(data.groups, n)
    sample = replace(make_sample(features, target, numbers, weight), rows_are=data.rows_are)
    if data.drawn is not None:
        row = data.drawn[sample.row]
        cluster = row if sample.groups is None else sample.cluster
        sample = replace(sample, row=row, cluster=cluster, n_input=data.n_rows, n_unlabelled=data.n_unlabelled)
    if sample.weight is not None:
        sample = sample.take(np.flatnonzero(sample.weight))
        refuse_weightless(sample.codes, sample.classes)
    return sample


def make_sample(features: Features, target: Target, groups: Ints | None = None, weight: Floats | None = None) -> Sample:
    """Combine features and labels into a sample, sorted by content."""
    row = target.row
    sample = Sample(
        features=features if len(row) == len(features.values) else features.take(row),
        classes=target.classes,
        shares=target.shares,
        row=row,
        cluster=row if groups is None else groups[row],
        groups=None if groups is None else groups[row],
        weight=None if weight is None else weight[row],
        n_input=len(features.values),
        n_unlabelled=target.n_unlabelled,
    )
    # By label and then by values, which are the same in any order of the input rows.
    _, vertex = find_vertices(sample.features.values)
    keys = [sample.codes, vertex] if sample.hard else [*sample.shares.toarray().T, vertex]
    more = [key for key in (sample.weight, sample.groups) if key is not None]
    return sample.take(np.lexsort((*more, *keys)))


def number_groups(groups: Any, n_rows: int) -> Ints:
    """Return each row's group number."""
    names, numbers = read_groups(groups, n_rows)
    if len(names) < 2:
        raise InputError(
            "Got one group for all rows, but expected at least 2: rows of the same group are never joined. "
            "Pass groups=None if the rows are independent."
        )
    return numbers


def check_max_rows(max_rows: object) -> None:
    """Raise unless ``max_rows`` is None or a valid number of rows."""
    if max_rows is not None and (not isinstance(max_rows, Integral) or int(max_rows) < 2):
        raise InputError(f"Got max_rows={max_rows!r}, but expected None or a whole number of at least 2.")


def split_stratified(sample: Sample, n_parts: int, rng: np.random.Generator) -> list[Ints]:
    """Split the units into ``n_parts`` parts, stratified by class; clusters stay whole."""
    codes, number = _clusters(sample)
    part = np.empty(len(codes), dtype=np.int64)
    for members in _strata(codes).values():
        start = rng.integers(n_parts)
        part[rng.permutation(members)] = (start + np.arange(len(members))) % n_parts
    return [np.flatnonzero(part[number] == p) for p in range(n_parts)]


def sample_stratified(sample: Sample, per_class: Ints, rng: np.random.Generator) -> Ints:
    """Sample ``per_class`` clusters of each class without replacement, and return their units."""
    codes, number = _clusters(sample)
    chosen = np.zeros(len(codes), dtype=bool)
    for code, members in _strata(codes).items():
        chosen[rng.permutation(members)[: per_class[code]]] = True
    return np.flatnonzero(chosen[number])


def draw_rows(sample: Sample, n_rows: int, rng: np.random.Generator, priors: Floats | None = None) -> Ints:
    """Sample about ``n_rows`` units, stratified by class, with at least one of each class.

    With priors, the proportions come as close to these as they can: of rare classes, all rows are taken.
    """
    sizes = np.bincount(_clusters(sample)[0], minlength=len(sample.classes))
    wanted, fraction = sizes, n_rows / len(sample)
    if priors is not None:
        # In proportion to the priors until a class is used up: the total grows linearly between such points.
        ends = np.sort(np.append(sizes / priors, 0.0))
        totals = [np.minimum(sizes, end * priors).sum() for end in ends]
        wanted, fraction = np.minimum(sizes, np.interp(fraction * sizes.sum(), totals, ends) * priors), 1.0
    drawn = sample_stratified(sample, np.maximum(1, np.round(wanted * fraction)).astype(int), rng)
    missing = np.setdiff1d(sample.codes, sample.codes[drawn])  # classes that are not the majority in any group
    more = [np.flatnonzero(sample.cluster == sample.cluster[np.argmax(sample.codes == c)]) for c in missing]
    return np.unique(np.concatenate([drawn, *more]))


def draw_to_shares(sample: Sample, shares: Floats, rng: np.random.Generator) -> Ints:
    """Sample as many units as possible with these class proportions."""
    sizes = np.bincount(_clusters(sample)[0], minlength=len(sample.classes))
    total = (sizes / shares).min()
    drawn = sample_stratified(sample, np.maximum(1, np.floor(total * shares + 1e-9)).astype(int), rng)
    reached = np.asarray(sample.shares[drawn].sum(axis=0)) / len(drawn)
    if np.abs(reached - shares).max() > max(_MISSED_SHARE, 1 / len(drawn)):
        raise UnreachablePriorsError(
            "priors cannot be reached by subsampling: rows, or groups of rows, belong to several classes at once "
            f"(closest: {np.round(reached, 3).tolist()}). Leave out priors, or use neither groups nor soft labels."
        )
    return drawn


def cluster_numbers(sample: Sample) -> Ints:
    """Return each unit's cluster number; clusters are numbered by first unit, so that input order does not matter."""
    return _clusters(sample)[1]


def labelled_by_group(sample: Sample) -> bool:
    """Whether labels belong to groups instead of rows, that is, each group has a single label."""
    return sample.groups is not None and label_units(sample, by_group=True).nnz == len(np.unique(sample.groups))


def label_units(sample: Sample, *, by_group: bool) -> csr_array:
    """Return the labels of rows, or of groups."""
    none = np.zeros(len(sample), dtype=np.int64)
    return VertexLabels(none, sample.shares, 1, None, by_group, sample.groups).units if by_group else sample.shares


def _clusters(sample: Sample) -> tuple[Ints, Ints]:
    """Return the likeliest class of each cluster, ordered by the clusters' first units, and each unit's cluster."""
    _, first, number = np.unique(sample.cluster, return_index=True, return_inverse=True)
    if len(first) == len(sample):
        return sample.codes, np.arange(len(sample))
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return likeliest(csr_array(gather(place[number], len(first)) @ sample.shares)), place[number]


def _strata(codes: Ints) -> dict[int, Ints]:
    """Return each class's members, sorted by the classes' first members so that class names do not matter."""
    classes, first = np.unique(codes, return_index=True)
    return {int(c): np.flatnonzero(codes == c) for c in classes[np.argsort(first)]}


def read_priors(priors: Any, classes: np.ndarray) -> Floats | None:
    """Return the target class proportions, which add up to 1."""
    if priors is None:
        return None
    if isinstance(priors, str):
        if priors != "balanced":
            raise InputError(
                f"Got priors={priors!r}, but expected None, 'balanced', or a list or dict of class proportions."
            )
        return np.full(len(classes), 1 / len(classes))
    if isinstance(priors, dict):
        labels = classes.tolist()
        named = {str(label): label for label in labels} | {label: label for label in labels}
        priors = {named.get(label, label): share for label, share in priors.items()}  # names may be text, as in a shell
        known = {label: priors[label] for label in labels if label in priors}
        if len(known) != len(classes) or len(priors) != len(classes):
            raise InputError(f"Got priors for {list(priors)}, but expected one for each of {classes.tolist()}.")
        priors = list(known.values())
    with blame("priors"):
        shares = np.asarray(priors, dtype=np.float64)
    if shares.shape != classes.shape or not (shares > 0).all() or not np.isfinite(shares).all():
        raise InputError(f"Got priors={priors!r}, but expected {len(classes)} positive numbers.")
    return shares / shares.sum()


def announce(sample: Sample, why: str, level: int = 5) -> None:
    """Warn that not all rows are used; point to the line ``level`` calls up the stack."""
    message = f"{len(np.unique(sample.row))} of {sample.n_input} rows are used: {why}."
    warnings.warn(SampledRowsWarning(message), stacklevel=level)


def prepare(n_rows: int, n_features: int, n_trees: int, times: int) -> None:
    """Load the compiled kernels if this many forests would take too long without them; the edges do not change."""
    plain = times * (n_trees * n_rows * (_STEP + _ENTRY * n_rows) + _TERM * n_rows**2 * n_features)
    if plain > _PATIENCE:
        prepare_kernels()


def grow_labelled(
    X: Floats, sample: Sample, n_trees: int, n_jobs: int | None = None, progress: Progress | None = None
) -> tuple[Forest, VertexLabels]:
    """Grow the forest of a sample whose points are ``X``, and return it with its labels."""
    forest = spanning_forest(X, n_trees, sample.groups, n_jobs=n_jobs, progress=progress)
    return forest, sample.labels(forest.vertex, forest.n_vertices)
