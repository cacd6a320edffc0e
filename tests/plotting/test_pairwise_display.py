"""The heat map: true numbers, in the tree's order, and nothing where nothing was seen."""

import numpy as np
import pytest

from bayesfloor.hierarchy import ClassTree
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.plotting import PairwiseDisplay


def test_cells_are_the_floors_in_the_order_of_the_tree(floor):
    """The picture says what the result says, with similar classes side by side."""
    display, pairs = PairwiseDisplay.from_estimator(floor), floor.pairwise_
    order = class_tree(pairs.classes, pairs.matrix, "average").order
    cells = display.image_.get_array()
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]

    np.testing.assert_array_equal(display.shown_, order)
    assert ticks == pairs.classes[order].tolist()
    assert ticks == [text.get_text() for text in display.ax_.get_xticklabels()]
    seen = ~cells.mask
    np.testing.assert_allclose(cells.data[seen], pairs.matrix[np.ix_(order, order)][seen])


def test_estimates_can_be_drawn_instead(floor):
    """Some want the error itself, not relative to guessing."""
    display = PairwiseDisplay.from_estimator(floor, values="estimate")

    np.testing.assert_array_equal(display.values, floor.pairwise_.estimate)
    assert "estimate" in display.name
    with pytest.raises(ValueError, match="expected one of 'relative', 'estimate'"):
        PairwiseDisplay.from_estimator(floor, values="lower")


def test_the_callers_tree_gives_the_order(floor):
    """A heat map beside a tree must have its rows."""
    tree = ClassTree.from_nested([["e", "a"], [["d", "b"], "c"]])
    display = PairwiseDisplay.from_estimator(floor, tree=tree)

    assert [text.get_text() for text in display.ax_.get_yticklabels()] == tree.classes[tree.order].tolist()


def test_what_is_too_small_to_measure_is_a_dot_and_never_a_number(floor):
    """A number there would be noise that looks like knowledge."""
    display, pairs = PairwiseDisplay.from_estimator(floor), floor.pairwise_
    part = np.ix_(display.shown_, display.shown_)
    unseen = pairs.at_resolution[part] & ~np.eye(5, dtype=bool)
    dots = {(int(y), int(x)) for x, y in display.dots_.get_offsets()}
    numbers = {(int(text.get_position()[1]), int(text.get_position()[0])) for text in display.numbers_}

    assert unseen.any()
    assert dots == set(zip(*np.nonzero(unseen), strict=True))
    assert not dots & numbers
    assert display.image_.get_array().mask[unseen].all()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["too small to measure"]


def test_numbers_are_the_values_in_ink_that_can_be_read(floor):
    """Dark on light, light on dark."""
    display = PairwiseDisplay.from_estimator(floor)
    cells = display.image_.get_array()
    at = {text: tuple(int(value) for value in text.get_position()[::-1]) for text in display.numbers_}
    values = {cells[place]: text.get_color() for text, place in at.items()}

    assert display.numbers_
    assert all(text.get_text() == f"{cells[place]:.2f}" for text, place in at.items())
    assert values[max(values)] == "white"
    assert values[min(values)] != "white"


def test_of_many_classes_the_hardest_are_drawn(make):
    """A hundred rows do not fit on a page; the title says what was left out."""
    display = make("pairwise", 100).plot()
    hardest = set(np.argsort(-np.where(display.at_resolution, -1, display.values).max(axis=1), kind="stable")[:40])

    assert set(display.shown_) == hardest
    assert display.ax_.get_title(loc="left") == "40 hardest of 100 classes"
    assert display.numbers_ == []


def test_numbers_stop_where_cells_get_small(make):
    """Up to fifteen classes there is room."""
    assert make("pairwise", 15).plot().numbers_
    assert not make("pairwise", 16).plot().numbers_


def test_a_matrix_without_anything_measurable_is_drawn():
    """Well separated classes are the happiest case, not an error."""
    display = PairwiseDisplay(np.arange(3), np.full((3, 3), 0.01), ~np.eye(3, dtype=bool), np.arange(3)).plot()

    assert len(display.dots_.get_offsets()) == 6
    assert display.frame()["at_resolution"].all()
