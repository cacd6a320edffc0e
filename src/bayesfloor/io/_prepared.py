"""Report what was done to the data before the analysis, for people and for JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import how_many, join_labels, printable, quoted
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
    Prepared: missing values filled in age
    >>> found.prepared.columns[0].treatment
    'filled 9 missing values with the median 30, and added a column that marks them'
    """

    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    n_unlabelled: int = 0

    def __bool__(self) -> bool:
        return bool(str(self))

    def __str__(self) -> str:
        parts = [summarize(self.columns).removeprefix("Prepared: "), *self.notes]
        if self.n_unlabelled:
            parts.append(f"{self.n_unlabelled:,} row{'s' * (self.n_unlabelled > 1)} without a label left out")
        told = "; ".join(part for part in parts if part)
        return f"Prepared: {told}" if told else ""

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, role and treatment of every column that was not used as it is.

        Many columns with the same treatment, but for its numbers, share one line.
        """
        alike: dict[tuple[str, str], list[Column]] = {}
        for column in self.columns:
            if not column.as_is:
                alike.setdefault((column.role, _NUMBER.sub("0", column.treatment)), []).append(column)
        for (role, _), columns in alike.items():
            if len(columns) > _LISTED:
                yield how_many(len(columns), "column"), role, _for_example(columns)
            else:
                yield from ((printable(column.name), role, column.treatment) for column in columns)

    def _summary(self) -> str:
        return str(self).removeprefix("Prepared: ") or "nothing to do"

    def _columns(self) -> dict[str, Any]:
        return {item.name: [getattr(column, item.name) for column in self.columns] for item in fields(Column)}


def prepared_by(columns: tuple[Column, ...], n_unlabelled: int, notes: tuple[str, ...] = ()) -> Prepared:
    """Make the report; it lists no columns if all were used as they are."""
    return Prepared(() if all(column.as_is for column in columns) else columns, notes, n_unlabelled)


def summarize(columns: Sequence[Column]) -> str:
    """Summarise the preparation in one line; empty if all columns were used as they are."""
    gone = [column for column in columns if not column.width]
    parts = [f"{_name_some(names)} left out{why}" for why, names in _named_by(gone, _WHY_GONE, _why_gone).items()]
    used = [column for column in columns if not column.as_is and column.width and column.role != "wide"]
    parts += [f"{done} {_name_some(names)}" for done, names in _named_by(used, _DONE, _in_a_word).items()]
    parts += [column.treatment for column in columns if column.role == "wide"]
    return f"Prepared: {'; '.join(parts)}" if parts else ""


_LISTED = 10  # columns with the same treatment; more share one line
_NUMBER = re.compile(r"-?\d[\d.,]*(?:e[-+]?\d+)?")


def _for_example(columns: Sequence[Column]) -> str:
    """Describe the treatment of columns that were all treated alike."""
    missing = sum(column.n_missing for column in columns)
    told = f"{how_many(missing, 'missing value')} in all; " if missing else ""
    return f"{told}for example {quoted(columns[0].name)}: {columns[0].treatment}"


_NAMED = 3  # columns to name; if there are more, only their number is given
_WHY_GONE = {
    "id": " (id)",
    "counter": " (row counter)",
    "constant": " (constant)",
    "empty": " (empty)",
    "text": " (text beside an embedding)",
}
_DONE = {
    "filled": "missing values filled in",
    "odd": "cells that are not numbers read as missing in",
    "level": "missing values kept as a category in",
    "read": "text read as numbers in",
    "date": "dates turned into numbers in",
    "text": "free text turned into numbers in",
    "code": "codes replaced by class rates in",
    "many": "many categories compared by spelling in",
    "ordered": "levels numbered in",
}


def _named_by(
    columns: Sequence[Column], words: Mapping[str, str], kind_of: Callable[[Column], str]
) -> dict[str, list[str]]:
    """Group the columns' names by what was done to them, in the order of ``words``."""
    kinds = {kind: [quoted(column.name) for column in columns if kind_of(column) == kind] for kind in (*words, "")}
    return {words.get(kind, ""): names for kind, names in kinds.items() if names}


def _name_some(names: Sequence[str]) -> str:
    return join_labels(names) if len(names) <= _NAMED else how_many(len(names), "column")


def _why_gone(column: Column) -> str:
    role = "text" if column.role == "category" else column.role
    return role if role in _WHY_GONE else ""


def _in_a_word(column: Column) -> str:
    """Describe in one word what was done to a column."""
    if column.role in ("date", "text", "code", "ordered"):
        return column.role
    if column.role == "category":
        return "many" if column.lossy or not column.n_missing else "level"
    if column.lossy:
        return "odd"
    return "filled" if column.n_missing else "read"
