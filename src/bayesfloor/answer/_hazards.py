"""What makes an answer too good: rows that belong together, and columns that give the label away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import Basis, Reason
from bayesfloor.answer._dependence import find_group_column, find_row_order, whole_groups
from bayesfloor.answer._drift import Drift, find_drift
from bayesfloor.answer._labelled_table import LabelledTable, TwoErrors, label_table, two_errors
from bayesfloor.answer._leaks import LEAK, DoubtfulColumns, Leak, find_doubtful, find_leaks
from bayesfloor.answer._related_rows import (
    COPIES,
    POSSIBLE,
    SYNTHETIC,
    UNDECIDED,
    How,
    RelatedRows,
    find_related,
    rows_that_are_equal,
)
from bayesfloor.io._data import Data
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Ints
from bayesfloor.support._words import percent, quoted

GROUPS, TIME, DUPLICATES, NEAR_DUPLICATES = "groups", "time", "duplicates", "near-duplicates"
UNITS = {
    GROUPS: "groups",
    TIME: "blocks of consecutive rows",
    DUPLICATES: "sets of equal rows",
    NEAR_DUPLICATES: "clusters of near-duplicates",
}
AS_CASES, AS_COPIES = "cases", "copies"
BETWEEN, LATER = "between", "later"
_FEWEST = 5  # clusters per class: with fewer, holding out clusters would hold out classes
_ALONE = -1  # group of rows without a label, which are not used


@dataclass(frozen=True, eq=False, repr=False)
class Dependence(Result):
    """Rows that depend on each other, and a random forest's error if they are split at random or kept in the same fold.

    Attributes
    ----------
    kind : "groups" if a column marks rows that belong together, "time" if nearby rows are alike, "duplicates" or
        "near-duplicates".
    column : the column with the groups or the times; empty if there is none.
    n_units : number of groups, blocks of rows, or clusters of duplicates.
    similarity : evidence between 0 and 1. Groups: fraction of rows whose nearest row belongs to the same group. Time:
        correlation with the next row. Duplicates: fraction of rows that have one.
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
    related: RelatedRows | None = None  # rows related to others that no column marks
    rows_are: str = ""  # "cases" or "copies" if equal rows are known to be the one or the other
    drift: Drift | None = None
    time: str | None = None  # "between" or "later": the rows that the answer is for, if the user says so

    @property
    def cautions(self) -> tuple[Reason, ...]:
        """Why the answer may be too good."""
        found = [Reason(Basis.LEAK, names=leak.columns) for leak in self.leaks if leak.kind == LEAK]
        if self.dependence is not None and not self.dependence.applied:
            found.append(Reason(Basis.TOGETHER))
        if self.drift is not None and self.drift.column and self.time is None:  # the order of a file may mean nothing
            of = self.drift
            found.append(Reason(Basis.DRIFT, (of.error_between, of.error_later, of.low, of.high), (of.column,)))
        if self.related is not None and self.related.kind in _DOUBTED:
            found.append(Reason(_DOUBTED[self.related.kind], (self.related.fraction,)))
        return tuple(found)

    def held(self, *, together: bool) -> Hazards:
        """Say whether rows that belong together are kept together."""
        found = None if self.dependence is None else replace(self.dependence, applied=together)
        return self._replace(dependence=found)

    @property
    def undecided(self) -> bool:
        """Whether the data cannot tell if equal rows are separate cases or copies."""
        return self.related is not None and self.related.kind == UNDECIDED

    @property
    def synthetic(self) -> bool:
        """Whether rows were made from others, so that none of them is new to a learner."""
        return self.related is not None and self.related.kind == SYNTHETIC

    @property
    def group_columns(self) -> list[str]:
        """The column that marks groups, if one was found."""
        found = self.dependence
        return [] if found is None or found.kind != GROUPS else [found.column]


_DOUBTED = {UNDECIDED: Basis.UNDECIDED, SYNTHETIC: Basis.SYNTHETIC, POSSIBLE: Basis.POSSIBLY_RELATED}


def find_hazards(
    data: Data,
    roles: Mapping[str, Any] | None,
    y_kind: str,
    seed: int,
    duplicates: str | None = None,
    time: str | None = None,
) -> Hazards:
    """Look for all hazards; with groups from the user, not for other rows that belong together.

    ``duplicates`` says whether equal rows are "cases" or "copies", and ``time`` whether the answer is for rows
    "between" known ones or "later", if the user knows.
    """
    table, found = label_table(data, roles, y_kind), Hazards(rows_are=duplicates or "", time=time)
    if time == LATER and (table is None or table.projected):  # never answer another question than was asked
        raise InputError("Got time='later', but the order of these rows cannot be examined. Leave out time.")
    if table is None:
        return found
    if data.groups is None:
        found = found._replace(dependence=find_dependence(table, seed))
    if data.groups is None and found.dependence is None and duplicates != AS_CASES:
        found = _with_related(found, table, seed)
    if table.projected:
        return found
    if time == LATER or (not found.group_columns and data.groups is None):
        found = found._replace(drift=find_drift(table, seed, always=time == LATER))
    if time == LATER and found.drift is None:
        raise InputError(
            "Got time='later', but found no order by time: too few rows, or they are sorted by class or by another "
            "column. Pass a table with a column of dates."
        )
    leaks = find_leaks(table, seed, found.group_columns)
    return found._replace(leaks=leaks, doubtful=find_doubtful(table, data.label))


def find_dependence(table: LabelledTable, seed: int) -> Dependence | None:
    """Return the dependence that a column or the order of rows reveals; None if labelled rows seem independent."""
    column = find_group_column(table, seed)
    if column is not None:
        return _make(table, GROUPS, column.name, column.group, column.neighbours, column.errors, column.pure)
    order = None if table.projected else find_row_order(table, seed)
    return None if order is None else _make(table, TIME, order.name, order.block, order.alike, order.errors)


def _with_related(found: Hazards, table: LabelledTable, seed: int) -> Hazards:
    """Look for rows that are related to others, and keep copies together, if only because they may be copies."""
    related = find_related(table, seed)
    if found.rows_are == AS_COPIES and (related is None or related.kind != COPIES):
        related = rows_that_are_equal(table)
    if related is None or not len(related.kin):
        return found._replace(related=related, rows_are=found.rows_are or AS_CASES)
    kin, codes = related.kin, table.codes
    if np.bincount(np.unique(np.column_stack([codes, kin]), axis=0)[:, 0]).min() < _FEWEST:
        return found  # too few different rows of some class to hold any out
    units = whole_groups(kin, np.random.default_rng([seed, 25]))
    X = table.numbers(units).values
    kind = DUPLICATES if related.how in (How.EQUAL, How.EVEN) else NEAR_DUPLICATES
    errors = two_errors(X, X, codes[units], kin[units], seed, split_equal=kind == DUPLICATES)
    return found._replace(related=related, dependence=_make(table, kind, "", kin, related.fraction, errors))


def _make(
    table: LabelledTable, kind: str, name: str, group: Ints, similarity: float, errors: TwoErrors, pure: float = 0.0
) -> Dependence:
    groups = np.full(table.data.X.shape[0], _ALONE, dtype=np.int64)
    groups[table.row] = group
    return Dependence(
        kind=kind,
        column=name,
        n_units=len(np.unique(group)),
        similarity=similarity,
        pure=pure,
        error_at_random=errors.at_random,
        error_together=errors.together,
        rise_std_error=errors.std_error,
        groups=groups,
    )
