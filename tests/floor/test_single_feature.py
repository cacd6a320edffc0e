"""The tree of a single feature, by sorting, against the forest of the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.floor._edge_counts import VertexLabels, class_edges, forest_moments
from bayesfloor.forest._spanning_forest import spanning_forest
from bayesfloor.io._labels import hard_shares
from bayesfloor.leaving.counts_single_feature import line_edges


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 2)), min_size=2, max_size=40))
def test_sorting_counts_what_the_forest_has(rows):
    """Equal numbers included; equally long edges between other numbers make no difference on a line."""
    values, codes = (np.array(column) for column in zip(*rows, strict=True))
    forest = spanning_forest(values[:, None].astype(float), 1)
    labels = VertexLabels(forest.vertex, hard_shares(codes, 3), forest.n_vertices)
    found, edges, shape = line_edges(values, codes, 3), class_edges(forest, labels), forest_moments(forest, labels)
    assert found.cross_rate == pytest.approx(edges.cross_rate)
    assert found.n_edges == pytest.approx(edges.n_edges)
    for own, expected in zip(found.moments, shape, strict=True):
        assert own == pytest.approx(expected)
