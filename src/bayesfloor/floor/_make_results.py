"""Compute results from counts, with one function for each result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import comb

from bayesfloor.floor._edge_counts import VertexLabels, class_edges, label_moments, most_voted, sample_edges
from bayesfloor.floor._fit import Counts
from bayesfloor.floor._pair_counts import PairCounts, PairForest, pair_of, permuted_cross, sets_of_pairs
from bayesfloor.floor._results import (
    FEW,
    Floor,
    OneVsRestFloor,
    Options,
    PairwiseFloor,
    SampleScores,
    constant_error,
    error_bounds,
)
from bayesfloor.floor._uncertainty import fast_errors
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._bounds import (
    conflict_floor,
    henze_penrose,
    multiclass_bounds,
    one_vs_rest_bounds,
    remove_forced,
)
from bayesfloor.formulas._limits import (
    after_picking,
    benjamini_hochberg,
    holm,
    label_score,
    local_rate,
    odd_label_p_value,
)
from bayesfloor.formulas._permutation_null import fewer_than_chance, permutation_null, share_not_above
from bayesfloor.support._types import Floats, Ints

_PERMUTATIONS = 999
_PERMUTED_PAIRS = 400  # with more pairs than this, each pair gets fewer permutations
_FEWEST = 99  # fewest permutations per pair
_MOST = 5000  # largest number of pairs to permute; this many take seconds
_PERMUTED_ROWS = 2000  # largest number of rows in a pair to permute; larger pairs use the analytic null distribution
_ALIKE_CANDIDATES = 200  # pairs whose standard error is computed: those most likely to be alike
_ALIKE_ABOVE = 0.01  # two classes may be alike if their p-value is above this
_ALIKE_DIMENSIONS = 3.0  # above this intrinsic dimension, R is too biased towards chance for a claim
_FALSE_DISCOVERIES = 0.05


def overall_floor(counts: Counts, options: Options) -> Floor:
    """Compute the floor for the whole problem."""
    forest, labels, edges, spread, ties = counts.forest, counts.labels, counts.edges, counts.spread, counts.ties
    drawn = counts.content.n_drawn(labels)
    first = class_edges(forest, labels, 1)
    sizes, n = labels.class_sizes, len(labels.vertex)
    bounds = error_bounds(edges.cross_rate, sizes, options)
    return Floor(
        lower=float(bounds.lower),
        estimate=float(bounds.estimate),
        upper=float(bounds.upper),
        cross_rate=edges.cross_rate,
        std_error=spread.std_error,
        interval_method=spread.method,
        bias=float(np.minimum(spread.bias, edges.cross_rate)),
        limit=float(np.clip(edges.cross_rate - spread.bias, 0.0, 1.0)),
        limit_std_error=spread.limit_error,
        dimension=spread.dimension,
        resolution=float(multiclass_bounds((len(sizes) - 1) / n, len(sizes)).estimate),
        tie_spread=ties,
        conflict=conflict(labels, counts.content.vertex),
        p_value=after_picking(overall_p_value(counts), options.n_scales).item(),
        n_rows=n,
        n_classes=len(sizes),
        constant_error=constant_error(sizes),
        _sizes=sizes,
        _bias_correction=options.bias_correction,
        _subtract_forced=options.subtract_forced,
        _first_cross=first.cross_rate * min(first.n_edges, drawn),
        _first_edges=min(first.n_edges, drawn),
        _degrees=spread.degrees,
    )


def conflict(labels: VertexLabels, vertex: Ints) -> float:
    """Compute the conflict floor of the rows, including equal rows of different groups."""
    labels = _at(labels, vertex)
    mass = labels.mass if labels.hard else labels.mass[np.flatnonzero(labels.rows_at > 1)]
    if not mass.shape[0]:
        return 0.0
    largest = np.asarray(mass.max(axis=1).todense()).ravel()
    return conflict_floor(largest, np.asarray(mass.sum(axis=1))) * float(mass.sum()) / len(labels.vertex)


def _at(labels: VertexLabels, vertex: Ints) -> VertexLabels:
    return VertexLabels(vertex, labels.shares, int(vertex.max()) + 1, labels.weight)


def overall_p_value(counts: Counts) -> float:
    """Run the Friedman-Rafsky test with all classes; it ignores weights."""
    labels, edges = counts.labels, counts.edges
    if labels.weight is not None:
        edges = class_edges(counts.forest, replace(labels, weight=None))
    null = permutation_null(labels.units.shape[0], counts.shape, label_moments(labels), labels.n_sets)
    return float(fewer_than_chance(edges.cross_rate * edges.n_edges, null))


def pairwise_floor(
    pair: PairForest, labels: VertexLabels, counts: PairCounts, classes: np.ndarray, dimension: float, options: Options
) -> PairwiseFloor:
    """Compute the floor for every pair of classes."""
    n1, n2 = counts.sizes.T
    n = n1 + n2
    cross = counts.rate * (n - 1)
    used = remove_forced(cross, 2 * n1 * n2 / n, 1.0) if options.subtract_forced else cross
    bounds = henze_penrose(used, n1, n2, bias_correction=options.bias_correction)
    share = np.minimum(n1, n2) / n if options.normalize else 1.0
    p_values = after_picking(pair_p_values(pair, labels, counts), options.n_scales)
    return PairwiseFloor(
        classes=classes,
        matrix=square(np.asarray(bounds.estimate) / share),
        lower=square(bounds.lower),
        estimate=square(bounds.estimate),
        upper=square(np.asarray(henze_penrose(cross, n1, n2).upper)),
        cross=square(cross),
        sizes=labels.class_sizes,
        p_values=square(p_values, 1.0),
        holm=square(holm(p_values), 1.0),
        benjamini_hochberg=square(benjamini_hochberg(p_values), 1.0),
        resolution=square(np.asarray(henze_penrose(1.0, n1, n2, normalize=options.normalize).estimate)),
        at_resolution=square(cross < 1.5).astype(bool),
        std_error=square(_alike_errors(pair, labels, cross, p_values), np.nan),
        claims=bool(dimension <= _ALIKE_DIMENSIONS),
    )


def square(values: object, diagonal: float = 0.0) -> Floats:
    """Arrange values of the pairs (0, 1), (0, 2), ... as a symmetric matrix."""
    given = np.asarray(values, dtype=np.float64)
    K = round((1 + float(np.sqrt(1 + 8 * len(given)))) / 2)
    matrix = np.full((K, K), diagonal)
    one, two = np.triu_indices(K, 1)
    matrix[one, two] = matrix[two, one] = given
    return matrix


def pair_p_values(pair: PairForest, labels: VertexLabels, counts: PairCounts) -> Floats:
    """Compute Friedman-Rafsky p-values: small pairs by permutation, the others from the analytic null distribution."""
    n, least = counts.n_units, counts.sizes.min(axis=1)
    null = permutation_null(n, counts.graph, counts.labels, n if labels.groups is not None else sets_of_pairs(labels))
    p = fewer_than_chance(counts.cross, null)
    if not labels.hard or labels.weight is not None or labels.groups is not None:
        return p
    small = ((n < 100) | (least < 30)) & (n <= _PERMUTED_ROWS) & (least >= 1)
    # If trees have one cross-class edge each, almost no permutation gives that: a tree has n - 1 edges, and cutting one
    # leaves at most two labellings, so P(R = 1) <= 2 (n - 1) / C(n, n_1).
    rows, n_trees = counts.sizes.sum(axis=1), counts.graph.total / np.maximum(n - 1, 1)
    small &= (counts.cross > n_trees) | (2 * (rows - 1) / comb(rows, least) >= 0.01 / _PERMUTATIONS)
    if np.count_nonzero(small) > _MOST:  # keep the smallest p-values, without ties at the cut: names decide their order
        small &= p < np.sort(p[small])[_MOST]
    chosen = np.flatnonzero(small)
    n_permutations = int(np.clip(_PERMUTATIONS * _PERMUTED_PAIRS / max(len(chosen), 1), _FEWEST, _PERMUTATIONS))
    one, two = np.triu_indices(labels.n_classes, 1)
    for number in chosen:
        p[number] = _permuted_p_value(
            pair, labels, int(one[number]), int(two[number]), float(p[number]), n_permutations
        )
    return p


def _permuted_p_value(
    pair: PairForest, labels: VertexLabels, i: int, j: int, analytic: float, n_permutations: int
) -> float:
    """Return the permutation p-value; or the analytic p-value if it is smaller and no permutation reached the tail.

    The seed comes from the pair's own numbers, because its position depends on class names.
    """
    forest, own = pair_of(pair, labels, i, j)
    edges = class_edges(forest, own)
    rng = np.random.default_rng([len(own.vertex), len(forest.a), round(1e6 * edges.cross_rate)])
    permuted = permuted_cross(forest, own, n_permutations, rng)
    p = share_not_above(edges.cross_rate * edges.n_edges, permuted)
    return min(p, analytic) if p <= 1 / (1 + n_permutations) else p


def _alike_errors(pair: PairForest, labels: VertexLabels, cross: Floats, p_values: Floats) -> Floats:
    """Return the standard error of R for pairs that may be alike, NaN for the others."""
    errors = np.full(len(cross), np.nan)
    if not labels.hard or labels.weight is not None:
        return errors
    one, two = np.triu_indices(labels.n_classes, 1)
    order = np.argsort(-p_values, kind="stable")[:_ALIKE_CANDIDATES]
    for number in order[p_values[order] > _ALIKE_ABOVE]:
        forest, own = pair_of(pair, labels, int(one[number]), int(two[number]))
        error, _ = fast_errors(forest, own, class_edges(forest, own))
        errors[number] = error * len(own.vertex)
    return errors


def one_vs_rest_floor(counts: Counts, pairwise: PairCounts | None, classes: np.ndarray) -> OneVsRestFloor:
    """Compute bounds for each class against the rest, from edges of the global trees and, if known, of its pairs."""
    edges, spread, sizes = counts.edges, counts.spread, counts.labels.class_sizes
    n = len(counts.labels.vertex)
    rate, cap = edges.class_rates, constant_error(sizes)  # no class has a larger error than all classes together
    pair_sums = None  # of R / n over a class's pairs, each from the pair's own trees
    if pairwise is not None:
        pair_sums = square(pairwise.rate * (pairwise.sizes.sum(axis=1) - 1)).sum(axis=1) / n
    bounds = one_vs_rest_bounds(rate * (n - 1) / n, edges.cross_rate, pair_sums)
    lower = np.minimum(bounds.lower, cap)
    upper = np.maximum(np.minimum(bounds.upper, cap), lower)
    return OneVsRestFloor(
        classes=classes,
        sizes=sizes,
        lower=lower,
        estimate=(lower + upper) / 2,
        upper=upper,
        class_rate=rate,
        std_error=spread.class_errors,
        few=sizes < FEW,
        _degrees=spread.degrees,
    )


def sample_scores(
    forest: Forest, labels: VertexLabels, alike: Ints, row: np.ndarray, classes: np.ndarray
) -> SampleScores:
    """Score how badly each row's label fits its neighbours; ``alike`` numbers the distinct input rows."""
    edges = sample_edges(forest, labels)
    share = labels.class_sizes / labels.class_sizes.sum()
    rate = edges.cross.sum() / max(edges.degree.sum(), 1e-300)
    local = local_rate(edges.cross_around, edges.degree_around, rate)
    p_value = odd_label_p_value(edges.cross, edges.degree, local)
    most = edges.cross > edges.degree - edges.cross  # even separate classes are joined by some edges
    suspect = (benjamini_hochberg(p_value) <= _FALSE_DISCOVERIES) & most
    mixed = np.diff(_at(labels, alike).mass.indptr) > 1
    values = {
        "score": label_score(edges.cross, edges.degree, share[labels.codes]),
        "p_value": p_value,
        "suspect": suspect,
        "conflict": mixed[alike] & labels.hard,
        "degree": edges.degree,
        "cross": edges.cross,
        "label": classes[labels.codes],
        "suggested_label": classes[most_voted(edges.votes)],
    }
    order = np.argsort(row, kind="stable")
    return SampleScores(row=row[order], **{name: value[order] for name, value in values.items()})
