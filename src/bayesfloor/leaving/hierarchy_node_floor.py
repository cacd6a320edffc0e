"""Compute the floor of a node's own problem from the forest of its classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.floor._edge_counts import VertexLabels, class_edges
from bayesfloor.floor._results import bounded_rate
from bayesfloor.floor._uncertainty import fast_errors
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._bounds import multiclass_bounds
from bayesfloor.hierarchy._floor_matrix import MeasuredClasses
from bayesfloor.io._labels import hard_shares
from bayesfloor.support._types import Ints

_REACH = 1.645  # standard errors by which an error must be above the floor to show room to improve


@dataclass(frozen=True)
class NodeFloor:
    """The lower bound on a problem's error, and its standard error."""

    lower: float
    std_error: float

    def shows_room(self, error: float, n_tested: float) -> bool:
        """Whether an error on ``n_tested`` rows is clearly above the floor."""
        return error - self.lower > _REACH * self._noise(error, n_tested)

    def may_gain(self, error: float, n_tested: float) -> bool:
        """Whether another model could be better by a standard error; a floor that was beaten says nothing."""
        return error - self.lower > self._noise(error, n_tested) or self.is_beaten(error, n_tested)

    def is_beaten(self, error: float, n_tested: float) -> bool:
        """Whether an error is clearly below the floor, which is then too high."""
        return self.lower - error > _REACH * self._noise(self.lower, n_tested)

    def _noise(self, error: float, n_tested: float) -> float:
        """Return the standard error of the difference, if ``error`` is the model's true error."""
        return float(np.sqrt(self.std_error**2 + error * (1 - error) / max(n_tested, 1.0)))


class NodeForest:
    """The forest of a node's classes, and the floors of the node's problems."""

    def __init__(self, measured: MeasuredClasses, members: Ints) -> None:
        self.members = members
        if len(members) == measured.sample.shares.shape[1]:
            self._forest, self._labels = measured.whole
            return
        self._forest = measured.forests.of(members.tolist())
        rows, labels = self._forest.rows, measured.labels
        self._labels = labels.take(rows, self._forest.vertex, labels.n_vertices)

    def of_classes(self) -> NodeFloor:
        """Return the floor for separating all the node's classes."""
        return _floor(self._forest, self._grouped(self.members))

    def of_split(self, right: Ints) -> NodeFloor:
        """Return the floor for separating these classes from the node's others."""
        side = np.isin(self.members, right).astype(np.int64)
        return _floor(self._forest, self._grouped(side))

    def _grouped(self, group: Ints) -> VertexLabels:
        """Return labels with the node's classes merged into groups."""
        _, number = np.unique(group, return_inverse=True)
        chosen = hard_shares(number, int(number.max()) + 1)
        return replace(self._labels, shares=csr_array(self._labels.shares[:, self.members] @ chosen))


def _floor(forest: Forest, labels: VertexLabels) -> NodeFloor:
    edges = class_edges(forest, labels)
    error, _ = fast_errors(forest, labels, edges)
    cap = 1 - float(labels.class_sizes.max() / labels.class_sizes.sum())
    rate = bounded_rate(edges.cross_rate, labels.class_sizes, subtract_forced=False)
    rates = np.clip(rate + np.array([0.0, -error, error]), 0.0, 1.0)
    lower, low, high = multiclass_bounds(rates, labels.n_classes, cap).lower
    return NodeFloor(float(lower), float(high - low) / 2)
