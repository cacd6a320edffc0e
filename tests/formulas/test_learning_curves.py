"""Learning curves: known laws are found again, and limits hold the truth as often as they say."""

import numpy as np
import pytest

from bayesfloor.formulas._learning_curves import fit_curves, weighted_quantiles

PARTS = np.array([0.125, 0.25, 0.5, 1.0])


def exactly(losses, n_units=10**6, guessing=0.5):
    return fit_curves(PARTS, np.asarray(losses), np.eye(4) * 1e-7, n_units, guessing)


def test_curves_weigh_one_go_through_the_loss_and_fall_towards_their_limits():
    """As every later step takes for granted."""
    curves = exactly([0.3, 0.25, 0.22, 0.2])

    assert curves.weight.sum() == pytest.approx(1)
    assert (curves.limit < curves.full).all()

    np.testing.assert_allclose(curves.at(1.0), curves.full)

    two, many = curves.at(2.0), curves.at(1e9)
    assert (two < curves.full).all()
    assert (many <= two).all()
    assert np.average(many - curves.limit, weights=curves.weight) < 0.01


@pytest.mark.parametrize("c", [0.35, 0.5, 1.0])
@pytest.mark.parametrize("limit", [0.05, 0.1])
def test_a_power_law_is_extrapolated(limit, c):
    """The truth lies in the range, and the middle is nearer to it than the loss at full size is."""
    losses = limit + 0.1 * PARTS**-c
    curves = exactly(losses)

    low, middle, high = weighted_quantiles(curves.limit, curves.weight, np.array([0.025, 0.5, 0.975]))
    assert low < limit < high
    assert abs(middle - limit) < 0.05


def test_flat_curves_end_where_they_are_and_no_errors_are_no_trouble():
    """By weighted quantiles, of which one is worked by hand."""
    curves = exactly([0.2, 0.2, 0.2, 0.2])

    assert weighted_quantiles(curves.limit, curves.weight, np.array([0.5]))[0] > 0.17

    curves = fit_curves(PARTS, np.zeros(4), np.zeros((4, 4)), 200, 0.5)

    assert np.isfinite(curves.weight).all()
    assert curves.limit.max() < 0.02

    assert weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([0.25, 1.0])).tolist() == [
        1,
        3,
    ]


def test_noise_widens_the_range():
    losses = 0.1 + 0.05 * PARTS**-0.5
    wide = fit_curves(PARTS, losses, np.eye(4) * 4e-4, 500, 0.5)

    ends = [weighted_quantiles(c.limit, c.weight, np.array([0.025, 0.975])) for c in (exactly(losses), wide)]
    assert np.ptp(ends[1]) > np.ptp(ends[0])
