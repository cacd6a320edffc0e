"""Read embeddings: turn a column of lists into an array."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bayesfloor.engine._show import how_many
from bayesfloor.io._arrow_types import arrow, is_list, is_text, stack_lists
from bayesfloor.io._messages import DataError, quote, short
from bayesfloor.io._open_table import Table


def read_embedding(table: Table, name: str, rows: np.ndarray | None = None) -> np.ndarray:
    """Read the lists in a column (text in a CSV), for all rows or only for the given ones."""
    column = table.read_texts([name], rows).column(name)
    if is_text(column.type):
        column = _parse_lists(column, name)
    if not is_list(column.type):
        raise DataError(f"column {quote(name)} has {short(column.type)} values, but expected lists for --embedding.")
    return stack(column, name)


def _parse_lists(column: Any, name: str) -> Any:
    pa = arrow()
    rows = [_parse_list(text, name, i) for i, text in enumerate(column.to_pylist())]
    return pa.chunked_array([pa.array(rows, pa.list_(pa.float64()))])


def _parse_list(text: str | None, name: str, row: int) -> np.ndarray:
    try:
        values = np.array(json.loads(text or ""))
    except (ValueError, RecursionError):
        values = np.array(None)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise DataError(
            f"column {quote(name)} has {quote(text or '')} in row {row + 1:,}, but expected a list of numbers such "
            "as [0.1, 0.2]. Fix or drop this row."
        )
    return values.astype(np.float64)


def stack(column: Any, name: str) -> np.ndarray:
    """Stack lists of equal length as rows of an array, without a copy if they are contiguous."""
    _refuse_lengths(column, name)
    if arrow(".types").is_decimal(column.type.value_type):
        column = column.cast(arrow().list_(arrow().float64()))
    return finite_floats(np.asarray(stack_lists(column)), f"column {quote(name)}")


def _refuse_lengths(column: Any, name: str) -> None:
    lengths = arrow(".compute").list_value_length(column).fill_null(-1).to_numpy()
    if lengths.max() < 1:
        raise DataError(f"column {quote(name)} has only empty lists, but expected lists of numbers.")
    values, times = np.unique(lengths[lengths > 0], return_counts=True)
    usual = values[times.argmax()]
    wrong = lengths != usual
    if wrong.any():
        row = int(wrong.argmax())
        came = "no list" if lengths[row] < 0 else f"a list of {lengths[row]:,}"
        raise DataError(
            f"column {quote(name)} has {came} in row {row + 1:,}, but expected {usual:,} numbers as in other rows. "
            f"Fix or drop {'this row' if wrong.sum() == 1 else f'all {wrong.sum():,} such rows'}."
        )


def finite_floats(X: np.ndarray, what: str, *, allow_gaps: bool = False) -> np.ndarray:
    """Return rows as floats; raise if any is infinite, or missing unless gaps are allowed."""
    X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    with np.errstate(all="ignore"):
        if np.isfinite(X.sum()):  # a quick test that needs no array of flags
            return X
    wrong = (np.isinf(X) if allow_gaps else ~np.isfinite(X)).any(axis=1)
    if wrong.any():
        kinds = "infinite" if allow_gaps else "missing or infinite"
        raise DataError(
            f"{what} has {kinds} numbers in {how_many(int(wrong.sum()), 'row')}, the first in row "
            f"{int(wrong.argmax()) + 1:,}. Fill them or drop these rows."
        )
    return X
