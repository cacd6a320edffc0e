"""The envelope: bounds from trees held against classifiers, and what to make of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.counts._edges import class_edges
from bayesfloor.counts._labels import Floats, Ints, Labels, hard_shares
from bayesfloor.counts._samples import row_edges
from bayesfloor.engine._progress import Progress
from bayesfloor.floor._fit import Fit
from bayesfloor.floor._learners import OutOfFold, check_learners, default_learners, out_of_fold
from bayesfloor.floor._results import STILL_FALLING, Floor, LabelClaims, Result
from bayesfloor.floor._sample import Sample, cluster_numbers, draw_rows
from bayesfloor.floor._trees import grow
from bayesfloor.forest._forest import Forest
from bayesfloor.formulas._excess import likely_excess, margins, residual_product, worst_excess
from bayesfloor.formulas._limits import lower_limit, two_sided, upper_limit
from bayesfloor.formulas._multiclass import multiclass_bounds
from bayesfloor.formulas._samples import claim_p_value, flip_posterior, largest_list, without_flips
from bayesfloor.formulas._variance import roughness

LEARN_ON = 10_000  # rows at most; learners and their folds take minutes beyond
LEVEL = 0.95
_COPIES, _MOST_COPIES = 0.01, 5  # share of equal rows, and rows a distinct one, between which they may be copies


@dataclass(frozen=True, eq=False)
class Envelope(Result):
    """Where the Bayes error lies, by trees and by classifiers together.

    Attributes
    ----------
    lower : float
        Below the Bayes error, as far as the trees' bias could be corrected.
    estimate : float
        The best classifier's error less what its posterior's own error costs.
    upper : float
        Upper confidence limit (95 %), the smallest of the trees' and of the classifiers'.
    trust : {"refuted", "small bias", "unknown"}
        "refuted": a classifier errs less than the trees' lower bound. "small bias": the corrections
        are small against the interval. "unknown": neither; the lower bound may be too high.
    trusted, alarm : bool
        Whether trust is "small bias", and whether it is "refuted".
    reasons : tuple of str
        Why, in words.
    errors : dict
        Cross-validated error of each classifier.
    best : str
        The classifier whose posterior fits best.
    roughness : float
        How much of the share of cross edges is due to the distance between neighbours.
    squared_error : float
        Mean squared distance of the best posterior from the truth, from residuals along the edges.
    tree_error : float
        Middle of the bounds by trees on the best posteriors, one tree a fold.
    n_rows : int
        Rows that classifiers were tried on.
    """

    lower: float
    estimate: float
    upper: float
    trust: str
    reasons: tuple[str, ...]
    errors: dict[str, float]
    best: str
    roughness: float
    squared_error: float
    tree_error: float
    n_rows: int
    _eta: Floats = field(repr=False)
    _codes: Ints = field(repr=False)
    _row: Ints = field(repr=False)

    def wrong_labels(self, flip_rate: float = 0.05, false_claims: float = 0.05) -> LabelClaims:
        """Labels that the best posterior, out of fold, says are wrong.

        Parameters
        ----------
        flip_rate : float, default=0.05
            Share of labels assumed to be flipped to any other class.
        false_claims : float, default=0.05
            Share of the list that may be false.

        Returns
        -------
        LabelClaims
            Where classes overlap this finds fewer rows than ``samples_``, which lists odd ones.
        """
        K, given = self._eta.shape[1], self._eta[np.arange(len(self._codes)), self._codes]
        chance = flip_posterior(without_flips(given, flip_rate, K), flip_rate, K)
        order = np.argsort(self._row, kind="stable")
        found = claim_p_value(self._eta, self._codes), chance, largest_list(chance, false_claims)
        return LabelClaims(self._row[order], *(values[order] for values in found))

    @property
    def trusted(self) -> bool:
        """Whether the corrections are small."""
        return self.trust == "small bias"

    @property
    def alarm(self) -> bool:
        """Whether a classifier refutes the trees' lower bound."""
        return self.trust == "refuted"

    def _columns(self) -> dict[str, Any]:
        names = ("lower", "estimate", "upper", "trust", "best", "roughness", "n_rows")
        return {name: [getattr(self, name)] for name in names}


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a learner and the trees say of each other.

    ``squared_error`` is E|eta - eta^|^2 as residuals of neighbours show it, along the edges of the
    forest; ``wide`` is the same along the edges of trees of each fold, five times as many and longer.
    """

    wrong: np.ndarray
    margin: Floats
    brier: float
    roughness: float
    squared_error: float
    wide: float
    wide_error: float
    excess: float
    n_units: int  # rows, or groups of them, that were drawn

    @property
    def corrected(self) -> float:
        """The error less what the posterior's own error likely costs."""
        return float(self.wrong.mean()) - self.excess


class Edges(NamedTuple):
    """Pairs of neighbouring rows of one fold: a learner that saw one's label may not speak of the other."""

    a: Ints
    b: Ints


def make_envelope(
    floor: Floor,
    fit: Fit,
    cv: int,
    learners: dict[str, Any] | None,
    random_state: int,
    n_jobs: int | None,
    progress: Progress | None = None,
) -> Envelope:
    """Train the learners, and put trees and learners together."""
    X, sample, forest, labels = fit.points, fit.sample, fit.forest, fit.labels
    if learners is not None:
        check_learners(learners)
    if labels.weight is not None:
        raise ValueError(
            "envelope and verdict know nothing of sample_weight: learners would be held against another problem. "
            "Fit without weights; priors reach other class shares by drawing rows."
        )
    rng = np.random.default_rng(random_state)
    codes = _draw_labels(labels, rng)
    units = np.arange(len(codes)) if len(codes) <= LEARN_ON else draw_rows(sample, LEARN_ON, rng)
    if len(units) < len(codes):
        sample, X, codes = sample.take(units), X[units], codes[units]
        forest = grow(X, forest.n_trees, sample.groups, n_jobs)
        labels = labels.take(units, forest.vertex, forest.n_vertices)
    chosen = default_learners(X.shape[1], floor.n_classes, random_state) if learners is None else learners
    copies = _may_be_copies(sample, labels)
    clusters = labels.vertex if copies else cluster_numbers(sample)
    found = _blend(out_of_fold(X, codes, floor.n_classes, clusters, cv, chosen, n_jobs, random_state, progress))
    near, wide = _near_edges(forest, labels, found.fold), _wide_edges(X, sample.groups, found.fold, forest.n_trees)
    n_units = len(np.unique(labels.vertex if copies else sample.cluster))  # rows of a group err together
    evidence = {name: _weigh(found, name, near, wide, n_units) for name in found.eta}
    return _put_together(floor, found, evidence, sample.row, copies=copies)


def _may_be_copies(sample: Sample, labels: Labels) -> bool:
    """Whether so many rows equal another, and yet so many differ, that they look like copies.

    These must not be on both sides of a fold, nor be each other's neighbours in a proof. Where values
    are few, equal rows are draws like any other.
    """
    n, distinct = len(labels.vertex), np.count_nonzero(labels.rows_at)
    return bool(sample.groups is None and labels.hard and (1 - _COPIES) * n > distinct > n / _MOST_COPIES)


def _draw_labels(labels: Labels, rng: np.random.Generator) -> Ints:
    """One label a row; where rows have chances of several, one is drawn."""
    if labels.hard:
        return labels.codes
    shares = labels.shares.toarray().cumsum(axis=1)
    return (rng.random((len(shares), 1)) * shares[:, -1:] > shares).sum(axis=1)


def _blend(found: OutOfFold) -> OutOfFold:
    """The learners, and the mean of the two whose posteriors fit best."""
    if len(found.eta) < 2:
        return found
    one, two = sorted(found.eta, key=lambda name: _brier(found.eta[name], found.codes))[:2]
    return found._replace(eta={**found.eta, "blend": (found.eta[one] + found.eta[two]) / 2})


def _brier(eta: Floats, codes: Ints) -> float:
    return float(np.mean(1 - 2 * eta[np.arange(len(codes)), codes] + (eta**2).sum(axis=1)))


def _near_edges(forest: Forest, labels: Labels, fold: Ints) -> Edges:
    """Edges of the forest whose ends are of one fold."""
    a, b = row_edges(forest, labels, np.random.default_rng(0))
    alike = fold[a] == fold[b]
    return Edges(a[alike], b[alike])


def _wide_edges(X: Floats, groups: Ints | None, fold: Ints, n_trees: int) -> Edges:
    """Edges of a forest of each fold."""
    found = []
    for f in range(fold.max() + 1):
        rows = np.flatnonzero(fold == f)
        forest = grow(X[rows], n_trees, None if groups is None else groups[rows])
        labels = Labels(
            forest.vertex, hard_shares(np.zeros(len(rows), dtype=int), 1), forest.n_vertices, None, groups is None
        )
        found.append([rows[end] for end in row_edges(forest, labels, np.random.default_rng(f))])
    a, b = zip(*found, strict=True)
    return Edges(np.concatenate(a), np.concatenate(b))


def _weigh(found: OutOfFold, name: str, near: Edges, wide: Edges, n_units: int) -> Evidence:
    """A learner's errors, and how its residuals go together along the edges."""
    eta = found.eta[name]
    K, residual = eta.shape[1], hard_shares(found.codes, eta.shape[1]).toarray() - eta
    close, far = (residual_product(*edges, residual) for edges in (near, wide))
    squared_error = _mean(close)
    margin = margins(eta)
    return Evidence(
        wrong=found.wrong(name),
        margin=margin,
        brier=_brier(eta, found.codes),
        roughness=_mean(roughness(*near, eta)),
        squared_error=squared_error,
        wide=_mean(far),
        wide_error=float(np.sqrt((far**2).sum()) / max(len(far), 1)),
        excess=likely_excess(margin, squared_error, K),
        n_units=n_units,
    )


def _mean(values: Floats) -> float:
    """The mean, or 0 where a fold has too few rows for edges."""
    return float(values.mean()) if len(values) else 0.0


def _put_together(
    floor: Floor, found: OutOfFold, evidence: dict[str, Evidence], row: Ints, *, copies: bool
) -> Envelope:
    best = min(evidence, key=lambda name: evidence[name].brier)
    errors = {name: float(one.wrong.mean()) for name, one in evidence.items()}
    trees = floor.constant_error if copies else floor.upper_limit(LEVEL)
    upper = min(trees, _smallest_limit(errors, evidence[best].n_units))
    lower = min(_lower(floor, evidence[best]), upper, *errors.values())
    trust, reasons = _trust(floor, errors, evidence[best])
    return Envelope(
        lower=lower,
        estimate=float(np.clip(_estimate(evidence, best), lower, upper)),
        upper=upper,
        trust=trust,
        reasons=reasons,
        errors=errors,
        best=best,
        roughness=evidence[best].roughness,
        squared_error=evidence[best].squared_error,
        tree_error=_tree_error(found, best),
        n_rows=len(found.codes),
        _eta=found.eta[best],
        _codes=found.codes,
        _row=row,
    )


def _estimate(evidence: dict[str, Evidence], best: str) -> float:
    """Half way between the best posterior's corrected error and the smallest of all.

    The first errs upwards by what its learner misses, the second downwards by being picked.
    """
    return (evidence[best].corrected + min(one.corrected for one in evidence.values())) / 2


def _lower(floor: Floor, best: Evidence) -> float:
    """The higher of two: the trees' bound on the corrected rate, and the learner's error less its excess.

    What residuals have in common is taken off the rate once more: as far as the posterior is wrong,
    its roughness does not tell the truth's.
    """
    z, n = two_sided(LEVEL), best.n_units
    rate = min(floor.cross_rate, best.brier - best.squared_error) - max(0.0, best.squared_error)
    bound = multiclass_bounds(max(0.0, rate - z * floor.std_error), floor.n_classes, floor.constant_error).lower
    error = float(lower_limit(best.wrong.mean() * n, n, 0.5 + LEVEL / 2))
    excess = worst_excess(best.margin, max(0.0, best.wide, best.squared_error) + z * best.wide_error)
    return max(float(bound), error - excess)


def _smallest_limit(errors: dict[str, float], n: int) -> float:
    """Upper limit by the best learner; the level allows for picking it."""
    level = 1 - (1 - LEVEL) / len(errors)
    return min(float(upper_limit(error * n, n, level)) for error in errors.values())


def _trust(floor: Floor, errors: dict[str, float], evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    name, n = min(errors, key=errors.__getitem__), evidence.n_units
    high = errors[name] + 2 * float(np.sqrt(max(errors[name] * (1 - errors[name]), 1 / n) / n))
    if high < floor.lower:
        reason = f"{name} errs on {errors[name]:.3f} of held-out rows, at most {high:.3f}"
        return "refuted", (f"{reason}: less than the lower bound {floor.lower:.3f} of the trees",)
    reach = two_sided(LEVEL) * floor.std_error
    doubts, bias = [], evidence.roughness + max(0.0, evidence.squared_error)
    if bias > reach:
        doubts.append(
            f"neighbours are too far apart, or no learner fits well: {bias:.3f} of the share of cross edges may be "
            f"due to that, more than its interval's {reach:.3f}"
        )
    if floor.trust == "unknown":  # the learner's roughness says more of the bias than the drift with n
        doubts += [reason for reason in floor.reasons if not reason.startswith(STILL_FALLING)]
    if doubts:
        return "unknown", tuple(doubts)
    return "small bias", ("neighbours are close and the learner agrees with the trees",)


def _tree_error(found: OutOfFold, best: str) -> float:
    """Trees on posteriors out of fold, one a fold: those of different folds come from different models."""
    eta, K = found.eta[best], found.eta[best].shape[1]
    cross = edges = 0.0
    for f in range(found.fold.max() + 1):
        rows = np.flatnonzero(found.fold == f)
        forest = grow(eta[rows], 1, None)
        counted = class_edges(forest, Labels(forest.vertex, hard_shares(found.codes[rows], K), forest.n_vertices))
        cross, edges = cross + counted.cross_rate * counted.n_edges, edges + counted.n_edges
    return float(multiclass_bounds(cross / max(edges, 1.0), K).estimate)
