"""Last steps for rows that do not fit in memory: settle the edges that are still open, and sort all edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._edges import REJECTED
from bayesfloor.forest._vertices import Keys, pair_hash
from bayesfloor.leaving.engine_checkpoint import Arrays
from bayesfloor.leaving.forest_certain_edges import Links, Loose, fit_loose, in_order, make_links, sort_ends
from bayesfloor.leaving.forest_out_of_core_blocks import BlockSummary, loose_edges, ranks_of
from bayesfloor.leaving.forest_out_of_core_plan import Plan
from bayesfloor.support._types import Floats, Ints

_SAMPLED = 512  # edges to sample from each block, to find where to cut the list of all edges

Place = tuple[float, int]  # a place in the strict order: squared length and hash


class Reduction(NamedTuple):
    """The trees that follow from the joins so far."""

    edges: Loose
    tree: NDArray[np.int8]
    sizes: Ints  # edges of each tree, including certain ones
    links: Links  # between parts of the last tree
    core: Ints  # the part that contains each block's core

    def between_cores(self, one: Ints, two: Ints) -> Floats:
        """Return an upper bound on the longest edge, squared, on the last tree's path between two blocks' cores."""
        return self.links.bottleneck(self.core[one], self.core[two])


def reduce_loose(plan: Plan, blocks: list[BlockSummary], joined: list[tuple[int, int]]) -> Reduction:
    """Compute the trees from all certain edges, the blocks' open edges and the edges between joined blocks."""
    n_parts = np.array([block.n_parts for block in blocks])
    first = np.cumsum(n_parts, axis=0) - n_parts
    full = [cell for cell, block in enumerate(blocks) if block.n_vertices]
    lists = [_shifted(loose_edges(plan, cell), first[cell], first[cell]) for cell in full]
    lists += [_shifted(_read_join(plan, i, j), first[i], first[j]) for i, j in joined]
    edges = in_order(Loose._make(np.concatenate(fields) for fields in zip(*lists, strict=True)))
    tree = fit_loose(edges, n_parts.sum(axis=0))
    kept = np.flatnonzero(tree != REJECTED)
    edges, tree = edges.take(kept), tree[kept]
    sizes = sum(block.sizes for block in blocks) + np.bincount(tree, minlength=plan.n_trees)
    core = first[:, -1] + [block.core for block in blocks]
    return Reduction(edges, tree, sizes, _link_parts(edges, tree == plan.n_trees - 1, n_parts[:, -1].sum()), core)


def _link_parts(edges: Loose, last: NDArray[np.bool_], n_parts: int) -> Links:
    """Link the parts of the last tree by its edges; paths inside a part are bounded by paths to the block's core."""
    own = edges.take(np.flatnonzero(last))
    length = np.maximum(own.squared, np.maximum(own.core_a, own.core_b))
    order = np.argsort(length, kind="stable")
    return make_links(n_parts, own.part_a[order, -1], own.part_b[order, -1], length[order])


def _read_join(plan: Plan, one: int, two: int) -> Loose:
    read = plan.store.read(f"join-{one}-{two}", Loose._fields)
    return Loose._make(np.array(read[name]) for name in Loose._fields)


def _shifted(edges: Loose, first_a: Ints, first_b: Ints) -> Loose:
    """Number the parts consecutively across blocks."""
    return edges._replace(part_a=edges.part_a + first_a, part_b=edges.part_b + first_b)


def keep_reduction(plan: Plan, reduction: Reduction) -> None:
    """Write the settled edges to the store, so that all tasks can read them."""
    edges = reduction.edges
    kept = {"a": edges.a, "b": edges.b, "squared": edges.squared, "key_a": edges.key_a, "key_b": edges.key_b}
    plan.store.write("settled", {**kept, "tree": reduction.tree})


_KINDS = (np.int64, np.int64, np.float64, np.uint64, np.uint64, np.int8)  # of a list's fields


class _List(NamedTuple):
    """Edges in the strict order, with the ranks and keys of their ends."""

    a: Ints
    b: Ints
    squared: Floats
    key_a: Keys
    key_b: Keys
    tree: NDArray[np.int8]


def find_cuts(plan: Plan, full: list[int], n_lists: int) -> list[Place]:
    """Find places that cut the list of all edges into ``n_lists`` lists of about equal size."""
    squared, hashed = [np.empty(0)], [np.empty(0, np.uint64)]
    for cell in full:
        read = plan.store.read(f"block-{cell}", ("a", "b", "squared", "key"))
        at = np.unique(np.linspace(0, len(read["a"]) - 1, min(_SAMPLED, len(read["a"]))).astype(int))
        squared.append(read["squared"][at])
        hashed.append(pair_hash(read["key"][read["a"][at]], read["key"][read["b"][at]]))
    lengths, hashes = np.concatenate(squared), np.concatenate(hashed)
    order = np.lexsort((hashes, lengths))
    chosen = order[len(order) * np.arange(1, n_lists) // n_lists] if len(order) else order
    return [(float(lengths[e]), int(hashes[e])) for e in chosen]


def order_edges(plan: Plan, number: int, low: Place | None, high: Place | None) -> int:
    """Sort the edges between two places, write their ranks, lengths and trees, and return how many there are."""
    settled = plan.store.read("settled")
    lists = [_take_list(settled, _between(settled, low, high))]
    lists += [_certain_list(plan, cell, low, high) for cell in range(plan.n_cells)]
    edges = _List._make(np.concatenate(fields) for fields in zip(*lists, strict=True))
    order = sort_ends(edges.a, edges.b, edges.squared, edges.key_a, edges.key_b)
    a, b = edges.a[order], edges.b[order]
    length = np.ldexp(np.sqrt(edges.squared[order]), plan.exponent)
    arrays = {"a": np.minimum(a, b), "b": np.maximum(a, b), "length": length, "tree": edges.tree[order]}
    plan.store.write(f"edges-{number}", arrays)
    return len(order)


def _take_list(read: Arrays, where: slice) -> _List:
    return _List._make(read[name][where] for name in _List._fields)


def _certain_list(plan: Plan, cell: int, low: Place | None, high: Place | None) -> _List:
    """Return the certain edges of a block between two places."""
    rank = ranks_of(plan, cell)
    if not len(rank):
        return _List._make(np.empty(0, kind) for kind in _KINDS)
    read = plan.store.read(f"block-{cell}", ("a", "b", "squared", "key", "certain", "tree"))
    keys = {"key_a": _Ends(read["key"], read["a"]), "key_b": _Ends(read["key"], read["b"])}
    where = _between({**read, **keys}, low, high)
    at = where.start + np.flatnonzero(read["certain"][where])
    a, b, key = read["a"][at], read["b"][at], read["key"]
    return _List(rank[a], rank[b], read["squared"][at], key[a], key[b], read["tree"][at])


class _Ends(NamedTuple):
    """Keys of the ends of edges, looked up when needed."""

    key: Keys
    end: Ints

    def __getitem__(self, where: slice) -> Keys:  # type: ignore[override]
        return self.key[self.end[where]]


def _between(read: Mapping[str, Any], low: Place | None, high: Place | None) -> slice:
    """Return where the edges between two places are in a list in the strict order."""
    start = 0 if low is None else _position(read, low)
    return slice(start, len(read["squared"]) if high is None else _position(read, high))


def _position(read: Mapping[str, Any], place: Place) -> int:
    first, stop = np.searchsorted(read["squared"], place[0]), np.searchsorted(read["squared"], place[0], side="right")
    tied = pair_hash(read["key_a"][first:stop], read["key_b"][first:stop])
    return int(first + np.searchsorted(tied, np.uint64(place[1])))
