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


def test_colours_mean_the_same_for_all_data(floor, make):
    """A pale map is of classes that are easy to separate, and never stretched; the paper's estimates say so."""
    one, other = PairwiseDisplay.from_results(floor.pairwise_), make("pairwise", 4).plot()
    scale = [tick.get_text() for tick in one.figure_.axes[1].get_yticklabels()]

    assert one.image_.norm.boundaries.tolist() == other.image_.norm.boundaries.tolist()
    assert (one.image_.norm.vmin, one.image_.norm.vmax) == (0.0, 1.0)
    assert (scale[0], scale[-1]) == ("0 %", "100 %")
    np.testing.assert_array_equal(one.relative, floor.pairwise_.matrix)
    assert "tree estimate" in one.caption_
    assert one.n_rows == 252


def test_rows_are_named_in_the_callers_order_without_words_that_all_share(floor):
    """A heat map beside a tree must have its rows; and with nothing measurable, the happiest case, it is drawn."""
    tree = ClassTree.from_nested([["e", "a"], [["d", "b"], "c"]])
    own = PairwiseDisplay.from_estimator(floor, tree=tree)
    names = np.array([f"Customer segment Sub {k:03d}" for k in range(3)])
    easy = PairwiseDisplay(names, np.full((3, 3), 0.01), ~np.eye(3, dtype=bool), np.arange(3), 90.0).plot()

    assert [text.get_text() for text in own.ax_.get_yticklabels()] == tree.classes[layout(tree).rows].tolist()
    assert [text.get_text() for text in easy.ax_.get_yticklabels()] == ["… Sub 000", "… Sub 001", "… Sub 002"]
    assert len(easy.dots_.get_offsets()) == 6


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
    """Dark on light, light on dark; up to fifteen classes there is room."""
    display = make("pairwise", 15).plot()
    cells = display.image_.get_array()
    at = {text: tuple(int(value) for value in text.get_position()[::-1]) for text in display.numbers_}
    values = {cells[place]: text.get_color() for text, place in at.items()}

    assert all(float(text.get_text()) == pytest.approx(100 * cells[place], abs=0.5) for text, place in at.items())
    assert luminance(to_rgba(values[max(values)])) > 0.5 > luminance(to_rgba(values[min(values)]))
    assert make("pairwise", 16).plot().numbers_ == []
