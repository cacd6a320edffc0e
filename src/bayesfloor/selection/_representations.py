"""``compare_representations``: which features, embedding or transformation leaves the lowest floor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.counts._paired import Graph, difference_error, join_graphs, pooled_posterior, rate_error, row_graph
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import run_tasks
from bayesfloor.floor._data import Features, read_target
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
    Rounds on an eighth, a quarter, half and all of the rows. After each round those go that are worse than the
    best, and would be even if they went on falling with ever more rows as fast as they just did. Differences
    are paired: edges that two representations share cancel. Intervals are Bonferroni's over all pairs and
    rounds, so that they hold for whichever is picked as the best; and the picked one's own floor is raised by
    what picking the smallest of so many is expected to flatter it.

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
    target = read_target(y, len(y))
    sample = make_sample(_content(given, X, len(y)), target, None if groups is None else number_groups(groups, len(y)))
    rng = np.random.default_rng(random_state)
    folds, made = _make_all(given, X, target.classes[sample.codes], sample, rng)
    points = [_scaled(each, sample, scale, random_state, n_jobs) for each in made]
    prepare(
        len(sample), max(each.shape[1] for each in points), n_trees, 2 * len(points)
    )  # rounds add up to two of all rows
    race = _Race(points, sample, folds, n_trees, level, n_jobs, random_state, progress)
    race.run(rng)
    return _result(made, race)


def _content(given: dict[str, Any], X: Any, n_rows: int) -> Features:
    """Numbers by which rows are put in an order of their own."""
    name, first = next(iter(given.items()))
    return read_values("X", X, n_rows) if X is not None else read_values(name, first, n_rows)


def _make_all(
    given: dict[str, Any], X: Any, labels: np.ndarray, sample: Sample, rng: np.random.Generator
) -> tuple[list[Ints], list[Candidate]]:
    """Units of each fold, and all representations, in the input's order of rows."""
    once = {name: make_once(name, candidate, X, sample.n_input) for name, candidate in given.items()}
    n_folds = _FOLDS if any(made is None for made in once.values()) else 1
    folds = deal(sample, n_folds, rng)
    y = np.empty(len(sample), dtype=labels.dtype)
    y[sample.row] = labels
    rows = [sample.row[fold] for fold in folds]
    made = [each or cross_fit(name, given[name], X, y, rows) for name, each in once.items()]
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
            if number:
                alive = self._keep(last - number)
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

    def _measure(self, alive: list[int], units: Ints) -> _Round:
        own, fold = self.sample.take(units), _fold_numbers(self.folds, len(self.sample))[units]
        parts = [np.flatnonzero(fold == number) for number in range(len(self.folds))]
        tasks = ((self.points[each][units], own, parts, self.n_trees, self.random_state) for each in alive)
        graphs = list(run_tasks(_graph, tasks, n_jobs=self.n_jobs, stage="representations", total=len(alive)))
        return _Round(len(units), dict(zip(alive, graphs, strict=True)), label_units(own))

    def _keep(self, rounds_left: int) -> list[int]:
        """Those that are not far behind, or may catch up by falling as they did."""
        before, now = self.rounds[-2:]
        best = now.best
        kept = []
        for each in now.graphs:
            falls = max(0.0, before.rate(each) - now.rate(each))
            ahead = now.rate(each) - rounds_left * falls - now.rate(best)
            if each == best or ahead <= self.reach * now.error(each, best):
                kept.append(each)
        return kept


@dataclass(eq=False)
class _Round:
    """Graphs of those still in, on so many rows."""

    n_rows: int
    graphs: dict[int, Graph]
    labels: Any

    def rate(self, each: int) -> float:
        """The cross rate of one."""
        return self.graphs[each].cross_rate

    @property
    def best(self) -> int:
        """The one with the lowest cross rate; of equals the first."""
        return min(self.graphs, key=self.rate)

    def error(self, one: int, two: int) -> float:
        """Standard error of the difference of two."""
        first, second = self.graphs[one], self.graphs[two]
        return difference_error(first, second, pooled_posterior([first, second], self.labels))

    def own_error(self, each: int) -> float:
        """Standard error of one."""
        return rate_error(self.graphs[each], pooled_posterior([self.graphs[each]], self.labels))


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
    p_value = _p_values(gap, error, race)
    bounds = error_bounds(rate, sizes)
    ranked = np.lexsort((rate, -n_rows))
    columns = {
        "names": [each.name for each in made],
        "how": [each.how for each in made],
        "n_features": np.array([each.features.values.shape[1] for each in made]),
        "n_rows": n_rows,
        "cross_rate": rate,
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
    picked = min(1.0, last.rate(best) + _flattery(last, race.random_state))
    return Comparison(
        **in_order(ranked, columns),
        best_cross_rate=picked,
        best_bounds=error_bounds(picked, sizes),
        n_folds=len(race.folds),
        level=race.level,
        rounds=tuple(_tell(r, made) for r in race.rounds),
    )


def _p_values(gap: Floats, error: Floats, race: _Race) -> Floats:
    """One-sided p-values of differences to the best, times the number of tests."""
    z = gap / np.where(error > 0, error, 1.0)
    return np.where(error > 0, np.minimum(1.0, race.n_tests * norm.sf(z)), 1.0)


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
    return {"n_rows": r.n_rows, "cross_rate": {made[each].name: r.rate(each) for each in r.graphs}}
