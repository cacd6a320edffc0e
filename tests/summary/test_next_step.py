"""One next step, which never repeats the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

import bayesfloor
from bayesfloor.summary._figures import error_at_twice, hardly_falls, next_step


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
