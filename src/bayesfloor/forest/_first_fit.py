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
The search starts from its *certified* parts: components inside which every meeting was certified. A missing
edge inside a certified part stays useless in every later scan (more edges only make partitions coarser).
So after the search, the reach of a vertex only has to consider strangers to its part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._edges import REJECTED, Edges, concatenate, merge, new_edges, no_edges, sort_once, without_copies
from bayesfloor.forest._kernels import AFTER_TIES, BEFORE_TIES, kernel, step, tie_before
from bayesfloor.forest._neighbours import Candidates, Finder, Search
from bayesfloor.forest._vertices import Keys, Numbers, Vertices
from bayesfloor.support._types import Floats, Ints


class Scan(NamedTuple):
    """The state of a scan, so that it can run in pieces. A *meeting* is an edge that joins two components.

    ``node`` keeps everything that a meeting needs about a vertex in one place, because memory access
    dominates the cost of a scan: four columns that are valid at the roots of the last forest, then the
    vertex's parent in each of the t union-finds. Rows are padded to half a cache line, or more.
    """

    node: Numbers  # (n, 4 + t or more)
    label: Numbers  # the certified part that contains each vertex, if its component is doubtful; otherwise -1
    bound: Floats  # squared length up to which to search around each part; -1 for no search
    parts: Numbers  # a single number: how many certified parts have a label


SIZE = 0  # of the component
FOLLOWING = 1  # the next member in a ring through the component
WEAKEST = 2  # the member with the smallest reach
CERTIFIED = 3  # 1 if no edge that is still missing could have joined two parts of this component earlier
PARENT = 4  # in the first forest; the parents in the others follow

_GIANT = 256  # a doubtful component with at least 1 / 256 of all vertices has too many parts to search them all
_LINE = 16  # numbers in a cache line


def first_nodes(n: int, n_trees: int) -> Numbers:
    """Make every vertex its own component."""
    node = _aligned(n, -(-(PARENT + n_trees) // 8) * 8)
    node[:] = np.arange(n, dtype=np.int32)[:, None]
    node[:, SIZE] = node[:, CERTIFIED] = 1
    return node


def _aligned(n: int, width: int) -> Numbers:
    """Return an array whose rows do not straddle cache lines."""
    room = np.empty(n * width + _LINE, dtype=np.int32)
    start = -(room.ctypes.data // 4) % _LINE
    return room[start : start + n * width].reshape(n, width)


def start_scan(node: Numbers) -> Scan:
    """Start a scan from these nodes, all of them certified."""
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
    """Label the certified component of ``root``."""
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
def _name_certified(scan: Scan, root: int) -> None:
    """Label a component if it is certified; a doubtful one already has labelled parts."""
    if scan.node[root, CERTIFIED]:
        _name_part(scan, root)


@step
def _doubt(scan: Scan, small: int, large: int, bound: float) -> None:
    """Record an edge that joins two components, although an edge not yet found may join them first."""
    whole = scan.node[small, CERTIFIED] or scan.node[small, SIZE] < len(scan.node) // _GIANT
    _name_certified(scan, small)
    _name_certified(scan, large)
    if whole:  # a large component is better searched in the next scan, when it is certified
        _search_around(scan, small, bound)
    scan.node[small, CERTIFIED] = scan.node[large, CERTIFIED] = 0


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
        if node[small, CERTIFIED] != node[large, CERTIFIED] and node[large, SIZE] < len(node) // _GIANT:
            _name_certified(scan, small)
            _name_certified(scan, large)
        node[small, t] = large
        node[large, SIZE] += node[small, SIZE]
        node[large, CERTIFIED] &= node[small, CERTIFIED]
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
            _name_certified(scan, v)
            _search_around(scan, v, np.inf)


_SCANNED_AT_ONCE = 1 << 20  # edges in one compiled call: few enough that an interrupt takes effect soon
_MARKS = (0.5, 0.75, 0.9, 0.96, 0.99)  # a scan saves its state here (fractions of the edges): the next changes little
_MARKED_FROM = 100_000  # edges
_STRANGERS = 16  # strangers to find around a doubtful component in the first round; each later round doubles this
_MANY = 256  # to find more strangers than this, use a finder that handles ties and rounding exactly


class Reach(NamedTuple):
    """How much is known around each vertex.

    Every edge shorter than ``length`` is in the list. Of the edges exactly that long, those up to and including the one
    that ends in ``end`` are: edges of equal length have a fixed order.
    """

    length: Floats
    end: Numbers

    def extend(self, found: Candidates) -> None:
        """Update the reach of the vertices that searched."""
        farther = found.reach >= self.length[found.asked]
        self.length[found.asked[farther]] = found.reach[farther]
        self.end[found.asked[farther]] = found.end[farther]


def full_reach(n: int) -> Reach:
    """Return the reach of vertices at which all edges are known."""
    return Reach(np.full(n, np.inf), np.full(n, AFTER_TIES, dtype=np.int32))


class FirstFit:
    """The trees of the edges added so far.

    A new edge only affects edges after it. So the scan saves its state at a few marks and restarts at
    the last mark before the shortest new edge.
    """

    def __init__(self, vertices: Vertices, n_trees: int, reach: Reach) -> None:
        self.vertices, self.n_trees, self.reach, self.edges = vertices, n_trees, reach, no_edges()
        self.marks = [(0, first_nodes(len(vertices), n_trees))]
        self.scan = start_scan(self.marks[0][1])

    def add(self, new: Edges) -> None:
        """Add these edges to the others and update the trees."""
        new = without_copies(new, self.edges)
        start = self._go_back(new.squared.min(initial=np.inf))
        head, tail = self.edges.take(slice(start)), self.edges.take(slice(start, None))
        tail = self._scan_tail(merge(self.vertices, tail, new), start)
        self.edges = concatenate([head, tail]) if start else tail

    def useful(self, edges: Edges) -> Edges:
        """If the last tree spans all vertices, drop the edges that are longer than all edges of the trees."""
        spans = np.count_nonzero(self.edges.tree == self.n_trees - 1) == len(self.vertices) - 1
        return edges.take(edges.squared <= self.edges.squared[-1]) if spans and len(self.edges.a) else edges

    def doubts(self) -> Search | None:
        """Return where to search for missing edges, or None if the trees are exact."""
        bound, label = self.scan.bound[: self.scan.parts[0]].copy(), self.scan.label
        if not len(bound):
            return None
        asked = np.flatnonzero((label >= 0) & (self.reach.length <= bound[label]))
        return Search(asked.astype(np.int32), label, bound)

    def _go_back(self, shortest: float) -> int:
        """Restore the last mark before the first edge of this length, and return its position."""
        before = np.searchsorted(self.edges.squared, shortest)
        self.marks = [mark for mark in self.marks if mark[0] <= before]
        position, node = self.marks[-1]
        self.scan = start_scan(node)
        return position

    def _scan_tail(self, edges: Edges, start: int) -> Edges:
        at, (a, b, squared, tree) = 0, edges._replace(tree=edges.tree.copy())
        # Compiled calls end at the marks, and never too far apart.
        steady = range(_SCANNED_AT_ONCE, len(a), _SCANNED_AT_ONCE)
        marks = (int(len(a) * share) for share in _MARKS) if len(a) > _MARKED_FROM else ()
        for stop in sorted({*steady, *marks, len(a)}):
            key, rank = self.vertices.key, self.vertices.rank
            scan_edges(self.scan, a, b, squared, tree, self.n_trees, at, stop, *self.reach, key, rank)
            at = stop
            if self.scan.parts[0] == 0 and stop < len(a):
                self.marks.append((start + int(np.count_nonzero(tree[:stop] != REJECTED)), self.scan.node.copy()))
        finish_scan(self.scan, self.n_trees, self.reach.length)
        return Edges(a, b, squared, tree).take(tree != REJECTED)


def grow_forest(vertices: Vertices, finder: Finder, n_trees: int, m: int, known: Edges | None = None) -> Edges:
    """Compute the exact first ``n_trees`` trees from the ``known`` edges and all edges that the finder can find."""
    found, m = finder.first(m), _STRANGERS
    reach = full_reach(len(vertices))
    reach.length[found.asked], reach.end[found.asked] = found.reach, found.end
    forest = FirstFit(vertices, n_trees, reach)
    forest.add(sort_once(vertices, concatenate([known or no_edges(), new_edges(*found[:3])])))
    while (search := forest.doubts()) is not None:
        finder = finder if m <= _MANY else finder.exact()
        found, m = finder.strangers(search, m), 2 * m
        reach.extend(found)
        forest.add(sort_once(vertices, new_edges(*found[:3])))
    return forest.edges
