"""Find an order of rows, by time or as in the file, in which rows close to each other are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._labelled_table import LabelledTable, TwoErrors, two_errors
from bayesfloor.io._column_roles import words_of
from bayesfloor.io._columns import Values
from bayesfloor.io._encoders import as_moments
from bayesfloor.io._formats import date_format
from bayesfloor.support._types import Floats, Ints

_MOST_ROWS = 6000  # rows on which errors are compared
_MOST_NUMBERS = 6_000_000  # numbers from which correlations are computed
_MANY_VALUES = 20  # a column with fewer distinct values cannot show slow changes
_WORDS = {
    *("time", "date", "timestamp", "datetime", "epoch", "seconds", "hour", "day", "frame", "step", "datum", "zeit"),
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
        found = _examine(table, name, order, seed)
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
    if values.kind != "number" or _WORDS.isdisjoint(words_of(values.name)):
        return None
    return values.data if len(np.unique(values.data)) > len(values.data) / 2 else None


def _examine(table: LabelledTable, name: str, order: Ints, seed: int) -> RowOrder | None:
    # Do measurements change slowly from row to row, or labels from time to time?
    n = len(order)
    stretch = order[: max(_MOST_ROWS, _MOST_NUMBERS // max(len(table.names), 100))]
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
    if _sorted_by_class(table.codes, block):
        return None
    # About as many rows as can be compared quickly: the first ones of every block.
    units = order
    if n > _MOST_ROWS:
        units = np.concatenate([part[: _MOST_ROWS // n_blocks] for part in np.array_split(order, n_blocks)])
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


def _sorted_by_class(codes: Ints, block: Ints) -> bool:
    """Whether some class occurs in only a few blocks, so that holding out blocks would hold out the class."""
    pairs = np.unique(np.column_stack([codes, block]), axis=0)
    frequent = np.bincount(codes) >= 2 * _SPREAD
    return bool((np.bincount(pairs[:, 0], minlength=len(frequent))[frequent] < _SPREAD).any())
