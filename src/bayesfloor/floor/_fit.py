"""The record of a fit: the rows in use, their trees and the counts of edges; and rows that look like duplicates."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import ClassEdges, VertexLabels, class_edges, forest_moments
from bayesfloor.floor._results import Options
from bayesfloor.floor._sample import (
    LARGE,
    Sample,
    Settings,
    announce,
    draw_rows,
    draw_to_shares,
    grow_labelled,
    prepare,
    read_priors,
)
from bayesfloor.floor._scaling import apply_scale, pick_scale
from bayesfloor.floor._uncertainty import Spread, fast_errors, measure_spread, tie_spread
from bayesfloor.forest._class_forests import ClassForests, class_forests
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.formulas._limits import two_sided
from bayesfloor.formulas._permutation_null import Moments
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Shown
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, percent

logger = logging.getLogger(__name__)

_FIRST_SAMPLE = 12_500
_FORESTS = 8  # a fit takes as long as growing about this many forests of all rows: for scales, classes and quarters


@dataclass(frozen=True, eq=False)
class Content:
    """Which rows belong together: equal rows share a ``vertex``, rows sampled together share a ``cluster``."""

    vertex: Ints
    cluster: Ints

    def n_drawn(self, labels: VertexLabels) -> float:
        """Return the effective number of independent observations: clusters, or fewer if weights differ."""
        clusters = float(len(np.unique(self.cluster)))
        if labels.weight is None:
            return clusters
        return clusters * float(labels.weight.sum() ** 2 / (len(labels.weight) * (labels.weight**2).sum()))


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Shown):
    """Counts from the trees: what the tree bounds are computed from.

    Attributes
    ----------
    forest : the trees.
    labels : labels of the vertices.
    edges : edges between classes; ``edges.cross_rate`` is G, the fraction of cross-class edges.
    shape : moments of the forest as a graph, for p-values.
    spread : standard errors, and how they were computed.
    ties : range of G over other orders of equally long edges.
    content : which rows are equal, and which belong together.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> BayesFloor().fit(*load_iris(return_X_y=True)).fitted_.counts
    Counts(6.0 % cross-class edges, 3 classes)
    """

    forest: Forest
    labels: VertexLabels
    edges: ClassEdges
    shape: Moments
    spread: Spread
    ties: tuple[float, float]
    content: Content

    def _summary(self) -> str:
        return f"{percent(self.edges.cross_rate)} % cross-class edges, {how_many(self.labels.n_classes, 'class')}"


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Shown):
    """The record behind all results of a fit. It is for looking, not for changing.

    Attributes
    ----------
    sample : the rows in use, with their labels, groups and weights.
    points : the rows in use as scaled numbers: the points that the trees join.
    scale, scale_rates : the scale in use, and the fraction of cross-class edges for each scale that was tried.
    forests : the forests of the classes, for the labels in ``fitted``.
    fitted : the labels at the time of the fit; ``relabel`` keeps them.
    counts : the counts from the trees.
    options : how bounds are computed from the counts.
    curve : one dict for each growing sample, as in ``BayesFloor.curve_``.
    whole : with priors, all rows, which learners see and weight; None if learners see the rows in use.
    priors : the class proportions asked for, or None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> fit = BayesFloor().fit(*load_iris(return_X_y=True)).fitted_
    >>> fit
    Fit(150 rows, 3 classes, 3 trees, scale none)
    >>> fit.forest
    Forest(150 rows, 149 distinct, 3 trees of 148 + 148 + 148 edges)
    """

    sample: Sample
    points: Floats
    scale: str
    scale_rates: dict[str, float]
    forests: ClassForests
    fitted: VertexLabels
    counts: Counts
    options: Options
    curve: list[dict[str, float]]
    whole: Sample | None = None
    priors: Floats | None = None

    def _summary(self) -> str:
        trees = how_many(self.forest.n_trees, "tree")
        return f"{len(self.sample):,} rows, {how_many(self.labels.n_classes, 'class')}, {trees}, scale {self.scale}"

    @property
    def forest(self) -> Forest:
        """The trees of all rows in use."""
        return self.counts.forest

    @property
    def labels(self) -> VertexLabels:
        """The labels on these trees."""
        return self.counts.labels

    @property
    def merged(self) -> Ints | None:
        """The new class of each class of the original fit, or None if the new labels split a class."""
        before, after = self.fitted, self.labels
        if not (before.hard and after.hard):
            return None
        pairs = np.unique(before.codes * after.n_classes + after.codes)
        return pairs % after.n_classes if len(pairs) == before.n_classes else None

    def relabel(self, classes: np.ndarray, shares: csr_array) -> Fit:
        """Count edges of the same trees with new labels; ``shares`` are the label probabilities of all input rows."""
        taken = shares[self.sample.row]
        present = np.flatnonzero(np.asarray(taken.sum(axis=0)))
        if len(present) < 2:
            raise InputError("Got labels of only one class for the rows in use, but expected at least 2 classes.")
        sample = replace(self.sample, classes=classes[present], shares=csr_array(taken[:, present]))
        labels = replace(self.labels, shares=sample.shares)
        edges = class_edges(self.forest, labels)
        error, errors = fast_errors(self.forest, labels, edges)
        spread = Spread("fast", error, errors, np.inf, np.nan, self.counts.spread.dimension)
        counts = replace(self.counts, labels=labels, edges=edges, spread=spread, ties=(np.nan, np.nan))
        return replace(self, sample=sample, counts=counts, whole=None, priors=None)  # those were of the old labels


def make_fit(sample: Sample, settings: Settings, options: Options) -> Fit:
    """Scale as many rows as needed, grow their trees and count the edges."""
    priors = read_priors(settings.priors, sample.classes)
    sample, whole = _draw(sample, settings, priors)
    prepare(len(sample), sample.features.values.shape[1], settings.n_trees, _FORESTS)
    rng = np.random.default_rng(settings.random_state)
    scale, rates = pick_scale(settings.scale, sample, settings.random_state, settings.n_jobs)
    sample, points, curve = _draw_enough(sample, apply_scale(sample.features, scale), settings, rng)
    forests, counts = _grow_and_count(sample, points, settings, rng)
    forest = counts.forest
    short = np.flatnonzero(forest.tree_sizes < forest.n_spanned - 1)
    if len(short):
        logger.warning(
            "Tree %d has %d edges but needs %d to join all points: there are too few points, or groups are too large. "
            "Only the edges found are counted.",
            short[0] + 1,
            forest.tree_sizes[short[0]],
            forest.n_spanned - 1,
        )
    options = replace(options, n_scales=max(1, len(rates)))
    return Fit(sample, points, scale, rates, forests, counts.labels, counts, options, curve, whole, priors)


def _draw(sample: Sample, settings: Settings, priors: Floats | None) -> tuple[Sample, Sample | None]:
    """Subsample the rows to match the priors and ``max_rows``; with priors, also return the rows for learners."""
    rng = np.random.default_rng(settings.random_state).spawn(2)[1]  # the first stream is for scales
    whole, most = None, settings.max_rows
    if priors is not None:
        whole, sample = sample, sample.take(draw_to_shares(sample, priors, rng))
    if most is not None and len(sample) > most:
        sample = sample.take(draw_rows(sample, most, rng))
        announce(sample, f"limited by max_rows={most}")
    if whole is not None and most is not None and len(whole) > most:
        whole = whole.take(draw_rows(whole, most, rng, priors))
    return sample, whole


def _draw_enough(
    sample: Sample, points: Floats, settings: Settings, rng: np.random.Generator
) -> tuple[Sample, Floats, list[dict[str, float]]]:
    """Take larger and larger samples until the interval is narrow enough or all rows are used; also record each."""
    curve: list[dict[str, float]] = []
    size, enough = _FIRST_SAMPLE, settings.target_width
    while enough is not None and len(sample) > LARGE and size < len(sample):
        units = draw_rows(sample, size, rng)
        part = sample.take(units)
        # Without scaling, the points are the values themselves: no second copy.
        own = part.features.values if points is sample.features.values else points[units]
        forest, labels = grow_labelled(own, part, settings.n_trees, settings.n_jobs, settings.progress)
        edges = class_edges(forest, labels)
        error, _ = fast_errors(forest, labels, edges)
        curve.append({"n_rows": len(part), "cross_rate": edges.cross_rate, "std_error": error})
        width = 2 * two_sided(0.95) * error
        if width <= enough:
            why = f"the 95 % interval is {width:.4f} wide, narrow enough for target_width={enough}"
            announce(part, f"{why}. Pass target_width=None to use all rows")
            return part, own, curve
        size *= 2
    return sample, points, curve


def _grow_and_count(
    sample: Sample, points: Floats, settings: Settings, rng: np.random.Generator
) -> tuple[ClassForests, Counts]:
    """Grow the trees of a sample and count their edges."""
    # A row with a soft label is a point of each of its classes.
    unit, code = (np.arange(len(sample)), sample.codes) if sample.hard else sample.shares.nonzero()
    groups = None if sample.groups is None else sample.groups[unit]
    rows = points if sample.hard else points[unit]
    forests = class_forests(rows, code, settings.n_trees, groups, settings.n_jobs, settings.progress)
    forest, vertex = forests.all(), np.empty(len(sample), dtype=np.int64)
    vertex[unit] = forests.vertex
    labels = sample.labels(vertex, forest.n_vertices)
    # Quarters of the distinct rows; a subsample of rows with few distinct values can look like duplicates.
    whole = len(sample) >= sample.n_input - sample.n_unlabelled
    drawn = replace(sample, cluster=vertex) if whole and has_copies(sample, labels) else sample
    edges = class_edges(forest, labels)
    spread = measure_spread(points, drawn, forest, labels, edges, settings, rng)
    ties = tie_spread(points, forest, labels, edges.cross_rate, rng, settings.n_jobs)
    content = Content(find_alike(sample, points, vertex), sample.cluster)
    return forests, Counts(forest, labels, edges, forest_moments(forest, labels), spread, ties, content)


def has_copies(sample: Sample, labels: VertexLabels) -> bool:
    """Whether equal rows look like duplicates, which carry no more information than one row."""
    if sample.groups is not None or not labels.hard:
        return False
    return may_be_copies(len(labels.vertex), int(np.count_nonzero(labels.rows_at)), sample.rows_are)


def find_alike(sample: Sample, points: Floats, vertex: Ints) -> Ints:
    """Number the distinct rows, by their original content if a lossy step may have made different rows equal."""
    if sample.features.content is not None:
        return sample.features.content
    return vertex if sample.groups is None else find_vertices(points)[1]


_AROUND = 1.5  # an edge is at the gap if it is shorter or longer by at most this factor
_AT_GAP = 0.1  # largest number of edges at the gap, relative to the edges below or above it, whichever are fewer
_FEWEST_SHORT, _FEWEST_LONG = 0.05, 0.02  # smallest fractions of all edges that are below and above the gap
_LEAST = 30  # fewest edges on each side

# Equal rows may be duplicates if more than this fraction of rows repeat another row, but each distinct row occurs on
# average fewer than this many times.
_COPIES, _MOST_COPIES = 0.01, 5


def may_be_copies(n_rows: int, n_distinct: int, rows_are: str = "") -> bool:
    """Whether equal rows are duplicates or, if nobody knows, look like it: many repeat another, yet many are distinct.

    If features have few distinct values, equal rows are independent observations like any others.
    """
    if rows_are:
        return rows_are == "copies" and n_distinct < n_rows
    return bool((1 - _COPIES) * n_rows > n_distinct > n_rows / _MOST_COPIES)


def near_duplicates(forest: Forest) -> float:
    """Return the fraction of rows that are near-duplicates of another row."""
    length = forest.length[(forest.tree == 0) & (forest.length > 0)]
    return float(np.mean(length < gap_length(length))) if len(length) else 0.0


def gap_length(length: Floats) -> float:
    """Return a length that hardly any edge has, although many are shorter and many longer; 0 if there is none.

    The lengths of independent rows have no such gap: their logarithms have one broad peak.
    """
    if len(length) < 2 * _LEAST:
        return 0.0
    size = np.sort(np.log(length))
    candidates = np.linspace(size[0], size[-1], 200)
    short = np.searchsorted(size, candidates - np.log(_AROUND))
    long = len(size) - np.searchsorted(size, candidates + np.log(_AROUND))
    n = len(size)
    enough = (short >= max(_LEAST, _FEWEST_SHORT * n)) & (long >= max(_LEAST, _FEWEST_LONG * n))
    if not enough.any():
        return 0.0
    at_gap = np.where(enough, (n - short - long) / np.maximum(np.minimum(short, long), 1), np.inf)
    best = int(at_gap.argmin())
    return float(np.exp(candidates[best])) if at_gap[best] < _AT_GAP else 0.0
