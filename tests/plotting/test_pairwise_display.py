"""The heat map: true numbers, in the tree's order, and nothing where nothing was seen."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from bayesfloor.answer._pairs_and_classes import pair_answers
from bayesfloor.hierarchy import ClassTree
from bayesfloor.hierarchy._cuts import pair_tree
from bayesfloor.plotting import PairwiseDisplay
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.plotting._pairwise_display import luminance


@pytest.fixture(scope="module")
def pairs(floor):
    """The answers for the pairs."""
    return pair_answers(floor.answer(), floor.classes_)


def test_cells_are_the_best_estimates_in_the_order_of_the_tree(floor, pairs):
    """The picture says what the report says, with similar classes side by side."""
    display, tree = PairwiseDisplay.from_estimator(floor), pair_tree(floor.pairwise_, "average")
    order = layout(tree).rows
    cells = display.image_.get_array()
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]

    np.testing.assert_array_equal(display.shown_, order)
    assert ticks == pairs.classes[order].tolist()
    assert ticks == [text.get_text() for text in display.ax_.get_xticklabels()]
    seen = ~cells.mask
    np.testing.assert_allclose(cells.data[seen], pairs.relative[np.ix_(order, order)][seen])
    assert display.n_rows == 252


def test_the_papers_estimates_can_be_drawn_and_say_so(floor):
    """For those who want the paper's method."""
    display = PairwiseDisplay.from_results(floor.pairwise_)

    np.testing.assert_array_equal(display.relative, floor.pairwise_.matrix)
    assert "tree estimate" in display.caption_
    assert display.n_rows == 252


def test_colours_mean_the_same_for_all_data(floor, make):
    """A pale map is of classes that are easy to separate, and never stretched."""
    one, other = PairwiseDisplay.from_estimator(floor), make("pairwise", 4).plot()

    assert one.image_.norm.boundaries.tolist() == other.image_.norm.boundaries.tolist()
    assert (one.image_.norm.vmin, one.image_.norm.vmax) == (0.0, 1.0)
    scale = [tick.get_text() for tick in one.figure_.axes[1].get_yticklabels()]
    assert (scale[0], scale[-1]) == ("0 %", "100 %")


def test_words_that_all_labels_share_are_cut():
    """A column has space for what differs."""
    names = np.array([f"Customer segment Sub {k:03d}" for k in range(3)])
    display = PairwiseDisplay(names, np.full((3, 3), 0.1), np.eye(3, dtype=bool), np.arange(3), 90.0).plot()

    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["… Sub 000", "… Sub 001", "… Sub 002"]


def test_the_callers_tree_gives_the_order(floor):
    """A heat map beside a tree must have its rows."""
    tree = ClassTree.from_nested([["e", "a"], [["d", "b"], "c"]])
    display = PairwiseDisplay.from_estimator(floor, tree=tree)

    assert [text.get_text() for text in display.ax_.get_yticklabels()] == tree.classes[layout(tree).rows].tolist()


def test_what_is_too_small_to_measure_is_a_dot_and_never_a_number(floor, pairs):
    """A number there would be noise that looks like knowledge."""
    display = PairwiseDisplay.from_estimator(floor)
    part = np.ix_(display.shown_, display.shown_)
    unseen = pairs.too_small[part] & ~np.eye(5, dtype=bool)
    dots = {(int(y), int(x)) for x, y in display.dots_.get_offsets()}
    numbers = {(int(text.get_position()[1]), int(text.get_position()[0])) for text in display.numbers_}

    assert unseen.any()
    assert dots == set(zip(*np.nonzero(unseen), strict=True))
    assert not dots & numbers
    assert display.image_.get_array().mask[unseen].all()
    assert "too small to measure" in display.ax_.get_xlabel()


def test_numbers_are_percentages_in_ink_that_can_be_read(make):
    """Dark on light, light on dark."""
    display = make("pairwise", 15).plot()
    cells = display.image_.get_array()
    at = {text: tuple(int(value) for value in text.get_position()[::-1]) for text in display.numbers_}
    values = {cells[place]: text.get_color() for text, place in at.items()}

    assert display.numbers_
    assert all(float(text.get_text()) == pytest.approx(100 * cells[place], abs=0.5) for text, place in at.items())
    assert luminance(to_rgba(values[max(values)])) > 0.5 > luminance(to_rgba(values[min(values)]))


def test_of_many_classes_the_hardest_are_drawn(make):
    """A hundred rows do not fit on a page; the title says what was left out."""
    display = make("pairwise", 100).plot()
    hardest = set(np.argsort(-np.where(display.too_small, -1, display.relative).max(axis=1), kind="stable")[:40])

    assert set(display.shown_) == hardest
    assert display.ax_.get_title(loc="left") == "40 hardest of 100 classes"
    assert display.numbers_ == []


def test_numbers_stop_where_cells_get_small(make):
    """Up to fifteen classes there is room."""
    assert make("pairwise", 15).plot().numbers_
    assert not make("pairwise", 16).plot().numbers_


def test_a_matrix_without_anything_measurable_is_drawn():
    """Well separated classes are the happiest case, not an error."""
    display = PairwiseDisplay(np.arange(3), np.full((3, 3), 0.01), ~np.eye(3, dtype=bool), np.arange(3), 9.0).plot()

    assert len(display.dots_.get_offsets()) == 6
    assert display.frame()["too_small"].all()
