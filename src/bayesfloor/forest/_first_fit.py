"""The certified first-fit scan, which builds trees from edges.

Take the edges in increasing order and put each into the first of t forests in which it closes no
cycle. Over all edges of a graph this gives its first t orthogonal minimum spanning trees at once:
forest j is then Kruskal's tree of the edges that the forests before it rejected. The partitions into components
are nested, and that of the last forest is the finest. So an edge inside a component of the last one is useless in all.

Over *some* of the edges, the scan gives the same trees if no missing edge would have been used. Each
vertex has a *reach*: every edge at the vertex that comes before its reach is in the list (or known to
be useless). When two components of the last forest meet at an edge e, and all vertices of one of them
reach up to e, then no missing edge between the two comes before e. If this holds at every meeting,
each missing edge is inside a component when its turn comes, and the trees are exact. If it does not
hold at some meeting, we must search around the smaller side for strangers, that is, vertices outside it.
The search starts from its *sound* parts: components inside which every meeting was certified. A missing
edge inside a sound part stays useless in every later scan (more edges only make partitions coarser).
So after the search, the reach of a vertex only has to consider strangers to its part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._edge_lists import REJECTED
from bayesfloor.forest._edge_order import Keys, Numbers
from bayesfloor.forest._jit import kernel, step
from bayesfloor.forest._small_kernels import AFTER_TIES, BEFORE_TIES, tie_before


class Scan(NamedTuple):
    """The state of a scan, so that it can run in pieces.

    ``node`` keeps everything that a meeting needs about a vertex in one place, because memory access
    dominates the cost of a scan: four columns that are valid at the roots of the last forest, then the
    vertex's parent in each of the t union-finds. Rows are padded to half a cache line, or more.
    """

    node: Numbers  # (n, 4 + t or more)
    label: Numbers  # the sound part that contains each vertex, if its component is doubtful; otherwise -1
    bound: Floats  # squared length up to which to search around each part; -1 for no search
    parts: Numbers  # a single number: how many sound parts have a label


SIZE = 0  # of the component
FOLLOWING = 1  # the next member in a ring through the component
WEAKEST = 2  # the member with the smallest reach
SOUND = 3  # whether all meetings inside were certified
PARENT = 4  # in the first forest; the parents in the others follow

_GIANT = 256  # a doubtful component with at least 1 / 256 of all vertices has too many parts to search them all
_LINE = 16  # numbers in a cache line


def first_nodes(n: int, n_trees: int) -> Numbers:
    """Make every vertex its own component."""
    node = _aligned(n, -(-(PARENT + n_trees) // 8) * 8)
    node[:] = np.arange(n, dtype=np.int32)[:, None]
    node[:, SIZE] = node[:, SOUND] = 1
    return node


def _aligned(n: int, width: int) -> Numbers:
    """Return an array whose rows do not straddle cache lines."""
    room = np.empty(n * width + _LINE, dtype=np.int32)
    start = -(room.ctypes.data // 4) % _LINE
    return room[start : start + n * width].reshape(n, width)


def start_scan(node: Numbers) -> Scan:
    """Start a scan from these nodes, all of them sound."""
    n, own = len(node), _aligned(*node.shape)
    own[:] = node
    return Scan(own, np.full(n, -1, dtype=np.int32), np.empty(n), np.zeros(1, dtype=np.int32))


@step
def _reaches_less(end: Numbers, key: Keys, rank: Ints, one: int, two: int) -> bool:
    """Whether ``one`` reaches fewer edges than ``two``, if both reach the same length."""
    if end[one] < 0 or end[two] < 0:
        return end[one] == BEFORE_TIES or end[two] == AFTER_TIES
    return tie_before(key, rank, one, end[one], two, end[two])


@step
def _reaches(reach: Floats, end: Numbers, key: Keys, rank: Ints, v: int, edge: tuple[int, int, float]) -> bool:
    """Whether no missing edge at ``v`` comes before this edge."""
    if reach[v] != edge[2] or end[v] < 0:
        return reach[v] > edge[2] or (reach[v] == edge[2] and end[v] == AFTER_TIES)
    return not tie_before(key, rank, v, end[v], edge[0], edge[1])


@step
def _name_part(scan: Scan, root: int) -> None:
    """Label the sound component of ``root``."""
    number, v = scan.parts[0], root
    scan.bound[number] = -1.0
    scan.parts[0] += 1
    while True:
        scan.label[v] = number
        v = scan.node[v, FOLLOWING]
        if v == root:
            return


@step
def _search_around(scan: Scan, root: int, bound: float) -> None:
    """Request a search around all parts of a component, up to ``bound``."""
    v = root
    while True:
        if scan.label[v] >= 0:
            scan.bound[scan.label[v]] = max(scan.bound[scan.label[v]], bound)
        v = scan.node[v, FOLLOWING]
        if v == root:
            return


@step
def _name_sound(scan: Scan, root: int) -> None:
    """Label a component if it is sound; a doubtful one already has labelled parts."""
    if scan.node[root, SOUND]:
        _name_part(scan, root)


@step
def _doubt(scan: Scan, small: int, large: int, bound: float) -> None:
    """Record an edge that joins two components, although an edge not yet found may join them first."""
    whole = scan.node[small, SOUND] or scan.node[small, SIZE] < len(scan.node) // _GIANT
    _name_sound(scan, small)
    _name_sound(scan, large)
    if whole:  # a large component is better searched in the next scan, when it is sound
        _search_around(scan, small, bound)
    scan.node[small, SOUND] = scan.node[large, SOUND] = 0


@kernel
def scan_edges(
    scan: Scan,
    a: Numbers,
    b: Numbers,
    squared: Floats,
    tree: NDArray[np.int8],
    n_trees: int,
    start: int,
    stop: int,
    reach: Floats,
    end: Numbers,
    key: Keys,
    rank: Ints,
) -> None:
    """Put the edges ``start:stop``, in strict order, into their trees.

    On entry, ``tree`` holds each edge's tree in an earlier scan of fewer edges, or -1 for a new edge. An
    edge cannot move to an earlier tree, because the partitions have become coarser.
    """
    node, last = scan.node, PARENT + n_trees - 1
    for e in range(start, stop):
        t, probe, small, large = PARENT + tree[e], tree[e] < 0, 0, 0
        if probe:  # most new edges are useless, and the last forest alone shows it
            t = last
        while t <= last:
            small, large = a[e], b[e]
            while node[small, t] != small:
                node[small, t] = node[node[small, t], t]
                small = node[small, t]
            while node[large, t] != large:
                node[large, t] = node[node[large, t], t]
                large = node[large, t]
            if small == large:
                t = last + 1 if probe else t + 1
            elif probe and n_trees > 1:
                t, probe = PARENT, False
            else:
                break
        tree[e] = t - PARENT if t <= last else REJECTED
        if t < last:
            node[small, t] = large
        if t != last:
            continue
        if node[small, SIZE] > node[large, SIZE]:
            small, large = large, small
        weak, strong = node[small, WEAKEST], node[large, WEAKEST]
        if not (reach[weak] > squared[e] or reach[strong] > squared[e]):
            meeting = a[e], b[e], squared[e]
            if not (_reaches(reach, end, key, rank, weak, meeting) or _reaches(reach, end, key, rank, strong, meeting)):
                _doubt(scan, small, large, squared[e])
        if node[small, SOUND] != node[large, SOUND] and node[large, SIZE] < len(node) // _GIANT:
            _name_sound(scan, small)
            _name_sound(scan, large)
        node[small, t] = large
        node[large, SIZE] += node[small, SIZE]
        node[large, SOUND] &= node[small, SOUND]
        node[small, FOLLOWING], node[large, FOLLOWING] = node[large, FOLLOWING], node[small, FOLLOWING]
        if reach[weak] < reach[strong] or (
            reach[weak] == reach[strong] and _reaches_less(end, key, rank, weak, strong)
        ):
            node[large, WEAKEST] = weak


@kernel
def finish_scan(scan: Scan, n_trees: int, reach: Floats) -> None:
    """Request an unbounded search around all components that are still separate, except the largest."""
    node, last = scan.node, PARENT + n_trees - 1
    largest = -1
    for v in range(len(reach)):
        if node[v, last] == v and (largest < 0 or node[v, SIZE] > node[largest, SIZE]):
            largest = v
    for v in range(len(reach)):
        if node[v, last] == v and v != largest and reach[node[v, WEAKEST]] < np.inf:
            _name_sound(scan, v)
            _search_around(scan, v, np.inf)
