"""Cells: every row lies in just one, and no edge out of a cell is shorter than the cell says."""

import numpy as np
import pytest

from bayesfloor.forest._prim import squared_distances
from bayesfloor.leaving.forest_out_of_core_cells import box_gaps, cut_cells

KINDS = ["gaussian", "lattice", "signed lattice", "zeros and ones", "clusters in clusters", "powers of two", "copies"]


def draw_cells(rng, X):
    """Cells of a part of the rows: what was not seen has to fall into one as well."""
    seen = X[rng.permutation(len(X))[: rng.integers(1, len(X) + 1)]]
    return cut_cells(seen, int(rng.integers(1, len(X) + 1)))


@pytest.fixture
def draws(draw_points, global_random_seed):
    """Sets of rows of all kinds, each with some cells: (X, cells)."""
    rng = np.random.default_rng(global_random_seed)
    sets = [draw_points(rng, kind) + 0.0 for kind in KINDS * 8]
    return [(X, draw_cells(rng, X)) for X in sets]


def test_each_row_lies_inside_its_cell(draws):
    """A row at a plane belongs to the cell above it, and to no other."""
    for X, cells in draws:
        inside = (X[:, None] >= cells.low).all(axis=2) & (X[:, None] < cells.high).all(axis=2)

        assert np.array_equal(inside.sum(axis=1), np.ones(len(X)))
        assert np.array_equal(inside.argmax(axis=1), cells.find(X))


def test_no_edge_out_of_a_cell_is_shorter_than_the_reach(draws):
    """To the last bit: certainty stands on it."""
    for X, cells in draws:
        exponent = int(np.frexp(np.abs(X).max())[1])
        cell, x = cells.find(X), np.ldexp(X, -exponent)
        for number in np.unique(cell):
            mine = cell == number
            reach = cells.reach(number, x[mine], exponent)

            assert (squared_distances(x[mine], x[~mine]).min(axis=1, initial=np.inf) >= reach).all()


def test_no_edge_between_boxes_is_shorter_than_their_gap(draws):
    """To the last bit: pairs of blocks are left out by it."""
    for X, cells in draws:
        cell = cells.find(X)
        full = np.unique(cell)
        low = np.array([X[cell == number].min(axis=0) for number in full])
        high = np.array([X[cell == number].max(axis=0) for number in full])
        one, two = np.triu_indices(len(full), 1)
        for i, j, gap in zip(one, two, box_gaps(low, high, one, two), strict=True):
            assert squared_distances(X[cell == full[i]], X[cell == full[j]]).min() >= gap


def test_boxes_that_overlap_have_no_gap():
    """Also where one lies inside the other."""
    low, high = np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 0.0]]), np.array([[4.0, 4.0], [2.0, 2.0], [6.0, 1.0]])

    assert box_gaps(low, high, np.array([0, 0, 1]), np.array([1, 2, 2])).tolist() == [0, 1, 9]


@pytest.mark.parametrize("n_cells", [1, 2, 3, 7, 64, 1000])
def test_rows_without_ties_are_shared_out_evenly(n_cells, global_random_seed):
    """A block that is twice as large as the others is the one that does not fit."""
    X = np.random.default_rng(global_random_seed).standard_normal((1000, 3))
    cells = cut_cells(X, n_cells)
    count = np.bincount(cells.find(X), minlength=len(cells))

    assert len(cells) == n_cells
    assert count.min() >= 1000 // n_cells - 1
    assert count.max() <= 1000 / n_cells + 10


def test_one_place_is_never_cut():
    """However many cells are asked for, equal rows are one vertex."""
    assert len(cut_cells(np.ones((50, 2)), 10)) == 1
    assert len(cut_cells(np.repeat([[0.0, 5.0], [0.0, 6.0]], 30, axis=0), 10)) == 2


def test_zero_has_no_sign():
    """-0.0 and 0.0 are one place, on either side of a plane at it."""
    cells = cut_cells(np.array([[-1.0], [0.0]]), 2)

    assert cells.value[0] == 0
    assert cells.find(np.array([[0.0], [-0.0], [-5e-324]])).tolist() == [1, 1, 0]


@pytest.mark.parametrize("scale", [5e-324, 1e-150, 1e150, 1.7e308])
def test_cells_of_any_size(scale):
    """The spread of the largest numbers is beyond all numbers, which is nobody's mistake."""
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]) * scale

    assert sorted(cut_cells(X, 4).find(X)) == [0, 1, 2, 3]


def test_the_outermost_cells_have_no_end():
    """Rows that no sample has seen lie beyond all others."""
    cells = cut_cells(np.arange(8.0)[:, None], 4)

    assert cells.find(np.array([[-1e300], [1e300]])).tolist() == [0, 3]
    assert cells.reach(0, np.array([[1.0]]), 0) == 1
    assert cut_cells(np.zeros((1, 1)), 1).reach(0, np.array([[1.0]]), 0) == np.inf
