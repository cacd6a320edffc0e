"""Table rows for pairs and classes, hardest first, for every printed output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.floor._results import FEW
from bayesfloor.summary._check_parts import Measured

FEW_ROWS, TOO_SMALL = "too few rows", "too small to measure"


class PairRow(NamedTuple):
    """A pair of classes, as two class numbers: best estimate and range of the error between them."""

    one: int
    two: int
    estimate: float
    lower: float
    upper: float
    error: float  # cross-validated
    guessing: float
    relative: float  # best estimate relative to guessing
    n_rows: float
    note: str  # why the figures are unreliable, if they are


class ClassRow(NamedTuple):
    """A class, as its number: best estimate and range of the error within it (1 - recall)."""

    number: int
    note: str  # why the figures are unreliable, if they are
    n_rows: float
    estimate: float
    lower: float
    upper: float
    error: float  # cross-validated
    part: float  # fraction of all errors


def pair_rows(check: Measured, most: int | None = None) -> list[PairRow]:
    """Return the pairs that can be measured, hardest first; pairs of classes with too few rows come last."""
    found, pairs = check.pairs, hardest_pairs(check, most)
    few = _few_in_pair(check, *pairs)
    names = ("estimate", "lower", "upper", "error", "guessing", "relative", "n_rows")
    columns = (*pairs, *(getattr(found, name)[pairs] for name in names), np.where(few, FEW_ROWS, ""))
    return [PairRow(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def hardest_pairs(check: Measured, most: int | None = None) -> tuple[Ints, Ints]:
    """Return the pairs in the order of ``pair_rows``: by best estimate relative to guessing."""
    one, two = np.nonzero(np.triu(~check.pairs.too_small, 1))
    order = np.lexsort((-check.pairs.relative[one, two], _few_in_pair(check, one, two)))[:most]
    return one[order], two[order]


def class_rows(check: Measured, most: int | None = None) -> list[ClassRow]:
    """Return the classes, highest best estimate first; classes with a note come last."""
    found = check.classes
    notes = [_note(n, error) for n, error in zip(found.n_rows.tolist(), found.error.tolist(), strict=True)]
    order = np.lexsort((-found.estimate, np.array([note != "" for note in notes])))[:most]
    columns = (found.n_rows, found.estimate, found.lower, found.upper, found.error, found.part)
    return [ClassRow(k, notes[k], *(float(values[k]) for values in columns)) for k in order.tolist()]


def _few_in_pair(check: Measured, one: Ints, two: Ints) -> np.ndarray:
    few = check.classes.n_rows < FEW
    return np.asarray(few[one] | few[two])


def _note(n_rows: float, error: float) -> str:
    """Return why a class's figures are unreliable, if they are."""
    if n_rows < FEW:
        return FEW_ROWS
    return "" if error > 0 else TOO_SMALL
