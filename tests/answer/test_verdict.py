"""The forecast, and the outcome for a target accuracy that follows from it."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer import Basis, Forecast, Reason
from bayesfloor.answer._answer import check_target
from bayesfloor.answer._forecast import GROWTH, LEVELS, make_forecast

EVEN = (np.linspace(0.1, 0.2, 1001), np.full(1001, 1 / 1001))  # any error from .1 to .2, all equally likely
UNKNOWN = (Basis.LATER, Basis.UNDECIDED, Basis.SYNTHETIC, Basis.UNTRAINED)


@pytest.fixture(scope="module")
def answer():
    """One whose lowest possible error is .1 to .2, and .25 was shown to be reachable."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    found = BayesFloor().fit(rng.normal(size=(200, 2)) + y[:, None], y).answer("quick")
    forecast = Forecast(0.1 + 0.1 * LEVELS, tuple(0.1 + 0.1 * LEVELS + 0.04 / each for each in GROWTH), 160)
    return replace(found, lower=0.1025, estimate=0.15, upper=0.25, reasons=(), forecast=forecast)


@pytest.mark.parametrize(
    ("error", "chance", "outcome"),
    [
        (0.25, 0.99, "reachable"),
        (0.24, 0.99, "likely"),
        (0.181, 0.81, "likely"),
        (0.179, 0.79, "open"),
        (0.121, 0.21, "open"),
        (0.119, 0.19, "unlikely"),
        (0.106, 0.06, "unlikely"),
        (0.104, 0.04, "out of reach"),
        (0.0, 0.01, "out of reach"),
    ],
)
def test_the_outcome_follows_the_probability_but_only_what_was_shown_is_reachable(answer, error, chance, outcome):
    """A wrong "reachable" costs months."""
    assert (answer.chance(1 - error), answer.verdict(1 - error)) == (pytest.approx(chance), outcome)


@pytest.mark.parametrize("basis", UNKNOWN)
def test_what_nothing_can_be_said_of_has_no_probability(answer, basis):
    """What was shown holds all the same, and so does what equal rows prove."""
    unsure = replace(answer, reasons=(Reason(Basis.NO_SIGNAL), Reason(basis)))

    assert unsure.verdict(0.85) == "cannot say"
    assert np.isnan(unsure.chance(0.85))
    assert unsure.unknown == Reason(basis)
    assert (unsure.verdict(0.7), unsure.chance(0.7)) == ("reachable", 0.95)

    proved = replace(unsure, why_lower=Reason(Basis.EQUAL_ROWS))

    assert (proved.verdict(0.95), proved.chance(0.95)) == ("out of reach", 0.01)
    assert proved.verdict(0.85) == "cannot say"

    untrained = replace(answer, forecast=None)

    assert untrained.verdict(0.85) == "cannot say"
    assert untrained.unknown == Reason(Basis.UNTRAINED)
    assert np.isnan(untrained.quantiles([0.5])).all()


def test_scores_are_accuracies_of_the_same_posterior(answer):
    assert answer.score == 0.85
    assert answer.score_range == pytest.approx((0.75, 0.8975))
    np.testing.assert_allclose(answer.quantiles([0.025, 0.5]), [0.1025, 0.15])


def test_more_rows_bring_the_target_nearer(answer):
    """And never beyond what unlimited rows bring; a fraction of a doubling is one on a logarithmic scale."""
    rows = [1, 160, 226, 320, 10_240, 10**9]
    chances = [answer.chance(0.85, each) for each in rows]

    assert chances == sorted(chances)
    assert chances[0] == chances[1] == pytest.approx(0.1, abs=0.006)
    assert chances[2] == pytest.approx(0.2, abs=0.01)
    assert chances[4] == chances[5] <= answer.chance(0.85)
    assert answer.forecast.rows_for(0.17) == pytest.approx(320)
    assert answer.forecast.rows_for(0.19) == 160
    assert answer.forecast.rows_for(0.1) == np.inf
    assert answer.forecast.rows_for(0.17, chance=0.8) > 320
    with pytest.raises(ValueError, match="Got rows=0, but expected a number of training rows, such as 20_000"):
        answer.chance(0.85, 0)


def test_a_forecast_is_narrowed_and_leaves_room_for_a_hidden_pattern():
    """Near guessing, learners may have missed anything; ends that are known cut it."""
    of = {"measured": 0.2, "guessing": 0.9, "ends": (0.0, 0.5)}
    seen = make_forecast(100, lambda _: EVEN, **of)
    hardly = make_forecast(100, lambda _: EVEN, **{**of, "guessing": 0.21})

    np.testing.assert_allclose(seen.quantiles([0.25, 0.5]), [0.127, 0.15], atol=0.002)
    assert hardly.chance(0.05) > 0.05 > seen.chance(0.05)

    cut = make_forecast(100, lambda _: EVEN, **{**of, "ends": (0.13, 0.16)})

    assert (cut.lowest.min(), cut.lowest.max()) == (0.13, 0.16)
    assert cut.errors[0].max() > 0.16  # the rows at hand may do worse than what is possible


def test_two_forecasts_are_mixed_in_equal_parts():
    low, high = (
        make_forecast(10, lambda _, e=e: (np.array([e]), np.ones(1)), measured=e, guessing=0.9, ends=(0, e))
        for e in (0.1, 0.3)
    )

    assert low.mix(high).chance(0.2) == pytest.approx(0.51, abs=0.02)


@pytest.mark.parametrize("target", [0, -0.1, 1.01, 95, float("nan"), "0.9", None, True, [0.9]])
def test_what_is_not_an_accuracy_is_refused(target):
    """Percentages are the usual slip."""
    with pytest.raises(ValueError, match=r"Got target=.*, but expected an accuracy above 0 and up to 1, such as 0.95"):
        check_target(target)


@pytest.mark.parametrize("target", [0.7, 0.8, 0.9])
def test_a_target_that_equals_the_upper_end_is_reachable(answer, target):
    """1 - 0.9 is less than 0.1 in a computer."""
    assert replace(answer, upper=round(1 - target, 3), estimate=0.05, lower=0.01).verdict(target) == "reachable"
