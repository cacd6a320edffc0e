"""Features of a table: the columns asked for, or one of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesfloor.cli.reading._asked import Asked
from bayesfloor.cli.reading._embeddings import read_embedding
from bayesfloor.io._messages import DataError
from bayesfloor.io._tables import Table


def read_features(table: Table, asked: Asked) -> tuple[Any, Sequence[str]]:
    """The features that are asked for, and their names."""
    if asked.embedding is not None:
        return _read_named(table, asked, asked.embedding)
    columns = table.read(asked.choose(table.names, asked.roles))
    return columns, columns.column_names


def _read_named(table: Table, asked: Asked, name: str) -> tuple[np.ndarray, list[str]]:
    if asked.features:
        raise DataError("--features and --embedding are both given, but expected one of them. Leave one out.")
    asked.dropped(table.names)  # a mistyped name is told, though nothing is left to drop
    X = read_embedding(table, name)
    return X, [f"{name}[{i}]" for i in range(X.shape[1])]
