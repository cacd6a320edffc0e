"""Rows and their labels, given as paths or arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._row_groups import (
    are_labels_cheap,
    bytes_for_sample,
    choose_groups,
    compare_groups,
    draw_rows,
    tell_misleading,
    tell_read,
)
from bayesfloor.leaving.engine_parquet_rows import (
    ParquetRows,
    column_names,
    groups_at_address,
    read_parquet_column,
)
from bayesfloor.leaving.engine_row_handles import ArrayRows, Rows, open_rows
from bayesfloor.leaving.engine_runners import Runner, follow
from bayesfloor.support._errors import InputError
from bayesfloor.support._files import Address, AddressError, bytes_read, find_place, told
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, join_labels, printable, quoted

_CHUNK = 1 << 26  # bytes of rows that one task reads
_REOPENED = 2 << 16  # bytes of metadata that one task reads: pyarrow asks for 64 kB, once for labels and once for rows


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows and their labels: an array, or the name of a column in the rows' files."""

    rows: Rows
    labels: NDArray[Any] | str

    @property
    def column(self) -> str | None:
        """The name of the label column, if the labels are in the rows' files; otherwise None."""
        return self.labels if isinstance(self.labels, str) else None

    def read_labels(self) -> NDArray[Any]:
        """Return the labels of all rows."""
        if isinstance(self.labels, str):
            return _whole(read_parquet_column(self.rows, self.labels), self.labels, 0)
        return self.labels


class Drawn(NamedTuple):
    """A random subsample: row numbers, features and labels."""

    row: Ints
    x: Floats
    y: NDArray[Any]
    n_rows: int  # in all the data
    n_bytes: int  # read by the tasks
    note: str = ""  # says how much was read from an address


def open_labelled(X: Any, y: Any) -> Labelled:
    """Open rows and labels; labels can be the name of a Parquet column, a ``.npy`` file or an array."""
    if y is None:
        raise InputError("Got no labels: y is None, but expected an array, a .npy file or the name of a column.")
    if isinstance(y, str) and not y.endswith(".npy"):
        return Labelled(_open_beside(X, y), y)
    rows = open_rows(X)
    labels = _load(y) if isinstance(y, (str, Path)) else _as_array(y)
    if labels.shape != (rows.shape[0],):
        raise InputError(
            f"Got labels of shape {labels.shape}, but expected one label for each of the {rows.shape[0]} rows."
        )
    return Labelled(rows, labels)


def _open_beside(X: Any, label: str) -> Rows:
    """Open rows without the label column: used as a feature, it would make every floor zero."""
    place = find_place(X) if isinstance(X, (str, Path, Address)) else None
    if place is not None and place.suffix.lower() != ".npy":
        names = column_names(place)
        if label not in names:
            raise InputError(
                f"There is no column {quoted(label)} in {printable(place)}. Its columns are {join_labels(names)}."
            )
        return open_rows(place, _without(names, label))
    rows = open_rows(X)
    if not isinstance(rows, ParquetRows) or label not in rows.columns:
        return rows
    return replace(rows, columns=tuple(_without(rows.columns, label)), n_features=rows.n_features - 1)


def _without(names: Sequence[str], label: str) -> list[str]:
    left = [name for name in names if name != label]
    if not left:
        raise InputError(f"The only column is {quoted(label)}, the label, but expected at least one feature as well.")
    return left


def _as_array(y: Any) -> NDArray[Any]:
    """Return labels unchanged: from a list, NumPy would turn 1 and '1' into the same string."""
    return np.asarray(y, dtype=object if isinstance(y, (list, tuple)) else None)


def _load(path: str | Path) -> NDArray[Any]:
    place = find_place(path)
    try:
        with place.open("rb") as file:
            return np.load(file, allow_pickle=False)
    except AddressError:
        raise
    except ValueError as error:
        raise InputError(
            f"{printable(place)} cannot be read as labels: {told(error)}. Save them as an array of numbers or text."
        ) from error


def draw_labelled(data: Labelled, n_drawn: int, seed: int, runner: Runner, progress: Progress | None) -> Drawn:
    """Subsample ``n_drawn`` rows at random, in input order; each chunk contributes rows in proportion to its size."""
    n, d = data.rows.shape
    step = max(1, _CHUNK // (8 * d))
    cuts = [*range(0, n, step), n]
    share = [n_drawn * stop // n for stop in cuts]
    tasks = [
        (data.rows.part(start, stop), data.column, start, after - before, seed)
        for start, stop, before, after in zip(cuts[:-1], cuts[1:], share[:-1], share[1:], strict=True)
    ]
    return _join(data, _run(draw_chunk, tasks, data, runner, progress))


def draw_few_bytes(
    data: Labelled, n_drawn: int, most_rows: int | None, seed: int, runner: Runner, progress: Progress | None
) -> Drawn:
    """Subsample Parquet files at an address from a few row groups, and other rows with ``draw_labelled``."""
    start, found = bytes_read(), groups_at_address(data.rows)
    if found is None or n_drawn >= data.rows.shape[0]:
        return draw_labelled(data, n_drawn, seed, runner, progress)
    groups, size, columns = found
    rng, budget = np.random.default_rng(seed), bytes_for_sample(size, most_rows, data.rows.shape[0])
    sizes = groups.bytes_of([*columns, data.column or ""]) + _REOPENED
    if data.column is not None and not are_labels_cheap(groups, data.column, budget):
        chosen = choose_groups(sizes, budget, None, rng)
        within = groups.rows_in(chosen)
        rows = within[_choose(len(within), n_drawn, seed)]
    else:
        codes = np.unique(data.read_labels(), return_inverse=True)[1]
        left = budget - (bytes_read() - start)
        chosen, rows = draw_rows(groups, sizes, left, codes, n_drawn, rng)
    first = (groups.ends - groups.n_rows)[chosen]
    inside = np.searchsorted(rows, [first, first + groups.n_rows[chosen]]).T
    tasks = [
        (data.rows.part(begin, begin + int(groups.n_rows[group])), data.column, begin, rows[low:high] - begin)
        for group, begin, (low, high) in zip(chosen.tolist(), first.tolist(), inside.tolist(), strict=True)
    ]
    drawn = _join(data, _run(take_chunk, tasks, data, runner, progress))
    elsewhere = 0 if runner.shares_memory else drawn.n_bytes  # by other processes
    names = columns if len(columns) == drawn.x.shape[1] else [f"x{number}" for number in range(drawn.x.shape[1])]
    codes = np.unique(drawn.y, return_inverse=True)[1]
    alike = compare_groups(zip(names, drawn.x.T, strict=True), codes, groups.group_of(drawn.row))
    if alike.is_misleading:
        drawn = draw_labelled(data, n_drawn, seed, runner, progress)
        elsewhere += 0 if runner.shares_memory else drawn.n_bytes
        return drawn._replace(note=tell_misleading(alike, bytes_read() - start + elsewhere, size))
    note = tell_read(bytes_read() - start + elsewhere, size, len(chosen), len(groups.n_rows))
    return drawn._replace(note=note)


def _run(function: Any, tasks: Sequence[Any], data: Labelled, runner: Runner, progress: Progress | None) -> list[Any]:
    """Return the tasks' results in the order of the tasks."""
    if isinstance(data.rows, ArrayRows) and not runner.shares_memory:
        results = ((number, function(*task)) for number, task in enumerate(tasks))  # only this process has the rows
    else:
        results = runner.run(function, tasks, "chunk of rows")
    found = dict(follow(results, progress, "sampling rows", len(tasks)))
    return [found[number] for number in range(len(tasks))]


def _join(data: Labelled, parts: Sequence[Any]) -> Drawn:
    row, x = (np.concatenate([part[field] for part in parts]) for field in range(2))
    y = np.asarray(data.labels)[row] if data.column is None else np.concatenate([part[2] for part in parts])
    return Drawn(row, x, y, data.rows.shape[0], sum(part[3] for part in parts))


def draw_chunk(
    rows: Rows, column: str | None, first_row: int, n_drawn: int, seed: int
) -> tuple[Ints, Floats, NDArray[Any] | None, int]:
    """Subsample a chunk's rows, with their labels if these are in a column of the same files; count the bytes read."""
    return take_chunk(rows, column, first_row, _choose(rows.shape[0], n_drawn, [seed, first_row]))


def take_chunk(
    rows: Rows, column: str | None, first_row: int, chosen: Ints
) -> tuple[Ints, Floats, NDArray[Any] | None, int]:
    """Read these rows of a chunk and their labels, and count the bytes read."""
    start = bytes_read()
    labels = None if column is None else _whole(read_parquet_column(rows, column), column, first_row)[chosen]
    return first_row + chosen, rows.take(chosen), labels, bytes_read() - start


def _whole(labels: NDArray[Any], column: str, first_row: int) -> NDArray[Any]:
    """Return the labels; raise if any is missing, even in rows that are not sampled."""
    missing = np.flatnonzero(_is_missing(labels))
    if len(missing):
        raise InputError(
            f"Got {how_many(len(missing), 'missing label')} in column {quoted(column)}, the first in row "
            f"{first_row + missing[0]} (counted from 0), but expected a label for every row. "
            "Drop these rows, or give them a label of their own."
        )
    return labels


def _is_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    if labels.dtype.kind == "O":
        return np.array([label is None for label in labels], dtype=bool)
    return np.asarray(labels != labels)  # noqa: PLR0124 - NaN and NaT differ from themselves


def _choose(n: int, n_drawn: int, seed: Any) -> Ints:
    return np.sort(np.random.default_rng(seed).permutation(n)[:n_drawn])
