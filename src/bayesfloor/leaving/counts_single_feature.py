"""Count cross-class edges for a single feature: on a line, the spanning tree joins neighbours in sorted order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.forest._class_forests import graph_moments
from bayesfloor.formulas._permutation_null import Moments
from bayesfloor.support._types import Floats, Ints


class LineEdges(NamedTuple):
    """Fraction of cross-class edges, number of edges, moments of the tree's graph, and number of distinct values."""

    cross_rate: float
    n_edges: float
    moments: Moments
    n_vertices: int


def line_edges(values: Floats, codes: Ints, n_classes: int) -> LineEdges:
    """Count the edges of the numbers' spanning tree, like ``class_edges``: equal numbers are one vertex."""
    _, vertex = np.unique(values, return_inverse=True)
    n_vertices = int(vertex.max()) + 1
    counts = np.bincount(vertex * n_classes + codes, minlength=n_vertices * n_classes).reshape(n_vertices, n_classes)
    rows = counts.sum(axis=1)
    inside = (rows - (counts**2).sum(axis=1) / rows).sum()
    share = counts / rows[:, None]
    between = n_vertices - 1 - (share[:-1] * share[1:]).sum()
    n_edges = max(len(values) - 1, 1)
    shape = graph_moments(np.arange(n_vertices - 1), np.arange(1, n_vertices), rows, 1, inside=True)
    moments = Moments(*(np.asarray(value) for value in shape))
    return LineEdges(float(inside + between) / n_edges, n_edges, moments, n_vertices)
