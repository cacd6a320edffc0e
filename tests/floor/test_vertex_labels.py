"""Labels of rows and of vertices."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import VertexLabels, likeliest, scale_rows
from bayesfloor.io._labels import hard_shares

VERTEX = np.array([2, 0, 2, 2, 4])  # vertices 1 and 3 are of other classes
CHANCES = np.array([[1.0, 0, 0], [0.5, 0.25, 0.25], [0, 0.4, 0.6], [0, 0, 1.0], [0.2, 0.8, 0]])


def test_codes_and_certain_chances_are_certain_labels_and_other_chances_are_not():
    """One label a row takes the fastest path; other rows count for each class as they are likely to be of it."""
    labels = VertexLabels(VERTEX, hard_shares(np.array([1, 0, 2, 1, 1]), 4), 5)

    assert labels.shares.toarray().tolist() == np.eye(4)[[1, 0, 2, 1, 1]].tolist()
    assert labels.hard
    assert labels.codes.tolist() == [1, 0, 2, 1, 1]
    assert labels.class_sizes.tolist() == [1, 3, 1, 0]
    assert labels.n_classes == 4

    labels = VertexLabels(VERTEX, csr_array(CHANCES), 5)

    assert not labels.hard
    assert labels.codes.tolist() == [0, 0, 2, 2, 1]
    assert labels.class_sizes == pytest.approx(CHANCES.sum(axis=0))

    codes = np.array([1, 0, 2])

    assert VertexLabels(np.arange(3), csr_array(np.eye(3)[codes]), 3).hard
    assert likeliest(csr_array(np.eye(3)[codes])).tolist() == codes.tolist()


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2, 0.5, 3, 1])])
def test_vertices_have_the_mass_and_the_mean_of_their_rows(weight):
    """Vertices of other classes have no rows here, and must not divide by zero."""
    labels = VertexLabels(VERTEX, csr_array(CHANCES), 5, weight)
    scaled = CHANCES * (np.ones(5) if weight is None else weight)[:, None]
    mass = np.array([scaled[1], np.zeros(3), scaled[[0, 2, 3]].sum(axis=0), np.zeros(3), scaled[4]])

    assert labels.rows_at.tolist() == [1, 0, 3, 0, 1]
    assert labels.mass.toarray() == pytest.approx(mass)
    assert labels.mean.toarray() == pytest.approx(mass / np.array([[1], [1], [3], [1], [1]]))


def test_some_rows_keep_their_labels_and_weights():
    """A pair of classes is a part of the rows, with vertices called as before or anew."""
    labels = VertexLabels(VERTEX, csr_array(CHANCES), 5, np.arange(5.0), joined=False)
    part = labels.take(np.array([3, 0]), np.array([0, 1]), 2)

    assert part.shares.toarray() == pytest.approx(CHANCES[[3, 0]])
    assert part.vertex.tolist() == [0, 1]
    assert part.weight.tolist() == [3, 0]
    assert part.n_vertices == 2
    assert not part.joined


def test_rows_of_a_sparse_matrix_are_scaled_each_by_its_own_factor():
    """Empty rows have nothing to scale."""
    matrix = csr_array(np.array([[1.0, 2], [0, 0], [3, 0]]))

    assert scale_rows(matrix, np.array([2.0, 5, -1])).toarray().tolist() == [[2, 4], [0, 0], [-3, 0]]
