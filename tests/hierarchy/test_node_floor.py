"""Floors of nodes: those of BayesFloor on the node's rows, and what errors beside them say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor import BayesFloor
from bayesfloor.hierarchy._floor_matrix import measure_classes
from bayesfloor.io._features import Features
from bayesfloor.leaving.hierarchy_node_floor import NodeFloor, NodeForest


def measure(X, y, n_trees=3, scale=None):
    """Forests of all classes."""
    return measure_classes(Features(X, np.ones(X.shape[1], dtype=bool)), y, n_trees, scale, 0, None)


def lower(X, y, n_trees=3, scale=None):
    """The lower bound by BayesFloor."""
    return BayesFloor(scale=scale, n_trees=n_trees, interval="fast").fit(X, y).overall_.lower


# Whose floors they are


@pytest.mark.parametrize("n_trees", [1, 3])
def test_the_floor_of_all_classes_is_that_of_bayes_floor(rng, clouds, n_trees):
    """The root's problem is the whole problem."""
    X, y = clouds(rng, [40, 30, 20], spread=1.0)
    forest = NodeForest(measure(X, y, n_trees), np.arange(3))

    assert forest.of_classes().lower == pytest.approx(lower(X, y, n_trees), rel=1e-12)


@pytest.mark.parametrize("members", [[0, 1], [1, 4], [0, 2, 3], [1, 2, 3, 4]], ids=str)
@pytest.mark.parametrize("digits", [9, 0], ids=["all different", "many equal rows"])
def test_the_floor_of_a_node_is_that_of_its_rows_alone(points, members, digits):
    """Rows of other classes have no say in it."""
    X, y = points
    X, here = np.round(X, digits), np.isin(y, members)
    found = NodeForest(measure(X, y), np.array(members)).of_classes()

    assert found.lower == pytest.approx(lower(X[here], y[here]), rel=1e-12)
    assert found.std_error > 0


@pytest.mark.parametrize("right", [[1], [0, 3], [1, 2, 4]], ids=str)
@pytest.mark.parametrize("digits", [9, 0], ids=["all different", "many equal rows"])
def test_the_floor_of_a_split_is_that_of_its_two_sides(points, right, digits):
    """A row that stays on its side is no error there, whichever class it is taken for."""
    X, y = points
    X = np.round(X, digits)
    found = NodeForest(measure(X, y), np.arange(5)).of_split(np.array(right))

    assert found.lower == pytest.approx(lower(X, np.isin(y, right)), rel=1e-12)
    assert found.lower == pytest.approx(
        BayesFloor(scale=None, interval="fast").fit(X, y).relabel(np.isin(y, right)).overall_.lower, rel=1e-12
    )


def test_the_floor_of_a_split_below_the_root_leaves_other_classes_out(points):
    """Its rows are the node's."""
    X, y = points
    here = y != 2
    found = NodeForest(measure(X, y), np.array([0, 1, 3, 4])).of_split(np.array([0, 4]))

    assert found.lower == pytest.approx(lower(X[here], np.isin(y[here], [0, 4])), rel=1e-12)


def test_two_sides_of_a_pair_are_its_classes(points):
    """Splitting two classes and telling them apart is one problem."""
    X, y = points
    forest = NodeForest(measure(X, y), np.array([1, 3]))

    assert forest.of_split(np.array([3])) == forest.of_classes()


def test_floors_see_the_scale(points):
    """They are measured between rows as these were scaled."""
    X, y = points
    X = X * [1, 100, 0.01]

    assert NodeForest(measure(X, y, scale="standard"), np.arange(5)).of_classes().lower == pytest.approx(
        lower(X, y, scale="standard"), rel=1e-12
    )


@pytest.mark.parametrize("sizes", [[1, 1], [1, 5], [1, 1, 1]], ids=str)
def test_classes_of_one_row_have_floors(rng, clouds, sizes):
    """Rough ones, but numbers."""
    X, y = clouds(rng, sizes)
    found = NodeForest(measure(X, y), np.arange(len(sizes))).of_classes()

    assert 0 <= found.lower <= 1 - max(sizes) / sum(sizes)
    assert found.std_error >= 0


def test_classes_far_apart_leave_a_floor_near_nothing(rng, clouds):
    """Only the edges that join even separate classes are left."""
    X, y = clouds(rng, [100, 100], spread=0)
    found = NodeForest(measure(X + 100 * y[:, None], y), np.arange(2)).of_classes()

    assert found.lower < 0.01


def test_classes_that_are_one_leave_nothing_to_gain(rng, clouds):
    """The floor of coin tosses is that of always answering the larger class."""
    X, y = clouds(rng, [150, 150], spread=0)
    found = NodeForest(measure(X, y), np.arange(2)).of_classes()

    assert found.lower > 0.3
    assert not found.shows_room(0.5, 300)
    assert not found.is_beaten(0.5, 300)


# What errors say


SHARES = st.floats(0, 1)
ROWS = st.integers(1, 10_000)
FLOORS = st.builds(NodeFloor, SHARES, st.floats(0, 0.2))


@given(FLOORS, SHARES, ROWS)
def test_an_error_shows_room_or_beats_the_floor_or_neither(floor, error, n):
    """Never both, and at the floor neither."""
    room, beaten = floor.shows_room(error, n), floor.is_beaten(error, n)

    assert not (room and beaten)
    assert not room or error > floor.lower
    assert not beaten or error < floor.lower
    assert not floor.shows_room(floor.lower, n)
    assert not floor.is_beaten(floor.lower, n)


@given(FLOORS, SHARES, SHARES, ROWS)
def test_larger_errors_show_more_room_and_smaller_ones_beat_more(floor, one, two, n):
    """What a small error shows, a larger one shows all the more."""
    small, large = sorted((one, two))

    assert floor.shows_room(large, n) >= floor.shows_room(small, n)
    assert floor.is_beaten(small, n) >= floor.is_beaten(large, n)


@given(FLOORS, SHARES, ROWS, ROWS)
def test_more_rows_and_surer_floors_show_more(floor, error, one, two):
    """Noise hides differences, never makes them."""
    few, many = sorted((one, two))
    sure = NodeFloor(floor.lower, floor.std_error / 2)

    assert floor.shows_room(error, many) >= floor.shows_room(error, few)
    assert floor.is_beaten(error, many) >= floor.is_beaten(error, few)
    assert sure.shows_room(error, few) >= floor.shows_room(error, few)
    assert sure.is_beaten(error, few) >= floor.is_beaten(error, few)


def test_an_error_must_be_clearly_off():
    """By 1.645 standard errors of both together, in the closed form."""
    noise = np.sqrt(0.03**2 + 0.2 * 0.8 / 100)

    assert NodeFloor(0.2 - 1.65 * noise, 0.03).shows_room(0.2, 100)
    assert not NodeFloor(0.2 - 1.64 * noise, 0.03).shows_room(0.2, 100)
    assert NodeFloor(0.2, 0.03).is_beaten(0.2 - 1.65 * noise, 100)
    assert not NodeFloor(0.2, 0.03).is_beaten(0.2 - 1.64 * noise, 100)


def test_a_few_rows_without_an_error_beat_no_floor():
    """None wrong of fifty is nothing rare at an error of .02."""
    assert not NodeFloor(0.02, 0.005).is_beaten(0.0, 50)
    assert NodeFloor(0.02, 0.001).is_beaten(0.0, 500)


@pytest.mark.parametrize("error", [0.0, 1.0])
def test_no_error_and_nothing_but_error_can_be_judged(error):
    """Their own noise is none; the floor's is what is left."""
    assert NodeFloor(0.5, 0.01).shows_room(error, 10) == (error == 1.0)
    assert NodeFloor(0.5, 0.01).is_beaten(error, 10) == (error == 0.0)
    assert not NodeFloor(0.0, 0.0).shows_room(0.0, 0)
