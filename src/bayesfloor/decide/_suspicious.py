"""``suspicious_labels``: find suspicious labels without estimating the floor, and list the worst of a fit."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._edge_counts import VertexLabels, nearest_other
from bayesfloor.floor._fit import find_alike
from bayesfloor.floor._make_results import sample_scores
from bayesfloor.floor._results import SampleScores
from bayesfloor.floor._sample import Settings, read_sample
from bayesfloor.floor._sample import prepare as compile_for
from bayesfloor.floor._scaling import apply_scale, check_scale, pick_scale
from bayesfloor.forest._spanning_forest import check_n_trees, spanning_forest
from bayesfloor.io._open_data import open_data
from bayesfloor.support._parameters import check_seed
from bayesfloor.support._results import Result, plain
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Ints

KEPT = 200  # most rows in the list: few enough to work through, and files stay small
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
    >>> from bayesfloor.decide import suspicious_labels
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
    sample = read_sample(data, Settings(prepare=prepare, roles=roles))
    compile_for(len(sample), sample.features.values.shape[1], n_trees, _FORESTS)
    name, _ = pick_scale(scale, sample, random_state, n_jobs)
    points = apply_scale(sample.features, name)
    forest = spanning_forest(points, n_trees, sample.groups, n_jobs=n_jobs, progress=progress)
    labels = VertexLabels(forest.vertex, sample.shares, forest.n_vertices, None, data.groups is None)
    alike = find_alike(sample, points, forest.vertex)
    return sample_scores(forest, labels, alike, sample.row, np.asarray(sample.classes))


@dataclass(frozen=True, eq=False, repr=False)
class SuspiciousLabels(Result):
    """Rows whose label does not fit their neighbours, most suspicious first; at most 200.

    Attributes
    ----------
    scores : the rows' scores, as in ``BayesFloor.samples_``.
    nearest : input row of the nearest neighbour with a different label, or -1 if there is none.
    nearest_label : that neighbour's label, or the row's own if there is none.
    n_suspect, n_conflict : number of suspicious rows, and number of rows that equal a row with a different label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.suspicious.n_suspect
    2
    >>> sorted(found.suspicious.scores.row.tolist())
    [83, 106]
    """

    scores: SampleScores
    nearest: Ints
    nearest_label: np.ndarray
    n_suspect: int
    n_conflict: int

    def __len__(self) -> int:
        return len(self.nearest)

    def _summary(self) -> str:
        return (
            f"{len(self):,} of {self.n_suspect:,} suspicious labels, {self.n_conflict:,} rows with conflicting labels"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and a list for each column as plain Python objects, ready for JSON."""
        counts = {"n_suspect": self.n_suspect, "n_conflict": self.n_conflict}
        return {**counts, **{name: plain(values) for name, values in self._columns().items()}}

    def _columns(self) -> dict[str, Any]:
        scores = {item.name: getattr(self.scores, item.name) for item in fields(self.scores)}
        return {**scores, "nearest": self.nearest, "nearest_label": self.nearest_label}


def list_suspicious(floor: BayesFloor) -> SuspiciousLabels:
    """List the suspicious labels of a fit."""
    found = floor.samples_
    places, fit = most_suspicious(found)[:KEPT], floor.fitted_
    unit = np.argsort(fit.sample.row, kind="stable")[places]  # samples_ is in input order
    other = nearest_other(fit.forest, fit.labels, unit)
    label = np.where(other < 0, unit, other)
    return SuspiciousLabels(
        scores=take_scores(found, places),
        nearest=np.where(other < 0, -1, fit.sample.row[other]),
        nearest_label=floor.classes_[fit.labels.codes[label]],
        n_suspect=len(np.unique(found.row[found.suspect])),  # a row with several votes counts once
        n_conflict=len(np.unique(found.row[found.conflict])),
    )


def most_suspicious(scores: SampleScores) -> Ints:
    """Return the positions of the suspicious rows, most suspicious first."""
    places = np.flatnonzero(scores.suspect)
    return places[np.lexsort((scores.row[places], -scores.score[places], scores.p_value[places]))]


def take_scores(scores: SampleScores, places: Ints) -> SampleScores:
    """Return the scores of some rows."""
    return SampleScores(**{item.name: getattr(scores, item.name)[places] for item in fields(scores)})
