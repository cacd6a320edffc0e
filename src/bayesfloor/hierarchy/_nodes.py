"""Grow the nodes of a floor-guided classifier: split a node if that adds no error, else give it a model."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.hierarchy._candidates import logistic, make_candidates, suitable_gamma
from bayesfloor.hierarchy._choose_model import AT_FLOOR, BEATEN, NodeRace
from bayesfloor.hierarchy._class_tree import NONE, ClassTree, TrainedTree, grow_tree
from bayesfloor.hierarchy._floor_matrix import MeasuredClasses
from bayesfloor.hierarchy._model_trial import Trial
from bayesfloor.hierarchy._node_floor import NodeForest
from bayesfloor.hierarchy._problem import Problem
from bayesfloor.learners._registry import Size

logger = logging.getLogger(__name__)

_ROUTER = logistic(30.0)  # the model at splits
_ENOUGH = 3000  # rows to test a split on
_MOST_LOST = 0.001  # fraction of rows that a split may send to the wrong side: errors add up down the tree


class Node(NamedTuple):
    """The floor, error, model and reason of a node."""

    floor: float
    error: float
    name: str
    reason: str
    tried: str
    model: Any


_UNKNOWN = Node(np.nan, np.nan, "", "", "", None)


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

    def grow(self) -> tuple[TrainedTree, list[Any]]:
        """Return the final tree with the results of its nodes, and their models."""
        grown = grow_tree(self.tree.classes, 0, self._settle).linked(self.measured.matrix)
        nodes = [self._found.get(_key(grown.members(node)), _UNKNOWN) for node in range(grown.n_nodes)]
        known = {name: getattr(grown, name) for name in ("classes", "order", "start", "stop", "left", "right", "link")}
        told = TrainedTree(
            **known,
            floor=np.array([node.floor for node in nodes]),
            cv_error=np.array([node.error for node in nodes]),
            model=[node.name for node in nodes],
            reason=[node.reason for node in nodes],
            tried=[node.tried for node in nodes],
        )
        return told, [node.model for node in nodes]

    def _settle(self, node: int) -> tuple[int, int] | Ints:
        """Split a node or give it a model; return its children or its classes."""
        members = self.tree.members(node)
        if len(members) == 1:
            return members
        forest = self._timed(lambda: NodeForest(self.measured, members))
        own = Trial(self.problem.of(members), self.seed)
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

    def _split(self, forest: NodeForest, flat: Trial, node: int) -> Node | None:
        """Split the node, if a linear model sends next to no row to the wrong side, and no more than it would flat."""
        right = self.tree.members(int(self.tree.right[node]))
        floor = self._timed(lambda: forest.of_split(right))
        trial = flat.relabelled(np.isin(flat.problem.codes, right).astype(np.int64))
        if trial.test(_ROUTER, 0, 0).error > 2 * _MOST_LOST:  # more rows might halve it
            return None
        error, tested = 1.0, 0
        for fold in range(trial.n_folds):
            lost = trial.test(_ROUTER, fold, trial.last).wrong.mean()
            error, tested = trial.error(_ROUTER)
            if error > _MOST_LOST or floor.shows_room(error, tested) or lost > _lost_flat(flat, fold, right):
                return None
            if tested >= _ENOUGH:
                break
        reason = BEATEN if floor.is_beaten(error, tested) else AT_FLOOR
        tried = f"tried {_ROUTER.family} {error:.3f} ({_ROUTER.seconds(trial.size()):.2g} s)"
        return Node(floor.lower, error, _ROUTER.name, reason, tried, trial.refit(_ROUTER))

    def _flat(self, forest: NodeForest, trial: Trial) -> Node:
        """Choose one model for all the node's classes."""
        floor, X = self._timed(forest.of_classes), trial.problem.X
        race = NodeRace(trial, floor, floor_cost(trial.size()), self.deadline)
        found = race.run(make_candidates(trial.size(), suitable_gamma(X), self.seed))
        return Node(
            floor.lower, found.error, found.candidate.name, found.reason, found.tried, trial.refit(found.candidate)
        )


def _lost_flat(flat: Trial, fold: int, right: Ints) -> float:
    """Return the fraction of a fold's rows that the flat linear model puts on the wrong side."""
    rows = flat.tested(fold, flat.last)
    found = flat.test(_ROUTER, fold, flat.last).model.predict(flat.problem.X[rows])
    return float((np.isin(found, right) != np.isin(flat.problem.codes[rows], right)).mean())


def floor_cost(size: Size) -> float:
    """Return about how many seconds the floors of a problem take."""
    return size.n_rows**2 * (7e-9 + 6e-11 * size.n_features)


def _key(members: Ints) -> tuple[int, ...]:
    return tuple(members.tolist())
