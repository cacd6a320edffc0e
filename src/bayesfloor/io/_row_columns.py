"""Read columns that describe rows, such as labels, ids and groups: one string or number per row."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._show import how_many
from bayesfloor.io._arrow_types import arrow, is_number, is_text, missing_rows
from bayesfloor.io._messages import DataError, quote, short
from bayesfloor.io._open_table import Table


class Coded(NamedTuple):
    """Distinct values, and the index of each row's value; -1 if the row has none."""

    values: np.ndarray
    codes: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The value of each row, or None if the row has none."""
        found, missing = self.values[self.codes], self.codes < 0
        if missing.any():
            found = found.astype(object)
            found[missing] = None
        return found


def read_roles(table: Table, roles: list[str], label: str | None, rows: np.ndarray | None = None) -> dict[str, Coded]:
    """Read the columns with these names, for all rows or only the given ones; only the label column may have gaps."""
    if not roles:
        return {}
    columns = table.read_texts(roles, rows)
    found = {}
    for name in roles:
        if name != label:
            refuse_gaps(name, missing_rows(columns.column(name)).to_numpy())
        found[name] = _read_role(columns.column(name), name, is_csv=table.is_csv)
    return found


def _read_role(column: Any, name: str, *, is_csv: bool) -> Coded:
    kinds = arrow(".types")
    if kinds.is_temporal(column.type):
        column = column.cast(arrow().string())
    if not (is_text(column.type) or is_number(column.type) or kinds.is_boolean(column.type)):
        raise DataError(f"column {quote(name)} has {short(column.type)} values, but expected text or numbers.")
    return encode(column, is_csv=is_csv)


def refuse_gaps(name: str, missing: np.ndarray) -> None:
    """Raise if any row has no value."""
    if missing.any():
        raise DataError(
            f"column {quote(name)} has {how_many(int(missing.sum()), 'missing value')}, the first in row "
            f"{int(missing.argmax()) + 1:,}. Drop these rows, or fill them with a value of their own."
        )


def encode(column: Any, *, is_csv: bool) -> Coded:
    """Encode a pyarrow column by its distinct values."""
    compute = arrow(".compute")
    distinct = compute.unique(column).drop_null()
    if arrow(".types").is_floating(distinct.type):
        distinct = distinct.filter(compute.invert(compute.is_nan(distinct)))
    codes = compute.index_in(column, value_set=distinct).fill_null(-1).to_numpy()
    return Coded(_values(distinct, is_csv=is_csv), codes)


def _values(distinct: Any, *, is_csv: bool) -> np.ndarray:
    """Return values as an array; whole numbers in a CSV become integers if no two strings would become equal."""
    if not is_text(distinct.type):
        return distinct.to_numpy(zero_copy_only=False)
    texts = distinct.to_pylist()
    if is_csv and all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in texts):
        return np.array([int(text) for text in texts])
    return np.array(texts, dtype=object)  # as NumPy strings, long values such as paths would take far more memory
