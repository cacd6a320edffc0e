"""Scores as people read them, in the unit of each metric; and sentences of answers by metrics other than accuracy."""

from __future__ import annotations

import numpy as np

from bayesfloor.answer._answer import Answer, Basis, Reason
from bayesfloor.answer._learners import called
from bayesfloor.answer._metrics import IN_PERCENT, METRICS, NUMBERS, Metric, score_text, span_text, with_article
from bayesfloor.decide._gap import AT, BELOW, ROOM
from bayesfloor.decide._model_score import ModelScore
from bayesfloor.support._words import percent

IF_RELATED = "if rows are related, such as several of one patient, pass groups="
_EQUAL_ROWS = "tested (95 %): equal rows have different numbers"


def shown_text(answer: Answer, beside: float | None = None) -> str:
    """Return what was shown to be reachable."""
    return f"{'at least' if answer.of.is_score else 'at most'} {score_text(answer.of, answer.upper, beside)}"


def ends_text(answer: Answer, beside: float | None = None) -> str:
    """Return the range of the best possible score, or the one end that is known, and whether it is."""
    if np.isnan(answer.useful_lower):
        return shown_text(answer, beside)
    return span_text(answer.of, answer.lower, answer.upper, beside)


def about_text(answer: Answer, beside: float | None = None) -> str:
    """Return the best estimate and the range."""
    return f"about {score_text(answer.of, answer.estimate, beside)} ({ends_text(answer, beside)})"


def no_end(answer: Answer) -> str:
    """Say that the end of the range that extrapolation gives is not there."""
    return f"these data give no {'upper' if answer.of.is_score else 'lower'} limit"


def model_text(gap: ModelScore) -> str:
    """Return a model's score with its interval."""
    metric = METRICS[gap.metric]
    score, *ends = (_number(metric, each) for each in (gap.score, *sorted((gap.low, gap.high))))
    return f"{metric.words} {score}, 95 % interval {' to '.join(ends)}"


def gap_text(gap: ModelScore) -> str:
    """Return how a model that predicts numbers compares with what is possible, as a sentence."""
    said = {
        ROOM: "Your model leaves room to improve",
        AT: "Your model is at the best estimate: better features may help, a better model will not",
        BELOW: "Your model looks too good to be true: test it on rows that it was not trained on",
    }.get(gap.word, "These rows show no room above your model")
    return f"{said} ({model_text(gap)})."


def _number(metric: Metric, score: float) -> str:
    return score_text(metric, 1 - score if metric.is_score else score)


def best_case(answer: Answer) -> tuple[str, str]:
    """Return what the best model reaches, and the range in brackets; or why there is no range."""
    if outliers := [reason for reason in answer.reasons if reason.basis is Basis.OUTLIERS]:
        return f"These data do not say which {answer.of.words} is possible", outliers_text(*outliers[0].numbers)
    best = f"At best {with_article(answer.of)} of about {score_text(answer.of, answer.estimate)} on these features"
    if np.isnan(answer.useful_lower):
        return best, f"{shown_text(answer)}; {no_end(answer)}"
    return best, f"range {ends_text(answer)}"


def outliers_text(carried: float) -> str:
    """Say why there is no range of squared errors, and what to ask for instead."""
    return (
        f"outliers decide the squared error (1 % of the rows carry {percent(carried)} % of it), so there is no range: "
        "use the mean absolute error (metric mae) or the logarithm of the numbers"
    )


def guess_text(answer: Answer) -> str:
    """Return what needs no features."""
    return {
        "balanced_accuracy": "always predicting the same class",
        "roc_auc": "ranking rows at random",
        "r2": "always predicting the mean",
        "rmse": "always predicting the mean",
        "mae": "always predicting the median",
    }.get(answer.metric, "always predicting the class proportions")


def score_reason(answer: Answer, reason: Reason) -> str:
    """Return a reason as a clause if this metric has words of its own for it; otherwise an empty text."""
    metric = answer.of
    if reason.basis is Basis.GUESSING:
        return f"no learner is shown to beat {guess_text(answer)}"
    if reason.basis is Basis.LEARNER:
        reached = score_text(metric, reason.numbers[0])
        return (
            f"tested (95 %): {called(reason.names[0], metric.task)} has a cross-validated {metric.words} of {reached}"
        )
    if reason.basis is Basis.WIDE:
        return "the range is wide"
    best = "zero" if not metric.is_score else "100 %" if metric.name in IN_PERCENT else "1"
    alone = called((*reason.names, "")[0], metric.task)
    told = {
        Basis.ONE_KIND: f"only {alone} gets this far: no second kind of learner confirms it",
        Basis.MAY_BE_ZERO: f"the best possible {metric.words} may be {best}",
        Basis.NEIGHBOURS_ALONE: f"only models that remember rows get near {best}: {IF_RELATED}",
    }
    if metric.is_score:
        told[Basis.CURVES] = (
            "the kinds of model tried stay below it even with more rows: their learning curves level off lower (97.5 %)"
        )
    if metric.task == NUMBERS:
        told |= {
            Basis.EQUAL_ROWS: _EQUAL_ROWS,
            Basis.EQUAL_ROWS_ALONE: f"{_EQUAL_ROWS}; the learning curves give no limit",
        }
    return told.get(reason.basis, "")
