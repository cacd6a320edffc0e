"""Refuse a check whose parts have the right types but make no sense, before anything computes with them."""

from __future__ import annotations

import numpy as np

from bayesfloor.answer._answer import RELIABILITIES, Answer, Curve
from bayesfloor.answer._learners import EFFORTS
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.summary._check_result import Measured
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Ints


def refuse_implausible(made: Measured) -> None:
    """Raise an error that names the part of a check that makes no sense."""
    _check_sizes(made)
    _check_answer(made.answer)
    _check_curve(made.answer.curve)
    _check_tree(made.tree)


def _check_sizes(made: Measured) -> None:
    counts = (made.facts.n_used, made.facts.n_rows, made.answer.n_rows, made.overall.n_rows)
    tables = (made.pairwise, made.classes, made.one_vs_rest, made.tree)
    if min(counts) < 1 or {made.overall.n_classes, made.answer.n_classes} != {len(table.classes) for table in tables}:
        raise InputError("the numbers of rows or classes make no sense")
    if len(made.suspicious) != len(made.samples.row):
        raise InputError("the columns of the suspicious labels differ in length")
    if not np.all((made.pairwise.sizes >= 0) & np.isfinite(made.pairwise.sizes)):
        raise InputError("the class sizes make no sense")


def _check_answer(answer: Answer) -> None:
    if (
        answer.reliability not in RELIABILITIES
        or answer.effort not in EFFORTS
        or answer.best not in {"", *answer.errors}
    ):
        raise InputError("the words for reliability, effort or the best learner make no sense")
    ends = [answer.estimate, answer.upper] + ([] if np.isnan(answer.lower) else [answer.lower])
    if not all(0 <= error <= 1 for error in ends):
        raise InputError("the best estimate or its range is not between 0 and 1")
    if not all(0 <= error <= 1 and answer.n_independent[name] > 0 for name, error in answer.errors.items()):
        raise InputError("the errors of the learners make no sense")


def _check_curve(curve: Curve) -> None:
    errors = np.concatenate([curve.error, curve.low, curve.high])
    if np.any(curve.n_rows < 0) or np.any(np.diff(curve.n_rows) < 0) or np.any((errors < 0) | (errors > 1)):
        raise InputError("the learning curve makes no sense")


def _check_tree(tree: ClassTree) -> None:
    """Check that children come after their parents and that every node has classes."""
    nodes = (
        tree.start,
        tree.stop,
        tree.left,
        tree.right,
        tree.link,
        tree.floor,
        tree.cv_error,
        tree.model,
        tree.reason,
    )
    if len({len(column) for column in nodes}) > 1 or not len(tree.start):
        raise InputError("the columns of the class tree differ in length")
    if not np.array_equal(np.sort(tree.order), np.arange(len(tree.classes))):
        raise InputError("the class tree does not contain each class exactly once")
    if not np.all((tree.start >= 0) & (tree.start < tree.stop) & (tree.stop <= len(tree.order))):
        raise InputError("a node of the class tree has no classes")
    if not (_follow(tree.left) and _follow(tree.right) and np.array_equal(tree.left < 0, tree.right < 0)):
        raise InputError("the children in the class tree make no sense")


def _follow(child: Ints) -> bool:
    """Whether all children come after their parents; a negative number means no child."""
    has = child >= 0
    return bool(np.all(child[has] > np.flatnonzero(has)) and np.all(child < len(child)))
