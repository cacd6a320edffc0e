"""Features of a table: columns of numbers and texts, or one of lists, and what cannot be one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bayesfloor.cli.reading._asked import Asked
from bayesfloor.cli.reading._embeddings import read_embedding, stack
from bayesfloor.io._arrow import arrow, is_list, is_missing, is_text, is_usable, n_distinct
from bayesfloor.io._csv import NUMBER
from bayesfloor.io._messages import DataError, columns_named, flags, join, quote, short
from bayesfloor.io._tables import Table

_MOST_CATEGORIES = 1000
_COUNTERS = ("", "unnamed: 0", "__index_level_0__", "index", "id", "row", "rownames", "rowname", "row_id")


def read_features(table: Table, asked: Asked) -> tuple[Any, Sequence[str]]:
    """The features that are asked for, and their names."""
    if asked.embedding is not None:
        return _read_named(table, asked, asked.embedding)
    columns = table.read(asked.choose(table.names, asked.roles))
    lists = _those(columns, lambda column: is_list(column.type))
    if lists:
        _refuse_rivals(columns, lists)
        return _numbered(stack(columns.column(lists[0]), lists[0]), lists[0])
    _refuse_columns(columns, is_csv=table.is_csv, chosen=bool(asked.features))
    return columns, columns.column_names


def _read_named(table: Table, asked: Asked, name: str) -> tuple[np.ndarray, list[str]]:
    if asked.features:
        raise DataError("--features and --embedding are both given, but expected one of them. Leave one out.")
    asked.dropped(table.names)  # a mistyped name is told, though nothing is left to drop
    return _numbered(read_embedding(table, name), name)


def _numbered(X: np.ndarray, name: str) -> tuple[np.ndarray, list[str]]:
    return X, [f"{name}[{i}]" for i in range(X.shape[1])]


def _those(columns: Any, wanted: Callable[[Any], bool]) -> list[str]:
    return [name for name in columns.column_names if wanted(columns.column(name))]


def _refuse_rivals(columns: Any, lists: list[str]) -> None:
    """Refuse lists if anything else could be meant."""
    others = _those(columns, lambda column: is_usable(column.type) and not _is_id(column))
    if len(lists) > 1 or others:
        beside = f" beside {join(others)}" if others else ""
        raise DataError(
            f"{columns_named(lists)} with lists of numbers{beside}: pass {flags('--embedding', lists[:1])} to use the "
            f"lists, or {flags('--drop', lists)} to use the rest"
        )


def _refuse_columns(columns: Any, *, is_csv: bool, chosen: bool) -> None:
    _refuse_dates(columns)
    _refuse_types(columns)
    _refuse_missing(columns)
    if not chosen:
        _refuse_counters(columns)
    if is_csv:
        _refuse_number_texts(columns)
    _refuse_texts(columns)
    _refuse_infinite(columns)


def _refuse_dates(columns: Any) -> None:
    dates = _those(columns, lambda column: arrow(".types").is_temporal(column.type))
    if dates:
        raise DataError(
            f"{columns_named(dates)} with dates or times: turn them into numbers first, or pass "
            f"{flags('--drop', dates)}"
        )


def _refuse_types(columns: Any) -> None:
    wrong = _those(columns, lambda column: not is_usable(column.type))
    if wrong:
        raise DataError(
            f"{columns_named(wrong)} with {short(columns.column(wrong[0]).type)}, but expected numbers or texts: "
            f"encode or embed first, or pass {flags('--drop', wrong)}"
        )


def _refuse_missing(columns: Any) -> None:
    gaps = _those(columns, lambda column: arrow(".compute").any(is_missing(column)).as_py())
    if gaps:
        first = is_missing(columns.column(gaps[0])).to_numpy()
        raise DataError(
            f"missing values in {columns_named(gaps)} ({int(first.sum()):,} in {quote(gaps[0])}, the first in row "
            f"{int(first.argmax()) + 1:,}). Fill them first, or pass {flags('--drop', gaps)}"
        )


def _refuse_infinite(columns: Any) -> None:
    compute, kinds = arrow(".compute"), arrow(".types")
    wrong = _those(columns, lambda c: kinds.is_floating(c.type) and compute.any(compute.is_inf(c)).as_py())
    if wrong:
        row = int(compute.is_inf(columns.column(wrong[0])).to_numpy().argmax()) + 1
        raise DataError(
            f"infinite values in {columns_named(wrong)}, the first in row {row:,}. Replace them first, or pass "
            f"{flags('--drop', wrong)}"
        )


def _refuse_counters(columns: Any) -> None:
    """Refuse numbers of rows, which tell the class where rows are sorted by it."""
    found = [name for name in columns.column_names if name.lower() in _COUNTERS and _counts(columns.column(name))]
    if found:
        raise DataError(
            f"{columns_named(found)} only counts the rows and is no feature: pass {flags('--drop', found)}, "
            f"or {flags('--id', found)}"
        )


def _counts(column: Any) -> bool:
    if not arrow(".types").is_integer(column.type) or len(column) < 3:
        return False
    return bool((np.diff(column.to_numpy()) == 1).all())


def _refuse_number_texts(columns: Any) -> None:
    """Refuse numbers among texts such as ``?``, or with decimal commas: as categories they would mislead."""
    for name in _those(columns, lambda column: is_text(column.type)):
        column = columns.column(name)
        numbers = arrow(".compute").match_substring_regex(column, NUMBER).to_numpy()
        if numbers.mean() > 0.5:
            row = int(numbers.argmin())
            raise DataError(
                f"column {quote(name)} holds numbers, but also the text {quote(column[row])} in row {row + 1:,}. "
                f"Write numbers as 1.5, leave missing ones empty and fill them, or pass {flags('--drop', [name])}"
            )


def _refuse_texts(columns: Any) -> None:
    found = _those(columns, _is_id)
    if found:
        first = columns.column(found[0])
        lists = f", pass {flags('--embedding', found[:1])}" if str(first[0]).lstrip().startswith("[") else ""
        raise DataError(
            f"{columns_named(found)} with too many different texts to be categories ({n_distinct(first):,} in "
            f"{len(first):,} rows): encode or embed first{lists}, or pass {flags('--drop', found)}"
        )


def _is_id(column: Any) -> bool:
    """Whether texts are too many to be categories, or hardly ever repeat."""
    if not is_text(column.type):
        return False
    found = n_distinct(column)
    return found > _MOST_CATEGORIES or (found > 2 and found * 10 > len(column) * 9)
