"""The race: train learners on growing fractions of the rows and test them on held-out rows."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._progress import Progress, as_listener
from bayesfloor.engine._quiet import ignoring
from bayesfloor.engine._result import Shown
from bayesfloor.engine._shared_arguments import Held, holding
from bayesfloor.engine._show import how_many, percent, printable
from bayesfloor.engine._tasks import one_blas_thread, one_openmp_thread, run_tasks
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.formulas._confidence_limits import effective_count
from bayesfloor.learners._blend import blend
from bayesfloor.learners._calibrate import calibrate, class_scores
from bayesfloor.learners._folds import N_FOLDS, PARTS, deal_folds, n_tested_folds, nested_order
from bayesfloor.learners._registry import BLEND, REGISTRY, Size, budget, suits

logger = logging.getLogger(__name__)

_LOW = -30.0  # score of a class that was missing from the training rows
# After this part of the rows, learners whose error is this many times the best, with less weight than this, drop out.
_JUDGED_AT, _BEHIND, _LITTLE = 0.25, 1.15, 0.05
_FAR_BEHIND = "far behind other learners on a quarter of the rows"


@dataclass(frozen=True, eq=False, repr=False)
class Race(Shown):
    """Out-of-fold results of all learners.

    Attributes
    ----------
    row, codes, fold, cluster : number, class, fold and cluster of each tested row; rows that belong together, such as
        those of a group, share a cluster.
    n_train : number of training rows at each training size; the last is all rows outside the fold.
    wrong, brier : for each learner, by training size and row: whether it was wrong (0 or 1), and its Brier score; NaN
        at training sizes at which it was not trained: too few rows, or it had dropped out.
    eta : for each learner, the posterior of every row after training on all rows outside its fold.
    left_out : learners that did not run, and why.

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
    wrong: dict[str, Floats]
    brier: dict[str, Floats]
    eta: dict[str, Floats]
    left_out: dict[str, str]

    def _summary(self) -> str:
        best = min(self.errors.items(), key=lambda each: each[1], default=None)
        lowest = f", lowest error {percent(best[1])} % ({printable(best[0])})" if best else ""
        sizes = how_many(len(self.n_train), "training size")
        return f"{len(self.row):,} rows, {how_many(len(self.eta), 'learner')}, {sizes}{lowest}"

    @property
    def errors(self) -> dict[str, float]:
        """Cross-validated error of each learner."""
        return {name: float(self.wrong[name][-1].mean()) for name in self.eta}

    def n_independent(self, name: str) -> float:
        """Return how many independent rows would give as much information on a learner's error as these rows."""
        if name not in self.wrong:
            return float(len(np.unique(self.cluster)))
        return effective_count(self.wrong[name][-1], self.cluster)

    @property
    def curves(self) -> list[str]:
        """Learners that could be trained at every training size."""
        return [name for name in self.eta if not np.isnan(self.wrong[name]).any()]


def choose_learners(size: Size, random_state: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Choose the registered learners that fit the effort's budget; return them and the reasons to leave out the others.

    The budget is a multiple of the cost of cross-validating a random forest on data of this size, so the choice is
    the same on every machine. Cheap learners are chosen first.
    """
    left = budget(_training(size), N_FOLDS)
    chosen, left_out = {}, {}
    costs = {name: _cost(name, size) for name in REGISTRY}
    for name in sorted(REGISTRY, key=lambda name: (not REGISTRY[name].first, costs[name])):
        if not suits(name, size):
            left_out[name] = "too many columns for this learner"
        elif costs[name] > left:
            left_out[name] = f"too slow on these data for effort={size.effort!r}"
        else:
            chosen[name], left = REGISTRY[name].make(size, random_state), left - costs[name]
    return chosen, left_out


def _cost(name: str, size: Size) -> float:
    """Return the estimated seconds that a learner takes in a race."""
    n_folds = n_tested_folds(int(size.n_rows), size.effort)
    return n_folds * sum(REGISTRY[name].cost(_training(size, part)) for part in PARTS)


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
) -> Race:
    """Train every learner on growing fractions of the rows outside each fold, and test it on the fold.

    Learners named in ``see_exact`` use ``exact`` instead of ``X``.
    """
    fold, n_folds = deal_folds(codes, cluster, rng), n_tested_folds(len(np.unique(cluster)), effort)
    orders = []
    for number in range(min(n_folds, int(fold.max()) + 1)):
        rest = np.flatnonzero(fold != number)
        orders.append(rest[nested_order(codes[rest], cluster[rest], rng)])
    tested = np.flatnonzero(fold < len(orders))
    sizes = np.array([round(float(np.mean([part * len(order) for order in orders]))) for part in PARTS])
    race = Race(tested, codes[tested], fold[tested], cluster[tested], sizes, {}, {}, {}, {})
    racing, dropped = learners, dict[str, str]()
    # Warnings about convergence and collinearity do not matter: a poor learner just loses the race.
    with one_blas_thread(), ignoring(), holding(n_jobs) as hold:
        held = hold((X, codes, fold))
        held_exact = hold((exact, codes, fold)) if see_exact else held
        seen = {name: held_exact if name in see_exact else held for name in learners}
        for number, part in enumerate(PARTS):
            tasks = [
                (seen[name], fold_number, order[: max(1, round(part * len(order)))], learner, int(codes.max()) + 1)
                for name, learner in reversed(racing.items())  # the dearest first, so that threads end together
                for fold_number, order in enumerate(orders)
            ]
            stage = stage_of(part)
            found = list(run_tasks(_test, tasks, n_jobs=n_jobs, progress=progress, stage=stage, total=len(tasks)))
            each = [found[start : start + len(orders)] for start in range(0, len(found), len(orders))]
            weights = _add_part(race, number, dict(zip(racing, reversed(each), strict=True)))
            if race.eta:
                lowest = min(float(race.wrong[name][number].mean()) for name in race.eta)
                as_listener(progress).trained(lowest, int(sizes[number]))
            if part == _JUDGED_AT:
                dropped = dict.fromkeys(_far_behind(race, number, weights), _FAR_BEHIND)
                racing = {name: learner for name, learner in racing.items() if name not in dropped}
    race.left_out.update(dropped)
    return race


def stage_of(part: float) -> str:
    """Return the name of the stage that trains on this fraction of the rows."""
    return f"cross-validating on {100 * part:g} % of the rows"


def _far_behind(race: Race, number: int, weights: dict[str, float]) -> list[str]:
    """Return the registered learners that are clearly worse than the best and add next to nothing to the blend.

    Learners of at least two kinds stay in the race, since a single kind is no confirmation.
    """
    errors = {name: float(race.wrong[name][number].mean()) for name in race.eta if name in REGISTRY}
    worse = _BEHIND * min(errors.values(), default=0.0)
    behind = [name for name, error in errors.items() if error > worse and weights.get(name, 0.0) < _LITTLE]
    left = {REGISTRY[name].kind for name in errors if name not in behind}
    return behind if len(left) > 1 else []


def _add_part(race: Race, number: int, scores: dict[str, list[Any]]) -> dict[str, float]:
    """Add the losses at one training size for all trained learners and the blend; return the blend's weights."""
    race.eta.clear()
    race.left_out.clear()
    for name, folds in scores.items():
        failed = next((each for each in folds if isinstance(each, str)), None)
        if failed is not None:
            race.left_out[name] = failed
            continue
        whole = np.empty((len(race.codes), folds[0].shape[1]))
        for fold, each in enumerate(folds):
            whole[race.fold == fold] = each
        race.eta[name] = calibrate(whole, race.codes, race.fold)
    # A learner that joined late would bend the blend's learning curve.
    members = [name for name in race.eta if number == 0 or _ran(race, name, number)]
    weights = dict[str, float]()
    if len(members) > 1:
        mixed, found = blend([race.eta[name] for name in members], race.codes, race.fold)
        race.eta[BLEND], weights = mixed, dict(zip(members, found.tolist(), strict=True))
    for name, eta in race.eta.items():
        for losses, loss in (
            (race.wrong, eta.argmax(axis=1) != race.codes),
            (race.brier, brier_score(eta, race.codes)),
        ):
            losses.setdefault(name, np.full((len(PARTS), len(race.codes)), np.nan))[number] = loss
    return weights


def _ran(race: Race, name: str, number: int) -> bool:
    """Whether a learner could be trained at all smaller training sizes."""
    return name in race.wrong and not np.isnan(race.wrong[name][:number]).any()


def brier_score(eta: Floats, codes: Ints) -> Floats:
    """Return the squared distance of each row's posterior from its label."""
    return np.asarray(1 - 2 * eta[np.arange(len(codes)), codes] + (eta**2).sum(axis=1))


def _test(held: Held[tuple[Floats, Ints, Ints]], number: int, rows: Ints, learner: Any, n_classes: int) -> Any:
    """Return the scores of a fold's rows, or the reason why the learner could not be trained."""
    from sklearn.base import clone

    X, codes, fold = held.get()
    with one_openmp_thread():
        try:
            model = clone(learner).fit(X[rows], codes[rows])
            found = np.nan_to_num(class_scores(model, X[fold == number]))
        except (ValueError, np.linalg.LinAlgError) as error:
            logger.info("left out %s: %s", type(learner).__name__, error)
            return f"could not be trained: {str(error).splitlines()[0]}"
    out = np.full((len(found), n_classes), _LOW)
    out[:, model.classes_] = found[:, : len(model.classes_)]  # at least two columns, even for a single class
    return out
