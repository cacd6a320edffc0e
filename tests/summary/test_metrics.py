"""Figures for experiment trackers: flat, plain and under names that stay."""

import json
from dataclasses import replace

import numpy as np
from sklearn.datasets import load_iris

from bayesfloor import Check, check

ANSWER = {"lowest_error_estimate", "lowest_error_lower", "lowest_error_upper"}
OTHERS = {"guessing_error", "best_learner_error", "hardest_pair_error", "hardest_class_error"}
COUNTS = {"suspicious_labels", "rows"}
MODEL = {"model_error", "model_error_low", "model_error_high"}


def test_metrics_are_figures_of_the_answer_and_a_row_of_a_table(each):
    """For a tracker, and for a table of many datasets: numbers only, and none that is not known."""
    found, answer = each.metrics(), each.answer

    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["lowest_error_estimate"] == answer.estimate
    assert ("lowest_error_lower" in found) == bool(answer.lower >= 0)
    assert each.frame().iloc[0].to_dict().items() >= {**found, "reliability": answer.reliability}.items()


def test_metrics_leave_out_what_no_learner_told(made):
    """Where none could be trained there is no error of the best one."""
    found = made("iris")
    none = replace(found, answer=replace(found.answer, errors={}, best=""))
    assert set(found.metrics()) - set(none.metrics()) == {"best_learner_error"}


def test_the_names_are_those_of_the_docstring(made):
    """Charts of old and new runs share them."""
    found = made("iris").metrics()

    assert set(found) == ANSWER | OTHERS | COUNTS
    assert {type(value) for value in found.values()} == {float}
    assert all(f"``{name}``" in Check.metrics.__doc__ for name in ANSWER | OTHERS | COUNTS | MODEL)


def test_predictions_add_the_models_figures():
    """A tracker follows the model and its floor in one chart."""
    X, y = load_iris(return_X_y=True)
    predicted = y.copy()
    predicted[:6] = 1
    found = check(X, y, predictions=predicted, effort="quick").metrics()

    assert set(found) == ANSWER | OTHERS | COUNTS | MODEL
    assert found["model_error"] == 0.04
    assert found["model_error_low"] < 0.04 < found["model_error_high"]


def test_no_figure_where_no_pair_has_one(made):
    """And no warning: a job may turn warnings into errors."""
    found = made("iris")
    pairs = replace(found.pairs, estimate=np.full_like(found.pairs.estimate, np.nan))

    assert set(found.metrics()) - set(replace(found, pairs=pairs).metrics()) == {"hardest_pair_error"}
