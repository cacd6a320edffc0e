"""Tasks for rows that do not fit in memory: grow the forests of blocks, rank vertices, and join two blocks.

Each task gets the plan and a few numbers, reads its input from the store, writes its result there and
returns at most a short summary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._blocks import Block, forest_of, join, restore_block
from bayesfloor.forest._edges import Edges
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._vertices import Keys, Vertices, content_ranks, find_vertices, row_keys
from bayesfloor.leaving.engine_checkpoint import Arrays
from bayesfloor.leaving.engine_memory import release_memory
from bayesfloor.leaving.forest_certain_edges import Loose, core_distance, settle
from bayesfloor.leaving.forest_out_of_core_cells import gap_between
from bayesfloor.leaving.forest_out_of_core_plan import Plan, rows_of_cell
from bayesfloor.support._tasks import one_blas_thread
from bayesfloor.support._types import Floats, Ints

Result = TypeVar("Result")

_TINY = 32  # number of vertices up to which plain Prim is fast
_FEW = 0.5  # fraction of two blocks' vertices up to which a new forest is grown; above, the blocks' forests are joined
_LISTED = 16  # mean number of balls that contain a vertex above which listing them takes too long
_JOINED = (*Edges._fields, "x", "key", "part", "to_core", "summary_low", "summary_high")  # arrays that a join reads


class BlockSummary(NamedTuple):
    """A summary of a block for other tasks."""

    n_rows: int
    n_vertices: int
    low: Floats  # the box around its scaled rows
    high: Floats
    sizes: Ints  # certain edges of each tree
    n_parts: Ints  # of each tree
    core: int  # the part of the last tree that contains its core
    to_core: Floats  # longest edge, squared, on the paths to the core: from half of its vertices, and from all


def call_alone(function: Callable[..., Result], *task: object) -> Result:
    """Run a task in a worker process, with one BLAS thread, and release its memory afterwards."""
    try:
        with one_blas_thread():
            return function(*task)
    finally:
        release_memory()


def grow_block(plan: Plan, number: int) -> BlockSummary:
    """Grow the forest of a cell's rows, and find its certain edges."""
    x, row = rows_of_cell(plan, number)
    if not len(x):
        return _empty_block(plan, number, x.shape[1])
    vertices, vertex = find_vertices(x, exponent_of_all=plan.exponent)
    edges = _grow(vertices, plan.n_trees)
    reach = plan.cells().reach(number, vertices.x, plan.exponent)
    settled = settle(len(vertices), edges, plan.n_trees, reach)
    to_core, core = core_distance(len(vertices), edges, plan.n_trees)
    arrays: Arrays = {
        "x": vertices.x,
        "key": vertices.key,
        "exponent": _exponents(x, vertex),
        "row": row,
        "vertex": vertex.astype(np.int32),
        "to_core": to_core,
    }
    summary = BlockSummary(
        n_rows=len(row),
        n_vertices=len(vertices),
        low=vertices.x.min(axis=0),
        high=vertices.x.max(axis=0),
        sizes=np.bincount(edges.tree[settled.certain], minlength=plan.n_trees),
        n_parts=settled.part.max(axis=0).astype(np.int64) + 1,
        core=int(settled.part[core, -1]),
        to_core=np.quantile(to_core, [0.5, 1.0], method="higher"),
    )
    plan.store.write(f"block-{number}", arrays | edges._asdict() | settled._asdict() | _numbers(summary))
    return summary


def _exponents(x: Floats, vertex: Ints) -> NDArray[np.uint16]:
    """Return the exponent of each vertex's largest unscaled value, to order rows that are multiples of each other."""
    out = np.empty(vertex.max() + 1, np.uint16)
    out[vertex] = row_keys(x)[1]
    return out


def _grow(vertices: Vertices, n_trees: int) -> Edges:
    if len(vertices) <= _TINY:
        return prim_forest(Distances(vertices, keep=True), n_trees, None)
    return forest_of(vertices, n_trees).by_rank()


def _empty_block(plan: Plan, number: int, d: int) -> BlockSummary:
    none = np.zeros(plan.n_trees, dtype=np.int64)
    summary = BlockSummary(0, 0, np.full(d, np.inf), np.full(d, -np.inf), none, none, 0, np.zeros(2))
    empty: Arrays = {"key": np.empty(0, np.uint64), "exponent": np.empty(0, np.uint16), "x": np.empty((0, d))}
    plan.store.write(f"block-{number}", empty | _numbers(summary))
    return summary


def _numbers(summary: BlockSummary) -> Arrays:
    return {f"summary_{name}": np.asarray(value) for name, value in summary._asdict().items()}


def read_summary(plan: Plan, number: int) -> BlockSummary:
    """Read the summary of a finished block."""
    read = plan.store.read(f"block-{number}", [f"summary_{name}" for name in BlockSummary._fields])
    values: dict[str, Any] = {name: np.array(read[f"summary_{name}"]) for name in BlockSummary._fields}
    whole = {name: int(values[name]) for name in ("n_rows", "n_vertices", "core")}
    return BlockSummary(**{**values, **whole})


def rank_vertices(plan: Plan, number: int, n_ranges: int) -> None:
    """Compute the ranks, among all vertices, of those whose keys are in one of ``n_ranges`` ranges."""
    before, sizes = 0, []
    parts: dict[str, list[NDArray[Any]]] = {"x": [], "key": [], "exponent": []}
    for cell in range(plan.n_cells):
        block = plan.store.read(f"block-{cell}", parts)
        start, stop = _key_position(block["key"], number, n_ranges), _key_position(block["key"], number + 1, n_ranges)
        before += start
        sizes.append(stop - start)
        for name, part in parts.items():
            part.append(block[name][start:stop].copy())  # a view would keep the file's pages in memory
    x, key, exponent = map(np.concatenate, parts.values())
    rank = before + content_ranks(x, key, exponent.astype(np.uint64))
    split = np.split(rank, np.cumsum(sizes)[:-1])
    plan.store.write(f"ranks-{number}", {f"rank-{cell}": part for cell, part in enumerate(split)})


def _key_position(key: Keys, number: int, n_ranges: int) -> int:
    """Return where one of ``n_ranges`` ranges begins among ascending keys."""
    return len(key) if number == n_ranges else int(np.searchsorted(key, np.uint64((number << 64) // n_ranges)))


def collect_ranks(plan: Plan, cell: int, n_ranges: int) -> None:
    """Collect the ranks of one block's vertices from all ranges."""
    name = f"rank-{cell}"
    parts = [plan.store.read(f"ranks-{number}", [name])[name] for number in range(n_ranges)]
    plan.store.write(name, {"rank": np.concatenate(parts)})


def ranks_of(plan: Plan, cell: int) -> Ints:
    """Return the ranks of a block's vertices among all, in ascending order."""
    return plan.store.read(f"rank-{cell}")["rank"]


def join_blocks(plan: Plan, one: int, two: int, bound: float) -> tuple[float, float]:
    """Find all edges between two blocks that may be in the forest of all rows.

    Return the bound and the fraction of both blocks' vertices that had to be searched.

    An edge (a, b) of that forest is no longer than the longest edge on the path from a to its block's core,
    from there to the other block's core, and on to b. In squared lengths, that is at most the largest of the
    ``to_core`` of a, the ``to_core`` of b and the ``bound`` between the cores.
    """
    blocks = plan.store.read(f"block-{one}", _JOINED), plan.store.read(f"block-{two}", _JOINED)
    ranks = ranks_of(plan, one), ranks_of(plan, two)
    chosen = _near_border(blocks, bound)
    if chosen is not None:
        ends, squared = _grow_across(plan, blocks, ranks, chosen)
    else:
        ends, squared = _join_all(plan, blocks, ranks)
    key_a, key_b = (block["key"][end] for block, end in zip(blocks, ends, strict=True))
    part_a, part_b = (block["part"][end].astype(np.int64) for block, end in zip(blocks, ends, strict=True))
    core_a, core_b = (block["to_core"][end] for block, end in zip(blocks, ends, strict=True))
    a, b = (rank[end] for rank, end in zip(ranks, ends, strict=True))
    loose = Loose(a, b, squared, key_a, key_b, part_a, part_b, core_a, core_b)
    looked_at = 1.0 if chosen is None else sum(map(len, chosen)) / sum(map(len, ranks))
    plan.store.write(f"join-{one}-{two}", {**loose._asdict(), "done": np.array([bound, looked_at])})
    return bound, looked_at


def read_join(plan: Plan, one: int, two: int) -> tuple[float, float]:
    """Read the values that ``join_blocks`` returned."""
    bound, looked_at = plan.store.read(f"join-{one}-{two}", ["done"])["done"]
    return float(bound), float(looked_at)


def _near_border(blocks: tuple[Arrays, Arrays], bound: float) -> tuple[Ints, Ints] | None:
    """Return the vertices at which an edge between the blocks may end; None if there are too many."""
    limits = [np.maximum(block["to_core"], bound) for block in blocks]
    gaps = [_gap(blocks[side]["x"], blocks[1 - side]) for side in range(2)]
    active = [np.flatnonzero(gap <= limit) for gap, limit in zip(gaps, limits, strict=True)]
    if sum(map(len, active)) > _FEW * sum(map(len, gaps)):
        return None
    chosen = []
    for side in range(2):
        asking, radius = active[1 - side], limits[1 - side][active[1 - side]]
        within = np.flatnonzero(gaps[side] <= radius.max(initial=-1.0))
        found = _in_balls(blocks[side]["x"][within], blocks[1 - side]["x"][asking], radius)
        if found is None:
            return None
        chosen.append(np.union1d(active[side], within[found]))
    return None if sum(map(len, chosen)) > _FEW * sum(map(len, gaps)) else (chosen[0], chosen[1])


def _gap(x: Floats, other: Arrays) -> Floats:
    """Compute the squared distances of points to the other block's box."""
    return gap_between(x, x, other["summary_low"], other["summary_high"])


def _in_balls(points: Floats, centres: Floats, squared_radius: Floats) -> Ints | None:
    """Return the numbers of the points that are in any ball; None if there are too many pairs of point and ball."""
    from scipy.spatial import cKDTree

    if not len(points) or not len(centres):
        return np.empty(0, np.int64)
    tree, radius = cKDTree(points), np.sqrt(squared_radius) * (1 + 1e-9)
    if tree.query_ball_point(centres, radius, return_length=True).sum() > _LISTED * len(points):
        return None
    found = tree.query_ball_point(centres, radius, return_sorted=False)
    return np.unique(np.concatenate([np.asarray(numbers, np.int64) for numbers in found]))


def _grow_across(
    plan: Plan, blocks: tuple[Arrays, Arrays], ranks: tuple[Ints, Ints], chosen: tuple[Ints, Ints]
) -> tuple[list[Ints], Floats]:
    """Grow the chosen vertices' forest; return its edges between blocks, by number in each, and squared lengths."""
    rank, number = np.concatenate([r[c] for r, c in zip(ranks, chosen, strict=True)]), np.concatenate(chosen)
    order, second = np.argsort(rank), np.repeat([False, True], [len(c) for c in chosen])
    x, key = (np.concatenate([b[name][c] for b, c in zip(blocks, chosen, strict=True)])[order] for name in ("x", "key"))
    if not len(chosen[0]) or not len(chosen[1]):
        return [np.empty(0, np.int64)] * 2, np.empty(0)
    edges = _grow(Vertices(x, key, np.arange(len(x)), np.empty(0, np.int64), plan.exponent), plan.n_trees)
    number, second = number[order], second[order]
    edges = edges.take(second[edges.a] != second[edges.b])
    swapped = second[edges.a]
    return [number[np.where(swapped == side, edges.a, edges.b)] for side in (False, True)], edges.squared


def _join_all(plan: Plan, blocks: tuple[Arrays, Arrays], ranks: tuple[Ints, Ints]) -> tuple[list[Ints], Floats]:
    """Join both blocks' forests; return the edges between them, by number in each, and their squared lengths."""
    first, second = (_open_block(plan, block, rank) for block, rank in zip(blocks, ranks, strict=True))
    joined = join(first, second, plan.n_trees, beside=True)
    edges = joined.edges.take(joined.across)
    swapped = ~np.isin(edges.a, ranks[0])
    ends = np.where(swapped, edges.b, edges.a), np.where(swapped, edges.a, edges.b)
    return [np.searchsorted(rank, end) for rank, end in zip(ranks, ends, strict=True)], edges.squared


def _open_block(plan: Plan, read: Arrays, rank: Ints) -> Block:
    x, key = np.array(read["x"]), np.array(read["key"])
    vertices = Vertices(x, key, np.arange(len(x)), np.empty(0, np.int64), plan.exponent)
    edges = Edges(*(np.array(read[name]) for name in Edges._fields))
    return restore_block(vertices, edges, np.array(rank), plan.n_trees)


def loose_edges(plan: Plan, cell: int) -> Loose:
    """Return the edges of a block that are not certain."""
    read = plan.store.read(f"block-{cell}", ("certain", "a", "b", "squared", "key", "part", "to_core"))
    open_ones = np.flatnonzero(~read["certain"])
    a, b, rank = read["a"][open_ones], read["b"][open_ones], ranks_of(plan, cell)
    key, part, core = read["key"], read["part"], read["to_core"]
    parts = part[a].astype(np.int64), part[b].astype(np.int64)
    return Loose(rank[a], rank[b], read["squared"][open_ones], key[a], key[b], *parts, core[a], core[b])
