"""Features of a table: the columns asked for, or one of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesfloor.cli.reading._asked import Asked
from bayesfloor.cli.reading._embeddings import read_embedding, stack
from bayesfloor.io._arrow import is_list
from bayesfloor.io._messages import DataError
from bayesfloor.io._tables import Table


def read_features(table: Table, asked: Asked) -> tuple[Any, Sequence[str]]:
    """The features that are asked for, and their names."""
    if asked.embedding is not None:
        return _read_named(table, asked, asked.embedding)
    columns = table.read(asked.choose(table.names, asked.roles))
    if columns.num_columns == 1 and is_list(columns.column(0).type):
        (name,) = columns.column_names
        return _numbered(stack(columns.column(0), name), name)
    return columns, columns.column_names


def _read_named(table: Table, asked: Asked, name: str) -> tuple[np.ndarray, list[str]]:
    if asked.features:
        raise DataError("--features and --embedding are both given, but expected one of them. Leave one out.")
    asked.dropped(table.names)  # a mistyped name is told, though nothing is left to drop
    return _numbered(read_embedding(table, name), name)


def _numbered(X: np.ndarray, name: str) -> tuple[np.ndarray, list[str]]:
    return X, [f"{name}[{i}]" for i in range(X.shape[1])]
