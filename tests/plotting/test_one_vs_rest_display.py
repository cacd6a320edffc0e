"""Classes against the rest: best estimates and ranges, hardest first."""

import numpy as np
import pytest

from bayesfloor.answer._pairs_and_classes import class_answers
from bayesfloor.plotting import OneVsRestDisplay


@pytest.fixture(scope="module")
def found(floor):
    """The answers for the classes."""
    return class_answers(floor.answer(), floor.classes_)


def test_bars_and_marks_are_the_answers_hardest_first(floor, found):
    """The picture says what the table says; classes without reliable numbers come last."""
    display = OneVsRestDisplay.from_estimator(floor)
    noted = (found.n_rows < 30) | found.too_small
    k = display.shown_[: np.count_nonzero(~noted)]

    assert noted[display.shown_].tolist() == sorted(noted)
    assert (np.diff(found.estimate[k]) <= 0).all()
    np.testing.assert_allclose([bar.get_x() for bar in display.ranges_], np.nan_to_num(found.lower[k]))
    np.testing.assert_allclose([bar.get_x() + bar.get_width() for bar in display.ranges_], found.upper[k])
    np.testing.assert_allclose([line[0, 0] for line in display.estimates_.get_segments()], found.estimate[k])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == found.classes[display.shown_].tolist()


def test_the_papers_bounds_can_be_drawn_and_are_no_interval(floor):
    """Bounds taken for a confidence interval are the commonest misreading."""
    display, trees = OneVsRestDisplay.from_results(floor.one_vs_rest_), floor.one_vs_rest_
    k = display.shown_[: len(display.ranges_)]

    np.testing.assert_allclose([bar.get_x() for bar in display.ranges_], trees.lower[k])
    assert "not a confidence interval" in display.caption_
    assert {bar.get_facecolor()[3] for bar in display.ranges_} == {1.0}


def test_classes_with_few_rows_are_grey_and_have_a_note_instead_of_numbers(floor):
    """Twelve rows give numbers too, and nobody should believe them."""
    display = OneVsRestDisplay.from_estimator(floor)
    place = display.classes[display.shown_].tolist().index("e")
    colors = [tick.get_color() for tick in display.ax_.get_yticklabels()]

    assert display.texts_[place].get_text() == "too few rows"
    assert [colors[place] == color for color in colors] == (display.note[display.shown_] != "").tolist()


def test_the_number_of_rows_stands_beside_each_label(floor):
    """In a text of its own: within a right-to-left label it would change places."""
    display = OneVsRestDisplay.from_estimator(floor)
    counts = {text.xy[1]: text.get_text() for text in display.ax_.texts if text.get_ha() == "right"}

    assert [counts[y] for y in range(5)] == [f"{n:g}" for n in display.n_rows[display.shown_]]


def test_of_many_classes_the_hardest_are_drawn(make):
    """The title says what was left out."""
    display = make("one_vs_rest", 100).plot(most=7)

    assert display.shown_.tolist() == list(range(99, 92, -1))
    assert display.ax_.get_title(loc="left").startswith("7 hardest of 100 classes")
