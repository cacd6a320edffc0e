"""Make the answer: run the race, extrapolate its learning curves, and combine them with what the trees show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import UPPER_ONLY, Answer, Basis, Curve, Reason
from bayesfloor.answer._combine import combine, find_upper
from bayesfloor.answer._curve_ends import LEVEL, Ends
from bayesfloor.answer._drift import Drift
from bayesfloor.answer._hazards import DUPLICATES, GROUPS, LATER, NEAR_DUPLICATES, TIME, Hazards
from bayesfloor.answer._learners import (
    TREES,
    WEIGHTS,
    Size,
    check_effort,
    check_learners,
    encode_codes,
    exact_learners,
)
from bayesfloor.answer._metrics import ACCURACY, CLASSES, NUMBERS, Metric, choose_metrics
from bayesfloor.answer._number_learners import REGRESSORS
from bayesfloor.answer._race import Race, choose_learners, heaviest_row, run_race
from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.floor._fit import Fit, has_copies, near_duplicates
from bayesfloor.floor._results import Floor
from bayesfloor.floor._sample import Sample, Settings, cluster_numbers, draw_rows
from bayesfloor.floor._scaling import apply_scale
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.formulas._limits import effective_count, guessing_limit, lower_limit
from bayesfloor.io._labels import compare_spellings
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

LEARN_ON = 50_000  # most rows that learners see; larger data are subsampled
_LABELS, _FOLDS, CHOICE = 11, 12, 13  # streams of random numbers


def make_answer(floor: Floor, fit: Fit, settings: Settings, effort: str, learners: dict[str, Any] | None) -> Answer:
    """Run the race, and combine its results with those of the trees."""
    return make_answers(floor, fit, settings, effort, learners)[ACCURACY.name]


def make_answers(
    floor: Floor,
    fit: Fit,
    settings: Settings,
    effort: str,
    learners: dict[str, Any] | None,
    hazards: Hazards | None = None,
    group: str = "",
    metric: Any = ACCURACY.name,
) -> dict[str, Answer]:
    """Return the answers by all metrics from one race, that for errors among them; the metric asked for comes first.

    ``group`` is the name of the group column.
    """
    check_effort(effort)
    if learners is not None:
        check_learners(learners)
    own = learners or {}
    if fit.labels.weight is not None:
        raise InputError(
            "answer and verdict do not support sample_weight: learners would be tested on a different problem. "
            "Fit without weights. For other class proportions, pass priors: errors are then weighted to match."
        )
    seen, labels, codes = seen_by_learners(fit, settings)
    sample = seen.sample
    found, metrics = hazards or Hazards(), _metrics_for(metric, codes, fit, hazards)

    def of(cluster: Ints, *, beside_equal: bool) -> dict[str, Answer]:
        """Return the answers if rows of a cluster belong together; neighbours may be copies unless ``beside_equal``."""
        race = run_on(sample, seen.points, codes, cluster, settings, effort, own, metrics, fit.priors)
        # Three limits need no learner: for a neighbour's label, for guessing, and for equal rows with different labels.
        tree_limit = floor.tree_limit(1 - (1 - LEVEL) * WEIGHTS[TREES]) if beside_equal else 1.0
        n_drawn = len(np.unique(fit.sample.cluster))
        proved = float(lower_limit(floor.conflict * n_drawn, n_drawn, LEVEL))
        known = know_guessing(codes, cluster, floor.n_classes, floor.constant_error, fit.priors)
        return answers_from(
            race,
            metrics,
            known._replace(trees=tree_limit, proved=proved, new_rows=not found.synthetic),
            seen.points.shape[1],
            settings,
            effort,
            list(own),
            (*found.cautions, *_spellings(fit), *_near_duplicates(fit)),
            unit_of_more(sample, found, group),
        )

    copies = has_copies(sample, labels)  # these must not be in both training and test rows
    made = of(labels.vertex if copies else cluster_numbers(sample), beside_equal=not copies)
    if found.drift is not None and found.time == LATER:
        return {name: _for_later(each, found.drift) for name, each in made.items()}
    if not found.undecided:
        return made
    cases = of(np.arange(len(sample)), beside_equal=False)
    return {name: either(each, cases[name]) for name, each in made.items()}


class Known(NamedTuple):
    """What is known of errors without a learner.

    The error of guessing, its upper limit, that of a neighbour's label, and a lower limit; and whether rows are new.
    """

    n_classes: int
    guessing: float
    limit: float
    trees: float = 1.0
    proved: float = 0.0
    new_rows: bool = True


def know_guessing(codes: Ints, cluster: Ints, n_classes: int, guessing: float, priors: Floats | None = None) -> Known:
    """Return the error of guessing the most frequent class, and its upper limit."""
    if priors is not None:  # proportions that were asked for are not random
        guessing = 1 - float(priors.max())
        return Known(n_classes, guessing, guessing)
    n = effective_count(codes != np.bincount(codes).argmax(), cluster)
    limit = float(guessing_limit(guessing, n, n_classes, 1 - (1 - LEVEL) * WEIGHTS["guessing"]))
    return Known(n_classes, guessing, limit)


def answers_from(
    race: Race,
    metrics: list[Metric],
    known: Known,
    n_columns: int,
    settings: Settings,
    effort: str,
    own: Sequence[str] = (),
    cautions: tuple[Reason, ...] = (),
    unit: str = "rows",
) -> dict[str, Answer]:
    """Return the answers of a race by these metrics; ``own`` are the names of the user's learners."""

    def by(metric: Metric) -> Answer:
        rng = np.random.default_rng([settings.random_state, CHOICE])
        of_errors = metric.of_errors
        ends = Ends(race, known.n_classes, n_columns, rng, metric, known.guessing if of_errors else None)
        limits = (known.trees, known.limit) if of_errors else (np.inf, ends.guessing_limit())
        upper = find_upper(ends, *limits, list(own), new_rows=known.new_rows)
        return combine(ends, upper, known.proved * of_errors, cautions, effort, unit)

    return {metric.name: by(metric) for metric in metrics}


def _metrics_for(metric: Any, codes: Ints, fit: Fit, hazards: Hazards | None) -> list[Metric]:
    """Return the metrics to answer by; pairs and classes need the one of errors."""
    chosen = choose_metrics(metric, CLASSES, codes)
    others = [each for each in chosen if not each.of_errors]
    later = hazards is not None and hazards.time == LATER
    if others and (fit.priors is not None or later):
        if metric == "auto":
            return [ACCURACY]
        option = "time='later'" if later else "priors"
        raise InputError(
            f"Got metric={others[0].name!r} and {option}, which answers by accuracy only. Leave out one of them."
        )
    return list(dict.fromkeys([*chosen, ACCURACY]))


def _for_later(made: Answer, drift: Drift) -> Answer:
    """Return the error on later periods as it was measured, without a ceiling or a forecast for more rows."""
    measured = Reason(Basis.LATER, (drift.error_later, drift.low, drift.high, drift.n_periods))
    none = np.empty(0)
    return replace(
        made,
        estimate=drift.error_later,
        lower=np.nan,
        upper=drift.high,
        why_lower=None,
        why_upper=measured,
        reliability=UPPER_ONLY,
        reasons=(measured,),
        curve=Curve(none.astype(np.int64), none, none, none, none.astype(bool)),
        curve_lower=np.nan,
        forecast=None,
    )


def either(copies: Answer, cases: Answer) -> Answer:
    """Return the answer if rows are copies, with a range that also holds if they are separate cases."""
    low, high = min(copies, cases, key=lambda each: each.lower), max(copies, cases, key=lambda each: each.upper)
    both = not np.isnan(copies.lower + cases.lower)
    no_signal = (Basis.NO_SIGNAL, Basis.LITTLE_SIGNAL)
    return replace(
        copies,
        reasons=tuple(each for each in copies.reasons if each.basis not in no_signal or cases.has(*no_signal)),
        lower=low.lower if both else np.nan,
        why_lower=low.why_lower if both else None,
        upper=high.upper,
        why_upper=high.why_upper,
        curve_lower=min(copies.curve_lower, cases.curve_lower),
        reliability=copies.reliability if both else UPPER_ONLY,
        as_cases=(cases.estimate, cases.lower, cases.upper),
        forecast=copies.forecast and cases.forecast and copies.forecast.mix(cases.forecast),
    )


def seen_by_learners(fit: Fit, settings: Settings) -> tuple[Fit, VertexLabels, Ints]:
    """Return the fit with the rows that learners see, their labels, and one class for each.

    With priors, these are more rows than in the trees.
    """
    labels, whole = fit.labels, fit.whole
    if whole is not None:
        points = apply_scale(whole.features, fit.scale)
        vertices, vertex = find_vertices(points)
        fit, labels = replace(fit, sample=whole, points=points), whole.labels(vertex, len(vertices))
    return fit, labels, _draw_labels(labels, np.random.default_rng([settings.random_state, _LABELS]))


def run_on(
    sample: Sample,
    points: Floats,
    codes: Ints,
    cluster: Ints,
    settings: Settings,
    effort: str,
    own: dict[str, Any],
    metrics: list[Metric],
    priors: Floats | None = None,
    y: Floats | None = None,
    first: Any = None,
) -> Race:
    """Race the learners that suit the data and the user's own; with ``y``, on numbers.

    ``first`` is a transformer with a known number of columns, to be fitted before each learner on its training rows.
    """
    from sklearn.pipeline import make_pipeline

    X, rng, task = points, np.random.default_rng([settings.random_state, _FOLDS]), CLASSES if y is None else NUMBERS
    n_classes = len(sample.classes) if y is None else 1
    units: Ints = np.arange(len(codes))
    if len(codes) > LEARN_ON:
        units = draw_rows(sample, LEARN_ON, rng, priors)
        X, codes, cluster, sample = X[units], codes[units], cluster[units], sample.take(units)
        y = None if y is None else y[units]
    features = sample.features
    n_columns = X.shape[1] if first is None else first.n_columns
    size = Size(len(X), n_columns, n_classes, len(features.prepared) or None, effort)
    # What stands beside the answer must not change it: only the metric of the answer decides which rows are tested.
    heaviest = heaviest_row(codes, priors, effort, evenly=metrics[0].weighted)
    ways = () if y is None else (REGRESSORS,)
    chosen, left_out = choose_learners(size, settings.random_state, heaviest, *ways)
    racing = encode_codes({**chosen, **own}, features.code, settings.random_state, task)
    if first is not None:
        racing = {name: make_pipeline(first, learner) for name, learner in racing.items()}
    # Of wide data, the points are only the first components: these learners see all columns.
    exact = exact_learners(own, features.exact, task)
    race = run_race(
        X,
        codes,
        cluster,
        {**racing, **exact},
        effort,
        rng,
        settings.n_jobs,
        settings.progress,
        exact=features.exact,
        see_exact=exact,
        priors=priors,
        metrics=metrics,
        y=y,
        heaviest=heaviest,
    )
    left_out = {name: why for name, why in left_out.items() if name not in exact} | race.left_out
    # Rows of the input, which a fit reorders.
    return replace(race, row=sample.row[race.row], unit=units[race.unit], left_out=left_out)


def unit_of_more(sample: Sample, hazards: Hazards, column: str) -> str:
    """Return what more data have to be."""
    if sample.groups is None:
        return "rows"
    found = hazards.dependence
    kind, column = (GROUPS, column) if found is None else (found.kind, found.column)
    if kind == TIME:
        return "rows from other stretches of time"
    if kind in (DUPLICATES, NEAR_DUPLICATES):
        return "rows that are no duplicates"
    return f"groups ({printable(column)})" if column else "groups"


def _spellings(fit: Fit) -> tuple[Reason, ...]:
    """Return a caution if some labels look like spellings of one class: separating them is not a real task."""
    sizes = np.round(fit.labels.class_sizes).tolist()
    found = compare_spellings(dict(zip(fit.sample.classes.tolist(), sizes, strict=True)))
    if found.alike:
        return (Reason(Basis.SPELLINGS, (len(found.meant), len(set(found.meant.values())))),)
    return (Reason(Basis.TYPOS, (len(found.typos),)),) if found.typos else ()


def _near_duplicates(fit: Fit) -> tuple[Reason, ...]:
    """Return a caution if rows look like near-duplicates and there are no groups."""
    near = 0.0 if fit.sample.groups is not None else near_duplicates(fit.forest)
    return (Reason(Basis.NEAR_DUPLICATES, (near,)),) if near else ()


def _draw_labels(labels: VertexLabels, rng: np.random.Generator) -> Ints:
    """Return one label per row; for soft labels, sample one from each row's class probabilities."""
    if labels.hard:
        return labels.codes
    shares = labels.shares.toarray().cumsum(axis=1)
    return np.asarray((rng.random((len(shares), 1)) * shares[:, -1:] > shares).sum(axis=1))
