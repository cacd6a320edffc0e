"""Compare representations on more and more rows; those far behind drop out early."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm

from bayesfloor.decide._feature_sets import nested_units, round_sizes
from bayesfloor.floor._pair_counts import (
    Graph,
    combine,
    difference_error,
    join_graphs,
    pool,
    posterior,
    rate_error,
    renumber,
    row_graph,
)
from bayesfloor.floor._sample import Sample, grow_labelled, label_units, labelled_by_group
from bayesfloor.formulas._limits import bias_from_growth, bias_left
from bayesfloor.support._tasks import Progress, run_tasks
from bayesfloor.support._types import Floats, Ints

_FEWEST_ROWS = 500  # in the first round
_MOST_ROUNDS = 4  # the first uses an eighth of the rows
_MOST_FALLEN = 0.75  # the typical predicted fall is capped at this fraction of a rate, so that rates keep their order
_WIDENING = 1.1  # factor on standard errors: without it, they are 0.94 to 1.2 times those observed
_AHEAD = 4  # rates are predicted for this many times all rows
_DIMENSION = 4.0  # assumed for all candidates: bias falls as n^(-1/2); estimating it per candidate was not tried


@dataclass(eq=False)
class Elimination:
    """Rounds on more and more rows, and the representations still in the comparison."""

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
        """Run all rounds."""
        alive, last = list(range(len(self.points))), len(self.sizes) - 1
        for number, units in enumerate(nested_units(self.sample, self.sizes, rng)):
            self.rounds.append(self._measure(alive, units))
            if 0 < number < last:
                alive = self._keep()
            if self.progress is not None:
                self.progress("rounds", number + 1, len(self.sizes))

    @cached_property
    def by_group(self) -> bool:
        """Whether labels belong to groups rather than rows."""
        return labelled_by_group(self.sample)

    @cached_property
    def sizes(self) -> list[int]:
        """Number of rows in each round."""
        return round_sizes(self.sample, _FEWEST_ROWS, _MOST_ROUNDS)

    @property
    def reach(self) -> float:
        """Half-width of the simultaneous intervals for all ordered pairs and rounds, in standard errors."""
        return float(norm.isf((1 - self.level) / self.n_tests))

    @property
    def n_tests(self) -> int:
        """Number of tests: all ordered pairs, in every round in which a representation may drop out."""
        return max(1, len(self.points) * (len(self.points) - 1)) * max(1, len(self.sizes) - 1)

    def p_value(self, each: int, r: Round) -> float:
        """Return how surely this candidate loses: the p-value of "its rate is no higher than the best one's".

        Even if it keeps falling as fast as it did; adjusted for all pairs and rounds.
        """
        if each == r.best:
            return 1.0
        lowest = r.predicted[each] if r.best_case is r.extrapolated else r.best_case[each].cross_rate
        gap, error = lowest - r.predicted[r.best], r.error(each, r.best, best_case=True)
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
        """Add predictions to a round, if there is an earlier round to predict from."""
        if not self.rounds:
            return now
        before, more = self.rounds[-1], len(self.sample) / now.n_rows
        places = np.searchsorted(now.units, before.units)
        fallen = {each: renumber(before.graphs[each], places, len(now.units)) for each in now.graphs}
        now.predicted = _predict(now, fallen, _falls_left(more))
        now.extrapolated = _go_on(now, fallen, _falls_left(more))
        now.best_case = now.extrapolated if more <= 1 else _go_on(now, fallen, np.log2(more) + _falls_left(1))
        return now

    def _keep(self) -> list[int]:
        """Return the candidates that would not be worse than the best if their rates kept falling at the same pace."""
        now = self.rounds[-1]
        return [each for each in now.graphs if self.p_value(each, now) > 1 - self.level]


def _falls_left(times_as_many: float) -> float:
    """Return the fall expected up to ``_AHEAD`` times all rows, in units of the fall from half of the rows to all."""
    return bias_from_growth(1.0, 1 / 2, _DIMENSION) * (1 - bias_left(_AHEAD * times_as_many, _DIMENSION))


def _predict(now: Round, before: dict[int, Graph], times: float) -> dict[int, float]:
    """Predict each rate: subtract its fall since ``before``, multiplied by ``times``.

    Each rate fell by some fraction of itself. The prediction shrinks each fraction towards the typical one, more
    strongly if the two differ less clearly (as in the James-Stein estimator). On few rows, all rates are therefore
    predicted to fall alike, and the order stays the same.
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
    """Return the fraction of a difference to keep; the rest counts as noise."""
    error = rate_error(apart, now.posteriors[each])
    return max(0.0, 1 - (error / apart.cross_rate) ** 2) if apart.cross_rate else 0.0


def _go_on(now: Round, before: dict[int, Graph], times: float) -> dict[int, Graph]:
    """Extrapolate each graph by its own fall; its standard errors are at least those of the predictions."""
    return {each: combine([graph, before[each]], [1 + times, -times]) for each, graph in now.graphs.items()}


@dataclass(eq=False)
class Round:
    """Graphs of the remaining representations on ``n_rows`` rows, and their predictions for more rows."""

    n_rows: int
    units: Ints
    graphs: dict[int, Graph]
    labels: csr_array
    predicted: dict[int, float] = field(init=False)  # rates, shrunk, for ranking
    extrapolated: dict[int, Graph] = field(init=False)  # each by its own fall, for standard errors
    best_case: dict[int, Graph] = field(init=False)  # its fall goes on unslowed

    def __post_init__(self) -> None:
        self.predicted = {each: graph.cross_rate for each, graph in self.graphs.items()}
        self.extrapolated = self.best_case = self.graphs

    @cached_property
    def posteriors(self) -> dict[int, csr_array]:
        """Label posteriors from the neighbours in each graph."""
        return {each: posterior(graph, self.labels) for each, graph in self.graphs.items()}

    def measured(self, each: int) -> float:
        """Return the cross rate of a representation on these rows."""
        return self.graphs[each].cross_rate

    @property
    def best(self) -> int:
        """The representation with the lowest predicted rate; ties are broken by measured rate, then by position."""
        return min(self.predicted, key=lambda each: (self.predicted[each], self.measured(each)))

    def error(self, one: int, two: int, *, best_case: bool = False) -> float:
        """Return the standard error of a difference, with the first as predicted or in its best case."""
        eta = pool([self.posteriors[one], self.posteriors[two]])
        first = self.best_case if best_case else self.extrapolated
        return _WIDENING * difference_error(first[one], self.extrapolated[two], eta)

    def own_error(self, each: int) -> float:
        """Return the standard error of a representation's predicted rate."""
        return _WIDENING * rate_error(self.extrapolated[each], self.posteriors[each])


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
    """Build trees for each fold separately and join them into one graph on all rows or groups."""
    rng = np.random.default_rng(seed)
    units = sample.groups if by_group and sample.groups is not None else np.arange(len(sample))
    names, number = np.unique(units, return_inverse=True)
    grown = [grow_labelled(points[part], sample.take(part), n_trees) for part in parts]
    graphs = [row_graph(*each, rng, by_group=by_group) for each in grown]
    return join_graphs(graphs, [np.unique(number[part]) for part in parts], len(names))
