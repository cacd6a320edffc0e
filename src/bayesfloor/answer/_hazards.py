"""What makes an answer too good: rows that belong together, and columns that give the label away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import Basis, Reason
from bayesfloor.answer._group_columns import find_group_column, whole_groups
from bayesfloor.answer._labelled_table import LabelledTable, TwoErrors, label_table, two_errors
from bayesfloor.answer._leaks import DoubtfulColumns, Leak, find_doubtful, find_leaks
from bayesfloor.answer._row_order import find_row_order
from bayesfloor.floor._fit import Fit, near_duplicate_clusters
from bayesfloor.io._data import Data
from bayesfloor.support._results import Result
from bayesfloor.support._types import Ints
from bayesfloor.support._words import percent, quoted

GROUPS, TIME, NEAR_DUPLICATES = "groups", "time", "near-duplicates"
UNITS = {GROUPS: "groups", TIME: "blocks of consecutive rows", NEAR_DUPLICATES: "clusters of near-duplicates"}
_FEWEST = 5  # clusters per class: with fewer, holding out clusters would hold out classes
_ALONE = -1  # group of rows without a label, which are not used


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(Result):
    """Rows that depend on each other, and a random forest's error if they are split at random or kept in the same fold.

    Attributes
    ----------
    kind : "groups" if a column marks rows that belong together, "time" if nearby rows are alike, or "near-duplicates".
    column : the column with the groups or the times; empty if there is none.
    n_units : number of groups, blocks of rows, or clusters of near-duplicates.
    similarity : evidence between 0 and 1. Groups: fraction of rows whose nearest row belongs to the same group. Time:
        correlation with the next row. Near-duplicates: fraction of rows that have one.
    pure : for groups, the fraction of rows with the most frequent label of their group; otherwise 0.
    error_at_random : cross-validated error if folds are made of random rows.
    error_together : cross-validated error if dependent rows are in the same fold.
    rise_std_error : standard error of the difference.
    applied : whether dependent rows are in the same fold in the answer.
    groups : number of each row's group, block or cluster, -1 for rows without a label; empty if read from JSON.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(60), 10)
    >>> usual, sick = rng.normal(size=(60, 4)), np.arange(60) % 2
    >>> table = pd.DataFrame(usual[patient] + 0.1 * rng.normal(size=(600, 4)), columns=list("abcd"))
    >>> found = bayesfloor.check(table.assign(patient_id=patient), sick[patient], effort="quick")
    >>> found.dependence.kind, found.dependence.column
    ('groups', 'patient_id')
    """

    kind: str
    column: str
    n_units: int
    similarity: float
    pure: float
    error_at_random: float
    error_together: float
    rise_std_error: float
    applied: bool = True
    groups: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    def _summary(self) -> str:
        by = f" by {quoted(self.column)}" if self.column else ""
        errors = f"error {percent(self.error_together)} % if kept together, {percent(self.error_at_random)} % if not"
        return f"{self.n_units:,} {UNITS[self.kind]}{by}: {errors}"


class Hazards(NamedTuple):
    """What was found in the rows as read; each part was tested by its consequence."""

    dependence: Dependence | None = None
    leaks: tuple[Leak, ...] = ()
    doubtful: tuple[DoubtfulColumns, ...] = ()
    examined: bool = False  # whether the rows have an order and labels that could be examined

    @property
    def cautions(self) -> tuple[Reason, ...]:
        """Why the answer may be too good."""
        found = [Reason(Basis.LEAK, names=leak.columns) for leak in self.leaks]
        if self.dependence is not None and not self.dependence.applied:
            found.append(Reason(Basis.TOGETHER))
        return tuple(found)

    @property
    def group_columns(self) -> list[str]:
        """The column that marks groups, if one was found."""
        found = self.dependence
        return [] if found is None or found.kind != GROUPS else [found.column]


def find_hazards(data: Data, roles: Mapping[str, Any] | None, y_kind: str, seed: int) -> Hazards:
    """Look for all hazards that need no trees; with groups from the user, none of other rows that belong together."""
    table = label_table(data, roles, y_kind)
    if table is None:
        return Hazards()
    dependence = None if data.groups is not None else find_dependence(table, len(data.y), seed)
    found = Hazards(dependence, examined=True)
    leaks = find_leaks(table, seed, found.group_columns)
    return found._replace(leaks=leaks, doubtful=find_doubtful(table, data.label))


def find_dependence(table: LabelledTable, n_rows: int, seed: int) -> Dependence | None:
    """Return the dependence that a column or the order of rows reveals; None if labelled rows seem independent."""
    column = find_group_column(table, seed)
    if column is not None:
        groups = _of_all_rows(column.group, table.row, n_rows)
        return _make(GROUPS, column.name, groups, column.neighbours, column.errors, column.pure)
    order = find_row_order(table, seed)
    if order is not None:
        return _make(TIME, order.name, _of_all_rows(order.block, table.row, n_rows), order.alike, order.errors)
    return None


def find_close_rows(fit: Fit, seed: int) -> Dependence | None:
    """Return the dependence from near-duplicates that no column marks, such as augmented images or frames of a video.

    None if holding them out together does not raise the error, or if the fit used a subsample.
    """
    sample, codes = fit.sample, fit.labels.codes
    if not fit.labels.hard or len(np.unique(sample.row)) + sample.n_unlabelled < sample.n_input:
        return None
    cluster = near_duplicate_clusters(fit.forest)
    if cluster is None or np.bincount(np.unique(np.column_stack([codes, cluster]), axis=0)[:, 0]).min() < _FEWEST:
        return None
    units = whole_groups(cluster, np.random.default_rng([seed, 25]))
    errors = two_errors(fit.points[units], fit.points[units], codes[units], cluster[units], seed)
    if not errors.differ:
        return None
    fraction = float((np.bincount(cluster)[cluster] > 1).mean())
    return _make(NEAR_DUPLICATES, "", _of_all_rows(cluster, sample.row, sample.n_input), fraction, errors)


def _of_all_rows(group: Ints, row: Ints, n_rows: int) -> Ints:
    groups = np.full(n_rows, _ALONE, dtype=np.int64)
    groups[row] = group
    return groups


def _make(kind: str, column: str, groups: Ints, similarity: float, errors: TwoErrors, pure: float = 0.0) -> Dependence:
    return Dependence(
        kind=kind,
        column=column,
        n_units=len(np.unique(groups[groups != _ALONE])),
        similarity=similarity,
        pure=pure,
        error_at_random=errors.at_random,
        error_together=errors.together,
        rise_std_error=errors.std_error,
        groups=groups,
    )
