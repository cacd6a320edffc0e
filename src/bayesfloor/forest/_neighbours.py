"""Nearest-stranger search with matrix products, for many dimensions.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y, so BLAS finds candidates in single precision, and the candidates
that are kept are measured again exactly. The rounding error is bounded (Higham 2002, section 3.1),
which gives each list a certified reach: every vertex not listed is at least that far away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bayesfloor.forest._kdtree import Tree, build_tree, node_labels, search_tree
from bayesfloor.forest._kernels import AFTER_TIES, BEFORE_TIES, distinct_edges, edge_lengths, kernel
from bayesfloor.forest._vertices import Numbers, Vertices
from bayesfloor.support._tasks import Progress, effective_n_jobs, run_tasks
from bayesfloor.support._types import Floats, Ints

Approx = NDArray[Any]  # float32, or float64 if single precision cannot distinguish neighbours

_SAMPLE = 64  # number of rows used to choose the precision
_BLURRED = 0.05  # ratio of margin to distance above which double precision pays off
STRIP = 64  # products to compare with a limit at once, before examining each of them


class Rough(NamedTuple):
    """Centred rows in low precision, and the largest error in the squared lengths computed from them."""

    rows: Approx
    square: Approx
    unit: float  # factor from squared lengths here to squared lengths of the vertices
    norm: Floats
    loss: float  # error of a squared length, divided by (norm + norm) ** 2

    def margin(self, i: Any) -> Any:
        """Return the largest error of a squared length at row ``i``, in the units used here."""
        return self.loss * (self.norm[i] + self.norm.max()) ** 2


def round_rows(x: Floats, dtype: DTypeLike) -> Rough:
    """Centre rows and scale them to a norm of at most 1, then round them to ``dtype``."""
    centred = x - x.mean(axis=0)
    norm = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    exponent = int(np.frexp(norm.max())[1]) if norm.max() > 0 else 0
    rows = np.ldexp(centred, -exponent, out=centred).astype(dtype, copy=False)
    square = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    unit, half = np.finfo(dtype).eps / 2, x.shape[1] / 2
    # d/2 for the product, and 8 for rounding the rows and their squares and for the three additions.
    # The error of centring is a rounding error of the largest value, which is large if the data have an offset.
    offset = max(x.max(), -x.min()) * np.sqrt(x.shape[1]) * 2.0**-exponent * 2.0**-51
    loss = unit * (half + 8) + 4 * offset
    return Rough(rows, square.astype(dtype), 4.0**exponent, np.ldexp(norm, -exponent), loss)


def choose_rough(vertices: Vertices, m: int) -> Rough:
    """Choose single precision, unless it blurs distances to the m nearest neighbours (as with a large offset)."""
    rough = round_rows(vertices.x, np.float32)
    sample = np.unique(np.linspace(0, len(vertices) - 1, _SAMPLE).astype(np.int64))
    near = rough.square[sample, None] + rough.square - 2 * rough.rows[sample] @ rough.rows.T
    near = np.partition(near, min(m, len(vertices) - 1), axis=1)[:, min(m, len(vertices) - 1)]
    if np.median(rough.margin(sample) / np.maximum(near, np.finfo(np.float32).tiny)) > _BLURRED:
        rough = round_rows(vertices.x, np.float64)
    return rough


@kernel
def push_rows(
    product: Approx,
    square_row: Approx,
    square_column: Approx,
    row: Numbers,
    column: Numbers,
    label: Numbers,
    group: Ints,
    squared: Approx,
    other: Numbers,
) -> None:
    """Insert the block's products into the short lists of its rows.

    Products have the shape (rows, strips, STRIP): a few vector operations compare a whole strip with the
    limit, and only strips with a hit are examined one product at a time.
    """
    two, m, grouped = square_row.dtype.type(2.0), squared.shape[1], len(group) > 0
    for i in range(product.shape[0]):
        mine, limit = square_row[i], squared[i, m - 1] - square_row[i]
        for strip in range(product.shape[1]):
            hit = False
            for c in range(STRIP):
                hit |= square_column[strip, c] - two * product[i, strip, c] < limit
            if not hit:
                continue
            for c in range(STRIP):
                if square_column[strip, c] - two * product[i, strip, c] < limit:
                    u, v = row[i], column[strip * STRIP + c]
                    if label[u] == label[v] or (grouped and group[u] == group[v]):
                        continue
                    length, p = mine + (square_column[strip, c] - two * product[i, strip, c]), m - 1
                    while p > 0 and length < squared[i, p - 1]:
                        squared[i, p], other[i, p] = squared[i, p - 1], other[i, p - 1]
                        p -= 1
                    squared[i, p], other[i, p] = length, v
                    limit = squared[i, m - 1] - mine


@kernel
def push_columns(
    product: Approx,
    square_row: Approx,
    square_column: Approx,
    row: Numbers,
    column: Numbers,
    label: Numbers,
    group: Ints,
    squared: Approx,
    other: Numbers,
    limit: Approx,
) -> None:
    """Insert the block's products into the short lists of its columns, so that each product is used twice."""
    two, m, grouped = square_row.dtype.type(2.0), squared.shape[1], len(group) > 0
    for i in range(product.shape[0]):
        mine = square_row[i]
        for strip in range(product.shape[1]):
            hit = False
            for c in range(STRIP):
                hit |= mine + (square_column[strip, c] - two * product[i, strip, c]) < limit[strip, c]
            if not hit:
                continue
            for c in range(STRIP):
                length = mine + (square_column[strip, c] - two * product[i, strip, c])
                if length < limit[strip, c]:
                    j = strip * STRIP + c
                    u, v, p = row[i], column[j], m - 1
                    if label[u] == label[v] or (grouped and group[u] == group[v]):
                        continue
                    while p > 0 and length < squared[j, p - 1]:
                        squared[j, p], other[j, p] = squared[j, p - 1], other[j, p - 1]
                        p -= 1
                    squared[j, p], other[j, p] = length, u
                    limit[strip, c] = squared[j, m - 1]


_ASKED_AT_ONCE = 4096  # points in one task of a tree search
_BATCHED = 4  # dimensions up to which the points of a leaf run their searches together
_LEAF = 64  # points in a leaf if data with many dimensions need a kd-tree after all
_CHUNK = 4096  # rows in one task of matrix products
_PRODUCT = (256, 2048)  # rows and columns of one matrix product: it fits in the cache


class Run(NamedTuple):
    """How to run: the number of threads, and the callback for progress."""

    n_jobs: int | None = None
    progress: Progress | None = None


RUN_HERE = Run()


class Candidates(NamedTuple):
    """The edges found, and the vertices that searched, with their new reach."""

    a: Numbers
    b: Numbers
    squared: Floats
    asked: Numbers
    reach: Floats
    end: Numbers


class Search(NamedTuple):
    """Components to search around, each with one label and one bound."""

    asked: Numbers
    label: Numbers  # of every vertex; -1 if it is not in any component
    bound: Floats  # of each label


class Finder(Protocol):
    """An object that finds near vertices."""

    def first(self, m: int) -> Candidates:
        """Find the m nearest targets of every asker."""

    def strangers(self, search: Search, m: int) -> Candidates:
        """Find the m nearest strangers to the vertices ``search.asked``, within their components' bounds."""

    def exact(self) -> Finder:
        """Return an equivalent finder that puts equally long edges in order and has no rounding error."""


class TreeFinder:
    """A finder that uses kd-trees; each pair holds the askers, ideally in leaf order, and the tree to search."""

    def __init__(self, vertices: Vertices, pairs: list[tuple[Numbers, Tree]], run: Run) -> None:
        self.vertices, self.pairs, self.run = vertices, pairs, run

    def first(self, m: int) -> Candidates:
        number = np.arange(len(self.vertices), dtype=np.int32)
        return self._search(Search(number, number, np.empty(0)), m, own=True)

    def strangers(self, search: Search, m: int) -> Candidates:
        return self._search(search, m, own=False)

    def exact(self) -> Finder:
        return self

    def _search(self, search: Search, m: int, *, own: bool) -> Candidates:
        tasks = list(self._tasks(search, m, own=own))
        stage = "neighbours" if own else "strangers"
        results = run_tasks(
            search_tree,
            tasks,
            n_jobs=self.run.n_jobs,
            progress=self.run.progress,
            stage=stage,
            total=len(tasks),
            inside=True,
        )
        squared, other, reach, end, _ = zip(*results, strict=True)
        asked, others = np.concatenate([task[7] for task in tasks]), np.concatenate(other)
        a, b, place = distinct_edges(asked, others, _rows_of(asked, len(self.vertices)))
        lengths = np.concatenate(squared).ravel()[place]
        return Candidates(a, b, lengths, asked, np.concatenate(reach), np.concatenate(end))

    def _tasks(self, search: Search, m: int, *, own: bool) -> Iterator[tuple[object, ...]]:
        v, batched = self.vertices, self.vertices.x.shape[1] <= _BATCHED
        alone = own and not len(v.group)
        for askers, tree in self.pairs:
            pure = np.full(len(tree.right), -1, np.int32) if own else node_labels(tree, search.label)
            asked, batch = _asked_of(askers, search), tree.blocks.shape[2] if batched else 1
            for start in range(0, len(asked), _ASKED_AT_ONCE):
                part = asked[start : start + _ASKED_AT_ONCE]
                slot, bound = (
                    (np.arange(len(part), dtype=np.int32), np.full(len(part), np.inf))
                    if own
                    else (search.label[part], search.bound.copy())
                )
                yield tree, pure, v.x, v.key, v.rank, v.group, search.label, part, slot, bound, m, batch, alone


class Lists(NamedTuple):
    """Short lists of a chunk of rows, while they are being filled."""

    rows: Numbers
    squared: Approx
    other: Numbers

    def copy(self) -> Lists:
        return Lists(self.rows, self.squared.copy(), self.other.copy())


class Products(NamedTuple):
    """A block of matrix products, with the squared norms and the indices of its rows and columns."""

    product: Approx
    square_row: Approx
    square_column: Approx
    row: Numbers
    column: Numbers


class ProductFinder:
    """A finder that uses matrix products, within one set of vertices or between two sets."""

    def __init__(self, vertices: Vertices, rough: Rough, sides: list[Numbers], run: Run) -> None:
        self.vertices, self.rough, self.sides, self.run = vertices, rough, sides, run

    def first(self, m: int) -> Candidates:
        workers = effective_n_jobs(self.run.n_jobs)
        lists = [[self._lists(rows, m) for rows in _cut(side, workers)] for side in self.sides]
        one, two = lists[0], lists[-1]
        waves = _waves_inside(len(one)) if one is two else _waves_across(len(one), len(two))
        label = np.arange(len(self.vertices), dtype=np.int32)
        for done, wave in enumerate(waves, start=1):
            tasks = [(self.rough, one[i], two[j], label, self.vertices.group) for i, j in wave]
            filled = run_tasks(_fill_lists, tasks, n_jobs=self.run.n_jobs, inside=True)
            for (i, j), (left, right) in zip(wave, filled, strict=True):
                one[i], two[j] = left, right
            if self.run.progress is not None:
                self.run.progress("neighbours", done, len(waves))
        return self._candidates([part for side in lists for part in side])

    def strangers(self, search: Search, m: int) -> Candidates:
        lists, limits = [], []
        for askers, targets in zip(self.sides, self.sides[::-1], strict=True):
            asked, bound = _asked_of(askers, search), search.bound.copy()
            for start in range(0, len(asked), _PRODUCT[0]):
                part = asked[start : start + _PRODUCT[0]]
                limits.append(bound[search.label[part]])
                lists.append(self._lists(part, m, limits[-1]))
                _fill_rows(self.rough, lists[-1], targets, search.label, self.vertices.group)
                self._lower_bounds(bound, search.label, lists[-1])
        return self._candidates(lists, np.concatenate(limits))

    def exact(self) -> Finder:
        trees = [build_tree(self.vertices.x[side], _LEAF).renumber(side) for side in self.sides[::-1]]
        return TreeFinder(self.vertices, list(zip(self.sides, trees, strict=True)), self.run)

    def _lists(self, rows: Numbers, m: int, limit: Floats | float = np.inf) -> Lists:
        """Make empty lists that accept vertices no farther away than ``limit``."""
        squared = np.empty((len(rows), m), dtype=self.rough.rows.dtype)
        highest = limit / self.rough.unit + self.rough.margin(rows)
        squared[:] = np.nextafter(highest.astype(squared.dtype), np.inf, dtype=squared.dtype)[:, None]
        return Lists(rows, squared, np.full((len(rows), m), -1, dtype=np.int32))

    def _lower_bounds(self, bound: Floats, label: Numbers, lists: Lists) -> None:
        """Lower the bound of a component: m strangers to one vertex are m strangers to the component."""
        full = lists.other[:, -1] >= 0
        farthest = (lists.squared[full, -1] + self.rough.margin(lists.rows[full])) * self.rough.unit
        np.minimum.at(bound, label[lists.rows[full]], farthest)

    def _candidates(self, lists: list[Lists], limit: Floats | float = np.inf) -> Candidates:
        asked = np.concatenate([part.rows for part in lists])
        other = np.concatenate([part.other for part in lists])
        last = np.concatenate([part.squared[:, -1] for part in lists]).astype(np.float64)
        full = other[:, -1] >= 0
        reach = np.where(full, (last - self.rough.margin(asked)) * self.rough.unit, limit)
        end = np.where(full, BEFORE_TIES, AFTER_TIES).astype(np.int32)
        a, b, _ = distinct_edges(asked, other, _rows_of(asked, len(self.vertices)))
        return Candidates(a, b, edge_lengths(self.vertices.x, a, b), asked, reach, end)


def _fill_lists(rough: Rough, one: Lists, two: Lists, label: Numbers, group: Ints) -> tuple[Lists, Lists]:
    """Return both chunks' lists, with the rows of the other chunk inserted."""
    if one is two:
        one = one.copy()
        _fill_rows(rough, one, one.rows, label, group)
        return one, one
    one, two = one.copy(), two.copy()
    for rows, columns, block in _products(rough, one.rows, two.rows):
        push_rows(*block, label, group, one.squared[rows], one.other[rows])
        limit = _strips(two.squared[columns, -1], -np.inf)
        push_columns(*block, label, group, two.squared[columns], two.other[columns], limit)
    return one, two


def _fill_rows(rough: Rough, lists: Lists, targets: Numbers, label: Numbers, group: Ints) -> None:
    for rows, _, block in _products(rough, lists.rows, targets):
        push_rows(*block, label, group, lists.squared[rows], lists.other[rows])


def _products(rough: Rough, one: Numbers, two: Numbers) -> Iterator[tuple[slice, slice, Products]]:
    """Yield matrix products of the rows ``one`` and ``two``, block by block, with their squared norms and indices.

    Columns are padded to whole strips with rows at infinity.
    """
    left, square_left = rough.rows[one], rough.square[one]
    for j in range(0, len(two), _PRODUCT[1]):
        columns = slice(j, j + _PRODUCT[1])
        square = _strips(rough.square[two[columns]], np.inf)
        right = np.zeros((square.size, left.shape[1]), dtype=left.dtype)
        right[: len(two[columns])] = rough.rows[two[columns]]
        for i in range(0, len(one), _PRODUCT[0]):
            rows = slice(i, i + _PRODUCT[0])
            product = (left[rows] @ right.T).reshape(-1, *square.shape)
            yield rows, columns, Products(product, square_left[rows], square, one[rows], two[columns])


def _strips(values: Approx, filler: float) -> Approx:
    out = np.full((-(-len(values) // STRIP), STRIP), filler, dtype=values.dtype)
    out.ravel()[: len(values)] = values
    return out


def _cut(numbers: Numbers, workers: int) -> list[Numbers]:
    """Cut into one chunk, or into enough that in every wave each chunk has a partner and each worker has a pair."""
    if len(numbers) <= _CHUNK:
        return [numbers]
    return np.array_split(numbers, -(-len(numbers) // (_CHUNK * 2 * workers)) * 2 * workers)


def _waves_inside(n: int) -> list[list[tuple[int, int]]]:
    """Arrange all pairs of n chunks in waves that use each chunk at most once: the circle method for tournaments."""
    waves = [[(i, i) for i in range(n)]]
    for turn in range(n - 1):
        circle = [0, *((i + turn) % (n - 1) + 1 for i in range(n - 1))]
        waves.append([(circle[i], circle[n - 1 - i]) for i in range(n // 2)])
    return waves


def _waves_across(n: int, m: int) -> list[list[tuple[int, int]]]:
    """Arrange all pairs of n chunks with m others in waves that use each chunk at most once."""
    wide = max(n, m)
    waves = [[(i, (i + turn) % wide) for i in range(wide)] for turn in range(wide)]
    return [[(i, j) for i, j in wave if i < n and j < m] for wave in waves]


def _asked_of(askers: Numbers, search: Search) -> Numbers:
    """Return the askers that are in ``search.asked``."""
    if len(search.asked) == len(search.label):
        return askers
    wanted = np.zeros(len(search.label), dtype=bool)
    wanted[search.asked] = True
    return askers[wanted[askers]]


def _rows_of(asked: Numbers, n: int) -> Numbers:
    row = np.full(n, -1, dtype=np.int32)
    row[asked] = np.arange(len(asked), dtype=np.int32)
    return row
