"""The provisional line: what it says, and what it does not."""

import pytest

from bayesfloor.leaving.cli_so_far import SoFar


@pytest.fixture
def asked():
    """A check with a target of 95 %."""
    return SoFar(0.95, "accuracy")


def test_nothing_is_known_at_first(asked):
    """Nothing is said."""
    assert asked.text == ""


def test_limits_that_do_not_settle_the_target(asked):
    """An upper limit is worth knowing; a verdict would be a guess."""
    asked.bounded(0.0, 0.123, 0.5)

    assert asked.text == "so far: the lowest possible error is at most 12.3 %"


def test_limits_of_guessing_say_nothing(asked):
    """Everybody knows them."""
    asked.bounded(0.0, 0.5, 0.5)

    assert asked.text == ""


def test_limits_that_settle_the_target(asked):
    """As soon as the verdict is known, with its reason."""
    asked.bounded(0.0, 0.031, 0.5)

    assert asked.text == "so far: 95 % accuracy is reachable: the lowest possible error is at most 3.1 %"


def test_equal_rows_that_settle_the_target(asked):
    """Proved, whatever the models do."""
    asked.bounded(0.08, 0.2, 0.5)

    assert asked.text == "so far: 95 % accuracy is out of reach: the lowest possible error is at least 8.0 %"


def test_an_error_above_the_target_is_no_verdict(asked):
    """More rows may bring it down."""
    asked.trained(0.123, 1000)

    assert asked.text == (
        "so far: 95 % accuracy not reached: lowest cross-validated error 12.3 % with 1,000 training rows"
    )


def test_an_error_at_the_target_reaches_it(asked):
    """The target is met, in cross-validation."""
    asked.trained(0.05, 1)

    assert asked.text == "so far: 95 % accuracy reached: lowest cross-validated error 5.0 % with 1 training row"


def test_an_error_next_to_the_target_does_not_look_equal(asked):
    """5.0 % does not reach 95 %? It is 5.01 %."""
    asked.trained(0.0501, 1000)

    assert "not reached: lowest cross-validated error 5.01 %" in asked.text


def test_a_settled_verdict_stays(asked):
    """The line is refined, not taken back."""
    asked.bounded(0.0, 0.031, 0.5)
    asked.trained(0.07, 200)

    assert asked.text == (
        "so far: 95 % accuracy is reachable: lowest cross-validated error 7.0 % with 200 training rows"
    )


def test_without_a_target_there_is_no_verdict():
    """Only what is measured."""
    asked = SoFar(None, "accuracy")
    asked.trained(0.123, 1000)

    assert asked.text == "so far: lowest cross-validated error 12.3 % with 1,000 training rows"


def test_balanced_accuracy_is_called_so():
    """A target of another measure."""
    asked = SoFar(0.9, "balanced accuracy")
    asked.trained(0.05, 1000)

    assert asked.text.startswith("so far: 90 % balanced accuracy reached: ")
