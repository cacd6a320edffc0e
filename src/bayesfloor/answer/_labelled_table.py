"""Rows with one label each, as numbers, and the errors of a random forest on them: what hazards are tested on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._learners import REGISTRY, Size
from bayesfloor.answer._race import deal_folds
from bayesfloor.answer._thresholds import RELATED
from bayesfloor.floor._edge_counts import likeliest
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.io._columns import Values, read_all, read_column, take_rows
from bayesfloor.io._data import WIDE, Data
from bayesfloor.io._labels import read_target
from bayesfloor.io._table_preparer import TablePreparer
from bayesfloor.support._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints

_FEWEST = 100  # with fewer rows, chance hides every hazard
_MANY = 20_000  # tables with more rows are read and prepared in the parts that are looked at
_FIRST = 2000  # the first rows show whether a column is worth reading
_CLEARLY = 3.0  # smallest clear difference, in standard errors
_LEAST, _RELATIVE = 0.01, 0.15  # smallest difference that matters: absolute, and relative to the lower error


class Numbers(NamedTuple):
    """Some rows as numbers, and which of the numbers are quantities."""

    values: Floats
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
    projected: bool = False  # whether wide data were reduced to fewer columns, which keep only distances

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def columns_at_first(self) -> list[Values]:
        """The columns of a data frame, first rows only; none for an array."""
        return self.values(np.arange(min(len(self), _FIRST))) if self.data.form == "frame" else []

    def column(self, name: str) -> Values:
        """Return a column of a data frame, labelled rows only."""
        if len(self) > _MANY:
            return read_column(self.data.X[name][self.row.tolist()])
        return next(each for each in self._columns if each.name == name)

    @property
    def names(self) -> list[str]:
        """The names of the columns; those of an array are numbered x0, x1, ..."""
        X = self.data.X
        return list(map(str, X.columns)) if self.data.form == "frame" else [f"x{j}" for j in range(X.shape[1])]

    def values(self, units: Ints, without: Collection[str] = ()) -> list[Values]:
        """Return the columns of these labelled rows as they are."""
        if len(self) > _MANY:
            return [each for each in read_all(self._take(units)) if each.name not in without]
        return [take_rows(each, units) for each in self._columns if each.name not in without]

    def numbers(self, units: Ints, without: str = "") -> Numbers:
        """Return the features of these labelled rows as numbers, prepared as for a check; perhaps without a column."""
        values, quantity, source = self._prepared if len(self) <= _MANY else self._prepare(units)
        kept = np.array([not without or name != without for name in self.names])[source]
        return Numbers((values[units] if len(self) <= _MANY else values)[:, kept], quantity[kept])

    @cached_property
    def _columns(self) -> list[Values]:
        """All columns of a table with few rows, which is read and prepared only once."""
        return read_all(self._take(np.arange(len(self))))

    @cached_property
    def _prepared(self) -> tuple[Floats, np.ndarray, Ints]:
        return self._prepare(np.arange(len(self)))

    def _prepare(self, units: Ints) -> tuple[Floats, np.ndarray, Ints]:
        """Return these rows as numbers, which of the numbers are quantities, and the column that each came from."""
        part = self._take(units)
        if self.data.form != "frame" and np.isfinite(part.X).all():
            return part.X, np.ones(part.X.shape[1], dtype=bool), np.arange(part.X.shape[1])
        preparer = TablePreparer(self.roles if self.data.form == "frame" else None)
        return preparer.fit_transform(part), preparer.quantity_, preparer.source_

    def _take(self, units: Ints) -> Data:
        rows = self.row[units]
        if self.data.form == "frame":
            return Data(self.data.X[rows.tolist()])
        return Data(np.asarray(self.data.X[rows], dtype=np.float64))


def label_table(data: Data, roles: Mapping[str, Any] | None, y_kind: str) -> LabelledTable | None:
    """Return the labelled rows of ``data``, or None if their order or labels cannot be examined."""
    data = data.dense_if_small()
    if data.form != "frame" and data.X.dtype.kind not in "fiub":
        return None
    target = read_target(data.y, data.X.shape[0], y_kind, guessed=data.task_guessed)
    if target.shares.nnz != len(target.row) or len(np.unique(target.row)) < max(_FEWEST, len(target.row)):
        return None
    wide = data.form == "sparse" or (data.form == "matrix" and data.X.shape[1] > WIDE)
    part = replace(data, X=project(data.X)) if wide else data
    return LabelledTable(part, target.row, likeliest(target.shares), target.classes, roles or {}, wide)


def project(X: Any) -> Floats:
    """Return rows in few dimensions that keep distances roughly, and equal rows equal (Johnson and Lindenstrauss)."""
    from sklearn.random_projection import SparseRandomProjection

    projection = SparseRandomProjection(RELATED.n_projected, dense_output=True, random_state=0)
    numbers = X.astype(np.float64)
    given = numbers if isinstance(numbers, np.ndarray) else numbers.data
    np.nan_to_num(given, copy=False, posinf=0.0, neginf=0.0)  # later, gaps are filled and infinity is refused
    given /= max(np.abs(given).max(initial=0.0), np.finfo(np.float64).tiny)  # so that squares do not overflow
    return np.asarray(projection.fit_transform(numbers), dtype=np.float64)


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


def two_errors(
    seen: Floats, held_out: Floats, codes: Ints, unit: Ints, seed: int, *, split_equal: bool = False
) -> TwoErrors:
    """Cross-validate on ``seen`` with random folds, and on ``held_out`` with whole units in the same fold.

    Equal rows are in the same random fold unless ``split_equal``.
    The standard error of the difference treats units as independent, but not the rows within a unit.
    """
    rng = np.random.default_rng([seed, 23])
    alone = np.arange(len(codes)) if split_equal else find_vertices(seen)[1]
    at_random = wrong(seen, codes, deal_folds(codes, alone, rng), seed)
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
