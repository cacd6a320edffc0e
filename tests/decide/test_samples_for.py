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


@pytest.mark.parametrize(
    ("target", "word", "told"),
    [
        (0.6, "enough", "60 % accuracy is reachable with the rows at hand (320 training rows)."),
        (0.68, "too close to call", "the 320 training rows at hand may be enough, but are too few to confirm it."),
        (0.8, "more rows", "80 % accuracy needs about 1,300 training rows (at least 740; at most 2,600)"),
        (0.88, "more rows", "possibly never enough"),  # the interval's high end stays above
        (0.93, "too close to call", "These data cannot say how many rows 93 % accuracy needs"),  # beyond the curve
        (0.97, "out of reach", "97 % accuracy"),
    ],
)
def test_the_verdict_and_the_number_of_rows_are_of_one_mind(answer, target, word, told):
    """Read where the curve comes down to the target, up to 64 times the rows."""
    found = samples_for(answer, target)

    assert found.word == word
    assert told in found.text
    assert (found.needed == np.inf) == (target > 0.9)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["needed"] == (
        None if target > 0.9 else found.needed
    )


def test_rows_are_read_where_the_curve_comes_down(answer):
    """At four times the rows the error is .2; out of reach is no number of rows."""
    enough, more, never = (samples_for(answer, target) for target in (0.6, 0.8, 0.97))

    assert enough.needed <= enough.high == enough.n_rows == 320
    assert more.needed == pytest.approx(4 * 320)
    assert more.low < more.needed < more.high
    assert never.low == never.high == np.inf


@pytest.mark.slow
def test_pure_chance_is_never_called_out_of_reach():
    """What no learner sees may still be there."""
    rng = np.random.default_rng(0)
    floor = BayesFloor(interval="fast").fit(rng.normal(size=(300, 3)), rng.integers(2, size=300))

    assert samples_for(floor, 0.9).word == "too close to call"


def test_a_harder_target_never_needs_fewer_rows_of_a_floor_or_of_its_answer(answer):
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    floor = BayesFloor(interval="fast").fit(rng.normal(size=(200, 2)) + y[:, None], y)

    assert samples_for(floor, 0.8).to_dict() == samples_for(floor.answer(), 0.8).to_dict()

    needed = [samples_for(answer, target).needed for target in np.arange(0.5, 1.0, 0.01)]

    assert needed == sorted(needed)


@pytest.mark.parametrize("target", [95, 0, "0.9"])
def test_what_is_not_an_accuracy_is_refused(answer, target):
    """Percentages are the usual slip; and what is not fitted is."""
    with pytest.raises(ValueError, match="expected an accuracy"):
        samples_for(answer, target)
    with pytest.raises(TypeError, match="expected a fitted BayesFloor"):
        samples_for([1, 2], 0.9)
