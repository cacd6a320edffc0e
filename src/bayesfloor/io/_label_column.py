"""Find the label column, and reject columns that cannot be labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._labels import looks_like_regression
from bayesfloor.io._messages import (
    DataError,
    arrow,
    did_you_mean,
    is_number,
    is_text,
    join_words,
    n_distinct,
    quote,
    short,
    unknown,
)
from bayesfloor.io._tables import Coded, Table, refuse_headless

_USUAL_NAMES = ("label", "target", "class", "y", "species", "labels", "category", "outcome", "diagnosis")


class LabelColumn(NamedTuple):
    """The name of the label column or array, and each row's label."""

    name: str
    y: Any


def labels_of(name: str, coded: Coded) -> LabelColumn:
    """Return a column as labels; raise if it is not suitable."""
    values, n = coded.values, int(np.count_nonzero(coded.codes >= 0))
    if n < len(coded.codes):
        values = as_whole(values)
    if not n:
        raise DataError(f"column {quote(name)} is empty. Pass another column with -y.")
    _refuse_infinite(name, values)
    _refuse_quantity(name, values, n)
    _refuse_classes(name, values, n)
    if values.dtype == object or _is_broken(values):  # classes such as 0.5 become text, as in a CSV
        values = values.astype(str)
        _refuse_twins(name, values)
    return LabelColumn(name, coded._replace(values=values).rows)


def as_whole(values: np.ndarray) -> np.ndarray:
    """Turn whole numbers into integers: in a matrix, or in a column with gaps, they had to be stored as floats."""
    if values.dtype.kind != "f" or _is_broken(values) or (abs(values) >= 2**53).any():
        return values
    return values.astype(np.int64)


def _is_broken(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and bool((values != np.round(values)).any())


def _refuse_infinite(name: str, values: np.ndarray) -> None:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise DataError(f"column {quote(name)} has infinite labels. Drop these rows, or give them a different label.")


def _refuse_quantity(name: str, values: np.ndarray, n: int) -> None:
    try:
        numbers = values.astype(np.float64)
    except ValueError:
        return
    if looks_like_regression(np.sort(numbers), n):
        raise DataError(
            f"column {quote(name)} has {len(values):,} different numbers in {n:,} rows: looks like regression, not "
            "classes. Pass another column with -y, or bin the numbers into classes first."
        )


def _refuse_classes(name: str, values: np.ndarray, n: int) -> None:
    if len(values) == 1:
        raise DataError(
            f"column {quote(name)} has only one value, {quote(values[0])}, but expected at least 2 classes. "
            "Pass another column with -y."
        )
    if len(values) == n:
        raise DataError(
            f"column {quote(name)} has a different value in each of {n:,} rows, so it looks like an id, not a class. "
            "Pass another column with -y."
        )


def _refuse_twins(name: str, values: np.ndarray) -> None:
    if len(np.unique(values)) < len(values):
        raise DataError(f"column {quote(name)} has labels that differ only in trailing zero bytes. Rename them.")


def find_label(table: Table, label: str | None) -> str:
    """Find the label column, or raise with a list of candidates."""
    if label in table.names:
        return str(label)
    refuse_headless(table)
    raise _which_label(table) if label is None else unknown(label, table.names)


def _which_label(table: Table) -> DataError:
    found = sorted(_candidates(table.read(table.names)))[:5]
    if found:
        shown = ", ".join(f"{short(name)} ({n})" for _, _, n, _, name in found)
        return DataError(f"which column is the label? Use -y. Candidates with few values: {shown}")
    return DataError(
        f"which column is the label? Use -y. No column has few values. Columns: {join_words(table.names)}."
    )


def _candidates(columns: Any) -> Iterator[tuple[bool, bool, int, int, str]]:
    """Yield columns that may be labels, as tuples that sort likely ones first."""
    n = columns.num_rows
    for i, name in enumerate(columns.column_names):
        column = columns.column(name)
        if _may_be_label(column) and 2 <= (found := n_distinct(column)) <= min(1000, max(n // 5, min(10, n // 2))):
            yield name.lower() not in _USUAL_NAMES, is_number(column.type), found, i, name


def _may_be_label(column: Any) -> bool:
    kinds, compute = arrow(".types"), arrow(".compute")
    if kinds.is_floating(column.type):
        return bool(compute.all(compute.equal(compute.round(column), column)).as_py())
    return is_text(column.type) or kinds.is_integer(column.type) or kinds.is_boolean(column.type)


class Contents(NamedTuple):
    """A file's features with their names, its labels unless they are in another file, and other requested columns."""

    X: Any
    names: Sequence[str]
    labels: LabelColumn | None
    given: dict[str, np.ndarray]
    notes: tuple[str, ...] = ()
    drawn: np.ndarray | None = None
    drawn_from: tuple[int, int] | None = None  # if only a sample was read: number of all rows, and of unlabelled rows
    n_rows: int | None = None  # of the file, if its features were subsampled and the labels are elsewhere


@dataclass(frozen=True)
class Asked:
    """Requested columns, and the number of rows to read from a large file."""

    label: str | None
    beside: Mapping[str, str]  # other columns, such as groups and ids, by purpose
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    embedding: str | None = None
    labels_elsewhere: bool = False
    most_rows: int | None = None
    seed: int = 0

    @property
    def roles(self) -> list[str]:
        """Columns that are not features."""
        label = [] if self.labels_elsewhere or self.label is None else [self.label]
        return list(dict.fromkeys([*label, *self.beside.values()]))

    @property
    def named(self) -> list[str]:
        """Columns that must exist."""
        return list(dict.fromkeys([*self.roles, *([] if self.embedding is None else [self.embedding])]))

    def refuse_conflicts(self) -> None:
        """Raise if the label column has a second purpose, which would make every floor or error zero."""
        if self.label is None or self.labels_elsewhere:
            return
        for flag, name in {"embedding": self.embedding, **self.beside}.items():
            if name == self.label and flag not in ("id", "image"):
                raise DataError(f"column {quote(name)} is given as -y and as --{flag}. Pass two different columns.")

    def choose(self, names: Sequence[str], apart: Sequence[str] = ()) -> list[str]:
        """Choose the feature columns: the requested ones, without those set apart."""
        taken = _matching("--features", self.features, names) if self.features else set(names)
        left = taken - self.dropped(names) - set(apart)
        if not left:
            raise DataError(
                f"no columns are left as features. Check --features and --drop. Columns: {join_words(names) or 'none'}."
            )
        return [name for name in names if name in left]

    def dropped(self, names: Sequence[str]) -> set[str]:
        """Return the columns to leave out."""
        return _matching("--drop", self.drop, names)


def _matching(flag: str, globs: Sequence[str], names: Sequence[str]) -> set[str]:
    matches = {glob: {name for name in names if name == glob or fnmatchcase(name, glob)} for glob in globs}
    for glob, found in matches.items():
        if not found:
            hint = did_you_mean(glob, names, 3)
            raise DataError(f"no column matches {flag} {quote(glob)}.{hint} Columns: {join_words(names, 8)}.")
    return set().union(*matches.values())
