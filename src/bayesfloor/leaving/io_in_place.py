"""Open the rows of a file without reading them, so that they can be read in pieces; only numbers are supported."""

from __future__ import annotations

from pathlib import Path

from bayesfloor.io._find_file import File
from bayesfloor.io._label_column import Asked, Contents, LabelColumn
from bayesfloor.io._messages import DataError, join_words, refuse_unknown
from bayesfloor.leaving.engine_parquet_rows import column_names
from bayesfloor.leaving.engine_row_handles import open_rows
from bayesfloor.support._files import Address, AddressError, data_files


def open_in_place(file: File, asked: Asked) -> Contents:
    """Return a handle to the features, and the name of the label column."""
    if isinstance(file.source, bytes):
        raise DataError("standard input cannot be read in pieces. Expected a .parquet or .npy file, or a folder.")
    if asked.beside:
        raise DataError(f"--{next(iter(asked.beside))} needs all rows in memory: leave out --engine and --checkpoint.")
    if file.kind not in _OPENERS:
        raise DataError(
            f"{file.shown} cannot be read in pieces: --engine dask and --checkpoint need .parquet or .npy files, or a "
            "folder of .parquet files."
        )
    try:
        return _OPENERS[file.kind](file, file.source, asked)
    except (DataError, AddressError):
        raise
    except (OSError, ValueError) as error:
        raise DataError(str(error)) from error


def _open_parquet(_: File, path: Path | Address, asked: Asked) -> Contents:
    folders = {part for place in data_files(path, (".parquet",)) for part in place.relative_to(path).parts[:-1]}
    if named := sorted(name for name in folders if "=" in name):
        raise DataError(
            f"folders such as {join_words(named, 1)} are columns of the table, which cannot be read in pieces. "
            "Leave out --engine and --checkpoint."
        )
    names = column_names(path)
    if asked.label is None and not asked.labels_elsewhere:
        raise DataError(f"which column is the label? Use -y. Columns: {join_words(names, 12)}.")
    refuse_unknown(asked.named, names)
    columns = [asked.embedding] if asked.embedding else asked.choose(names, asked.roles)
    # The column is read together with the rows.
    labels = None if asked.label is None else LabelColumn(asked.label, asked.label)
    return Contents(open_rows(path, columns), columns, None if asked.labels_elsewhere else labels, {})


def _open_npy(file: File, path: Path | Address, asked: Asked) -> Contents:
    if asked.features or asked.drop or asked.embedding:
        raise DataError(f"{file.shown} has no column names, so -x, --drop and --embedding cannot be used.")
    if not asked.labels_elsewhere:
        raise DataError(f"{file.shown} is read in pieces, so its labels must be in another file: use --labels-file.")
    rows = open_rows(path)
    return Contents(rows, [f"x{k}" for k in range(rows.shape[1])], None, {})


_OPENERS = {"Parquet": _open_parquet, "npy": _open_npy}
