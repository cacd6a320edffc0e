"""Representations race on more and more rows: who is far behind drops out early."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm

from bayesfloor.counts._paired_forests import (
    Graph,
    combine,
    difference_error,
    join_graphs,
    pool,
    posterior,
    rate_error,
    row_graph,
    spread_out,
)
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import run_tasks
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._grow import grow_labelled
from bayesfloor.floor._sample import Sample, label_units, labelled_by_group
from bayesfloor.formulas._confidence_limits import bias_from_growth, bias_left
from bayesfloor.selection._growing_samples import nested_units, round_sizes

_FEWEST_ROWS = 500  # of a first round
_MOST_ROUNDS = 4  # the first on an eighth of the rows
_MOST_FALLEN = 0.75  # of a rate: what is typically predicted leaves the rest, lest the order of rates turn round
_WIDENING = 1.1  # of errors, whose posterior is rough: 0.94 to 1.2 of those seen without
_AHEAD = 4  # times as many rows are what rates are predicted for
_DIMENSION = 4.0  # of all candidates: bias goes as n^(-1/2); one measured for each was not tried


@dataclass(eq=False)
class Elimination:
    """Rounds on more and more rows, and who is still in."""

    points: list[Floats]
    sample: Sample
    folds: list[Ints]
    n_trees: int
    level: float
    n_jobs: int | None
    random_state: int
    progress: Progress | None
    rounds: list[Round] = field(default_factory=list)

    def run(self, rng: np.random.Generator) -> None:
        """All rounds."""
        alive, last = list(range(len(self.points))), len(self.sizes) - 1
        for number, units in enumerate(nested_units(self.sample, self.sizes, rng)):
            self.rounds.append(self._measure(alive, units))
            if 0 < number < last:
                alive = self._keep()
            if self.progress is not None:
                self.progress("rounds", number + 1, len(self.sizes))

    @cached_property
    def by_group(self) -> bool:
        """Whether labels are those of groups."""
        return labelled_by_group(self.sample)

    @cached_property
    def sizes(self) -> list[int]:
        """Rows of each round."""
        return round_sizes(self.sample, _FEWEST_ROWS, _MOST_ROUNDS)

    @property
    def reach(self) -> float:
        """Standard errors that all intervals together reach, of all ordered pairs at all rounds."""
        return float(norm.isf((1 - self.level) / self.n_tests))

    @property
    def n_tests(self) -> int:
        """Ordered pairs, each at every round at which one may go."""
        return max(1, len(self.points) * (len(self.points) - 1)) * max(1, len(self.sizes) - 1)

    def p_value(self, each: int, r: Round) -> float:
        """Of "no higher than the best of this round, at its most hopeful", adjusted for all tests."""
        if each == r.best:
            return 1.0
        gap = (r.ahead[each] if r.hopeful is r.own else r.hopeful[each].cross_rate) - r.ahead[r.best]
        error = r.error(each, r.best, hopeful=True)
        return min(1.0, self.n_tests * float(norm.sf(gap / error))) if error else 1.0

    def _measure(self, alive: list[int], units: Ints) -> Round:
        own, fold = self.sample.take(units), _fold_numbers(self.folds, len(self.sample))[units]
        parts = [np.flatnonzero(fold == number) for number in range(len(self.folds))]
        how = (self.n_trees, self.random_state, self.by_group)
        tasks = ((self.points[each][units], own, parts, *how) for each in alive)
        graphs = list(run_tasks(_graph, tasks, n_jobs=self.n_jobs, stage="representations", total=len(alive)))
        named = np.unique(own.groups) if self.by_group and own.groups is not None else units
        labels = label_units(own, by_group=self.by_group)
        return self._look_ahead(Round(len(units), named, dict(zip(alive, graphs, strict=True)), labels))

    def _look_ahead(self, now: Round) -> Round:
        """The round with what it predicts, as soon as there was one before."""
        if not self.rounds:
            return now
        before, more = self.rounds[-1], len(self.sample) / now.n_rows
        places = np.searchsorted(now.units, before.units)
        fallen = {each: spread_out(before.graphs[each], places, len(now.units)) for each in now.graphs}
        now.ahead = _predict(now, fallen, _falls_left(more))
        now.own = _go_on(now, fallen, _falls_left(more))
        now.hopeful = now.own if more <= 1 else _go_on(now, fallen, np.log2(more) + _falls_left(1))
        return now

    def _keep(self) -> list[int]:
        """Those that are not worse than the best, even if they fall undiminished until all rows are there."""
        now = self.rounds[-1]
        return [each for each in now.graphs if self.p_value(each, now) > 1 - self.level]


def _falls_left(times_as_many: float) -> float:
    """What is left to fall until there are ``_AHEAD`` times all rows, in units of the last fall, of half the rows."""
    return bias_from_growth(1.0, 1 / 2, _DIMENSION) * (1 - bias_left(_AHEAD * times_as_many, _DIMENSION))


def _predict(now: Round, before: dict[int, Graph], times: float) -> dict[int, float]:
    """Rates less so many times their fall since ``before``.

    Each fell by some share of what is left. How far its share is its own and how far the typical one is a matter
    of how clearly the two differ (as in James and Stein's estimate): on few rows all fall alike, and who is ahead
    stays ahead.
    """
    rates = {each: graph.cross_rate for each, graph in now.graphs.items()}
    shares = [before[each].cross_rate / max(rate, 1e-12) - 1 for each, rate in rates.items()]
    typical, predicted = min(float(np.median(shares)), _MOST_FALLEN / times), {}
    for each, graph in now.graphs.items():
        apart = combine([before[each], graph], [1.0, -1.0 - typical])
        fall = typical * rates[each] + _believed(apart, now, each) * apart.cross_rate
        predicted[each] = max(0.0, rates[each] - times * fall)
    return predicted


def _believed(apart: Graph, now: Round, each: int) -> float:
    """The part of a difference that is not taken for noise."""
    error = rate_error(apart, now.posteriors[each])
    return max(0.0, 1 - (error / apart.cross_rate) ** 2) if apart.cross_rate else 0.0


def _go_on(now: Round, before: dict[int, Graph], times: float) -> dict[int, Graph]:
    """Graphs whose rates fall on by each one's own fall: their errors are those of what is predicted, or larger."""
    return {each: combine([graph, before[each]], [1 + times, -times]) for each, graph in now.graphs.items()}


@dataclass(eq=False)
class Round:
    """Graphs of those still in, on so many rows, and what they predict for more."""

    n_rows: int
    units: Ints
    graphs: dict[int, Graph]
    labels: csr_array
    ahead: dict[int, float] = field(init=False)
    own: dict[int, Graph] = field(init=False)
    hopeful: dict[int, Graph] = field(init=False)

    def __post_init__(self) -> None:
        self.ahead = {each: graph.cross_rate for each, graph in self.graphs.items()}
        self.own = self.hopeful = self.graphs

    @cached_property
    def posteriors(self) -> dict[int, csr_array]:
        """What neighbours in each one's graph say of the labels."""
        return {each: posterior(graph, self.labels) for each, graph in self.graphs.items()}

    def measured(self, each: int) -> float:
        """The cross rate of one on these rows."""
        return self.graphs[each].cross_rate

    @property
    def best(self) -> int:
        """The one with the lowest rate; of equals the one that is lower now, of these the first."""
        return min(self.ahead, key=lambda each: (self.ahead[each], self.measured(each)))

    def error(self, one: int, two: int, *, hopeful: bool = False) -> float:
        """Standard error of the difference of two, of the first as predicted or at its most hopeful."""
        eta = pool([self.posteriors[one], self.posteriors[two]])
        return _WIDENING * difference_error((self.hopeful if hopeful else self.own)[one], self.own[two], eta)

    def own_error(self, each: int) -> float:
        """Standard error of one."""
        return _WIDENING * rate_error(self.own[each], self.posteriors[each])


def _fold_numbers(folds: list[Ints], n_units: int) -> Ints:
    number = np.zeros(n_units, dtype=np.int64)
    for each, fold in enumerate(folds):
        number[fold] = each
    return number


def _graph(
    points: Floats,
    sample: Sample,
    parts: list[Ints],
    n_trees: int,
    seed: int,
    by_group: bool,  # noqa: FBT001
) -> Graph:
    """The trees of these rows, of each part its own, as one graph on all rows or groups."""
    rng = np.random.default_rng(seed)
    units = sample.groups if by_group and sample.groups is not None else np.arange(len(sample))
    names, number = np.unique(units, return_inverse=True)
    grown = [grow_labelled(points[part], sample.take(part), n_trees) for part in parts]
    graphs = [row_graph(*each, rng, by_group=by_group) for each in grown]
    return join_graphs(graphs, [np.unique(number[part]) for part in parts], len(names))
