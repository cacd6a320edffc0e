"""Grow the nodes of a floor-guided classifier: split a node if that adds no error, else give it a model."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.hierarchy._choose_model import AT_FLOOR, BEATEN, climb
from bayesfloor.hierarchy._class_tree import NONE, ClassTree, grow_tree
from bayesfloor.hierarchy._floor_matrix import MeasuredClasses
from bayesfloor.hierarchy._model_trial import Trial
from bayesfloor.hierarchy._models import linear, make_ladder
from bayesfloor.hierarchy._node_floor import NodeForest

logger = logging.getLogger(__name__)

_SPLIT_COST = 8.0  # C of the linear SVMs at splits
_MOST_LOST = 0.001  # fraction of rows that a split may send to the wrong side: errors add up down the tree


class Node(NamedTuple):
    """The floor, error, model and reason of a node."""

    floor: float
    error: float
    name: str
    reason: str
    model: Any


_UNKNOWN = Node(np.nan, np.nan, "", "", None)


class Problem(NamedTuple):
    """The rows that models are trained on, with codes and weights."""

    X: Floats
    codes: Ints
    weight: Floats | None

    def of(self, members: Ints) -> Problem:
        """Return the rows of some classes."""
        if len(members) == self.codes.max() + 1:
            return self
        rows = np.flatnonzero(np.isin(self.codes, members))
        return Problem(self.X[rows], self.codes[rows], None if self.weight is None else self.weight[rows])


def make_problem(X: Floats, codes: Ints, weight: Floats | None) -> Problem:
    """Sort rows by content, so that folds do not depend on the input order."""
    keys = [codes, find_vertices(X)[1]] if weight is None else [weight, codes, find_vertices(X)[1]]
    order = np.lexsort(keys)
    return Problem(X[order], codes[order], None if weight is None else weight[order])


@dataclass(eq=False)
class Growth:
    """Turns a class tree into a classifier, from the root down."""

    tree: ClassTree
    measured: MeasuredClasses
    problem: Problem
    seed: int
    deadline: float
    verbose: bool
    floor_seconds: float = 0.0
    _found: dict[tuple[int, ...], Node] = field(default_factory=dict)

    def grow(self) -> tuple[ClassTree, list[Any]]:
        """Return the final tree with the results of its nodes, and their models."""
        grown = grow_tree(self.tree.classes, 0, self._settle).linked(self.measured.matrix)
        nodes = [self._found.get(_key(grown.members(node)), _UNKNOWN) for node in range(grown.n_nodes)]
        told = replace(
            grown,
            floor=np.array([node.floor for node in nodes]),
            cv_error=np.array([node.error for node in nodes]),
            model=[node.name for node in nodes],
            reason=[node.reason for node in nodes],
        )
        return told, [node.model for node in nodes]

    def _settle(self, node: int) -> tuple[int, int] | Ints:
        """Split a node or give it a model; return its children or its classes."""
        members = self.tree.members(node)
        if len(members) == 1:
            return members
        forest, own = self._timed(lambda: NodeForest(self.measured, members)), self.problem.of(members)
        split = self._split(forest, own, node) if self.tree.left[node] != NONE and len(members) > 2 else None
        self._found[_key(members)] = made = split or self._flat(forest, own)
        if self.verbose:
            logger.info("%d classes: floor %.4f, error %.4f, %s, %s", len(members), *made[:4])
        return members if split is None else (int(self.tree.left[node]), int(self.tree.right[node]))

    def _timed(self, measure: Callable[[], Any]) -> Any:
        """Run a measurement of floors and add its time to ``floor_seconds``."""
        start = time.process_time()
        found = measure()
        self.floor_seconds += time.process_time() - start
        return found

    def _split(self, forest: NodeForest, own: Problem, node: int) -> Node | None:
        """Split the node with a linear model, if its error is at the split's floor."""
        right = self.tree.members(int(self.tree.right[node]))
        floor, candidate = self._timed(lambda: forest.of_split(right)), linear(_SPLIT_COST)
        trial = Trial(own.X, np.isin(own.codes, right).astype(np.int64), own.weight, self.seed)
        if trial.test(candidate, 0, small=True).error > 2 * _MOST_LOST:  # more rows might halve it
            return None
        for fold in range(trial.n_folds):
            trial.test(candidate, fold, small=False)
            error, tested = trial.error(candidate)
            if error > _MOST_LOST or floor.shows_room(error, tested):
                return None
        reason = BEATEN if floor.is_beaten(error, tested) else AT_FLOOR
        return Node(floor.lower, error, candidate.name, reason, trial.refit(candidate))

    def _flat(self, forest: NodeForest, own: Problem) -> Node:
        """Choose one model for all the node's classes."""
        floor, trial = self._timed(forest.of_classes), Trial(own.X, own.codes, own.weight, self.seed)
        climbed = climb(trial, make_ladder(own.X, len(forest.members), self.seed), floor, self.deadline)
        return Node(floor.lower, climbed.error, climbed.candidate.name, climbed.reason, trial.refit(climbed.candidate))


def _key(members: Ints) -> tuple[int, ...]:
    return tuple(members.tolist())
