"""Make a class tree from the matrix of pairwise floors.

Classes with a high floor between them are alike and should split late. Weights are rounded to integers
first, so that sums are exact in any order. Equal cuts then have exactly equal weights, and the first class
breaks ties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.hierarchy._class_tree import ClassTree, grow_tree, is_pair
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints

_AVERAGE: Final = "average"  # the linkage beside the cuts
_UNITS = 2.0**40  # roughly the largest weight; a thousand classes squared still fit into 63 bits
_TAKEN = -(2**62)  # stays below all weights, whatever is added to it


def make_class_tree(cut: Any, classes: np.ndarray, matrix: Floats | None) -> ClassTree:
    """Make the tree for a named cut, or return the user's own tree; without a matrix, all floors count as equal."""
    if isinstance(cut, str):
        return class_tree(classes, np.zeros((len(classes),) * 2) if matrix is None else matrix, cut)
    tree = given_tree(cut, classes)
    return tree if matrix is None else tree.linked(matrix)


def pair_tree(pairwise: PairwiseFloor, cut: str) -> ClassTree:
    """Make the class tree from pairwise floors relative to guessing; those too small to measure count as 0."""
    return class_tree(pairwise.classes, np.where(pairwise.at_resolution, 0.0, pairwise.matrix), cut)


def class_tree(classes: np.ndarray, matrix: Floats, cut: str) -> ClassTree:
    """Make the class tree with a named cut of the pairwise floors."""
    weights = _whole(matrix)
    tree = _cut_apart(classes, weights, CUTS[cut]) if cut in CUTS else _linkage(classes, weights)
    return tree.linked(matrix)


def given_tree(cut: Any, classes: np.ndarray) -> ClassTree:
    """Return the user's own tree, with only the classes in the data."""
    return (cut if isinstance(cut, ClassTree) else ClassTree.from_nested(cut)).among(classes)


def check_cut(cut: Any) -> None:
    """Raise if a cut does not define a tree."""
    known = (*CUTS, _AVERAGE)
    if not (isinstance(cut, ClassTree) or is_pair(cut) or (isinstance(cut, str) and cut in known)):
        names = ", ".join(map(repr, known))
        raise InputError(f"Got cut={cut!r}, but expected {names}, a ClassTree or nested pairs of labels.")


def _whole(matrix: Floats) -> Ints:
    """Return weights as integers; scaling by a power of two is exact."""
    exponent = np.frexp(np.max(matrix, initial=0.0))[1]
    return np.rint(np.ldexp(np.asarray(matrix, dtype=np.float64), -exponent) * _UNITS).astype(np.int64)


def _cut_apart(classes: np.ndarray, weights: Ints, cut: Callable[[Ints], np.ndarray]) -> ClassTree:
    """Cut the classes in two, then each part again, until every class is alone."""

    def divide(part: Ints) -> tuple[Ints, Ints] | int:
        if len(part) == 1:
            return int(part[0])
        side = cut(weights[np.ix_(part, part)])
        return part[side], part[~side]

    every: Ints = np.arange(len(classes))
    return grow_tree(classes, every, divide)


def min_cut(weights: Ints) -> np.ndarray:
    """Return one side of a minimum cut, by Stoer and Wagner (1997).

    Each phase orders the vertices, each time taking the one most attached to those before it. The
    attachment of v to all before it is at most the weight of any cut between v and the vertex
    before v. So if it is not below the best cut known, the two can be merged. Stoer and Wagner
    merge only the last two, whose attachment is a cut itself.
    """
    merged = np.eye(len(weights), dtype=bool)
    graph = weights.copy()
    np.fill_diagonal(graph, 0)
    degree = graph.sum(axis=1)
    side, best = merged[degree.argmin()], degree.min()
    # The lightest cut of a single class is the minimum if no larger cut can weigh less.
    if best <= _least_cut_bound(graph) or best <= _tighter_cut_bound(graph):
        return side.copy()
    while len(graph) > 2:
        order, attached = _most_attached(graph)
        if attached[-1] < best:  # the last class alone, against all others
            side, best = merged[order[-1]], attached[-1]
        apart = attached < best  # all others can be merged with their predecessor
        apart[[0, -1]] = True, False
        graph, merged = _merge(graph, merged, order, np.cumsum(apart) - 1)
        if len(graph) == 2 and graph[0, 1] < best:
            side, best = merged[0], graph[0, 1]
    return side.copy()


def _least_cut_bound(graph: Ints) -> int:
    """Return what every cut with two or more classes on each side weighs at least.

    A side of a classes is cut from the n - a others by a (n - a) edges; count each as the lightest.
    """
    n = len(graph)
    return int(2 * (n - 2) * graph[~np.eye(n, dtype=bool)].min())


def _tighter_cut_bound(graph: Ints) -> int:
    """Return a tighter bound on the same cuts: of a classes, each keeps at most its a - 1 heaviest edges inside."""
    n = len(graph)
    inside = np.cumsum(np.sort(graph, axis=1)[:, ::-1], axis=1)[:, : n // 2]
    outside = np.cumsum(np.sort(graph.sum(axis=1, keepdims=True) - inside, axis=0), axis=0)
    sizes = np.arange(2, n // 2 + 1)
    return int(outside[sizes - 1, sizes - 2].min(initial=np.iinfo(np.int64).max))


def _most_attached(graph: Ints) -> tuple[Ints, Ints]:
    """Return the vertices in maximum adjacency order, and each one's attachment to those before it."""
    n = len(graph)
    order, attached = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    weight = graph[0].copy()
    weight[0] = _TAKEN
    for place in range(1, n):
        last = weight.argmax()
        order[place], attached[place] = last, weight[last]
        weight += graph[last]
        weight[last] = _TAKEN
    return order, attached


def _merge(graph: Ints, merged: np.ndarray, order: Ints, group: Ints) -> tuple[Ints, np.ndarray]:
    """Merge vertices into groups; ``group`` numbers the vertices in ``order``."""
    first = np.flatnonzero(np.diff(group, prepend=-1))
    rows = np.add.reduceat(graph[np.ix_(order, order)], first, axis=0)
    together = np.add.reduceat(rows, first, axis=1)
    np.fill_diagonal(together, 0)
    return together, np.logical_or.reduceat(merged[order], first, axis=0)


def _linkage(classes: np.ndarray, weights: Ints) -> ClassTree:
    """Join the two groups that are most similar on average until one is left; the tree is the joins in reverse."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    K = len(classes)
    if K == 1:
        return grow_tree(classes, 0, int)
    distance = (weights.max() - weights).astype(np.float64)
    np.fill_diagonal(distance, 0.0)
    joins = linkage(squareform(distance), _AVERAGE)[:, :2].astype(np.int64)
    return grow_tree(classes, 2 * K - 2, lambda node: tuple(joins[node - K].tolist()) if node >= K else node)


CUTS: dict[str, Callable[[Ints], np.ndarray]] = {"min_cut": min_cut}
