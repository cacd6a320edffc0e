"""Choose a model: start with the cheapest and go up until the error is at the floor or no costlier model is better."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from bayesfloor.hierarchy._model_trial import Trial
from bayesfloor.hierarchy._models import ModelKind, Rung
from bayesfloor.hierarchy._node_floor import NodeFloor

_CLEAR = 1.28  # standard errors by which a costlier model must be better to be chosen
_LOSING = 0.5  # standard errors by which it may look worse and still be tested on another fold
_SETTLED = 2.5  # standard errors that settle a comparison without further folds
_HOPELESS = 1.5  # ratio of errors on few rows above which a model is not tried on more rows

AT_FLOOR = "at the floor"
BEATEN = "below the floor, so the floor is too high"
ROOM = "room to improve, but no costlier model is better"
NO_TIME = "out of time"


class Climbed(NamedTuple):
    """The chosen model, its cross-validated error, and the reason for the choice."""

    candidate: ModelKind
    error: float
    reason: str


def climb(trial: Trial, ladder: list[Rung], floor: NodeFloor, deadline: float) -> Climbed:
    """Climb the ladder of models and choose one.

    At the floor, the next rung is still tried on few rows. Otherwise a floor that is too high would stop the climb at
    a model that can be improved.
    """
    best, second, in_time = _pick(trial, ladder[0]), None, True
    trial.test(best, _folds(trial)[0], small=False)
    for rung in ladder[1:]:
        in_time = _time_left(deadline)
        if not in_time:
            break
        other = _pick(trial, rung)
        if not floor.shows_room(*trial.error(best)):
            if not _is_better(trial, other, best, small=True):
                break
        elif _is_hopeless(trial, other, best):
            continue
        won = _is_better(trial, other, best, small=False)
        best, loser = (other, best) if won else (best, other)
        second = loser if second is None else min(second, loser, key=lambda one: trial.error(one)[0])
    best = best if second is None else _blend(trial, best, second)
    return Climbed(best, trial.error(best)[0], _reason(trial, best, floor, in_time=in_time))


def _time_left(deadline: float) -> bool:
    return time.monotonic() < deadline


def _pick(trial: Trial, rung: Rung) -> ModelKind:
    """Return the best candidate of a rung on few rows of the first fold."""
    if len(rung.candidates) == 1:
        return rung.candidates[0]
    errors = [trial.test(candidate, 0, small=True).error for candidate in rung.candidates]
    return rung.candidates[int(np.argmin(errors))]


def _folds(trial: Trial) -> list[int]:
    """Return the order of folds: the first comes last, because candidates were picked on it, which favours them."""
    return [*range(1, trial.n_folds), 0]


def _is_hopeless(trial: Trial, other: ModelKind, best: ModelKind) -> bool:
    """Whether a model is so much worse on few rows that more rows will not make up for it."""
    if trial.is_small:
        return False
    first = _folds(trial)[:1]
    own, known = (trial.test(one, first[0], small=True).error for one in (other, best))
    return bool(own > _HOPELESS * known and trial.compare(other, best, first, small=True).z > _SETTLED)


def _is_better(trial: Trial, other: ModelKind, best: ModelKind, *, small: bool) -> bool:
    """Whether a costlier model is clearly better; uses more folds while it looks better but is not clearly so."""
    for last in range(trial.n_folds):
        z = trial.compare(other, best, _folds(trial)[: last + 1], small=small).z
        if z > _LOSING or z < -_SETTLED:
            break
    return z < -_CLEAR


def _blend(trial: Trial, best: ModelKind, second: ModelKind) -> ModelKind:
    """Return the blend of the best two if it is clearly better than the best alone, on folds that tested both."""
    both = ModelKind(f"{best.name} and {second.name}", parts=(best, second))
    folds = sorted({*trial.tested(best)} & {*trial.tested(second)})
    return both if trial.compare(both, best, folds, small=False).z < -_CLEAR else best


def _reason(trial: Trial, best: ModelKind, floor: NodeFloor, *, in_time: bool) -> str:
    error = trial.error(best)
    if floor.is_beaten(*error):
        return BEATEN
    if not floor.shows_room(*error):
        return AT_FLOOR
    return ROOM if in_time else NO_TIME
