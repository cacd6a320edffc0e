"""Selected features: the path, what was not shown, and the held-out rows."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from bayesfloor import FloorSelector
from bayesfloor.plotting import SelectionDisplay


@pytest.fixture(scope="module")
def selector():
    """Three features of wine, and a quarter of the rows left for testing."""
    return FloorSelector(n_features=3).fit(*load_wine(return_X_y=True, as_frame=True))


def test_the_dots_are_the_path(selector):
    """The picture says what the path says."""
    display, path = SelectionDisplay.from_estimator(selector), selector.path_

    np.testing.assert_allclose(display.dots_.get_offsets()[:, 0], path.cross_rate)
    assert {x for line in display.all_.get_segments() for x in line[:, 0]} == {path.all_cross_rate}
    assert "all 13 features" in [text.get_text() for text in display.ax_.texts]
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [*selector.feature_names_in_[selector.order_], "on held-out rows"]


def test_the_result_on_held_out_rows_is_below_the_steps(selector):
    """It is the one to trust."""
    display, held_out = SelectionDisplay.from_path(selector.path_), selector.path_.holdout

    assert display.held_out_.get_offsets()[0, 0] == pytest.approx(held_out.cross_rate)
    assert display.held_out_.get_offsets()[0, 1] > len(selector.path_.added)
    assert held_out.word in {text.get_text() for text in display.ax_.texts}


def test_steps_that_were_not_shown_to_help_are_hollow_and_say_so(path):
    """Asked for so many features, the selector adds what it cannot vouch for."""
    found = path(["a", "b", "c", "d", "e", "f"])
    display = SelectionDisplay.from_path(found)
    hollow = [np.allclose(color[:3], 1.0) for color in display.dots_.get_facecolors()]
    told = [text.xy[1] for text in display.ax_.texts if text.get_text() == "no significant gain"]

    assert hollow == (~found.shown).tolist()
    assert told == np.flatnonzero(~found.shown).tolist()


def test_a_step_is_shown_where_its_line_ends_left_of_the_step_before(path):
    """The interval of the gain, drawn around what is left."""
    found = path(["a", "b", "c", "d", "e", "f"])
    right = [line[1, 0] for line in SelectionDisplay.from_path(found).intervals_.get_segments()]

    assert (np.array(right[1:]) < found.cross_rate[:-1]).tolist() == found.shown[1:].tolist()


def test_another_criterion_has_no_lines_on_this_axis(path):
    """Gains of the worst pair are no gains of the whole."""
    display = SelectionDisplay.from_path(path(["a", "b"], criterion="worst"))

    assert display.intervals_ is None


def test_without_rows_held_out_nothing_is_said_of_them(path):
    """One step, and no row below it."""
    display = SelectionDisplay.from_path(path(["a"], hold_out=False))

    assert display.held_out_ is None
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a"]
    assert "held-out" not in display.caption_


def test_of_many_steps_the_first_and_the_last_are_drawn(path):
    """The title says what was left out."""
    display = SelectionDisplay.from_path(path([f"x{i}" for i in range(200)]))

    assert display.shown_.tolist() == [*range(39), 199]
    assert display.ax_.get_title(loc="left") == "200 of 400 features, first 39 and the last of 200 steps"


def test_two_features_of_one_step_share_a_row(path):
    """Pairs that only help together."""
    from dataclasses import replace

    found = replace(path(["a", "b"]), added=(("$a$", "b"), ("c",)), n_features=np.array([2, 3]))
    display = SelectionDisplay.from_path(found)

    assert [text.get_text() for text in display.ax_.get_yticklabels()][:2] == ["$a$ + b", "c"]


def test_a_selector_that_is_not_fitted_is_told_so():
    """As all of scikit-learn does."""
    with pytest.raises(NotFittedError):
        SelectionDisplay.from_estimator(FloorSelector())
