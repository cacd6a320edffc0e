"""Find rows that belong together: by a column that marks groups, such as patients, or because near rows are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._labelled_table import LabelledTable, TwoErrors, two_errors
from bayesfloor.io._column_roles import MOST_LEVELS, role_of_texts, says_id, without_gaps, words_of
from bayesfloor.io._columns import Values
from bayesfloor.io._encoders import as_moments
from bayesfloor.io._formats import date_format, number_format
from bayesfloor.support._types import Floats, Ints

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
_NEIGHBOURS, _TIMES_CHANCE = 0.3, 5.0  # smallest fraction of rows whose nearest row is of their group


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
    others = table.numbers(units, values.name)
    if not others.values.shape[1]:
        return None
    pure, near, chance = _purity(group, table.codes), *_same_group(others.values, own)
    # Rows of a group share their label, or lie close to each other, far more often than by chance.
    random = _purity(rng.permutation(group), table.codes)
    by_label = pure >= _PURE and (pure - random) / max(1 - random, 1e-12) >= _BEYOND_CHANCE
    by_place = near >= max(_NEIGHBOURS, _TIMES_CHANCE * chance)
    if not by_label and not by_place:
        return None
    # What counts is the consequence: a forest that knows the groups does worse on new ones.
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
    if named or len(values.levels) <= MOST_LEVELS:
        return named
    given = without_gaps(values)  # dates, prose, names of people and numbers written as text mark no groups
    read = date_format(values.levels) or number_format(given.levels)
    return read is None and role_of_texts(given) not in ("text", "people")


def _groups_of(values: Values) -> Ints | None:
    """Return each row's group if there are enough groups and most have several rows."""
    if not may_group(values):
        return None
    group = np.unique(values.data, return_inverse=True)[1]
    sizes, n = np.bincount(group), len(group)
    return group if _FEWEST_GROUPS <= len(sizes) <= n / 2 and sizes.max() <= n / 4 else None


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


def _same_group(X: Floats, group: Ints) -> tuple[float, float]:
    """Return how often the nearest other row belongs to the same group, and how often it would by chance."""
    from sklearn.neighbors import NearestNeighbors

    spread = X.std(axis=0)
    scaled = X / np.where(spread > 0, spread, 1.0)
    nearest = NearestNeighbors(n_neighbors=1).fit(scaled).kneighbors(return_distance=False)[:, 0]
    sizes = np.bincount(group)
    return float((group[nearest] == group).mean()), float((sizes * (sizes - 1.0)).sum() / len(group) / (len(group) - 1))


_MOST_IN_ORDER = 6000  # rows on which errors of stretches are compared
_MOST_NUMBERS = 6_000_000  # numbers from which correlations are computed
_MANY_VALUES = 20  # a column with fewer distinct values cannot show slow changes
_TIME_WORDS = {
    *("time", "date", "timestamp", "datetime", "epoch", "seconds", "hour", "day", "frame", "step", "datum", "zeit")
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
    for name, order in orders(table):
        found = _examine_order(table, name, order, seed)
        if found is not None:
            return found
    return None


def orders(table: LabelledTable) -> Iterator[tuple[str, Ints]]:
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
    if values.kind != "number" or _TIME_WORDS.isdisjoint(words_of(values.name)):
        return None
    return values.data if len(np.unique(values.data)) > len(values.data) / 2 else None


def _examine_order(table: LabelledTable, name: str, order: Ints, seed: int) -> RowOrder | None:
    # Do measurements change slowly from row to row, or labels from time to time?
    n = len(order)
    stretch = order[: max(_MOST_IN_ORDER, _MOST_NUMBERS // max(len(table.names), 100))]
    X = _residuals(table, stretch, name)
    each = (X[1:] * X[:-1]).mean(axis=0) if X.size else np.empty(0)
    if not name and np.count_nonzero(each > _ALIKE) > 1:  # among others that do not drift
        X = X[:, each > _ALIKE]
    together = correlation(X, 1)
    shares = np.bincount(table.codes) / n
    changes, by_chance = (np.diff(table.codes[order]) != 0).mean(), 1 - (shares**2).sum()
    labels = float(1 - changes / max(by_chance, 1e-12))
    least = _ALIKE_IN_TIME if name else _ALIKE
    slow = X.shape[1] > 0 and together > max(least, _Z / np.sqrt(len(stretch)))
    if not slow and not (name and labels > max(_LABELS_ALIKE, _Z / np.sqrt(n))):
        return None
    # Blocks are longer than rows remember each other; none may hold a class alone.
    block = np.empty(n, dtype=np.int64)
    n_blocks = int(np.clip(n // (_MARGIN * _memory(X)), *_BLOCKS))
    block[order] = np.arange(n) * n_blocks // n
    pairs = np.unique(np.column_stack([table.codes, block]), axis=0)
    frequent = np.bincount(table.codes) >= 2 * _SPREAD
    if (np.bincount(pairs[:, 0], minlength=len(frequent))[frequent] < _SPREAD).any():
        return None
    # About as many rows as can be compared quickly: the first ones of every block.
    units = order
    if n > _MOST_IN_ORDER:
        units = np.concatenate([part[: _MOST_IN_ORDER // n_blocks] for part in np.array_split(order, n_blocks)])
    numbers = table.numbers(units).values
    errors = two_errors(numbers, numbers, table.codes[units], block[units], seed)
    return RowOrder(name, block, together if slow else labels, errors) if errors.differ else None


def _residuals(table: LabelledTable, units: Ints, name: str) -> Floats:
    """Return the quantities with many distinct values, with class means subtracted and scaled to unit variance."""
    numbers = table.numbers(units, name)
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
