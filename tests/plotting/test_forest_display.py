"""Points and a tree: its edges, which of them cross, and names where markers run out."""

import numpy as np
import pytest

from bayesfloor import BayesFloor, spanning_forest
from bayesfloor.plotting import ForestDisplay


def ends_of(lines):
    """Edges as a set of pairs of points."""
    return {frozenset(map(tuple, line)) for line in lines.get_segments()}


@pytest.mark.parametrize("tree", [0, 2])
def test_edges_are_the_trees_and_cross_ones_stand_out(floor, tree):
    """What bounds the Bayes error is what one sees."""
    display = ForestDisplay.from_estimator(floor, tree=tree)
    forest, codes = floor.fitted_.forest, floor.fitted_.labels.codes
    row = np.empty(forest.n_vertices, dtype=int)
    row[floor.fitted_.labels.vertex] = np.arange(len(codes))
    a, b = (row[end[forest.tree == tree]] for end in (forest.a, forest.b))
    crossing = codes[a] != codes[b]
    pairs = [frozenset(map(tuple, floor.fitted_.points[[i, j]])) for i, j in zip(a, b, strict=True)]

    assert ends_of(display.cross_) == {pair for pair, cross in zip(pairs, crossing, strict=True) if cross}
    assert ends_of(display.within_) == {pair for pair, cross in zip(pairs, crossing, strict=True) if not cross}
    assert display.cross_.get_linewidth()[0] > 2 * display.within_.get_linewidth()[0]


def test_classes_differ_by_marker_and_by_shade(floor):
    """Never by colour alone."""
    handles = ForestDisplay.from_estimator(floor).ax_.get_legend().legend_handles[:5]

    assert len({handle.get_marker() for handle in handles}) == 5
    assert len({tuple(handle.get_color()) for handle in handles}) == 5


def test_more_classes_than_markers_get_names_that_do_not_touch(overlaps):
    """Markers used twice would lie; names that hide each other would not help."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), np.repeat(np.arange(30), 10)
    display = ForestDisplay.from_results(spanning_forest(X, n_trees=1), X, y)

    assert 0 < len(display.names_) <= 30
    assert overlaps(display.figure_) == []
    if len(display.names_) < 30:
        assert f"{30 - len(display.names_)} class names left out" in display.ax_.get_xlabel()


def test_more_than_two_features_are_projected_and_it_says_so():
    """Edges that are short in many dimensions may look long in two."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), np.repeat([0, 1], 30)
    display = ForestDisplay.from_estimator(BayesFloor(interval="fast").fit(X, y))

    assert display.projected
    assert "projected" in display.ax_.get_xlabel()


def test_the_callers_projection_is_drawn(floor):
    """Some have a better plane than principal components."""
    points = np.random.default_rng(0).normal(size=(252, 2))
    display = ForestDisplay.from_estimator(floor, points=points)

    np.testing.assert_array_equal(display.points, points[display.row])
    assert display.projected
    with pytest.raises(ValueError, match=r"expected \(252, 2\)"):
        ForestDisplay.from_estimator(floor, points=points[:5])


def test_a_tree_that_is_not_there_is_refused(floor):
    """Three trees are numbered 0 to 2."""
    with pytest.raises(ValueError, match="Got tree=3, but expected a number from 0 to 2"):
        ForestDisplay.from_estimator(floor, tree=3)


def test_equal_rows_are_joined_and_one_feature_is_a_line():
    """Equal rows of two classes cross at one point: still an edge."""
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    display = ForestDisplay.from_results(spanning_forest(X, n_trees=1), X, [0, 1, 1, 1])

    assert len(display.edges) == 3
    assert np.count_nonzero(display.crossing) >= 1


def test_many_points_become_pixels():
    """Vectors of ten thousand points would make a file of megabytes."""
    points = np.random.default_rng(0).normal(size=(6000, 2))
    edges = np.stack([np.arange(5999), np.arange(1, 6000)], axis=1)
    display = ForestDisplay(points, np.arange(6000) % 2, np.array([0, 1]), edges).plot()

    assert display.within_.get_rasterized()
    assert display.cross_.get_rasterized()


def test_edges_in_the_table_are_between_input_rows(floor):
    """A fit sorts rows; who looks up an edge has the input."""
    frame = ForestDisplay.from_estimator(floor).frame()
    label = dict(zip(floor.samples_.row.tolist(), floor.samples_.label.tolist(), strict=True))

    assert [label[row] for row in frame["row_1"]] == frame["class_1"].tolist()
    assert [label[row] for row in frame["row_2"]] == frame["class_2"].tolist()
