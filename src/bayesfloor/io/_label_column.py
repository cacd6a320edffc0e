"""What was asked for: the label column, which must have classes, and the columns beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from bayesfloor.io._csv import headless, looks_headless
from bayesfloor.io._data import Data, recognise
from bayesfloor.io._labels import looks_like_regression
from bayesfloor.io._messages import (
    PREDICT_NUMBERS,
    DataError,
    arrow,
    did_you_mean,
    is_number,
    is_text,
    join_words,
    quote,
    refuse_unknown,
    short,
)
from bayesfloor.io._numbers import Labels, plain_numbers, read_y, task_of
from bayesfloor.io._tables import Coded, Table

_USUAL_NAMES = ("label", "target", "class", "y", "species", "labels", "category", "outcome", "diagnosis")


def labels_of(name: str, coded: Coded, task: str = "classes") -> Labels:
    """Return each row's label or number; raise if the column is not suitable."""
    values, n = coded.values, int(np.count_nonzero(coded.codes >= 0))
    typed = plain_numbers(values) if coded.is_csv and task == "auto" else values
    found = read_y(typed, task, f"column {quote(name)}", n)
    if found.task == "numbers":
        return found._replace(y=np.append(found.y, np.nan)[coded.codes])
    if n < len(coded.codes):
        values = as_whole(values)
    why = _why_not(values, n, guessed=found.task_guessed)
    if not why and (values.dtype == object or _is_broken(values)):  # classes such as 0.5 become text, as in a CSV
        values = values.astype(str)
        if len(np.unique(values)) < len(values):
            why = "has labels that differ only in trailing zero bytes. Rename them."
    if why:
        raise DataError(f"column {quote(name)} {why}")
    return found._replace(y=coded._replace(values=values).rows)


def as_whole(values: np.ndarray) -> np.ndarray:
    """Turn whole numbers into integers: in a matrix, or in a column with gaps, they had to be stored as floats."""
    if values.dtype.kind != "f" or _is_broken(values) or (abs(values) >= 2**53).any():
        return values
    return values.astype(np.int64)


def _is_broken(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and bool((values != np.round(values)).any())


def _why_not(values: np.ndarray, n: int, *, guessed: bool) -> str:
    """Say why these distinct values of ``n`` rows cannot be labels; empty if they can."""
    another, instead = "Pass another column with -y", ""
    if not n:
        return f"is empty. {another}."
    if values.dtype.kind == "f" and np.isinf(values).any():
        return "has infinite labels. Drop these rows, or give them a different label."
    with suppress(ValueError):  # text that is not numbers
        numbers, instead = np.sort(values.astype(np.float64)), f" {PREDICT_NUMBERS}"
        if task_of(numbers, n) == "numbers" if guessed else looks_like_regression(numbers, n):
            return (
                f"has {len(values):,} different numbers in {n:,} rows: looks like regression, not classes. {another}, "
                f"or bin the numbers into classes first.{instead}"
            )
    if len(values) == 1:
        return f"has only one value, {quote(values[0])}, but expected at least 2 classes. {another}."
    if len(values) == n:
        return f"has a different value in each of {n:,} rows, so it looks like an id, not a class. {another}.{instead}"
    return ""


def find_label(table: Table, label: str | None) -> str:
    """Find the label column, or raise with a list of candidates."""
    if label not in table.names and table.is_csv and looks_headless(table.names):
        raise DataError(headless(table.file, table.names))
    if label is None:
        found = sorted(_candidates(table.read(table.names)))[:5]
        shown = ", ".join(f"{short(name)} ({n})" for _, _, n, _, name in found)
        none = f"No column has few values. Columns: {join_words(table.names)}."
        hint = f"Candidates with few values: {shown}" if found else none
        raise DataError(f"which column is the label? Use -y. {hint}")
    refuse_unknown([label], table.names)
    return label


def _candidates(columns: Any) -> Iterator[tuple[bool, bool, int, int, str]]:
    """Yield columns that may be labels, as tuples that sort likely ones first."""
    n, count = columns.num_rows, arrow(".compute").count_distinct
    for i, name in enumerate(columns.column_names):
        column = columns.column(name)
        if _may_be_label(column) and 2 <= (found := count(column).as_py()) <= min(1000, max(n // 5, min(10, n // 2))):
            yield name.lower() not in _USUAL_NAMES, is_number(column.type), found, i, name


def _may_be_label(column: Any) -> bool:
    kinds, compute = arrow(".types"), arrow(".compute")
    if kinds.is_floating(column.type):
        return bool(compute.all(compute.equal(compute.round(column), column)).as_py())
    return is_text(column.type) or kinds.is_integer(column.type) or kinds.is_boolean(column.type)


@dataclass(frozen=True)
class Asked:
    """Requested columns, and the number of rows to read from a large file."""

    label: str | None
    beside: Mapping[str, str]  # other columns, such as groups and ids, by purpose
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    embedding: str | None = None
    labels_elsewhere: bool = False
    task: str = "classes"  # or "numbers" or "auto"
    most_rows: int | None = None
    seed: int = 0
    at_most: int | None = None  # rows whose features are read
    no_features: bool = False  # whether only the columns beside them are read

    @property
    def roles(self) -> list[str]:
        """Columns that are not features."""
        label = [] if self.labels_elsewhere or self.label is None else [self.label]
        return list(dict.fromkeys([*label, *self.beside.values()]))

    @property
    def named(self) -> list[str]:
        """Columns that must exist."""
        return list(dict.fromkeys([*self.roles, *([] if self.embedding is None else [self.embedding])]))

    def __post_init__(self) -> None:
        # If the label column had a second purpose, every floor or error would be zero.
        if self.label is None or self.labels_elsewhere:
            return
        for flag, name in {"embedding": self.embedding, **self.beside}.items():
            if name == self.label and flag not in ("id", "image"):
                raise DataError(f"column {quote(name)} is given as -y and as --{flag}. Pass two different columns.")

    def choose(self, names: Sequence[str], apart: Sequence[str] = ()) -> list[str]:
        """Choose the feature columns: the requested ones, without those set apart."""
        taken = matching("--features", self.features, names) if self.features else set(names)
        left = taken - matching("--drop", self.drop, names) - set(apart)
        if not left:
            raise DataError(
                f"no columns are left as features. Check --features and --drop. Columns: {join_words(names) or 'none'}."
            )
        return [name for name in names if name in left]

    def gather(
        self, X: Any, names: Sequence[str], label: str, labels: Labels | None, columns: Mapping[str, Any], **more: Any
    ) -> Data:
        """Return what was read from a file; ``columns`` are the other requested ones, by name."""
        beside: dict[str, Any] = {what: columns[name] for what, name in self.beside.items()}
        beside |= {"ids": beside.pop("id", None), "images": beside.pop("image", None)}
        more |= {"label": label, "group": self.beside.get("groups", ""), "feature_names": tuple(names)}
        if labels is None:
            return replace(recognise(X), **beside, **more)
        data = replace(recognise(X), **labels._asdict(), **beside, **more)
        self.refuse_strangers(data)
        return data

    def refuse_strangers(self, data: Data) -> None:
        """Raise before the work starts if a prediction from a file is not one of the labels."""
        if "predictions" not in self.beside or data.task == "numbers":
            return
        known = set(data.y.tolist())
        strange = [value for value in dict.fromkeys(data.predictions.tolist()) if value not in known]
        if strange:
            shown = join_words(sorted(map(str, known)), 4)
            name = quote(self.beside["predictions"])
            raise DataError(f"column {name} predicts {quote(strange[0])}, which is not one of the labels: {shown}.")


def matching(flag: str, globs: Sequence[str], names: Sequence[str]) -> set[str]:
    """Return the names that match any of the patterns; raise for a pattern without a match."""
    matches = {glob: {name for name in names if name == glob or fnmatchcase(name, glob)} for glob in globs}
    for glob, found in matches.items():
        if not found:
            hint = did_you_mean(glob, names, 3)
            raise DataError(f"no column matches {flag} {quote(glob)}.{hint} Columns: {join_words(names, 8)}.")
    return set().union(*matches.values())
