"""First steps for rows that do not fit in memory: read all rows once, cut space into cells, sort rows into them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.forest._vertices import largest_exponent
from bayesfloor.leaving.engine_checkpoint import Store
from bayesfloor.leaving.engine_row_handles import Rows
from bayesfloor.leaving.forest_out_of_core_cells import Cells, cut_cells
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints

_SAMPLE = 1 << 16  # number of rows used to decide where to cut
_LEAST_SAMPLE = 64  # fewest rows to sample from each chunk


@dataclass(frozen=True)
class Plan:
    """Settings that every task needs; everything else is in the store."""

    store: Store
    n_trees: int
    n_chunks: int
    n_cells: int
    exponent: int

    def cells(self) -> Cells:
        """Read the cells from the store."""
        read = self.store.read("cells")
        return Cells(*(np.array(read[name]) for name in Cells._fields))


def look_once(rows: Rows, first_row: int, n_sampled: int) -> tuple[Floats, float]:
    """Return a random sample of a chunk's rows, and the chunk's largest absolute value."""
    values = read_block(rows, first_row)
    rng = np.random.default_rng(first_row)
    return values[rng.permutation(len(values))[:n_sampled]], float(np.abs(values).max())


def read_block(rows: Rows, first_row: int) -> Floats:
    """Read rows, or raise an error that says which are not finite."""
    values = rows.read() + 0.0
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise InputError(
            f"Got NaN or infinity in {len(bad)} row(s), the first is row {first_row + bad[0]} (counted from 0), "
            "but expected finite numbers. Drop these rows or impute the values first."
        )
    return values


def sample_size(n_chunks: int) -> int:
    """Return the number of rows to sample from each chunk."""
    return max(_LEAST_SAMPLE, _SAMPLE // n_chunks)


def make_cells(store: Store, looks: list[tuple[Floats, float]], n_cells: int) -> int:
    """Cut space, write the cells to the store, and return the exponent of the largest value of all."""
    sample = np.concatenate([rows for rows, _ in looks])
    exponent = largest_exponent(max(largest for _, largest in looks))
    cells = cut_cells(sample, n_cells)
    store.write("cells", {**cells._asdict(), "exponent": np.array([exponent])})
    return exponent


def sort_rows(plan: Plan, rows: Rows, number: int, first_row: int) -> Ints:
    """Sort a chunk's rows by cell, and return how many rows each cell has."""
    values, cells = read_block(rows, first_row), plan.cells()
    cell = cells.find(values)
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell, minlength=len(cells))
    cuts = np.cumsum(count)[:-1]  # each cell has its own arrays and checksums, because a task reads one cell only
    x = {f"x-{i}": part for i, part in enumerate(np.split(values[order], cuts))}
    row = {f"row-{i}": part for i, part in enumerate(np.split(first_row + order, cuts))}
    plan.store.write(f"rows-{number}", x | row)
    return count


def rows_of_cell(plan: Plan, cell: int) -> tuple[Floats, Ints]:
    """Return all rows of a cell and their positions in the input."""
    x, row = [], []
    for number in range(plan.n_chunks):
        chunk = plan.store.read(f"rows-{number}", (f"x-{cell}", f"row-{cell}"))
        x.append(chunk[f"x-{cell}"])
        row.append(chunk[f"row-{cell}"])
    return np.concatenate(x), np.concatenate(row)
