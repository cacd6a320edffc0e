"""Find the class of each row on a class tree: along one path, all paths, or the best few.

A node's model predicts 0 for its left side and 1 for its right. The model of a node without children
predicts class numbers. A single class needs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.hierarchy._class_tree import NONE, ClassTree
from bayesfloor.support._parameters import take_rows
from bayesfloor.support._types import Floats, Ints

Models = list[Any]
_AT_ONCE = 4096  # rows for which the predictions of all nodes are held in memory


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


def _all_linear(tree: ClassTree, models: Models, X: Any) -> bool:
    """Whether one matrix product gives the predictions of all nodes."""
    from sklearn.svm import LinearSVC  # all linear classifiers share its predict method

    splits = [models[node] for node in tree.splits.tolist()]
    linear = all(getattr(type(model), "predict", None) is LinearSVC.predict for model in splits)
    alone = tree.n_nodes == 2 * len(tree.order) - 1  # every class is a leaf of its own
    return bool(splits) and linear and alone and isinstance(X, np.ndarray)


def _blocks(X: np.ndarray) -> Iterator[np.ndarray]:
    return (X[first : first + _AT_ONCE] for first in range(0, len(X), _AT_ONCE))


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
    return _spread(tree, models, rows, np.ones(len(rows)), _sides, np.multiply, "predict_proba")


def class_margins(tree: ClassTree, models: Models, rows: RowsOnTree) -> Floats:
    """Return the smallest margin along the path to each class; it is positive for the class that ``route`` finds."""
    return _spread(tree, models, rows, np.full(len(rows), np.inf), _margins, np.minimum, "decision_function")


def _spread(
    tree: ClassTree,
    models: Models,
    rows: RowsOnTree,
    all_of_it: Floats,
    sides: Callable[[Any, Any], tuple[Floats, Floats]],
    combine: Callable[[Floats, Floats], Floats],
    method: str,
) -> Floats:
    """Pass a value down from the root to every class, combining it with each model's output."""
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
            answers = answers if answers.ndim == 2 else np.column_stack([-answers, answers])
            found[:, models[node].classes_] = combine(value[:, None], answers)
    return found


def _sides(model: Any, X: Any) -> tuple[Floats, Floats]:
    left, right = model.predict_proba(X).T
    return left, right


def _margins(model: Any, X: Any) -> tuple[Floats, Floats]:
    margin = model.decision_function(X)
    return -margin, margin


class _Paths(NamedTuple):
    """Paths of rows, several per row: where each path is, and its log-probability.

    A place is a node with a model, or -1 - c if the path ends in class c.
    """

    row: Ints
    place: Ints
    log: Floats

    def take(self, chosen: Any) -> _Paths:
        """Return some of the paths."""
        return _Paths(self.row[chosen], self.place[chosen], self.log[chosen])


class _Best(NamedTuple):
    """The most likely class found for each row so far, and its log-probability."""

    number: Ints
    log: Floats

    def note(self, ended: _Paths) -> None:
        """Update with paths that ended in a more likely class, or an equally likely earlier class."""
        number = -1 - ended.place
        order = np.lexsort((number, -ended.log, ended.row))
        first = order[np.flatnonzero(np.diff(ended.row[order], prepend=-1))]
        row, log = ended.row[first], ended.log[first]
        better = (log > self.log[row]) | ((log == self.log[row]) & (number[first] < self.number[row]))
        self.number[row[better]], self.log[row[better]] = number[first][better], log[better]


def route_likeliest(tree: ClassTree, models: Models, rows: RowsOnTree, width: int | None = None) -> Ints:
    """Return the most likely class of each row by the product of probabilities.

    Each row first follows the more likely side to the end. A product never grows along a path, so a path set
    aside is resumed only if it is still at least as likely as that end; usually few are. ``width`` limits the total
    number of paths per row.
    """
    n = len(rows)
    if tree.n_nodes == 1 and models[0] is not None:
        return models[0].predict(rows.X)
    ends = [node if models[node] is not None else -1 - tree.order[tree.start[node]] for node in range(tree.n_nodes)]
    places, best = np.array(ends), _Best(np.full(n, len(tree.order)), np.full(n, -np.inf))
    paths, aside = _Paths(np.arange(n), np.full(n, places[0]), np.zeros(n)), []
    while len(paths.row):
        best.note(paths.take(paths.place < 0))
        going = paths.take((paths.place >= 0) & (paths.log >= best.log[paths.row]))
        steps = [_step(tree, places, int(node), models[node], rows, going) for node in np.unique(going.place)]
        aside += [left for _, left in steps]
        paths = _join([on for on, _ in steps])
        if not len(paths.row):
            left = _join(aside)
            paths = _likeliest(left.take(left.log >= best.log[left.row]), width)
            aside, width = [], None if width is None else 1
    return best.number


def _step(
    tree: ClassTree, places: Ints, node: int, model: Any, rows: RowsOnTree, paths: _Paths
) -> tuple[_Paths, _Paths]:
    """Advance paths from a node to the more likely side or the most likely class; also return the side set aside."""
    here = paths.take(paths.place == node)
    chance = model.predict_proba(rows.take(here.row))
    likelier, row = chance.argmax(axis=1), np.arange(len(chance))
    end = tree.left[node] == NONE
    below = -1 - model.classes_ if end else places[[tree.left[node], tree.right[node]]]
    sides = [likelier] if end else [likelier, 1 - likelier]
    with np.errstate(divide="ignore"):
        found = [_Paths(here.row, below[side], here.log + np.log(chance[row, side])) for side in sides]
    return found[0], here.take([]) if end else found[1]


def _join(parts: list[_Paths]) -> _Paths:
    none = _Paths(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    return _Paths(*(np.concatenate(part) for part in zip(none, *parts, strict=True)))


def _likeliest(paths: _Paths, width: int | None) -> _Paths:
    """Keep the most likely paths of each row, up to ``width`` including the first."""
    if width is None:
        return paths
    paths = paths.take(np.lexsort((-paths.log, paths.row)))
    first = np.flatnonzero(np.diff(paths.row, prepend=-1))
    rank = np.arange(len(paths.row)) - np.repeat(first, np.diff(first, append=len(paths.row)))
    return paths.take(rank < width - 1)
