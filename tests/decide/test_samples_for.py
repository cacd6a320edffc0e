"""How many rows a target needs: read from the answer's own learning curve."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.decide import samples_for


@pytest.fixture(scope="module")
def answer():
    """Overlapping classes, with a learning curve that falls from .4 to .1."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    found = BayesFloor(interval="fast").fit(rng.normal(size=(400, 2)) + 2 * y[:, None], y).answer()
    error = np.array([0.4, 0.36, 0.33, 0.3, 0.25, 0.2, 0.16, 0.14, 0.12, 0.1])
    curve = replace(found.curve, error=error, low=error - 0.04, high=error + 0.04)
    return replace(found, curve=curve, estimate=0.09, lower=0.05, upper=0.34)


def test_what_is_reachable_needs_no_more_rows(answer):
    """The verdict and the number of rows are of one mind."""
    found = samples_for(answer, 0.6)

    assert found.word == "enough"
    assert found.needed <= found.high == found.n_rows == 320
    assert found.text == "60 % accuracy is reachable with the rows at hand (320 training rows)."


def test_what_is_out_of_reach_has_no_number(answer):
    """No number of rows makes these kinds of model reach it."""
    found = samples_for(answer, 0.97)

    assert found.word == "out of reach"
    assert found.needed == found.low == found.high == np.inf


def test_rows_are_read_where_the_curve_comes_down(answer):
    """At four times the rows the error is .2."""
    found = samples_for(answer, 0.8)

    assert found.word == "more rows"
    assert found.needed == pytest.approx(4 * 320)
    assert found.low < found.needed < found.high
    assert found.text.startswith("80 % accuracy needs about 1,300 training rows (at least 740; at most 2,600)")


def test_a_curve_that_may_never_get_there_says_so(answer):
    """The interval's high end stays above."""
    found = samples_for(answer, 0.88)

    assert found.word == "more rows"
    assert "possibly never enough" in found.text


def test_beyond_the_curve_nothing_is_promised(answer):
    """64 times the rows are the farthest that is predicted."""
    found = samples_for(answer, 0.93)

    assert found.word == "too close to call"
    assert found.needed == np.inf
    assert found.text.startswith("These data cannot say how many rows 93 % accuracy needs")


def test_rows_at_hand_that_may_be_enough_are_said_to_be(answer):
    """The curve meets the target, and the range does not confirm it."""
    found = samples_for(answer, 0.68)

    assert found.word == "too close to call"
    assert found.text.endswith("the 320 training rows at hand may be enough, but are too few to confirm it.")


def test_a_harder_target_never_needs_fewer_rows(answer):
    """Along all targets."""
    needed = [samples_for(answer, target).needed for target in np.arange(0.5, 1.0, 0.01)]

    assert needed == sorted(needed)


@pytest.mark.slow
def test_pure_chance_is_never_called_out_of_reach():
    """What no learner sees may still be there."""
    rng = np.random.default_rng(0)
    floor = BayesFloor(interval="fast").fit(rng.normal(size=(300, 3)), rng.integers(2, size=300))

    assert samples_for(floor, 0.9).word == "too close to call"


def test_a_floor_and_its_answer_say_the_same():
    """The answer need not be made again."""
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    floor = BayesFloor(interval="fast").fit(rng.normal(size=(200, 2)) + y[:, None], y)

    assert samples_for(floor, 0.8).to_dict() == samples_for(floor.answer(), 0.8).to_dict()


def test_it_can_be_written_down(answer):
    """As JSON and as a table; what is infinite is null."""
    found = samples_for(answer, 0.97)

    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["needed"] is None
    assert found.frame()["word"].tolist() == ["out of reach"]


@pytest.mark.parametrize("target", [95, 0, "0.9"])
def test_what_is_not_an_accuracy_is_refused(answer, target):
    """Percentages are the usual slip."""
    with pytest.raises(ValueError, match="expected an accuracy"):
        samples_for(answer, target)


def test_what_is_not_fitted_is_refused():
    """In a line."""
    with pytest.raises(TypeError, match="expected a fitted BayesFloor"):
        samples_for([1, 2], 0.9)
