"""Decide whether ``y`` is classes or numbers, read numbers, and cut them into tenths where classes are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._columns import Values, is_gap, read_list
from bayesfloor.io._formats import NumberFormat, may_be_number, number_format
from bayesfloor.io._labels import as_label_array, looks_like_regression
from bayesfloor.io._messages import DataError, how_to_pass, quote
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many

TASKS = ("auto", "classes", "numbers")
_MOST_CLASSES = 100  # different whole numbers; up to this many are classes
_KINDS = {"b": "boolean", "i": "number", "u": "number", "f": "number", "c": "complex number", "M": "date"}


class Labels(NamedTuple):
    """``y`` and what it is: the fields of ``Data`` of the same names."""

    y: Any
    task: str = "classes"
    task_guessed: bool = False


def read_y(y: Any, task: str, what: str = "y", n_rows: int | None = None) -> Labels:
    """Decide what ``y`` is if the task is "auto", and read numbers; classes stay as they are.

    ``n_rows`` is the number of labelled rows if ``y`` has only their distinct values.
    """
    guessed = task == "auto"
    if guessed:
        task = task_of(y, n_rows)
    if task == "classes":
        return Labels(y, task, guessed)
    numbers = read_numbers(y, what)
    n_distinct = len(np.unique(numbers[~np.isnan(numbers)]))
    if n_distinct < 2:
        found = how_many(n_distinct, "different number")
        raise DataError(f"Got {found} in {what}, but expected at least 2: there is nothing to predict.")
    return Labels(numbers, task, guessed)


def task_of(y: Any, n_rows: int | None = None) -> str:
    """Return "numbers" if ``y`` looks like a quantity, else "classes".

    Quantities are more than 20 different numbers, some with fractions, or more than 100 different whole numbers with
    gaps between them and few rows each. Text, booleans, dates and matrices are classes.
    """
    column = _column(y, "y")
    if column.kind != "number":
        return "classes"
    values = np.asarray(column.data, dtype=np.float64)
    distinct = np.unique(values[np.isfinite(values)])
    is_few = len(distinct) <= _MOST_CLASSES and bool((distinct == np.round(distinct)).all())
    n = int(np.count_nonzero(~np.isnan(values))) if n_rows is None else n_rows
    return "numbers" if not is_few and looks_like_regression(distinct, n) else "classes"


def read_numbers(y: Any, what: str = "y") -> Floats:
    """Return one number per row from any container, NaN where it is missing; errors call it ``what``."""
    column = _column(y, what)
    if column.kind == "number":
        numbers = np.asarray(column.data, dtype=np.float64)
    elif column.kind == "text":
        numbers = np.append(_parse(column.levels, what), np.nan)[column.data]
    else:
        found = f"{what} of shape {column.data.shape}" if column.kind == "matrix" else f"{column.kind}s in {what}"
        advice = "pass one of its columns" if column.kind == "matrix" else "turn them into numbers first"
        raise DataError(f"Got {found}, but expected one number per row: {advice}, or {how_to_pass('classes')}.")
    if np.isinf(numbers).any():
        raise DataError(f"Got infinite numbers in {what}, but expected finite ones: drop or correct these rows.")
    return numbers


def plain_numbers(texts: np.ndarray) -> np.ndarray:
    """Return the texts of a CSV as numbers if all of them are, or else unchanged."""
    form = number_format(texts.tolist())
    return texts if form is None else form.read(texts.tolist())


def tenths(y: Floats) -> Ints:
    """Cut numbers by rank into ten classes of about equal size; return each row's class, or -1 where it is missing.

    Equal numbers stay together, so there are fewer classes if numbers repeat, but at least two if any two differ.
    """
    codes, known = np.full(len(y), -1), ~np.isnan(y)
    _, value, size = np.unique(y[known], return_inverse=True, return_counts=True)
    tenth = 10 * (2 * np.cumsum(size) - size) // (2 * max(1, size.sum()))  # where the middle of equal numbers is
    codes[known] = np.unique(tenth, return_inverse=True)[1][value]
    return codes


def _column(y: Any, name: str) -> Values:
    """Return ``y`` as a column; its kind is "matrix" if rows have several values."""
    with blame(name):
        values = as_label_array(y)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values.ravel()
        if values.ndim != 1:
            return Values(name, "matrix", values)
        kind = _KINDS.get(values.dtype.kind)
        return read_list(name, list(values)) if kind is None else Values(name, kind, values)


def _parse(texts: Sequence[str], what: str) -> Floats:
    """Read texts as numbers in one format; codes such as 007 are numbers here, because numbers were asked for."""
    try:
        return (number_format(texts) or NumberFormat()).read(texts)
    except InputError as error:
        strange = [quote(text) for text in texts if not (may_be_number(text) or is_gap(text, among_numbers=True))]
        found = strange[0] if strange else "numbers in several formats"
        advice = f"correct or drop these rows, or {how_to_pass('classes')}"
        raise DataError(f"Got {found} in {what}, but expected one number per row: {advice}.") from error
