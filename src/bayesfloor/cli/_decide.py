"""What ``samples``, ``features``, ``compare`` and ``tree`` do with their files; tables are written at the end."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from bayesfloor.answer._make_answer import LEARN_ON
from bayesfloor.answer._pairs_and_classes import pair_answers
from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.cli._options import Settings, read, tell_drawn, without_warning
from bayesfloor.cli._terminal import Output
from bayesfloor.decide._features import FloorSelector, SelectionPath
from bayesfloor.decide._representations import Comparison, compare_representations
from bayesfloor.decide._suspicious import most_suspicious
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._results import SampleScores
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.io._data import Data
from bayesfloor.io._labels import find_spellings
from bayesfloor.io._messages import DataError, shell
from bayesfloor.summary._figures import comparison_cells, grow_class_tree, path_cells, path_notes
from bayesfloor.summary._text import align, fold, terminal_width
from bayesfloor.summary._verdict import WRONG_OR_OVERLAP, spellings_text
from bayesfloor.support._files import redact, write_whole
from bayesfloor.support._results import plain
from bayesfloor.support._tasks import Progress, logging_only
from bayesfloor.support._words import how_many, printable, show_labels

# Columns to drop on a narrow terminal, least important first.
_DROPS_OF_FILES, _DROPS_OF_STEPS, _DROPS_OF_ROWS = (7, 3, 6, 1, 5), (5, 3, 1), (4, 3)


def format_rows(found: SampleScores, data: Data, most: int) -> str:
    """Return the most suspicious rows as a table."""
    chosen = most_suspicious(found)
    classes = np.unique(np.concatenate([found.label, found.suggested_label]))
    shown = dict(zip(classes.tolist(), show_labels(classes.tolist()), strict=True))
    rows = [
        (
            str(found.row[k]) if data.ids is None else printable(data.ids[found.row[k]]),
            shown[found.label[k].item()],
            shown[found.suggested_label[k].item()],
            f"{found.cross[k]:.3g} of {found.degree[k]:.3g}",
            f"{found.p_value[k]:.2g}",
        )
        for k in chosen[:most].tolist()
    ]
    first = "row (first is 0)" if data.ids is None else "id"
    head = (first, "label", "neighbours say", "neighbours of another class", "p-value")
    n = how_many(len(found.row), "label")
    told = f"{len(chosen):,} of {n} disagree with their neighbours: {WRONG_OR_OVERLAP}"
    lines = fold(told if rows else f"None of {n} disagrees with its neighbours", terminal_width())
    lines += align([head, *rows], terminal_width(), _DROPS_OF_ROWS) if rows else []
    lines += [f"{len(chosen) - most:,} more: --most {len(chosen)}, or -o rows.csv"] if len(chosen) > most else []
    lines += ["names instead of row numbers: --id COLUMN"] if rows and data.ids is None and data.form == "frame" else []
    spelled = find_spellings(data.y)
    lines += [f"{spellings_text(spelled)}: add --clean-labels"] if spelled.alike else []
    return "\n".join(lines)


def write_rows(found: SampleScores, data: Data, path: str, most: int | None, *, keep_formulas: bool = False) -> int:
    """Write the suspicious rows to a file and return how many there are."""
    chosen = most_suspicious(found)[:most]
    columns: dict[str, list[Any]] = {"row": found.row[chosen].tolist()}
    if data.ids is not None:
        columns["id"] = data.ids[found.row[chosen]].tolist()
    named = ("label", "suggested_label", "score", "p_value", "suspect", "conflict", "cross", "degree")
    columns |= {name: getattr(found, name)[chosen].tolist() for name in named}
    write_table(path, columns, keep_formulas=keep_formulas)
    return len(chosen)


_MANY = 300  # from this many additions per step on, the expected time is printed
_SECONDS = 0.008  # per addition, on one thread with ten classes


def tell_cost(output: Output, n_features: int) -> None:
    """Warn before a selection that may take long."""
    if n_features <= _MANY:
        return
    seconds, units = _SECONDS * n_features, ((90, 1, "second"), (5400, 60, "minute"), (np.inf, 3600, "hour"))
    unit, noun = next((unit, noun) for most, unit, noun in units if seconds < most)
    takes = f"about {how_many(max(1, round(seconds / unit)), noun)}"
    output.note(f"each step tries {n_features:,} features, which may take {takes}")


def select_features(output: Output, data: Data, settings: Settings, progress: Progress) -> SelectionPath:
    """Select features and return the path."""
    asked: dict[str, Any] = {} if settings.holdout is None else {"holdout": settings.holdout}
    how = {**settings.method(progress), **asked, **settings.preparing(data), **settings.draw_limit()}
    selector = FloorSelector(settings.most or "auto", **how)
    X = data.X
    if data.form != "frame":  # a table with the file's column names
        import pyarrow as pa

        X = pa.table(dict(zip(data.feature_names, data.X.T, strict=True)))
    with without_warning(), logging_only("bayesfloor.decide", logging.ERROR):  # the result has its warnings
        path: SelectionPath = selector.fit(X, data.y, groups=data.groups).path_
    tell_drawn(output, path.n_rows + (0 if path.holdout is None else path.holdout.n_rows), data.y)
    return path


def format_path(path: SelectionPath) -> str:
    """Return the path as a table with notes around it."""
    width = terminal_width()
    first, *notes = (fold(note, width) for note in path_notes(path))
    rest = [line for note in notes for line in note]
    return "\n".join([*first, *align(path_cells(path), width, _DROPS_OF_STEPS), "", *rest])


def write_path(
    output: Output, path: SelectionPath, table: str | None, json_path: str | None, settings: Settings
) -> None:
    """Write the path as a table and as JSON, if requested."""
    if table is not None:
        columns = {name: plain(values) for name, values in path._columns().items()}  # noqa: SLF001 - frame() needs pandas
        write_table(table, columns, keep_formulas=settings.keep_formulas)
        if json_path != "-":
            output.result(printable(table))
    write_json(output, path, json_path)


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
    for what, noun in (("y", "label"), ("ids", "id"), ("groups", "group")):
        own, other = getattr(one, what), getattr(two, what)
        if own is None:
            continue
        # As text, because the same labels may be numbers in one file and text in the other.
        differ = np.array([str(a) != str(b) for a, b in zip(own.tolist(), other.tolist(), strict=True)])
        if differ.any():
            row = int(differ.argmax())
            raise DataError(
                f"row {row + 1:,} has the {noun} {printable(other[row])!r} in {path}, but {printable(own[row])!r} in "
                f"{first}. Expected the same rows in the same order."
            )


def compare_files(
    output: Output, paths: Sequence[str], found: list[Data], settings: Settings, progress: Progress
) -> Comparison:
    """Compare the files with each other, or one file with its principal components."""
    if settings.pca is None:
        candidates, X = dict(zip(_names(paths), (data.X for data in found), strict=True)), None
    else:
        X = _numbers(found[0])
        candidates = _components(X, settings.pca, settings.seed)
    work: dict[str, Any] = {"n_jobs": settings.jobs, "random_state": settings.seed, "progress": progress}
    asked = {"metric": settings.metric[0]} if settings.metric else {}
    how = {"scale": settings.scale, "effort": settings.effort, **asked, **work, **settings.draw_limit()}
    with without_warning():
        compared = compare_representations(candidates, found[0].y, X, groups=found[0].groups, **how)
    if settings.max_rows != 0:
        tell_drawn(output, settings.max_rows or LEARN_ON, found[0].y)
    return compared


def _names(paths: Sequence[str]) -> list[str]:
    shown = [redact(path) for path in paths]
    short = [Path(path).name for path in shown]
    return short if len(set(short)) == len(short) else shown


def _numbers(data: Data) -> np.ndarray:
    if data.form == "matrix":
        return np.asarray(data.X)
    values = [column.to_numpy() for column in data.X.iter_columns()]
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

    parts, most = sizes.replace(" ", "").split(","), min(X.shape)
    if not all(re.fullmatch("[0-9]{1,9}", part) and 1 <= int(part) <= most for part in parts):
        raise DataError(f"--pca {sizes} is not a list of sizes. Expected numbers from 1 to {most}, such as --pca 2,5.")
    made: dict[str, Any] = {"raw": X, "standardised": StandardScaler()}
    for size in sorted({int(part) for part in parts}):
        made[f"pca-{size}"] = make_pipeline(StandardScaler(), PCA(size, random_state=seed))
    return made


def format_comparison(found: Comparison) -> str:
    """Return the comparison as a table and in words."""
    width = terminal_width()
    return "\n".join([*align(comparison_cells(found), width, _DROPS_OF_FILES), "", *fold(found.text, width)])


def grow_file_tree(data: Data, settings: Settings, cut: str, progress: Progress) -> ClassTree:
    """Return the class tree of a file."""
    floor = BayesFloor(**settings.method(progress), **settings.drawing(), **settings.preparing(data))
    with without_warning():
        floor.fit(data.X, data.y, groups=data.groups)
    return grow_class_tree(floor.pairwise_, cut, pair_answers(floor.answer(), floor.classes_))


def write_json(output: Output, found: Any, path: str | None) -> None:
    """Write a result as JSON, to a file or to stdout, if requested."""
    if path is None:
        return
    text = json.dumps(plain(found.to_dict()), allow_nan=False, default=str) + "\n"
    if path == "-":
        output.raw(text)
    else:
        write_whole(path, text)


Columns = dict[str, list[Any]]

# Characters that start a formula in Excel, LibreOffice or Google Sheets; the last four are full-width forms.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def check_ending(path: str | None) -> None:
    """Raise an error for a file type that cannot be written."""
    if path is not None and Path(path).suffix.lower() not in _WRITERS:
        raise DataError(f"{path}: unsupported file type. Expected a name that ends in {' or '.join(_WRITERS)}.")


def write_table(path: str, columns: Columns, *, keep_formulas: bool = False) -> None:
    """Write columns of plain values, completely or not at all; in a CSV, a quote in front disarms formulas."""
    kind = Path(path).suffix.lower()
    if kind == ".csv" and not keep_formulas:
        columns = {_harmless(name): list(map(_harmless, values)) for name, values in columns.items()}
    content = _WRITERS[kind](columns)
    stop_if_asked()
    write_whole(path, content)


def _harmless(cell: Any) -> Any:
    """Put a quote before text that a spreadsheet would run as a formula, as OWASP advises; keep numbers as they are."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell  # labels such as -1 and +1


def _csv(columns: Columns) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _jsonl(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True)), allow_nan=False) + "\n" for row in rows)


def _parquet(columns: Columns) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


_WRITERS: dict[str, Callable[[Columns], str | bytes]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
