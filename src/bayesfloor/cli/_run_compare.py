"""Compare representations of the same rows by their cross-class edges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from bayesfloor.cli._console import Output
from bayesfloor.cli._settings import Settings, read, tell_drawn, without_warning
from bayesfloor.engine._address_text import redact
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._show import printable
from bayesfloor.io._data import Data
from bayesfloor.io._messages import DataError, shell
from bayesfloor.selection._comparison import Comparison
from bayesfloor.summary._optional_tables import comparison_cells
from bayesfloor.summary._text import align, fold, terminal_width

_DROPS = (2, 3, 6, 1, 4)  # columns to drop on a narrow terminal, least important first


def check_files(paths: Sequence[str], pca: str | None) -> None:
    """Raise an error, before reading, for files that cannot be compared."""
    if pca is None and len(paths) < 2:
        raise click.UsageError("One file is not enough to compare. Add another file, or --pca 10,20.")
    if pca is not None and len(paths) > 1:
        raise click.UsageError("--pca works with one file only. Leave it out, or pass one file.")
    if len(set(paths)) < len(paths):
        raise click.UsageError("A file is given twice. Pass each file once.")


def read_files(paths: Sequence[str], settings: Settings) -> list[Data]:
    """Read the files, which must have the same rows."""
    found = [read(replace(settings, path=path)) for path in paths]
    for path, data in zip(paths[1:], found[1:], strict=True):
        _refuse_others(paths[0], path, found[0], data)
    return found


def _refuse_others(first: str, path: str, one: Data, two: Data) -> None:
    """Raise an error if a file's rows are not those of the first file."""
    if len(two.y) != len(one.y):
        raise DataError(f"{path} has {len(two.y):,} rows, but {first} has {len(one.y):,}. Expected the same rows.")
    for what in ("y", "ids", "groups"):
        own, other = getattr(one, what), getattr(two, what)
        if own is None:
            continue
        differ = np.array([str(a) != str(b) for a, b in zip(own.tolist(), other.tolist(), strict=True)])
        if differ.any():
            row, noun = int(differ.argmax()), {"y": "label", "ids": "id", "groups": "group"}[what]
            raise DataError(
                f"row {row + 1:,} has the {noun} {printable(other[row])!r} in {path}, but {printable(own[row])!r} in "
                f"{first}. Expected the same rows in the same order."
            )


def compare_files(
    output: Output, paths: Sequence[str], found: list[Data], settings: Settings, progress: Progress
) -> Comparison:
    """Compare the files with each other, or one file with its principal components."""
    from bayesfloor.selection._representations import compare_representations

    if settings.pca is None:
        candidates, X = dict(zip(_names(paths), (data.X for data in found), strict=True)), None
    else:
        X = _numbers(found[0])
        candidates = _components(X, settings.pca, settings.seed)
    with without_warning():
        compared = compare_representations(
            candidates,
            found[0].y,
            X,
            groups=found[0].groups,
            **settings.method(progress),
            **settings.draw_limit(),
        )
    tell_drawn(output, int(compared.n_rows.max()), found[0].y)
    return compared


def _names(paths: Sequence[str]) -> list[str]:
    """Return the file names, with their folders if the names alone are not unique."""
    shown = [redact(path) for path in paths]
    short = [Path(path).name for path in shown]
    return short if len(set(short)) == len(short) else shown


def _numbers(data: Data) -> np.ndarray:
    if isinstance(data.X, np.ndarray):
        return data.X
    values = [column.to_numpy() for column in data.X.columns]
    texts = [name for name, column in zip(data.feature_names, values, strict=True) if column.dtype.kind not in "biuf"]
    if texts:
        drop = shell(["--drop", printable(texts[0])])
        raise DataError(f"column {printable(texts[0])!r} contains text, but --pca needs numbers. Leave it out: {drop}")
    return np.column_stack(values).astype(np.float64)


def _components(X: np.ndarray, sizes: str, seed: int) -> dict[str, Any]:
    """Return the raw features, the standardised ones, and these numbers of principal components of the latter."""
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made: dict[str, Any] = {"raw": X, "standardised": StandardScaler()}
    for size in _sizes(sizes, min(X.shape)):
        made[f"pca-{size}"] = make_pipeline(StandardScaler(), PCA(size, random_state=seed))
    return made


def _sizes(text: str, most: int) -> list[int]:
    parts = text.replace(" ", "").split(",")
    if not all(re.fullmatch("[0-9]{1,9}", part) and 1 <= int(part) <= most for part in parts):
        raise DataError(f"--pca {text} is not a list of sizes. Expected numbers from 1 to {most}, such as --pca 2,5.")
    return sorted({int(part) for part in parts})


def format_comparison(found: Comparison) -> str:
    """Return the comparison as a table and in words."""
    width = terminal_width()
    return "\n".join([*align(comparison_cells(found), width, _DROPS), "", *fold(found.text, width)])
