"""The error budget: what of a model's error will stay, what more rows would bring, and what a better model would."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from bayesfloor.answer._answer import Answer, Basis
from bayesfloor.answer._forecast import LEVELS
from bayesfloor.answer._metrics import METRICS
from bayesfloor.decide._model_score import ModelScore
from bayesfloor.formulas._limits import lower_limit, two_sided, upper_limit
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import number_text, percent

_LEVEL = 0.95
_ENDS = ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)
_UNTOLD = 0.9  # parts whose intervals are wider than this fraction of what they share are one part
_FIFTH = 0.2  # of the rows: where the best learner is surest, errors are wrong labels rather than overlap
_WIDE, _SMALL = 0.9, 0.25  # of what will stay: wrong labels are told apart if their interval is narrow, or near zero
_SURE = 0.75  # mean probability of the surest predictions; if they are less sure, nothing is told apart
_FAR = 0.25  # of the error: if more rows would bring more than this, sure predictions may be wrong for lack of rows
_UNSTABLE = 1.3  # errors of trained models vary more than those of fixed ones, relative to the standard error
_FEW = 0.02  # of what will stay: less is not named


class PartName(StrEnum):
    """What a part of an error is called.

    Examples
    --------
    >>> from bayesfloor.decide import PartName
    >>> PartName("more rows") is PartName.ROWS
    True
    """

    STAY = "will stay"
    ROWS = "more rows"
    MODEL = "a better model"
    STAY_OR_ROWS = "will stay or more rows"
    CONTRADICTIONS = "contradicting rows"
    WRONG_LABELS = "wrong labels"
    OVERLAP = "overlap"
    OVERLAP_OR_WRONG = "overlap or wrong labels"


@dataclass(frozen=True, eq=False, repr=False)
class Part(Result):
    """A part of a model's error, with its 95 % interval.

    Attributes
    ----------
    name : what would remove it, or that it will stay.
    loss, low, high : its size, in the unit of the loss, and the interval.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_wine(return_X_y=True), accuracy=0.85, effort="quick")
    >>> found.budget.part("a better model").loss > 0.1
    True
    """

    name: PartName
    loss: float
    low: float
    high: float

    def _summary(self) -> str:
        return f"{self.name} {self.loss:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class Budget(Result):
    """Where a model's error goes: parts that add up to it.

    Attributes
    ----------
    metric : the metric whose loss is divided, such as "accuracy", whose loss is the error.
    of : the learner that the error is of; empty for your model.
    error, low, high : the model's measured error and its 95 % interval.
    parts : what a better model on these rows would bring (only for your model), what more rows would bring, and what
        will stay with these features, however many rows there are. Parts that these data cannot separate are one.
    inside : parts of what will stay: rows that contradict each other, labels that look wrong, and overlap of the
        classes. Empty if nothing is known of it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_wine(return_X_y=True), accuracy=0.85, n_test=200, effort="quick")
    >>> str(found.budget.parts[-1].name)
    'a better model'
    >>> round(sum(part.loss for part in found.budget.parts), 12)
    0.15
    """

    metric: str
    of: str
    error: float
    low: float
    high: float
    parts: tuple[Part, ...]
    inside: tuple[Part, ...] = ()

    def part(self, name: str) -> Part | None:
        """Return the part of this name, or None."""
        return next((part for part in (*self.parts, *self.inside) if part.name == name), None)

    def _summary(self) -> str:
        parts = ", ".join(f"{part.name} {self._tell(part.loss)}" for part in self.parts)
        return f"{parts} of {self._tell(self.error)}{' %' if METRICS[self.metric].of_errors else ''}"

    def _tell(self, loss: float) -> str:
        return percent(loss) if METRICS[self.metric].of_errors else number_text(loss, 2)

    def _columns(self) -> dict[str, Any]:
        every = (*self.parts, *self.inside)
        columns: dict[str, Any] = {name: [getattr(part, name) for part in every] for name in ("loss", "low", "high")}
        return {"part": [str(part.name) for part in every], **columns}


class _Known(NamedTuple):
    """A loss with its interval."""

    loss: float
    low: float
    high: float

    @property
    def std_error(self) -> float:
        return (self.high - self.low) / (2 * two_sided(_LEVEL))


def make_budget(answer: Answer, model: ModelScore | None = None, conflict: float = 0.0) -> Budget | None:
    """Divide the error of the best learner or, if there is one, of the user's model; None if nothing was measured.

    ``conflict`` is the error that equal rows with different labels cause.
    """
    if not answer.best or answer.has(Basis.LATER):
        return None
    best = _measured(answer)
    whole = best
    if model is not None:
        whole = _Known(model.loss, *sorted(answer.of.loss(each) for each in (model.low, model.high)))
    # Nobody has to beat a model that is better than the best learner: it shows what these rows allow.
    allowed = min(best, whole, key=lambda each: each.loss)
    parts = [] if model is None else [_model_part(whole, best, model)]
    parts = [*_without_model(answer, allowed), *parts]
    inside = _inside(answer, parts[0], conflict, allowed.loss) if parts[0].name == PartName.STAY else ()
    return Budget(answer.metric, "" if model else answer.best, *whole, parts=tuple(parts), inside=inside)


def _measured(answer: Answer) -> _Known:
    loss = answer.errors[answer.best]
    if answer.of.of_errors:
        n = answer.n_independent[answer.best]
        return _Known(loss, *(float(limit(loss * n, n, _ENDS[1])) for limit in (lower_limit, upper_limit)))
    reach = two_sided(_LEVEL) * answer.std_errors[answer.best]
    return _Known(loss, max(loss - reach, 0.0), loss + reach)


def _model_part(whole: _Known, best: _Known, model: ModelScore) -> Part:
    """Return what the best learner is better by; compared on the same rows if that can be done."""
    behind, error = whole.loss - best.loss, model.behind_error
    if np.isnan(error):
        error = np.hypot(model.std_error, best.std_error)
    reach = two_sided(_LEVEL) * _UNSTABLE * error
    return _part(PartName.MODEL, behind, behind - reach, behind + reach)


def _without_model(answer: Answer, now: _Known) -> list[Part]:
    """Divide what the best model on these rows loses into what will stay and what more rows would bring."""
    either = [_part(PartName.STAY_OR_ROWS, *now)]
    forecast = answer.forecast
    if forecast is None or answer.unknown is not None or answer.has(Basis.NO_SIGNAL):
        return either
    low, high = forecast.quantiles(_ENDS).tolist()
    if min(high, now.loss) - low > _UNTOLD * now.loss > 0:
        return either
    stay = min(answer.estimate, now.loss)
    # Every pair of a possible loss now and a possible lowest one; the two are taken as independent.
    falls = _spread(now)[:, None] - forecast.lowest
    fall_low, fall_high = np.quantile(falls, _ENDS).tolist()
    return [_part(PartName.STAY, stay, low, high), _part(PartName.ROWS, now.loss - stay, fall_low, fall_high)]


def _spread(known: _Known) -> Floats:
    """Return equally likely values of a loss, from its interval; both sides may differ."""
    z = ndtri(LEVELS) / two_sided(_LEVEL)
    return np.asarray(known.loss + np.where(z < 0, z * (known.loss - known.low), z * (known.high - known.loss)))


def _inside(answer: Answer, stay: Part, conflict: float, now: float) -> tuple[Part, ...]:
    """Divide what will stay: contradictions first, since they are known, then labels that look wrong, then the rest.

    Far from the lowest possible error, even sure predictions may be wrong for lack of rows: that tells nothing.
    """
    if not answer.of.of_errors or stay.loss <= 0 or answer.race is None:
        return ()
    found = []
    n = answer.n_rows
    if conflict > _FEW * stay.loss:
        ends = (float(limit(conflict * n, n, _ENDS[1])) for limit in (lower_limit, upper_limit))
        found.append(_part(PartName.CONTRADICTIONS, min(conflict, stay.loss), *ends))
    left = stay.loss - sum(part.loss for part in found)
    rest = [max(end - sum(part.loss for part in found), 0.0) for end in (stay.low, stay.high)]
    wrong = _wrong_labels(answer, stay) if now - stay.loss <= _FAR * now else None
    told = wrong is not None and (wrong.high - wrong.low < _WIDE * stay.loss or wrong.high < _SMALL * stay.loss)
    if not told or wrong is None or found:
        return (*found, _part(PartName.OVERLAP_OR_WRONG, left, *rest))
    part = _part(PartName.WRONG_LABELS, min(wrong.loss, left), wrong.low, wrong.high)
    overlap = left - part.loss
    return (part, _part(PartName.OVERLAP, overlap, stay.low - wrong.high, stay.high - wrong.low))


def _wrong_labels(answer: Answer, stay: Part) -> _Known | None:
    """Return how much of the lowest possible error wrong labels cause, if they are wrong anywhere alike.

    If a fraction r of all labels is drawn anew, the lowest possible error L becomes L + r (G - L), where G = 1 - 1/K;
    and even the surest predictions are wrong on r G of the rows, with any other class alike. Overlap vanishes there,
    and confuses a class with the second-likeliest one. So if errors keep falling towards the surest rows, the lower
    end goes on falling as fast, and errors in favour of the second-likeliest class count less.
    """
    race = answer.evidence()
    if race.priors is not None or answer.best not in race.predicted:
        return None
    posterior = race.predicted[answer.best]
    surest = np.argsort(-posterior.max(axis=1), kind="stable")
    wrong = posterior.argmax(axis=1) != race.codes
    size = int(_FIFTH * len(wrong))
    if size < 1 or posterior.max(axis=1)[surest[: 2 * size]].mean() < _SURE:
        return None
    first, second, third = (float(wrong[surest[k * size : (k + 1) * size]].mean()) for k in range(3))
    top, n = surest[: 2 * size], 2 * size * answer.n_independent[answer.best] / len(wrong)
    rate = float(wrong[top].mean())
    low, high = (float(limit(rate * n, n, _ENDS[1])) for limit in (lower_limit, upper_limit))
    noise = float(np.sqrt(2 * rate * (1 - rate) / max(n / 2, 1)))
    falls = max(second - first - noise, (third - first) / 2 - noise, 0.0)
    evenly = _spread_evenly(posterior[top], race.codes[top], wrong[top])
    values = (max(rate - falls / 2, 0.0) * evenly.loss, max(low - falls, 0.0) * evenly.low, high * evenly.high)
    guessing = 1 - 1 / answer.n_classes
    parts = (min(each / guessing, 0.99) for each in values)
    middle, low, high = (max(part * (guessing - stay.loss) / (1 - part), 0.0) for part in parts)
    return _Known(min(middle, stay.loss), min(low, stay.loss), min(high, stay.high))


def _spread_evenly(posterior: Floats, codes: Ints, wrong: np.ndarray) -> _Known:
    """Return which fraction of the errors looks as if labels were drawn at random, and its interval."""
    others, n = posterior.shape[1] - 1, float(wrong.sum())
    if others < 2 or n == 0:
        return _Known(1.0, 1.0, 1.0)
    likeliest = np.argsort(-posterior[wrong], axis=1, kind="stable")
    seconds = float((likeliest[:, 1] == codes[wrong]).sum())
    ends = (float(limit(seconds, n, _ENDS[1])) for limit in (lower_limit, upper_limit))
    found, most, least = (float(np.clip((1 - each) * others / (others - 1), 0, 1)) for each in (seconds / n, *ends))
    return _Known(found, least, most)


def _part(name: PartName, loss: float, low: float, high: float) -> Part:
    """Return a part, none of whose figures is below zero, and whose interval has it inside."""
    loss = max(loss, 0.0)
    return Part(name, loss, max(min(low, loss), 0.0), max(high, loss))
