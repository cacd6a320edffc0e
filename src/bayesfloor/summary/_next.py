"""What to do next: steps by what they would bring, from the same budget, forecast and outcome as the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from bayesfloor.answer._answer import LIKELY, OPEN, REACHABLE, Answer, Basis, guessed_class
from bayesfloor.answer._learners import called
from bayesfloor.answer._metrics import METRICS, NUMBERS, score_text, span_text, with_article
from bayesfloor.decide._budget import Budget, Part, PartName
from bayesfloor.decide._gap import BELOW
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._verdict import capital, finds_nothing, guess_text, lowest_error, wished
from bayesfloor.support._results import Result
from bayesfloor.support._words import (
    accuracy,
    chance_text,
    how_many,
    join_labels,
    number_text,
    percent,
    span,
    two_digits,
)

_MOST = 3  # steps
_LITTLE, _LITTLE_OF_ERROR = 0.001, 0.05  # falls of an error that do not matter: absolute, and relative to it
_NEARLY = 0.005  # errors that are nearly none, relative to guessing
_MUCH = 0.4  # of what will stay: if wrong labels cause less, better features would bring more
_LITTLE_AT_FOUR = 0.005  # with four times as many rows
_TIMES = (2, 4, 16)
# Findings to act on before anything else: until then, the answer is about another problem.
_FIRST = ("BF118", "BF119", "BF106", "BF114", "BF115")
_COPIES = "BF113"  # which the check kept together, so that all else it says still holds


class Action(StrEnum):
    """What a step is.

    Examples
    --------
    >>> from bayesfloor.summary import Action
    >>> Action("more rows") is Action.ROWS
    True
    """

    FIX = "fix first"
    MODEL = "try model"
    ROWS = "more rows"
    LABELS = "look at labels"
    FEATURES = "better features"
    MERGE = "merge classes"
    EFFORT = "more effort"
    TRAIN = "train model"
    STOP = "stop"


@dataclass(frozen=True, eq=False, repr=False)
class Step(Result):
    """One thing to do, and what it would bring.

    Attributes
    ----------
    action : what it is.
    text : the step as a sentence.
    gain : how far the error, or the loss of another metric, would fall; NaN if that is not known.
    cost : what it costs, in its own unit, such as "3,000 rows".
    python, command : a line of Python, and a command with FILE for the data; empty if nothing can be typed.
    code : the finding to act on.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_wine(return_X_y=True), 0.95, accuracy=0.85, effort="quick")
    >>> str(found.next[0].action), found.next[0].python
    ('try model', 'found.best_model().fit(X, y)')
    """

    action: Action
    text: str
    gain: float = np.nan
    cost: str = ""
    python: str = ""
    command: str = ""
    code: str = ""

    def _summary(self) -> str:
        return f"{self.action}: {self.text}"


def next_steps(check: Measured) -> tuple[Step, ...]:
    """Return at most three steps: what must come first, or those that would bring the most."""
    answer = check.answer
    if code := _first_finding(check):
        text = "test your model on rows that it was not trained on, then check again."
        return (_fix(code, f"act on {code} below, then check again." if code in _FIRST else text),)
    if done := _done(check):
        return (done,)
    if answer.unknown is not None and answer.forecast is not None:
        return ()  # the verdict says what would help
    if finds_nothing(answer):
        return (_features("look for better features."),)
    copies = any(finding.code == _COPIES for finding in check.findings)
    first = [_fix(_COPIES, "drop the copies, or keep them together when you test a model.")] if copies else []
    steps = [step for step in (_try(check), _labels(check), _rows(check), _merge(check)) if step is not None]
    steps.sort(key=lambda step: -np.nan_to_num(step.gain))
    more = [_effort(check), _features(_why_features(check, steps))] if answer.unknown is None else []
    return tuple([*first, *steps, *(step for step in more if step is not None)][:_MOST])


def _fix(code: str, text: str) -> Step:
    return Step(Action.FIX, text, command=f"bayesfloor explain {code}", code=code)


def next_text(check: Measured) -> str:
    """Return the first step as a sentence; empty if the verdict says it."""
    steps = next_steps(check)
    return steps[0].text if steps else ""


def _first_finding(check: Measured) -> str:
    codes = [finding.code for finding in check.findings if finding.code in (*_FIRST, "BF405", "BF407")]
    if check.gap is None and check.model_score is not None and check.model_score.word == BELOW:
        codes.append("BF405")
    return codes[0] if codes else ""


def _loss_of_model(check: Measured) -> float:
    """Return the loss of the user's model by the metric of the target; infinite if there is none."""
    score = check.model_score
    return score.loss if score is not None and score.metric == check.answer.metric else np.inf


def _done(check: Measured) -> Step | None:
    """Return the step if nothing is left to gain, or if the target is met."""
    answer, best, own = check.answer, lowest_error(check.answer), _loss_of_model(check)
    name = called(answer.best, answer.of.task)
    mine, little = check.model_score is not None, 0.0
    if check.target is None:
        little = _NEARLY * min(answer.guessing, 1.0) if answer.of.of_errors else 0.0
    if answer.best and check.outcome in (None, REACHABLE, LIKELY) and (own if mine else best) <= little:
        errors = (
            "makes no error, so nothing" if (own if mine else best) <= 0 else "makes so few errors that hardly anything"
        )
        if mine:
            return Step(Action.STOP, f"stop: your model {errors} is left to gain.", 0.0)
        if check.target is None:
            return Step(Action.STOP, f"stop: {name} {errors} is left to gain.", 0.0, **_MODEL)
    if check.target is None or check.outcome not in (REACHABLE, LIKELY):
        return None
    allowed = answer.of.loss(check.target)
    sure = "" if check.outcome == REACHABLE else f", which more {answer.unit} would have to confirm"
    if own <= allowed:
        return Step(Action.STOP, f"stop: your model meets the target{sure}.", 0.0)
    if check.outcome == REACHABLE and answer.guessing <= allowed and answer.upper >= answer.guessing:
        guess = guess_text(answer)
        if answer.of.of_errors:
            guess = f"always predicting {guessed_class(answer.guessing, answer.n_classes)}"
        return Step(Action.STOP, f"stop: {guess} meets the target.", 0.0)
    if best > allowed:
        return None
    if check.model_score is None:
        return Step(Action.TRAIN, f"train {name}; it meets the target in cross-validation{sure}.", 0.0, **_MODEL)
    gain = own - best if np.isfinite(own) else np.nan
    return Step(Action.MODEL, f"try {name}; it meets the target in cross-validation{sure}.", gain, **_MODEL)


_MODEL: dict[str, Any] = {
    "cost": "nothing: it is trained in the time of this check",
    "python": "found.best_model().fit(X, y)",
    "command": "bayesfloor check FILE --save-model model.joblib",
}


def _part(check: Measured, name: PartName) -> Part | None:
    return None if check.budget is None else check.budget.part(name)


def _try(check: Measured) -> Step | None:
    """Return the step to the best learner, if it is better than the user's model."""
    part, answer = _part(check, PartName.MODEL), check.answer
    if part is None or check.budget is None or part.loss <= 0:
        return None
    if part.low <= 0 and hardly_falls(check.budget.error, check.budget.error - part.loss):
        return None
    answer = answer if check.budget.metric == answer.metric else check.of_errors
    learner, sure = called(answer.best, answer.of.task), "" if part.low > 0 else ", which these rows cannot prove"
    better = f"makes {percent(part.loss)} points fewer errors"
    if not answer.of.of_errors:
        better = f"has {with_article(answer.of)} that is {number_text(part.loss, 2)} better"
    text = f"try {learner}: in cross-validation it {better} than your model{sure}."
    return Step(Action.MODEL, text, part.loss, **_MODEL)


def _labels(check: Measured) -> Step | None:
    """Return the step to a second look at labels, if wrong ones are a large part of what will stay."""
    if check.task == NUMBERS:
        return None
    part, n = _part(check, PartName.WRONG_LABELS), check.suspicious.n_suspect
    stay = _part(check, PartName.STAY)
    if part is None or stay is None or not n or part.low <= 0 or part.loss < _MUCH * stay.loss:
        return None
    now = lowest_error(check.of_errors)
    if hardly_falls(now, now - part.loss):
        return None
    first = "the one that disagrees with its" if n == 1 else f"the {n:,} that disagree with their"
    text = (
        f"look at the labels, first at {first} neighbours; wrong labels seem to cause about {percent(part.loss)} "
        "points of the error."
    )
    return Step(
        Action.LABELS, text, part.loss, how_many(n, "label"), "found.suspicious.frame()", "bayesfloor samples FILE"
    )


def _rows(check: Measured) -> Step | None:
    """Return the step to more rows, unless they would hardly help or the target is unlikely even then."""
    answer, target = check.answer, check.target
    if answer.forecast is None:
        few = answer.has(Basis.FEW_ROWS, Basis.FEW_OF_CLASS, Basis.FEW_NUMBERS, Basis.UNTRAINED)
        return Step(Action.ROWS, f"collect more {answer.unit}: there are too few to tell.") if few else None
    if target is not None and check.outcome not in (REACHABLE, LIKELY, OPEN):
        return None
    n = answer.forecast.n_rows
    twice, four_times = (float(answer.forecast.quantiles([0.5], times * n)[0]) for times in (2, 4))
    now = min(lowest_error(answer), _loss_of_model(check))
    even = "" if target is None else _even_chance(answer, target)
    little = max(_LITTLE_AT_FOUR * min(answer.guessing, 1.0), 2 * _LITTLE_OF_ERROR * now)
    if (hardly_falls(now, twice, answer.guessing) or now - four_times < little) and not even:
        return None
    if even and target is not None:
        text = f"collect more {answer.unit}: {even} of {wished(answer, target, check.measure)}."
    else:
        text = (
            f"collect more {answer.unit}; with twice as many, the best model would reach about "
            f"{_reached(answer, twice)}, and with four times as many {_reached(answer, four_times, short=True)}."
        )
    return Step(Action.ROWS, text, max(now - four_times, 0.0), f"{two_digits(3 * n):,} more {answer.unit}")


def _reached(answer: Answer, loss: float, *, short: bool = False) -> str:
    if answer.of.of_errors:
        return f"{accuracy(loss)} %"
    score = score_text(answer.of, loss)
    return score if short else f"{with_article(answer.of)} of {score}"


def _merge(check: Measured) -> Step | None:
    """Return the step to merging classes that cannot be separated."""
    if check.merge is None or not check.merge.steps or not check.answer.of.of_errors:
        return None
    before, after = check.merge.before.estimate, check.merge.after.estimate
    if hardly_falls(before, after):
        return None
    left, fall = how_many(check.merge.after.n_classes, "class"), percent(before - after)
    text = f"merge classes that cannot be separated; with {left} left, errors fall by about {fall} points."
    return Step(Action.MERGE, text, before - after, "the difference between these classes", "found.merge.frame()")


def _effort(check: Measured) -> Step | None:
    """Return the step to more kinds of model, if some were left out for their cost."""
    answer = check.answer
    slow = [name for name, why in answer.left_out.items() if why.startswith("too slow")]
    if not slow or answer.effort == "thorough" or check.outcome not in (REACHABLE, LIKELY, OPEN):
        return None
    kinds = "kind of model was" if len(slow) == 1 else "kinds of model were"
    text = f'run it with --effort thorough, or effort="thorough": {len(slow)} {kinds} left out as too slow.'
    python, command = 'check(X, y, effort="thorough")', "bayesfloor check FILE --effort thorough"
    return Step(Action.EFFORT, text, np.nan, "a check that takes several times as long", python, command)


def _why_features(check: Measured, steps: list[Step]) -> str:
    """Return the step to better features as a sentence, with what makes it necessary."""
    answer, told = check.answer, "look for better features"
    if any(step.action is Action.ROWS for step in steps) or answer.forecast is None:
        return f"{told}."
    twice = float(answer.forecast.quantiles([0.5], 2 * answer.forecast.n_rows)[0])
    if hardly_falls(lowest_error(answer), twice, answer.guessing):
        return f"{told}; more {answer.unit} of the same kind would hardly help."
    return f"{told}."


def _features(text: str) -> Step:
    python, command = "compare_representations({...}, y)", "bayesfloor compare FILE OTHER_FILE"
    return Step(Action.FEATURES, text, np.nan, "new columns, or another representation", python, command)


def hardly_falls(now: float, then: float, guessing: float = 1.0) -> bool:
    """Whether an error falls too little to matter."""
    return bool(now - then < max(_LITTLE * min(guessing, 1.0), _LITTLE_OF_ERROR * now))


def _even_chance(answer: Answer, target: float) -> str:
    """Say how many rows give an even chance of the target; nothing if they are at hand, or too many to tell."""
    error, forecast = answer.of.loss(target), answer.forecast
    if forecast is None or answer.upper <= error:
        return ""
    rows = forecast.rows_for(error)
    return f"about {two_digits(rows):,} training rows give an even chance" if forecast.n_rows < rows < np.inf else ""


def more_rows(answer: Answer, target: float | None, measure: str) -> str:
    """Return what 2, 4 and 16 times as many rows would bring, as a clause; empty without a forecast."""
    forecast = answer.forecast
    if forecast is None or finds_nothing(answer) or answer.unknown is not None:
        return ""
    sizes = [times * forecast.n_rows for times in _TIMES]
    ends = [forecast.quantiles([0.5, 0.025, 0.975], rows) for rows in sizes]
    if answer.of.of_errors:
        told = [f"{percent(middle)} % ({span(low, high)})" for middle, low, high in ends]
        told[0] = f"error about {told[0]}"
    else:
        told = [f"{score_text(answer.of, middle)} ({span_text(answer.of, low, high)})" for middle, low, high in ends]
        told[0] = f"{answer.of.words} about {told[0]}"
    text = "; ".join(f"{times} times: {each}" for times, each in zip(_TIMES, told, strict=True))
    if target is None:
        return text
    chances = join_labels([chance_text(answer.chance(target, rows)) for rows in sizes])
    even = _even_chance(answer, target)
    return f"{text}. Probability of {wished(answer, target, measure)} then: {chances}{even and f'; {even}'}"


def budget_text(budget: Budget, answer: Answer) -> str:
    """Return where the error goes, in one line."""
    size = _sizes(budget)
    parts = " + ".join(f"{part.name} {size(part.loss)}" for part in budget.parts)
    inside = ", ".join(f"{part.name} {size(part.loss)}" for part in budget.inside)
    text = f"{budget_title(budget, answer)} = {parts}"
    return f"{text}; what will stay: {inside}" if len(budget.inside) > 1 else text


def budget_title(budget: Budget, answer: Answer) -> str:
    """Return whose error is divided, and how large it is."""
    metric = METRICS[budget.metric]
    whose = called(budget.of, answer.of.task) if budget.of else "your model"
    if metric.of_errors:
        return f"Error of {whose}: {percent(budget.error)} %"
    loss = f"1 - {metric.words}" if metric.is_score else metric.words
    return f"{capital(loss)} of {whose}: {number_text(budget.error, 2)}"


def budget_lines(budget: Budget) -> Iterator[str]:
    """Yield each part with its interval, first those of the error, then those of what will stay."""
    size = _sizes(budget)
    for part in (*budget.parts, *budget.inside):
        yield f"{part.name} {size(part.loss)} ({size(part.low)} to {size(part.high)})"


def _sizes(budget: Budget) -> Callable[[float], str]:
    return percent if METRICS[budget.metric].of_errors else lambda loss: number_text(loss, 2)
