"""The user's request, checked against the column names, and the contents that a reader returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._find_label import LabelColumn
from bayesfloor.io._messages import DataError, did_you_mean, join_words, quote


class Contents(NamedTuple):
    """A file's features with their names, its labels unless they are in another file, and other requested columns."""

    X: Any
    names: Sequence[str]
    labels: LabelColumn | None
    given: dict[str, np.ndarray]
    notes: tuple[str, ...] = ()
    drawn: np.ndarray | None = None
    drawn_from: tuple[int, int] | None = None  # if only a sample was read: number of all rows, and of unlabelled rows


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
