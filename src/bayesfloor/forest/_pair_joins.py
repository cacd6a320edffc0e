"""Join many pairs of blocks in one compiled call, from the matrix products of their rows.

A hundred classes need five thousand joins, a thousand classes half a million. So a whole pair is joined in compiled
code, with one pass over its matrix products. Edges are taken in stages of increasing length (Osipov, Sanders & Singler
2009 call this filter-Kruskal): in each stage, the edges between the blocks that are no longer than the stage allows are
collected, measured exactly, and sorted. They are then put into trees together with the edges of the blocks' own
forests. An edge whose ends already share a component of the last tree is useless in all trees, so later stages collect
few edges. No edge is left out, so nothing has to be certified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.forest._blocks import Block, forest_of, join
from bayesfloor.forest._edges import Edges, Equal, graph_moments, new_edges, pair_number
from bayesfloor.forest._kernels import kernel, measure, step, tie_before
from bayesfloor.forest._neighbours import RUN_HERE, Approx, Rough, Run, choose_rough
from bayesfloor.forest._vertices import Keys, Numbers, Vertices
from bayesfloor.support._tasks import Progress, one_blas_thread, run_tasks
from bayesfloor.support._types import Floats, Ints

_TALL = 16  # rows of products whose minima are kept: most stages need only look at these
_STRIP = 64  # products to compare with a limit at once
# Each stage goes up to the length below which 75 % of one block's unused edges lie: of the two blocks, the one where
# that is shorter.
_SHARE = 0.75
_LEAST = 16  # nearest pairs that decide how far the next stage goes, once the blocks' own edges are used up
_ROOM = 8  # edges that a stage can collect, per vertex; if there are more, the stage is made shorter

_NONE, _OWN, _OTHER, _ACROSS = 0, 1, 2, 3  # where the next edge comes from: the pair's first block, the second, or both


class Parts(NamedTuple):
    """Blocks of vertices, one after another, each with its forest."""

    number: Numbers  # vertices of the blocks, ascending in each
    x: Floats  # their rows
    square: Approx  # their squared norms in low precision
    rows: Ints  # number of the block's rows at each vertex
    first: Ints  # where each block starts, and where the last one ends
    a: Numbers  # ends of the blocks' edges, as positions in their block
    b: Numbers
    squared: Floats
    tree: NDArray[np.int8]
    first_edge: Ints
    key: Keys  # of all vertices, by number
    rank: Ints
    group: Ints
    unit: float  # factor from squared lengths in low precision to exact ones
    margin: float  # largest error of a squared length in low precision


class Across(NamedTuple):
    """The edges found, each with its pair of blocks."""

    pair: Ints
    a: Numbers
    b: Numbers
    squared: Floats


class Joined(NamedTuple):
    """The edges between the blocks of some pairs, the moments of the pairs' graphs, and which pairs are finished."""

    across: Across
    moments: Floats
    finished: NDArray[np.bool_]


class Work(NamedTuple):
    """Values of the pair at hand: by position in the pair, or by column of its products."""

    number: Numbers
    shared: NDArray[np.bool_]  # whether the vertex is in both blocks
    rows: Numbers
    degree: Numbers
    label: Numbers  # component of the last tree
    parent: Numbers  # (n, t) in each tree
    place: Numbers  # by column: position in the pair
    label_column: Numbers
    square_column: Approx
    near: Approx  # (rows / _TALL, columns) minima of so many rows
    one: Numbers  # ends and squared lengths of the edges that a stage collects
    two: Numbers
    squared: Floats
    least: Floats  # shortest edges that are left


def make_parts(
    vertices: Vertices, members: list[Ints], forests: list[Edges], rows: list[Ints], n_trees: int
) -> tuple[Parts, Approx]:
    """Build the parts from each block's vertex numbers and its forest, whose ends are such numbers.

    Also return the rows in low precision.
    """
    number = np.concatenate(members).astype(np.int32)
    ends = [np.searchsorted(m, [f.a, f.b]).astype(np.int32) for m, f in zip(members, forests, strict=True)]
    a, b = np.concatenate(ends, axis=1)
    squared, tree = np.concatenate([f.squared for f in forests]), np.concatenate([f.tree for f in forests])
    rough = choose_rough(vertices, n_trees + 1)
    v, x, many, first = vertices, vertices.x[number], np.concatenate(rows), _starts(members)
    edge = _starts([f.a for f in forests])
    parts = Parts(
        *(number, x, rough.square[number], many, first, a, b, squared, tree, edge),
        *(v.key, v.rank, v.group, rough.unit, _margin(rough)),
    )
    return parts, rough.rows[number]


def _starts(lists: Sequence[Ints]) -> Ints:
    return np.cumsum([0, *(len(one) for one in lists)])


def _margin(rough: Rough) -> float:
    """Return the largest error of a squared length, and of a limit that is rounded to the same precision."""
    return float((rough.loss + 2 * np.finfo(rough.rows.dtype).eps) * (2 * rough.norm.max()) ** 2)


def join_blocks(parts: Parts, rough: Approx, i: int, start: int, stop: int, n_trees: int, inside: bool) -> Joined:
    """Join block ``i`` with each of the blocks ``start`` to ``stop - 1``."""
    size = np.diff(parts.first)
    n, m, pairs = int(size[i]), int(size[start:stop].max()), stop - start
    product = rough[parts.first[i] : parts.first[i + 1]] @ rough[parts.first[start] : parts.first[stop]].T
    room = n_trees * (n * pairs + int(size[start:stop].sum()))
    found = Across(np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room))
    moments, finished = np.zeros((pairs, 3)), np.zeros(pairs, np.bool_)
    work = _make_work(n, m, n_trees, product.dtype)
    count = _join(parts, work, product, i, start, stop, n_trees, inside, moments, finished, *found)
    across = Across._make(field[:count].copy() for field in found)
    return Joined(across, moments, finished)


def _make_work(n: int, m: int, n_trees: int, dtype: np.dtype[np.generic]) -> Work:
    def numbers(size: int) -> Numbers:
        return np.empty(size, np.int32)

    both, room = n + m, _ROOM * (n + m) + _LEAST * n_trees
    return Work(
        *(numbers(both), np.empty(both, np.bool_), numbers(both), numbers(both), numbers(both)),
        *(np.empty((both, n_trees), np.int32), numbers(m), numbers(m), np.empty(m, dtype)),
        *(np.empty((-(-n // _TALL), m), dtype), numbers(room), numbers(room)),
        *(np.empty(room), np.empty(_LEAST)),
    )


@step
def _place(parts: Parts, work: Work, i: int, j: int) -> int:
    """Place block i's vertices, then those of block j that are not in block i, and return how many there are."""
    n, p = parts.first[i + 1] - parts.first[i], parts.first[i]
    for q in range(n):
        work.number[q], work.shared[q], work.rows[q] = parts.number[p + q], False, parts.rows[p + q]
    stop = n
    for q in range(parts.first[j + 1] - parts.first[j]):
        vertex = parts.number[parts.first[j] + q]
        while p < parts.first[i + 1] and parts.number[p] < vertex:
            p += 1
        work.square_column[q], place = np.inf, p - parts.first[i]  # no edges to a vertex of both: all are known
        if p < parts.first[i + 1] and parts.number[p] == vertex:
            work.shared[place] = True
            work.rows[place] += parts.rows[parts.first[j] + q]
        else:
            work.square_column[q], place = parts.square[parts.first[j] + q], stop
            work.number[stop], work.shared[stop] = vertex, False
            work.rows[stop] = parts.rows[parts.first[j] + q]
            stop += 1
        work.place[q] = work.label_column[q] = place
    for u in range(stop):
        work.degree[u], work.label[u] = 0, u
        for t in range(work.parent.shape[1]):
            work.parent[u, t] = u
    return stop


@step
def _find_near(parts: Parts, work: Work, product: Approx, i: int, j: int, column: int) -> float:
    """Find the minima of each ``_TALL`` rows of products, as squared lengths, and the least of all."""
    n, m, least = len(product), parts.first[j + 1] - parts.first[j], np.inf
    two, columns = product.dtype.type(2.0), work.square_column
    for u in range(n):
        near, row, mine = work.near[u // _TALL], product[u, column : column + m], parts.square[parts.first[i] + u]
        if u % _TALL == 0:
            for c in range(m):
                near[c] = np.inf
        for c in range(0 if work.shared[u] else m):
            length = mine + (columns[c] - two * row[c])
            near[c] = min(near[c], length)
    for block in range((n + _TALL - 1) // _TALL):
        for c in range(m):
            least = min(least, work.near[block, c])
    return least


@step
def _collect(parts: Parts, work: Work, product: Approx, i: int, j: int, column: int, low: float, high: float) -> int:
    """Collect the useful edges with low < squared length <= high, and return how many; -1 if there are too many."""
    n, m, s, t = len(product), parts.first[j + 1] - parts.first[j], parts.first[i], parts.first[j]
    count, grouped = 0, len(parts.group) > 0
    two, squares = product.dtype.type(2.0), work.square_column
    limit = product.dtype.type(high / parts.unit + parts.margin)
    floor = product.dtype.type(low / parts.unit - parts.margin)
    for top in range(0, n, _TALL):
        for strip in range(0, m, _STRIP):
            end, hit = min(m, strip + _STRIP), False  # slices instead of offsets: only so is a loop vectorised
            near, columns, labels = work.near[top // _TALL, strip:end], squares[strip:end], work.label_column[strip:end]
            for c in range(len(near)):
                hit |= near[c] <= limit
            for u in range(top, min(n, top + _TALL) if hit else top):
                if work.shared[u]:
                    continue
                row, mine, label = product[u, column + strip : column + end], parts.square[s + u], work.label[u]
                hit = False
                for c in range(len(row)):
                    length = mine + (columns[c] - two * row[c])
                    hit |= (length <= limit) & (length >= floor) & (labels[c] != label)
                for c in range(len(row) if hit else 0):
                    length = mine + (columns[c] - two * row[c])
                    if length > limit or length < floor or labels[c] == label:
                        continue
                    if grouped and parts.group[work.number[u]] == parts.group[parts.number[t + strip + c]]:
                        continue
                    if count == len(work.one):
                        return -1
                    work.one[count], work.two[count] = s + u, t + strip + c
                    count += 1
    measure(parts.x, work.one[:count], work.two[:count], work.squared[:count])
    kept = 0
    for e in range(count):
        if low < work.squared[e] <= high:
            work.squared[kept] = work.squared[e]
            work.one[kept], work.two[kept] = work.one[e] - s, work.place[work.two[e] - t]
            kept += 1
    return kept


@step
def _next_limit(parts: Parts, work: Work, product: Approx, i: int, j: int, column: int, low: float) -> float:
    """Return a squared length that a few more of the useful edges do not exceed, or -1 if there are none."""
    n, m, s, t = len(product), parts.first[j + 1] - parts.first[j], parts.first[i], parts.first[j]
    grouped = len(parts.group) > 0
    two, least, most = product.dtype.type(2.0), work.least, _LEAST - 1
    for p in range(_LEAST):
        least[p] = np.inf
    floor = product.dtype.type(low / parts.unit + parts.margin)
    for top in range(0, n, _TALL):
        for c in range(m):
            for u in range(top, min(n, top + _TALL) if work.near[top // _TALL, c] < least[most] else top):
                if work.shared[u] or work.label[u] == work.label_column[c]:
                    continue
                if grouped and parts.group[work.number[u]] == parts.group[parts.number[t + c]]:
                    continue
                length, p = parts.square[s + u] + (work.square_column[c] - two * product[u, column + c]), most
                if floor < length < least[p]:
                    while p > 0 and length < least[p - 1]:
                        least[p] = least[p - 1]
                        p -= 1
                    least[p] = length
    found = -1.0
    for p in range(_LEAST):
        if least[p] < np.inf:
            found = (least[p] + parts.margin) * parts.unit
    return found


@step
def _sort(squared: Floats, one: Numbers, two: Numbers, number: Numbers, key: Keys, rank: Ints, count: int) -> None:
    """Sort the collected edges in the strict order: Shell's sort."""
    gap = 1
    while gap < count:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for e in range(gap, count):
            length, u, v, p = squared[e], one[e], two[e], e
            while p >= gap and length <= squared[p - gap]:
                q = p - gap
                if length == squared[q] and not tie_before(
                    key, rank, number[u], number[v], number[one[q]], number[two[q]]
                ):
                    break
                squared[p], one[p], two[p] = squared[q], one[q], two[q]
                p = q
            squared[p], one[p], two[p] = length, u, v


@step
def _relabel(parent: Numbers, label: Numbers, place: Numbers, label_column: Numbers, n: int, m: int) -> None:
    """Label vertices and columns by their component of the last tree."""
    last = parent.shape[1] - 1
    for u in range(n):
        v = u
        while parent[v, last] != v:
            v = parent[v, last]
        label[u] = parent[u, last] = v
    for c in range(m):
        label_column[c] = label[place[c]]


@step
def _add_vertices(moments: Floats, p: int, n: int, rows: Numbers, degree: Numbers, n_trees: int, inside: bool) -> None:
    """Add the vertices' terms to the moments of a graph, as in ``graph_moments``."""
    for u in range(n):
        m = rows[u]
        more = (m - 1) * n_trees if inside else 0
        weight = 2.0 * more + degree[u]
        moments[p, 0] += more
        moments[p, 1] += 2.0 * more * n_trees / m
        moments[p, 2] += weight * weight / m


@kernel
def _join(
    parts: Parts,
    work: Work,
    product: Approx,
    i: int,
    start: int,
    stop: int,
    n_trees: int,
    inside: bool,
    moments: Floats,
    finished: NDArray[np.bool_],
    pair: Ints,
    a: Numbers,
    b: Numbers,
    squared: Floats,
) -> int:
    """Fill in the edges between the blocks, and return how many there are."""
    found, parent, number, last, key, rank = 0, work.parent, work.number, n_trees - 1, parts.key, parts.rank
    known, ends_a, ends_b, trees, rows, degree = parts.squared, parts.a, parts.b, parts.tree, work.rows, work.degree
    place, lengths, one, two = work.place, work.squared, work.one, work.two
    for j in range(start, stop):
        before, n, column, p = found, _place(parts, work, i, j), parts.first[j] - parts.first[start], j - start
        at_i, end_i = parts.first_edge[i], parts.first_edge[i + 1]
        at_j, end_j = parts.first_edge[j], parts.first_edge[j + 1]
        longest, joined, low, done = -1.0, 0, -1.0, False
        if at_i < end_i:
            longest = parts.squared[end_i - 1]
        if at_j < end_j:
            longest = max(longest, parts.squared[end_j - 1])
        # No edge between the blocks is shorter than this, so the first stage can go at least as far.
        sure = (_find_near(parts, work, product, i, j, column) - parts.margin) * parts.unit
        share = _SHARE
        while joined < n - 1 and not done:
            high, own = longest, max(end_i - at_i, end_j - at_j)
            if at_i < end_i:
                high = min(high, parts.squared[at_i + int((end_i - at_i - 1) * share)])
            if at_j < end_j:
                high = min(high, parts.squared[at_j + int((end_j - at_j - 1) * share)])
            high = max(high, min(sure, longest))
            if own == 0:
                high = _next_limit(parts, work, product, i, j, column, low)
                if high < 0:  # all edges left are as long as the last stage allowed, up to rounding
                    high, done = low + 2 * parts.margin * parts.unit, True
            count = _collect(parts, work, product, i, j, column, low, high)
            if count < 0 and own * share >= 1:
                share, sure = share / 4, -1.0
                continue
            if count < 0:
                done = False
                break
            _sort(lengths, one, two, number, key, rank, count)
            share, e = min(_SHARE, 2 * share), 0
            while joined < n - 1:
                kind, length, x, y, t = _NONE, np.inf, 0, 0, 0
                if at_i < end_i and known[at_i] <= high:
                    kind, length, x, y, t = _OWN, known[at_i], ends_a[at_i], ends_b[at_i], trees[at_i]
                if at_j < end_j and known[at_j] <= high:
                    u, v = place[ends_a[at_j]], place[ends_b[at_j]]
                    if known[at_j] == length and u == x and v == y:  # an edge of both blocks
                        at_j += 1
                        continue
                    if known[at_j] < length or (
                        known[at_j] == length and tie_before(key, rank, number[u], number[v], number[x], number[y])
                    ):
                        kind, length, x, y, t = _OTHER, known[at_j], u, v, trees[at_j]
                if e < count and lengths[e] <= length:
                    u, v = one[e], two[e]
                    if lengths[e] < length or tie_before(key, rank, number[u], number[v], number[x], number[y]):
                        kind, length, x, y, t = _ACROSS, lengths[e], u, v, 0
                if kind == _NONE:
                    break
                at_i, at_j, e = at_i + (kind == _OWN), at_j + (kind == _OTHER), e + (kind == _ACROSS)
                u, v = x, y
                while t <= last:
                    while parent[u, t] != u:
                        parent[u, t] = parent[parent[u, t], t]
                        u = parent[u, t]
                    while parent[v, t] != v:
                        parent[v, t] = parent[parent[v, t], t]
                        v = parent[v, t]
                    if u != v:
                        break
                    t, u, v = t + 1, x, y
                if t > last:
                    continue
                parent[u, t] = v
                joined += t == last
                u, v = x, y
                degree[u] += 1
                degree[v] += 1
                moments[p, 0] += 1
                moments[p, 1] += 1 / (rows[u] * rows[v])
                if kind == _ACROSS:
                    pair[found], squared[found] = p, length
                    a[found], b[found] = min(number[u], number[v]), max(number[u], number[v])
                    found += 1
            _relabel(parent, work.label, place, work.label_column, n, parts.first[j + 1] - parts.first[j])
            low = high
        finished[p] = joined == n - 1 or done
        if finished[p]:
            _add_vertices(moments, p, n, rows, degree, n_trees, inside)
        else:
            found = before
    return found


# Forests of classes and of their pairs: many small pairs in one call, large pairs in one call each.
PRODUCTS = 1 << 22  # of the rows of two classes: at most 16 MB; if there are more, the pair is not joined in one call
_PRODUCTS_AT_ONCE = 1 << 20  # of a class with several others: a few milliseconds
_ENOUGH_TASKS = 8  # with at least this many classes, each thread processes whole classes or pairs instead of parts


class Task(NamedTuple):
    """Settings for tasks: number of trees, and how to run within and across tasks."""

    n_trees: int
    inner: Run
    outer: int | None
    progress: Progress | None


class ClassBlock(NamedTuple):
    """A class's block, and the numbers and rows of its vertices."""

    block: Block
    members: Ints
    rows: Ints


def compose(
    vertices: Vertices, members: list[Ints], n_trees: int, equal: Equal, n_jobs: int | None, progress: Progress | None
) -> tuple[list[Edges], list[tuple[Ints, Edges]], Floats]:
    """Compute the forest of each class, the edges between the classes of each pair, and the pairs' moments."""
    outer, inner = (n_jobs, RUN_HERE) if len(members) >= _ENOUGH_TASKS else (1, Run(n_jobs))
    with one_blas_thread():
        how = Task(n_trees, inner, outer, progress)
        tasks = ((vertices.take(numbers), n_trees, "auto", inner) for numbers in members)
        blocks = list(run_tasks(forest_of, tasks, n_jobs=outer, progress=progress, stage="classes", total=len(members)))
        forests = [block.by_rank() for block in blocks]
        pairs = np.column_stack(np.triu_indices(len(members), 1))
        moments = np.zeros((len(pairs), 3))
        runs = _find_runs(np.array([len(numbers) for numbers in members]))
        # Small classes are joined with many others in one call, large ones pair by pair.
        parts = make_parts(vertices, members, forests, equal.rows, n_trees) if runs else ()
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


def _join_runs(
    parts: tuple[Parts, Approx] | tuple[()], runs: list[tuple[int, int, int]], moments: Floats, equal: Equal, how: Task
) -> tuple[list[tuple[Ints, Edges]], NDArray[np.bool_]]:
    """Join the classes of these runs; return the edges between them, and which pairs are left."""
    n = len(equal.rows)
    tasks = [(*parts, *run, how.n_trees, equal.inside) for run in runs]
    results = run_tasks(
        join_blocks, tasks, n_jobs=how.outer, progress=how.progress, stage="small pairs", total=len(tasks)
    )
    across: list[tuple[Ints, Edges]] = []
    left: NDArray[np.bool_] = np.ones(len(moments), dtype=np.bool_)
    for (i, start, _), found in zip(runs, results, strict=True):
        number = pair_number(i, start, n) + np.arange(len(found.finished))
        left[number], moments[number] = ~found.finished, found.moments
        across.append((number[found.across.pair], new_edges(*found.across[1:])))
    return across, left


def _join_large(
    classes: list[ClassBlock], pairs: Ints, chosen: Ints, moments: Floats, equal: Equal, how: Task
) -> Iterator[tuple[Ints, Edges]]:
    tasks = [(classes[i], classes[j], how.n_trees, equal.inside, how.inner) for i, j in pairs[chosen]]
    results = run_tasks(join_pair, tasks, n_jobs=how.outer, progress=how.progress, stage="pairs", total=len(tasks))
    for number, (across, moments[number]) in zip(chosen, results, strict=True):
        yield np.full(len(across.a), number), across


def join_pair(
    first: ClassBlock, second: ClassBlock, n_trees: int, inside: bool, run: Run = RUN_HERE
) -> tuple[Edges, tuple[float, float, float]]:
    """Compute the edges between two classes in their common forest, and the moments of its graph."""
    joined = join(first.block, second.block, n_trees, "auto", run)
    union, rows_at = Equal([first.rows, second.rows], inside).union([first.members, second.members], 0, 1)
    a, b = np.searchsorted(union, joined.edges.a), np.searchsorted(union, joined.edges.b)
    return joined.edges.take(joined.across), graph_moments(a, b, rows_at, n_trees, inside=inside)
