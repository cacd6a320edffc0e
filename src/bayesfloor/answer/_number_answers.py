"""Answers for numbers: the same race, curves and forecast as for classes, with losses of predicted numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesfloor.answer._answer import Answer, Basis, Reason
from bayesfloor.answer._combine import combine, find_upper
from bayesfloor.answer._curve_ends import LEVEL, Ends
from bayesfloor.answer._hazards import LATER, Hazards
from bayesfloor.answer._learners import check_effort, check_learners
from bayesfloor.answer._make_answer import CHOICE, either, run_on, unit_of_more
from bayesfloor.answer._metrics import CLASSES, NUMBERS, Metric, choose_metrics, relative_to_spread
from bayesfloor.floor._fit import find_alike, has_copies
from bayesfloor.floor._sample import Sample, Settings, cluster_numbers, draw_rows, read_sample
from bayesfloor.floor._scaling import apply_scale
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.formulas._limits import mean_limit
from bayesfloor.io._data import Data
from bayesfloor.io._numbers import tenths
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints

SCALE = "standard"
# Outliers are more than 5 interquartile ranges from the median. So many of them, or such a part of the squared error
# on 1 % of the rows, leave no honest limit of it: of Student's t with 3 degrees of freedom, these carry 35 %, of
# Laplace's distribution 16 %.
_FAR, _MANY, _FEW, _MOST_CARRIED = 5.0, 0.005, 0.01, 0.3
_FEWEST_EQUAL = 10  # sets of equal rows that prove a lower end


@dataclass(frozen=True, eq=False)
class Numbers:
    """Rows in use with their numbers: features as points, tenths as classes, and which rows are equal."""

    sample: Sample
    points: Floats
    y: Floats
    alike: Ints
    copies: bool  # whether equal rows look like copies of one row

    @property
    def cluster(self) -> Ints:
        """Which rows belong together: groups or copies."""
        return self.alike if self.copies else cluster_numbers(self.sample)


def in_tenths(data: Data) -> Data:
    """Return the data with ten equally frequent classes instead of numbers, for all that needs classes."""
    codes = tenths(data.y)
    names = [None, *(f"tenth {code + 1:02d}" for code in range(int(codes.max()) + 1))]
    return replace(data, y=np.array(names, dtype=object)[codes + 1], predictions=None, task=CLASSES)


def read_rows(data: Data, binned: Data, settings: Settings) -> Numbers:
    """Turn features into points, and put the numbers into the order of the rows in use."""
    if settings.priors is not None:
        raise InputError("Got priors, but y holds numbers: class proportions need classes. Leave out priors.")
    sample = read_sample(binned, replace(settings, y_kind="auto"))
    if settings.max_rows is not None and len(sample) > settings.max_rows:
        sample = sample.take(draw_rows(sample, settings.max_rows, np.random.default_rng(settings.random_state)))
    points = apply_scale(sample.features, SCALE)
    vertices, vertex = find_vertices(points)
    place = sample.row if data.drawn is None else np.searchsorted(data.drawn, sample.row)
    copies = has_copies(sample, sample.labels(vertex, len(vertices)))
    return Numbers(sample, points, np.asarray(data.y)[place], find_alike(sample, points, vertex), copies)


def make_number_answers(
    rows: Numbers,
    settings: Settings,
    effort: str,
    learners: dict[str, Any] | None,
    hazards: Hazards,
    group: str = "",
    metric: Any = "auto",
    first: Any = None,
) -> dict[str, Answer]:
    """Return the answers by all metrics from one race; the metric asked for comes first.

    ``first`` is a transformer to be fitted before each learner, as in ``run_on``.
    """
    check_effort(effort)
    if learners is not None:
        check_learners(learners, NUMBERS)
    if hazards.time == LATER:
        raise InputError("Got time='later', but y holds numbers, for which it is not supported. Leave out time.")
    own, sample, y = learners or {}, rows.sample, rows.y
    metrics = choose_metrics(metric, NUMBERS, sample.codes)

    def of(cluster: Ints) -> dict[str, Answer]:
        """Return the answers if rows of a cluster belong together."""
        race = run_on(sample, rows.points, sample.codes, cluster, settings, effort, own, metrics, y=y, first=first)
        n_columns = rows.points.shape[1] if first is None else first.n_columns

        def by(metric: Metric) -> Answer:
            ends = Ends(race, 1, n_columns, np.random.default_rng([settings.random_state, CHOICE]), metric)
            unbounded = _without_limit(ends, y) if metric.of_squares else ()
            known = (np.inf, ends.guessing_limit())
            upper = find_upper(ends, *known, list(own), new_rows=not (hazards.synthetic or unbounded))
            proved = 0.0 if unbounded or rows.copies else proved_by_equal_rows(metric, y, rows.alike)
            cautions = (*hazards.cautions, *unbounded)
            return combine(ends, upper, proved, cautions, effort, unit_of_more(sample, hazards, group))

        return {metric.name: by(metric) for metric in metrics}

    made = of(rows.cluster)
    if not hazards.undecided:
        return made
    cases = of(np.arange(len(sample)))
    return {name: either(each, cases[name]) for name, each in made.items()}


def _without_limit(ends: Ends, y: Floats) -> tuple[Reason, ...]:
    """Return why no limit of the squared error is honest; nothing if one is."""
    carried = carried_by_few(ends)
    return (Reason(Basis.OUTLIERS, (carried,)),) if outliers(y) >= _MANY or carried > _MOST_CARRIED else ()


def outliers(y: Floats) -> float:
    """Return the fraction of numbers far from their median."""
    first, middle, last = np.quantile(y, [0.25, 0.5, 0.75])
    return float(np.mean(np.abs(y - middle) > _FAR * (last - first))) if last > first else 0.0


def carried_by_few(ends: Ends) -> float:
    """Return the part of the best learner's squared error that 1 % of the rows have."""
    if not ends.means or ends.race.y is None:
        return 0.0
    best = min(ends.means, key=ends.means.__getitem__)
    squares = np.sort((ends.race.y - ends.race.predicted[best]) ** 2)
    most = squares[-max(1, round(_FEW * len(squares))) :]
    return float(most.sum() / max(squares.sum(), 1e-300))


def proved_by_equal_rows(metric: Metric, y: Floats, alike: Ints) -> float:
    """Return a lower limit of the lowest possible loss, from numbers that differ between equal rows.

    Among equal rows, half the mean squared difference of two of them is the variance of y, and half the mean absolute
    difference is at most the mean distance from the median; other rows may be without noise.
    """
    order = np.lexsort((y, alike))
    sizes = np.unique(alike, return_counts=True)[1]
    if np.count_nonzero(sizes > 1) < _FEWEST_EQUAL:
        return 0.0
    starts, values = np.cumsum(sizes) - sizes, y[order]
    if metric.of_squares:
        middle = np.repeat(np.add.reduceat(values, starts) / sizes, sizes)
        found = np.add.reduceat((values - middle) ** 2, starts) / np.maximum(sizes - 1, 1)
    else:  # the sum of all differences of a sorted list: each number counts by its place
        place = np.arange(len(values)) - np.repeat(starts, sizes)
        weight = 2 * place - np.repeat(sizes, sizes) + 1
        found = np.add.reduceat(weight * values, starts) / np.maximum(sizes * (sizes - 1), 1)
    losses = np.repeat(np.where(sizes > 1, found, 0.0), sizes)
    if metric.name == "r2":
        losses = relative_to_spread(losses, values)
    return max(-mean_limit(-losses, alike[order], LEVEL), 0.0)
