"""The race: learners are trained on growing parts of each fold's training rows, tested on the fold, and blended.

One race serves all metrics, for classes and for numbers: it keeps a loss per learner, training size and row.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bayesfloor.answer._learners import BLEND, REGISTRY, Learner, Size, budget
from bayesfloor.answer._metrics import ACCURACY, BRIER, LEAST_CHANCE, METRICS, Metric
from bayesfloor.answer._number_learners import REGRESSORS, forest_of_100, stack
from bayesfloor.formulas._limits import class_weights, effective_count, weighted_losses
from bayesfloor.support._results import Shown
from bayesfloor.support._tasks import (
    Progress,
    ignoring,
    one_blas_thread,
    one_openmp_thread,
    run_tasks,
)
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many

logger = logging.getLogger(__name__)

N_FOLDS = 5
PARTS = (0.125, 0.25, 0.5, 1.0)  # fractions of the training rows; the last is eight times the first
# Rows to test: an error of 3 % is then measured to within 0.7, 0.6 and 0.4 percentage points (95 %).
ENOUGH_TESTED = {"quick": 2000, "normal": 3500, "thorough": 8000}
_ENOUGH_OF_CLASS = 100  # rows of the rarest class to test, if classes count equally
_LOW = -30.0  # score of a class that was missing from the training rows
# After this part of the rows, learners whose error is this many times the best, with less weight than this, drop out.
_JUDGED_AT, _BEHIND, _LITTLE = 0.25, 1.15, 0.05
_FAR_BEHIND = "far behind other learners on a quarter of the rows"
_TEMPERATURES = np.geomspace(0.05, 20, 22)
_MOST_NUMBERS = 100_000  # log probabilities of a learner from which weights are chosen
_STEPS = 30
OUTSIDE = 0.25  # how far predicted numbers may be outside the span of those seen, relative to it


@dataclass(frozen=True, eq=False, repr=False)
class Race(Shown):
    """Out-of-fold results of all learners.

    Attributes
    ----------
    row, codes, fold, cluster : number, class, fold and cluster of each tested row; rows that belong together, such as
        those of a group, share a cluster. Numbers were cut into ten classes.
    n_train : number of training rows at each training size; the last is all rows outside the fold.
    parts : the same as fractions of the last.
    looks : the number of training sizes at which the race might have ended, having seen the losses.
    losses : for each metric and learner, the losses by training size and row; NaN at training sizes at which the
        learner was not trained: too few rows, or it had dropped out. With priors, losses are weighted, so that plain
        means are those for the priors.
    predicted : for each learner, what it predicts after training on all rows outside a row's fold: the posterior of
        every row, with priors for these, or a number.
    left_out : learners that did not run, and why.
    priors : the class proportions that errors are for, or None for those of the rows.
    y : the number of each tested row; None if there are classes.
    unit, unit_fold : each row in the race, tested or not, as its place among the rows that learners see, and its fold;
        those of a fold that was not tested are in all training sets.
    learners : the learners that were trained on all rows outside a fold, not fitted.
    shares : the blend's mean weight of each learner.
    factors : for classes, the mean factor by which each learner's scores were turned into posteriors.
    seconds : CPU seconds that each learner took to predict 1,000 rows, trained on all rows outside a fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> race = found.answer.evidence()
    >>> len(race.row)
    150
    """

    row: Ints
    codes: Ints
    fold: Ints
    cluster: Ints
    n_train: Ints
    losses: dict[str, dict[str, Floats]]
    predicted: dict[str, Floats]
    left_out: dict[str, str]
    priors: Floats | None = None
    y: Floats | None = None
    unit: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    unit_fold: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    learners: dict[str, Any] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    parts: tuple[float, ...] = PARTS
    looks: int = 1

    def _summary(self) -> str:
        sizes = how_many(len(self.n_train), "training size")
        return f"{len(self.row):,} rows, {how_many(len(self.predicted), 'learner')}, {sizes}"

    @property
    def main(self) -> str:
        """The metric by which learners drop out: the first."""
        return next(iter(self.losses))

    def means(self, metric: str) -> dict[str, float]:
        """Return the cross-validated mean loss of each learner."""
        return {name: float(self.losses[metric][name][-1].mean()) for name in self.predicted}

    @cached_property
    def weight(self) -> Floats:
        """Weight of the rows of each class."""
        return class_weights(self.priors, self.codes)

    def n_independent(self, name: str) -> float:
        """Return how many independent rows would give as much information on a learner's error as these rows."""
        losses = self.losses.get(ACCURACY.name, {})
        if name not in losses:
            return float(len(np.unique(self.cluster)) / self.weight.max())
        return effective_count(losses[name][-1], self.cluster, heaviest=self.weight.max())

    @property
    def curves(self) -> list[str]:
        """Learners that could be trained at every training size."""
        return [name for name in self.predicted if not np.isnan(self.losses[self.main][name]).any()]


def choose_learners(
    size: Size, random_state: int, heaviest: float = 1.0, registry: Mapping[str, Learner] = REGISTRY
) -> tuple[dict[str, Any], dict[str, str]]:
    """Choose the registered learners that fit the effort's budget; return them and the reasons to leave out the others.

    The budget is a multiple of the cost of cross-validating a random forest on data of this size, so the choice is
    the same on every machine. Cheap learners are chosen first. ``heaviest`` is the largest weight of a row.
    """
    forest = forest_of_100(_training(size)) if registry is REGRESSORS else None
    left = budget(_training(size), N_FOLDS, forest)
    chosen, left_out = {}, {}
    costs = {name: _cost(learner, size, heaviest) for name, learner in registry.items()}
    for name in sorted(registry, key=lambda name: (not registry[name].first, costs[name])):
        if not registry[name].suits(_training(size)):
            left_out[name] = "too many rows or columns for this learner"
        elif costs[name] > left:
            left_out[name] = f"too slow on these data for effort={size.effort!r}"
        else:
            chosen[name], left = registry[name].make(size, random_state), left - costs[name]
    return chosen, left_out


def heaviest_row(codes: Ints, priors: Floats | None, effort: str, *, evenly: bool) -> float:
    """Return the largest weight of a row: with priors, or if classes count equally and the rarest needs enough rows."""
    heaviest = float(class_weights(priors, codes).max())
    if not evenly:
        return heaviest
    sizes = np.bincount(codes)
    return max(heaviest, _ENOUGH_OF_CLASS * len(codes) / float(sizes[sizes > 0].min()) / ENOUGH_TESTED[effort])


def _cost(learner: Learner, size: Size, heaviest: float) -> float:
    """Return the estimated seconds that a learner takes in a race."""
    n_folds = n_tested_folds(int(size.n_rows) / heaviest, size.effort)
    return n_folds * sum(learner.cost(_training(size, part)) for part in PARTS)


def _training(size: Size, part: float = 1.0) -> Size:
    return size._replace(n_rows=part * size.n_rows * (N_FOLDS - 1) / N_FOLDS)


def run_race(
    X: Floats,
    codes: Ints,
    cluster: Ints,
    learners: dict[str, Any],
    effort: str,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    exact: Any = None,
    see_exact: Collection[str] = (),
    priors: Floats | None = None,
    metrics: Sequence[Metric] = (ACCURACY,),
    y: Floats | None = None,
    heaviest: float = 1.0,
) -> Race:
    """Train every learner on growing fractions of the rows outside each fold, and test it on the fold.

    Learners named in ``see_exact`` use ``exact`` instead of ``X``. With ``priors``, posteriors are shifted and losses
    weighted to these class proportions; learners are trained on the rows as they are. With ``y``, learners predict
    numbers, and ``codes`` only spread them over the folds. ``heaviest`` is the largest weight of a row.
    """
    # Each tested fold has one order of all other rows; its first rows are the smaller training sets.
    n_equal = len(np.unique(cluster)) / max(heaviest, class_weights(priors, codes).max())
    fold, n_folds = deal_folds(codes, cluster, rng), n_tested_folds(n_equal, effort)
    orders = []
    for number in range(min(n_folds, int(fold.max()) + 1)):
        rest = np.flatnonzero(fold != number)
        orders.append(rest[nested_order(codes[rest], cluster[rest], rng)])
    tested = np.flatnonzero(fold < len(orders))
    sizes = np.array([round(float(np.mean([part * len(order) for order in orders]))) for part in PARTS])
    of_classes = (ACCURACY, BRIER) if y is None else ()  # every answer for classes rests on these
    losses: dict[str, dict[str, Floats]] = {metric.name: {} for metric in (*of_classes, *metrics)}
    numbers = None if y is None else y[tested]
    race = Race(tested, codes[tested], fold[tested], cluster[tested], sizes, losses, {}, {}, priors, numbers)
    truth = codes if y is None else y
    racing, dropped = learners, dict[str, str]()
    # Warnings about convergence and collinearity do not matter: a poor learner just loses the race.
    with one_blas_thread(), ignoring():
        for number, part in enumerate(PARTS):
            nested = [order[: max(1, round(part * len(order)))] for order in orders]
            tasks = [
                (exact if name in see_exact else X, truth, fold, *training, learner)
                for name, learner in reversed(racing.items())  # the dearest first, so that threads end together
                for training in enumerate(nested)
            ]
            stage = f"cross-validating on {100 * part:g} % of the rows"
            found = list(
                run_tasks(
                    _score_classes if y is None else _predict_numbers,
                    tasks,
                    n_jobs=n_jobs,
                    progress=progress,
                    stage=stage,
                    total=len(tasks),
                )
            )
            # One list of folds for each learner, in the order of the tasks.
            each = [found[start : start + len(orders)] for start in range(0, len(found), len(orders))]
            weights = add_part(race, number, dict(zip(racing, reversed(each), strict=True)))
            if part == _JUDGED_AT:
                dropped = dict.fromkeys(_learners_to_drop(race, number, weights), _FAR_BEHIND)
                racing = {name: learner for name, learner in racing.items() if name not in dropped}
    race.left_out.update(dropped)
    trained = {name: learner for name, learner in racing.items() if name in race.predicted}
    return replace(race, unit=np.arange(len(fold)), unit_fold=fold, learners=trained, shares=weights)


def _learners_to_drop(race: Race, number: int, weights: dict[str, float]) -> list[str]:
    """Return the registered learners that are clearly worse than the best and add next to nothing to the blend.

    Learners of at least two kinds stay in the race, since a single kind is no confirmation.
    """
    registry, losses = REGISTRY if race.y is None else REGRESSORS, race.losses[race.main]
    errors = {name: float(losses[name][number].mean()) for name in race.predicted if name in registry}
    worse = _BEHIND * min(errors.values(), default=0.0)
    behind = [name for name, error in errors.items() if error > worse and weights.get(name, 0.0) < _LITTLE]
    left = {registry[name].kind for name in errors if name not in behind}
    return behind if len(left) > 1 else []


def add_part(race: Race, number: int, found: dict[str, list[Any]]) -> dict[str, float]:
    """Add the losses at one training size for all trained learners and the blend; return the blend's weights."""
    for of_before in (race.predicted, race.left_out, race.seconds):
        of_before.clear()
    for name, folds in found.items():
        failed = next((each for each in folds if isinstance(each, str)), None)
        if failed is not None:
            race.left_out[name] = failed
            continue
        whole = np.empty((len(race.codes), *folds[0][0].shape[1:]))
        for fold, (each, _) in enumerate(folds):
            whole[race.fold == fold] = each
        race.seconds[name] = 1000 * sum(seconds for _, seconds in folds) / len(whole)
        race.predicted[name] = whole if race.y is not None else _posterior(race, name, whole)
    # A learner that joined late would bend the blend's learning curve.
    members = [name for name in race.predicted if number == 0 or _trained_at_all_smaller_sizes(race, name, number)]
    weights = dict[str, float]()
    if len(members) > 1:
        each = [race.predicted[name] for name in members]
        if race.y is None:
            mixed, shares = blend(each, race.codes, race.fold, race.weight)
        else:
            mixed, shares = stack(each, race.y, halves_if_one(race.fold))
        race.predicted[BLEND], weights = mixed, dict(zip(members, shares.tolist(), strict=True))
    truth = race.codes if race.y is None else race.y
    for name, predicted in race.predicted.items():
        for metric, losses in race.losses.items():
            loss = METRICS[metric].losses(predicted, truth, race.fold)
            own = loss if race.priors is None else weighted_losses(loss, race.codes, race.weight)
            losses.setdefault(name, np.full((len(race.parts), len(race.codes)), np.nan))[number] = own
    return weights


def _posterior(race: Race, name: str, scores: Floats) -> Floats:
    """Return calibrated probabilities, with priors for these: calibration is for the rows as they are."""
    part = halves_if_one(race.fold)
    factors = _choose_factors(scores, race.codes, part)
    race.factors[name] = float(np.exp(np.log(factors).mean()))
    eta = posterior_of(scores, factors[part, None])
    return eta if race.priors is None else for_priors(eta, race.weight)


def for_priors(posterior: Floats, weight: Floats) -> Floats:
    """Return posteriors if a row of each class counts by its weight."""
    shifted = posterior * weight[: posterior.shape[1]]
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def _trained_at_all_smaller_sizes(race: Race, name: str, number: int) -> bool:
    losses = race.losses[race.main]
    return name in losses and not np.isnan(losses[name][:number]).any()


def _predict_numbers(X: Any, y: Floats, fold: Ints, number: int, rows: Ints, learner: Any) -> Any:
    """Return the predictions for a fold's rows and their CPU seconds, or why the learner could not be trained."""
    return _train(lambda: fit_numbers(learner, X[rows], y[rows]), X[fold == number], learner)


def _score_classes(X: Any, codes: Ints, fold: Ints, number: int, rows: Ints, learner: Any) -> Any:
    """Return the scores of a fold's rows and their CPU seconds, or why the learner could not be trained."""
    n_classes = int(codes.max()) + 1
    return _train(lambda: fit_classes(learner, X[rows], codes[rows], n_classes), X[fold == number], learner)


def _train(train: Callable[[], Callable[[Any], Floats]], tested: Any, learner: Any) -> Any:
    """Return what a trained learner predicts for rows and the CPU seconds of that, or why it could not be trained."""
    with one_openmp_thread():
        try:
            predict = train()
            start = time.thread_time()
            return predict(tested), time.thread_time() - start
        except (ValueError, np.linalg.LinAlgError) as error:
            logger.info("left out %s: %s", type(learner).__name__, error)
            return f"could not be trained: {str(error).splitlines()[0]}"


def fit_numbers(learner: Any, X: Any, y: Floats) -> Callable[[Any], Floats]:
    """Train a copy of a learner, and return what predicts the numbers of rows.

    Learners see numbers of mean 0 and spread 1, and a prediction is never far outside of what was seen.
    """
    from sklearn.base import clone

    middle, spread = float(y.mean()), float(y.std()) or 1.0
    model, reach = clone(learner).fit(X, (y - middle) / spread), OUTSIDE * (y.max() - y.min())

    def predict(rows: Any) -> Floats:
        return np.clip(np.nan_to_num(model.predict(rows)) * spread + middle, y.min() - reach, y.max() + reach)

    return predict


def fit_classes(learner: Any, X: Any, codes: Ints, n_classes: int) -> Callable[[Any], Floats]:
    """Train a copy of a learner, and return what scores rows for all classes, also for those it has not seen."""
    from sklearn.base import clone

    model = clone(learner).fit(X, codes)

    def score(rows: Any) -> Floats:
        found = np.nan_to_num(class_scores(model, rows))
        out = np.full((len(found), n_classes), _LOW)
        out[:, model.classes_] = found[:, : len(model.classes_)]  # at least two columns, even for a single class
        return out

    return score


def deal_folds(codes: Ints, cluster: Ints, rng: np.random.Generator, n_folds: int = N_FOLDS) -> Ints:
    """Return each row's fold; a cluster stays in one fold, and classes are spread as evenly as clusters allow.

    Clusters are sorted by their most frequent class, shuffled within each class and dealt like cards, so that no two
    folds differ by more than one cluster of a class.
    """
    n_clusters, number = _number(cluster)
    order = np.lexsort((rng.random(n_clusters), _main_class(codes, number, n_clusters)))
    fold = np.empty(n_clusters, dtype=np.int64)
    fold[order] = (np.arange(n_clusters) + rng.integers(n_folds)) % n_folds
    return np.unique(fold, return_inverse=True)[1][number]  # fewer folds if there are fewer clusters


def _main_class(codes: Ints, number: Ints, n_clusters: int) -> Ints:
    """Return the most frequent class of each cluster."""
    if n_clusters == len(codes):  # votes of single rows would fill memory for nothing
        return codes[np.argsort(number)]
    votes = np.zeros((n_clusters, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(votes, (number, codes), 1)
    return np.asarray(votes.argmax(axis=1))


def n_tested_folds(n_clusters: float, effort: str) -> int:
    """Return the number of folds to test: all if there are few rows (or groups of rows), and one if there are many.

    Rows of different weight count as fewer: a rare class may have hardly any in a fold.
    """
    return int(np.clip(np.ceil(ENOUGH_TESTED[effort] * N_FOLDS / n_clusters), 1, N_FOLDS))


def nested_order(codes: Ints, cluster: Ints, rng: np.random.Generator) -> Ints:
    """Order rows so that any number of first rows keeps the class proportions and does not split clusters."""
    n_clusters, number = _number(cluster)
    first = np.empty(n_clusters, dtype=np.int64)
    first[number[::-1]] = codes[::-1]
    key = np.empty(n_clusters)
    for code in np.unique(first):
        members = rng.permutation(np.flatnonzero(first == code))
        key[members] = (np.arange(len(members)) + rng.random()) / len(members)
    return np.lexsort((number, key[number]))


def _number(cluster: Ints) -> tuple[int, Ints]:
    names, number = np.unique(cluster, return_inverse=True)
    return len(names), number


def class_scores(model: Any, X: Floats) -> Floats:
    """Return log probabilities or decision values per class; for a model with neither, return zeros and ones."""
    if hasattr(model, "predict_proba"):
        return np.log(np.maximum(model.predict_proba(X), 1e-9))
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return (model.predict(X)[:, None] == model.classes_).astype(np.float64)


def calibrate(scores: Floats, codes: Ints, fold: Ints, weight: Floats | None = None) -> Floats:
    """Return probabilities: a softmax of the scores times a factor chosen by the log loss on the other folds.

    This is temperature scaling (Guo et al. 2017); each fold's factor is chosen without that fold's labels. If only one
    fold was tested, its two halves are used as folds. The class with the highest score does not change.
    """
    return posterior_of(scores, temperatures(scores, codes, fold, weight)[:, None])


def temperatures(scores: Floats, codes: Ints, fold: Ints, weight: Floats | None = None) -> Floats:
    """Return the factor of each row's scores that has the lowest log loss on the other folds."""
    part = halves_if_one(fold)
    return _choose_factors(scores, codes, part, weight)[part]


def posterior_of(scores: Floats, factor: Any) -> Floats:
    """Return the softmax of the scores times a factor; no class is impossible."""
    chances = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)))
    return np.clip(chances / chances.sum(axis=1, keepdims=True), LEAST_CHANCE, 1.0)


def _choose_factors(scores: Floats, codes: Ints, part: Ints, weight: Floats | None = None) -> Floats:
    """Return for each part the factor with the lowest log loss on the others."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    own = shifted[np.arange(len(codes)), codes]
    # The log loss of each part under each factor; the highest score of each row is 0, so that nothing overflows.
    losses = (np.log(np.exp(factor * shifted).sum(axis=1)) - factor * own for factor in _TEMPERATURES)
    loss = np.stack([np.bincount(part, each if weight is None else each * weight[codes]) for each in losses])
    return np.asarray(_TEMPERATURES[(loss.sum(axis=1, keepdims=True) - loss).argmin(axis=0)])


def halves_if_one(fold: Ints) -> Ints:
    """Return the folds or, if only one was tested, its two halves."""
    return fold if fold.max() > 0 else np.arange(len(fold)) % 2


def blend(posteriors: list[Floats], codes: Ints, fold: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Return the softmax of a weighted sum of log posteriors, and each learner's mean weight.

    This is stacking (Wolpert 1992; Breiman 1996, with weights of at least 0) by log loss. Each fold's weights are
    chosen by the labels of the other folds, so the blend's errors can be counted like those of any learner. ``weight``
    is that of the rows of each class.
    """
    logs, part = np.log(np.stack(posteriors)), halves_if_one(fold)
    whole, weights = np.empty(logs.shape[1:]), []
    for number in np.unique(part):
        other, own = np.flatnonzero(part != number), part == number
        taken = other[:: max(1, len(other) * logs.shape[2] // _MOST_NUMBERS)]
        weights.append(_choose(logs[:, taken], codes[taken], weight[codes[taken]]))
        whole[own] = np.tensordot(weights[-1], logs[:, own], 1)
    return calibrate(whole, codes, fold, weight), np.mean(weights, axis=0)


def _choose(logs: Floats, codes: Ints, of_row: Floats) -> Floats:
    """Return the weights with the smallest log loss, a convex function of them."""
    from scipy.optimize import minimize

    n_learners, n_rows, _ = logs.shape
    own = (logs[:, np.arange(n_rows), codes] * of_row).mean(axis=1)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = np.tensordot(weights, logs, 1)
        top = scores.max(axis=1, keepdims=True)
        chances = np.exp(scores - top)
        total = chances.sum(axis=1, keepdims=True)
        chances /= total
        chances *= of_row[:, None]
        slope = np.tensordot(logs, chances, 2) / n_rows - own
        return float(((np.log(total) + top) * of_row[:, None]).mean() - weights @ own), slope

    start, least = np.full(n_learners, 1 / n_learners), [(0.0, None)] * n_learners
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=least, options={"maxiter": _STEPS})
    return np.asarray(found.x)
