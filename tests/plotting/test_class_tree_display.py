"""The tree drawn: its numbers, its models, its order."""

from dataclasses import replace

import numpy as np

from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.plotting import ClassTreeDisplay
from bayesfloor.plotting._tree_layout import layout


def test_splits_show_their_link_and_rows_their_classes(floor):
    """The picture says what the tree says."""
    display = ClassTreeDisplay.from_estimator(floor)
    tree, placed = display.tree, layout(display.tree)
    places = [text.xy for text in display.texts_]

    told = [f"{tree.link[node]:.3f}" if tree.link[node] else "·" for node in placed.forks]

    assert [text.get_text() for text in display.texts_] == told
    np.testing.assert_allclose(places, np.stack([placed.x, placed.y], axis=1)[placed.forks])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == tree.classes[placed.rows].tolist()
    assert len(display.lines_.get_segments()) == len(placed.segments)


def test_a_classifiers_own_tree_is_drawn_with_floors_and_models(floor, overlaps):
    """Floors of splits, where measured, are worth more than means of pairs."""
    tree = class_tree(floor.classes_, floor.pairwise_.matrix, "average")
    model = ["linear SVM (C=64), $\\alpha$" if node in tree.splits else "" for node in range(tree.n_nodes)]
    error = np.where(tree.left >= 0, 0.25, np.nan)
    fitted = type("Fitted", (), {"tree_": replace(tree, floor=error / 2, cv_error=error, model=model)})()
    display = ClassTreeDisplay.from_estimator(fitted)

    assert display.texts_[0].get_text().startswith("0.125, error 0.250, linear SVM")
    assert "tree estimate of the error at the split" in display.ax_.get_xlabel()
    assert overlaps(display.figure_) == []


def test_a_tree_is_a_table_with_places(floor):
    """For those who draw it themselves."""
    frame = ClassTreeDisplay.from_estimator(floor).frame()

    assert {"x", "y", "link", "parent"} <= set(frame.columns)
    assert len(frame) == 9
