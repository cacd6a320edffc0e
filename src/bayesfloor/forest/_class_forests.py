"""Moments of a graph on rows, for the permutation test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edges import Edges, concatenate, first_fit, new_edges, sort_once
from bayesfloor.forest._neighbours import RUN_HERE, Approx, Run
from bayesfloor.forest._pair_joins import Joined, Parts, join_blocks, make_parts
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._spanning_forest import Forest, check_n_trees, is_plain, make_forest
from bayesfloor.forest._vertices import Vertices, find_vertices
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._parameters import check_n_jobs
from bayesfloor.support._results import Shown
from bayesfloor.support._tasks import Progress, one_blas_thread, run_tasks
from bayesfloor.support._types import Floats, Ints

Number = TypeVar("Number", int, Ints)


class Equal(NamedTuple):
    """The number of rows that each class has at each of its vertices, and whether trees join equal rows."""

    rows: list[Ints]
    inside: bool

    def union(self, members: list[Ints], i: int, j: int) -> tuple[Ints, Ints]:
        """Return the vertices of two classes in ascending order, and the number of rows of both at each."""
        both, rows = np.concatenate([members[i], members[j]]), np.concatenate([self.rows[i], self.rows[j]])
        order = np.argsort(both, kind="stable")  # fast, because both parts are sorted
        union, rows = both[order], rows[order]
        new = np.ones(len(union), dtype=bool)
        new[1:] = union[1:] != union[:-1]
        return (union, rows) if new.all() else (union[new], np.add.reduceat(rows, np.flatnonzero(new)))


def graph_moments(a: Ints, b: Ints, rows_at: Ints, n_trees: int, *, inside: bool) -> tuple[float, float, float]:
    """Return the sums of the weights, of their squares, and of the squared row sums.

    Each edge between two vertices is divided evenly among the pairs of their rows: 1 / (m_a m_b) each.
    Inside a vertex, each tree joins the m equal rows by m - 1 edges, so the weight between any two of them is 2 / m per
    tree. With groups, equal rows are not joined (``inside`` is false).
    """
    degree = np.bincount(a, minlength=len(rows_at)) + np.bincount(b, minlength=len(rows_at))
    if rows_at.max(initial=1) == 1:  # no rows are equal, so the sums are simpler
        return float(len(a)), float(len(a)), float((degree**2).sum())
    m = rows_at.astype(np.float64)
    more = (m - 1) * n_trees if inside else np.zeros_like(m)
    squares = (1 / (m[a] * m[b])).sum() + (2 * more * n_trees / m).sum()
    return len(a) + more.sum(), squares, float(((2 * more + degree) ** 2 / m).sum())


def moments_of_pairs(n_pairs: int) -> Floats:
    """Return an empty array for the moments of each pair's graph."""
    return np.zeros((n_pairs, 3))


def pair_number(i: Number, j: Number, n_classes: int) -> Number:
    """Return the position of the pair ``i < j`` among all pairs."""
    return i * n_classes - i * (i + 1) // 2 + j - i - 1


PRODUCTS = 1 << 22  # of the rows of two classes: at most 16 MB; if there are more, the pair is not joined in one call
_PRODUCTS_AT_ONCE = 1 << 20  # of a class with several others: a few milliseconds
_ENOUGH_TASKS = 8  # with at least this many classes, each thread processes whole classes or pairs instead of parts


class Task(NamedTuple):
    """Settings for tasks: number of trees, and how to run within and across tasks."""

    n_trees: int
    inner: Run
    outer: int | None
    progress: Progress | None


class ClassBlock(NamedTuple):
    """A class's block, and the numbers and rows of its vertices."""

    block: Block
    members: Ints
    rows: Ints


def compose(
    vertices: Vertices,
    members: list[Ints],
    n_trees: int,
    equal: Equal,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[list[Edges], list[tuple[Ints, Edges]], Floats]:
    """Compute the forest of each class, the edges between the classes of each pair, and the pairs' moments."""
    outer, inner = (n_jobs, RUN_HERE) if len(members) >= _ENOUGH_TASKS else (1, Run(n_jobs))
    with one_blas_thread():
        how = Task(n_trees, inner, outer, progress)
        blocks = _grow(vertices, members, how)
        forests = [block.by_rank() for block in blocks]
        pairs = np.column_stack(np.triu_indices(len(members), 1))
        moments, size = moments_of_pairs(len(pairs)), np.array([len(numbers) for numbers in members])
        runs = _find_runs(size)
        parts = make_parts(vertices, members, forests, equal.rows, n_trees) if runs else None
        across, left = _join_runs(parts, runs, moments, equal, how)
        classes = [ClassBlock(*values) for values in zip(blocks, members, equal.rows, strict=True)]
        across += _join_large(classes, pairs, np.flatnonzero(left), moments, equal, how)
    return forests, across, moments


def _find_runs(size: Ints) -> list[tuple[int, int, int]]:
    """Return runs (i, start, stop) of classes ``start`` to ``stop - 1`` to join with class ``i`` in one call."""
    runs: list[tuple[int, int, int]] = []
    for i, n in enumerate(size):
        first = i + 1
        for j in range(i + 1, len(size) + 1):
            fits = j < len(size) and n * size[j] <= PRODUCTS
            if first < j and (not fits or n * size[first : j + 1].sum() > _PRODUCTS_AT_ONCE):
                runs.append((i, first, j))
                first = j
            if not fits:
                first = j + 1
    return runs


def _grow(vertices: Vertices, members: list[Ints], how: Task) -> list[Block]:
    tasks = ((vertices.take(numbers), how.n_trees, "auto", how.inner) for numbers in members)
    results = run_tasks(forest_of, tasks, n_jobs=how.outer, progress=how.progress, stage="classes", total=len(members))
    return list(results)


def _join_runs(
    parts: tuple[Parts, Approx] | None, runs: list[tuple[int, int, int]], moments: Floats, equal: Equal, how: Task
) -> tuple[list[tuple[Ints, Edges]], NDArray[np.bool_]]:
    """Join the classes of these runs; return the edges between them, and which pairs are left."""
    n = len(equal.rows)
    tasks = [(parts, *run, how.n_trees, equal.inside) for run in runs]
    results = run_tasks(join_run, tasks, n_jobs=how.outer, progress=how.progress, stage="small pairs", total=len(tasks))
    across: list[tuple[Ints, Edges]] = []
    left: NDArray[np.bool_] = np.ones(len(moments), dtype=np.bool_)
    for (i, start, _), found in zip(runs, results, strict=True):
        number = pair_number(i, start, n) + np.arange(len(found.finished))
        left[number], moments[number] = ~found.finished, found.moments
        across.append((number[found.across.pair], new_edges(*found.across[1:])))
    return across, left


def join_run(parts: tuple[Parts, Approx], i: int, start: int, stop: int, n_trees: int, inside: bool) -> Joined:
    """Join class ``i`` with each of the classes ``start`` to ``stop - 1``."""
    return join_blocks(*parts, i, start, stop, n_trees, inside=inside)


def _join_large(
    classes: list[ClassBlock], pairs: Ints, chosen: Ints, moments: Floats, equal: Equal, how: Task
) -> Iterator[tuple[Ints, Edges]]:
    tasks = [(classes[i], classes[j], how.n_trees, equal.inside, how.inner) for i, j in pairs[chosen]]
    results = run_tasks(join_pair, tasks, n_jobs=how.outer, progress=how.progress, stage="pairs", total=len(tasks))
    for number, (across, moments[number]) in zip(chosen, results, strict=True):
        yield np.full(len(across.a), number), across


def join_pair(
    first: ClassBlock, second: ClassBlock, n_trees: int, inside: bool, run: Run = RUN_HERE
) -> tuple[Edges, tuple[float, float, float]]:
    """Compute the edges between two classes in their common forest, and the moments of its graph."""
    joined = join(first.block, second.block, n_trees, "auto", run)
    union, rows_at = Equal([first.rows, second.rows], inside).union([first.members, second.members], 0, 1)
    a, b = np.searchsorted(union, joined.edges.a), np.searchsorted(union, joined.edges.b)
    return joined.edges.take(joined.across), graph_moments(a, b, rows_at, n_trees, inside=inside)


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
            yield self.edges.take(_ranges(self.first[pairs[part]], size[part]))


def _ranges(start: Ints, size: Ints) -> Ints:
    """Concatenate the ranges ``start:start + size``."""
    before = np.cumsum(size) - size
    return np.arange(size.sum()) + np.repeat(start - before, size)


class ClassForests(Shown):
    """Forests of the classes of a dataset, as returned by ``class_forests``.

    It stores each class's forest and, for each pair of classes, the edges between them. Every other
    forest follows from these without measuring any distance again.

    Attributes
    ----------
    n_classes : int
        Number of classes; class ``i`` has the rows with code ``i``.
    n_trees : int
        Number of orthogonal trees.
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
    moments = moments_of_pairs(len(pairs))
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
