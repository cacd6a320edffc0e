"""Forests of classes and of their pairs, compiled: many small pairs in one call, large pairs in one call each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edges import Edges, Equal, graph_moments, new_edges, pair_number
from bayesfloor.forest._neighbours import RUN_HERE, Approx, Run
from bayesfloor.forest._pair_joins import Parts, join_blocks, make_parts
from bayesfloor.forest._vertices import Vertices
from bayesfloor.support._tasks import Progress, one_blas_thread, run_tasks
from bayesfloor.support._types import Floats, Ints

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
        tasks = ((vertices.take(numbers), n_trees, "auto", inner) for numbers in members)
        blocks = list(run_tasks(forest_of, tasks, n_jobs=outer, progress=progress, stage="classes", total=len(members)))
        forests = [block.by_rank() for block in blocks]
        pairs = np.column_stack(np.triu_indices(len(members), 1))
        moments = np.zeros((len(pairs), 3))
        runs = _find_runs(np.array([len(numbers) for numbers in members]))
        # Small classes are joined with many others in one call, large ones pair by pair.
        parts = make_parts(vertices, members, forests, equal.rows, n_trees) if runs else ()
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


def _join_runs(
    parts: tuple[Parts, Approx] | tuple[()], runs: list[tuple[int, int, int]], moments: Floats, equal: Equal, how: Task
) -> tuple[list[tuple[Ints, Edges]], NDArray[np.bool_]]:
    """Join the classes of these runs; return the edges between them, and which pairs are left."""
    n = len(equal.rows)
    tasks = [(*parts, *run, how.n_trees, equal.inside) for run in runs]
    results = run_tasks(
        join_blocks, tasks, n_jobs=how.outer, progress=how.progress, stage="small pairs", total=len(tasks)
    )
    across: list[tuple[Ints, Edges]] = []
    left: NDArray[np.bool_] = np.ones(len(moments), dtype=np.bool_)
    for (i, start, _), found in zip(runs, results, strict=True):
        number = pair_number(i, start, n) + np.arange(len(found.finished))
        left[number], moments[number] = ~found.finished, found.moments
        across.append((number[found.across.pair], new_edges(*found.across[1:])))
    return across, left


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
