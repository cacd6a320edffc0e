"""The paper's figures: bounds and trees against a Bayes error that is known."""

import numpy as np
import pytest

from bayesfloor.plotting import BoundsDisplay, TreesDisplay
from bayesfloor.plotting._gaussians import bayes_error


@pytest.mark.parametrize("share", [0.15, 1 / 3, 0.5])
def test_the_true_error_of_two_gaussians_is_the_integral_of_the_smaller_density(share):
    """The truth in the picture, by another way."""
    from scipy.integrate import quad
    from scipy.stats import norm

    for far in (0.5, 1.0, 3.0):
        smaller = lambda x, far=far: min(share * norm.pdf(x), (1 - share) * norm.pdf(x - far))  # noqa: E731
        assert bayes_error(far, share) == pytest.approx(quad(smaller, -10, 14, limit=200)[0], abs=1e-6)
    assert bayes_error(0.0, share) == min(share, 1 - share)


def test_lines_are_means_over_repetitions():
    """And the band holds nine in ten."""
    display = BoundsDisplay.from_gaussians([0.0, 2.0], n_rows=60, repetitions=5, proportion=0.15)

    for name in ("lower", "estimate", "upper", "uncorrected"):
        np.testing.assert_allclose(display.lines_[name].get_ydata(), getattr(display, name).mean(axis=0))
    np.testing.assert_allclose(display.lines_["truth"].get_ydata(), display.truth)
    assert (display.estimate <= 0.15 + 1e-12).all()
    assert display.uncorrected.max() > 0.15


def test_bounds_without_the_uncorrected_estimate_are_drawn():
    """Not everyone compares the two."""
    one = np.full((1, 3), 0.1)
    display = BoundsDisplay(np.arange(3.0), one[0], one, one, one).plot()

    assert "uncorrected" not in display.lines_
    assert "uncorrected" not in display.frame()


def test_lines_differ_without_colour():
    """By dashes or markers."""
    one = np.full((2, 3), 0.1)
    lines = BoundsDisplay(np.arange(3.0), one[0], one, one, one, one).plot().lines_.values()

    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 5


def test_means_and_deviations_are_drawn_for_each_number_of_trees():
    """The picture says what was simulated."""
    display = TreesDisplay.from_gaussians(1.0, most_trees=3, n_rows=60, repetitions=4)
    mean, deviation = display.estimates.mean(axis=0), display.estimates.std(axis=0)

    np.testing.assert_allclose(display.line_.get_ydata(), mean)
    ends = np.array(display.bars_.get_segments())[:, :, 1]
    np.testing.assert_allclose(ends, np.stack([mean - deviation, mean + deviation], axis=1))
    np.testing.assert_allclose(display.frame()["mean"], mean)


def test_the_same_seed_gives_the_same_simulation():
    """A figure of a paper must come out again."""
    one, two = (TreesDisplay.from_gaussians(1.0, most_trees=2, n_rows=40, repetitions=2) for _ in range(2))

    np.testing.assert_array_equal(one.estimates, two.estimates)
