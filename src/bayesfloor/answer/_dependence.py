"""A random forest's error if folds are random, and if dependent rows are held out together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._learners import REGISTRY, Size
from bayesfloor.answer._race import deal_folds
from bayesfloor.floor._edge_counts import likeliest
from bayesfloor.floor._fit import Fit, near_duplicate_clusters
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.io._column_roles import MOST_LEVELS, role_of_texts, says_id, without_gaps, words_of
from bayesfloor.io._columns import Values, read_all, read_column
from bayesfloor.io._data import WIDE, Data
from bayesfloor.io._encoders import as_moments
from bayesfloor.io._formats import date_format, number_format
from bayesfloor.io._labels import read_target
from bayesfloor.io._table_preparer import TablePreparer
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent, quoted

_CLEARLY = 3.0  # smallest clear difference, in standard errors
_LEAST, _RELATIVE = 0.01, 0.15  # smallest difference that matters: absolute, and relative to the lower error


class TwoErrors(NamedTuple):
    """A random forest's cross-validated errors if only equal rows, or if whole units, stay in the same fold."""

    at_random: float
    together: float
    std_error: float

    @property
    def differ(self) -> bool:
        """Whether holding units out together raises the error by more than chance explains, and enough to matter."""
        rise = self.together - self.at_random
        return bool(rise > _CLEARLY * self.std_error and rise > max(_LEAST, _RELATIVE * self.at_random))


def two_errors(seen: Floats, held_out: Floats, codes: Ints, unit: Ints, seed: int) -> TwoErrors:
    """Cross-validate on ``seen`` with random folds, and on ``held_out`` with whole units in the same fold.

    The standard error of the difference treats units as independent, but not the rows within a unit.
    """
    rng = np.random.default_rng([seed, 23])
    at_random = wrong(seen, codes, deal_folds(codes, find_vertices(seen)[1], rng), seed)
    together = wrong(held_out, codes, deal_folds(codes, unit, rng), seed)
    rise = together - at_random
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], rise - rise.mean())
    return TwoErrors(float(at_random.mean()), float(together.mean()), float(np.sqrt((sums**2).sum()) / len(rise)))


def wrong(X: Floats, codes: Ints, fold: Ints, seed: int) -> Floats:
    """Return which rows a random forest gets wrong if it is trained on the other folds."""
    found = np.empty(len(codes))
    with one_blas_thread(), one_openmp_thread():
        for number in range(int(fold.max()) + 1):
            test = fold == number
            if test.all():  # all rows are equal, so guessing is the best that is left
                return (codes != np.bincount(codes).argmax()).astype(np.float64)
            model = REGISTRY["forest"].make(Size(len(X), X.shape[1], 2), seed)
            found[test] = model.fit(X[~test], codes[~test]).predict(X[test]) != codes[test]
    return found


_FEWEST = 100  # with fewer rows, chance hides every hazard
_FIRST = 2000  # the first rows show whether a column is worth reading


class Numbers(NamedTuple):
    """Some rows as numbers, and the position of the column that each number came from."""

    values: Floats
    source: Ints
    quantity: np.ndarray


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows with one label each, in input order.

    ``row`` has the positions of the labelled rows, and ``codes`` the index of each label in ``classes``.
    """

    data: Data  # a matrix or a data frame
    row: Ints
    codes: Ints
    classes: np.ndarray
    roles: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def columns_at_first(self) -> list[Values]:
        """The columns of a data frame, first rows only; none for an array."""
        return read_all(self._take(np.arange(min(len(self.row), _FIRST)))) if self.data.form == "frame" else []

    def column(self, name: str) -> Values:
        """Return a column of a data frame, labelled rows only."""
        return read_column(self.data.X[name][self.row.tolist()])

    @property
    def names(self) -> list[str]:
        """The names of the columns; those of an array are numbered x0, x1, ..."""
        X = self.data.X
        return list(map(str, X.columns)) if self.data.form == "frame" else [f"x{j}" for j in range(X.shape[1])]

    def numbers(self, units: Ints, without: Collection[str] = ()) -> Numbers:
        """Return the features of these labelled rows as numbers, prepared as for a check."""
        part, is_frame = self._take(units), self.data.form == "frame"
        if not is_frame and np.isfinite(part.X).all():
            width = part.X.shape[1]
            return Numbers(part.X, np.arange(width), np.ones(width, dtype=bool))
        preparer = TablePreparer({**self.roles, **dict.fromkeys(without, "group")} if is_frame else None)
        values = preparer.fit_transform(part)
        return Numbers(values, preparer.source_, preparer.quantity_)

    def _take(self, units: Ints) -> Data:
        rows = self.row[units]
        if self.data.form == "frame":
            return Data(self.data.X[rows.tolist()])
        return Data(np.asarray(self.data.X[rows], dtype=np.float64))


def label_table(data: Data, roles: Mapping[str, Any] | None, y_kind: str) -> LabelledTable | None:
    """Return the labelled rows of ``data``, or None if their order or labels cannot be examined."""
    data = data.dense_if_small()
    if data.form == "sparse":
        return None
    if data.form == "matrix" and (data.X.dtype.kind not in "fiub" or data.X.shape[1] > WIDE):
        return None
    target = read_target(data.y, len(data.X), y_kind)
    if target.shares.nnz != len(target.row) or len(np.unique(target.row)) < max(_FEWEST, len(target.row)):
        return None
    return LabelledTable(data, target.row, likeliest(target.shares), target.classes, roles or {})


_WORDS = {
    *("patient", "subject", "participant", "person", "donor", "animal", "user", "customer", "client", "member"),
    *("household", "family", "account", "visitor", "speaker", "writer", "author", "artist", "session", "visit"),
    *("video", "clip", "recording", "scene", "track", "trial", "case", "study", "scan", "slide", "device", "machine"),
    *("batch", "plate", "site", "group", "cluster", "kunde", "kunden", "proband", "gruppe"),
}
_FEWEST_GROUPS = 10
_MOST_ROWS = 5000  # rows on which neighbours and errors are compared
_PURE = 0.95  # smallest fraction of rows with the most frequent label of their group
_BEYOND_CHANCE = 0.5  # smallest gain in that fraction over random groups, relative to the largest possible gain
_NEIGHBOURS, _TIMES_CHANCE = 0.3, 5.0


class GroupColumn(NamedTuple):
    """A column that marks groups, each labelled row's group, and the evidence."""

    name: str
    group: Ints
    pure: float
    neighbours: float
    errors: TwoErrors


def find_group_column(table: LabelledTable, seed: int) -> GroupColumn | None:
    """Return the column whose groups raise the error most when held out together; None if no column does."""
    names = [values.name for values in table.columns_at_first if may_group(values)]
    found = [each for name in names if (each := _examine(table, table.column(name), seed)) is not None]
    return max(found, key=lambda each: each.errors.together - each.errors.at_random, default=None)


def _examine(table: LabelledTable, values: Values, seed: int) -> GroupColumn | None:
    group = _groups_of(values)
    if group is None or values.name in table.roles:
        return None
    rng = np.random.default_rng([seed, 21])
    units = whole_groups(group, rng)
    codes, own = table.codes[units], np.unique(group[units], return_inverse=True)[1]
    others = table.numbers(units, [values.name])
    if not others.values.shape[1]:
        return None
    pure, near, chance = _purity(group, table.codes), *_same_group(others.values, own)
    by_label = pure >= _PURE and _gain(pure, _purity(rng.permutation(group), table.codes)) >= _BEYOND_CHANCE
    by_place = near >= max(_NEIGHBOURS, _TIMES_CHANCE * chance)
    if not by_label and not by_place:
        return None
    seen = np.column_stack([others.values, own])
    errors = two_errors(seen, others.values, codes, own, seed)
    return GroupColumn(values.name, group, pure, near, errors) if errors.differ else None


def may_group(values: Values) -> bool:
    """Whether a column may mark groups: it has no gaps, and either an identifier's name or many short strings."""
    if values.missing.any() or values.kind not in ("text", "number"):
        return False
    named = says_id(values.name) or not _WORDS.isdisjoint(words_of(values.name))
    if values.kind == "number":
        return named and bool((values.data == np.floor(values.data)).all())
    return named or (len(values.levels) > MOST_LEVELS and not _is_something_else(values))


def _groups_of(values: Values) -> Ints | None:
    """Return each row's group if there are enough groups and most have several rows."""
    if not may_group(values):
        return None
    group = np.unique(values.data, return_inverse=True)[1]
    sizes, n = np.bincount(group), len(group)
    return group if _FEWEST_GROUPS <= len(sizes) <= n / 2 and sizes.max() <= n / 4 else None


def _is_something_else(values: Values) -> bool:
    """Whether short strings are dates, prose, names of people, or numbers written as text."""
    given = without_gaps(values)
    read = date_format(values.levels) or number_format(given.levels)
    return read is not None or role_of_texts(given) in ("text", "people")


def whole_groups(group: Ints, rng: np.random.Generator) -> Ints:
    """Return all rows of randomly chosen groups, about as many rows as can be compared quickly."""
    if len(group) <= _MOST_ROWS:
        return np.arange(len(group))
    sizes = np.bincount(group)
    order = rng.permutation(len(sizes))
    chosen = order[: max(_FEWEST_GROUPS, int(np.searchsorted(sizes[order].cumsum(), _MOST_ROWS)))]
    return np.flatnonzero(np.isin(group, chosen))


def _purity(group: Ints, codes: Ints) -> float:
    """Return the fraction of rows that have the most frequent label of their group."""
    _, pair, times = np.unique(
        group.astype(np.int64) * (codes.max() + 1) + codes, return_index=True, return_counts=True
    )
    most = np.zeros(int(group.max()) + 1)
    np.maximum.at(most, group[pair], times)
    return float(most.sum() / len(group))


def _gain(found: float, chance: float) -> float:
    return (found - chance) / max(1 - chance, 1e-12)


def _same_group(X: Floats, group: Ints) -> tuple[float, float]:
    """Return how often the nearest other row belongs to the same group, and how often it would by chance."""
    from sklearn.neighbors import NearestNeighbors

    spread = X.std(axis=0)
    scaled = X / np.where(spread > 0, spread, 1.0)
    nearest = NearestNeighbors(n_neighbors=1).fit(scaled).kneighbors(return_distance=False)[:, 0]
    sizes = np.bincount(group)
    return float((group[nearest] == group).mean()), float((sizes * (sizes - 1.0)).sum() / len(group) / (len(group) - 1))


_MOST_ROWS_row_order = 6000  # rows on which errors are compared
_MOST_NUMBERS = 6_000_000  # numbers from which correlations are computed
_MANY_VALUES = 20  # a column with fewer distinct values cannot show slow changes
_WORDS_row_order = {
    "time",
    "date",
    "timestamp",
    "datetime",
    "epoch",
    "seconds",
    "hour",
    "day",
    "frame",
    "step",
    "datum",
    "zeit",
}
# Smallest correlation between consecutive rows: without a time column, with one, of labels, and in standard errors.
_ALIKE, _ALIKE_IN_TIME, _LABELS_ALIKE, _Z = 0.75, 0.2, 0.05, 5.0
_FORGOTTEN = 0.1  # correlation below which rows count as unrelated
_MARGIN = 4  # length of a block, relative to the lag at which rows become unrelated
_BLOCKS = (10, 50)
_SPREAD = 5  # every class must occur in this many blocks; otherwise the rows are sorted by class


class RowOrder(NamedTuple):
    """The column that orders the rows (empty for input order), each labelled row's block, and the evidence."""

    name: str
    block: Ints
    alike: float
    errors: TwoErrors


def find_row_order(table: LabelledTable, seed: int) -> RowOrder | None:
    """Return the order in which holding out nearby rows together raises the error; None if there is none."""
    for name, order in _orders(table):
        found = _examine_row_order(table, name, order, seed)
        if found is not None:
            return found
    return None


def _orders(table: LabelledTable) -> Iterator[tuple[str, Ints]]:
    """Yield the order of each time column, then the input order."""
    for values in table.columns_at_first:
        if _moments(values) is None:
            continue
        moments = _moments(table.column(values.name))
        if moments is not None:
            yield values.name, np.argsort(moments, kind="stable")
    yield "", np.arange(len(table))


def _moments(values: Values) -> np.ndarray | None:
    """Return each row's time if the column has dates, or numbers and a name like "time"; otherwise None."""
    if values.missing.any():
        return None
    if values.kind == "date" or (values.kind == "text" and (form := date_format(values.levels)) is not None):
        moments = as_moments(values, None if values.kind == "date" else form)
        return None if np.isnat(moments).any() or len(np.unique(moments)) < len(moments) / 10 else moments
    if values.kind != "number" or _WORDS_row_order.isdisjoint(words_of(values.name)):
        return None
    return values.data if len(np.unique(values.data)) > len(values.data) / 2 else None


def _examine_row_order(table: LabelledTable, name: str, order: Ints, seed: int) -> RowOrder | None:
    n = len(order)
    stretch = order[: max(_MOST_ROWS_row_order, _MOST_NUMBERS // max(len(table.names), 100))]
    X = _residuals(table, stretch, name)
    together = correlation(X, 1)
    labels = 1 - float((np.diff(table.codes[order]) != 0).mean()) / max(_disagreement(table.codes), 1e-12)
    least = _ALIKE_IN_TIME if name else _ALIKE
    slow = X.shape[1] > 0 and together > max(least, _Z / np.sqrt(len(stretch)))
    if not slow and not (name and labels > max(_LABELS_ALIKE, _Z / np.sqrt(n))):
        return None
    block = np.empty(n, dtype=np.int64)
    n_blocks = int(np.clip(n // (_MARGIN * _memory(X)), *_BLOCKS))
    block[order] = np.arange(n) * n_blocks // n
    if _sorted_by_class(table.codes, block):
        return None
    units = _stretches(order, n_blocks)
    numbers = table.numbers(units).values
    errors = two_errors(numbers, numbers, table.codes[units], block[units], seed)
    return RowOrder(name, block, together if slow else labels, errors) if errors.differ else None


def _residuals(table: LabelledTable, units: Ints, name: str) -> Floats:
    """Return the quantities with many distinct values, with class means subtracted and scaled to unit variance."""
    numbers = table.numbers(units, [name] if name else ())
    X = numbers.values[:, numbers.quantity]
    X = X[:, [len(np.unique(column)) > _MANY_VALUES for column in X.T]]
    codes = np.unique(table.codes[units], return_inverse=True)[1]
    sums = np.zeros((codes.max() + 1, X.shape[1]))
    np.add.at(sums, codes, X)
    X = X - (sums / np.bincount(codes)[:, None])[codes]
    spread = X.std(axis=0)
    return X[:, spread > 0] / spread[spread > 0]


def correlation(X: Floats, lag: int) -> float:
    """Return the mean correlation of rows with the rows ``lag`` positions later; columns have mean 0 and variance 1."""
    return float((X[lag:] * X[:-lag]).mean()) if X.size else 0.0


def _memory(X: Floats) -> int:
    """Return the smallest lag, among powers of 2, at which rows are no longer correlated."""
    lag = 1
    while lag < len(X) // _BLOCKS[0] and correlation(X, lag) > _FORGOTTEN:
        lag *= 2
    return lag


def _disagreement(codes: Ints) -> float:
    share = np.bincount(codes) / len(codes)
    return float(1 - (share**2).sum())


def _sorted_by_class(codes: Ints, block: Ints) -> bool:
    """Whether some class occurs in only a few blocks, so that holding out blocks would hold out the class."""
    pairs = np.unique(np.column_stack([codes, block]), axis=0)
    frequent = np.bincount(codes) >= 2 * _SPREAD
    return bool((np.bincount(pairs[:, 0], minlength=len(frequent))[frequent] < _SPREAD).any())


def _stretches(order: Ints, n_blocks: int) -> Ints:
    """Return consecutive rows from every block, about as many rows as can be compared quickly."""
    if len(order) <= _MOST_ROWS_row_order:
        return order
    return np.concatenate([part[: _MOST_ROWS_row_order // n_blocks] for part in np.array_split(order, n_blocks)])


GROUPS, TIME, NEAR_DUPLICATES = "groups", "time", "near-duplicates"
UNITS = {GROUPS: "groups", TIME: "blocks of consecutive rows", NEAR_DUPLICATES: "clusters of near-duplicates"}
_FEWEST_dependence = 5  # clusters per class: with fewer, holding out clusters would hold out classes
_ALONE = -1  # group of rows without a label, which are not used


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(Result):
    """Rows that depend on each other, and a random forest's error if they are split at random or kept in the same fold.

    Attributes
    ----------
    kind : "groups" if a column marks rows that belong together, "time" if nearby rows are alike, or "near-duplicates".
    column : the column with the groups or the times; empty if there is none.
    n_units : number of groups, blocks of rows, or clusters of near-duplicates.
    similarity : evidence between 0 and 1. Groups: fraction of rows whose nearest row belongs to the same group. Time:
        correlation with the next row. Near-duplicates: fraction of rows that have one.
    pure : for groups, the fraction of rows with the most frequent label of their group; otherwise 0.
    error_at_random : cross-validated error if folds are made of random rows.
    error_together : cross-validated error if dependent rows are in the same fold.
    rise_std_error : standard error of the difference.
    applied : whether dependent rows are in the same fold in the answer.
    groups : number of each row's group, block or cluster, -1 for rows without a label; empty if read from JSON.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(60), 10)
    >>> usual, sick = rng.normal(size=(60, 4)), np.arange(60) % 2
    >>> table = pd.DataFrame(usual[patient] + 0.1 * rng.normal(size=(600, 4)), columns=list("abcd"))
    >>> found = bayesfloor.check(table.assign(patient_id=patient), sick[patient], effort="quick")
    >>> found.dependence.kind, found.dependence.column
    ('groups', 'patient_id')
    """

    kind: str
    column: str
    n_units: int
    similarity: float
    pure: float
    error_at_random: float
    error_together: float
    rise_std_error: float
    applied: bool = True
    groups: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    def _summary(self) -> str:
        by = f" by {quoted(self.column)}" if self.column else ""
        errors = f"error {percent(self.error_together)} % if kept together, {percent(self.error_at_random)} % if not"
        return f"{self.n_units:,} {UNITS[self.kind]}{by}: {errors}"


def find_dependence(table: LabelledTable, n_rows: int, seed: int) -> Dependence | None:
    """Return the dependence that a column or the order of rows reveals; None if labelled rows seem independent."""
    column = find_group_column(table, seed)
    if column is not None:
        groups = _of_all_rows(column.group, table.row, n_rows)
        return _make(GROUPS, column.name, groups, column.neighbours, column.errors, column.pure)
    order = find_row_order(table, seed)
    if order is not None:
        return _make(TIME, order.name, _of_all_rows(order.block, table.row, n_rows), order.alike, order.errors)
    return None


def find_close_rows(fit: Fit, seed: int) -> Dependence | None:
    """Return the dependence from near-duplicates that no column marks, such as augmented images or frames of a video.

    None if holding them out together does not raise the error, or if the fit used a subsample.
    """
    sample, codes = fit.sample, fit.labels.codes
    if not fit.labels.hard or len(np.unique(sample.row)) + sample.n_unlabelled < sample.n_input:
        return None
    cluster = near_duplicate_clusters(fit.forest)
    if (
        cluster is None
        or np.bincount(np.unique(np.column_stack([codes, cluster]), axis=0)[:, 0]).min() < _FEWEST_dependence
    ):
        return None
    units = whole_groups(cluster, np.random.default_rng([seed, 25]))
    errors = two_errors(fit.points[units], fit.points[units], codes[units], cluster[units], seed)
    if not errors.differ:
        return None
    fraction = float((np.bincount(cluster)[cluster] > 1).mean())
    return _make(NEAR_DUPLICATES, "", _of_all_rows(cluster, sample.row, sample.n_input), fraction, errors)


def _of_all_rows(group: Ints, row: Ints, n_rows: int) -> Ints:
    groups = np.full(n_rows, _ALONE, dtype=np.int64)
    groups[row] = group
    return groups


def _make(kind: str, column: str, groups: Ints, similarity: float, errors: TwoErrors, pure: float = 0.0) -> Dependence:
    return Dependence(
        kind=kind,
        column=column,
        n_units=len(np.unique(groups[groups != _ALONE])),
        similarity=similarity,
        pure=pure,
        error_at_random=errors.at_random,
        error_together=errors.together,
        rise_std_error=errors.std_error,
        groups=groups,
    )
