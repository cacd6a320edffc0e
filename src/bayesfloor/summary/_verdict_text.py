"""The verdict: the answer in one sentence to quote."""

from __future__ import annotations

import numpy as np

from bayesfloor.answer._answer import PROVED, Answer
from bayesfloor.answer._verdict import NO_SIGNAL, OUT_OF_REACH, REACHABLE, Verdict
from bayesfloor.engine._show import percent, span
from bayesfloor.summary._phrases import accuracy, sentence, target_text

_HIDDEN = "No learner is clearly more accurate than guessing, but accuracy hides how well a rare class is found."


def verdict_text(answer: Answer, target: float | None, measure: str = "accuracy", hidden: str = "") -> str:
    """Return the answer to quote: whether the target is reachable, or how far any model can get.

    If a class is rare, ``hidden`` is the sentence that says what accuracy hides.
    """
    if hidden and target is None and finds_nothing(answer):
        return f"{_HIDDEN} {hidden}{_proved_text(answer)}"
    said = _best_case(answer, measure) if target is None else _against_target(answer, target, measure)
    return f"{said} {hidden}".strip()


def finds_nothing(answer: Answer) -> bool:
    """Whether no learner does clearly better than guessing."""
    return any(reason.startswith(NO_SIGNAL) for reason in answer.reasons)


def _best_case(answer: Answer, measure: str) -> str:
    if finds_nothing(answer):
        return f"{_nothing(answer)}.{_proved_text(answer)}"
    best = f"At best about {accuracy(answer.estimate)} % {measure} on these features"
    best += f" (error {percent(answer.estimate)} %"
    if np.isnan(answer.lower):
        return f"{best}, at most {percent(answer.upper)} %; these data give no lower limit)."
    proof = "; equal rows with different labels prove the lower end" if answer.proved else ""
    return f"{best}, range {span(answer.lower, answer.upper)}{proof})."


def _nothing(answer: Answer) -> str:
    wrong = f"always predicting the most frequent class is wrong on {percent(answer.guessing)} % of rows"
    return f"No signal found: no learner does clearly better than guessing, and {wrong}"


def _proved_text(answer: Answer) -> str:
    if not answer.proved:
        return ""
    least = f"{percent(answer.lower)} %"
    return f" Equal rows with different labels prove that the lowest possible error is at least {least}."


def _against_target(answer: Answer, target: float, measure: str) -> str:
    found, wish = answer.judge(target), f"{target_text(target)} {measure}"
    if found.outcome == REACHABLE:
        return f"{wish} is reachable on these features: {found.reason} ({_how_tested(answer)})."
    if found.outcome == OUT_OF_REACH and answer.proved:
        return (
            f"{wish} is out of reach on these features: {found.reason} ({PROVED} by equal rows with different labels)."
        )
    if found.outcome == OUT_OF_REACH:
        return f"{wish} is out of reach for the kinds of model tried, even with more rows: {found.reason}."
    return f"{wish} is too close to call{_why_close(answer, found)}. {sentence(found.settle)}"


def _how_tested(answer: Answer) -> str:
    guessing = answer.upper >= answer.guessing
    return "always predicting the most frequent class reaches it" if guessing else "95 % confidence"


def _why_close(answer: Answer, found: Verdict) -> str:
    return f". {_nothing(answer)}" if finds_nothing(answer) else f": {found.reason}"
