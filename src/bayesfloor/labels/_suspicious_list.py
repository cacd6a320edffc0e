"""List suspicious labels, each with its nearest neighbour of another class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bayesfloor.counts._row_edges import nearest_other
from bayesfloor.engine._result import Result, plain
from bayesfloor.engine._types import Ints
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._results import SampleScores

KEPT = 200  # most rows in the list: few enough to work through, and files stay small


@dataclass(frozen=True, eq=False, repr=False)
class SuspiciousLabels(Result):
    """Rows whose label does not fit their neighbours, most suspicious first; at most 200.

    Attributes
    ----------
    scores : SampleScores
        The rows' scores, as in ``BayesFloor.samples_``.
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
        columns = {name: plain(values) for name, values in self._columns().items()}
        return {"n_suspect": self.n_suspect, "n_conflict": self.n_conflict, **columns}

    def _columns(self) -> dict[str, Any]:
        scores = {item.name: getattr(self.scores, item.name) for item in fields(self.scores)}
        return {**scores, "nearest": self.nearest, "nearest_label": self.nearest_label}


def list_suspicious(floor: BayesFloor) -> SuspiciousLabels:
    """List the suspicious labels of a fit."""
    found = floor.samples_
    places = most_suspicious(found)[:KEPT]
    fit = floor.fitted_
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
