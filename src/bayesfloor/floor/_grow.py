"""Grow forests with whichever method is fastest for the amount of work."""

from __future__ import annotations

import numpy as np

from bayesfloor.counts._vertex_labels import VertexLabels
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._types import Floats
from bayesfloor.floor._sample import Sample
from bayesfloor.forest._forest import Forest
from bayesfloor.forest._spanning_forest import prepare_kernels, spanning_forest

_STEP, _ENTRY = 8e-6, 1.5e-9  # seconds per step of plain Prim, and per vertex examined in a step
_TERM = 0.5e-9  # seconds per feature of a distance
_PATIENCE = 3.0  # seconds of plain work above which compiled kernels pay off


def prepare(n_rows: int, n_features: int, n_trees: int, times: int) -> None:
    """Load the compiled kernels if this many forests would take too long without them; the edges do not change."""
    plain = times * (n_trees * n_rows * (_STEP + _ENTRY * n_rows) + _TERM * n_rows**2 * n_features)
    if plain > _PATIENCE:
        prepare_kernels()


def grow(
    X: Floats,
    n_trees: int,
    groups: np.ndarray | None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Forest:
    """Grow the forest of these rows."""
    return spanning_forest(X, n_trees, groups, n_jobs=n_jobs, progress=progress)


def grow_labelled(
    X: Floats, sample: Sample, n_trees: int, n_jobs: int | None = None, progress: Progress | None = None
) -> tuple[Forest, VertexLabels]:
    """Grow the forest of a sample whose points are ``X``, and return it with its labels."""
    forest = grow(X, n_trees, sample.groups, n_jobs, progress)
    joined = sample.groups is None
    return forest, VertexLabels(forest.vertex, sample.shares, forest.n_vertices, sample.weight, joined, sample.groups)
