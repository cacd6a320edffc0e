"""Compute the forest of rows that may not fit in memory.

Space is cut into cells, and the rows of a cell are a block. Most edges of a block's forest are certain
to be in the forest of all rows. Neighbouring blocks are joined in pairs, and this process settles the
edges near their borders that are still open. Nothing large passes through this process: tasks read from a
store and write to it, which makes every finished piece a checkpoint.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, gettempdir, mkdtemp
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._spanning_forest import Forest, check_lengths
from bayesfloor.leaving.engine_checkpoint import (
    CheckpointError,
    DamagedPieceError,
    Store,
    open_store,
    prepare_folder,
    read_description,
)
from bayesfloor.leaving.engine_folder_lock import hold_folder
from bayesfloor.leaving.engine_row_handles import Rows
from bayesfloor.leaving.engine_runners import Runner, follow
from bayesfloor.leaving.forest_out_of_core_blocks import (
    BlockSummary,
    call_alone,
    collect_ranks,
    grow_block,
    join_blocks,
    rank_vertices,
    ranks_of,
    read_join,
    read_summary,
)
from bayesfloor.leaving.forest_out_of_core_cells import box_gaps
from bayesfloor.leaving.forest_out_of_core_finish import (
    Place,
    Reduction,
    find_cuts,
    keep_reduction,
    order_edges,
    reduce_loose,
)
from bayesfloor.leaving.forest_out_of_core_plan import Plan, look_once, make_cells, sample_size, sort_rows
from bayesfloor.support._tasks import Progress, one_blas_thread
from bayesfloor.support._types import Ints
from bayesfloor.support._words import printable

logger = logging.getLogger(__name__)

AT_ONCE = 500_000  # a file with at most this many rows is read whole, unless blocks are requested
_FORMAT = 2  # of the pieces in a store
_PROCESS = 280e6  # bytes that a worker uses once everything is loaded
_WORKING = 1e9  # bytes per task if the available memory is unknown
_USED = 0.75  # fraction of a worker's memory to use: Dask pauses workers at 80 %
_FEWEST_ROWS = 1000  # in a block
_REMOVALS = 100  # attempts to remove a folder: tasks left running by an error may still write to it
_EDGE, _RANKED = 220, 32  # bytes per edge while sorting; memory for ranking, as a multiple of a row's size
_NEAREST = 4  # pairs per block to join at first, before it is known which pairs can be skipped
_WRITTEN = 1 << 24  # bytes to write at a time when reserving disk space
_REPAIRS = 3  # how often to recompute pieces that are found damaged during a run
_POOR = 0.5  # fraction of the work without boxes above which a warning says that boxes hardly help


class Work(NamedTuple):
    """How the trees of all rows were grown in blocks.

    Attributes
    ----------
    n_blocks : number of blocks of rows.
    n_pairs : number of pairs of nonempty blocks.
    n_joined : number of pairs whose edges had to be searched; the other pairs are too far apart.
    n_loose : number of edges that the main process had to settle.
    engine : where the work was done, such as this machine's processes or a Dask cluster.

    Examples
    --------
    After ``BayesFloor(target_width=None).fit(path)`` on more than 50,000 rows, ``work_`` is such an object:

    >>> from bayesfloor.forest import Work
    >>> print(Work(n_blocks=4, n_pairs=6, n_joined=5, n_loose=120, engine="2 threads"))
    2 threads, 4 blocks, 5 of 6 pairs of blocks joined
    """

    n_blocks: int
    n_pairs: int
    n_joined: int
    n_loose: int
    engine: str

    def __str__(self) -> str:
        if self.n_blocks == 1:
            return f"{self.engine}, one block"
        return f"{self.engine}, {self.n_blocks:,} blocks, {self.n_joined:,} of {self.n_pairs:,} pairs of blocks joined"


class Beyond(NamedTuple):
    """Where to run, the progress callback, the checkpoint folder and the size of blocks."""

    runner: Runner
    progress: Progress | None = None
    checkpoint: str | Path | None = None
    block_rows: int | None = None


def forest_beyond(rows: Rows, n_trees: int, how: Beyond) -> tuple[Forest, Work]:
    """Compute the forest of all rows; its arrays are mapped from a file that is deleted together with them."""
    with one_blas_thread(), _open_store(rows, n_trees, how) as (store, block_rows):
        rows = rows if how.runner.shares_memory else rows.on_disk(store.folder)
        for _ in range(_REPAIRS):
            with suppress(DamagedPieceError):  # the next round warns about the piece and recomputes it
                return _find_forest(rows, store, n_trees, block_rows, how)
        return _find_forest(rows, store, n_trees, block_rows, how)


def _find_forest(rows: Rows, store: Store, n_trees: int, block_rows: int, how: Beyond) -> tuple[Forest, Work]:
    """Compute the forest, starting from the pieces that the store already has."""
    plan, chunks = _make_plan(rows, store, n_trees, block_rows, how)
    blocks = _grow_blocks(plan, rows, chunks, how)
    _rank(plan, blocks, how)
    reduction, work = _join(plan, blocks, how)
    return _collect(plan, blocks, reduction, how), work


@contextmanager
def _open_store(rows: Rows, n_trees: int, how: Beyond) -> Iterator[tuple[Store, int]]:
    """Open the store of this run, and return it with the number of rows per block."""
    if how.checkpoint is None:
        with _temporary_folder() as folder:
            yield _describe(folder, rows, n_trees, how)
        return
    place = prepare_folder(how.checkpoint)
    with hold_folder(place):
        store, block_rows = _describe(place, rows, n_trees, how)
        try:
            yield store, block_rows
        finally:
            _sweep(store)


def _describe(folder: str | Path, rows: Rows, n_trees: int, how: Beyond) -> tuple[Store, int]:
    """Open the store in a folder; unless the caller gives a block size, keep that of an earlier run."""
    block_rows = how.block_rows or _kept_block_rows(folder) or _block_rows(rows, n_trees, how.runner)
    what = {
        "data": rows.fingerprint(),
        "rows": rows.shape[0],
        "features": rows.shape[1],
        "trees": int(n_trees),
        "block_rows": int(block_rows),
        "version": f"{version('bayesfloor')}, format {_FORMAT}",
    }
    return open_store(folder, what), block_rows


def _kept_block_rows(folder: str | Path) -> int | None:
    """Return the number of rows per block of an earlier run."""
    kept = (read_description(folder) or {}).get("block_rows")
    if kept is not None and (not isinstance(kept, int) or kept < 1):
        raise CheckpointError(
            f"The checkpoint in {printable(folder)} has blocks of {printable(kept)} rows, but expected at least 1. "
            "Pass another folder."
        )
    return kept


def _sweep(store: Store) -> None:
    """Remove half-written files of workers that were killed."""
    for part in Path(store.folder).glob(".*.part"):
        with suppress(OSError):
            part.unlink()


@contextmanager
def _temporary_folder() -> Iterator[str]:
    folder = mkdtemp(prefix="bayesfloor-")
    try:
        yield folder
    finally:
        for _ in range(_REMOVALS):
            rmtree(folder, ignore_errors=True)
            if not Path(folder).exists():
                break


def _block_rows(rows: Rows, n_trees: int, runner: Runner) -> int:
    """Return how many rows per block a worker's memory allows when it joins two blocks, based on measurements."""
    return max(_FEWEST_ROWS, int(_working(runner) / (350 + 370 * n_trees + 75 * rows.shape[1])))


def _working(runner: Runner) -> float:
    """Return how many bytes a task may use."""
    return _WORKING if runner.memory is None else max(0.1 * runner.memory, _USED * runner.memory - _PROCESS)


def _run(
    function: Callable[..., Any],
    tasks: Sequence[tuple[object, ...]],
    name: str,
    stage: str,
    how: Beyond,
    done: int = 0,
) -> Iterator[tuple[int, Any]]:
    """Yield (task index, result) pairs as tasks finish; ``done`` pieces were finished before."""
    total = len(tasks) + done
    # Tasks in parallel threads must not set and restore process-wide settings; this process has already set them.
    task = function if how.runner.shares_memory else partial(call_alone, function)
    yield from follow(how.runner.run(task, tasks, name), how.progress, stage, total, done)


def _make_plan(
    rows: Rows, store: Store, n_trees: int, block_rows: int, how: Beyond
) -> tuple[Plan, list[tuple[int, int]]]:
    n = rows.shape[0]
    n_chunks = max(1, -(-n // block_rows))
    ends = [n * i // n_chunks for i in range(n_chunks + 1)]
    chunks = list(pairwise(ends))
    if not store.has("cells"):
        tasks = [(rows.part(*chunk), chunk[0], sample_size(n_chunks)) for chunk in chunks]
        looks = dict(_run(look_once, tasks, "chunk of rows", "looking at rows", how))
        make_cells(store, [looks[number] for number in range(n_chunks)], n_chunks)
    cells = store.read("cells")
    return Plan(store, n_trees, n_chunks, len(cells["low"]), int(cells["exponent"][0])), chunks


def _grow_blocks(plan: Plan, rows: Rows, chunks: list[tuple[int, int]], how: Beyond) -> list[BlockSummary]:
    """Grow the forests of all blocks."""
    left = [cell for cell in range(plan.n_cells) if not plan.store.has(f"block-{cell}")]
    if left:
        todo = [number for number in range(len(chunks)) if not plan.store.has(f"rows-{number}")]
        tasks = [(plan, rows.part(*chunks[i]), i, chunks[i][0]) for i in todo]
        for _ in _run(sort_rows, tasks, "chunk of rows", "sorting rows", how, len(chunks) - len(todo)):
            pass
    named = [(plan, cell) for cell in left]
    for _ in _run(grow_block, named, "block", "blocks", how, plan.n_cells - len(left)):
        pass
    for number in range(len(chunks)):
        plan.store.remove(f"rows-{number}")
    return [read_summary(plan, cell) for cell in range(plan.n_cells)]


def _rank(plan: Plan, blocks: list[BlockSummary], how: Beyond) -> None:
    """Compute the positions of all vertices in content order."""
    left = [cell for cell in range(plan.n_cells) if not plan.store.has(f"rank-{cell}")]
    if not left:
        return
    n_vertices, d = sum(block.n_vertices for block in blocks), len(blocks[0].low)
    n_ranges = max(1, int(n_vertices * _RANKED * (d + 6) / _working(how.runner)))
    todo = [(plan, r, n_ranges) for r in range(n_ranges)]
    for _ in _run(rank_vertices, todo, "range of keys", "ranks", how):
        pass
    tasks = [(plan, cell, n_ranges) for cell in left]
    for _ in _run(collect_ranks, tasks, "block", "ranks of blocks", how, plan.n_cells - len(left)):
        pass
    for number in range(n_ranges):
        plan.store.remove(f"ranks-{number}")


def _join(plan: Plan, blocks: list[BlockSummary], how: Beyond) -> tuple[Reduction, Work]:
    """Join pairs of blocks, nearest first, until no pair can add an edge.

    At first, the longest edge on the path between two cores is guessed from the paths of half of each block's vertices
    to their own core. The resulting trees give better values, and pairs joined with too low a guess are joined again.
    """
    pairs, warned = _Pairs(blocks), False
    needed = pairs.guess_needed()[: _NEAREST * pairs.n_blocks]
    while True:
        _join_pairs(plan, pairs, needed, how)
        reduction = reduce_loose(plan, blocks, pairs.joined())
        needed = pairs.find_needed(reduction)
        if not len(needed):
            return reduction, _tell(blocks, pairs, reduction, how.runner)
        if not warned:
            warned = _warn_if_poor(pairs.share_of_work(needed), plan, len(blocks[0].low))
        most = max(_NEAREST * pairs.n_blocks, len(pairs.joined()))
        needed = needed[:most]  # the nearest pairs first: they may make the others unnecessary


def _tell(blocks: list[BlockSummary], pairs: _Pairs, reduction: Reduction, runner: Runner) -> Work:
    return Work(len(blocks), len(pairs.gap), len(pairs.joined()), len(reduction.edges.a), runner.name)


class _Pairs:
    """Pairs of nonempty blocks, nearest first, and the bounds with which they are joined."""

    def __init__(self, blocks: list[BlockSummary]) -> None:
        full = np.array([cell for cell, block in enumerate(blocks) if block.n_vertices])
        one, two = (full[side] for side in np.triu_indices(len(full), 1))
        low, high = np.array([block.low for block in blocks]), np.array([block.high for block in blocks])
        gap = box_gaps(low, high, one, two)
        order = np.argsort(gap, kind="stable")
        self.n_blocks, self.one, self.two, self.gap = len(full), one[order], two[order], gap[order]
        half, most = np.array([block.to_core for block in blocks]).T
        self.bound = np.maximum(half[self.one], half[self.two])
        self.to_core = np.maximum(most[self.one], most[self.two])
        self.done = np.full(len(one), -1.0)  # the bound of the last join
        self.looked_at = np.zeros(len(one))  # the fraction of vertices that the last join searched

    def guess_needed(self) -> Ints:
        """Return the pairs to begin with."""
        return np.flatnonzero(self.gap <= np.maximum(self.to_core, self.bound))

    def joined(self) -> list[tuple[int, int]]:
        """Return the pairs that are joined."""
        at = np.flatnonzero(self.done >= 0)
        return [(int(i), int(j)) for i, j in zip(self.one[at], self.two[at], strict=True)]

    def share_of_work(self, needed: Ints) -> float:
        """Return the work relative to joining all pairs completely, if the needed pairs are like the joined ones."""
        joined = self.done >= 0
        n_pairs = np.count_nonzero(joined) + np.count_nonzero(~joined[needed])
        return float(self.looked_at[joined].mean() * n_pairs / len(joined)) if joined.any() else 0.0

    def find_needed(self, reduction: Reduction) -> Ints:
        """Find the pairs that may have unknown edges, and set the bounds with which a join finds all of them."""
        self.bound = reduction.between_cores(self.one, self.two)
        near = self.gap <= np.maximum(self.to_core, self.bound)
        needed = np.flatnonzero(near & (self.done < self.bound))
        apart = self.bound[needed] == np.inf
        return needed[~apart] if not apart.any() else np.sort([*needed[~apart], *self._bridges(needed[apart])])

    def _bridges(self, apart: Ints) -> Ints:
        """From pairs of blocks without a path between them, choose the nearest ones that connect all blocks."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

        n, linked = 1 + max(self.one.max(), self.two.max()), np.flatnonzero(self.bound < np.inf)
        graph = coo_array((np.ones(len(linked)), (self.one[linked], self.two[linked])), shape=(n, n))
        island = connected_components(graph, directed=False)[1]
        sides = np.sort([island[self.one[apart]], island[self.two[apart]]], axis=0)
        _, first = np.unique(sides[0] * n + sides[1], return_index=True)  # pairs come nearest first
        nearest = coo_array((1.0 + first, sides[:, first]), shape=(n, n))
        return apart[(minimum_spanning_tree(nearest).data - 1).astype(int)]


def _warn_if_poor(share: float, plan: Plan, d: int) -> bool:
    poor = share > _POOR and plan.n_cells > 2 * _NEAREST + 1
    if poor:
        warnings.warn(
            f"About {share:.0%} of the rows of all pairs of blocks must be compared: with {d} features, boxes hardly "
            "separate the blocks, so the work grows with the square of the number of rows. A sample answers most "
            "questions: BayesFloor(target_width=0.01).fit(X, y) takes one and gives a confidence interval.",
            stacklevel=2,
        )
    return poor


def _join_pairs(plan: Plan, pairs: _Pairs, needed: Ints, how: Beyond) -> None:
    left = []
    for at in needed:
        name = f"join-{pairs.one[at]}-{pairs.two[at]}"
        if plan.store.has(name):
            pairs.done[at], pairs.looked_at[at] = read_join(plan, pairs.one[at], pairs.two[at])
        if pairs.done[at] < pairs.bound[at]:
            left.append(at)
    tasks = [(plan, int(pairs.one[at]), int(pairs.two[at]), float(pairs.bound[at])) for at in left]
    for number, done in _run(join_blocks, tasks, "pair of blocks", "joins", how, len(needed) - len(left)):
        pairs.done[left[number]], pairs.looked_at[left[number]] = done


def _collect(plan: Plan, blocks: list[BlockSummary], reduction: Reduction, how: Beyond) -> Forest:
    """Collect all edges in order, and the vertex of each row."""
    n_edges, n_rows = int(reduction.sizes.sum()), sum(block.n_rows for block in blocks)
    full = [cell for cell, block in enumerate(blocks) if block.n_vertices]
    keep_reduction(plan, reduction)
    cuts: list[Place | None] = [None, *find_cuts(plan, full, max(1, int(n_edges * _EDGE / _working(how.runner)))), None]
    lists = list(enumerate(pairwise(cuts)))
    tasks = [(plan, number, low, high) for number, (low, high) in lists]
    sizes = dict(_run(order_edges, tasks, "list of edges", "edges", how))
    edges = _read_edges(plan, [sizes[number] for number, _ in lists], n_edges)
    check_lengths(edges["length"], plan.exponent)
    return Forest(
        **edges,
        vertex=_read_vertices(plan, full, n_rows),
        rows=np.arange(n_rows),
        n_vertices=sum(block.n_vertices for block in blocks),
        n_trees=plan.n_trees,
    )


def _read_edges(plan: Plan, sizes: list[int], n_edges: int) -> dict[str, NDArray[Any]]:
    out = {"a": _room(n_edges, np.int64), "b": _room(n_edges, np.int64)}
    out |= {"length": _room(n_edges, np.float64), "tree": _room(n_edges, np.int64)}
    start = 0
    for number, size in enumerate(sizes):
        read = plan.store.read(f"edges-{number}")
        for name, array in out.items():
            array[start : start + size] = read[name]
        start += size
        del read  # otherwise Windows keeps the file open
        plan.store.remove(f"edges-{number}")
    return out


def _read_vertices(plan: Plan, full: list[int], n_rows: int) -> Ints:
    vertex = _room(n_rows, np.int64)
    for cell in full:
        read = plan.store.read(f"block-{cell}", ("row", "vertex"))
        vertex[read["row"]] = ranks_of(plan, cell)[read["vertex"]]
    return vertex


def _room(n: int, dtype: Any) -> NDArray[Any]:
    """Make an array in an unnamed file, which is deleted with the array."""
    if not n:
        return np.empty(0, dtype)
    try:
        with TemporaryFile(prefix="bayesfloor-") as file:
            _take_space(file, n * np.dtype(dtype).itemsize)
            return np.asarray(np.memmap(file, dtype, "w+", shape=(n,)))
    except OSError as error:
        reason = (
            f"Could not write the forest to a temporary file in {gettempdir()}: {error.strerror}. "
            "Free some space there, or set TMPDIR to another folder"
        )
        raise OSError(error.errno or 0, reason) from error


def _take_space(file: IO[bytes], size: int) -> None:
    """Reserve the space now: a full disk raises an error here, but would kill the process once the file is mapped."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:  # macOS and Windows
        for start in range(0, size, _WRITTEN):
            file.write(bytes(min(_WRITTEN, size - start)))
        file.flush()
