"""Forests of classes, of pairs of classes and of any set of classes, each composed from the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.forest._edges import Edges, Equal, concatenate, first_fit, graph_moments, pair_number, sort_once
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._spanning_forest import Forest, check_n_trees, is_plain, make_forest
from bayesfloor.forest._vertices import Vertices, find_vertices
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._parameters import check_n_jobs
from bayesfloor.support._results import Shown
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints

_PLAIN_STEPS = 150_000  # steps of Prim's algorithm, summed over all pairs: about three seconds
_REDUCED_AT_ONCE = 1 << 20  # edges to collect before reducing them


class AcrossPairs:
    """Edges between the classes of each pair, in the order (0, 1), (0, 2), ... (K-2, K-1)."""

    def __init__(self, n_classes: int, lists: Iterable[tuple[Ints, Edges]], moments: Floats) -> None:
        """Store lists of edges, each with the number of its pair, and the moments of the pairs' graphs."""
        self.moments = moments
        numbers, edges = zip(*lists, strict=True) if n_classes > 1 else ((), ())
        pair = np.concatenate([np.empty(0, np.int64), *numbers])
        order = np.argsort(pair, kind="stable")
        self.n_classes, self.edges = n_classes, concatenate(edges).take(order)
        self.first = np.searchsorted(pair[order], np.arange(n_classes * (n_classes - 1) // 2 + 1))

    def batches(self, classes: Sequence[int]) -> Iterator[Edges]:
        """Yield the edges between these classes, given in ascending order, in batches."""
        chosen = np.array(classes)
        one, two = np.triu_indices(len(chosen), 1)
        pairs = pair_number(chosen[one], chosen[two], self.n_classes)
        size = self.first[pairs + 1] - self.first[pairs]
        cuts = np.flatnonzero(np.diff(np.cumsum(size) // _REDUCED_AT_ONCE)) + 1
        for part in np.split(np.arange(len(pairs)), cuts):
            start, n = self.first[pairs[part]], size[part]  # the ranges start:start + n, one after the other
            yield self.edges.take(np.arange(n.sum()) + np.repeat(start - np.cumsum(n) + n, n))


class ClassForests(Shown):
    """Forests of the classes of a dataset, as returned by ``class_forests``.

    It stores each class's forest and, for each pair of classes, the edges between them. Every other
    forest follows from these without measuring any distance again.

    Attributes
    ----------
    n_classes : number of classes; class ``i`` has the rows with code ``i``.
    n_trees : number of orthogonal trees.
    vertex : (n_rows,) int array
        Vertex of each row, the same in all forests returned.

    Examples
    --------
    >>> from bayesfloor.forest import class_forests
    >>> forests = class_forests([[0.0], [1.0], [5.0], [6.0], [20.0]], [0, 0, 1, 1, 2], n_trees=1)
    >>> forests
    ClassForests(5 rows, 3 classes, 1 trees)
    >>> forests.of([0, 2]).length  # only the rows of these classes
    array([ 1., 19.])
    """

    def __init__(
        self,
        vertices: Vertices,
        vertex: Ints,
        codes: Ints,
        n_trees: int,
        forests: list[Edges],
        across: AcrossPairs,
        *,
        plain: bool,
    ) -> None:
        self.n_classes, self.n_trees, self.vertex = len(forests), n_trees, vertex
        self._vertices, self._codes, self._forests, self._across = vertices, codes, forests, across
        self._plain = plain

    def pair(self, i: int, j: int) -> Forest:
        """Return the forest of the rows of classes ``i`` and ``j``."""
        return self.of([i, j])

    def of(self, classes: Iterable[int]) -> Forest:
        """Return the forest of the rows of these classes."""
        chosen = self._check(classes)
        rows = np.flatnonzero(np.isin(self._codes, chosen))
        members = np.unique(self.vertex[rows])
        edges = self._reduce(members, self._lists(chosen))
        return make_forest(edges, self._vertices, self.vertex[rows], rows, self.n_trees)

    def all(self) -> Forest:
        """Return the forest of all rows."""
        return self.of(range(self.n_classes))

    @property
    def pair_sizes(self) -> Ints:
        """Number of edges between the two classes in each pair's forest, in the order (0, 1), (0, 2), ..."""
        return np.diff(self._across.first)

    @property
    def pair_moments(self) -> Floats:
        """Moments of each pair's forest as a graph on rows: sums of weights, squared weights and squared row sums."""
        return self._across.moments

    def _summary(self) -> str:
        return f"{len(self.vertex)} rows, {self.n_classes} classes, {self.n_trees} trees"

    def _check(self, classes: Iterable[int]) -> list[int]:
        chosen = sorted({int(c) for c in classes})
        if not chosen or chosen[0] < 0 or chosen[-1] >= self.n_classes:
            raise InputError(f"Got classes {chosen}, but expected at least one of 0 to {self.n_classes - 1}.")
        return chosen

    def _lists(self, chosen: list[int]) -> Iterator[Edges]:
        yield concatenate([self._forests[c] for c in chosen])
        yield from self._across.batches(chosen)

    def _reduce(self, members: Ints, lists: Iterable[Edges]) -> Edges:
        vertices, name = self._vertices.take(members), members.astype(np.int32)
        local = (_renumber(edges, members) for edges in lists)
        if self._plain:
            return first_fit(len(members), sort_once(vertices, concatenate(local)), self.n_trees).renumber(name)
        from bayesfloor.forest._blocks import reduce_edges

        return reduce_edges(vertices, local, self.n_trees).renumber(name)


def _renumber(edges: Edges, members: Ints) -> Edges:
    """Renumber the ends of edges by their position among the members."""
    a, b = np.searchsorted(members, [edges.a, edges.b]).astype(np.int32)
    return edges._replace(a=a, b=b)


def class_forests(
    X: ArrayLike,
    codes: ArrayLike,
    n_trees: int = 3,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ClassForests:
    """Compute the forests of all classes and pairs of classes; forests of larger sets follow from these.

    The forest of a class is computed once. A pair's forest is composed from its two classes' forests and
    the edges between them, and the forest of more classes from the forests of their pairs.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Equal rows become one vertex, which several classes may share.
    codes : array-like of shape (n_rows,)
        Class of each row, 0 to K - 1; ``np.unique(y, return_inverse=True)[1]`` returns these codes.
    n_trees : int, default=3
        Number of trees.
    groups : array-like of shape (n_rows,), default=None
        Rows of the same group are never joined.
    n_jobs : int, default=None
        Number of threads, as in joblib.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` during the work.

    Returns
    -------
    ClassForests

    Examples
    --------
    >>> from bayesfloor.forest import class_forests
    >>> forests = class_forests([[0.0], [1.0], [5.0], [6.0], [20.0]], [0, 0, 1, 1, 2], n_trees=1)
    >>> forests.pair(0, 1).length
    array([1., 1., 4.])
    >>> forests.all()
    Forest(5 rows, 5 distinct, 1 tree of 4 edges)
    """
    check_n_trees(n_trees)
    check_n_jobs(n_jobs)
    vertices, vertex = find_vertices(X, groups)
    numbers = check_codes(codes, len(vertex))
    classes = [np.unique(vertex[numbers == c], return_counts=True) for c in range(numbers.max() + 1)]
    members, equal = [m for m, _ in classes], Equal([count for _, count in classes], groups is None)
    plain = is_plain(len(vertices)) and n_trees * len(vertices) * len(members) <= _PLAIN_STEPS
    if plain:
        forests, across, moments = _compose_plainly(vertices, members, n_trees, equal, progress)
    else:
        from bayesfloor.forest._pair_joins import compose  # imports Numba, which small data never need

        forests, across, moments = compose(vertices, members, n_trees, equal, n_jobs, progress)
    pairs = AcrossPairs(len(members), across, moments)
    return ClassForests(vertices, vertex, numbers, n_trees, forests, pairs, plain=plain)


def check_codes(codes: ArrayLike, n_rows: int) -> Ints:
    """Return the codes as integers; raise an error unless every class has at least one row."""
    with blame("codes"):
        given = np.asarray(codes)
    if given.shape != (n_rows,):
        raise InputError(f"Got codes of shape {given.shape}, but expected one code for each of {n_rows} rows.")
    numbers = given.dtype.kind in "iu" and 0 <= given.min() <= given.max() < n_rows
    if not numbers or (np.bincount(given.astype(np.int64)) == 0).any():
        raise InputError(
            "Expected integer codes 0 to K - 1, each for at least one row. "
            "Pass codes=np.unique(y, return_inverse=True)[1]."
        )
    return given.astype(np.int64)


def _compose_plainly(
    vertices: Vertices, members: list[Ints], n_trees: int, equal: Equal, progress: Progress | None
) -> tuple[list[Edges], list[tuple[Ints, Edges]], Floats]:
    """Compute all forests from one distance matrix, without compiling anything."""
    distances = Distances(vertices, keep=True)

    def forest(numbers: Ints) -> Edges:
        return prim_forest(distances.of(numbers), n_trees).renumber(numbers.astype(np.int32))

    forests = [forest(numbers) for numbers in members]
    inside = np.zeros((len(members), len(vertices)), dtype=bool)
    for c, numbers in enumerate(members):
        inside[c, numbers] = True
    pairs, lists = list(combinations(range(len(members)), 2)), []
    moments = np.zeros((len(pairs), 3))
    for number, (i, j) in enumerate(pairs):
        union, rows_at = equal.union(members, i, j)
        edges = forest(union)
        local = _renumber(edges, union)
        moments[number] = graph_moments(local.a, local.b, rows_at, n_trees, inside=equal.inside)
        within = (inside[i, edges.a] & inside[i, edges.b]) | (inside[j, edges.a] & inside[j, edges.b])
        across = edges.take(~within)
        lists.append((np.full(len(across.a), number), across))
        if progress is not None:
            progress("pairs", number + 1, len(pairs))
    return forests, lists, moments
