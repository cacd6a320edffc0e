"""``open_rows``: all labelled rows of a table, read in pieces as prepared features; no raw copy is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._columns import read_column
from bayesfloor.io._data import Data, as_singles, recognise
from bayesfloor.io._features import Features
from bayesfloor.io._find_file import fetched, reading
from bayesfloor.io._labels import as_label_array, code_labels, read_groups
from bayesfloor.io._messages import DataError, arrow
from bayesfloor.io._numpy_files import features_of_npy, open_npy
from bayesfloor.io._open_data import Source
from bayesfloor.io._row_groups import places
from bayesfloor.io._table_preparer import TablePreparer
from bayesfloor.io._tables import BATCH, encode, open_table, read_embedding_of
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Ints

_Singles = NDArray[np.float32]


def open_rows(
    data: Data, features: Features, *, groups: Sequence[str] = (), y_kind: str = "auto", random_state: int = 0
) -> Rows:
    """Open all labelled rows of data, of which only a sample may have been read, as the features of that sample.

    ``features`` are those of the sample: preparation is fitted and stays as it is. ``groups`` are columns that mark
    groups, if none were given with the data.
    """
    if features.steps is None:
        raise InputError(
            f"Got {data.X.shape[1]:,} columns, which are reduced to fewer before learners see them, but expected at "
            "most 2,000 to train on all rows. Pass rows=50_000, or fewer columns."
        )
    if data.y is None or as_label_array(data.y).squeeze().ndim != 1 or y_kind == "votes":
        raise InputError("Got several labels per row, but expected one to train on all rows. Pass rows=50_000.")
    names = tuple(map(str, data.X.columns)) if data.form == "frame" else None
    source = data if data.source is None else data.source
    known = frozenset(as_label_array(data.y).tolist()) if isinstance(source, Source) and source.clean_labels else ()
    width = len(features.quantity)
    return Rows(
        Spec(source, names, features.steps, width, features.code, tuple(groups), frozenset(known), random_state)
    )


class Spec(NamedTuple):
    """All that is needed to open the same rows again; it can be sent to another process if they are in files."""

    source: Source | Data
    names: tuple[str, ...] | None  # of the columns of a data frame that may become features
    steps: tuple[Any, ...]  # fitted preparation
    n_columns: int  # after preparation
    code: NDArray[np.bool_] | None
    groups: tuple[str, ...]
    known: frozenset[Any]  # spellings of labels to keep
    random_state: int


class Rows:
    """All labelled rows, read in pieces as prepared features.

    Attributes
    ----------
    n, n_columns : int
        Number of labelled rows, and of columns after preparation.
    y : the class number or the number of each labelled row.
    classes : labels in the order of the class numbers; None for numbers.
    task : "classes" or "numbers".
    place : a number in [0, 1) for each labelled row, from a hash of its position or of its group.
    grouped : whether rows that belong together share a place.
    pieces : number of labelled rows in each piece.
    code : which columns are codes, whose order means nothing; -1 is a code that the sample lacks.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        source, seed = spec.source, spec.random_state
        beside = source.open_beside(spec.known) if isinstance(source, Source) else source
        n_rows = beside.X.shape[0]
        self.task, self.classes = beside.task, None
        y: Any
        if self.task == "numbers":
            y = np.asarray(beside.y, dtype=np.float64)
            missing = np.isnan(y)
        else:
            self.classes, y = code_labels(beside.y)
            missing = y < 0
            y = y.astype(np.min_scalar_type(len(self.classes)))
        self._table = _open_table(spec, n_rows)
        group = _number_groups(beside, self._table, spec.groups)
        place = places(n_rows, seed, group, self._table.stretches)
        self.grouped = group is not None
        self._missing = missing if missing.any() else None
        given = slice(None) if self._missing is None else ~missing
        self.y, self.place = y[given], place[given]
        self._ends = np.append(np.arange(BATCH, n_rows, BATCH), n_rows)  # of pieces, among all rows
        labelled = self._ends if self._missing is None else np.cumsum(~missing)[self._ends - 1]
        self.pieces = np.diff(labelled, prepend=0)
        self._labelled_ends = labelled
        self.n, self.n_columns, self.code = len(self.y), spec.n_columns, spec.code

    def row_of(self, labelled: Ints) -> Ints:
        """Return the positions in the input of labelled rows."""
        return labelled if self._missing is None else np.flatnonzero(~self._missing)[labelled]

    def chosen(self, piece: int, low: float, high: float) -> Ints:
        """Return which labelled rows of a piece have places in a range, counted from the first of the piece."""
        end = self._labelled_ends[piece]
        place = self.place[end - self.pieces[piece] : end]
        return np.flatnonzero((place >= low) & (place < high))

    def read(self, piece: int, low: float, high: float) -> _Singles:
        """Return the features of the rows of a piece whose places are in a range."""
        rows = self.chosen(piece, low, high)
        if not len(rows):
            return np.empty((0, self.n_columns), dtype=np.float32)
        first, last = piece * BATCH, int(self._ends[piece])
        if self._missing is not None:
            rows = np.flatnonzero(~self._missing[first:last])[rows]
        try:
            return _prepare(self._table.read(first, last, rows), self._spec.steps)
        except DataError:
            raise
        except InputError as error:
            raise InputError(f"In rows {first + 1:,} to {last:,}: {error}") from error

    def take(self, low: float, high: float) -> tuple[_Singles, np.ndarray, _Singles]:
        """Return the features, labels and places of all rows with places in a range."""
        inside = (self.place >= low) & (self.place < high)
        X, at = np.empty((int(np.count_nonzero(inside)), self.n_columns), dtype=np.float32), 0
        for piece in range(len(self.pieces)):
            part = self.read(piece, low, high)
            X[at : at + len(part)] = part
            at += len(part)
        return X, self.y[inside], self.place[inside]

    def spec(self) -> Spec:
        """Return what another process needs to open the same rows: ``Rows(spec)``."""
        if not isinstance(self._spec.source, Source) or isinstance(self._spec.source.file.source, bytes):
            raise InputError(
                "Got data in memory, but workers read rows themselves: write them to Parquet and pass the path."
            )
        return self._spec

    @property
    def fingerprint(self) -> str:
        """A digest of the labels, the preparation and the features of some rows."""
        found = blake2b(digest_size=16)
        prepared = [str(getattr(step, "columns_", type(step).__name__)) for step in self._spec.steps]
        classes = None if self.classes is None else self.classes.tolist()
        found.update(repr((self.n, self.task, classes, prepared, self._spec.names)).encode())
        for array in (self.y, self.place, self.read(0, 0.0, 1.0), self.read(len(self.pieces) - 1, 0.0, 1.0)):
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()


def _prepare(X: Any, steps: Sequence[Any]) -> _Singles:
    """Apply fitted preparation to some rows; those of an array that needed none may have gaps."""
    for step in steps:
        data = recognise(X)
        X = step.transform_piece(data) if isinstance(step, TablePreparer) else step.transform(data.native)
    data = recognise(X)
    values = data.X.toarray() if data.form == "sparse" else np.asarray(data.native)
    return values if values.dtype == np.float32 else as_singles([values], len(values))


def _number_groups(beside: Data, table: Any, names: Sequence[str]) -> Ints | None:
    """Return each row's group; None if rows are independent."""
    if beside.groups is not None:
        return read_groups(beside.groups, beside.X.shape[0])[1]
    found = None
    for name in names:
        own = table.codes(name)
        found = own if found is None else np.unique(found * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return found


# Where rows are


def _open_table(spec: Spec, n_rows: int) -> Any:
    if isinstance(spec.source, Data):
        return _InMemory(spec.source, spec.names)
    return _InNpy(spec.source) if spec.source.file.kind == "npy" else _InTable(spec.source, spec, n_rows)


class _InMemory:
    """Rows of an array or a data frame."""

    stretches = None

    def __init__(self, data: Data, names: Sequence[str] | None) -> None:
        self._frame = data.X
        self._X = data.X if names is None else data.X.select(list(names))

    def read(self, first: int, last: int, rows: Ints) -> Any:
        part = self._X[first:last]
        if len(rows) == last - first:
            return part
        return part[rows] if isinstance(part, np.ndarray) else part[rows.tolist()]

    def codes(self, name: str) -> Ints:
        values = read_column(self._frame[name])
        return np.unique(values.data, return_inverse=True)[1]


class _InNpy:
    """Rows of a ``.npy`` file."""

    stretches = None

    def __init__(self, source: Source) -> None:
        array = open_npy(source.file)
        if array is None:
            raise DataError(f"{source.file.shown} is no longer a matrix of numbers. Did it change meanwhile?")
        self._array, self._columns = array, features_of_npy(array, source.asked)

    def read(self, first: int, last: int, rows: Ints) -> Any:
        return self._array.read(first, last)[rows][:, self._columns]


class _InTable:
    """Rows of Parquet, Arrow or CSV files; Parquet is read from any row group on, others in order."""

    def __init__(self, source: Source, spec: Spec, n_rows: int) -> None:
        asked, self._copy = source.asked, fetched(source.file)  # a copy is deleted with this object
        self._table, self._n_rows, self._embedding = open_table(self._copy.__enter__()), n_rows, None
        columns = asked.choose(self._table.names, asked.roles)
        if spec.names is None:  # the columns of a matrix are in one column of lists
            self._embedding = asked.embedding or columns[0]
            columns = [self._embedding]
        else:
            first = spec.steps[0] if spec.steps else None
            unused = {c.name for c in first.columns_ if not c.width} if isinstance(first, TablePreparer) else set()
            columns = [name for name in columns if name in spec.names and name not in unused]
        self._columns = columns
        self._batches: Any = None  # a stream, of which what is left of a batch comes next, at this row
        self._left: Any = None
        self._at = 0

    @property
    def stretches(self) -> Ints | None:
        return None if self._table.groups is None else self._table.groups.n_rows

    def codes(self, name: str) -> Ints:
        column = self._table.read([name], as_text=True).column(0)
        return encode(column, is_csv=False).codes + 1

    def read(self, first: int, last: int, rows: Ints) -> Any:
        with reading(self._table.file):
            piece = self._piece(first, last)
        if len(rows) < last - first:
            piece = piece.take(arrow().array(rows))
        return piece if self._embedding is None else read_embedding_of(piece.column(0), self._embedding)

    def _piece(self, first: int, last: int) -> Any:
        """Return rows of the stream, which is opened again if they are not ahead."""
        if self._batches is None or first < self._at or self._is_in_later_group(first):
            self._open(first)
        parts: list[Any] = []
        while self._at < last:
            if self._left is None or not self._left.num_rows:
                self._left = next(self._batches, None)
                if self._left is None:
                    raise DataError(f"{self._table.file.shown} has fewer rows than before. Did it change meanwhile?")
            n = min((first if self._at < first else last) - self._at, self._left.num_rows)
            if self._at >= first:
                parts.append(self._left.slice(0, n))
            self._left, self._at = self._left.slice(n), self._at + n
        if last == self._n_rows:
            self._batches = self._left = None
        return arrow().Table.from_batches(parts)

    def _is_in_later_group(self, row: int) -> bool:
        if self._table.groups is None or row == self._at:
            return False
        now, wanted = self._table.groups.group_of(np.array([self._at, row]))
        return bool(wanted > now)

    def _open(self, row: int) -> None:
        groups, some = self._table.groups, None
        self._at, self._left = 0, None
        if groups is not None:
            first = int(groups.group_of(np.array([row]))[0])
            some, self._at = np.arange(first, len(groups.n_rows)), int(groups.ends[first] - groups.n_rows[first])
        self._batches = self._table.batches(self._columns, some)
