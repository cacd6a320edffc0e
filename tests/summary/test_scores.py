"""Sentences of answers by other metrics than accuracy, word for word, in the unit of each."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.answer import Basis, Reason
from bayesfloor.answer._metrics import METRICS, score_text, wish
from bayesfloor.summary._figures import answer_figures, evidence_figures
from bayesfloor.summary._gates import target_gate
from bayesfloor.summary._verdict import reason_text, verdict_words

# Losses: lower end, best estimate, upper end, guessing.
LOSSES = {
    "balanced_accuracy": (0.1, 0.15, 0.2, 0.5),
    "roc_auc": (0.05, 0.08, 0.12, 0.5),
    "log_loss": (0.38, 0.43, 0.527, 1.0986),
    "brier": (0.22, 0.27, 0.32, 0.66),
    "r2": (0.15, 0.2, 0.28, 1.0),
    "rmse": (10.1, 12.4, 15.3, 30.0),
    "mae": (8.25, 9.5, 1100.0, 1200.0),
}


@pytest.fixture
def asked(made, spread):
    """Maker of a check by a metric: (name, target, other figures of its answer) -> Check."""

    def ask(name, target=None, **figures):
        low, middle, high, guessing = LOSSES[name]
        told = {"metric": name, "lower": low, "estimate": middle, "upper": high, "guessing": guessing}
        told |= {"reasons": (), "reliability": "good", "why_lower": Reason(Basis.CURVES), **figures}
        told.setdefault("forecast", spread(low, middle, high))
        return replace(made("few"), target=target, answer=replace(made("few").answer, **told))

    return ask


NONE = {"lower": np.nan, "why_lower": None, "reliability": "upper limit only"}
NO_SIGNAL = {**NONE, "reasons": (Reason(Basis.NO_SIGNAL),)}
PROVED = {"why_lower": Reason(Basis.EQUAL_ROWS)}
OUTLIERS = {**NONE, "forecast": None, "reasons": (Reason(Basis.OUTLIERS, (0.5,)),)}
BALANCED, AUC, LOG, BRIER, R2, RMSE, MAE = LOSSES
NO_LEARNER = "No signal found: no learner does clearly better than"
REACHABLE = "is reachable on these features: the best possible"
BEYOND = "is out of reach for the kinds of model tried, even with more rows (under 5 %): the best possible"
LIKELY, FEATURES, SURE = "is likely to be reachable", "on these features", "(95 % confidence)"
NO_UPPER, NO_LOWER = "these data give no upper limit", "these data give no lower limit"
USE_MAE = "use the mean absolute error (metric mae) or the logarithm of the numbers"
OUTLIERS_DECIDE = "outliers decide the squared error (1 % of the rows carry 50.0 % of it)"
EQUAL = "(equal rows have different numbers, 95 % confidence)"
AT_RANDOM = "ranking rows at random, which gives an AUC of 0.500."
SENTENCES = [
    (BALANCED, None, {}, f"At best a balanced accuracy of about 85.0 % {FEATURES} (range 80.0 to 90.0 %)."),
    (BALANCED, None, NONE, f"At best a balanced accuracy of about 85.0 % {FEATURES} (at least 80.0 %; {NO_UPPER})."),
    (BALANCED, 0.79, {}, f"79 % balanced accuracy {REACHABLE} balanced accuracy is at least 80.0 % {SURE}."),
    (BALANCED, 0.902, {}, f"90.2 % balanced accuracy {BEYOND} balanced accuracy is about 85.0 % (80.0 to 90.0 %)."),
    (AUC, None, {}, f"At best an AUC of about 0.920 {FEATURES} (range 0.880 to 0.950)."),
    (AUC, None, NONE, f"At best an AUC of about 0.920 {FEATURES} (at least 0.880; {NO_UPPER})."),
    (AUC, None, NO_SIGNAL, f"{NO_LEARNER} {AT_RANDOM}"),
    (
        *(AUC, 0.92, {}),
        "It is open whether an AUC of 0.92 is reachable (50 %): the best possible AUC is about 0.920 (0.880 to 0.950).",
    ),
    (AUC, 0.94, NO_SIGNAL, f"An AUC of 0.94 is unlikely to be reachable (18 %). {NO_LEARNER} {AT_RANDOM}"),
    (LOG, None, {}, f"At best a log loss of about 0.430 {FEATURES} (range 0.380 to 0.527)."),
    (LOG, None, NONE, f"At best a log loss of about 0.430 {FEATURES} (at most 0.527; {NO_LOWER})."),
    (LOG, None, NO_SIGNAL, f"{NO_LEARNER} always predicting the class proportions, which gives a log loss of 1.10."),
    (LOG, 0.537, {}, f"A log loss of 0.537 {REACHABLE} log loss is at most 0.527 {SURE}."),
    (
        *(LOG, 0.5, NONE),
        f"A log loss of 0.5 {LIKELY} (84 %): the best possible log loss is about 0.430 (at most 0.527).",
    ),
    (BRIER, None, {}, f"At best a Brier score of about 0.270 {FEATURES} (range 0.220 to 0.320)."),
    (BRIER, 0.2156, {}, f"A Brier score of 0.2156 {BEYOND} Brier score is about 0.270 (0.220 to 0.320)."),
    (R2, None, {}, f"At best an R² of about 0.800 {FEATURES} (range 0.720 to 0.850)."),
    (R2, None, NO_SIGNAL, f"{NO_LEARNER} always predicting the mean, which gives an R² of 0.000."),
    (
        *(R2, 0.8, OUTLIERS),
        f"These data cannot say whether an R² of 0.8 is reachable: {OUTLIERS_DECIDE}, so there is no range: {USE_MAE}.",
    ),
    (RMSE, None, {}, f"At best an RMSE of about 12.4 {FEATURES} (range 10.1 to 15.3)."),
    (RMSE, None, NONE, f"At best an RMSE of about 12.4 {FEATURES} (at most 15.3; {NO_LOWER})."),
    (
        *(RMSE, 10, PROVED),
        f"An RMSE of 10 is out of reach {FEATURES}: the best possible RMSE is at least 10.1 {EQUAL}.",
    ),
    (MAE, None, {}, f"At best an MAE of about 9.50 {FEATURES} (range 8.25 to 1,100)."),
    (MAE, None, NO_SIGNAL, f"{NO_LEARNER} always predicting the median, which gives an MAE of 1,200."),
    (MAE, 1150, {}, f"An MAE of 1,150 {REACHABLE} MAE is at most 1,100 {SURE}."),
]


@pytest.mark.parametrize(("name", "target", "figures", "sentence"), SENTENCES)
def test_the_verdict_is_a_sentence_in_the_unit_of_the_metric(asked, name, target, figures, sentence):
    """An end that is not there is called what it is: upper for what should be large, lower for what should be small."""
    assert verdict_words(asked(name, target, **figures).answer, target).text == sentence


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("figures", [{}, NONE])
def test_screens_and_gates_have_the_figures_of_the_verdict(asked, name, figures):
    """Estimate, range and guessing; what was shown, and the other end or why there is none."""
    metric, (low, middle, high, guessing) = METRICS[name], LOSSES[name]
    target = metric.score(middle)
    found = asked(name, target, **figures)
    shown, told = dict(answer_figures(found)), {each: rest for each, *rest in evidence_figures(found)}
    estimate = score_text(metric, middle)
    least, most = (score_text(metric, loss) for loss in (high, low))
    none = f"these data give no {'upper' if metric.is_score else 'lower'} limit"
    first, last = (least, most) if metric.is_score else (most, least)
    span = f"{first.removesuffix(' %')} to {last}"
    known = f"{'at least' if metric.is_score else 'at most'} {least}"

    assert shown["best estimate"] == f"{metric.words} {estimate}"
    assert shown["range"] == f"{metric.words} {f'{known}; {none}' if figures else span}"
    assert shown["guessing"].startswith(f"{metric.words} {score_text(metric, guessing)}: ")
    assert told["shown"][0] == least
    assert told["other end"][:2] == (
        ["none", none] if figures else [most, reason_text(found.answer.why_lower, found.answer)]
    )
    gate = target_gate(found, target)
    about = f"about {estimate} ({known if figures else span})"
    assert gate.text == f"target: {wish(metric, target)}, best possible {metric.words} {about}: open (50 %)"


STAY = "the kinds of model tried stay {} it even with more rows: their learning curves level off {} (97.5 %)"
PATIENTS = "if rows are related, such as several of one patient, pass groups="


@pytest.mark.parametrize(
    ("name", "basis", "text"),
    [
        (AUC, Basis.MAY_BE_ZERO, "the best possible AUC may be 1"),
        (BALANCED, Basis.MAY_BE_ZERO, "the best possible balanced accuracy may be 100 %"),
        (RMSE, Basis.MAY_BE_ZERO, "the best possible RMSE may be zero"),
        (AUC, Basis.CURVES, STAY.format("below", "lower")),
        (LOG, Basis.CURVES, STAY.format("above", "higher")),
        (AUC, Basis.NEIGHBOURS_ALONE, f"only models that remember rows get near 1: {PATIENTS}"),
        (LOG, Basis.NEIGHBOURS_ALONE, f"only models that remember rows get near zero: {PATIENTS}"),
        (AUC, Basis.GUESSING, "no learner is shown to beat ranking rows at random"),
        (MAE, Basis.GUESSING, "no learner is shown to beat always predicting the median"),
        (MAE, Basis.EQUAL_ROWS, "tested (95 %): equal rows have different numbers"),
    ],
)
def test_reasons_know_which_way_is_better(asked, name, basis, text):
    """The lowest possible error of an AUC would be nonsense, and so would staying above it."""
    assert reason_text(Reason(basis), asked(name).answer) == text


@pytest.mark.parametrize("name", METRICS)
@given(loss=st.floats(1e-3, 1), apart=st.floats(1e-5, 0.5), size=st.sampled_from([1, 40, 1e5]))
def test_scores_that_differ_never_look_equal_beside_each_other(name, loss, apart, size):
    """A target of 0.93 that 0.930 does not reach would contradict itself."""
    metric = METRICS[name]
    one, two = (size * each if metric.unit == "of y" else each for each in (loss, loss * (1 - apart)))

    assert score_text(metric, one, two) != score_text(metric, two, one)
    assert score_text(metric, one, one) == score_text(metric, one)
    assert score_text(metric, np.nan) == "unknown"
