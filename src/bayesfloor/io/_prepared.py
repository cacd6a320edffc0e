"""What was done to the data before anything was measured, for people and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from bayesfloor.engine._text import printable
from bayesfloor.io._encode import Column


@dataclass(frozen=True)
class Prepared:
    """What became of every column and row.

    Attributes
    ----------
    columns : tuple of Column
        What became of each column of a table; empty where all were used as they are.
    notes : tuple of str
        How the file or array was read, where that was not plain.
    n_unlabelled : int
        Rows without a label, which were left out.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesfloor
    >>> table = pd.DataFrame({"age": [20, None, 30, 41] * 9, "sex": list("mffm") * 9, "sick": [0, 0, 1, 1] * 9})
    >>> found = bayesfloor.check(table, "sick")
    >>> print(found.prepared)
    Prepared: 1 filled
    >>> found.prepared.columns[0].treatment
    'filled 9 missing values with the median 30, and a column says where'
    """

    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    n_unlabelled: int = 0

    def __bool__(self) -> bool:
        return bool(str(self))

    def __str__(self) -> str:
        from bayesfloor.io._prepare import summarize

        parts = [summarize(self.columns).removeprefix("Prepared: "), *self.notes]
        if self.n_unlabelled:
            parts.append(f"{self.n_unlabelled:,} row{'s' * (self.n_unlabelled > 1)} without a label left out")
        told = ", ".join(part for part in parts if part)
        return f"Prepared: {told}" if told else ""

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Name, role and treatment of every column that was not used as it is."""
        for column in self.columns:
            if not column.as_is:
                yield printable(column.name), column.role, column.treatment

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        columns = [column.to_dict() for column in self.columns]
        return {"columns": columns, "notes": list(self.notes), "n_unlabelled": self.n_unlabelled}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Prepared:
        """From plain values; what has another kind is refused."""
        columns = tuple(
            Column(**{name: _as(column, name, kind) for name, kind in _KINDS.items()}) for column in given["columns"]
        )
        if not all(isinstance(note, str) for note in given["notes"]) or type(given["n_unlabelled"]) is not int:
            raise TypeError("notes or n_unlabelled are of another kind")
        return cls(columns, tuple(given["notes"]), given["n_unlabelled"])


def prepared_by(columns: tuple[Column, ...], n_unlabelled: int, notes: tuple[str, ...] = ()) -> Prepared:
    """What was done; of columns nothing where all were used as they are."""
    return Prepared(() if all(column.as_is for column in columns) else columns, notes, n_unlabelled)


_KINDS = get_type_hints(Column)


def _as(given: dict[str, Any], name: str, kind: type) -> Any:
    if type(given[name]) is not kind:
        raise TypeError(f"{name} is {given[name]!r}")
    return given[name]
