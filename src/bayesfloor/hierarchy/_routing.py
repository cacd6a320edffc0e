"""Find the class of each row on a class tree, along one path or all paths.

A node's model predicts 0 for its left side and 1 for its right. A single class needs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.hierarchy._class_tree import NONE, ClassTree
from bayesfloor.support._parameters import take_rows
from bayesfloor.support._types import Floats, Ints

Models = list[Any]
_AT_ONCE = 2**22  # predictions of nodes, or probabilities of classes, that are held in memory


class RowsOnTree(NamedTuple):
    """Rows to predict."""

    X: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def take(self, rows: Ints) -> Any:
        """Return some of the rows."""
        return self.X if len(rows) == len(self) else take_rows(self.X, rows)


def route(tree: ClassTree, models: Models, rows: RowsOnTree) -> Ints:
    """Return the class of each row, following each model's prediction along one path."""
    if _all_linear(tree, models, rows.X):
        return np.concatenate([_route_linear(tree, models, rows.take(part)) for part in _blocks(tree, rows)])
    answer, waiting = np.empty(len(rows), dtype=np.int64), [(0, np.arange(len(rows)))]
    while waiting:
        node, here = waiting.pop()
        if tree.left[node] == NONE:
            answer[here] = tree.order[tree.start[node]]
        elif len(here):
            found = models[node].predict(rows.take(here))
            waiting += [(int(tree.left[node]), here[found == 0]), (int(tree.right[node]), here[found == 1])]
    return answer


def route_likeliest(tree: ClassTree, models: Models, rows: RowsOnTree) -> Ints:
    """Return the most likely class of each row by the product of probabilities; of equal ones the first."""
    parts = (RowsOnTree(rows.take(part)) for part in _blocks(tree, rows))
    return np.concatenate([class_probabilities(tree, models, part).argmax(axis=1) for part in parts])


def _blocks(tree: ClassTree, rows: RowsOnTree) -> Iterator[Ints]:
    """Yield the numbers of rows, as many at a time as there is memory for."""
    size = max(1, _AT_ONCE // len(tree.order))
    return (np.arange(first, min(first + size, len(rows))) for first in range(0, len(rows), size))


def _all_linear(tree: ClassTree, models: Models, X: Any) -> bool:
    """Whether one matrix product gives the predictions of all nodes."""
    from sklearn.svm import LinearSVC  # all linear classifiers share its predict method

    splits = [models[node] for node in tree.splits.tolist()]
    linear = all(getattr(type(model), "predict", None) is LinearSVC.predict for model in splits)
    return bool(splits) and linear and isinstance(X, np.ndarray)


def _route_linear(tree: ClassTree, models: Models, X: np.ndarray) -> Ints:
    """Route rows with the predictions of all nodes at once, instead of one call per node."""
    asked = [model for model in models if model is not None]
    coef = np.concatenate([np.atleast_2d(model.coef_) for model in asked])
    to_right = X @ coef.T + np.concatenate([np.atleast_1d(model.intercept_) for model in asked]) > 0
    place = np.cumsum(tree.left != NONE) - 1
    at, moving = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
    while len(moving):
        moving = moving[tree.left[at[moving]] != NONE]
        node = at[moving]
        at[moving] = np.where(to_right[moving, place[node]], tree.right[node], tree.left[node])
    return tree.order[tree.start[at]]


def class_probabilities(tree: ClassTree, models: Models, rows: RowsOnTree) -> Floats:
    """Return the product of probabilities along the path to each class."""

    def sides(model: Any) -> Floats:
        return model.predict_proba(rows.X).T

    return _spread(tree, models, np.ones(len(rows)), sides, np.multiply)


def class_margins(tree: ClassTree, models: Models, rows: RowsOnTree) -> Floats:
    """Return the smallest margin along the path to each class; it is positive for the class that ``route`` finds."""

    def sides(model: Any) -> Floats:
        margin = model.decision_function(rows.X)
        return np.stack([-margin, margin])

    return _spread(tree, models, np.full(len(rows), np.inf), sides, np.minimum)


def _spread(
    tree: ClassTree,
    models: Models,
    start: Floats,
    sides: Callable[[Any], Floats],
    combine: Callable[[Floats, Floats], Floats],
) -> Floats:
    """Pass a value of each row down from the root to every class, combining it with each model's output."""
    found, waiting = np.zeros((len(start), len(tree.order))), [(0, start)]
    while waiting:
        node, value = waiting.pop()
        if tree.left[node] == NONE:
            found[:, tree.order[tree.start[node]]] = value
        else:
            left, right = sides(models[node])
            waiting += [(int(tree.left[node]), combine(value, left)), (int(tree.right[node]), combine(value, right))]
    return found
