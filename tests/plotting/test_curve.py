"""The curve: what was measured at each number of rows, and the limit apart."""

import copy

import numpy as np

from bayesfloor.plotting import FloorCurveDisplay


def test_the_last_point_is_the_floor_and_the_limit_stands_behind_it(floor):
    """The curve ends where ``overall_`` is."""
    display, overall = FloorCurveDisplay.from_estimator(floor), floor.overall_

    assert display.n_rows.tolist() == [overall.n_rows / 4, overall.n_rows, np.inf]
    at = overall.bounds_at(overall.cross_rate)
    np.testing.assert_allclose(
        [display.lower[1], display.estimate[1], display.upper[1]], [at.lower, at.estimate, at.upper]
    )
    assert display.estimate[2] == overall.bounds_at(overall.limit).estimate
    np.testing.assert_allclose(display.line_.get_xydata(), np.stack([display.n_rows, display.estimate], axis=1)[:2])


def test_a_quarter_has_the_rate_that_quarters_showed(floor):
    """The drop is stored without forced edges; put back, they give the mean of the quarters."""
    from bayesfloor.floor._spread import measure_quarters
    from bayesfloor.plotting._curve import _quarter_rate

    rng = np.random.default_rng(floor.random_state)
    quarters = measure_quarters(floor._points, floor._sample, floor.n_trees, 1, rng, None, None)

    np.testing.assert_allclose(_quarter_rate(floor), quarters.cross_rate.mean())


def test_growing_samples_are_points_too(floor):
    """Where samples grew, their rates and intervals are known."""
    grown = copy.copy(floor)
    grown.curve_ = [{"n_rows": 100, "cross_rate": 0.3, "std_error": 0.01}]
    display = FloorCurveDisplay.from_estimator(grown)
    at = floor.overall_.bounds_at

    assert 100 in display.n_rows
    place = display.n_rows.tolist().index(100)
    np.testing.assert_allclose(
        [display.low[place], display.estimate[place], display.high[place]],
        [at(0.3 - 0.0196).estimate, at(0.3).estimate, at(0.3 + 0.0196).estimate],
        rtol=1e-3,
    )


def test_other_labels_on_the_same_trees_have_one_point(floor):
    """``relabel`` measures no quarters: no curve is made up."""
    labels = np.empty(252, dtype="U5")
    labels[floor.samples_.row] = np.where(np.isin(floor.samples_.label, ["a", "b"]), "left", "right")
    other = floor.relabel(labels)
    display = FloorCurveDisplay.from_estimator(other)

    assert display.n_rows.tolist() == [252]


def test_names_of_numbers_of_rows_do_not_touch(overlaps):
    """Growing samples come close to the quarter at times."""
    n = np.array([12_400, 12_500, 25_000, 49_000, 50_000, np.inf])
    flat = np.full(6, 0.1)
    display = FloorCurveDisplay(n, flat, flat, flat, flat, flat).plot()

    assert overlaps(display.figure_) == []
