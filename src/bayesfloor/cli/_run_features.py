"""Find the features worth keeping: by selection, or by each feature's own floor."""

from __future__ import annotations

import json
import logging
from typing import Any

import click
import numpy as np

from bayesfloor.cli._console import Output
from bayesfloor.cli._settings import Settings, flag_of, tell_drawn, without_warning
from bayesfloor.cli._write_table import write_table
from bayesfloor.engine._atomic_write import write_whole
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._quiet import logging_only
from bayesfloor.engine._result import plain
from bayesfloor.engine._show import how_many, printable
from bayesfloor.io._data import Data
from bayesfloor.selection._feature_floors import FeatureFloors
from bayesfloor.selection._selection_path import SelectionPath
from bayesfloor.summary._optional_tables import feature_cells, path_cells, path_notes
from bayesfloor.summary._text import align, fold, terminal_width

_DROPS, _ALONE_DROPS = (5, 3, 1), (2,)  # columns to drop on a narrow terminal, least important first
_PRINTED = 30  # features to print by default with --filter
_MANY = 300  # from this many additions per step on, the expected time is printed
_SECONDS = {"overall": 0.008, "mean": 0.02, "worst": 0.02}  # per addition, on one thread with ten classes
_NOT_ALONE = ("pairs", "criterion", "holdout", "groups", "max_rows")


def refuse_unheeded(settings: Settings) -> None:
    """Raise an error for options that have no effect with ``--filter``."""
    for flag in (flag_of(name) for name in _NOT_ALONE if getattr(settings, name)):
        raise click.UsageError(f"--filter rates each feature on its own, without {flag}. Leave out one of them.")


def tell_cost(output: Output, n_features: int, *, pairs: bool = False, criterion: str | None = None) -> None:
    """Warn before a selection that may take long."""
    seconds = _SECONDS[criterion or "overall"]
    tried = n_features * (n_features + 1) // 2 if pairs else n_features
    if tried > _MANY:
        each = "features and pairs" if pairs else "features"
        output.note(
            f"each step tries {tried:,} {each}, which may take {_duration(seconds * tried)}; "
            "--filter rates each feature on its own, in seconds"
        )


def _duration(seconds: float) -> str:
    steps = ((90, 1, "second"), (5400, 60, "minute"), (np.inf, 3600, "hour"))
    return next(
        f"about {how_many(max(1, round(seconds / unit)), noun)}" for most, unit, noun in steps if seconds < most
    )


def select_features(output: Output, data: Data, settings: Settings, progress: Progress) -> SelectionPath:
    """Select features and return the path."""
    from bayesfloor.selection._floor_selector import FloorSelector

    asked: dict[str, Any] = {"criterion": settings.criterion, "holdout": settings.holdout}
    selector = FloorSelector(
        settings.most or "auto",
        start="pairs" if settings.pairs else "single",
        **settings.method(progress),
        **{name: value for name, value in asked.items() if value is not None},
        **settings.preparing(data),
        **settings.draw_limit(),
    )
    with without_warning(), logging_only("bayesfloor.selection", logging.ERROR):  # the result has its warnings
        path: SelectionPath = selector.fit(_named(data), data.y, groups=data.groups).path_
    tell_drawn(output, path.n_rows + (0 if path.holdout is None else path.holdout.n_rows), data.y)
    return path


def floors_alone(_: Output, data: Data, settings: Settings, progress: Progress) -> FeatureFloors:
    """Return each feature's own floor."""
    from bayesfloor.selection._feature_floors import feature_floors

    return feature_floors(_named(data), data.y, n_jobs=settings.jobs, progress=progress)


def _named(data: Data) -> Any:
    """Return the features as a table with the file's column names."""
    if not isinstance(data.X, np.ndarray):
        return data.X
    import pyarrow as pa

    return pa.table(dict(zip(data.feature_names, data.X.T, strict=True)))


def format_found(found: SelectionPath | FeatureFloors, most: int | None) -> str:
    """Return the result as a table."""
    return _format_path(found) if isinstance(found, SelectionPath) else _format_floors(found, most)


def _format_path(path: SelectionPath) -> str:
    width = terminal_width()
    first, *notes = (fold(note, width) for note in path_notes(path))
    return "\n".join([*first, *align(path_cells(path), width, _DROPS), "", *(line for note in notes for line in note)])


def _format_floors(found: FeatureFloors, most: int | None) -> str:
    most, n_all = most or _PRINTED, len(found.names)
    told = np.count_nonzero(found.benjamini_hochberg <= 0.05)
    first = f"{told:,} of {how_many(n_all, 'feature')} predict the label on their own (false discovery rate 5 %)"
    more = [f"{n_all - most:,} more: --most {n_all}, or -o features.csv"] if n_all > most else []
    return "\n".join(
        [*fold(first, terminal_width()), *align(feature_cells(found, most), terminal_width(), _ALONE_DROPS), *more]
    )


def write_found(
    output: Output, found: Any, path: str | None, json_path: str | None, *, keep_formulas: bool = False
) -> None:
    """Write a result as a table and as JSON, if requested; ``FeatureFloors`` are written lowest floor first."""
    if path is not None:
        columns = {name: np.asarray(values) for name, values in found._columns().items()}  # noqa: SLF001 - frame() needs pandas
        if isinstance(found, FeatureFloors):
            columns = {name: values[found.order] for name, values in columns.items()}
        write_table(path, {name: plain(values) for name, values in columns.items()}, keep_formulas=keep_formulas)
        if json_path != "-":
            output.result(printable(path))
    write_json(output, found, json_path)


def write_json(output: Output, found: Any, path: str | None) -> None:
    """Write a result as JSON, to a file or to stdout."""
    if path is None:
        return
    text = json.dumps(plain(found.to_dict()), allow_nan=False, default=str) + "\n"
    if path == "-":
        output.raw(text)
    else:
        write_whole(path, text)
