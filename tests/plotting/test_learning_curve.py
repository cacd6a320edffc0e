"""The curve over rows: measured, predicted, and where it ends."""

import numpy as np
import pytest

from bayesfloor.plotting import LearningCurveDisplay
from bayesfloor.selection._learning import learning_curve, samples_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def curve(floor):
    """The curve of five classes."""
    return learning_curve(floor)


def test_points_bars_and_the_limit_are_the_curve(curve):
    """The picture says what the result says."""
    display = LearningCurveDisplay.from_curve(curve)
    half = [(end[1] - end[0]) / 2 for end in np.array(display.bars_.get_segments())[:, :, 1]]

    np.testing.assert_allclose(display.points_.get_xydata(), np.stack([curve.n_rows, curve.cross_rate], axis=1))
    np.testing.assert_allclose(half, 1.96 * curve.std_error, rtol=1e-3)
    assert display.limit_.get_ydata() == [curve.limit]
    np.testing.assert_allclose(display.limit_interval_.get_segments()[0][:, 1], curve.limit_interval())


def test_the_band_goes_on_to_sixteen_times_the_rows(curve):
    """As far as anyone should look."""
    display = LearningCurveDisplay.from_curve(curve)
    end, last = curve.predict(16 * curve.n_rows[-1]), display.line_.get_xydata()[-1]

    np.testing.assert_allclose(last, [16 * curve.n_rows[-1], end.cross_rate])
    right = [y for path in display.band_.get_paths() for x, y in path.vertices if np.isclose(x, last[0])]
    np.testing.assert_allclose([min(right), max(right)], [end.low, end.high])


def test_a_target_is_drawn_at_its_error_with_the_rows_that_it_needs(curve):
    """A target is an accuracy, the axis one of errors."""
    n = int(curve.n_rows[-1])
    error = (curve.cross_rate[-1] + curve.predict(4 * n).cross_rate) / 2
    needed = samples_for(curve, 1 - error)
    display = LearningCurveDisplay.from_curve(curve, needed)

    assert display.target_.get_ydata()[0] == pytest.approx(error)
    np.testing.assert_allclose(display.needed_.get_offsets()[0], [needed.needed, error])
    assert display.ax_.get_legend().get_texts()[-1].get_text() == needed.text.split(". ")[0]


@pytest.mark.parametrize("target", [0.01, 0.9999999])
def test_a_target_that_needs_no_rows_or_none_would_do_has_no_star(curve, target):
    """Only the line."""
    display = LearningCurveDisplay.from_curve(curve, samples_for(curve, target))

    assert display.target_ is not None
    assert display.needed_ is None


@pytest.mark.nightly
def test_no_text_touches_another_or_the_edge_whatever_the_answer(curve, overlaps, outside):
    """The longest answers fit as well."""
    for target in (0.01, 0.8, 0.95, 0.9999999):
        display = LearningCurveDisplay.from_curve(curve, samples_for(curve, target))

        assert overlaps(display.figure_) == []
        assert outside(display.figure_) == []


def test_numbers_of_millions_of_rows_do_not_touch(curve, overlaps):
    """Each size has its name."""
    from dataclasses import replace

    many = replace(curve, n_rows=np.array([500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000])[-len(curve.n_rows) :])
    display = LearningCurveDisplay.from_curve(many)

    assert overlaps(display.figure_) == []


def test_other_labels_on_the_same_trees_have_a_curve_too(floor):
    """Which is measured anew."""
    labels = np.empty(252, dtype="U5")
    labels[floor.samples_.row] = np.where(np.isin(floor.samples_.label, ["a", "b"]), "left", "right")
    other = floor.relabel(labels)
    display = LearningCurveDisplay.from_estimator(other)

    assert display.points_.get_ydata()[-1] == pytest.approx(other.overall_.cross_rate)
