"""The rows that models are trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayesfloor.forest._vertices import find_vertices
from bayesfloor.support._types import Floats, Ints

_DECIMALS = 8  # of rows whose spread is 1


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows with their classes, weights and groups; ``code`` marks columns whose order means nothing."""

    X: Floats
    codes: Ints
    weight: Floats | None = None
    groups: Ints | None = None
    code: np.ndarray | None = None

    def take(self, rows: Ints) -> Problem:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=weight, groups=groups)

    def of(self, members: Ints) -> Problem:
        """Return the rows of some classes."""
        return self if len(members) == self.codes.max() + 1 else self.take(np.flatnonzero(np.isin(self.codes, members)))

    def in_order(self) -> Problem:
        """Sort rows by content, so that folds depend neither on the input order nor on rounding errors."""
        beside = [one for one in (self.groups, self.weight) if one is not None]
        return self.take(np.lexsort([*beside, self.codes, find_vertices(np.round(self.X, _DECIMALS))[1]]))
