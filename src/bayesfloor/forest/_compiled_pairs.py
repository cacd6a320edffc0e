"""Forests of all classes and all pairs of classes, using the compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._progress import Progress
from bayesfloor.engine._shared_arguments import Held, holding
from bayesfloor.engine._tasks import one_blas_thread, run_tasks
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edge_lists import Edges, new_edges
from bayesfloor.forest._graph_moments import Equal, graph_moments, moments_of_pairs, pair_number
from bayesfloor.forest._matmul import Approx
from bayesfloor.forest._neighbour_finders import RUN_HERE, Run
from bayesfloor.forest._pair_joins import Joined, Parts, join_blocks, make_parts
from bayesfloor.forest._vertices import Vertices

PRODUCTS = 1 << 22  # of the rows of two classes: at most 16 MB; if there are more, the pair is not joined in one call
_PRODUCTS_AT_ONCE = 1 << 20  # of a class with several others: a few milliseconds
_ENOUGH_TASKS = 8  # with at least this many classes, each thread processes whole classes or pairs instead of parts


class Task(NamedTuple):
    """Settings for tasks: number of trees, how to run within and across tasks, and where to keep shared values."""

    n_trees: int
    inner: Run
    outer: int | None
    hold: Callable[[Any], Held[Any]]
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
    with one_blas_thread(), holding(outer) as hold:
        how = Task(n_trees, inner, outer, hold, progress)
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
    tasks = ((how.hold(vertices.take(numbers)), how.n_trees, how.inner) for numbers in members)
    results = run_tasks(grow_class, tasks, n_jobs=how.outer, progress=how.progress, stage="classes", total=len(members))
    return list(results)


def grow_class(held: Held[Vertices], n_trees: int, run: Run) -> Block:
    """Compute the block of a class."""
    return forest_of(held.get(), n_trees, "auto", run)


def _join_runs(
    parts: tuple[Parts, Approx] | None, runs: list[tuple[int, int, int]], moments: Floats, equal: Equal, how: Task
) -> tuple[list[tuple[Ints, Edges]], NDArray[np.bool_]]:
    """Join the classes of these runs; return the edges between them, and which pairs are left."""
    held, n = how.hold(parts), len(equal.rows)
    tasks = [(held, *run, how.n_trees, equal.inside) for run in runs]
    results = run_tasks(join_run, tasks, n_jobs=how.outer, progress=how.progress, stage="small pairs", total=len(tasks))
    across: list[tuple[Ints, Edges]] = []
    left: NDArray[np.bool_] = np.ones(len(moments), dtype=np.bool_)
    for (i, start, _), found in zip(runs, results, strict=True):
        number = pair_number(i, start, n) + np.arange(len(found.finished))
        left[number], moments[number] = ~found.finished, found.moments
        across.append((number[found.across.pair], new_edges(*found.across[1:])))
    return across, left


def join_run(held: Held[Any], i: int, start: int, stop: int, n_trees: int, inside: bool) -> Joined:
    """Join class ``i`` with each of the classes ``start`` to ``stop - 1``."""
    parts, rough = held.get()
    return join_blocks(parts, rough, i, start, stop, n_trees, inside=inside)


def _join_large(
    classes: list[ClassBlock], pairs: Ints, chosen: Ints, moments: Floats, equal: Equal, how: Task
) -> Iterator[tuple[Ints, Edges]]:
    held = [how.hold(each) for each in classes] if len(chosen) else []
    tasks = [(held[i], held[j], how.n_trees, equal.inside, how.inner) for i, j in pairs[chosen]]
    results = run_tasks(join_pair, tasks, n_jobs=how.outer, progress=how.progress, stage="pairs", total=len(tasks))
    for number, (across, moments[number]) in zip(chosen, results, strict=True):
        yield np.full(len(across.a), number), across


def join_pair(
    one: Held[ClassBlock], two: Held[ClassBlock], n_trees: int, inside: bool, run: Run = RUN_HERE
) -> tuple[Edges, tuple[float, float, float]]:
    """Compute the edges between two classes in their common forest, and the moments of its graph."""
    first, second = one.get(), two.get()
    joined = join(first.block, second.block, n_trees, "auto", run)
    union, rows_at = Equal([first.rows, second.rows], inside).union([first.members, second.members], 0, 1)
    a, b = np.searchsorted(union, joined.edges.a), np.searchsorted(union, joined.edges.b)
    return joined.edges.take(joined.across), graph_moments(a, b, rows_at, n_trees, inside=inside)
