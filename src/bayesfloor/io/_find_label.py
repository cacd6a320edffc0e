"""Labels: which column holds them, and what cannot be one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._arrow_types import arrow, is_number, is_text, n_distinct
from bayesfloor.io._labels_and_weights import looks_like_regression
from bayesfloor.io._messages import DataError, join_words, quote, short, unknown
from bayesfloor.io._open_table import Table, refuse_headless
from bayesfloor.io._row_columns import Coded

_USUAL_NAMES = ("label", "target", "class", "y", "species", "labels", "category", "outcome", "diagnosis")


class LabelColumn(NamedTuple):
    """The name of a column or array, and the label of each row; of rows that stay in files the name once more."""

    name: str
    y: Any


def labels_of(name: str, coded: Coded) -> LabelColumn:
    """Labels, once they have been found to be some."""
    values, n = coded.values, int(np.count_nonzero(coded.codes >= 0))
    if n < len(coded.codes):
        values = as_whole(values)
    if not n:
        raise DataError(f"column {quote(name)} is empty. Name another column with -y.")
    _refuse_infinite(name, values)
    _refuse_quantity(name, values, n)
    _refuse_classes(name, values, n)
    if values.dtype == object or _is_broken(values):  # a class called 0.5, as a CSV would have it
        values = values.astype(str)
        _refuse_twins(name, values)
    return LabelColumn(name, coded._replace(values=values).rows)


def as_whole(values: np.ndarray) -> np.ndarray:
    """Whole numbers as such: a matrix, or a gap among them, leaves no other way to hold them than as floats."""
    if values.dtype.kind != "f" or _is_broken(values) or (abs(values) >= 2**53).any():
        return values
    return values.astype(np.int64)


def _is_broken(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and bool((values != np.round(values)).any())


def _refuse_infinite(name: str, values: np.ndarray) -> None:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise DataError(f"column {quote(name)} has infinite labels. Drop these rows, or fill them.")


def _refuse_quantity(name: str, values: np.ndarray, n: int) -> None:
    try:
        numbers = values.astype(np.float64)
    except ValueError:
        return
    if looks_like_regression(np.sort(numbers), n):
        raise DataError(
            f"column {quote(name)} has {len(values):,} different numbers in {n:,} rows: looks like regression, not "
            "classes. Name another column with -y, or cut it into classes first."
        )


def _refuse_classes(name: str, values: np.ndarray, n: int) -> None:
    if len(values) == 1:
        raise DataError(
            f"column {quote(name)} holds one value only, {quote(values[0])}, but expected at least 2 classes. "
            "Name another column with -y."
        )
    if len(values) == n:
        raise DataError(
            f"column {quote(name)} has as many values as rows, {n:,}, and looks like an id, not a class. "
            "Name another column with -y."
        )


def _refuse_twins(name: str, values: np.ndarray) -> None:
    if len(np.unique(values)) < len(values):
        raise DataError(f"column {quote(name)} has labels that differ in trailing zero bytes only. Rename them.")


def find_label(table: Table, label: str | None) -> str:
    """The column of labels, if there is one of this name."""
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
        f"which column is the label? Use -y. No column has few values; there are {join_words(table.names)}."
    )


def _candidates(columns: Any) -> Iterator[tuple[bool, bool, int, int, str]]:
    """Columns that may be labels, likely ones first once sorted."""
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
