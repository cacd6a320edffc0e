"""Tables of selections, comparisons and gaps, header first, for every printed output."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from bayesfloor.engine._show import about, amount, how_many, join_labels, percent, show_labels, span
from bayesfloor.engine._types import Ints
from bayesfloor.selection._comparison import Comparison
from bayesfloor.selection._feature_floors import FeatureFloors
from bayesfloor.selection._gap import Gap, GapLines
from bayesfloor.selection._selection_path import SelectionPath
from bayesfloor.summary._phrases import points

Cells = list[tuple[str, ...]]


def path_cells(path: SelectionPath) -> Cells:
    """Return the steps of a selection."""
    names = iter(show_labels([name for step in path.added for name in step]))
    rows = [
        (
            " + ".join(next(names) for _ in step),
            f"{path.n_features[k]:,}",
            f"{percent(path.cross_rate[k])} %",
            points(path.gain[k]),
            f"{points(path.gain_low[k])} to {points(path.gain_high[k])}",
            _mark(path, k),
        )
        for k, step in enumerate(path.added)
    ]
    return [("feature added", "kept", "cross-class edges", "gain (points)", _level(path.level), ""), *rows]


def enough(path: SelectionPath) -> int | None:
    """Return the first step with no more cross-class edges than all features have, or None."""
    found = np.flatnonzero(path.cross_rate <= path.all_cross_rate)
    return int(found[0]) if len(found) else None


def _mark(path: SelectionPath, step: int) -> str:
    if step == enough(path):
        return f"as few cross-class edges as all {path.n_all:,}"
    return "" if path.shown[step] else "no significant gain"


def path_notes(path: SelectionPath) -> list[str]:
    """Return the conclusion, then the notes below the table."""
    whole, kept = (f"{percent(rate)} %" for rate in (path.all_cross_rate, path.cross_rate[-1]))
    told = [
        f"Cross-class edges: {whole} with all {path.n_all:,} features, {kept} with {path.n_features[-1]:,}.",
        f"Chosen on these {path.n_rows:,} rows, so these figures are optimistic.",
    ]
    return [_conclusion(path), *told, "No rows were held out." if path.holdout is None else path.holdout.text]


def _conclusion(path: SelectionPath) -> str:
    """Return which features are enough, or why that cannot be said."""
    names = show_labels([name for step in path.added for name in step])
    if not path.shown.any():
        return "No feature helps significantly: these rows cannot distinguish the features from noise."
    if path.holdout is None:
        return f"{len(names):,} of {path.n_all:,} features selected, not tested on other rows: {join_labels(names)}."
    if path.holdout.word == "worse":
        return f"Keep all {path.n_all:,} features: the {len(names):,} selected are worse on held-out rows."
    rows = how_many(path.holdout.n_rows, "held-out row")
    return f"{len(names):,} of {path.n_all:,} features lose nothing measurable on {rows}: {join_labels(names)}."


def feature_cells(found: FeatureFloors, most: int) -> Cells:
    """Return the features with the lowest floors when used alone."""
    order = found.order[:most]
    rows = [
        (name, span(found.lower[k], found.upper[k]), f"{found.p_value[k]:.2g}", f"{found.benjamini_hochberg[k]:.2g}")
        for name, k in zip(show_labels(found.names[order].tolist()), order.tolist(), strict=True)
    ]
    return [("feature alone", "tree bounds", "p-value", "adjusted"), *rows]


def comparison_cells(found: Comparison) -> Cells:
    """Return the representations, those with the fewest cross-class edges first."""
    rows = [
        (
            name,
            f"{found.n_features[k]:,}",
            f"{found.n_rows[k]:,}",
            f"{percent(found.cross_rate[k])} %",
            f"{percent(found.predicted[k])} %",
            *(_against_best(found, k) if found.word[k] != "best" else ("", "")),
            found.word[k],
        )
        for k, name in enumerate(show_labels(found.names))
    ]
    edges = ("cross-class edges", "predicted", "above the best", _level(found.level))
    return [("representation", "features", "rows", *edges, ""), *rows]


def _against_best(found: Comparison, k: int) -> tuple[str, str]:
    ends = points(found.difference_low[k]), points(found.difference_high[k])
    return points(found.difference[k]), " to ".join(ends)


def gap_cells(found: Gap, most: int) -> Cells:
    """Return the whole problem, the classes, and the pairs with room to improve, largest possible gain first."""
    head = ("", "your model's error", _level(found.level), "lowest possible error", "", "rows")
    names = show_labels(found.classes.tolist())
    one, two = np.triu_indices(len(names), 1)
    lines: list[tuple[str, GapLines, Any]] = [("all classes", found.overall, ())]
    lines += [(names[k], found.by_class, k) for k in _most_won(found.by_class, most).tolist()]
    pairs = _most_won(found.by_pair, most)
    room = pairs[found.by_pair.room[pairs]]
    lines += [(f"{names[one[k]]} and {names[two[k]]}", found.by_pair, k) for k in room.tolist()]
    return [head, *(_gap_row(*line) for line in lines)]


def _most_won(lines: GapLines, most: int) -> Ints:
    """Return the indices of the classes or pairs whose errors exceed the upper end by the most rows."""
    won = np.nan_to_num(lines.error - lines.upper, nan=-1.0) * lines.n_rows
    return np.argsort(-won, kind="stable")[:most]


def _gap_row(name: str, lines: GapLines, place: Any) -> tuple[str, ...]:
    row = {item.name: np.asarray(getattr(lines, item.name))[place].item() for item in fields(lines)}
    return (
        name,
        f"{percent(row['error'])} %",
        span(row["low"], row["high"]),
        about(row["estimate"], row["lower"], row["upper"]),
        row["word"],
        amount(row["n_rows"]),
    )


def _level(level: float) -> str:
    return f"{100 * level:.6g} % interval"
