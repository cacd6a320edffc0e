"""List suspicious labels, as a table or in a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesfloor.cli._settings import Settings
from bayesfloor.cli._write_table import write_table
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._show import how_many, printable, show_labels
from bayesfloor.floor._results import SampleScores
from bayesfloor.io._data import Data
from bayesfloor.io._label_spellings import find_spellings
from bayesfloor.labels._suspicious_list import most_suspicious
from bayesfloor.summary._phrases import WRONG_OR_OVERLAP
from bayesfloor.summary._text import align, fold, terminal_width

_DROPS = (4, 3)  # columns to drop on a narrow terminal, least important first
_COLUMNS = ("label", "suggested_label", "score", "p_value", "suspect", "conflict", "cross", "degree", "power")


def find_rows(data: Data, settings: Settings, progress: Progress) -> SampleScores:
    """Return the scores of all rows."""
    from bayesfloor.labels._score_labels import suspicious_labels

    how = {**settings.method(progress), **settings.preparing(data)}
    return suspicious_labels(data.X, data.y, groups=data.groups, **how)


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
    lines += align([head, *rows], terminal_width(), _DROPS) if rows else []
    lines += [f"{len(chosen) - most:,} more: --most {len(chosen)}, or -o rows.csv"] if len(chosen) > most else []
    has_columns = not isinstance(data.X, np.ndarray)
    lines += ["names instead of row numbers: --id COLUMN"] if rows and data.ids is None and has_columns else []
    spelled = find_spellings(data.y)
    lines += [f"{spelled.text}: add --clean-labels"] if spelled.alike else []
    return "\n".join(lines)


def write_rows(found: SampleScores, data: Data, path: str, most: int | None, *, keep_formulas: bool = False) -> int:
    """Write the suspicious rows to a file and return how many there are."""
    chosen = most_suspicious(found)[:most]
    columns: dict[str, list[Any]] = {"row": found.row[chosen].tolist()}
    if data.ids is not None:
        columns["id"] = data.ids[found.row[chosen]].tolist()
    columns |= {name: getattr(found, name)[chosen].tolist() for name in _COLUMNS}
    write_table(path, columns, keep_formulas=keep_formulas)
    return len(chosen)
