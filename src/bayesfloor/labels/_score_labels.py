"""``suspicious_labels``: find suspicious labels without estimating the floor."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.counts._vertex_labels import VertexLabels
from bayesfloor.engine._parameters import check_seed
from bayesfloor.engine._progress import Progress
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._fit_record import find_alike
from bayesfloor.floor._grow import grow
from bayesfloor.floor._grow import prepare as compile_for
from bayesfloor.floor._make_results import sample_scores
from bayesfloor.floor._results import SampleScores
from bayesfloor.floor._sample import read_sample
from bayesfloor.floor._scaling import apply_scale, check_scale, pick_scale
from bayesfloor.forest._forest import check_n_trees
from bayesfloor.io._data import open_data

_FORESTS = 3  # the work equals about three forests on all rows: a tree for each of four scales, and the forest


def suspicious_labels(
    X: Any,
    y: Any,
    *,
    n_trees: int = 3,
    scale: str | None = "auto",
    groups: Any = None,
    prepare: Any = "auto",
    roles: dict[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> SampleScores:
    """Find rows whose label does not fit their neighbours.

    The result is the same as ``BayesFloor.samples_``. It needs one forest on all rows but no pairs, intervals or tests,
    so it is several times as fast as a fit.

    Parameters
    ----------
    X, y, groups
        As in ``BayesFloor.fit``.
    n_trees : int, default=3
        Number of orthogonal spanning trees. Five trees find more wrong labels if classes are well separated,
        and more merely ambiguous ones if they are not.
    scale, prepare, roles, n_jobs, random_state, progress
        As in ``BayesFloor``.

    Returns
    -------
    SampleScores
        A score for each row; ``suspect`` marks the suspicious ones. ``check(X, y).suspicious`` lists only these.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.labels import suspicious_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> y[:3] = 2  # three setosa called virginica
    >>> found = suspicious_labels(X, y)
    >>> np.flatnonzero(found.suspect)  # and two that were suspicious before
    array([  0,   1,   2,  83, 106])
    >>> found.suggested_label[:3]
    array([0, 0, 0])
    """
    check_n_trees(n_trees)
    check_scale(scale)
    check_seed(random_state)
    data = open_data(X, y, groups=groups)
    sample = read_sample(BayesFloor(prepare=prepare, roles=roles), data)
    compile_for(len(sample), sample.features.values.shape[1], n_trees, _FORESTS)
    name, _ = pick_scale(scale, sample, random_state, n_jobs)
    points = apply_scale(sample.features, name)
    forest = grow(points, n_trees, sample.groups, n_jobs, progress)
    labels = VertexLabels(forest.vertex, sample.shares, forest.n_vertices, None, data.groups is None)
    alike = find_alike(sample, points, forest.vertex)
    return sample_scores(forest, labels, alike, sample.row, np.asarray(sample.classes))
