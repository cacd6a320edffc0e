"""The tree drawn: its numbers and its order."""

from types import SimpleNamespace

import numpy as np

from bayesfloor.answer._pairs_and_classes import pair_answers
from bayesfloor.hierarchy import ClassTree
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.plotting import ClassTreeDisplay
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.support._words import percent


def test_splits_show_their_link_and_rows_their_classes(floor):
    """The picture says what the tree says."""
    display = ClassTreeDisplay.from_estimator(floor)
    tree, placed = display.tree, layout(display.tree)
    places = [text.xy for text in display.texts_]

    told = [f"{percent(tree.link[node])} %" if tree.link[node] else "·" for node in tree.splits]

    assert [text.get_text() for text in display.texts_] == told
    np.testing.assert_allclose(places, np.stack([placed.x, placed.y], axis=1)[tree.splits])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == tree.classes[placed.rows].tolist()
    assert len(display.lines_.get_segments()) == len(placed.segments)


def test_numbers_are_the_best_estimates_of_the_pairs(floor):
    """The same as in the heat map and in the report, averaged across the split."""
    tree, pairs = ClassTreeDisplay.from_estimator(floor).tree, pair_answers(floor.answer(), floor.classes_)
    relative = np.where(pairs.too_small, 0.0, pairs.relative)
    left, right = tree.members(int(tree.left[0])), tree.members(int(tree.right[0]))

    np.testing.assert_allclose(tree.link[0], relative[np.ix_(left, right)].mean())


def test_a_classifiers_own_tree_is_drawn(floor):
    """With the floors that it was made from; a tree that the user made has none."""
    tree = class_tree(floor.classes_, floor.pairwise_.matrix, "average")
    own = ClassTree.from_nested([[0, 1], 2])
    shown, empty = (ClassTreeDisplay.from_estimator(SimpleNamespace(tree_=one)) for one in (tree, own))

    assert shown.texts_[0].get_text() == f"{percent(tree.link[0])} %"
    assert "mean error of pairs across the split" in shown.ax_.get_xlabel()
    assert [text.get_text() for text in empty.texts_] == ["", ""]


def test_a_tree_is_a_table_with_places(floor):
    """For those who draw it themselves."""
    frame = ClassTreeDisplay.from_estimator(floor).frame()

    assert {"x", "y", "link", "parent"} <= set(frame.columns)
    assert len(frame) == 9
