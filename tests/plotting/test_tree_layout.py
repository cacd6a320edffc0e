"""Where nodes of a tree are drawn: every split in a gap of its own, at any depth."""

import numpy as np
import pytest

from bayesfloor.hierarchy import ClassTree
from bayesfloor.plotting import ClassTreeDisplay
from bayesfloor.plotting._class_tree_display import layout


def chain(K):
    """A tree that splits off one class at a time."""
    part = 0
    for label in range(1, K):
        part = [part, label]
    return ClassTree.from_nested(part)


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
    tree = chain(K)
    placed = layout(tree)
    x, y = placed.x[tree.splits], placed.y[tree.splits]

    np.testing.assert_allclose(np.diff(y), 1.0)
    assert (np.diff(x) > 0).all()


def test_lines_lead_from_the_root_to_every_class(cut_tree):
    """Right ends at 1 are classes; every node but the first has a line that ends in it."""
    tree = cut_tree(26)
    placed = layout(tree)
    starts, ends = placed.segments[:, 0], placed.segments[:, 1]
    arrived = {tuple(end) for start, end in zip(starts, ends, strict=True) if start[1] == end[1]}

    assert all((start == end).any() for start, end in zip(starts, ends, strict=True))
    assert {(placed.x[node], placed.y[node]) for node in range(1, tree.n_nodes)} == arrived


def test_no_line_crosses_the_height_of_a_split_to_its_right(cut_tree):
    """That room is for the split's text."""
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
