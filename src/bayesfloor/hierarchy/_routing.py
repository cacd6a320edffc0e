"""Rows find their class on a tree: by one path, by all paths, or by the best few.

A node's model answers 0 for its left side and 1 for its right; the model of a node without children
answers with class numbers; a single class needs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.hierarchy._tree import NONE, ClassTree

Models = list[Any]
_AT_ONCE = 4096  # rows whose answers of all nodes are held


class Rows(NamedTuple):
    """Rows that models are asked about."""

    X: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def take(self, rows: Ints) -> Any:
        """Some of them."""
        from sklearn.utils import _safe_indexing

        return self.X if len(rows) == len(self) else _safe_indexing(self.X, rows)


def route(tree: ClassTree, models: Models, rows: Rows) -> Ints:
    """The class of each row at the end of the one path that the models' answers lead along."""
    if _all_linear(models, rows.X):
        return np.concatenate([_route_linear(tree, models, part) for part in _blocks(rows.X)])
    answer, waiting = np.empty(len(rows), dtype=np.int64), [(0, np.arange(len(rows)))]
    while waiting:
        node, here = waiting.pop()
        if not len(here):
            continue
        found = tree.order[tree.start[node]] if models[node] is None else models[node].predict(rows.take(here))
        if tree.left[node] == NONE:
            answer[here] = found
        else:
            waiting += [(int(tree.left[node]), here[found == 0]), (int(tree.right[node]), here[found == 1])]
    return answer


def _all_linear(models: Models, X: Any) -> bool:
    """Whether one matrix product can answer for all nodes."""
    from sklearn.linear_model._base import LinearClassifierMixin

    asked = [model for model in models if model is not None]
    linear = all(isinstance(model, LinearClassifierMixin) and len(model.classes_) == 2 for model in asked)
    return bool(asked) and linear and isinstance(X, np.ndarray)


def _blocks(X: np.ndarray) -> Iterator[np.ndarray]:
    return (X[first : first + _AT_ONCE] for first in range(0, len(X), _AT_ONCE))


def _route_linear(tree: ClassTree, models: Models, X: np.ndarray) -> Ints:
    """The same from all nodes' answers at once: many classes need no call for each."""
    asked = [model for model in models if model is not None]
    coef = np.concatenate([model.coef_ for model in asked])
    to_right = X @ coef.T + np.concatenate([np.atleast_1d(model.intercept_) for model in asked]) > 0
    place = np.cumsum(tree.left != NONE) - 1
    at, moving = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
    while len(moving):
        moving = moving[tree.left[at[moving]] != NONE]
        node = at[moving]
        at[moving] = np.where(to_right[moving, place[node]], tree.right[node], tree.left[node])
    return tree.order[tree.start[at]]


def class_probabilities(tree: ClassTree, models: Models, rows: Rows) -> Floats:
    """The product of probabilities along the path to each class."""
    return _spread(tree, models, rows, np.ones(len(rows)), _sides, np.multiply, "predict_proba")


def class_margins(tree: ClassTree, models: Models, rows: Rows) -> Floats:
    """The smallest margin along the path to each class: it is positive where the one path leads."""
    return _spread(tree, models, rows, np.full(len(rows), np.inf), _margins, np.minimum, "decision_function")


def _spread(
    tree: ClassTree,
    models: Models,
    rows: Rows,
    all_of_it: Floats,
    sides: Callable[[Any, Any], tuple[Floats, Floats]],
    combine: Callable[[Floats, Floats], Floats],
    method: str,
) -> Floats:
    """Hand a value down from the root to every class, combined with each model's answer."""
    found, waiting = np.zeros((len(rows), len(tree.order))), [(0, all_of_it)]
    while waiting:
        node, value = waiting.pop()
        if tree.left[node] != NONE:
            left, right = sides(models[node], rows.X)
            waiting += [(int(tree.left[node]), combine(value, left)), (int(tree.right[node]), combine(value, right))]
        elif models[node] is None:
            found[:, tree.order[tree.start[node]]] = value
        else:
            answers = getattr(models[node], method)(rows.X)
            found[:, models[node].classes_] = combine(value[:, None], answers)
    return found


def _sides(model: Any, X: Any) -> tuple[Floats, Floats]:
    left, right = model.predict_proba(X).T
    return left, right


def _margins(model: Any, X: Any) -> tuple[Floats, Floats]:
    margin = model.decision_function(X)
    return -margin, margin


class _Paths(NamedTuple):
    """Where rows may be: several places each, with the logarithm of their probability.

    A place is a node with a model, or -1 - c at the end of a path, for class c.
    """

    row: Ints
    place: Ints
    log: Floats

    def take(self, chosen: Any) -> _Paths:
        """Some of them."""
        return _Paths(self.row[chosen], self.place[chosen], self.log[chosen])


def route_beam(tree: ClassTree, models: Models, rows: Rows, width: int) -> Ints:
    """The likeliest class of each row, where only the ``width`` likeliest paths are followed at each step."""
    places = np.array(
        [node if models[node] is not None else -1 - tree.order[tree.start[node]] for node in range(len(models))]
    )
    paths = _Paths(np.arange(len(rows)), np.full(len(rows), places[0]), np.zeros(len(rows)))
    while (going := paths.place >= 0).any():
        steps = [_step(tree, places, int(node), models[node], rows, paths) for node in np.unique(paths.place[going])]
        paths = _best(_join([paths.take(~going), *steps]), width)
    return -1 - _best(paths, 1).place


def _step(tree: ClassTree, places: Ints, node: int, model: Any, rows: Rows, paths: _Paths) -> _Paths:
    """The paths that lead on from a node."""
    here = paths.take(paths.place == node)
    below = -1 - model.classes_ if tree.left[node] == NONE else places[[tree.left[node], tree.right[node]]]
    with np.errstate(divide="ignore"):
        log = here.log[:, None] + np.log(model.predict_proba(rows.take(here.row)))
    return _Paths(np.repeat(here.row, len(below)), np.tile(below, len(here.row)), log.ravel())


def _join(parts: list[_Paths]) -> _Paths:
    return _Paths(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _best(paths: _Paths, width: int) -> _Paths:
    """The likeliest paths of each row, rows in order."""
    paths = paths.take(np.lexsort((-paths.log, paths.row)))
    first = np.flatnonzero(np.diff(paths.row, prepend=-1))
    rank = np.arange(len(paths.row)) - np.repeat(first, np.diff(first, append=len(paths.row)))
    return paths.take(rank < width)
