"""The labelled rows in input order; the features of any of them can be read as numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.counts._vertex_labels import likeliest
from bayesfloor.engine._errors import blame
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.io._data import Data
from bayesfloor.io._features import WIDE, dense_if_small, is_sparse
from bayesfloor.io._frame_columns import Values, as_frame, read_column, read_frame
from bayesfloor.io._labels_and_weights import read_target
from bayesfloor.io._table_preparer import TablePreparer
from bayesfloor.io._wide_input import lay_flat

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

    ``X`` is a wrapped data frame or an array. ``row`` has the positions of the labelled rows, and ``codes`` the index
    of each label in ``classes``.
    """

    X: Any
    row: Ints
    codes: Ints
    classes: np.ndarray
    roles: Mapping[str, Any]
    named: bool

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def columns_at_first(self) -> list[Values]:
        """The columns of a data frame, first rows only; none for an array."""
        return read_frame(self._take(np.arange(min(len(self.row), _FIRST)))) if self.named else []

    def column(self, name: str) -> Values:
        """Return a column of a data frame, labelled rows only."""
        return read_column(self.X[name][self.row.tolist()])

    @property
    def names(self) -> list[str]:
        """The names of the columns; those of an array are numbered x0, x1, ..."""
        return list(map(str, self.X.columns)) if self.named else [f"x{j}" for j in range(self.X.shape[1])]

    def numbers(self, units: Ints, without: Collection[str] = ()) -> Numbers:
        """Return the features of these labelled rows as numbers, prepared as for a check."""
        part = self._take(units)
        if not self.named and np.isfinite(part).all():
            width = part.shape[1]
            return Numbers(part, np.arange(width), np.ones(width, dtype=bool))
        roles = {**self.roles, **dict.fromkeys(without, "group")} if self.named else None
        preparer = TablePreparer(roles)
        values = preparer.fit_transform(part)
        return Numbers(values, preparer.source_, preparer.quantity_)

    def _take(self, units: Ints) -> Any:
        if self.named:
            return self.X[self.row[units].tolist()].to_native()
        return np.asarray(self.X[self.row[units]], dtype=np.float64)


def label_table(data: Data, roles: Mapping[str, Any] | None, y_kind: str) -> LabelledTable | None:
    """Return the labelled rows of ``data``, or None if their order or labels cannot be examined."""
    X = dense_if_small(lay_flat(data.X)[0])
    frame = as_frame(X)
    if frame is None and not is_sparse(X):
        with blame("X"):
            X = np.asarray(X)
    if is_sparse(X) or (frame is None and (X.dtype.kind not in "fiub" or X.ndim != 2 or X.shape[1] > WIDE)):
        return None
    n = len(X) if frame is None else len(frame)
    target = read_target(data.y, n, y_kind)
    if target.shares.nnz != len(target.row) or len(np.unique(target.row)) < max(_FEWEST, len(target.row)):
        return None
    plain, codes = X if frame is None else frame, likeliest(target.shares)
    return LabelledTable(plain, target.row, codes, target.classes, roles or {}, named=frame is not None)
