"""Edges become trees: the certified first-fit scan.

Take the edges in increasing order and put each into the first of t forests where it closes no
cycle. Over all edges of a graph that gives its first t orthogonal minimal spanning trees at once
(THEORY: forest j is then Kruskal's tree of what the forests before it left). Partitions nest, the
last forest's is the finest, so an edge inside a component of the last forest is of no use anywhere.

Over *some* edges it gives the same trees if no missing edge would have been used. Each vertex
knows its *reach*: every edge at it that comes before the reach is in the list (or known to be of
no use). When two components of the last forest meet at an edge e, and all vertices of one of them
reach up to e, then no missing edge between the two comes before e. If that holds at every meeting,
each missing edge lies inside a component when its turn comes, and the trees are exact. Where it
does not hold, the smaller side is to be searched for strangers. What is searched are its parts that
are *sound*: components inside which every meeting was certified. A missing edge inside a sound part
is of no use for good, in every later scan too (more edges only make partitions coarser), so after
the search the reach of its vertices need count strangers to the part only.
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
    """The state of a scan, so that it can be run in pieces.

    ``node`` holds all that a meeting touches of a vertex in one place, because reading it from
    memory is what a scan costs: four columns that count at the roots of the last forest, then its
    parent in each of the t union-finds. Rows are filled up to half a cache line, or more.
    """

    node: Numbers  # (n, 4 + t or more)
    label: Numbers  # the sound part of a doubtful component that a vertex is in, or -1
    bound: Floats  # squared length up to which each part is to be searched, -1 for not at all
    parts: Numbers  # one number: how many such parts there are


SIZE = 0  # of the component
FOLLOWING = 1  # a ring through the component
WEAKEST = 2  # the member that reaches least far
SOUND = 3  # whether all meetings inside were certified
PARENT = 4  # in the first forest; those in the others follow

_GIANT = 256  # a doubtful component of a share of 1 / 64 or more has too many parts to search each
_LINE = 16  # numbers in a line of the cache


def first_nodes(n: int, n_trees: int) -> Numbers:
    """Every vertex a component of its own."""
    node = _aligned(n, -(-(PARENT + n_trees) // 8) * 8)
    node[:] = np.arange(n, dtype=np.int32)[:, None]
    node[:, SIZE] = node[:, SOUND] = 1
    return node


def _aligned(n: int, width: int) -> Numbers:
    """An array whose rows do not straddle lines of the cache."""
    room = np.empty(n * width + _LINE, dtype=np.int32)
    start = -(room.ctypes.data // 4) % _LINE
    return room[start : start + n * width].reshape(n, width)


def start_scan(node: Numbers) -> Scan:
    """A scan that goes on from these nodes, all of them sound."""
    n, own = len(node), _aligned(*node.shape)
    own[:] = node
    return Scan(own, np.full(n, -1, dtype=np.int32), np.empty(n), np.zeros(1, dtype=np.int32))


@step
def _reaches_less(end: Numbers, key: Keys, rank: Ints, one: int, two: int) -> bool:
    """Whether vertex ``one``, of two that reach to the same length, is certified for fewer edges."""
    if end[one] < 0 or end[two] < 0:
        return end[one] == BEFORE_TIES or end[two] == AFTER_TIES
    return tie_before(key, rank, one, end[one], two, end[two])


@step
def _reaches(reach: Floats, end: Numbers, key: Keys, rank: Ints, v: int, edge: tuple[int, int, float]) -> bool:
    """Whether no edge missing at ``v`` comes before this one."""
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
    """Ask for a search around all parts of a component, up to ``bound``."""
    v = root
    while True:
        if scan.label[v] >= 0:
            scan.bound[scan.label[v]] = max(scan.bound[scan.label[v]], bound)
        v = scan.node[v, FOLLOWING]
        if v == root:
            return


@step
def _name_sound(scan: Scan, root: int) -> None:
    """Label a component if it is sound; a doubtful one has labelled parts."""
    if scan.node[root, SOUND]:
        _name_part(scan, root)


@step
def _doubt(scan: Scan, small: int, large: int, bound: float) -> None:
    """Two components meet, but a missing edge between them may come before."""
    whole = scan.node[small, SOUND] or scan.node[small, SIZE] < len(scan.node) // _GIANT
    _name_sound(scan, small)
    _name_sound(scan, large)
    if whole:  # a large one is better searched in the next scan, when it is sound
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

    ``tree`` comes with the tree that an edge had in an earlier scan of fewer edges: it cannot fall
    since, as the partitions have become coarser. A new edge comes with -1.
    """
    node, last = scan.node, PARENT + n_trees - 1
    for e in range(start, stop):
        t, probe, small, large = PARENT + tree[e], tree[e] < 0, 0, 0
        if probe:  # most new edges are of no use, which the last forest tells at once
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
    """Components that never met: all but one have to be searched without bound."""
    node, last = scan.node, PARENT + n_trees - 1
    largest = -1
    for v in range(len(reach)):
        if node[v, last] == v and (largest < 0 or node[v, SIZE] > node[largest, SIZE]):
            largest = v
    for v in range(len(reach)):
        if node[v, last] == v and v != largest and reach[node[v, WEAKEST]] < np.inf:
            _name_sound(scan, v)
            _search_around(scan, v, np.inf)
