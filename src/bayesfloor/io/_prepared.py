"""Report what was done to the data before the analysis, for people and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import printable
from bayesfloor.io._column_encoders import Column


@dataclass(frozen=True, repr=False)
class Prepared(Result):
    """How columns and rows were treated.

    Attributes
    ----------
    columns : tuple of Column
        How each column of a table was treated; empty if all were used as they are.
    notes : tuple of str
        Assumptions made while reading the file or array.
    n_unlabelled : int
        Number of rows without a label, which were left out.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesfloor
    >>> table = pd.DataFrame({"age": [20, None, 30, 41] * 9, "sex": list("mffm") * 9, "sick": [0, 0, 1, 1] * 9})
    >>> found = bayesfloor.check(table, "sick")
    >>> print(found.prepared)
    Prepared: 1 filled
    >>> found.prepared.columns[0].treatment
    'filled 9 missing values with the median 30, and added a column that marks them'
    """

    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    n_unlabelled: int = 0

    def __bool__(self) -> bool:
        return bool(str(self))

    def __str__(self) -> str:
        from bayesfloor.io._table_preparer import summarize

        parts = [summarize(self.columns).removeprefix("Prepared: "), *self.notes]
        if self.n_unlabelled:
            parts.append(f"{self.n_unlabelled:,} row{'s' * (self.n_unlabelled > 1)} without a label left out")
        told = ", ".join(part for part in parts if part)
        return f"Prepared: {told}" if told else ""

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, role and treatment of every column that was not used as it is."""
        for column in self.columns:
            if not column.as_is:
                yield printable(column.name), column.role, column.treatment

    def _summary(self) -> str:
        return str(self).removeprefix("Prepared: ") or "nothing to do"

    def _columns(self) -> dict[str, Any]:
        return {item.name: [getattr(column, item.name) for column in self.columns] for item in fields(Column)}


def prepared_by(columns: tuple[Column, ...], n_unlabelled: int, notes: tuple[str, ...] = ()) -> Prepared:
    """Make the report; it lists no columns if all were used as they are."""
    return Prepared(() if all(column.as_is for column in columns) else columns, notes, n_unlabelled)
