"""Read groups, which tell which rows belong together."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError, InputTypeError, blame
from bayesfloor.engine._types import Ints
from bayesfloor.io._labels_and_weights import as_label_array, missing_labels


def read_groups(groups: Any, n_rows: int) -> tuple[Any, Ints]:
    """Return the sorted groups and each row's group number; 1 and '1' are different groups."""
    with blame("groups"):
        labels = as_label_array(groups)
    if labels.shape != (n_rows,):
        raise InputError(f"Got groups of shape {labels.shape}, but expected one group for each of {n_rows} rows.")
    if missing_labels(labels).any():
        raise InputError("Got missing values in groups, but expected a group for every row. Fill or drop them first.")
    if labels.dtype != object:
        with blame("groups"):
            return np.unique(labels, return_inverse=True)
    return _number_objects(labels.tolist())


def _number_objects(labels: list[Any]) -> tuple[list[Any], Ints]:
    """Number groups of mixed types; each type is sorted separately, since Python cannot sort strings with numbers."""
    try:
        kinds = [(_kind(label), label) for label in labels]
        names = sorted(set(kinds))
        number = {name: i for i, name in enumerate(names)}
    except TypeError as error:
        found = sorted({type(label).__name__ for label in labels})
        raise InputTypeError(
            f"Got groups of type {' and '.join(found[:3])}, but expected text, numbers or dates. "
            "Number them first, for example with pandas.factorize(groups)[0]."
        ) from error
    return [label for _, label in names], np.array([number[kind] for kind in kinds], dtype=np.int64)


def _kind(label: Any) -> str:
    """Return the kind of a label; labels of the same kind can be compared."""
    if isinstance(label, (str, bytes)):
        return type(label).__name__
    return "number" if isinstance(label, (int, float, np.number, np.bool_)) else type(label).__name__
