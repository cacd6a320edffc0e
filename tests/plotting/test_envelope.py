"""The ruler: bars, markers and a target, however crowded."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.floor._envelope import Envelope
from bayesfloor.plotting import EnvelopeDisplay


@pytest.fixture
def envelope():
    """An envelope without classifiers having been trained."""
    nothing = np.zeros(0)
    return Envelope(
        0.05,
        0.1,
        0.2,
        "unknown",
        (),
        {"linear": 0.12, "blend": 0.11},
        "blend",
        0.0,
        0.0,
        0.1,
        252,
        nothing,
        nothing,
        nothing,
    )


def test_bars_and_markers_are_the_results(envelope, floor):
    """The picture says what the results say."""
    overall, trusted = floor.overall_, replace(envelope, trust="small bias")
    display = EnvelopeDisplay.from_results(trusted, overall)
    bars = [(bar[0].get_x(), bar[0].get_x() + bar[0].get_width()) for bar in display.bars_]
    low, high = (overall.bounds_at(end) for end in overall.interval())

    np.testing.assert_allclose(bars, [(0.05, 0.2), (overall.lower, overall.upper), (low.lower, high.upper)])
    np.testing.assert_allclose(display.markers_.get_offsets()[:, 0], [0.11, 0.12])
    np.testing.assert_allclose([line[0, 0] for line in display.ticks_.get_segments()], [0.1, overall.estimate])


def test_a_lower_end_that_is_not_known_is_not_drawn(envelope, floor):
    """Where trust is not given the picture claims no more than the words do."""
    display = EnvelopeDisplay.from_results(envelope, floor.overall_)
    first = display.bars_[0][0]

    np.testing.assert_allclose((first.get_x(), first.get_width()), (0.0, 0.2))
    assert "at most 0.200, lower end not known" in [text.get_text() for text in display.ax_.texts]


def test_a_target_is_marked_at_its_error(envelope, floor):
    """A target is an accuracy, the ruler one of errors."""
    display = EnvelopeDisplay.from_results(envelope, floor.overall_, target=0.85)
    lines = [line.get_xdata()[0] for line in display.ax_.lines]

    assert any(np.isclose(x, 0.15) for x in lines)
    with pytest.raises(ValueError, match="target"):
        EnvelopeDisplay.from_results(envelope, floor.overall_, target=95)


def test_a_ruler_that_ends_before_guessing_says_so():
    """Else a tiny error fills the page and looks large."""
    near = EnvelopeDisplay((0.0, 0.01, 0.02), (0.01, 0.02, 0.03), (0.0, 0.04), {"linear": 0.01}, 0.9).plot()
    far = EnvelopeDisplay((0.4, 0.5, 0.6), (0.4, 0.5, 0.6), (0.3, 0.7), {"linear": 0.5}, 0.9).plot()

    assert near.zoomed_
    assert near.ax_.get_xlabel() == "error (guessing errs on 90 %: →)"
    assert near.ax_.get_xlim()[1] < 0.1
    assert not far.zoomed_
    assert far.ax_.get_xlim()[1] > 0.9


def test_an_envelope_is_a_table(envelope, floor):
    """One row for each bar and marker."""
    frame = EnvelopeDisplay.from_results(envelope, floor.overall_).frame()

    assert frame["name"].tolist() == ["trees and classifiers", "trees", "trees, 95 % interval", "blend", "linear"]


def test_nothing_but_zeros_is_drawn():
    """Separate classes and perfect classifiers."""
    display = EnvelopeDisplay((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0), {"linear": 0.0}, 0.5).plot()

    assert display.zoomed_
    assert display.ax_.get_xlim()[1] > 0
