"""Figures and tables by name: pairs and classes as rows, the next step, and what trackers get."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import bayesfloor
from bayesfloor import Check, check
from bayesfloor.summary._figures import (
    FEW_ROWS,
    TOO_SMALL,
    class_rows,
    error_at_twice,
    hardest_pairs,
    hardly_falls,
    next_step,
    pair_rows,
)

PAIR_FIGURES = ("estimate", "lower", "upper", "error", "guessing", "relative", "n_rows")
CLASS_FIGURES = ("n_rows", "estimate", "lower", "upper", "error", "part")


def test_pairs_without_a_confusion_are_never_ranked(each):
    """Nothing is known of them but that it is little; all others are there, once."""
    pairs = {(row.one, row.two) for row in pair_rows(each)}
    one, two = np.triu_indices(len(each.labels), 1)

    assert len(pairs) == len(pair_rows(each))
    assert pairs == {(i, j) for i, j in zip(one.tolist(), two.tolist(), strict=True) if each.pairs.error[i, j] > 0}


def test_too_small_is_no_confusion_in_cross_validation(made):
    """One rule; a class is not confused with itself."""
    found = made("iris")

    assert found.pairs.too_small.tolist() == [[True, True, True], [True, True, False], [True, False, True]]
    unknown = replace(found.pairs, error=np.full((3, 3), np.nan))
    assert unknown.too_small.all()  # classes that no row was tested of


def test_pairs_are_in_order_hardest_first(each):
    """By the best estimate relative to guessing; those of classes with too few rows last."""
    keys = [(row.note != "", -row.relative) for row in pair_rows(each)]

    assert keys == sorted(keys)
    np.testing.assert_equal(pair_rows(each, 3), pair_rows(each)[:3])
    assert [(row.one, row.two) for row in pair_rows(each)] == list(
        zip(*(places.tolist() for places in hardest_pairs(each)), strict=True)
    )


def test_pairs_have_the_figures_of_the_answer(each):
    """And no others."""
    for row in pair_rows(each):
        assert row.one < row.two
        for name in PAIR_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.pairs, name)[row.one, row.two])
        assert (row.note == FEW_ROWS) == (each.classes.n_rows[[row.one, row.two]].min() < 30)


def test_pairs_have_their_figures_in_order(each):
    """The best estimate is inside the range and never above guessing; only the limit of guessing has a margin."""
    for row in pair_rows(each):
        assert 0 <= row.estimate <= row.upper + 1e-12
        assert not row.lower > row.estimate + 1e-12
        assert row.estimate <= row.guessing + 1e-12
        assert row.upper <= 0.5


def test_a_pair_of_two_classes_is_the_whole(made):
    """There is but one."""
    (row,), answer = pair_rows(made("two classes")), made("two classes").answer

    assert (row.estimate, row.lower, row.upper) == (answer.estimate, answer.lower, answer.upper)


def test_classes_are_in_order_and_those_with_a_note_last(each):
    """What is too uncertain, or nothing, must not lead the table."""
    rows = class_rows(each)
    keys = [(row.note != "", -row.estimate) for row in rows]

    assert keys == sorted(keys)
    assert sorted(row.number for row in rows) == list(range(len(each.labels)))
    np.testing.assert_equal(class_rows(each, 2), rows[:2])


def test_classes_have_the_figures_of_the_answer(each):
    """And no others; a note says what to make of them."""
    for row in class_rows(each):
        for name in CLASS_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.classes, name)[row.number])
        assert (row.note == FEW_ROWS) == (row.n_rows < 30)
        assert (row.note == TOO_SMALL) == (row.n_rows >= 30 and not row.error > 0)


def test_parts_of_all_errors_add_up(each):
    """To all, or to none where there is no error."""
    total = sum(row.part for row in class_rows(each))

    assert total == pytest.approx(1) or total == 0


@pytest.fixture(scope="module")
def wine():
    """A check of the wines without a target."""
    return bayesfloor.check(*load_wine(return_X_y=True), effort="quick")


def with_curve(check, error):
    """Return a check whose best learner's measured and predicted errors are these."""
    curve = replace(
        check.answer.curve,
        n_rows=np.array([50, 100, 200, 400]),
        error=np.array([0.4, *error]),
        low=np.zeros(4),
        high=np.ones(4),
        measured=np.array([True, True, False, False]),
    )
    errors = {**check.answer.errors, check.answer.best: error[0]}
    return replace(check, answer=replace(check.answer, curve=curve, errors=errors))


def test_rows_are_worth_their_cost_only_if_the_error_falls(wine):
    """Else features are what is missing."""
    assert next_step(with_curve(wine, [0.3, 0.2, 0.15])).startswith("collect more rows; with twice as many, ")
    assert next_step(with_curve(wine, [0.3, 0.295, 0.29])).startswith("look for better features")
    assert error_at_twice(with_curve(wine, [0.3, 0.2, 0.15]).answer.curve) == 0.2
    assert hardly_falls(0.3, 0.31)


def test_a_target_that_a_learner_reaches_needs_only_that_learner(wine):
    """Nothing is simpler than to train what was tested."""
    found = replace(wine, target=0.8)
    assert found.outcome == "reachable"
    assert next_step(found).startswith("train ")


def test_learners_left_out_for_their_cost_are_the_next_to_try(wine):
    """A verdict that is too close to call says itself what would settle it, except for this."""
    found = replace(wine, target=1 - wine.answer.estimate)
    assert found.outcome == "too close to call"
    fast = replace(found, answer=replace(found.answer, left_out={}))
    slow = replace(found, answer=replace(found.answer, left_out={"boosting": "too slow on these data"}))
    assert next_step(fast) == ""
    assert "--effort thorough" in next_step(slow)
    assert "1 kind of model was" in next_step(slow)


def test_a_poor_model_is_told_which_learner_to_try():
    """Readers who bring a model want to know what to do about it."""
    X, y = load_wine(return_X_y=True)
    found = bayesfloor.check(X, y, effort="quick", predictions=np.roll(y, 40))
    assert next_step(found).startswith("try ")


def test_spellings_of_one_class_come_first():
    """No other step makes sense before the labels do."""
    X, y = load_wine(return_X_y=True)
    labels = np.array(["red", "white", "rose"], dtype=object)[y]
    labels[::3] = [label.upper() for label in labels[::3]]
    assert next_step(bayesfloor.check(X, labels, effort="quick")) == "act on BF106 below, then check again."


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
