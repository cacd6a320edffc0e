"""The user's model by its score: told, or measured on predictions or by cross-validation on the race's folds."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import GOOD, Answer
from bayesfloor.answer._metrics import LEAST_CHANCE, NUMBERS
from bayesfloor.decide._gap import AT, BELOW, NOT_SHOWN, ROOM, Gap
from bayesfloor.floor._sample import Sample
from bayesfloor.formulas._limits import lower_limit, two_sided, unit_means, upper_limit, weighted_losses
from bayesfloor.io._data import Data
from bayesfloor.io._labels import as_label_array
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._parameters import take_rows
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints

_LEVEL = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class ModelScore(Result):
    """A model's score compared with what is possible.

    Attributes
    ----------
    metric : the metric of the comparison.
    score, low, high : the model's score and its 95 % interval; ``low`` is the worse end.
    n_rows : number of rows on which it was measured; 0 if that is not known.
    word : "room to improve" if even the better end is worse than what a learner was shown to reach, "below the floor"
        if even the worse end is better than the other end of the range, "at the floor" if the model reaches the best
        estimate and the range has both ends, else "no room shown".
    loss, std_error : the same as a loss, and its standard error.
    behind, behind_error : how much more the model loses than the best learner on the same rows, and the standard error
        of this difference; NaN if the rows differ.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> X, y = load_wine(return_X_y=True)
    >>> bayesfloor.check(X, y, accuracy=0.85, n_test=200, effort="quick").model_score.word
    'room to improve'
    """

    metric: str
    score: float
    low: float
    high: float
    n_rows: int
    word: str
    loss: float
    std_error: float
    behind: float = np.nan
    behind_error: float = np.nan


class Predicted(NamedTuple):
    """Predictions for some rows: their numbers, and a label or number for each; probabilities where a model has them.

    ``number`` is that of a row in the whole input, and ``place`` the one in the data that were read.
    """

    number: Ints
    place: Ints
    labels: np.ndarray
    posterior: Floats | None = None


class OwnModel(NamedTuple):
    """The user's model as it was given: an estimator, or its accuracy or score on ``n_test`` rows."""

    model: Any = None
    accuracy: float | None = None
    score: float | None = None
    n_test: int | None = None


def check_model(own: OwnModel, predictions: Any) -> None:
    """Raise, before the work starts, unless at most one model was given, in a form that can be used."""
    model, _, _, n_test = own
    given = {"predictions": predictions, **own._asdict()}
    named = [name for name, value in given.items() if value is not None and name != "n_test"]
    if len(named) > 1:
        raise InputError(f"Got {' and '.join(named)}, but expected one of them: they describe the same model.")
    if model is not None and not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise InputTypeError(f"Got {model!r} as model, but expected a scikit-learn estimator with fit and predict.")
    if n_test is None:
        return
    if not {"accuracy", "score"} & set(named):
        raise InputError("Got n_test without accuracy or score, but expected both: it is the number of tested rows.")
    if not isinstance(n_test, Integral) or isinstance(n_test, bool) or n_test < 1:
        raise InputError(f"Got n_test={n_test!r}, but expected the number of rows that the model was tested on.")


def told_score(asked: Answer, of_errors: Answer | None, own: OwnModel) -> ModelScore | None:
    """Compare a score that was told; its interval is that of ``n_test`` rows, or the score counts as exact.

    An accuracy is compared with the answer for errors, which numbers do not have, and a score with the one asked for.
    """
    if own.accuracy is None and own.score is None:
        return None
    answer: Answer | None = asked if own.accuracy is None else of_errors
    if answer is None:
        raise InputError("Got accuracy, but y holds numbers: pass score, in the unit of the metric, such as score=0.8.")
    name, told = ("score", own.score) if own.accuracy is None else ("accuracy", own.accuracy)
    answer.of.check_target(told, name)
    loss, n_test = answer.of.loss(float(told or 0)), own.n_test
    if answer.of.of_errors and n_test:
        low, high = (float(limit(loss * n_test, n_test, (1 + _LEVEL) / 2)) for limit in (lower_limit, upper_limit))
        std_error = float(np.sqrt(loss * (1 - loss) / n_test))
    else:
        # Losses vary from row to row about as much as those of the best learner.
        of_row = answer.std_errors.get(answer.best, 0.0) * np.sqrt(answer.n_rows) if n_test else 0.0
        std_error = float(of_row / np.sqrt(n_test or 1))
        low, high = (loss + way * two_sided(_LEVEL) * std_error for way in (-1, 1))
    return _compared(answer, loss, (max(low, 0.0), high), int(n_test or 0), std_error)


def score_of_gap(answer: Answer, gap: Gap, behind: tuple[float, float]) -> ModelScore:
    """Return the score of a model that was compared by its errors."""
    whole = gap.overall
    std_error = (whole.high - whole.low) / (2 * two_sided(gap.level))
    score, low, high = (1 - each for each in (whole.error, whole.high, whole.low))
    return ModelScore(answer.metric, score, low, high, whole.n_rows, whole.word, whole.error, std_error, *behind)


def score_of_losses(answer: Answer, losses: Floats, cluster: Ints, number: Ints) -> ModelScore:
    """Compare losses on some rows; ``cluster`` says which rows belong together."""
    shown = answer.of.shown
    value = unit_means(losses, cluster)
    reach = two_sided(_LEVEL, len(value) - 1) * value.std(ddof=1) / np.sqrt(len(value))
    mean = float(value.mean())
    ends = float(shown(max(mean - reach, 0.0))), float(shown(mean + reach))
    std_error = (ends[1] - ends[0]) / (2 * two_sided(_LEVEL))
    return _compared(answer, float(shown(mean)), ends, len(losses), std_error, behind_best(answer, losses, number))


def behind_best(answer: Answer, losses: Floats, number: Ints) -> tuple[float, float]:
    """Return how much more a model loses than the best learner on the same rows, and the standard error of that."""
    race = answer.evidence()
    if not answer.best or len(np.unique(race.row)) < len(race.row) or len(np.unique(number)) < len(number):
        return np.nan, np.nan
    _, own, raced = np.intersect1d(number, race.row, return_indices=True)
    if len(raced) < 2:
        return np.nan, np.nan
    best = race.losses[answer.metric][answer.best][-1][raced]
    value = unit_means(losses[own] - best, race.cluster[raced])
    ends = best.mean() + value.mean(), best.mean()
    # Roots and other shown values: a difference of losses times their slope.
    slope = float(np.diff(answer.of.shown(np.array(ends)))[0] / np.diff(ends)[0]) if ends[0] != ends[1] else 1.0
    return float(value.mean() * slope), float(value.std(ddof=1) / np.sqrt(len(value)) * slope)


def _compared(
    answer: Answer,
    loss: float,
    ends: tuple[float, float],
    n_rows: int,
    std_error: float,
    behind: tuple[float, float] = (np.nan, np.nan),
) -> ModelScore:
    best, worst = ends
    word = NOT_SHOWN
    if best > answer.upper:
        word = ROOM
    elif worst < np.nan_to_num(answer.useful_lower):
        word = BELOW
    elif loss <= answer.estimate and (answer.reliability == GOOD or not answer.of.of_errors):
        word = NOT_SHOWN if np.isnan(answer.useful_lower) else AT
    score, low, high = (float(answer.of.score(each)) for each in (loss, worst, best))
    return ModelScore(answer.metric, score, low, high, n_rows, word, loss, std_error, *behind)


def cross_predict(model: Any, data: Data, sample: Sample, answer: Answer) -> Predicted:
    """Train a model on the rows outside each fold of the race, as the user gave them, and predict the fold."""
    from sklearn.base import clone

    race, X = answer.evidence(), data.native
    number = sample.row[race.unit]
    if len(np.unique(number)) < len(number):
        raise InputError("Got model and several labels for a row, but expected one label for each. Pass predictions.")
    place = number if data.drawn is None else np.searchsorted(data.drawn, number)
    y = data.y if data.task == NUMBERS else as_label_array(data.y)
    parts: list[tuple[Ints, np.ndarray, Floats | None, Any]] = []
    for fold in np.unique(race.fold).tolist():
        train, test = place[race.unit_fold != fold], np.flatnonzero(race.unit_fold == fold)
        try:
            fitted = clone(model).fit(take_rows(X, train), np.array(y[train].tolist()))
            rows = take_rows(X, place[test])
            able = data.task != NUMBERS and hasattr(fitted, "predict_proba")
            posterior = fitted.predict_proba(rows) if able else None
            parts.append((test, np.asarray(fitted.predict(rows)), posterior, getattr(fitted, "classes_", None)))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"The model could not be cross-validated: {error}. Expected one that accepts these rows as they are, "
                "such as a pipeline that prepares them; or pass its predictions."
            ) from error
    units = np.concatenate([part[0] for part in parts])
    labels = np.concatenate([part[1] for part in parts])
    posterior = None
    if all(part[2] is not None for part in parts):
        posterior = np.concatenate([_in_order(*part[2:], sample.classes) for part in parts])
    return Predicted(number[units], place[units], labels, posterior)


def _in_order(posterior: Any, own: Any, classes: np.ndarray) -> Floats:
    """Return probabilities with a column for each class of the data; a class that a model has not seen has none."""
    column = {label: k for k, label in enumerate(classes.tolist())}
    found = np.full((len(posterior), len(classes)), LEAST_CHANCE)
    found[:, [column[label] for label in np.asarray(own).tolist()]] = np.maximum(posterior, LEAST_CHANCE)
    return found


def losses_of(answer: Answer, predicted: Predicted) -> tuple[Floats, Ints] | None:
    """Return a model's losses on the race's rows by the answer's metric, and their numbers; None without probabilities.

    These rows come in the order of the race.
    """
    race = answer.evidence()
    place = np.argsort(predicted.number)[np.searchsorted(np.sort(predicted.number), race.row)]
    given: Any = predicted.labels if race.y is not None else predicted.posterior
    if given is None:
        return None
    truth: Any = race.codes if race.y is None else race.y
    losses = answer.of.losses(given[place], truth, race.fold)
    return (losses if race.priors is None else weighted_losses(losses, race.codes, race.weight)), race.row
