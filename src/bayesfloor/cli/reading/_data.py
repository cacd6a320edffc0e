"""What a file holds, and the one way to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.cli.reading._arrays import read_npy, read_npz
from bayesfloor.cli.reading._asked import Asked, Contents
from bayesfloor.cli.reading._features import read_features
from bayesfloor.cli.reading._labels import find_label, labels_of
from bayesfloor.cli.reading._labels_file import read_labels_file
from bayesfloor.cli.reading._roles import read_roles
from bayesfloor.io._files import File, find_file, reading
from bayesfloor.io._messages import DataError, join, quote, refuse_unknown
from bayesfloor.io._tables import open_table


@dataclass(frozen=True, eq=False)
class Data:
    """What a file holds.

    Attributes
    ----------
    name : str
        The file's name without its folder, ``stdin`` for ``-``.
    X : pyarrow.Table or array of shape (n, d)
        The features: a table of numbers and texts, or the array of an embedding, a ``.npy`` or a ``.npz``.
    y : array of shape (n,)
        The labels, numbers or texts as they stand in the file.
    ids, groups : array of shape (n,) or None
        The columns asked for.
    images : list of str or None
        Paths, relative ones from the file's folder on; addresses such as ``https://...`` as they are.
    feature_names : tuple of str
        The names of the columns of ``X``.
    label : str
        The name of the column or array of labels.
    predictions : array of shape (n,) or None
        What a model makes of the rows, if asked for.
    notes : tuple of str
        What was assumed in reading the file, such as an encoding.
    """

    name: str
    X: Any
    y: np.ndarray
    ids: np.ndarray | None
    groups: np.ndarray | None
    images: list[str] | None
    feature_names: tuple[str, ...]
    label: str
    predictions: np.ndarray | None = None
    notes: tuple[str, ...] = ()


def read_data(
    path: str,
    label: str | None,
    *,
    features: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    embedding: str | None = None,
    id_column: str | None = None,
    groups: str | None = None,
    image: str | None = None,
    labels_file: str | None = None,
    predictions: str | None = None,
) -> Data:
    """Features and labels of a file.

    Parameters
    ----------
    path : str
        A file, a folder of Parquet files, or ``-`` for standard input.
    label : str or None
        The column of labels; the array in a ``.npz``, ``y`` by default; the number of a column in a ``.npy``.
    features, drop : tuple of str
        Patterns such as ``pixel*`` of columns to take, all by default, and to leave out.
    embedding : str, optional
        The column of lists that holds the features; the array in a ``.npz``, ``X`` by default.
    id_column, groups, image : str, optional
        Columns, or arrays in a ``.npz``, that name rows, tell which belong together, and hold paths of pictures.
    labels_file : str, optional
        Another file with the labels, in the order of the rows.
    predictions : str, optional
        The column, or array in a ``.npz``, of a model's predictions.

    Returns
    -------
    Data
        What the file holds.

    Raises
    ------
    DataError
        If anything in it cannot be used.
    """
    asked = Asked(label, tuple(features), tuple(drop), embedding, id_column, groups, image, labels_file, predictions)
    asked.refuse_conflicts()
    file = find_file(path)
    with reading(file):
        found = _READERS.get(file.kind, _read_table)(file, asked)
    return _data_of(file, found, asked)


def _read_table(file: File, asked: Asked) -> Contents:
    table = open_table(file)
    label = None if asked.labels_file else find_label(table, asked.label)
    refuse_unknown(asked.named, table.names)
    given = read_roles(table, asked.roles, label)
    labels = None if label is None else labels_of(label, given[label])
    X, names = read_features(table, asked)
    return Contents(X, names, labels, {name: coded.rows for name, coded in given.items()}, table.notes)


_READERS = {"npy": read_npy, "npz": read_npz}


def _data_of(file: File, found: Contents, asked: Asked) -> Data:
    labels = found.labels or read_labels_file(str(asked.labels_file), asked.label, len(found.X))
    ids = None if asked.id_column is None else found.given[asked.id_column]
    groups = None if asked.groups is None else found.given[asked.groups]
    images = None if asked.image is None else [file.beside(str(path)) for path in found.given[asked.image].tolist()]
    predictions = None if asked.predictions is None else found.given[asked.predictions]
    if predictions is not None:
        _refuse_strangers(str(asked.predictions), predictions, labels.y)
    return Data(
        file.name, found.X, labels.y, ids, groups, images, tuple(found.names), labels.name, predictions, found.notes
    )


def _refuse_strangers(name: str, predictions: np.ndarray, y: np.ndarray) -> None:
    """Refuse predictions that are no labels, before the work."""
    known = set(y.tolist())
    strange = [value for value in dict.fromkeys(predictions.tolist()) if value not in known]
    if strange:
        shown = join(sorted(map(str, known)), 4)
        raise DataError(f"column {quote(name)} predicts {quote(strange[0])}, which is no label. Labels: {shown}.")
