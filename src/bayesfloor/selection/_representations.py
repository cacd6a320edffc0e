"""``compare_representations``: which features, embedding or transformation leaves the lowest floor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from bayesfloor.counts._labels import Floats, Ints, hard_shares
from bayesfloor.counts._paired import (
    Graph,
    difference_error,
    go_on,
    join_graphs,
    pooled_posterior,
    rate_error,
    row_graph,
)
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import run_tasks
from bayesfloor.floor._data import Features, Target, read_labels
from bayesfloor.floor._overall import error_bounds
from bayesfloor.floor._sample import Sample, deal, label_units, make_sample, number_groups
from bayesfloor.floor._scale import apply_scale, check_scale, pick_scale
from bayesfloor.floor._trees import grow_labelled, prepare
from bayesfloor.forest._forest import check_n_trees
from bayesfloor.formulas._limits import check_level
from bayesfloor.selection._candidates import Candidate, cross_fit, make_once, read_candidates, read_values
from bayesfloor.selection._comparison import Comparison, in_order
from bayesfloor.selection._rounds import nested_units, round_sizes

_FEWEST_ROWS = 500  # of a first round
_MOST_ROUNDS = 4  # the first on an eighth of the rows
_FOLDS = 2  # for those that are cross-fitted: half of the rows to fit to, trees of the other half
_AHEAD = 4  # times as many rows are what floors are foretold for
_DRAWS = 4000  # of what else might have been picked


def compare_representations(
    candidates: dict[str, Any],
    y: Any,
    X: Any = None,
    *,
    groups: Any = None,
    scale: str | None = None,
    n_trees: int = 3,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare representations of the same rows by their floors, before any classifier is trained.

    Parameters
    ----------
    candidates : dict of name -> array, data frame, transformer or pipeline
        What to compare. Transformers are fitted to ``X`` without labels, once. Those that cannot do without
        labels are cross-fitted: each half of the rows is transformed by what was fitted to the other half, and
        all representations are then measured in these halves. An array that was made with these labels cannot
        be told from others: its floor will be too low.
    y : array-like of shape (n_rows,)
        Labels.
    X : array-like or data frame of shape (n_rows, n_features), default=None
        What transformers are fitted to.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group are never joined, nor parted by cross-fitting.
    scale : {"auto", "none", "standard", "robust", "unit"} or None, default=None
        As in ``BayesFloor``, of each representation. None: scaling is a part of the representation.
    n_trees : int, default=3
        Number of orthogonal spanning trees.
    level : float, default=0.95
        Confidence of all intervals together.
    n_jobs, random_state, progress
        As in ``BayesFloor``.

    Returns
    -------
    Comparison
        With ``best_`` and ``frame()``.

    Notes
    -----
    Cross rates fall with more rows, those of many dimensions for longer. So representations are compared by
    where they are going: the rate foretold for four times as many rows, from how it fell between half of them
    and all, as if the bias went with the root of their number. (Below 1,000 rows by the rate as it is.)

    Rounds are on an eighth, a quarter, half and all of the rows; those go early that would be
    worse even if they went on falling as fast as they just did.
    Differences are paired: edges that two representations share cancel. Intervals are Bonferroni's over all
    pairs and rounds, so that they hold for whichever is picked as the best; and the picked one's own floor is
    raised by what picking the smallest of so many is expected to flatter it.

    Any function of X has a Bayes error at least as high as X itself. A representation with a lower floor than
    raw X is easier to learn from with so many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler(), "pca-2": PCA(2)}, y, X=X)
    >>> found.best_, found.word
    ('standard', ('best', 'worse', 'worse'))
    """
    check_n_trees(n_trees)
    check_scale(scale)
    check_level(level)
    given = read_candidates(candidates, X)
    sample, labels = _read(given, X, y, groups)
    rng = np.random.default_rng(random_state)
    folds, made = _make_all(given, X, labels, sample, rng)
    points = [_scaled(each, sample, scale, random_state, n_jobs) for each in made]
    times = 2 * len(points)  # all rounds add up to two of all rows
    prepare(len(sample), max(each.shape[1] for each in points), n_trees, times)
    race = _Race(points, sample, folds, n_trees, level, n_jobs, random_state, progress)
    race.run(rng)
    return _result(made, race)


def _read(given: dict[str, Any], X: Any, y: Any, groups: Any) -> tuple[Sample, np.ndarray]:
    """Rows in an order of their own with one label each, and the labels in the input's order."""
    content = _content(next(iter(given.values())) if X is None else X)
    n = len(content.values)
    classes, codes = read_labels(y, n)
    if len(classes) < 2:
        raise ValueError("Got one class only, but expected at least 2: there is nothing to tell.")
    target = Target(classes, hard_shares(codes, len(classes)), np.arange(n))
    return make_sample(content, target, None if groups is None else number_groups(groups, n)), classes[codes]


def _content(rows: Any) -> Features:
    """Numbers by which rows are put in an order of their own; what only a transformer can read stays in its order."""
    try:
        return read_values("X", rows)
    except (TypeError, ValueError):
        n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        return Features(np.arange(n, dtype=np.float64)[:, None], np.ones(1, dtype=bool))


def _make_all(
    given: dict[str, Any], X: Any, labels: np.ndarray, sample: Sample, rng: np.random.Generator
) -> tuple[list[Ints], list[Candidate]]:
    """Units of each fold, and all representations, in the input's order of rows."""
    once = {name: make_once(name, candidate, X, sample.n_input) for name, candidate in given.items()}
    n_folds = _FOLDS if any(made is None for made in once.values()) else 1
    folds = deal(sample, n_folds, rng)
    rows = [sample.row[fold] for fold in folds]
    made = [each or cross_fit(name, given[name], X, labels, rows) for name, each in once.items()]
    return folds, made


def _scaled(candidate: Candidate, sample: Sample, scale: str | None, random_state: int, n_jobs: int | None) -> Floats:
    """A representation's rows in the sample's order, scaled."""
    features = Features(candidate.features.values[sample.row], candidate.features.quantity)
    own = replace(sample, features=features)
    return apply_scale(features, pick_scale(scale, own, random_state, n_jobs)[0])


@dataclass(eq=False)
class _Race:
    """Rounds on more and more rows, and who is still in."""

    points: list[Floats]
    sample: Sample
    folds: list[Ints]
    n_trees: int
    level: float
    n_jobs: int | None
    random_state: int
    progress: Progress | None
    rounds: list[_Round] = field(default_factory=list)

    def run(self, rng: np.random.Generator) -> None:
        """All rounds."""
        alive, last = list(range(len(self.points))), len(self.sizes) - 1
        for number, units in enumerate(nested_units(self.sample, self.sizes, rng)):
            self.rounds.append(self._measure(alive, units))
            if 0 < number < last:
                alive = self._keep()
            if self.progress is not None:
                self.progress("rounds", number + 1, len(self.sizes))

    @property
    def sizes(self) -> list[int]:
        """Rows of each round."""
        return round_sizes(len(self.sample), _FEWEST_ROWS, _MOST_ROUNDS)

    @property
    def reach(self) -> float:
        """Standard errors that all intervals together reach, of all ordered pairs at all rounds."""
        return float(norm.isf((1 - self.level) / self.n_tests))

    @property
    def n_tests(self) -> int:
        """Ordered pairs, each at every round at which one may go."""
        return max(1, len(self.points) * (len(self.points) - 1)) * max(1, len(self.sizes) - 1)

    def p_value(self, each: int, r: _Round) -> float:
        """Of "no higher than the best of this round, at its most hopeful", adjusted for all tests."""
        if each == r.best:
            return 1.0
        gap, error = r.hopeful[each].cross_rate - r.rate(r.best), r.error(each, r.best, hopeful=True)
        return min(1.0, self.n_tests * float(norm.sf(gap / error))) if error else 1.0

    def _measure(self, alive: list[int], units: Ints) -> _Round:
        own, fold = self.sample.take(units), _fold_numbers(self.folds, len(self.sample))[units]
        parts = [np.flatnonzero(fold == number) for number in range(len(self.folds))]
        tasks = ((self.points[each][units], own, parts, self.n_trees, self.random_state) for each in alive)
        graphs = list(run_tasks(_graph, tasks, n_jobs=self.n_jobs, stage="representations", total=len(alive)))
        named = units if own.groups is None else np.unique(own.groups)
        return self._look_ahead(_Round(len(units), named, dict(zip(alive, graphs, strict=True)), label_units(own)))

    def _look_ahead(self, now: _Round) -> _Round:
        """The round with what it foretells, as soon as there was one before."""
        if not self.rounds:
            return now
        before, more = self.rounds[-1], len(self.sample) / now.n_rows
        places = np.searchsorted(now.units, before.units)

        def foretell(times: float) -> dict[int, Graph]:
            return {each: go_on(graph, before.graphs[each], places, times) for each, graph in now.graphs.items()}

        now.ahead, now.hopeful = foretell(_falls_left(more)), foretell(np.log2(more) + _falls_left(1))
        return now

    def _keep(self) -> list[int]:
        """Those that are not worse than the best, even if they fall undiminished until all rows are there."""
        now = self.rounds[-1]
        return [each for each in now.graphs if self.p_value(each, now) > 1 - self.level]


def _falls_left(times_as_many: float) -> float:
    """What is left to fall until there are ``_AHEAD`` times all rows, in units of the last fall.

    A bias that goes with the root of the number of rows shrinks by sqrt(1/2) each time that they double.
    """
    left = 1 - np.sqrt(1 / (_AHEAD * times_as_many))
    return float(left / (np.sqrt(2) - 1))


@dataclass(eq=False)
class _Round:
    """Graphs of those still in, on so many rows, and what they foretell of more."""

    n_rows: int
    units: Ints
    graphs: dict[int, Graph]
    labels: Any
    ahead: dict[int, Graph] = field(init=False)
    hopeful: dict[int, Graph] = field(init=False)

    def __post_init__(self) -> None:
        self.ahead = self.hopeful = self.graphs

    def measured(self, each: int) -> float:
        """The cross rate of one on these rows."""
        return self.graphs[each].cross_rate

    def rate(self, each: int) -> float:
        """The cross rate foretold of one."""
        return self.ahead[each].cross_rate

    @property
    def best(self) -> int:
        """The one with the lowest rate; of equals the first."""
        return min(self.ahead, key=self.rate)

    def error(self, one: int, two: int, *, hopeful: bool = False) -> float:
        """Standard error of the difference of two, of the first as foretold or at its most hopeful."""
        eta = pooled_posterior([self.graphs[one], self.graphs[two]], self.labels)
        return difference_error((self.hopeful if hopeful else self.ahead)[one], self.ahead[two], eta)

    def own_error(self, each: int) -> float:
        """Standard error of one."""
        return rate_error(self.ahead[each], pooled_posterior([self.graphs[each]], self.labels))


def _fold_numbers(folds: list[Ints], n_units: int) -> Ints:
    number = np.zeros(n_units, dtype=np.int64)
    for each, fold in enumerate(folds):
        number[fold] = each
    return number


def _graph(points: Floats, sample: Sample, parts: list[Ints], n_trees: int, seed: int) -> Graph:
    """The trees of these rows, of each part its own, as one graph on all units."""
    rng = np.random.default_rng(seed)
    graphs, units = [], []
    number, n_units = _unit_numbers(sample)
    for part in parts:
        graphs.append(row_graph(*grow_labelled(points[part], sample.take(part), n_trees), rng))
        units.append(np.unique(number[part]) if sample.groups is not None else number[part])
    return join_graphs(graphs, units, n_units)


def _unit_numbers(sample: Sample) -> tuple[Ints, int]:
    """Of each row the unit it is drawn with: itself, or its group."""
    if sample.groups is None:
        return np.arange(len(sample)), len(sample)
    names, number = np.unique(sample.groups, return_inverse=True)
    return number, len(names)


def _result(made: list[Candidate], race: _Race) -> Comparison:
    """The comparison, the lowest floor first; those that went earlier come after those that stayed."""
    last, sizes = race.rounds[-1], np.asarray(race.sample.shares.sum(axis=0), dtype=np.float64)
    best, M = last.best, len(made)
    measured = [next(r for r in reversed(race.rounds) if each in r.graphs) for each in range(M)]
    rate = np.array([measured[each].rate(each) for each in range(M)])
    gap = np.array([measured[each].rate(each) - measured[each].rate(best) for each in range(M)])
    error = np.array([0.0 if each == best else measured[each].error(each, best) for each in range(M)])
    n_rows = np.array([r.n_rows for r in measured])
    p_value = np.array([race.p_value(each, measured[each]) for each in range(M)])
    bounds = error_bounds(np.maximum(rate, 0.0), sizes)  # what is foretold may overshoot
    ranked = np.lexsort((rate, n_rows < n_rows.max()))
    columns = {
        "names": [each.name for each in made],
        "how": [each.how for each in made],
        "n_features": np.array([each.features.values.shape[1] for each in made]),
        "n_rows": n_rows,
        "cross_rate": np.array([measured[each].measured(each) for each in range(M)]),
        "foretold": rate,
        "std_error": np.array([measured[each].own_error(each) for each in range(M)]),
        "lower": bounds.lower,
        "estimate": bounds.estimate,
        "upper": bounds.upper,
        "difference": gap,
        "difference_low": gap - race.reach * error,
        "difference_high": gap + race.reach * error,
        "p_value": p_value,
        "word": [_word(each == best, p <= 1 - race.level) for each, p in enumerate(p_value)],
    }
    picked = float(np.clip(last.rate(best) + _flattery(last, race.random_state), 0.0, 1.0))
    return Comparison(
        **in_order(ranked, columns),
        best_cross_rate=picked,
        best_bounds=error_bounds(picked, sizes),
        n_folds=len(race.folds),
        level=race.level,
        rounds=tuple(_tell(r, made) for r in race.rounds),
    )


def _word(is_best: bool, is_worse: bool) -> str:  # noqa: FBT001
    return "best" if is_best else "worse" if is_worse else "as good"


def _flattery(last: _Round, seed: int) -> float:
    """How far the smallest of the last round's rates is expected to lie below its own mean.

    Rates drawn anew around those measured, with their covariances: what the picked one reads too low.
    """
    names = list(last.graphs)
    own = {each: last.own_error(each) ** 2 for each in names}
    apart = {(i, j): last.error(i, j) ** 2 for i in names for j in names if i < j}
    covariance = np.array(
        [[(own[i] + own[j] - apart.get((min(i, j), max(i, j)), 0.0)) / 2 for j in names] for i in names]
    )
    rates = np.array([last.rate(each) for each in names])
    noise = np.random.default_rng(seed).multivariate_normal(
        np.zeros(len(names)), covariance, _DRAWS, check_valid="ignore"
    )
    picked = np.argmin(rates + noise, axis=1)
    return float(max(0.0, -noise[np.arange(_DRAWS), picked].mean()))


def _tell(r: _Round, made: list[Candidate]) -> dict[str, Any]:
    return {"n_rows": r.n_rows, "cross_rate": {made[each].name: r.measured(each) for each in r.graphs}}
