"""Grow the nodes of a floor-guided classifier: give a node a model, or split it if that answers faster as well."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._learners import Size
from bayesfloor.hierarchy._class_tree import NONE, ClassTree, TrainedTree, grow_tree
from bayesfloor.hierarchy._cuts import make_class_tree
from bayesfloor.hierarchy._floor_matrix import PAIRS_COST, MeasuredClasses
from bayesfloor.leaving.hierarchy_candidates import LINEAR, Candidate, make_candidates, suitable_gamma
from bayesfloor.leaving.hierarchy_choose_model import AT_FLOOR, BEATEN, Chosen, NodeRace
from bayesfloor.leaving.hierarchy_model_trial import Trial
from bayesfloor.leaving.hierarchy_node_floor import NodeFloor, NodeForest
from bayesfloor.leaving.hierarchy_problem import Problem
from bayesfloor.support._types import Ints

logger = logging.getLogger(__name__)

_ROUTER = LINEAR[-1]  # the model at splits
_PAIRS_WORTH = 0.5  # multiple of all time so far that the forests of all pairs may cost
_SLOW = 1e-5  # seconds per row; a model that answers faster than this is not split
_FASTER = 0.8  # fraction of the time to predict that a split may take at most
_COPY = 3e-8  # seconds to copy a row's feature to a side
_HOPELESS = 2.0  # more rows might halve the error of a split


class Node(NamedTuple):
    """The floor, error, model and reason of a node."""

    floor: float
    error: float
    name: str
    reason: str
    tried: str
    model: Any


_UNKNOWN = Node(np.nan, np.nan, "", "", "", None)


class _Part(NamedTuple):
    """A node of the tree on offer, and the kind of model chosen for the node above it."""

    node: int
    family: str = ""


@dataclass(eq=False)
class Growth:
    """Gives each node a model, from the root down; pairs of classes are measured only if a split may pay."""

    classes: np.ndarray
    cut: Any
    measured: MeasuredClasses
    problem: Problem
    seed: int
    deadline: float
    verbose: bool
    floor_seconds: float = 0.0
    _spent: float = 0.0  # by the formulas, on all nodes so far
    _found: dict[tuple[int, ...], Node] = field(default_factory=dict)

    def grow(self) -> tuple[TrainedTree, list[Any]]:
        """Return the final tree with the results of its nodes, and their models."""
        grown = grow_tree(self.classes, _Part(0), self._settle)
        grown = grown.linked(self.measured.matrix) if grown.n_nodes > 1 else grown
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

    @cached_property
    def _tree(self) -> ClassTree:
        """The splits on offer."""
        named = isinstance(self.cut, str)
        return self._timed(lambda: make_class_tree(self.cut, self.classes, self.measured.ordered if named else None))

    def _settle(self, part: _Part) -> tuple[_Part, _Part] | Ints:
        """Give a node a model or split it; return its classes or its children."""
        members = np.arange(len(self.classes)) if part.node == 0 else self._tree.members(part.node)
        if len(members) == 1:
            return members
        forest = self._timed(lambda: NodeForest(self.measured, members))
        trial = Trial(self.problem.of(members), self.seed)
        floor, flat = self._race(forest, trial, part.family)
        pays = _may_save(flat.candidate, trial.size()) and self._can_measure_pairs(trial.size())
        split = self._split(forest, trial, flat.candidate, part.node) if pays else None
        made = split or Node(
            floor.lower, flat.error, flat.candidate.name, flat.reason, flat.tried, trial.refit(flat.candidate)
        )
        self._found[_key(members)] = made
        if self.verbose:
            logger.info("%d classes: floor %.4f, error %.4f, %s, %s", len(members), *made[:4])
        if split is None:
            return members
        left, right = (
            _Part(int(side[part.node]), flat.candidate.family) for side in (self._tree.left, self._tree.right)
        )
        return left, right

    def _can_measure_pairs(self, size: Size) -> bool:
        """Whether the forests of all pairs were grown before, or cost little beside all time so far."""
        return "_tree" in vars(self) or PAIRS_COST * floor_cost(size) <= _PAIRS_WORTH * self._spent

    def _timed(self, measure: Callable[[], Any]) -> Any:
        """Run a measurement of floors and add its time to ``floor_seconds``."""
        start = time.process_time()
        found = measure()
        self.floor_seconds += time.process_time() - start
        return found

    def _race(self, forest: NodeForest, trial: Trial, family: str) -> tuple[NodeFloor, Chosen]:
        """Choose one model for all the node's classes; below a split, one of the kind chosen above or a linear one."""
        floor, size = self._timed(forest.of_classes), trial.size()
        race = NodeRace(trial, floor, self._spent + floor_cost(size), self.deadline)
        every = make_candidates(size, suitable_gamma(trial.problem.X), self.seed)
        own = [replace(one, guide="") for one in every if one in LINEAR or one.family == family]
        found = race.run(own if family else every)
        self._spent = race.spent
        return floor, found

    def _split(self, forest: NodeForest, flat: Trial, best: Candidate, node: int) -> Node | None:
        """Split the node, if a linear model puts no more rows on the wrong side than the best model of all classes.

        Both sides with models of the same kind must answer faster than that model.
        """
        if self._tree.left[node] == NONE:
            return None
        right = self._tree.members(int(self._tree.right[node]))
        on_right = np.isin(flat.problem.codes, right)
        if not _saves(best, flat.size(), on_right.mean(), len(right)):
            return None
        trial = flat.relabelled(on_right.astype(np.int64))
        folds = flat.folds_of(best)
        lost = sum(_lost(flat, best, fold, right) for fold in folds)
        few = trial.test(_ROUTER, folds[0], 0)
        if few.wrong.mean() > _HOPELESS * lost / sum(len(flat.tested(fold, flat.last)) for fold in folds):
            return None
        if sum(trial.test(_ROUTER, fold, trial.last).wrong.sum() for fold in folds) > lost:
            return None
        floor, (error, tested) = self._timed(lambda: forest.of_split(right)), trial.error(_ROUTER)
        reason = BEATEN if floor.is_beaten(error, tested) else AT_FLOOR
        tried = f"tried {_ROUTER.family} {error:.3f} ({_ROUTER.seconds(trial.size()):.2g} s)"
        return Node(floor.lower, error, _ROUTER.name, reason, tried, trial.refit(_ROUTER))


def _route_seconds(size: Size) -> float:
    """Return the seconds to send a row to its side."""
    return _ROUTER.row_seconds(size._replace(n_classes=2)) + _COPY * size.n_features


def _may_save(candidate: Candidate, size: Size) -> bool:
    """Whether a model is so slow that splitting its classes in the middle would pay."""
    slow = size.n_classes > 2 and candidate.row_seconds(size) > _SLOW
    return slow and _saves(candidate, size, 0.5, size.n_classes // 2)


def _saves(candidate: Candidate, size: Size, share: float, n_right: int) -> bool:
    """Whether a split and a model of this kind on each side, one with this fraction of all rows, answer faster."""
    parts = ((share, n_right), (1 - share, size.n_classes - n_right))
    seconds = sum(
        part * candidate.row_seconds(size._replace(n_rows=round(part * size.n_rows), n_classes=n_classes))
        for part, n_classes in parts
        if n_classes > 1
    )
    return _route_seconds(size) + seconds < _FASTER * candidate.row_seconds(size)


def _lost(trial: Trial, candidate: Candidate, fold: int, right: Ints) -> int:
    """Return how many of a fold's rows a model of all classes puts on the wrong side."""
    rows = trial.tested(fold, trial.last)
    found = trial.test(candidate, fold, trial.last).model.predict(trial.problem.X[rows])
    return int((np.isin(found, right) != np.isin(trial.problem.codes[rows], right)).sum())


def floor_cost(size: Size) -> float:
    """Return about how many seconds the floors of a problem take."""
    return size.n_rows**2 * (7e-9 + 6e-11 * size.n_features)


def _key(members: Ints) -> tuple[int, ...]:
    return tuple(members.tolist())
