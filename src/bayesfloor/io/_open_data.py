"""``open_data``: arrays, frames, streams, files and addresses become one frozen ``Data``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.io._csv import read_lines
from bayesfloor.io._data import Data, as_frame, recognise, unmask
from bayesfloor.io._find_file import File, fetched, find_file, reading
from bayesfloor.io._label_column import Asked, find_label, labels_of, matching
from bayesfloor.io._labels import as_label_array, find_spellings, missing_labels, respell
from bayesfloor.io._messages import DataError, arrow, is_list, is_number, refuse_length, refuse_unknown
from bayesfloor.io._numbers import TASKS, Labels, read_numbers, read_y, tenths
from bayesfloor.io._numpy_files import read_label_array, read_npy, read_npz
from bayesfloor.io._row_groups import (
    Alike,
    RowGroups,
    choose_groups,
    compare_groups,
    draw,
    draw_rows,
)
from bayesfloor.io._tables import Coded, Table, encode, open_table, read_embedding, read_roles, stack, table_of
from bayesfloor.support._errors import InputError, InputTypeError, blame
from bayesfloor.support._files import Address, bytes_read
from bayesfloor.support._parameters import check_choice, check_flag, check_seed
from bayesfloor.support._types import Ints
from bayesfloor.support._words import how_many

AT_MOST = 200_000  # rows whose features a check reads for everything but learners that read them in pieces
_BYTES_SHARE = 0.05  # fraction of the files' bytes to read for a sample
_MORE_BYTES = 1.5  # if the user asks for many rows: fraction of bytes to read, relative to the fraction of rows
_LABELS_SHARE = 0.4  # of these bytes; if the label column takes more, only the labels in the chosen groups are read
_MOST = 64  # columns of an array whose order is looked at


def open_data(
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    weight: Any = None,
    predictions: Any = None,
    ids: str | None = None,
    images: str | None = None,
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
    embedding: str | None = None,
    labels_file: str | None = None,
    task: str = "classes",
    clean_labels: bool = False,
    max_rows: int | None = None,
    random_state: int = 0,
    at_most: int | None = None,
) -> Data:
    r"""Read features and labels from an array, a data frame, a stream, a file or a folder.

    Parameters
    ----------
    X : array, data frame, Arrow stream, str, path, bytes or Data
        Anything with ``__arrow_c_stream__`` is read as a table. Rows with several axes are flattened. Files can be
        CSV, Parquet, Arrow, ``.npy``, ``.npz``, a folder of them, or ``-`` for standard input, on disk or at an address
        such as ``s3://bucket/folder``; if one does not fit in memory, only a sample of its rows is read.
    y : array-like, or str
        The labels, or the name of their column. For a ``.npz`` file it is the name of an array, ``y`` by default, and
        for a ``.npy`` file the number of a column. If ``X`` is a file, it can also be the path of a ``.npy`` file.
    groups, weight, predictions : array-like or str, default=None
        Values for each row, or the name of a column (or of an array in a ``.npz`` file).
    ids, images : str, default=None
        Columns of a file with the names of rows, and with the paths of images.
    features, drop : sequence of str
        Patterns such as ``pixel*`` for the columns of a file to use (all by default) and the columns to leave out.
    embedding : str, default=None
        The column of lists that holds the features, or the array in a ``.npz`` file, ``X`` by default.
    labels_file : str, default=None
        Another file with the labels, in the order of the rows.
    task : {"auto", "classes", "numbers"}, default="classes"
        What ``y`` is. With "auto", more than 20 different numbers with fractions are numbers, and so are more than
        100 different whole numbers that look like a quantity; anything else is classes.
    clean_labels : bool, default=False
        Merge labels that differ only in case or spaces.
    max_rows, random_state : int
        The smallest number of rows to read from a large file, and the seed for the subsample.
    at_most : int, default=None
        Read the features of at most so many labelled rows, drawn at random.

    Returns
    -------
    Data

    Raises
    ------
    DataError
        If a file cannot be used; the message is one line.

    Examples
    --------
    >>> from bayesfloor.io import open_data
    >>> data = open_data(b"height;kind\n1,5;cat\n2,5;dog\n2,7;cat\n", "kind")
    >>> data.y.tolist(), data.feature_names
    (['cat', 'dog', 'cat'], ('height',))
    """
    check_seed(random_state)
    check_choice("task", task, TASKS)
    check_flag("clean_labels", clean_labels)
    if isinstance(X, Data):
        return X
    # Masked values are missing ones; names of columns stay as they are until the table is open.
    y = unmask(y)
    given = {"groups": unmask(groups), "weight": unmask(weight), "predictions": unmask(predictions)}
    source: Source | None = None
    if isinstance(X, (str, bytes, os.PathLike)):
        if isinstance(y, (str, Path)) and str(y).endswith(".npy"):
            y, labels_file = None, str(y)
        names = {"id": ids, "image": images, **given}
        asked = Asked(
            label=y if isinstance(y, str) else None,
            beside={what: name for what, name in names.items() if isinstance(name, str)},
            features=tuple(features),
            drop=tuple(drop),
            embedding=embedding,
            labels_elsewhere=labels_file is not None or not (y is None or isinstance(y, str)),
            task=task,
            most_rows=max_rows,
            seed=random_state,
            at_most=at_most,
        )
        source = Source(find_file(X), asked, y, labels_file, given, clean_labels)
        data = _of_file(*source[:-1])
    else:
        data = _of_table(X, y, given)
        if data.y is not None:
            data = replace(data, **read_y(data.y, task)._asdict())
    data = _cleaned(data, clean_labels=clean_labels)
    return data if at_most is None else _at_most(data, source, at_most, random_state)


class Source(NamedTuple):
    """A file, and what was asked for: all that is needed to open it again."""

    file: File
    asked: Asked
    y: Any
    labels_file: str | None
    given: dict[str, Any]
    clean_labels: bool

    def open_beside(self, known: Collection[Any] = ()) -> Data:
        """Read what stands beside the features of all rows: labels and groups; ``known`` are labels to keep."""
        asked = replace(self.asked, beside=_only_groups(self.asked.beside), at_most=None, no_features=True)
        data = _of_file(self.file, asked, self.y, self.labels_file, _only_groups(self.given))
        return _cleaned(data, clean_labels=self.clean_labels, known=known)


def _only_groups(by_purpose: Mapping[str, Any]) -> dict[str, Any]:
    return {what: value for what, value in by_purpose.items() if what == "groups"}


def _cleaned(data: Data, *, clean_labels: bool, known: Collection[Any] = ()) -> Data:
    if data.task == "numbers":
        return _with_numbers(data)
    if not clean_labels:
        return data
    # Labels and predictions that differ only in case or spaces get their most frequent spelling.
    found = find_spellings(data.y)
    best = found.best_of(known)
    predictions = None if data.predictions is None else respell(data.predictions, best)
    notes = (*data.notes, found.merged) if found.alike else data.notes
    return replace(data, y=respell(data.y, best), predictions=predictions, notes=notes)


def _at_most(data: Data, source: Source | None, n_drawn: int, seed: int) -> Data:
    """Draw rows unless that was done before features were read, and say where the others are."""
    if data.drawn is None and data.y is not None and as_label_array(data.y).squeeze().ndim == 1:
        drawn = draw(missing_labels(data.y), n_drawn, seed)
        data = data if drawn is None else _of_rows(data, drawn)
    in_memory = source is None or source.file.kind == "npz"
    return data if data.drawn is None or in_memory else replace(data, source=source)


def _of_rows(data: Data, rows: Ints) -> Data:
    """Return a sample with these rows."""
    columns = {name: getattr(data, name) for name in ("y", "groups", "weight", "predictions", "ids", "images")}
    own: dict[str, Any] = {name: as_label_array(each)[rows] for name, each in columns.items() if each is not None}
    X, unlabelled = data.X[rows.tolist()] if data.form == "frame" else data.X[rows], missing_labels(data.y)
    own |= {"n_rows": data.X.shape[0], "n_unlabelled": int(np.count_nonzero(unlabelled))}
    return replace(data, X=X, **own, drawn=rows, source=data)


def _with_numbers(data: Data) -> Data:
    """Raise unless each row has a place in ``y`` and a number in ``predictions``, if there are any."""
    refuse_length(f"y has {how_many(len(data.y), 'value')}", len(data.y), data.X.shape[0])
    if data.predictions is None:
        return data
    numbers = read_numbers(data.predictions, "predictions")
    refuse_length(f"predictions has {how_many(len(numbers), 'value')}", len(numbers), data.X.shape[0])
    if np.isnan(numbers).any():
        raise DataError("Got missing values in predictions, but expected one number per row: fill or drop these rows.")
    return replace(data, predictions=numbers)


# Tables in memory


def _of_table(X: Any, y: Any, given: dict[str, Any]) -> Data:
    """Read a table in memory or a stream; labels, groups and others given by name are taken out of its columns."""
    is_lazy = type(X).__name__ == "LazyFrame"  # asking it for its columns would already run the query
    if is_lazy or (hasattr(X, "__arrow_c_stream__") and as_frame(X) is None):
        with blame("X"):
            X = table_of(X).read()
    data, given = recognise(X), {"y": y, **given}
    names = {role: value for role, value in given.items() if isinstance(value, str)}
    if not names:
        return replace(data, **given)
    for (one, first), (two, second) in combinations(names.items(), 2):
        if first == second:
            why = ", because edges never join rows of the same group" if "groups" in (one, two) else ""
            raise InputError(f"Got {first!r} as {one} and as {two}, but expected two different columns{why}.")
    if data.form != "frame":
        role, column = next(iter(names.items()))
        raise InputTypeError(
            f"Got {role}={column!r}, the name of a column, but X is a {type(X).__name__}, not a data frame. "
            "Pass the values."
        )
    refuse_unknown(names.values(), data.X.columns)
    taken = {role: data.X[column].to_numpy() for role, column in names.items()}
    X = data.X.drop(list(names.values()))
    return replace(data, X=X, **given | taken, label=names.get("y", ""), group=names.get("groups", ""))


# Files


def _of_file(file: File, asked: Asked, y: Any, labels_file: str | None, given: dict[str, Any]) -> Data:
    with reading(file), fetched(file) as near:
        data = {"npy": read_npy, "npz": read_npz}.get(file.kind, _read_table)(near, asked)
    n_rows = data.n_rows or data.X.shape[0]
    if labels_file is not None:
        label, labels = _read_labels_file(labels_file, asked, n_rows)
        y, data = labels.y, replace(data, label=label, **labels._asdict())
    elif y is not None and not isinstance(y, str):
        labels = read_y(y, asked.task)
        y, data = labels.y, replace(data, **labels._asdict())
    outside = {
        what: values for what, values in {"y": y, **given}.items() if values is not None and not isinstance(values, str)
    }
    if data.drawn is not None and outside:  # they have a value for each row, of which only a sample was read
        outside = {what: np.asarray(values) for what, values in outside.items()}
        for what, values in outside.items():
            refuse_length(f"{what} has {how_many(len(values), 'value')}", len(values), n_rows)
        if "y" in outside:
            data = replace(data, n_unlabelled=int(np.count_nonzero(missing_labels(y))))
        outside = {what: values[data.drawn] for what, values in outside.items()}
    images = None if data.images is None else [file.beside(str(path)) for path in data.images]
    data = replace(data, **outside, images=images, name=file.name)
    if "y" in outside:
        asked.refuse_strangers(data)
    return data


def _read_table(file: File, asked: Asked) -> Data:
    start = bytes_read()
    table = open_table(file)
    label = None if asked.labels_elsewhere else find_label(table, asked.label)
    refuse_unknown(asked.named, table.names)
    alike = None
    # A large table far away: a few row groups are enough, unless their rows turn out to be too much alike.
    is_far = isinstance(file.folder or file.source, Address)
    if label is not None and table.groups is not None and is_far and file.is_large and not asked.no_features:
        sample, alike = _sample_groups(table, table.groups, asked, label, start)
        if not alike.is_misleading:
            return sample
    # Otherwise labels and other columns are read for all rows, so that the sample of features can follow the labels.
    coded = read_roles(table, asked.roles, label)
    labels = None if label is None else labels_of(label, coded[label], asked.task)
    y = None if labels is None else labels.y
    drawn = None
    if asked.no_features:
        rows = next((each.codes for each in coded.values()), None)
        n_rows = table.read(table.names[:1]).num_rows if rows is None else len(rows)
        return asked.gather(np.empty((n_rows, 0)), (), label or "", labels, {name: c.rows for name, c in coded.items()})
    if y is not None:
        drawn = _draw(file, y, asked, 8 * len(y) * len(asked.choose(table.names, asked.roles)))
    X, names = _read_features(table, asked, drawn)
    notes = table.notes
    if alike is not None:
        read, size = bytes_read() - start, file.size
        told = f"the whole table was read: {read / 1e6:,.1f} MB, with the files taking {size / 1e6:,.1f} MB"
        notes = (*notes, f"{alike} and in their labels, so {told}")
    beside = {name: each.rows for name, each in coded.items()}
    data = asked.gather(X, names, label or "", labels, beside, notes=notes)
    if y is None or drawn is None:
        return data
    # The features are those of the sampled rows; the other columns have to follow.
    columns = {what: getattr(data, what) for what in ("y", "groups", "weight", "predictions")}
    own = {what: values[drawn] for what, values in columns.items() if values is not None}
    return replace(data, **own, drawn=drawn, n_rows=len(y), n_unlabelled=int(np.count_nonzero(missing_labels(y))))


def _draw(file: File, y: np.ndarray, asked: Asked, n_bytes: int) -> np.ndarray | None:
    """Subsample the labelled rows of a large file; None if all of them, ``n_bytes`` as numbers, fit in memory."""
    is_large = file.is_large or file.is_packed(n_bytes)
    if asked.at_most is not None:
        most = file.most_rows(len(y), asked.most_rows, n_bytes) if is_large else len(y)
        return draw(missing_labels(y), min(asked.at_most, most), asked.seed)
    if not is_large:
        return None
    labelled = np.flatnonzero(~missing_labels(y))
    n_drawn = file.most_rows(len(y), asked.most_rows, n_bytes)
    if n_drawn >= len(labelled):
        return None
    return np.sort(np.random.default_rng(asked.seed).permutation(labelled)[:n_drawn])


def _read_features(table: Table, asked: Asked, drawn: np.ndarray | None) -> tuple[Any, Sequence[str]]:
    """Return the requested features and their names."""
    if asked.embedding is not None:
        if asked.features:
            raise DataError("--features and --embedding are both given, but expected only one of them. Leave one out.")
        matching("--drop", asked.drop, table.names)  # raises for a mistyped name, although there is nothing to drop
        name, X = asked.embedding, read_embedding(table, asked.embedding, drawn)
    else:
        columns = table.read(asked.choose(table.names, asked.roles), drawn)
        if columns.num_columns > 1 or not is_list(columns.column(0).type):
            return columns, columns.column_names
        (name,) = columns.column_names
        X = stack(columns.column(0), name)
    return X, [f"{name}[{i}]" for i in range(X.shape[1])]


# Labels in a file of their own


def _read_labels_file(path: str, asked: Asked, n_rows: int) -> tuple[str, Labels]:
    """Return the name and the labels of a file that has one for each row, in the same order."""
    file, label = find_file(path), asked.label
    with reading(file), fetched(file) as near:
        if near.kind in ("npy", "npz"):
            name, coded = read_label_array(near, label)
        elif near.kind == "CSV" and (lines := read_lines(near)) is not None:
            name, coded = _read_lines(lines, n_rows)
        else:
            table = open_table(near)
            name = table.names[0] if label is None and len(table.names) == 1 else find_label(table, label)
            coded = read_roles(table, [name], name)[name]
    n_labels = len(coded.codes)
    refuse_length(f"{file.shown} has {how_many(n_labels, 'label')}", n_labels, n_rows)
    return name, labels_of(name, coded, asked.task)


def _read_lines(lines: list[list[str]], n_rows: int) -> tuple[str, Coded]:
    """Return the labels; the first line is a header if there is one line too many and no other line equals it."""
    header = len(lines) == n_rows + 1 and lines[0] not in lines[1:]
    name = lines[0][0] if header and lines[0] else "label"
    rows = lines[1:] if header else lines
    texts = arrow().chunked_array([[row[0] if row else None for row in rows]], arrow().string())
    return name, encode(texts, is_csv=True)


# Samples of a large table at an address


def _sample_groups(table: Table, groups: RowGroups, asked: Asked, label: str, start: int) -> tuple[Data, Alike]:
    """Read a subsample of a large table from a few row groups.

    ``start`` is the value of ``bytes_read`` before the table was opened, so that the files' metadata count too. Also
    return how much rows of the same group are alike, which decides whether the subsample can be used.
    """
    features = [asked.embedding] if asked.embedding else asked.choose(table.names, asked.roles)
    beside = list(dict.fromkeys(asked.beside.values()))
    sizes = groups.bytes_of([*features, *beside])
    chosen, rows, labels, n_unlabelled, doubt = _draw_from_groups(table, groups, asked, label, sizes, start)
    given = {name: coded.rows for name, coded in read_roles(table, beside, None, rows).items()}
    X, names = _read_features(table, asked, rows)
    is_classes = labels.task == "classes"
    codes = np.unique(labels.y, return_inverse=True)[1] if is_classes else np.maximum(tenths(labels.y), 0)
    alike = compare_groups(_columns(X), codes, groups.group_of(rows))
    read, size = bytes_read() - start, table.file.size
    told = (
        f"read {read / 1e6:,.1f} of {size / 1e6:,.1f} MB ({100 * read / size:.1f} %), rows from "
        f"{len(chosen):,} of {len(groups.n_rows):,} row groups spread over the table"
    )
    notes = [*table.notes, f"{told}{doubt}"]
    if alike.is_noticeable:
        notes.append(f"{alike}, so intervals may be too narrow; set max_rows higher to read more row groups")
    data = asked.gather(X, names, label, labels, given, notes=tuple(notes), drawn=rows)
    return replace(data, n_rows=int(groups.n_rows.sum()), n_unlabelled=n_unlabelled), alike


def _draw_from_groups(
    table: Table, groups: RowGroups, asked: Asked, label: str, sizes: Ints, start: int
) -> tuple[Ints, Ints, Labels, int, str]:
    """Choose row groups and rows; ``sizes`` are the bytes of each group without the labels.

    Also return the rows' labels, how many of all rows have none, and a doubt about the class proportions.
    """
    rng, n_rows = np.random.default_rng(asked.seed), int(groups.n_rows.sum())
    n_drawn = min(table.file.most_rows(n_rows, asked.most_rows), asked.at_most or n_rows)
    budget = table.file.size * max(_BYTES_SHARE, _MORE_BYTES * (asked.most_rows or 0) / n_rows)
    # If the labels of all rows take few bytes, they are read first: rare classes are then found.
    if groups.bytes_of([label]).sum() <= _LABELS_SHARE * budget:
        coded = read_roles(table, [label], label)[label]
        labels = labels_of(label, coded, asked.task)  # raises if the column cannot be labels
        codes = coded.codes if labels.task == "classes" else tenths(labels.y)
        chosen, rows = draw_rows(groups, sizes, budget - (bytes_read() - start), codes, n_drawn, rng)
        missing = int(np.count_nonzero(codes < 0))
        return chosen, rows, labels._replace(y=labels.y[rows]), missing, ""
    # Otherwise only those of the groups that were chosen without knowing any label.
    chosen = choose_groups(sizes + groups.bytes_of([label]), budget - (bytes_read() - start), None, rng)
    within = groups.rows_in(chosen)
    coded = read_roles(table, [label], label, within)[label]
    labelled = np.flatnonzero(coded.codes >= 0)
    places = np.sort(rng.permutation(labelled)[:n_drawn])
    labels = labels_of(label, coded._replace(codes=coded.codes[places]), asked.task)
    missing = round((1 - len(labelled) / len(within)) * n_rows)
    alike = "class proportions" if labels.task == "classes" else "distribution"
    doubt = f", assuming that these have the {alike} of all rows"
    return chosen, within[places], labels, missing, doubt


def _columns(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield columns as numbers, text as the numbers of its distinct values; leave out row numbers, which are ids."""
    if isinstance(X, np.ndarray):
        for number in np.unique(np.linspace(0, X.shape[1] - 1, _MOST).astype(int)):
            yield f"x{number}", X[:, number].astype(np.float64)
        return
    for name in X.column_names:
        column = X.column(name)
        if is_number(column.type):
            values = column.cast("float64", safe=False).to_numpy()
            if not (arrow(".types").is_integer(column.type) and (np.diff(values) > 0).all()):
                yield name, values
        elif not is_list(column.type):
            distinct = column.unique().drop_null()
            yield name, arrow(".compute").index_in(column, value_set=distinct).cast("float64").to_numpy()
