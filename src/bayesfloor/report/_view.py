"""What the templates show: plain values, places in percent, steps of colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._text import printable, show_labels
from bayesfloor.plotting._layout import layout
from bayesfloor.summary._check import Check
from bayesfloor.summary._tables import class_rows, pair_rows
from bayesfloor.summary._words import percent, span, target_text

MOST_CELLS = 40  # classes in the matrix; of more the hardest
MOST_PAIRS = 100  # in the ranked list
MOST_CLASSES = 200
MOST_DRAWN = 60  # classes in the drawing of the tree; more are told as text
STEPS = 10  # of colour
_FAR = 0.25  # of guessing: below, the ruler is cut off before it


class Bar(NamedTuple):
    """A line of a ruler: places in percent of its length; ``mark`` is a single point."""

    name: str
    note: str
    kind: str
    left: float
    width: float
    mark: float | None


@dataclass(frozen=True)
class Ruler:
    """Errors from none to ``end``, with a target in percent of that or None."""

    bars: list[Bar]
    end: str
    guessing: str
    cut: bool
    target: float | None
    target_text: str


def make_ruler(check: Check) -> Ruler:
    """The ruler of the whole problem."""
    overall, envelope = check.overall, check.envelope
    shown = [envelope.upper, overall.upper, overall.interval()[1], *envelope.errors.values()]
    shown += [] if check.target is None else [1 - check.target]
    end = ruler_end(max(shown), overall.constant_error)
    bars = [
        _bar("lowest possible error", "envelope", (envelope.lower, envelope.upper), end, envelope.estimate),
        _bar("bounds by trees", "bounds", (overall.lower, overall.upper), end, overall.estimate),
        _bar("95 % interval of the upper", "interval", overall.interval(), end, overall.cross_rate),
        *(
            _point(f"{printable(name)}, held out", error, end)
            for name, error in sorted(envelope.errors.items(), key=_second)
        ),
    ]
    place = None if check.target is None else min(100.0, 100 * (1 - check.target) / end)
    told = "" if check.target is None else f"{target_text(check.target)} accuracy"
    cut = end < overall.constant_error
    return Ruler(bars, f"{percent(end)} %", f"{percent(overall.constant_error)} %", cut, place, told)


def ruler_end(most: float, guessing: float) -> float:
    """Where a ruler ends: at guessing, or well before where all is far below that."""
    if most > _FAR * guessing:
        return max(guessing, most, 1e-9)
    wanted = max(1.5 * most, 1e-4)
    unit = 10.0 ** np.floor(np.log10(wanted))
    return float(next(unit * step for step in (1, 2, 2.5, 5, 10) if unit * step >= wanted))


def _second(item: tuple[str, float]) -> float:
    return item[1]


def _bar(name: str, kind: str, ends: tuple[float, float], end: float, mark: float | None) -> Bar:
    low, high = (min(100.0, 100 * value / end) for value in ends)
    note = span(*ends) + (f", likely {percent(mark)} %" if kind == "envelope" and mark is not None else "")
    return Bar(name, note, kind, low, max(high - low, 0.3), None if mark is None else min(100.0, 100 * mark / end))


def _point(name: str, value: float, end: float) -> Bar:
    return Bar(name, f"{percent(value)} %", "point", 0.0, 0.0, min(100.0, 100 * value / end))


class Cell(NamedTuple):
    """A cell of the matrix: its text, its step of colour (-1 for none) and what it tells."""

    text: str
    step: int
    title: str


@dataclass(frozen=True)
class Matrix:
    """The matrix of pairs: short and long labels, and rows of cells."""

    labels: list[str]
    titles: list[str]
    rows: list[list[Cell]]
    n_classes: int

    @property
    def part(self) -> bool:
        """Whether some classes are left out."""
        return len(self.labels) < self.n_classes


def make_matrix(check: Check, most: int = MOST_CELLS, *, titles: bool = True) -> Matrix:
    """The matrix of normalised floors, classes in the order of their tree."""
    order = matrix_order(check, most)
    highest = max(float(np.where(check.pairwise.at_resolution, 0.0, check.pairwise.matrix).max()), 1e-9)
    rows = [[_cell(check, i, j, highest, titles=titles) for j in order] for i in order]
    short = show_labels(check.pairwise.classes.tolist(), 16)
    return Matrix([short[k] for k in order], [check.labels[k] for k in order], rows, len(check.labels))


def matrix_order(check: Check, most: int) -> list[int]:
    """Classes in the order of the tree's leaves; of too many those with the hardest pairs."""
    seen = np.where(check.pairwise.at_resolution, 0.0, check.pairwise.matrix)
    hardest = set(np.argsort(-seen.max(axis=1), kind="stable")[:most].tolist())
    return [k for k in layout(check.tree).rows.tolist() if k in hardest]


def _cell(check: Check, i: int, j: int, highest: float, *, titles: bool) -> Cell:
    floor = check.pairwise
    names = f"{check.labels[i]} and {check.labels[j]}"
    if i == j:
        return Cell("", -1, "")
    if floor.at_resolution[i, j]:
        return Cell("·", -1, f"{names}: not measurable" if titles else "")
    told = (
        f"{names}: bounds {span(floor.lower[i, j], floor.upper[i, j])}, held out {percent(check.pair_errors[i, j])} %"
    )
    value = float(floor.matrix[i, j])
    return Cell(_short(value), min(STEPS - 1, int(STEPS * value / highest)), told if titles else "")


def _short(value: float) -> str:
    """A share in percent in two or three characters."""
    return f"{100 * value:.1f}" if value < 0.0995 else f"{100 * value:.0f}"


def pair_table(check: Check, most: int = MOST_PAIRS) -> list[dict[str, Any]]:
    """Ranked pairs, with a bar for the normalised floor."""
    rows = pair_rows(check, most)
    highest = max((row.normalised for row in rows), default=1.0)
    return [
        {
            "one": check.labels[row.one],
            "two": check.labels[row.two],
            "bounds": span(row.lower, row.upper),
            "interval": span(row.low, row.high),
            "held_out": f"{percent(row.held_out)} %",
            "normalised": f"{row.normalised:.3f}",
            "width": 100 * row.normalised / highest,
            "p_value": f"{row.p_value:.2g}",
        }
        for row in rows
    ]


def class_table(check: Check) -> tuple[list[dict[str, Any]], str]:
    """Classes, hardest first, with whiskers; and where their rulers end."""
    rows = class_rows(check, MOST_CLASSES)
    end = ruler_end(max(max(row.upper, row.high) for row in rows), check.overall.constant_error)
    table = [
        {
            "label": check.labels[row.number],
            "size": f"{row.size:,g}",
            "few": row.few,
            "bounds": span(row.lower, row.upper),
            "interval": span(row.low, row.high),
            "bar": _bar("", "bounds", (row.lower, row.upper), end, row.estimate),
            "whisker": _bar("", "interval", (row.low, row.high), end, None),
        }
        for row in rows
    ]
    return table, f"{percent(end)} %"


def row_cards(check: Check, most: int, ids: Any, pictures: dict[int, str], features: Any) -> list[dict[str, Any]]:
    """Rows to look at, each beside its neighbour."""
    scores, rows = check.rows.scores, check.rows
    names = dict(zip(check.pairwise.classes.tolist(), check.labels, strict=True))
    cards = []
    for k in range(min(most, len(rows))):
        row, near = int(scores.row[k]), int(rows.nearest[k])
        cards.append(
            {
                "name": name_of(row, ids),
                "label": names[scores.label[k].item()],
                "suggested": names[scores.suggested_label[k].item()],
                "near": name_of(near, ids) if near >= 0 else "",
                "near_label": names[rows.nearest_label[k].item()],
                "edges": f"{scores.cross[k]:.3g} of {scores.degree[k]:.3g}",
                "p_value": f"{scores.p_value[k]:.2g}",
                "picture": pictures.get(row, ""),
                "near_picture": pictures.get(near, ""),
                "values": values_of(features, row, near),
            }
        )
    return cards


def name_of(row: int, ids: Any) -> str:
    """What a row is called."""
    return f"row {row}" if ids is None else printable(ids[row])


def values_of(features: Any, row: int, near: int) -> list[tuple[str, str, str]]:
    """Features of a row and of its neighbour, if they are to be shown; at most 30."""
    if features is None:
        return []
    if hasattr(features, "column_names"):
        columns = [(printable(name), features[name]) for name in features.column_names[:30]]
        return [(name, _told(values[row].as_py()), _told(values[near].as_py())) for name, values in columns]
    values = np.asarray(features)
    return [(str(k), _told(values[row, k]), _told(values[near, k])) for k in range(min(30, values.shape[1]))]


def _told(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else printable(value)[:60]


class Drawing(NamedTuple):
    """The tree as lines and texts in pixels."""

    width: int
    height: int
    path: str
    labels: list[tuple[int, str]]
    notes: list[tuple[float, float, str]]
    text_at: int


def draw_tree(check: Check) -> Drawing | None:
    """The drawing of the tree of classes, or None where there are too many."""
    if len(check.labels) > MOST_DRAWN:
        return None
    placed, tree, step = layout(check.tree), check.tree, 22
    across = 560  # the deepest split has 15 % of it for its text
    x, y = placed.x * across + 10, placed.y * step + 16
    lines = placed.segments * np.array([across, step]) + np.array([10, 16])
    path = "".join(f"M{a:.0f} {b:.0f}L{c:.0f} {d:.0f}" for (a, b), (c, d) in lines)
    labels = [(16 + step * k, check.labels[c]) for k, c in enumerate(placed.rows.tolist())]
    notes = [(float(x[n]) + 6, float(y[n]) + 4, _note(tree.reason[n])) for n in placed.forks.tolist()]
    return Drawing(across + 300, step * len(check.labels) + 20, path, labels, notes, across + 18)


def _note(reason: str) -> str:
    """The figures of a split without its words."""
    return reason.rpartition(", ")[2] if "hardest across" in reason else ""
