"""All classes and all pairs of classes by the compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import one_blas_thread, run_tasks
from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edges import Edges, new_edges
from bayesfloor.forest._finders import RUN_HERE, Run
from bayesfloor.forest._moments import Equal, graph_moments, moments_of_pairs
from bayesfloor.forest._order import Floats, Ints
from bayesfloor.forest._small import SMALL, join_small, make_parts
from bayesfloor.forest._vertices import Vertices

_PAIRS_AT_ONCE = 256  # small pairs in one compiled call: some hundredths of a second
_ENOUGH_TASKS = 8  # classes from which the threads take a class or pair each, not parts of one


def compose(
    vertices: Vertices,
    members: list[Ints],
    n_trees: int,
    equal: Equal,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[list[Edges], list[tuple[Ints, Edges]], Floats]:
    """The forest of each class, edges across pairs of classes by their pair's number, and its moments."""
    outer, inner = (n_jobs, RUN_HERE) if len(members) >= _ENOUGH_TASKS else (1, Run(n_jobs))
    with one_blas_thread():
        tasks = [(vertices.take(numbers), n_trees, "auto", inner) for numbers in members]
        blocks = list(run_tasks(forest_of, tasks, n_jobs=outer, progress=progress, stage="classes", total=len(members)))
        forests = [block.by_rank() for block in blocks]
        pairs = np.column_stack(np.triu_indices(len(members), 1))
        size = np.array([len(numbers) for numbers in members])
        small = size[pairs].sum(axis=1) <= SMALL
        moments, few, many = moments_of_pairs(len(pairs)), np.flatnonzero(small), np.flatnonzero(~small)
        across = [
            *_join_small(vertices, members, forests, pairs, few, n_trees, equal, moments, outer, progress),
            *_join_large(blocks, members, pairs, many, n_trees, equal, moments, outer, inner, progress),
        ]
    return forests, across, moments


def _join_small(
    vertices: Vertices,
    members: list[Ints],
    forests: list[Edges],
    pairs: Ints,
    chosen: Ints,
    n_trees: int,
    equal: Equal,
    moments: Floats,
    n_jobs: int | None,
    progress: Progress | None,
) -> Iterator[tuple[Ints, Edges]]:
    parts = make_parts(vertices, members, forests, equal.rows)
    chunks = np.split(chosen, range(_PAIRS_AT_ONCE, len(chosen), _PAIRS_AT_ONCE)) if len(chosen) else []
    tasks = [
        (parts, vertices.key, vertices.rank, vertices.group, pairs[chunk], n_trees, equal.inside) for chunk in chunks
    ]
    results = run_tasks(join_small, tasks, n_jobs=n_jobs, progress=progress, stage="small pairs", total=len(tasks))
    for chunk, (found, moments[chunk]) in zip(chunks, results, strict=True):
        yield chunk[found.pair], new_edges(found.a, found.b, found.squared)


def _join_large(
    blocks: list[Block],
    members: list[Ints],
    pairs: Ints,
    chosen: Ints,
    n_trees: int,
    equal: Equal,
    moments: Floats,
    n_jobs: int | None,
    inner: Run,
    progress: Progress | None,
) -> Iterator[tuple[Ints, Edges]]:
    tasks = [(blocks[i], blocks[j], n_trees, "auto", inner) for i, j in pairs[chosen]]
    results = run_tasks(join, tasks, n_jobs=n_jobs, progress=progress, stage="pairs", total=len(tasks))
    place = np.zeros(1 + max(int(m[-1]) for m in members), dtype=np.int64)  # of a vertex among those of a pair
    for number, joined in zip(chosen, results, strict=True):
        union, rows_at = equal.union(members, *pairs[number])
        place[union] = np.arange(len(union))
        a, b = place[joined.edges.a], place[joined.edges.b]
        moments[number] = graph_moments(a, b, rows_at, n_trees, inside=equal.inside)
        across = joined.edges.take(joined.across)
        yield np.full(len(across.a), number), across
