"""``FloorSelector``: which features to keep, the path of the selection, and what held-out rows say."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator  # noqa: TID253 - itself imported when first used
from sklearn.feature_selection import SelectorMixin  # noqa: TID253 - itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253 - itself imported when first used

from bayesfloor.floor._edge_counts import class_edges
from bayesfloor.floor._pair_counts import Graph, difference_error, pooled_posterior, rate_error, row_graph
from bayesfloor.floor._results import error_bounds
from bayesfloor.floor._sample import (
    Sample,
    SampledRowsWarning,
    check_max_rows,
    draw_rows,
    grow_labelled,
    label_units,
    labelled_by_group,
    make_sample,
    number_groups,
    prepare,
)
from bayesfloor.floor._scaling import apply_scale, as_parameter, check_scale, pick_scale
from bayesfloor.forest._spanning_forest import check_n_trees
from bayesfloor.formulas._bounds import random_cross_rate
from bayesfloor.formulas._limits import check_level, two_sided
from bayesfloor.io._data import checked_data
from bayesfloor.io._features import read_features
from bayesfloor.io._labels import read_target
from bayesfloor.io._open_data import open_data
from bayesfloor.support._errors import InputError
from bayesfloor.support._parameters import check_seed
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import Progress, run_tasks
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

NO_DIFFERENCE = "no significant difference"


@dataclass(frozen=True, eq=False, repr=False)
class HoldOut(Result):
    """The selected features measured on rows that were not used to select them.

    Attributes
    ----------
    n_rows : number of held-out rows.
    cross_rate, lower, estimate, upper : fraction of cross-class edges, and tree bounds on the Bayes error, on these
        rows.
    optimistic : cross rate on the same number of selection rows; if it is lower than ``cross_rate``, the selection rows
        are optimistic.
    all_cross_rate : cross rate of all features on the held-out rows.
    difference, difference_low, difference_high : cross rate of the selected features minus that of all features, and
        its paired interval.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> holdout = FloorSelector(n_features=2).fit(*load_wine(return_X_y=True, as_frame=True)).path_.holdout
    >>> holdout.word
    'no significant difference'
    """

    n_rows: int
    cross_rate: float
    lower: float
    estimate: float
    upper: float
    optimistic: float
    all_cross_rate: float
    difference: float
    difference_low: float
    difference_high: float

    @property
    def word(self) -> str:
        """How the selected features compare with all: "worse", "better" or "no significant difference"."""
        if self.difference_low > 0:
            return "worse"
        return "better" if self.difference_high < 0 else NO_DIFFERENCE

    @property
    def text(self) -> str:
        """The result in a sentence."""
        against = f"{self.word} {'from' if self.word == NO_DIFFERENCE else 'than'} all features"
        bounds = f"{100 * self.lower:.1f} to {100 * self.upper:.1f} %"
        return f"On {self.n_rows:,} held-out rows: {against} (tree bounds {bounds})."

    def _summary(self) -> str:
        return self.text.rstrip(".")


@dataclass(frozen=True, eq=False, repr=False)
class SelectionPath(Result):
    """Features in the order in which they were selected, one entry per step.

    Attributes
    ----------
    added : name of the feature added in each step.
    n_features : number of features after the step.
    cross_rate, lower, estimate, upper : fraction of cross-class edges after the step, and tree bounds on the Bayes
        error. They are optimistic, because the same rows were used to select the features.
    gain, gain_low, gain_high : how much the cross rate fell, and its interval, which allows for having picked the best
        of ``n_candidates``.
    shown : whether the gain is significant: its interval is above zero.
    n_candidates : number of additions tried in the step.
    level : confidence level of the intervals.
    all_cross_rate, n_all : cross rate of all features, and their number.
    n_rows : number of rows used for the selection.
    holdout : the selected features measured on held-out rows; None if no rows were held out.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> path = FloorSelector(n_features=2).fit(*load_wine(return_X_y=True, as_frame=True)).path_
    >>> path.added
    ('flavanoids', 'color_intensity')
    """

    added: tuple[str, ...]
    n_features: Ints
    cross_rate: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    gain: Floats
    gain_low: Floats
    gain_high: Floats
    shown: np.ndarray
    n_candidates: Ints
    level: float
    all_cross_rate: float
    n_all: int
    n_rows: int
    holdout: HoldOut | None

    @property
    def text(self) -> str:
        """The selection in words."""
        first = f"{len(self.added)} of {self.n_all} features: {', '.join(printable(name) for name in self.added)}."
        if not self.shown.any():
            return f"{first} No feature helps significantly: these rows cannot distinguish the features from noise."
        bounds = f"{100 * self.lower[-1]:.1f} to {100 * self.upper[-1]:.1f} %"
        tested = "" if self.holdout is None else f" {self.holdout.text}"
        return f"{first} Tree bounds with them: {bounds}, on the rows used for the selection.{tested}"

    def _summary(self) -> str:
        return f"{self.n_features[-1]} of {self.n_all} features in {len(self.added)} steps"

    def _columns(self) -> dict[str, Any]:
        names = ("n_features", "cross_rate", "lower", "estimate", "upper", "gain", "gain_low", "gain_high")
        columns = {name: getattr(self, name) for name in (*names, "shown", "n_candidates")}
        return {"added": list(self.added), **columns}


logger = logging.getLogger(__name__)

_FEWEST_HELD_OUT = 20  # rows; with fewer, none are held out
_OPTIMISTIC_DRAWS = 3
_STEPS = 5  # typical number in a selection


class _Step(NamedTuple):
    """One feature added: the cross rate before and after, and how far the fall may be off."""

    added: int
    value: float
    gain: float
    reach: float
    n_candidates: int

    @property
    def shown(self) -> bool:
        return self.gain > self.reach


class FloorSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Select the features that lower the floor most, until the gain is no longer significant.

    This is forward selection (Berisha et al. 2016): each step adds the feature that leaves the fewest
    cross-class edges in the spanning trees. It stops when the confidence interval for the gain includes zero.
    The interval is paired and allows for having picked the best of all candidates.

    Parameters
    ----------
    n_features : "auto" or int, default="auto"
        How many features to select; "auto" stops when the gain is not significant. At least one is always kept.
    holdout : float, default=0.25
        Fraction of rows to hold out from the selection; the selected features are measured on them.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        As in ``BayesFloor``, chosen with all features.
    n_trees : int, default=3
        Number of orthogonal spanning trees.
    level : float, default=0.95
        Confidence level of the gains' intervals.
    max_rows : int, default=10_000
        Use at most about this many rows, subsampled from all classes at the same rate; None uses all.
    n_jobs, random_state, progress, prepare, roles
        As in ``BayesFloor``.

    Attributes
    ----------
    support_ : (n_features,) bool array
        The selected features.
    order_ : int array
        Selected features in the order in which they were chosen.
    path_ : SelectionPath
        The result of each step, and the selected features measured on the held-out rows.
    scale_ : str or None
        The scale used.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Berisha, Wisler, Hero and Spanias (2016), IEEE Transactions on Signal Processing 64(3).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = FloorSelector(n_features=3).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['flavanoids', 'color_intensity', 'proline'], dtype=object)
    >>> selector.transform(X).shape
    (178, 3)
    """

    def __init__(
        self,
        n_features: str | int = "auto",
        *,
        holdout: float = 0.25,
        scale: str | None = "auto",
        n_trees: int = 3,
        level: float = 0.95,
        max_rows: int | None = 10_000,
        n_jobs: int | None = None,
        random_state: int = 0,
        progress: Progress | None = None,
        prepare: Any = "auto",
        roles: dict[str, Any] | None = None,
    ) -> None:
        self.n_features = n_features
        self.holdout = holdout
        self.scale = scale
        self.n_trees = n_trees
        self.level = level
        self.max_rows = max_rows
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress
        self.prepare = prepare
        self.roles = roles

    def fit(self, X: Any, y: Any, groups: Any = None) -> FloorSelector:
        """Select features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            As in ``BayesFloor.fit``. A text column is one feature.
        y : array-like of shape (n_rows,)
            Labels, votes or probabilities, as in ``BayesFloor.fit``.
        groups : array-like of shape (n_rows,), default=None
            Rows of the same group are never joined by an edge, and never split between selection and held-out rows.

        Returns
        -------
        self
        """
        self._check_parameters()
        data = open_data(X, y, groups=groups)
        features = read_features(data, self.prepare, self.roles)
        checked_data(self, data.native, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        used, column = np.unique(features.source, return_inverse=True)  # some columns are left out: ids, constants
        self._check_n_features(int(column[-1]) + 1)
        n = len(features.values)
        sample = make_sample(
            features, read_target(data.y, n), None if data.groups is None else number_groups(data.groups, n)
        )
        bench, held_out = self._prepare(sample, column)
        steps = self._choose(bench)
        self.order_ = used[[step.added for step in steps]]
        self.support_ = np.isin(np.arange(self.n_features_in_), self.order_)
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        self.path_ = self._tell(steps, bench, held_out, np.asarray(names, dtype=object)[used])
        if not steps[0].shown:
            logger.warning(
                "No feature helps significantly: these rows cannot distinguish the features from noise. "
                "The best is kept."
            )
        return self

    def _check_parameters(self) -> None:
        check_n_trees(self.n_trees)
        check_level(self.level)
        check_scale(self.scale)
        check_max_rows(self.max_rows)
        check_seed(self.random_state)
        if isinstance(self.scale, str) and self.scale == "unit":
            raise InputError(
                "Got scale='unit', which needs all features at once, but expected a scale that works per column, "
                "such as scale='standard'."
            )
        if not isinstance(self.holdout, Real) or not 0 <= float(self.holdout) < 1:
            raise InputError(f"Got holdout={self.holdout!r}, but expected a fraction of at least 0 and below 1.")

    def _check_n_features(self, n_all: int) -> None:
        if isinstance(self.n_features, str) and self.n_features == "auto":
            return
        whole = isinstance(self.n_features, Integral) and not isinstance(self.n_features, bool)
        if not whole or not 1 <= int(self.n_features) <= n_all:
            raise InputError(f"Got n_features={self.n_features!r}, but expected 'auto' or a number from 1 to {n_all}.")

    def _prepare(self, sample: Sample, column: Ints) -> tuple[Bench, Bench | None]:
        """Split the rows into those used for selection and those held out."""
        rng = np.random.default_rng(self.random_state)
        sample = draw_most(sample, self.max_rows, rng, 4)
        out = self._hold_out(sample, rng)
        rest = np.setdiff1d(np.arange(len(sample)), out)
        scale, rates = pick_scale(self.scale, sample.take(rest), self.random_state, self.n_jobs)
        if scale == "unit":  # it needs all features at once: the next best
            scale = min((each for each in rates if each != "unit"), key=rates.__getitem__)
        self.scale_ = as_parameter(scale)
        points = apply_scale(sample.features, scale)
        n_features = int(column[-1]) + 1
        prepare(len(rest), 2, self.n_trees, _STEPS * (n_features // 2 + 10))  # most forests are on few rows
        how = (self.n_trees, self.n_jobs, self.random_state)
        held_out = Bench(points[out], column, sample.take(out), *how) if len(out) else None
        return Bench(points[rest], column, sample.take(rest), *how), held_out

    def _hold_out(self, sample: Sample, rng: np.random.Generator) -> Ints:
        size = round(self.holdout * len(sample))
        if size < _FEWEST_HELD_OUT:
            return np.empty(0, dtype=np.int64)
        out = draw_rows(sample, size, rng)
        rest = np.setdiff1d(np.arange(len(sample)), out)
        if _can_part(sample, out) and _can_part(sample, rest) and len(out) < 2 * size:
            return out
        logger.warning("No rows are held out: there are too few groups, or too few rows of some class, to split.")
        return np.empty(0, dtype=np.int64)

    def _choose(self, bench: Bench) -> list[_Step]:
        """Add features until there are enough or none helps."""
        steps: list[_Step] = []
        chosen: Chosen = ()
        value, most = bench.chance, bench.n_features if self.n_features == "auto" else int(self.n_features)
        goes_on = True
        while goes_on and len(chosen) < most:
            step = self._step(bench, chosen, value)
            goes_on = step.shown or self.n_features != "auto"
            if goes_on or not steps:  # one feature is kept even if none helps
                steps.append(step)
                chosen, value = (*chosen, step.added), step.value
                if self.progress is not None:
                    self.progress("features", len(chosen), most)
        return steps

    def _step(self, bench: Bench, chosen: Chosen, value: float) -> _Step:
        """Add the best feature; the interval of its gain allows for having picked it among all that were left."""
        candidates = [each for each in range(bench.n_features) if each not in chosen]
        added, after = bench.best(chosen, candidates)
        level = 1 - (1 - self.level) / len(candidates)
        reach = two_sided(level) * bench.gain_error(chosen, (*chosen, added))
        return _Step(added, after, value - after, reach, len(candidates))

    def _tell(self, steps: list[_Step], bench: Bench, held_out: Bench | None, names: np.ndarray) -> SelectionPath:
        chosen = tuple(step.added for step in steps)
        rates, gain, reach = np.array([(step.value, step.gain, step.reach) for step in steps]).T
        bounds = error_bounds(rates, bench.sample.class_sizes)
        return SelectionPath(
            added=tuple(str(names[each]) for each in chosen),
            n_features=np.arange(1, len(steps) + 1),
            cross_rate=rates,
            lower=np.asarray(bounds.lower),
            estimate=np.asarray(bounds.estimate),
            upper=np.asarray(bounds.upper),
            gain=gain,
            gain_low=gain - reach,
            gain_high=gain + reach,
            shown=gain > reach,
            n_candidates=np.array([step.n_candidates for step in steps]),
            level=self.level,
            all_cross_rate=bench.value(tuple(range(bench.n_features))),
            n_all=bench.n_features,
            n_rows=len(bench.sample),
            holdout=None if held_out is None else _measure_held_out(chosen, bench, held_out, self.level),
        )

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _can_part(sample: Sample, units: Ints) -> bool:
    """Whether these rows have all classes and, if there are groups, at least two groups."""
    groups = 2 if sample.groups is None else len(np.unique(sample.groups[units]))
    return groups > 1 and len(np.unique(sample.codes[units])) == len(sample.classes)


def _measure_held_out(chosen: Chosen, bench: Bench, held_out: Bench, level: float) -> HoldOut:
    """Measure the selected and all features on held-out rows, and the selected ones on as many selection rows."""
    n, everything = len(held_out.sample), np.arange(len(held_out.sample))
    rng = np.random.default_rng(bench.seed)
    draws = [draw_rows(bench.sample, n, rng) for _ in range(_OPTIMISTIC_DRAWS)]
    selected, whole = (held_out.graph(each, everything) for each in (chosen, tuple(range(bench.n_features))))
    eta = pooled_posterior([selected, whole], held_out.labels)
    reach = two_sided(level) * difference_error(selected, whole, eta)
    bounds = error_bounds(selected.cross_rate, held_out.sample.class_sizes)
    apart = selected.cross_rate - whole.cross_rate
    return HoldOut(
        n_rows=n,
        cross_rate=selected.cross_rate,
        lower=float(bounds.lower),
        estimate=float(bounds.estimate),
        upper=float(bounds.upper),
        optimistic=float(np.mean([bench.values([chosen], units)[0] for units in draws])),
        all_cross_rate=whole.cross_rate,
        difference=apart,
        difference_low=apart - reach,
        difference_high=apart + reach,
    )


def draw_most(sample: Sample, max_rows: int | None, rng: np.random.Generator, stacklevel: int) -> Sample:
    """Subsample to about ``max_rows`` rows if there are more, and warn ``stacklevel`` frames up."""
    if max_rows is None or len(sample) <= max_rows:
        return sample
    drawn = sample.take(draw_rows(sample, max_rows, rng))
    message = f"Using {len(drawn):,} of {len(sample):,} rows because of max_rows. Pass max_rows=None to use all rows."
    warnings.warn(SampledRowsWarning(message), stacklevel=stacklevel)
    return drawn


Chosen = tuple[int, ...]

_FEWEST_ROWS = 40  # with fewer, standard errors mean little
_FIRST_ROUND, _ROUNDS = 250, 3
_KEPT, _MANY, _ALWAYS = 3, 100, 5  # keep a third of the candidates, a sixth if there are over 100, but at least 5


@dataclass(frozen=True, eq=False)
class Bench:
    """Rows on which sets of features are measured; ``feature`` is the feature number of each column of ``points``."""

    points: Floats
    feature: Ints
    sample: Sample
    n_trees: int
    n_jobs: int | None
    seed: int

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.feature[-1]) + 1

    @property
    def chance(self) -> float:
        """Cross rate without features."""
        return random_cross_rate(self.sample.class_sizes)

    def values(self, sets: Sequence[Chosen], units: Ints) -> Floats:
        """Return the cross rate of each set on these rows."""
        own, rows = self.sample.take(units), self.points[units]
        tasks = ((rows[:, np.isin(self.feature, each)], own, self.n_trees) for each in sets)
        return np.array(list(run_tasks(_cross_rate, tasks, n_jobs=self.n_jobs, total=len(sets))))

    def value(self, chosen: Chosen) -> float:
        """Return the cross rate of a set on all rows."""
        return float(self.values([chosen], self._rounds[-1])[0]) if chosen else self.chance

    def best(self, chosen: Chosen, more: list[int]) -> tuple[int, float]:
        """Return the best addition to the set and the resulting cross rate; poor ones are measured on few rows."""
        for units in self._rounds:
            values = self.values([(*chosen, each) for each in more], units)
            order = np.argsort(values, kind="stable")
            part = _KEPT if len(more) <= _MANY else 2 * _KEPT
            last, more = more, [more[i] for i in order[: max(_ALWAYS, len(more) // part)]]
        return last[order[0]], float(values[order[0]])

    def gain_error(self, before: Chosen, after: Chosen) -> float:
        """Return the standard error of the difference between the cross rates of two sets."""
        if len(self.sample) < _FEWEST_ROWS:
            return np.inf
        graphs = [self.graph(each, self._rounds[-1]) for each in (before, after) if each]
        eta = pooled_posterior(graphs, self.labels)
        return difference_error(graphs[0], graphs[1], eta) if before else rate_error(graphs[0], eta)

    def graph(self, chosen: Chosen, units: Ints) -> Graph:
        """Return a set's trees on these rows as a graph."""
        rows = self.points[units][:, np.isin(self.feature, chosen)]
        grown = grow_labelled(rows, self.sample.take(units), self.n_trees, self.n_jobs)
        return row_graph(*grown, np.random.default_rng(self.seed), by_group=self.by_group)

    @cached_property
    def by_group(self) -> bool:
        """Whether labels belong to groups rather than rows."""
        return labelled_by_group(self.sample)

    @property
    def labels(self) -> csr_array:
        """Labels of the rows or groups that are the vertices of a graph on all rows."""
        return label_units(self.sample, by_group=self.by_group)

    @cached_property
    def _rounds(self) -> list[Ints]:
        """The units of each round, which contain those of the round before: twice as many each time, all in the last.

        With few rows or groups, there are fewer rounds.
        """
        rng, units = np.random.default_rng(self.seed), list[Ints]([np.arange(len(self.sample))])
        if len(np.unique(self.sample.cluster)) >= min(len(self.sample), _FIRST_ROUND):
            for size in (len(self.sample) >> back for back in range(1, _ROUNDS)):
                if size >= _FIRST_ROUND:
                    units.append(units[-1][draw_rows(self.sample.take(units[-1]), size, rng)])
        return units[::-1]


def _cross_rate(points: Floats, sample: Sample, n_trees: int) -> float:
    return class_edges(*grow_labelled(points, sample, n_trees)).cross_rate
