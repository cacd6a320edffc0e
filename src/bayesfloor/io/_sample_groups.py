"""Subsample a large Parquet table at an address: read few bytes, find all classes, and note what was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._file_systems import bytes_read
from bayesfloor.engine._row_groups import (
    Alike,
    RowGroups,
    are_labels_cheap,
    bytes_for_sample,
    choose_groups,
    compare_groups,
    draw_rows,
    tell_read,
)
from bayesfloor.engine._types import Ints
from bayesfloor.io._arrow_types import arrow, is_list, is_number
from bayesfloor.io._find_label import LabelColumn, labels_of
from bayesfloor.io._open_table import Table
from bayesfloor.io._row_columns import read_roles

_MOST = 64  # columns of an array whose order is looked at


class DrawnRows(NamedTuple):
    """Rows sampled from some row groups of a table, with their labels."""

    table: Table
    groups: RowGroups
    chosen: Ints  # the groups
    rows: Ints
    labels: LabelColumn
    n_unlabelled: int  # in all rows; estimated if not all labels were read
    has_all_labels: bool

    def compare(self, X: Any) -> Alike:
        """Measure how much rows of the same group resemble each other."""
        codes = np.unique(self.labels.y, return_inverse=True)[1]
        return compare_groups(_columns(X), codes, self.groups.group_of(self.rows))

    def notes(self, alike: Alike, n_bytes: int) -> Iterator[str]:
        """Yield notes on how much was read, and on whether rows of the same group resemble each other."""
        proportions = "" if self.has_all_labels else ", assuming that these have the class proportions of all rows"
        told = tell_read(n_bytes, self.table.file.size, len(self.chosen), len(self.groups.n_rows))
        yield f"{told}{proportions}"
        if alike.is_noticeable:
            yield f"{alike}, so intervals may be too narrow; set max_rows higher to read more row groups"


def _columns(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield columns as numbers, text as the numbers of its distinct values; leave out row numbers, which are ids."""
    if isinstance(X, np.ndarray):
        for number in np.unique(np.linspace(0, X.shape[1] - 1, _MOST).astype(int)):
            yield f"x{number}", X[:, number].astype(np.float64)
        return
    for name in X.column_names:
        column = X.column(name)
        if is_number(column.type):
            values = column.cast("float64", safe=False).to_numpy()
            if not (arrow(".types").is_integer(column.type) and (np.diff(values) > 0).all()):
                yield name, values
        elif not is_list(column.type):
            distinct = column.unique().drop_null()
            yield name, arrow(".compute").index_in(column, value_set=distinct).cast("float64").to_numpy()


class Wanted(NamedTuple):
    """The label column, other columns to read, how many rows to sample, how many the user asked for, and the seed."""

    label: str
    others: list[str]
    n_drawn: int
    most_rows: int
    seed: int


def draw_from_groups(table: Table, groups: RowGroups, wanted: Wanted, start: int) -> DrawnRows:
    """Choose row groups and rows; the labels of all rows are read first if they take few bytes.

    ``start`` is the value of ``bytes_read`` before the table was opened, so that the files' metadata count too.
    """
    rng, label = np.random.default_rng(wanted.seed), wanted.label
    budget = bytes_for_sample(table.file.size, wanted.most_rows, int(groups.n_rows.sum()))
    if not are_labels_cheap(groups, label, budget):
        return _draw_unseen(table, groups, wanted, budget - (bytes_read() - start), rng)
    coded = read_roles(table, [label], label)[label]
    labels = labels_of(label, coded)  # raises if the column cannot be labels
    left = budget - (bytes_read() - start)
    chosen, rows = draw_rows(groups, groups.bytes_of(wanted.others), left, coded.codes, wanted.n_drawn, rng)
    missing = int(np.count_nonzero(coded.codes < 0))
    return DrawnRows(table, groups, chosen, rows, labels._replace(y=labels.y[rows]), missing, has_all_labels=True)


def _draw_unseen(table: Table, groups: RowGroups, wanted: Wanted, budget: float, rng: Any) -> DrawnRows:
    """Choose row groups without knowing the labels, then read the labels of these groups only."""
    label = wanted.label
    chosen = choose_groups(groups.bytes_of([*wanted.others, label]), budget, None, rng)
    within = groups.rows_in(chosen)
    coded = read_roles(table, [label], label, within)[label]
    labelled = np.flatnonzero(coded.codes >= 0)
    places = np.sort(rng.permutation(labelled)[: wanted.n_drawn])
    labels = labels_of(label, coded._replace(codes=coded.codes[places]))
    missing = round((1 - len(labelled) / len(within)) * groups.n_rows.sum())
    return DrawnRows(table, groups, chosen, within[places], labels, missing, has_all_labels=False)
