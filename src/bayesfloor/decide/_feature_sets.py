"""Sets of features measured on the same rows: on nested samples of growing size, so that poor ones drop out early."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import class_edges
from bayesfloor.floor._pair_counts import (
    Graph,
    difference_error,
    pooled_posterior,
    rate_error,
    row_graph,
)
from bayesfloor.floor._sample import (
    Sample,
    SampledRowsWarning,
    draw_rows,
    grow_labelled,
    label_units,
    labelled_by_group,
)
from bayesfloor.formulas._bounds import random_cross_rate
from bayesfloor.support._tasks import run_tasks
from bayesfloor.support._types import Floats, Ints


def draw_most(sample: Sample, max_rows: int | None, rng: np.random.Generator, stacklevel: int) -> Sample:
    """Subsample to about ``max_rows`` rows if there are more, and warn ``stacklevel`` frames up."""
    if max_rows is None or len(sample) <= max_rows:
        return sample
    drawn = sample.take(draw_rows(sample, max_rows, rng))
    message = f"Using {len(drawn):,} of {len(sample):,} rows because of max_rows. Pass max_rows=None to use all rows."
    warnings.warn(SampledRowsWarning(message), stacklevel=stacklevel)
    return drawn


def round_sizes(sample: Sample, fewest: int, most_rounds: int) -> list[int]:
    """Return the number of rows per round: at least ``fewest``, doubling each time, all rows in the last.

    With few groups, there is only the round with all rows.
    """
    n_rows, few = len(sample), len(np.unique(sample.cluster)) < min(len(sample), fewest)
    sizes = [] if few else [n_rows >> back for back in range(most_rounds - 1, 0, -1)]
    return [size for size in sizes if size >= fewest] + [n_rows]


def nested_units(sample: Sample, sizes: list[int], rng: np.random.Generator) -> list[Ints]:
    """Return the units of each round; each round contains those of the round before."""
    units: list[Ints] = [np.arange(len(sample))]
    for size in sizes[-2::-1]:
        units.append(units[-1][draw_rows(sample.take(units[-1]), size, rng)])
    return units[::-1]


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
        own = self.sample.take(units)
        rows = self.points[units]
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
        sizes = round_sizes(self.sample, _FIRST_ROUND, _ROUNDS)
        return nested_units(self.sample, sizes, np.random.default_rng(self.seed))


def _cross_rate(points: Floats, sample: Sample, n_trees: int) -> float:
    return class_edges(*grow_labelled(points, sample, n_trees)).cross_rate
