"""Read a model's predictions and the labels of the rows it was tested on."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError, blame
from bayesfloor.engine._show import join_labels
from bayesfloor.engine._types import Ints
from bayesfloor.io._labels_and_weights import as_label_array, read_labels


def read_both(classes: np.ndarray, y_true: Any, y_pred: Any) -> tuple[Ints, Ints]:
    """Return the number of each row's true and predicted class."""
    n, n_pred = (y.shape[0] if y.ndim else 0 for y in (_as_array(y_true, "y_true"), _as_array(y_pred, "y_pred")))
    if n != n_pred or not n:
        raise InputError(
            f"Got y_true with {n} rows and y_pred with {n_pred}, but expected the same number, and at least one."
        )
    return _codes(classes, y_true, "y_true"), _codes(classes, y_pred, "y_pred")


def read_row_numbers(rows: Any, n: int) -> Ints:
    """Return the rows' numbers in the floor's input."""
    with blame("rows"):
        numbers = np.asarray(rows)
    if numbers.shape != (n,) or numbers.dtype.kind not in "iu" or len(np.unique(numbers)) < n:
        kind = f"an array of shape {numbers.shape} and type {numbers.dtype}"
        raise InputError(f"Got {kind} as rows, but expected {n:,} different row numbers of the floor's input.")
    return numbers


def _as_array(y: Any, name: str) -> np.ndarray:
    with blame(name):
        return as_label_array(y)


def _codes(classes: np.ndarray, y: Any, name: str) -> Ints:
    """Return each label's index in the floor's classes."""
    try:
        labels, codes = read_labels(y, len(as_label_array(y)))
    except ValueError as error:
        raise InputError(f"{name} cannot be read. {error}") from error
    place = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise InputError(
            f"Got {name} with labels that the floor has not seen: {join_labels(unknown)} ({_kind(unknown[0])}), but "
            f"expected its classes: {join_labels(classes.tolist())} ({_kind(classes.tolist()[0])}). "
            "Fit the floor to rows of all classes, and use the same labels in both."
        )
    return np.array([place[label] for label in labels.tolist()])[codes]


def _kind(label: Any) -> str:
    return "strings" if isinstance(label, str) else "numbers"
