"""Which features carry the signal: how much worse predictions of unseen rows get if a feature's values are permuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._learners import REGISTRY, Size
from bayesfloor.answer._make_answer import seen_by_learners
from bayesfloor.answer._metrics import BRIER, Metric
from bayesfloor.answer._number_answers import Numbers
from bayesfloor.answer._number_learners import REGRESSORS
from bayesfloor.answer._race import Race, fit_classes, fit_numbers, for_priors, posterior_of, temperatures
from bayesfloor.floor._fit import Fit
from bayesfloor.floor._sample import Settings
from bayesfloor.formulas._limits import class_weights, two_sided, unit_means, weighted_losses
from bayesfloor.io._features import Features
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import ignoring, one_blas_thread, one_openmp_thread, run_tasks
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import show_labels

LEVEL = 0.95  # of all intervals together
_ALIKE = 0.7  # rank correlation from which columns are one feature
_COMPARED = 2000  # rows to compare columns on
_MOST_BLOCKS = 50  # features tested; if there are more, they are first tested in so many blocks
_ENOUGH_TESTED, _MOST_TESTED, _MOST_TRAINED = 700, 2000, 4000  # rows; the most tested if learners are cheap
_CHEAP = 0.1  # of the cost of all learners
_KEPT = 0.9  # a cheaper learner will do if it keeps this part of what the best one gains on guessing
_AT_ONCE = 10_000  # rows to predict at once: a call has costs of its own
_WORTH_HAVING = 0.1  # least weight in the blend of a second learner
_LOCAL = "local"  # a kind of learner
_STREAM = 14  # of random numbers


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Result):
    """How much the metric suffers if a feature's values are permuted among rows that the learner has not seen.

    Columns that are strongly correlated count as one feature, because each could stand in for the other. All intervals
    hold together with 95 % confidence, and a feature carries signal if its interval excludes 0. For accuracy, the
    interval of the Brier score decides: probabilities get worse before the likeliest class changes.

    Attributes
    ----------
    metric : the metric that suffers.
    learners : the learners that predict: the cheapest that is nearly as good as the best; if it is a linear model, also
        one that sees curves.
    n_rows : number of rows whose values were permuted.
    columns : the columns of each feature, the one whose loss rises most first.
    fall, low, high : how much the metric gets worse, and the ends of the interval, in the unit of the metric.
    carries : whether the feature carries signal.
    n_features : number of features; with more than 50, some were only tested together with others, and are not listed.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> found = bayesfloor.check(X, X[:, 1] > 0)
    >>> found.features.columns[0], found.features.n_silent
    (('x1',), 2)
    """

    metric: str
    learners: tuple[str, ...]
    n_rows: int
    columns: tuple[tuple[str, ...], ...]
    fall: Floats
    low: Floats
    high: Floats
    carries: np.ndarray
    n_features: int

    @property
    def n_silent(self) -> int:
        """Number of features that carry no signal that these rows can show."""
        return self.n_features - int(np.count_nonzero(self.carries))

    def _columns(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in ("fall", "low", "high", "carries")}
        return {"feature": [", ".join(names) for names in self.columns], **values}

    def _summary(self) -> str:
        rows = zip(self.columns, self.carries, strict=True)
        shown = [", ".join(show_labels(names)) for names, carries in rows if carries]
        return f"signal in {'; '.join(shown) or 'none'}; {self.n_silent:,} others carry none that these rows can show"


def class_importances(answer: Answer, fit: Fit, settings: Settings) -> Importances | None:
    """Return the importances of features for classes; None with effort "quick", and for very wide or sparse data."""
    if answer.effort == "quick":
        return None
    seen, _, codes = seen_by_learners(fit, settings)
    return _importances(answer, seen.points, codes, seen.sample.features, settings)


def number_importances(answer: Answer, rows: Numbers, settings: Settings) -> Importances | None:
    """Return the importances of features for numbers; None with effort "quick", and for very wide or sparse data."""
    if answer.effort == "quick":
        return None
    return _importances(answer, rows.points, rows.y, rows.sample.features, settings)


def _importances(
    answer: Answer, points: Floats, truth: Any, features: Features, settings: Settings
) -> Importances | None:
    race = answer.evidence()
    if features.source is None or not race.learners:
        return None
    used, column = np.unique(features.source, return_inverse=True)
    feature, block = _join(_likeness(points, column))
    n_features, (weights, enough) = int(feature.max()), _choose(race, answer, points.shape[1])
    with one_blas_thread(), ignoring():
        bench = _prepare(race, answer.of, weights, points, truth, enough, settings)
        tested = list(_test(bench, _parts(block), column, n_features))
        # Blocks of several features are taken apart, those that matter most first.
        alone, apart = [], list[Ints]()
        for one in sorted(tested, key=lambda one: -one.rise):
            own = _parts(np.where(np.isin(np.arange(len(used)), one.part), feature, 0))
            if len(own) == 1 or (one.carries and len(apart) + len(own) > _MOST_BLOCKS):
                alone.append(one)
            elif one.carries:
                apart += own
        found = sorted([*alone, *_test(bench, apart, column, n_features)], key=lambda one: -one.rise)
    names = [each.name for each in features.prepared] or [f"x{number}" for number in range(int(used[-1]) + 1)]
    return Importances(
        metric=answer.metric,
        learners=tuple(weights),
        n_rows=len(bench.truth),
        columns=tuple(tuple(names[used[number]] for number in one.part) for one in found),
        fall=np.array([one.fall for one in found]),
        low=np.array([one.low for one in found]),
        high=np.array([one.high for one in found]),
        carries=np.array([one.carries for one in found]),
        n_features=n_features,
    )


def _likeness(points: Floats, column: Ints) -> Floats:
    """Return the largest absolute rank correlation of what two input columns became."""
    from scipy.stats import rankdata

    rows = points[:: max(1, len(points) // _COMPARED)]
    ranks = rankdata(rows, axis=0) - (len(rows) + 1) / 2
    size = np.sqrt((ranks**2).sum(axis=0))
    ranks /= np.where(size > 0, size, 1.0)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    return np.maximum.reduceat(np.maximum.reduceat(np.abs(ranks.T @ ranks), starts, axis=0), starts, axis=1)


def _join(likeness: Floats) -> tuple[Ints, Ints]:
    """Return for each column the number of its feature, from 1, and that of its block, which holds whole features."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(likeness) == 1:
        return np.ones(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    tree = linkage(squareform(1 - np.minimum(likeness, 1), checks=False), "complete")
    feature = fcluster(tree, 1 - _ALIKE, "distance")
    return feature, feature if feature.max() <= _MOST_BLOCKS else fcluster(tree, _MOST_BLOCKS, "maxclust")


def _parts(number: Ints) -> list[Ints]:
    """Return the columns of each number above 0."""
    return [np.flatnonzero(number == each) for each in np.unique(number[number > 0])]


def _choose(race: Race, answer: Answer, width: int) -> tuple[dict[str, float], int]:
    """Return the learners with their weights, and how many rows to test them on.

    The first is the cheapest that is nearly as good as the best. A linear model may be that and still be blind to a
    feature with a curved effect, so another kind of learner joins it if the blend has use for one.
    """
    metric, registry = answer.of, REGISTRY if race.y is None else REGRESSORS
    found = {name: loss for name, loss in race.means(metric.name).items() if name in race.learners}
    # Neighbours change with any column: if one of noise is permuted, all the luck of these rows is gone.
    losses = {name: loss for name, loss in found.items() if name not in registry or registry[name].kind != _LOCAL}
    losses = losses or found
    least, guess = min(losses.values()), float(metric.guess(race.codes if race.y is None else race.y).mean())
    enough = max(least, guess - _KEPT * (guess - least))
    size = Size(float(race.n_train[-1]), width, answer.n_classes, None, answer.effort)
    costs = {name: registry[name].cost(size) if name in registry else np.inf for name in losses}
    names = sorted(losses, key=lambda name: (costs[name], losses[name]))
    chosen = [next(name for name in names if losses[name] <= enough)]
    if chosen == ["linear"]:
        chosen += [name for name in names[1:] if name != "linear" and race.shares.get(name, 0) >= _WORTH_HAVING][:1]
    cheap = sum(costs[name] for name in chosen) < _CHEAP * sum(costs.values())
    weights = {name: race.shares.get(name, 0.0) if len(chosen) > 1 else 1.0 for name in chosen}
    return weights, _MOST_TESTED if cheap else _ENOUGH_TESTED


class _Fold(NamedTuple):
    """Trained learners, rows that they have not seen, and an order in which these rows get each other's values."""

    predict: list[Callable[[Floats], Floats]]
    rows: Floats
    order: Ints


class _Bench(NamedTuple):
    """Learners of some folds, with the labels or numbers of the rows that they are tested on."""

    metric: Metric
    weights: Floats
    folds: list[_Fold]
    truth: Any
    fold: Ints
    cluster: Ints
    priors: Floats | None
    n_jobs: int | None


class _Tested(NamedTuple):
    """Columns whose values were permuted together, how much the metric suffers, and its interval.

    ``rise`` and ``carries`` are by the loss that decides whether the columns carry signal.
    """

    part: Ints
    fall: float
    low: float
    high: float
    rise: float
    carries: bool


def _prepare(
    race: Race, metric: Metric, weights: dict[str, float], points: Floats, truth: Any, enough: int, settings: Settings
) -> _Bench:
    """Train the learners outside as few folds as have enough rows."""
    rng = np.random.default_rng([settings.random_state, _STREAM])
    tested = np.unique(race.fold)
    n_folds = int(np.clip(np.ceil(enough * len(tested) / len(race.row)), 1, len(tested)))
    own, rest, most = [], [], _MOST_TESTED if n_folds > 1 else max(enough, _ENOUGH_TESTED)
    for number in tested[:n_folds]:
        own.append(_draw(np.flatnonzero(race.unit_fold == number), most // n_folds, rng))
        rest.append(race.unit[_draw(np.flatnonzero(race.unit_fold != number), _MOST_TRAINED, rng)])
    n_classes = None if race.y is not None else int(truth.max()) + 1
    tasks = [(race.learners[name], points[rows], truth[rows], n_classes) for rows in rest for name in weights]
    trained = run_tasks(_fit, tasks, n_jobs=settings.n_jobs)
    folds = [
        _Fold([next(trained) for _ in weights], points[race.unit[rows]], rng.permutation(len(rows))) for rows in own
    ]
    rows = np.concatenate(own)
    place = np.searchsorted(np.flatnonzero(np.isin(race.unit_fold, tested)), rows)  # among the tested rows
    fold, truth = np.repeat(np.arange(n_folds), [len(each) for each in own]), truth[race.unit[rows]]
    return _Bench(
        metric, np.array(list(weights.values())), folds, truth, fold, race.cluster[place], race.priors, settings.n_jobs
    )


def _draw(rows: Ints, most: int, rng: np.random.Generator) -> Ints:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _fit(learner: Any, X: Floats, truth: Any, n_classes: int | None) -> Callable[[Floats], Floats]:
    with one_openmp_thread():
        return fit_numbers(learner, X, truth) if n_classes is None else fit_classes(learner, X, truth, n_classes)


def _predict(fold: _Fold, parts: Sequence[np.ndarray]) -> Floats:
    """Return the learners' predictions for each part, whose columns get the values of other rows."""
    rows = np.repeat(fold.rows[None], len(parts), axis=0)
    for own, part in zip(rows, parts, strict=True):
        own[:, part] = fold.rows[fold.order][:, part]
    with one_openmp_thread():
        found = np.stack([predict(rows.reshape(-1, rows.shape[2])) for predict in fold.predict], axis=1)
    return found.reshape(len(parts), len(fold.rows), *found.shape[1:])


def _test(bench: _Bench, parts: list[Ints], column: Ints, n_features: int) -> Iterator[_Tested]:
    """Permute the values of each part's columns, and compare the losses."""
    if not parts:
        return
    marks = [np.isin(column, part) for part in parts]
    at_once = max(1, _AT_ONCE // max(len(fold.rows) for fold in bench.folds))
    chunks = [[np.zeros(len(column), dtype=bool)]]  # first the rows as they are
    chunks += [marks[start : start + at_once] for start in range(0, len(marks), at_once)]
    made = run_tasks(_predict, [(fold, chunk) for chunk in chunks for fold in bench.folds], n_jobs=bench.n_jobs)
    whole = (np.concatenate([next(made) for _ in bench.folds], axis=1) for _ in chunks)
    (first,) = next(whole)
    mix = _mixer(bench, first)
    judge = BRIER if bench.metric.of_errors else bench.metric  # errors are a coarse measure of what a model knows
    before = {metric: _losses(bench, metric, mix(first)) for metric in (bench.metric, judge)}
    for part, predicted in zip(parts, (one for each in whole for one in each), strict=True):
        mixed = mix(predicted)
        ends = {
            metric: _ends(metric, before[metric], _losses(bench, metric, mixed), bench.cluster, n_features)
            for metric in before
        }
        yield _Tested(part, *ends[bench.metric], ends[judge][0], ends[judge][1] > 0)


def _ends(metric: Metric, before: Floats, after: Floats, cluster: Ints, n_features: int) -> tuple[float, float, float]:
    """Return how much a metric gets worse, and the ends of an interval that holds together with those of others."""
    risen = unit_means(after - before, cluster)
    n, middle = len(risen), float(risen.mean())
    level = 1 - (1 - LEVEL) / n_features
    far = two_sided(level, n - 1) * float(risen.std(ddof=1)) / np.sqrt(n) if n > 1 else np.inf
    ends = metric.shown(np.maximum(before.mean() + np.array([middle, middle - far, middle + far]), 0.0))
    fall, low, high = (ends - metric.shown(before.mean())).tolist()
    return fall, low, high


def _mixer(bench: _Bench, first: Floats) -> Callable[[Floats], Floats]:
    """Return what blends predictions as the race does, calibrated on those of the rows as they are."""
    if first.ndim == 2:
        middle = bench.truth.mean() - (first @ bench.weights).mean()
        return lambda found: middle + found @ bench.weights
    factors = [temperatures(each, bench.truth, bench.fold) for each in first.swapaxes(0, 1)]

    def logs(found: Floats) -> Floats:
        each = zip(found.swapaxes(0, 1), factors, bench.weights, strict=True)
        return np.sum(
            [weight * np.log(posterior_of(scores, factor[:, None])) for scores, factor, weight in each], axis=0
        )

    last = temperatures(logs(first), bench.truth, bench.fold)
    return lambda found: posterior_of(logs(found), last[:, None])


def _losses(bench: _Bench, metric: Metric, predicted: Floats) -> Floats:
    if bench.priors is None:
        return metric.losses(predicted, bench.truth, bench.fold)
    weight = class_weights(bench.priors, bench.truth)
    return weighted_losses(metric.losses(for_priors(predicted, weight), bench.truth, bench.fold), bench.truth, weight)
