"""The tree drawn: its numbers and its order, and a gap of its own for every split, at any depth."""

from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest

from bayesfloor.answer._pairs_and_classes import pair_answers
from bayesfloor.hierarchy import ClassTree
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.plotting import ClassTreeDisplay
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.support._words import percent


def test_splits_show_their_link_and_rows_their_classes(floor):
    display = ClassTreeDisplay.from_estimator(floor)
    tree, placed = display.tree, layout(display.tree)
    places = [text.xy for text in display.texts_]

    told = [f"{percent(tree.link[node])} %" if tree.link[node] else "·" for node in tree.splits]

    assert [text.get_text() for text in display.texts_] == told
    np.testing.assert_allclose(places, np.stack([placed.x, placed.y], axis=1)[tree.splits])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == tree.classes[placed.rows].tolist()
    assert len(display.lines_.get_segments()) == len(placed.segments)
    assert {"x", "y", "link", "parent"} <= set(display.frame().columns)


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


@pytest.mark.parametrize("K", [2, 10, 26, 100])
def test_every_split_has_a_gap_of_its_own(cut_tree, K):
    """Then a text beside a split can touch no other text, whatever the tree looks like."""
    tree = cut_tree(K)
    placed = layout(tree)

    assert sorted(placed.y[tree.splits]) == [row + 0.5 for row in range(K - 1)]
    assert sorted(placed.rows) == list(range(K))
    assert (placed.x[tree.splits] < 1).all()


@pytest.mark.parametrize("K", [2, 3, 100, 1000])
def test_a_chain_is_a_flight_of_steps(K):
    """Each class on the line below the one before, and no recursion however deep."""
    tree = ClassTree.from_nested(reduce(lambda part, label: [part, label], range(K)))
    placed = layout(tree)
    x, y = placed.x[tree.splits], placed.y[tree.splits]

    np.testing.assert_allclose(np.diff(y), 1.0)
    assert (np.diff(x) > 0).all()


def test_lines_lead_from_the_root_to_every_class_and_cross_no_split(cut_tree):
    """Right ends at 1 are classes; the room to the left of a split is for its text."""
    tree = cut_tree(26)
    placed = layout(tree)
    starts, ends = placed.segments[:, 0], placed.segments[:, 1]
    arrived = {tuple(end) for start, end in zip(starts, ends, strict=True) if start[1] == end[1]}

    assert all((start == end).any() for start, end in zip(starts, ends, strict=True))
    assert {(placed.x[node], placed.y[node]) for node in range(1, tree.n_nodes)} == arrived

    tree = cut_tree(40)
    placed = layout(tree)
    for node in tree.splits:
        low, high = np.sort(placed.segments[:, :, 1], axis=1).T
        at = (low <= placed.y[node]) & (high >= placed.y[node])

        assert (placed.segments[at][:, :, 0].max(axis=1) <= placed.x[node]).all()


def test_a_single_class_is_a_tree_too():
    """Nothing to split is no error."""
    placed = layout(ClassTree.from_nested("only"))

    assert placed.rows.tolist() == [0]
    assert len(placed.segments) == 0
    assert ClassTreeDisplay(ClassTree.from_nested("only")).plot().texts_ == []
