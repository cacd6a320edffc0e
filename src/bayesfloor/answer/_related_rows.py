"""Find rows that are copies of other rows, exact or changed: how rows repeat raises a suspicion, their labels decide.

Independent rows repeat, and lie close to each other, as often as their columns allow. Where rows repeat more often than
that, labels tell whether it matters: those of copies agree although those of the nearest other rows do not. No fraction
of distinct rows is involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._labelled_table import LabelledTable, project
from bayesfloor.answer._thresholds import RELATED as T
from bayesfloor.io._column_roles import role_of_numbers, role_of_texts, without_gaps
from bayesfloor.io._columns import Values
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent


class How(StrEnum):
    """How rows were found to be related."""

    EQUAL = "equal rows"
    BUT_ONE = "rows that differ in one column only"
    BUT_TWO = "rows that differ in two columns only"
    EVEN = "rows that all occur equally often"
    CLOSE = "rows much closer to each other than to all others"
    BETWEEN = "rows exactly between two others of their class"


COPIES, UNDECIDED, SYNTHETIC, POSSIBLE = "copies", "cases or copies", "synthetic", "possibly related"
_ALL_BUT: tuple[str, ...] = (How.EQUAL, How.BUT_ONE, How.BUT_TWO)
_AT_ONCE = 4_000_000  # distances computed at a time
_FURTHEST = 1e9  # in units of a column's spread; the squares of larger distances overflow in single precision
_TINY, _EXACT = 1e-6, 1e-8  # lengths below which rows are equal, and directions opposite


@dataclass(frozen=True, eq=False, repr=False)
class RelatedRows(Result):
    """Rows that are related to other rows.

    Attributes
    ----------
    kind : "copies"; "cases or copies" if the data cannot tell; "synthetic"; or "possibly related".
    how : how they were found.
    fraction : fraction of rows that are related to another row.
    n_kin : how many other rows a row is related to, in the median.
    agree, others_agree : how often related rows have the same label, and a row and the nearest row unrelated to it.
    kin : for copies, the number of each labelled row's set of related rows; empty if read from JSON.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 5)), rng.integers(2, size=100)
    >>> row = rng.permutation(np.repeat(np.arange(100), 5))
    >>> bayesfloor.check(X[row], y[row], effort="quick").related.kind
    'copies'
    """

    kind: str
    how: str
    fraction: float
    n_kin: int
    agree: float
    others_agree: float
    kin: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    def _summary(self) -> str:
        return f"{self.kind}: {percent(self.fraction)} % of rows, by {self.how}"


def find_related(table: LabelledTable, seed: int) -> RelatedRows | None:
    """Return how rows are related; None if they look like separate cases."""
    rng = np.random.default_rng([seed, 26])
    units = np.sort(rng.permutation(len(table))[: T.most_rows])
    rows = _read(table, units, rng)
    equal = list(_equal(rows))
    found = next((each for each in equal if each.kind == COPIES), equal[0] if equal else None)
    found = found or _between(rows) or _close(rows)
    if found is None or found.kind in (SYNTHETIC, POSSIBLE):
        return found
    everything = rows if len(units) == len(table) else _read(table, np.arange(len(table)), rng)
    kin = _sets_of_kin(everything, found)
    return replace(found, kind=POSSIBLE) if _is_chain(kin) else replace(found, kin=kin)


def rows_that_are_equal(table: LabelledTable) -> RelatedRows | None:
    """Return equal rows as copies, because the user says so; None if no rows are equal."""
    rows = _read(table, np.arange(len(table)), np.random.default_rng(0))
    _, kin, size = np.unique(rows.keys.sum(axis=0, dtype=np.uint64), return_inverse=True, return_counts=True)
    if size.max() == 1:
        return None
    return RelatedRows(
        COPIES, How.EQUAL, float((size[kin] > 1).mean()), int(np.median(size[kin])) - 1, 1.0, np.nan, kin
    )


# Rows in the forms in which they are compared


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as columns of values that are equal or not, as points, and as weights of words, with their labels."""

    columns: Sequence[np.ndarray]
    points: Floats | None
    words: Any
    codes: Ints
    rng: np.random.Generator

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def at(self) -> Ints:
        """The rows that are looked at."""
        return np.sort(self.rng.permutation(len(self))[: T.anchors if len(self) <= T.many_rows else T.anchors // 2])

    @cached_property
    def apart(self) -> Ints:
        """In how many columns each of them differs from each row; itself never counts as equal."""
        far = np.zeros((len(self.at), len(self)), dtype=np.int16)
        for column in self.columns:
            far += column[self.at][:, None] != column
        far[np.arange(len(self.at)), self.at] = np.iinfo(np.int16).max
        return far

    @cached_property
    def near(self) -> tuple[Ints, Floats]:
        """The nearest rows of each of them, and their distances."""
        found = [_nearest(self, part) for part in np.array_split(self.at, max(1, len(self.at) * len(self) // _AT_ONCE))]
        return np.concatenate([row for row, _ in found]), np.concatenate([distance for _, distance in found])

    @cached_property
    def same_label(self) -> np.ndarray:
        """Which of the nearest rows have the same label."""
        return np.asarray(self.codes[self.near[0]] == self.codes[self.at][:, None])

    @cached_property
    def keys(self) -> np.ndarray:
        """A random number for each column and value; the sum over columns is equal for equal rows only."""
        rng, keys = np.random.default_rng(0), np.empty((len(self.columns), len(self)), dtype=np.uint64)
        for j, column in enumerate(self.columns):
            level, code = np.unique(column, return_inverse=True)
            keys[j] = rng.integers(1 << 63, size=len(level), dtype=np.uint64)[code]
        return keys


def _read(table: LabelledTable, units: Ints, rng: np.random.Generator) -> _Rows:
    """Return these rows in all forms; many columns are reduced to fewer that keep distances, and equal rows equal."""
    columns: list[np.ndarray] = []
    points: list[Floats] = []
    prose: list[Values] = []
    codes = np.unique(table.codes[units], return_inverse=True)[1]
    if table.data.form == "matrix" and table.data.X.shape[1] > T.most_columns:
        made = project(table.data.X[table.row[units]])
        return _Rows(list(made.T), made, None, codes, rng)
    for values in table.values(units):
        if (
            values.kind == "text"
            and values.levels
            and np.mean([len(level.split()) for level in values.levels]) >= T.words
        ):
            prose.append(values)
            continue
        role = role_of_texts(without_gaps(values)) if values.kind == "text" else ""
        if values.kind == "number" and not values.bare:
            role = role_of_numbers(values.name, values.data)
        if role in ("id", "counter", "people"):
            continue
        for column in np.atleast_2d(values.data.T.astype(np.float64)):
            columns.append(np.where(np.isfinite(column), column, -np.inf))
            if values.kind != "text":
                points.append(_on_scale(np.where(values.missing, np.nan, column), rng))
    kept = [point for point in points if point.size]
    stacked = np.column_stack(kept) if kept else None
    words = _weigh_words(prose) if prose else None
    return _Rows(list(_merge_indicators(columns)), stacked, words, codes, rng)


def _on_scale(column: Floats, rng: np.random.Generator) -> Floats:
    """Return a column with unit spread and without rounding; empty if it has at most two values.

    Rounded values are spread over the gaps around them: equally near rows would look like copies.
    """
    given = np.isfinite(column)
    level = np.unique(column[given])
    if len(level) <= 2:
        return np.empty(0)
    filled = np.where(given, column, np.median(column[given])).astype(np.float64)
    if len(level) < T.rounded * given.sum():
        gap, place = np.diff(level) / 2, np.searchsorted(level, np.where(given, column, level[0]))
        below, above = np.concatenate([gap[:1], gap])[place], np.concatenate([gap, gap[-1:]])[place]
        filled = filled + np.where(rng.random(len(column)) < 0.5, -below, above) * rng.random(len(column))
    return _scaled(filled)


def _scaled(filled: Floats) -> Floats:
    low, high = np.quantile(filled, [0.1, 0.9])
    scaled = (filled - (low + high) / 2) / ((high - low) / 2.56 or filled.std() or 1.0)
    return np.clip(scaled, -_FURTHEST, _FURTHEST)


def _merge_indicators(columns: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield the columns, with neighbouring indicators of which at most one is set as one column."""
    whole: np.ndarray | None = None
    for column in columns:
        is_indicator = column.dtype.kind == "f" and len(column) and np.isin(column, (0.0, 1.0)).all()
        if is_indicator and whole is not None and not (whole[column == 1] > 0).any():
            whole = np.where(column == 1, whole.max() + 1, whole)
            continue
        if whole is not None:
            yield whole
        whole = column.copy() if is_indicator else None
        if not is_indicator:
            yield column
    if whole is not None:
        yield whole


def _weigh_words(prose: Sequence[Values]) -> Any:
    """Return the words of all texts of a row as weights, so that the product of two rows is their likeness."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        " ".join(each.levels[v] for each, v in zip(prose, row, strict=True) if v >= 0)
        for row in zip(*(each.data for each in prose), strict=True)
    ]
    return TfidfVectorizer(dtype=np.float32, analyzer=str.split).fit_transform(texts)


def _nearest(rows: _Rows, at: Ints) -> tuple[Ints, Floats]:
    """Return the nearest rows of some rows, and their exact distances."""
    n_near = min(T.neighbours, len(rows) - 2)
    square = np.zeros((len(at), len(rows)), dtype=np.float32)
    if rows.points is not None:
        small = rows.points.astype(np.float32)
        size = (small**2).sum(axis=1)
        square += size[at][:, None] + size - 2 * (small[at] @ small.T)
    elif rows.columns:
        for column in rows.columns:
            square += column[at][:, None] != column
    if rows.words is not None:  # unlike texts are as far apart as rows that differ in every column
        square += 2 * max(len(rows.columns), 1) * (1 - (rows.words[at] @ rows.words.T).toarray())
    square[np.arange(len(at)), at] = np.inf
    square += np.random.default_rng(1).random(square.shape, dtype=np.float32) * 1e-6  # ties in random order
    near = np.argpartition(square, n_near, axis=1)[:, :n_near]
    exact = np.take_along_axis(square, near, axis=1).astype(np.float64)
    if rows.points is not None and rows.words is None:  # differences of large numbers are not exact
        exact = ((rows.points[at][:, None] - rows.points[near]) ** 2).sum(axis=2)
    order = np.argsort(exact, axis=1, kind="stable")
    distance = np.sqrt(np.maximum(np.take_along_axis(exact, order, axis=1), 1e-30))
    return np.take_along_axis(near, order, axis=1), distance


class _Labels(NamedTuple):
    """Whether labels of kin agree clearly more often than those of a row and its nearest other row, and how often."""

    clear: bool
    agree: float
    others_agree: float


def _compare(agree: Floats, others: Floats, kin_of: Ints) -> _Labels:
    """Compare how labels agree; the standard error treats sets of kin as independent, but not the rows in a set."""
    if not len(agree):
        return _Labels(clear=False, agree=1.0, others_agree=1.0)
    gain, unit = agree - others, np.unique(kin_of, return_inverse=True)[1]
    error = np.sqrt((np.bincount(unit, gain - gain.mean()) ** 2).sum()) / len(gain)
    return _Labels(bool(gain.mean() > max(T.rise, T.clear * error)), float(agree.mean()), float(others.mean()))


# Suspicions, each with its consequence


def _equal(rows: _Rows) -> Iterator[RelatedRows]:
    """Yield rows that are equal in all columns, or in all but one or two, more often than free columns allow."""
    width, at = len(rows.columns), rows.at
    if not width or (rows.words is not None and width <= 2):
        return
    near = rows.near[0]
    for h in (h for h in range(3) if T.fewest_columns[h] <= width <= (T.most_columns if h else width)):
        is_kin = rows.apart <= h
        count = is_kin.sum(axis=1)
        has_kin, few = (count > 0) & (count <= T.most_kin), count <= T.most_kin
        if has_kin.sum() < max(5, T.fewest * len(at)):
            continue
        # If columns vary freely, the numbers of rows at a distance of h, h + 1 and h + 2 columns limit each other.
        exact, one, two = (int((rows.apart[few] == each).sum()) for each in (h, h + 1, h + 2))
        expected = (h + 1) / (h + 2) * one**2 / max(two, 1) if h + 2 <= width else np.inf
        excess = exact / (expected + 1)
        first = np.where(is_kin[has_kin], np.arange(len(rows)), len(rows)).min(axis=1)
        near_kin = np.take_along_axis(is_kin, near, axis=1)[has_kin]
        stranger = ~near_kin.all(axis=1)
        others = rows.same_label[has_kin][np.arange(has_kin.sum()), near_kin.argmin(axis=1)].astype(np.float64)
        pairs = zip(is_kin[has_kin], at[has_kin], strict=True)
        agree = np.array([(rows.codes[np.flatnonzero(kin)] == rows.codes[row]).mean() for kin, row in pairs])
        labels = _compare(agree[stranger], others[stranger], np.minimum(first, at[has_kin])[stranger])
        sure = h == 0 and labels.agree >= T.agree[1]  # then holding them together does no harm
        if excess > T.excess and (labels.clear or sure):
            yield _found(COPIES, _ALL_BUT[h], count, labels)
        elif not labels.clear:
            continue
        elif h == 0 and _are_multiples(rows):
            yield _found(COPIES, How.EVEN, count, labels)
        elif (h < 2 and excess > T.grey and labels.agree >= T.agree[0]) or (sure and _is_full(rows)):
            yield _found(UNDECIDED, _ALL_BUT[h], count, labels)


def _found(kind: str, how: str, count: Ints, labels: _Labels) -> RelatedRows:
    n_kin = int(np.median(count[count > 0]))
    return RelatedRows(kind, how, float((count > 0).mean()), n_kin, labels.agree, labels.others_agree)


def _are_multiples(rows: _Rows) -> bool:
    """Whether each combination of values and label occurs a multiple of k times, as if all rows were there k times."""
    key = rows.keys.sum(axis=0, dtype=np.uint64) + rows.codes.astype(np.uint64)
    sizes = np.unique(key, return_counts=True)[1]
    most = max(sizes[sizes % k == 0].sum() for k in range(2, T.most_kin))
    return bool(len(sizes) >= T.fewest_combinations and most >= T.multiples * len(rows))


def _is_full(rows: _Rows) -> bool:
    """Whether most combinations of values occur, so that equal rows are no surprise."""
    possible = np.prod([float(len(np.unique(column))) for column in rows.columns])
    return bool(len(np.unique(rows.keys.sum(axis=0, dtype=np.uint64))) > T.full * possible)


def _close(rows: _Rows) -> RelatedRows | None:
    """Return rows with k others that are much closer than all further ones.

    With independent rows, j log(d(j+1) / d(j)) has the same mean for each j, one over the dimension; k copies of each
    row put a spike at j = k - 1.
    """
    if (rows.points is None and rows.words is None) or len(rows) < T.fewest_close:
        return None
    near, distance = rows.near
    n_near = near.shape[1]
    step = (np.arange(1, n_near) * np.diff(np.log(distance), axis=1)).mean(axis=0)
    # In small classes far apart, distances jump where the class ends.
    most = max(1, min(T.most_kin, n_near // 2 + 4, int(np.bincount(rows.codes).min()) // 2))
    ratio = step[:most] / max(float(np.median(step)), 1e-12)
    k = int(ratio.argmax()) + 1
    agree, others = rows.same_label[:, :k].mean(axis=1), rows.same_label[:, k : 2 * k + 2].mean(axis=1)
    labels = _compare(agree, others, np.minimum(near[:, :k].min(axis=1), rows.at))
    if not labels.clear or ratio[k - 1] <= (T.hint if rows.words is None else T.spike_words):
        return None
    kind = COPIES if rows.words is not None or ratio[k - 1] > T.spike else POSSIBLE
    return _found(kind, How.CLOSE, np.full(len(rows.at), k), labels)


def _between(rows: _Rows) -> RelatedRows | None:
    """Return rows that lie exactly between two rows of their class, as SMOTE makes them."""
    free = [each for each in rows.columns if np.isfinite(each).all() and len(np.unique(each)) > len(rows) / 2]
    if len(free) < 3:
        return None
    points, most, n_classes = np.column_stack(list(map(_scaled, free))), 0.0, int(rows.codes.max()) + 1
    for label in range(n_classes):
        own = rows.rng.permutation(np.flatnonzero(rows.codes == label))[: T.most_between]
        if len(own) >= T.fewest_between:
            n_anchors = max(T.anchors_between // n_classes, T.fewest_between)
            lies = [_lies_between(points[own], points[row], rows.rng) for row in own[:n_anchors]]
            most = max(most, float(np.mean(lies)))
    if most <= T.between:
        return None
    return RelatedRows(SYNTHETIC, How.BETWEEN, most, 2, 1.0, np.nan)


def _lies_between(points: Floats, row: Floats, rng: np.random.Generator) -> bool:
    """Whether two of the points are in opposite directions from a row."""
    away = points - row
    size = np.sqrt((away**2).sum(axis=1))
    direction = away[size > _TINY] / size[size > _TINY, None]
    # Opposite directions have opposite projections: sorted by the size of one, they are neighbours.
    one, two = (direction @ rng.normal(size=(points.shape[1], 2))).T
    order = np.argsort(np.abs(one))
    one, two = one[order], two[order]
    opposite = (np.abs(one[1:] + one[:-1]) < _EXACT) & (np.abs(two[1:] + two[:-1]) < _EXACT)
    return bool(opposite.any())


# Sets of kin


def _sets_of_kin(rows: _Rows, found: RelatedRows) -> Ints:
    """Number the sets of related rows among all rows."""
    if found.how == How.CLOSE:
        return _joined(list(_close_links(rows, found.n_kin)), len(rows))
    links = sorted(_equal_links(rows, found.how), key=lambda link: len(link[0]), reverse=True)
    kin = _joined([link for link in links if len(link[0]) >= T.as_many * len(links[0][0])], len(rows))
    # Copies differ in a certain column; without another one, rows may be equal by chance and form chains.
    return _joined(links[:1], len(rows)) if _is_chain(kin) else kin


def _joined(links: list[tuple[Ints, Ints]], n_rows: int) -> Ints:
    """Number the sets of rows that are linked, directly or through others."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    a, b = (np.concatenate([link[end] for link in links]) for end in (0, 1))
    joined = csr_array((np.ones(len(a)), (a, b)), shape=(n_rows, n_rows))
    return np.asarray(connected_components(joined, directed=False)[1])


def _is_chain(kin: Ints) -> bool:
    """Whether links join a large part of all rows: then the sets mean nothing."""
    return bool(np.bincount(kin).max() >= T.largest * len(kin))


def _equal_links(rows: _Rows, how: str) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of rows that are equal in all columns, or in all but one or two."""
    total, left_out = rows.keys.sum(axis=0, dtype=np.uint64), _ALL_BUT.index(how) if how in _ALL_BUT else 0
    for columns in combinations(range(len(rows.columns)), left_out):
        key = total - rows.keys[list(columns)].sum(axis=0, dtype=np.uint64)
        _, number, size = np.unique(key, return_inverse=True, return_counts=True)
        order = np.argsort(number, kind="stable")
        order = order[(size <= T.most_kin + 1)[number[order]]] if left_out else order
        equal = number[order[1:]] == number[order[:-1]]
        yield order[1:][equal], order[:-1][equal]


def _close_links(rows: _Rows, n_kin: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of rows, each among the nearest of the other."""
    from scipy.sparse import csr_array

    n = len(rows)
    parts = np.array_split(np.arange(n), max(1, n * n // _AT_ONCE))
    near = np.concatenate([_nearest(rows, part)[0][:, :n_kin] for part in parts])
    one = np.repeat(np.arange(n), n_kin)
    joined = csr_array((np.ones(len(one)), (one, near.ravel())), shape=(n, n))
    a, b = joined.multiply(joined.T).nonzero()
    yield np.asarray(a), np.asarray(b)
