"""Forests of all classes and all pairs of classes, using the compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._progress import Progress
from bayesfloor.engine._shared_arguments import Held, holding
from bayesfloor.engine._tasks import one_blas_thread, run_tasks
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edge_lists import Edges, new_edges
from bayesfloor.forest._graph_moments import Equal, graph_moments, moments_of_pairs
from bayesfloor.forest._neighbour_finders import RUN_HERE, Run
from bayesfloor.forest._small_joins import SMALL, Across, Parts, join_small, make_parts
from bayesfloor.forest._vertices import Vertices

_PAIRS_AT_ONCE = 256  # small pairs in one compiled call: a few hundredths of a second
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
        size = np.array([len(numbers) for numbers in members])
        small = size[pairs].sum(axis=1) <= SMALL
        moments, few, many = moments_of_pairs(len(pairs)), np.flatnonzero(small), np.flatnonzero(~small)
        parts = make_parts(vertices, members, forests, equal.rows)
        classes = [ClassBlock(*values) for values in zip(blocks, members, equal.rows, strict=True)]
        across = [
            *_join_small(parts, vertices, pairs, few, moments, equal, how),
            *_join_large(classes, pairs, many, moments, equal, how),
        ]
    return forests, across, moments


def _grow(vertices: Vertices, members: list[Ints], how: Task) -> list[Block]:
    tasks = ((how.hold(vertices.take(numbers)), how.n_trees, how.inner) for numbers in members)
    results = run_tasks(grow_class, tasks, n_jobs=how.outer, progress=how.progress, stage="classes", total=len(members))
    return list(results)


def grow_class(held: Held[Vertices], n_trees: int, run: Run) -> Block:
    """Compute the block of a class."""
    return forest_of(held.get(), n_trees, "auto", run)


def _join_small(
    parts: Parts, vertices: Vertices, pairs: Ints, chosen: Ints, moments: Floats, equal: Equal, how: Task
) -> Iterator[tuple[Ints, Edges]]:
    chunks = np.split(chosen, range(_PAIRS_AT_ONCE, len(chosen), _PAIRS_AT_ONCE)) if len(chosen) else []
    held = how.hold((parts, vertices.key, vertices.rank, vertices.group)) if chunks else None
    tasks = [(held, pairs[chunk], how.n_trees, equal.inside) for chunk in chunks]
    results = run_tasks(join_few, tasks, n_jobs=how.outer, progress=how.progress, stage="small pairs", total=len(tasks))
    for chunk, (found, moments[chunk]) in zip(chunks, results, strict=True):
        yield chunk[found.pair], new_edges(found.a, found.b, found.squared)


def join_few(held: Held[Any], pairs: Ints, n_trees: int, inside: bool) -> tuple[Across, Floats]:
    """Compute the edges between the classes of small pairs, and the moments of the pairs' graphs."""
    parts, key, rank, group = held.get()
    return join_small(parts, key, rank, group, pairs, n_trees, inside)


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
