"""Compose forests: grow the forest of a block, join two blocks, and reduce lists of edges to a forest.

If an edge of the forest of all vertices joins two vertices of a block, it is also in the block's forest. This holds for
t orthogonal trees at once. So the forest of two blocks follows from their own forests and the edges between them, and
the forest of all vertices from the edges of all blocks and joins, in any order. A block can represent anything: for
example, a class of a dataset, or the rows on one of several machines.

Vertices of different blocks are identified and ordered by their rank among the vertices of all blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._edges import Edges, concatenate, new_edges, sort_once
from bayesfloor.forest._first_fit import FirstFit, full_reach, grow_forest
from bayesfloor.forest._kdtree import Tree, build_tree, sample_scans
from bayesfloor.forest._neighbours import RUN_HERE, Finder, ProductFinder, Run, TreeFinder, choose_rough, round_rows
from bayesfloor.forest._prim import squared_distances
from bayesfloor.forest._vertices import Numbers, Vertices
from bayesfloor.support._types import Ints

_TREES_UP_TO = 40  # dimensions; above this, kd-trees never pay off
_SURELY_UP_TO = 8  # dimensions; above this, kd-trees rarely save much
_LONG = 1e9  # nanoseconds of matrix products: compiling the search takes several times as long, but only once
_FEWEST_SCANS = 4.0  # leaves visited by the search from one vertex, at best
_SHORTER_FROM, _SAMPLED_FOR_TIES = 4096, 16  # vertices: below this, shorter lists save less than looking for ties costs
_LEAF_OF_FEW, _FEW, _LEAF_OF_MANY = 16, 4, 64  # points in a leaf: 16 up to 4 dimensions, else 64


@dataclass(frozen=True, eq=False)
class Block:
    """A block's vertices, in the order of its kd-tree if it has one, and its forest."""

    vertices: Vertices
    edges: Edges
    tree: Tree | None
    scans: float  # mean number of leaves visited by the search from one vertex
    precision: np.dtype[Any]  # precision that matrix products need to distinguish neighbours

    def by_rank(self) -> Edges:
        """Return the forest with vertices identified by their rank."""
        return self.edges.renumber(self.vertices.rank.astype(np.int32))


class Join(NamedTuple):
    """The forest of two blocks, with vertices identified by rank, and which edges run between the blocks."""

    edges: Edges
    across: NDArray[np.bool_]


def forest_of(vertices: Vertices, n_trees: int, method: str = "auto", run: Run = RUN_HERE) -> Block:
    """Compute the first ``n_trees`` orthogonal minimum spanning trees of the vertices."""
    m, (n, d) = list_length(vertices, n_trees), vertices.x.shape
    tree, scans = None, 0.0
    if method == "kdtree" or (method == "auto" and _may_need_tree(vertices)):
        vertices, tree = _lay_out(vertices)
        scans = sample_scans(tree, vertices, m)
    everyone = np.arange(n, dtype=np.int32)
    if tree is not None and (method == "kdtree" or _tree_cost(n, scans, d) < _product_cost(n * n / 2, vertices)):
        finder: Finder = TreeFinder(vertices, [(everyone, tree)], run)
        precision = np.dtype(np.float32)
    else:
        rough = choose_rough(vertices, m)
        finder, precision = ProductFinder(vertices, rough, [everyone], run), rough.rows.dtype
    return Block(vertices, grow_forest(vertices, finder, n_trees, m), tree, scans, precision)


def join(one: Block, two: Block, n_trees: int, method: str = "auto", run: Run = RUN_HERE) -> Join:
    """Compute the forest of both blocks' vertices from the blocks' forests and the edges between them."""
    n, (shared, numbers) = len(one.vertices), _numbers_beside(one.vertices.rank, two.vertices.rank)
    vertices = _stack(one.vertices, two.vertices.take(np.flatnonzero(~shared)))
    only_one = np.delete(np.arange(n, dtype=np.int32), numbers[shared])
    only_two = np.arange(n, len(vertices), dtype=np.int32)
    known = concatenate([one.edges, two.edges.renumber(numbers)])
    if len(only_one) and len(only_two):
        finder = _finder_across(vertices, (only_one, only_two), (one, two), numbers, method, run)
        edges = grow_forest(vertices, finder, n_trees, n_trees + 1, known)
    else:  # all vertices of one block are in the other
        edges = reduce_edges(vertices, [known], n_trees)
    lone = np.ones(len(vertices), dtype=bool)
    lone[numbers[shared]] = False
    across = (edges.a < n) & (edges.b >= n) & lone[edges.a]
    return Join(edges.renumber(vertices.rank.astype(np.int32)), across)


def reduce_edges(vertices: Vertices, lists: Iterable[Edges], n_trees: int) -> Edges:
    """Compute the forest of all these edges, whose ends index ``vertices``.

    An edge may end up in a later tree than in its own list, because the other lists add edges before it.
    """
    forest = FirstFit(vertices, n_trees, full_reach(len(vertices)))
    for edges in lists:
        short = forest.useful(new_edges(*edges[:3]))
        forest.add(sort_once(vertices, short))
    return forest.edges


def list_length(vertices: Vertices, n_trees: int) -> int:
    """Return how many neighbours to list first: enough for nearly all edges of the trees, few enough to be fast.

    Equally long edges need longer lists, because a list may end among them.
    """
    longer = 3 + 3 * n_trees
    few = len(vertices) < max(_SHORTER_FROM, longer + 1) or n_trees == 1
    return longer if few or _has_ties(vertices, longer) else 3 * n_trees


def _has_ties(vertices: Vertices, m: int) -> bool:
    """Whether some of the m nearest neighbours of a few vertices are equally far away."""
    sample = np.unique(np.linspace(0, len(vertices) - 1, _SAMPLED_FOR_TIES).astype(np.int64))
    rows = (squared_distances(vertices.x[i : i + 1], vertices.x)[0] for i in sample)
    return any((np.diff(np.sort(np.partition(row, m)[: m + 1])) == 0).any() for row in rows)


def _may_need_tree(vertices: Vertices) -> bool:
    """Whether a kd-tree may be faster than matrix products, by so much that its search is worth compiling."""
    (n, d), products = vertices.x.shape, _product_cost(len(vertices) ** 2 / 2, vertices)
    surely = d <= _SURELY_UP_TO and _tree_cost(n, _FEWEST_SCANS, d) < products
    return d <= _TREES_UP_TO and (surely or products > _LONG)


def _leaf_size(d: int) -> int:
    return _LEAF_OF_FEW if d <= _FEW else _LEAF_OF_MANY


def _lay_out(vertices: Vertices) -> tuple[Vertices, Tree]:
    """Put the vertices in the order of their kd-tree's leaves, so that near vertices are close in memory."""
    tree = build_tree(vertices.x, _leaf_size(vertices.x.shape[1]))
    order = tree.number.ravel()[: len(vertices)]
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return vertices.take(order), tree.renumber(place)


def _tree_cost(askers: float, scans: float, d: int) -> float:
    """Estimate how many nanoseconds a tree search takes; only the ratio to ``_product_cost`` matters."""
    return askers * (1000 + scans * (40 + _leaf_size(d) * (1.0 + 0.25 * d)))


def _product_cost(pairs: float, vertices: Vertices) -> float:
    return pairs * (3.0 + 0.03 * vertices.x.shape[1])


def _stack(one: Vertices, two: Vertices) -> Vertices:
    x, key = np.concatenate([one.x, two.x]), np.concatenate([one.key, two.key])
    rank, group = np.concatenate([one.rank, two.rank]), np.concatenate([one.group, two.group])
    return Vertices(x, key, rank, group, one.exponent)


def _numbers_beside(ranks: Ints, others: Ints) -> tuple[NDArray[np.bool_], Numbers]:
    """Find which ``others`` are already in ``ranks``, and number them all; new ones are numbered after ``ranks``."""
    order = np.argsort(ranks)
    place = np.minimum(np.searchsorted(ranks[order], others), len(ranks) - 1)
    there = order[place]
    shared = ranks[there] == others
    return shared, np.where(shared, there, len(ranks) - 1 + np.cumsum(~shared)).astype(np.int32)


def _finder_across(
    vertices: Vertices,
    only: tuple[Numbers, Numbers],
    blocks: tuple[Block, Block],
    numbers: Numbers,
    method: str,
    run: Run,
) -> Finder:
    """Return a finder between the vertices that are in one block only; for those in both, all edges are known."""
    one, two = blocks
    if method != "matmul" and one.tree is not None and two.tree is not None:
        d = vertices.x.shape[1]
        cost = _tree_cost(len(only[0]), two.scans, d) + _tree_cost(len(only[1]), one.scans, d)
        if method == "kdtree" or cost < _product_cost(len(only[0]) * len(only[1]), vertices):
            return TreeFinder(vertices, [(only[0], two.tree.renumber(numbers)), (only[1], one.tree)], run)
    precision = np.promote_types(one.precision, two.precision)
    return ProductFinder(vertices, round_rows(vertices.x, precision), list(only), run)
