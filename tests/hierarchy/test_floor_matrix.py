"""Pairwise floors for trees: those of ``BayesFloor``, or the user's own, checked."""

from contextlib import nullcontext

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.floor import SampledRowsWarning
from bayesfloor.hierarchy import _smart_svm
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.hierarchy._smart_svm import announce_drawing, floor_matrix, given_matrix


def compute(X, y, scale=None, n_trees=3, n_jobs=None):
    return floor_matrix("1", X, np.ones(X.shape[1], dtype=bool), y, n_trees, scale, 0, n_jobs)


@pytest.mark.parametrize(
    ("scale", "n_trees"), [(None, 1), (None, 3), ("standard", 2), ("robust", 3), ("unit", 5), ("auto", 3)]
)
def test_floors_are_those_of_bayes_floor(points, scale, n_trees):
    """One definition of a floor, whoever asks."""
    X, y = points
    expected = BayesFloor(scale=scale, n_trees=n_trees, interval="fast").fit(X, y).pairwise_.matrix

    assert np.array_equal(compute(X, y, scale, n_trees), expected)


def test_order_of_rows_and_number_of_threads_mean_nothing(rng, points):
    X, y = points
    X = np.round(X, 1)  # with equal rows and equal distances
    order = rng.permutation(len(y))

    assert np.array_equal(compute(X[order], y[order]), compute(X, y))
    assert np.array_equal(compute(X, y, n_jobs=2), compute(X, y))


def test_categories_are_left_alone_by_scaling(rng, clouds):
    """Columns that are no quantities come as they should be."""
    X, y = clouds(rng, [30, 30, 30])
    X[:, 2] = (X[:, 2] > 0) * np.sqrt(0.5)
    quantity = np.array([True, True, False])
    scaled = X.copy()
    scaled[:, :2] = (X[:, :2] - X[:, :2].mean(axis=0)) / X[:, :2].std(axis=0)

    assert np.array_equal(floor_matrix("1", X, quantity, y, 3, "standard", 0, None), compute(scaled, y))


@pytest.mark.parametrize("y", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 1, 2, 2]])
def test_classes_of_one_row_have_floors(rng, y):
    """Rare classes are in a tree, too; and where all rows are equal nothing can be told apart."""
    matrix = compute(rng.standard_normal((len(y), 2)), np.array(y))

    assert np.isfinite(matrix).all()
    assert np.array_equal(matrix, matrix.T)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert np.array_equal(compute(np.ones((30, 2)), np.arange(30) % 3), 1 - np.eye(3))


@pytest.fixture
def sizes(monkeypatch):
    seen, forests = [], _smart_svm.class_forests

    def count(points, codes, *args):
        seen.append(np.bincount(codes).tolist())
        return forests(points, codes, *args)

    monkeypatch.setattr(_smart_svm, "class_forests", count)
    return seen


def test_of_many_rows_some_are_used_and_said_so(rng, clouds, monkeypatch, sizes):
    """A tree of classes needs no million rows; the limit itself is within."""
    X, y = clouds(rng, [200, 150, 100, 50])
    for limit in (100, 500):
        monkeypatch.setattr(_smart_svm, "LARGE", limit)
        compute(X, y)
        warned = pytest.warns(
            SampledRowsWarning, match=rf"{limit} of 500 rows are used for the class floors.*models use all"
        )
        with warned if limit < 500 else nullcontext():
            announce_drawing(500)

    assert sizes == [[40, 30, 20, 10], [200, 150, 100, 50]]


def test_rows_are_drawn_by_content_and_seed(rng, clouds, monkeypatch):
    """Which rows are drawn must not hang on their order."""
    X, y = clouds(rng, [200, 150, 100], spread=0.5)
    monkeypatch.setattr(_smart_svm, "LARGE", 100)
    order, quantity = rng.permutation(len(y)), np.ones(3, dtype=bool)

    assert np.array_equal(compute(X[order], y[order]), compute(X, y))
    assert not np.array_equal(floor_matrix("1", X, quantity, y, 3, None, 1, None), compute(X, y))


@pytest.fixture
def floor(rng, clouds):
    """Floors of four classes with names."""
    X, y = clouds(rng, [30, 30, 30, 30])
    return BayesFloor(interval="fast").fit(X, np.array(["a", "b", "c", "d"])[y]).pairwise_


def test_floors_that_know_their_classes_fit_any_of_them(floor):
    """A fold may lack a class; of other classes there is nothing to cut by."""
    assert np.array_equal(given_matrix(floor, floor.classes), floor.matrix)
    assert np.array_equal(given_matrix(floor, np.array(["a", "d"])), floor.matrix[np.ix_([0, 3], [0, 3])])
    with pytest.raises(ValueError, match=r"Got rows of class 'x', which the floor has not seen. Fit it to all classes"):
        given_matrix(floor, np.array(["a", "x"]))


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, lambda m: m.astype(np.float32)])
def test_matrices_of_numbers_are_taken(kind):
    matrix = np.array([[0, 0.5, 0.25], [0.5, 0, 0.125], [0.25, 0.125, 0]])

    assert np.array_equal(given_matrix(kind(matrix), np.arange(3)), matrix)


@pytest.mark.parametrize("cut", ["min_cut", "average"])
def test_matrices_that_are_symmetric_but_for_rounding_are_taken(rng, cut):
    """Sums in another order leave the last digits different."""
    matrix = rng.random((6, 6))
    matrix = (matrix + matrix.T) / 2
    rounded = matrix + 1e-11 * rng.random((6, 6))
    tree, expected = (class_tree(np.arange(6), given_matrix(m, np.arange(6)), cut) for m in (rounded, matrix))

    assert np.array_equal(tree.left, expected.left)
    assert np.array_equal(tree.order, expected.order)


@pytest.mark.parametrize("shape", [(2, 2), (4, 4), (3, 4), (3,), (3, 3, 1)])
def test_matrices_of_another_shape_are_refused_with_advice(shape):
    """The usual cause is a fold that lacks a class."""
    with pytest.raises(
        ValueError, match=r"Got a floor matrix of shape \(.*\), but y has 3 classes. Pass floor=BayesFloor\(\).fit"
    ):
        given_matrix(np.zeros(shape), np.arange(3))


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, 0.7])
def test_matrices_that_are_no_floors_are_refused(value):
    """Negative, missing, or of one direction only: each would give some tree all the same."""
    matrix = np.full((3, 3), 0.5)
    matrix[0, 1] = value
    if value != 0.7:
        matrix[1, 0] = value

    with pytest.raises(
        ValueError, match=r"Got a floor matrix that is not symmetric or has negative or missing numbers"
    ):
        given_matrix(matrix, np.arange(3))


@pytest.mark.parametrize(
    "floor", [BayesFloor(), "auto", [[0, 1], [1]], {"a": 1}, object()], ids=lambda floor: type(floor).__name__
)
def test_what_is_no_matrix_is_refused_by_type(floor):
    """Giving BayesFloor itself is the likeliest slip."""
    with pytest.raises(TypeError, match=r"Got floor of type .*, but expected the pairwise_ of a fitted BayesFloor or"):
        given_matrix(floor, np.arange(3))
