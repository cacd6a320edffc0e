"""Uncertainty of the counts: from sampling, from the sample size and from the order of ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import (
    ClassEdges,
    VertexLabels,
    class_edges,
    group_mean,
    group_pairs,
    vertex_posterior,
)
from bayesfloor.floor._sample import Sample, Settings, prepare, split_stratified
from bayesfloor.forest._spanning_forest import Forest, spanning_forest
from bayesfloor.formulas._bounds import random_cross_rate, remove_forced
from bayesfloor.formulas._limits import bias_from_growth, intrinsic_dimension, subsample_error
from bayesfloor.formulas._permutation_null import conditional_variance
from bayesfloor.support._tasks import run_tasks
from bayesfloor.support._types import Floats

N_PARTS = 4  # subsamples are quarters; a split into four uses every row
_ROUNDS, _ROUNDS_OF_MANY = 10, 2  # splits for an interval: 40 quarters, or 8 if quarters take long
_QUARTERED = 1_000  # rows up to which 40 quarters are quick; with more rows, fast intervals have equally good coverage
_FEWEST_ROWS = 40  # with fewer rows, a quarter is too small to be useful
# With at least this many classes and at most this many dimensions, all pairs take longer than 40 quarters.
_CHEAP_CLASSES, _CHEAP_DIMENSIONS = 12, 8
_FAST_WIDENING = 1.1  # factor on the fast standard error, which uses a rough posterior

_TIE_ORDERS = 6
_TIED_SHARE = 0.01  # smallest fraction of tied edges at which their order matters
_TIES_ON = 1_000  # rows; with more rows, the spread is scaled from a sample of this size
_JITTER = 1e-10  # fraction of a column's range: far below any difference that is not due to rounding
_TIE_REACH = 6  # standard deviations, estimated roughly from six orders: in practice, other orders stay within them


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard errors of the rates, and how G is expected to change with more rows."""

    method: str
    std_error: float
    class_errors: Floats
    degrees: float
    drop: float
    dimension: float

    @property
    def bias(self) -> float:
        """The part of G that more rows would remove."""
        return self._bias_per_drop * self.drop

    @property
    def limit_error(self) -> float:
        """Standard error of G minus its bias.

        In simulations with Gaussians, the drop has 0.2 to 0.7 times the variance of G, and a correlation
        with G of -0.1 to -0.4 in these units. The formula uses values from the upper half of these ranges.
        """
        return self.std_error * float(np.sqrt(1 + 0.6 * self._bias_per_drop + 0.6 * self._bias_per_drop**2))

    @property
    def _bias_per_drop(self) -> float:
        """How many times the fall of G from a quarter of the rows to all is still to come with infinitely many rows.

        NaN if edges do not get shorter with more rows, since the rate of the fall is then unknown.
        """
        return bias_from_growth(1.0, 1 / N_PARTS, self.dimension) if np.isfinite(self.dimension) else np.nan


def choose_method(interval: str, sample: Sample) -> str:
    """Choose "subsample" if it takes no longer than computing all pairs, or hardly any time; otherwise "fast".

    Rows that have weights or were sampled together always get "subsample", because "fast" treats rows as independent.
    """
    n_rows, n_features, n_classes = len(sample), sample.features.values.shape[1], len(sample.classes)
    if interval != "auto":
        return interval
    if sample.weight is not None or len(np.unique(sample.cluster)) < n_rows:
        return "subsample"
    cheap = n_features <= _CHEAP_DIMENSIONS and n_classes >= _CHEAP_CLASSES
    return "subsample" if n_rows >= _FEWEST_ROWS and (n_rows <= _QUARTERED or cheap) else "fast"


def measure_spread(
    X: Floats,
    sample: Sample,
    forest: Forest,
    labels: VertexLabels,
    edges: ClassEdges,
    settings: Settings,
    rng: np.random.Generator,
) -> Spread:
    """Measure the standard errors of a sample's counts, and how G changes with the number of rows."""
    if len(sample) < 2 * N_PARTS:
        return Spread("fast", *fast_errors(forest, labels, edges), np.inf, np.nan, np.inf)
    method = choose_method(settings.interval, sample)
    # One split into quarters shows how G falls; many of them also show how it varies.
    rounds = (_ROUNDS if len(sample) <= _QUARTERED else _ROUNDS_OF_MANY) if method == "subsample" else 1
    prepare(len(X) // N_PARTS, X.shape[1], forest.n_trees, rounds * N_PARTS)
    rates, class_rates, lengths = _measure_quarters(X, sample, settings, rounds, rng)
    drop = without_forced(rates.mean(), labels, N_PARTS) - without_forced(edges.cross_rate, labels)
    dimension = intrinsic_dimension(float(lengths.mean()), typical_length(forest), 1 / N_PARTS)
    if method == "subsample":
        error = float(subsample_error(rates, 1 / N_PARTS))
        errors = subsample_error(class_rates, 1 / N_PARTS)
        return Spread(method, error, errors, len(rates) - 1, drop, dimension)
    return Spread(method, *fast_errors(forest, labels, edges), np.inf, drop, dimension)


def without_forced(rate: float, labels: VertexLabels, n_parts: int = 1) -> float:
    """Return G without the edges that join even separate classes; with fewer rows, these edges weigh more."""
    sizes = labels.class_sizes
    forced = (len(sizes) - 1) * n_parts / max(sizes.sum() - n_parts, 1)
    return float(remove_forced(rate, random_cross_rate(sizes), forced))


def _measure_quarters(
    X: Floats, sample: Sample, settings: Settings, n_rounds: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Measure G, the class rates and the typical edge length on quarters of the rows, with a new split each round."""
    parts = [part for _ in range(n_rounds) for part in split_stratified(sample, N_PARTS, rng) if len(part) > 1]
    tasks = (  # a generator: a list would hold ten copies of the rows
        (
            X[units],
            sample.shares[units],
            None if sample.groups is None else sample.groups[units],
            None if sample.weight is None else sample.weight[units],
            settings.n_trees,
        )
        for units in parts
    )
    n_jobs, progress = settings.n_jobs, settings.progress
    results = run_tasks(_measure, tasks, n_jobs=n_jobs, progress=progress, stage="subsamples", total=len(parts))
    rates, class_rates, lengths = map(np.array, zip(*results, strict=True))
    return rates, class_rates, lengths


def _measure(
    X: Floats, shares: csr_array, groups: np.ndarray | None, weight: Floats | None, n_trees: int
) -> tuple[float, Floats, float]:
    forest = spanning_forest(X, n_trees, groups)
    edges = class_edges(forest, VertexLabels(forest.vertex, shares, forest.n_vertices, weight, groups is None, groups))
    return edges.cross_rate, edges.class_rates, typical_length(forest)


def typical_length(forest: Forest) -> float:
    """Return the median edge length of the first tree."""
    first = forest.length[forest.tree == 0]
    return float(np.median(first)) if len(first) else 0.0


def fast_errors(forest: Forest, labels: VertexLabels, edges: ClassEdges) -> tuple[float, Floats]:
    """Compute standard errors of G and of the class rates from the forest alone.

    The variance is Var(R | X), with a posterior from the neighbours, plus the variance of E[R | X],
    which is about n Var(g) with g = 1 - |eta|^2.
    """
    if labels.groups is not None:
        return _fast_errors_of_groups(forest, labels, edges)
    eta, there = vertex_posterior(forest, labels), np.flatnonzero(labels.rows_at)
    rows = labels.rows_at[there]
    given = conditional_variance(forest.a, forest.b, eta) / forest.n_trees**2
    own = np.asarray((eta**2).sum(axis=1))[there]
    n = rows.sum()
    variance = given / n**2 + (np.cov(own, fweights=rows) / n if n > 1 else 0.0)
    return _widened(variance, edges)


def _fast_errors_of_groups(forest: Forest, labels: VertexLabels, edges: ClassEdges) -> tuple[float, Floats]:
    """Compute the same standard errors if groups, not rows, were sampled."""
    pairs = group_pairs(forest.a, forest.b, labels)
    eta = group_mean(vertex_posterior(forest, labels), labels)
    given = conditional_variance(pairs.a, pairs.b, eta) / max(len(pairs.a), 1) ** 2
    own = np.asarray((eta**2).sum(axis=1))
    return _widened(given + own.var(ddof=1) / labels.n_groups, edges)


def _widened(variance: float, edges: ClassEdges) -> tuple[float, Floats]:
    error = _FAST_WIDENING * float(np.sqrt(np.nan_to_num(variance)))
    whole = max(edges.cross_rate * (1 - edges.cross_rate), 1e-12)
    return error, error * np.sqrt(edges.class_rates * (1 - edges.class_rates) / whole)  # roughly in proportion


def tie_spread(
    X: Floats, forest: Forest, labels: VertexLabels, rate: float, rng: np.random.Generator, n_jobs: int | None
) -> tuple[float, float]:
    """Return the range of G over orders of equally long edges; ``rate`` is the measured G.

    The order is changed by a jitter far smaller than any difference in length.
    """
    if len(forest.length) < 2 or np.mean(np.diff(forest.length) == 0) < _TIED_SHARE:
        return rate, rate
    prepare(len(X), X.shape[1], forest.n_trees, _TIE_ORDERS)
    first = np.unique(labels.vertex, return_index=True)[1]
    if len(first) > _TIES_ON:
        first = np.sort(rng.choice(first, _TIES_ON, replace=False))
    rates = [_jittered_rate(X, first, forest.n_trees, labels, rng, n_jobs) for _ in range(_TIE_ORDERS)]
    reach = _TIE_REACH * float(np.std(rates, ddof=1)) * np.sqrt(len(first) / np.count_nonzero(labels.rows_at))
    reach = max(reach, 1 / len(forest.length))  # at least one edge, in case six orders happen to agree
    whole = [*rates, rate] if len(first) == np.count_nonzero(labels.rows_at) else [rate]
    return float(max(0.0, min(whole) - reach)), float(min(1.0, max(whole) + reach))


def _jittered_rate(
    X: Floats, first: np.ndarray, n_trees: int, labels: VertexLabels, rng: np.random.Generator, n_jobs: int | None
) -> float:
    """Return G on the vertices of these rows under a different order of ties."""
    low, jitter = X.min(axis=0), rng.normal(size=(len(first), X.shape[1]))
    moved, groups = X[first] - low + _JITTER * np.ptp(X, axis=0) * jitter, labels.groups
    forest = spanning_forest(moved, n_trees, None if groups is None else groups[first], n_jobs=n_jobs)
    place = np.full(labels.n_vertices, -1)
    place[labels.vertex[first]] = forest.vertex
    units = np.flatnonzero(place[labels.vertex] >= 0)
    own = labels.take(units, place[labels.vertex[units]], forest.n_vertices)
    return class_edges(forest, own).cross_rate
