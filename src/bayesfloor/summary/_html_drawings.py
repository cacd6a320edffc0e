"""Drawings for the templates: rulers, the matrix, the class tree and the curve, as positions in percent and text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._learners import called
from bayesfloor.decide._budget import PartName
from bayesfloor.io._data import recognise
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.plotting._curve_display import curve_ticks
from bayesfloor.plotting._display import PAIR_EDGES
from bayesfloor.plotting._forecast_display import learner_name, ranked
from bayesfloor.plotting._pairwise_display import short_percent
from bayesfloor.plotting._predicted_display import place_rows
from bayesfloor.summary._figures import doubt_about_trees
from bayesfloor.summary._findings import TOO_SMALL, Measured, class_rows, hardest_pairs, pair_rows
from bayesfloor.summary._next import budget_lines, budget_title, hardly_falls
from bayesfloor.summary._text import class_cells, pair_cells, round_up, ruler_end
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import (
    about,
    cells,
    how_many,
    number_text,
    percent,
    show_labels,
    span,
    target_text,
    without_shared_prefix,
)

MOST_CELLS = 40  # classes in the matrix; if there are more, only the hardest are shown
MOST_PAIRS = 100  # in the ranked list
MOST_CLASSES = 200
MOST_DRAWN = 60  # classes in the drawing of the class tree; with more, it is text only
_FEATURES = 30  # shown per row
_MATRIX_LABEL = 22  # characters
_ID = 48  # characters in the name of a row
_ROOM = 0.82  # ticks beyond this fraction of the ruler have no text, because it would hit the text at the end
_LEARNER = 40  # characters in the name of a learner


class Tick(NamedTuple):
    """A position on a ruler in percent, its label, and whether the label starts, ends or is centred there."""

    place: float
    text: str
    side: str = ""


class Line(NamedTuple):
    """A line of a ruler: an optional range and an optional single point, first as errors, then in percent of it."""

    name: str
    note: str
    kind: str
    ends: tuple[float, float] | None
    mark: float | None


_KINDS = {PartName.STAY: "stay", PartName.ROWS: "rows", PartName.MODEL: "model", PartName.STAY_OR_ROWS: "either"}


def split_error(check: Measured) -> SimpleNamespace | None:
    """Return the bar of the budget, in segments; None if there is none, or nothing to divide."""
    budget = check.budget
    if budget is None or len(budget.parts) < 2 or budget.error <= 0:
        return None
    lines = list(budget_lines(budget))
    parts = [
        SimpleNamespace(kind=_KINDS[part.name], width=100 * part.loss / budget.error, text=text)
        for part, text in zip(budget.parts, lines, strict=False)
    ]
    inside = "; ".join(lines[len(parts) :]) if len(lines) > len(parts) + 1 else ""
    return SimpleNamespace(title=budget_title(budget, check.answer), parts=parts, inside=inside)


def make_ruler(check: Measured) -> SimpleNamespace:
    """Draw the answer on a number line, with the user's model above and the best learner below it."""
    return _ruler(check, [*_model_line(check), _answer_line(check), *_learner_lines(check)[:1]])


def evidence_ruler(check: Measured) -> SimpleNamespace:
    """Draw the evidence for the answer: all learners, and the tree bounds for comparison."""
    ends, doubt = (check.overall.lower, check.overall.upper), doubt_about_trees(check)
    trees = Line("tree bounds", span(*ends) + (f", {doubt}" if doubt else ""), "trees", ends, None)
    return _ruler(check, [*_model_line(check), _answer_line(check), *_learner_lines(check), trees])


def _model_line(check: Measured) -> list[Line]:
    if check.gap is None:
        return []
    whole = check.gap.overall
    tested = "" if whole.n_rows == check.facts.n_used else f" ({whole.n_rows:,} rows)"
    note = f"{percent(whole.error)} % ({span(whole.low, whole.high)})"
    return [Line(f"your model{tested}", note, "model", (whole.low, whole.high), whole.error)]


def _answer_line(check: Measured) -> Line:
    answer = check.of_errors
    ends = answer.estimate, answer.useful_lower, answer.upper
    return _range_line("lowest possible error", about(*ends), *ends)


def _range_line(name: str, note: str, estimate: float, lower: float, upper: float) -> Line:
    """Return a line with a range and its best estimate; without a lower end, it starts at 0."""
    if np.isnan(lower):
        return Line(name, note, "range open", (0.0, upper), estimate)
    return Line(name, note, "range", (lower, upper), estimate)


def _learner_lines(check: Measured) -> list[Line]:
    """Return the lines with cross-validated errors, smallest first."""
    names = show_labels([learner_name(name) for name, _ in ranked(check.of_errors)], _LEARNER)
    found = zip(names, ranked(check.of_errors), strict=True)
    return [Line(f"{name}, cross-validated", f"{percent(error)} %", "point", None, error) for name, (_, error) in found]


def _ruler(check: Measured, lines: list[Line]) -> SimpleNamespace:
    """Return a number line of errors from 0 to an end, with an optional target."""
    guessing, target = check.of_errors.guessing, None
    shown = [value for line in lines for value in (*(line.ends or ()), line.mark) if value is not None]
    aim = None if check.target is None or not check.answer.of.of_errors else check.answer.of.loss(check.target)
    end = ruler_end(max([*shown, *([] if aim is None else [aim])]), guessing)
    if aim is not None:
        place = _place(aim, end)
        side = "start" if place < 12 else "end" if place > 88 else ""  # a centred label would stick out of the ruler
        target = Tick(place, f"{target_text(check.target or 0.0)} accuracy", side)
    guess = f"guessing: {percent(guessing)} %{' →' if end < guessing else ''}"
    bars, ticks = [_placed(line, end) for line in lines], make_ticks(end)
    return SimpleNamespace(bars=bars, ticks=ticks, end=_round(end), guessing=guess, target=target)


def _round(error: float) -> str:
    return f"{100 * error:.3g} %"


def make_ticks(end: float) -> list[Tick]:
    """Return ticks at round numbers from 0, and at the end; ticks too close to the end have no text."""
    step = round_up(end / 5)
    parts = [k * step / end for k in range(1, 5) if k * step < end]
    inner = [Tick(100 * part, _round(part * end) if part < _ROOM else "") for part in parts]
    return [Tick(0.0, "0 %", "start"), *inner, Tick(100.0, _round(end), "end")]


def _placed(line: Line, end: float) -> Line:
    mark = None if line.mark is None else _place(line.mark, end)
    if line.ends is None:
        return line._replace(mark=mark)
    low, high = (_place(value, end) for value in line.ends)
    return line._replace(ends=(low, max(high, low + 0.3)), mark=mark)  # wide enough to be seen


def _place(value: float, end: float) -> float:
    return min(100.0, 100 * value / end)


class Cell(NamedTuple):
    """A cell of the matrix: its text, its kind ("s0" to "s9" by colour, "none" on the diagonal) and its tooltip."""

    text: str
    kind: str
    title: str


@dataclass(frozen=True)
class Matrix:
    """The matrix of pairs: short labels, full labels and rows of cells."""

    labels: list[str]
    titles: list[str]
    rows: list[list[Cell]]
    n_classes: int

    @property
    def part(self) -> bool:
        """Whether some classes are left out."""
        return len(self.labels) < self.n_classes

    @property
    def upright(self) -> bool:
        """Whether all labels fit above their columns without rotation."""
        return all(cells(label) <= 2 for label in self.labels)


def make_matrix(check: Measured, most: int = MOST_CELLS, *, titles: bool = True) -> Matrix:
    """Build the matrix of best estimates relative to guessing, with classes in the order of the class tree."""
    order = matrix_order(check, most)
    short = show_labels(without_shared_prefix(check.pairwise.classes.tolist()), _MATRIX_LABEL)
    names = short if titles else None
    rows = [[_cell(check, i, j, names) for j in order] for i in order]
    return Matrix([short[k] for k in order], [check.labels[k] for k in order], rows, len(check.labels))


def matrix_scale() -> list[Cell]:
    """Return the legend of the matrix: one cell per colour, with the error where it starts."""
    texts = [f"{100 * edge:.3g}" for edge in PAIR_EDGES]
    return [Cell(start, f"s{step}", f"{start} to {end} %") for step, (start, end) in enumerate(pairwise(texts))]


def matrix_order(check: Measured, most: int) -> list[int]:
    """Return classes in the order of the tree's leaves; if there are too many, those with the hardest pairs."""
    ranked = np.column_stack(hardest_pairs(check)).ravel().tolist()
    kept = set(list(dict.fromkeys([*ranked, *range(len(check.labels))]))[:most])
    return [k for k in layout(check.tree).rows.tolist() if k in kept]


def _cell(check: Measured, i: int, j: int, names: list[str] | None) -> Cell:
    """Return a cell, with a tooltip if names are given."""
    pairs, pair = check.pairs, f"{names[i]} and {names[j]}" if names else ""
    if i == j:
        return Cell("", "none", "")
    if not pairs.error[i, j] > 0:
        return Cell("·", "", pair and f"{pair}: {TOO_SMALL}")
    value, figures = float(pairs.relative[i, j]), about(pairs.estimate[i, j], pairs.lower[i, j], pairs.upper[i, j])
    step = int(np.searchsorted(PAIR_EDGES[1:-1], value, side="right"))
    return Cell(short_percent(value), f"s{step}", pair and f"{pair}: error {figures}")


def pair_table(check: Measured, most: int = MOST_PAIRS) -> list[dict[str, Any]]:
    """Return the ranked pairs, with a bar for the error relative to guessing."""
    rows = pair_rows(check, most)
    highest = max((row.relative for row in rows), default=0.0) or 1.0
    names = ("pair", "estimate", "range", "error", "relative", "note")
    texts = [dict(zip(names, line, strict=True)) for line in pair_cells(check, most, check.labels)[1:]]
    return [
        {
            **text,
            "one": check.labels[row.one],
            "two": check.labels[row.two],
            "figures": about(row.estimate, row.lower, row.upper),
            "width": 100 * row.relative / highest,
        }
        for row, text in zip(rows, texts, strict=True)
    ]


def class_table(check: Measured) -> tuple[list[dict[str, Any]], str]:
    """Return the classes with their ranges, hardest first, and where their rulers end."""
    rows = class_rows(check, MOST_CLASSES)
    end = ruler_end(max([row.upper for row in rows if not row.note] or [row.upper for row in rows]), 1.0)
    names = ("label", "estimate", "range", "error", "part", "rows", "note")
    texts = [dict(zip(names, line, strict=True)) for line in class_cells(check, MOST_CLASSES, check.labels)[1:]]
    table = [
        {
            **text,
            "figures": about(row.estimate, row.lower, row.upper),
            "bar": _placed(_range_line("", "", row.estimate, row.lower, row.upper), end),
        }
        for row, text in zip(rows, texts, strict=True)
    ]
    return table, _round(end)


def row_cards(check: Measured, most: int, ids: Any, pictures: dict[int, str], features: Any) -> list[dict[str, Any]]:
    """Return rows with suspicious labels, each with its nearest neighbour of another class."""
    scores, rows = check.suspicious.scores, check.suspicious
    labels = dict(zip(check.pairwise.classes.tolist(), check.labels, strict=True))
    places = list(zip(scores.row[:most].tolist(), rows.nearest[:most].tolist(), strict=True))
    names = row_names([row for pair in places for row in pair], ids)
    return [
        {
            "name": names[row],
            "label": labels[scores.label[k].item()],
            "suggested": labels[scores.suggested_label[k].item()],
            "near": names.get(near, ""),
            "near_label": labels[rows.nearest_label[k].item()],
            "edges": f"{scores.cross[k]:.3g} of {scores.degree[k]:.3g} disagree",
            "picture": pictures.get(row, ""),
            "near_picture": pictures.get(near, ""),
            "values": values_of(features, row, near),
        }
        for k, (row, near) in enumerate(places)
    ]


def row_names(rows: Iterable[int], ids: Any) -> dict[int, str]:
    """Return the names of rows: their ids, shortened if long, but always distinct."""
    known = [row for row in rows if row >= 0]
    if ids is None:
        return {row: f"row {row}" for row in known}
    ids = getattr(ids, "iloc", ids)  # pandas would look up labels, but rows are positions
    texts = {row: str(ids[row]) for row in known}
    different = list(dict.fromkeys(texts.values()))
    short = dict(zip(different, show_labels(different, _ID), strict=True))
    return {row: short[text] for row, text in texts.items()}


def values_of(features: Any, row: int, near: int) -> list[tuple[str, str, str]]:
    """Return the features of a row and of its neighbour, at most 30; none if features are not given."""
    if features is None:
        return []
    data = recognise(features)
    if data.form == "frame":
        shown = data.X.columns[:_FEATURES]
        columns = [(name, data.X[column]) for name, column in zip(show_labels(shown), shown, strict=True)]
    else:
        columns = [(str(k), data.X[:, k]) for k in range(min(_FEATURES, data.X.shape[1]))]
    return [(name, _value(values[row]), _value(values[near]) if near >= 0 else "") for name, values in columns]


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else show_labels([value], 60)[0]


def tree_text(check: Measured) -> str:
    """Return the class tree as text, with the short labels of the page."""
    return replace(check.tree, classes=np.array(check.labels)).to_text()


def draw_tree(check: Measured) -> SimpleNamespace:
    """Draw the class tree as text, and as lines and labels in pixels; with too many classes it has no width."""
    if len(check.labels) > MOST_DRAWN:
        return SimpleNamespace(text=tree_text(check), width=0)
    placed, tree, step = layout(check.tree), check.tree, 22
    across = 720  # the text of the deepest split gets 15 % of it
    x, y = placed.x * across + 10, placed.y * step + 16
    last = placed.segments[:, 1, 0] == 1
    lines = placed.segments * np.array([across, step]) + np.array([10, 16])
    labels = [(16 + step * k, check.labels[c]) for k, c in enumerate(placed.rows.tolist())]
    figures = [tree.reason[n].rpartition(", error about ")[1:] for n in tree.splits.tolist()]  # without the words
    notes = [
        (float(x[n]) + 6, float(y[n]) + 4, figure if words else "")
        for n, (words, figure) in zip(tree.splits.tolist(), figures, strict=True)
    ]
    # The browser chooses the font, so the width in pixels is a cautious guess.
    lengths = [sum(14 if letter in "MWmw@%…" else 9 * cells(letter) for letter in label) for label in check.labels]
    width = across + 30 + max(lengths)
    height = step * len(check.labels) + 10
    leads, path = (
        "".join(f"M{a:.0f} {b:.0f}L{c:.0f} {d:.0f}" for (a, b), (c, d) in part) for part in (lines[last], lines[~last])
    )
    return SimpleNamespace(
        text=tree_text(check),
        width=width,
        height=height,
        leads=leads,  # lines that end at a label
        path=path,
        labels=labels,
        notes=notes,
        text_at=across + 18,
    )


_LEFT, _RIGHT = 4.0, 90.0  # x of the first and the last point; the bar of the range is further right
_TOPS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)  # leading digits allowed for the top of the scale
_POINTS = 1_000  # in the drawing of predictions
_NEAR = 10.0  # percent of the width that a label next to the edge needs


def draw_curve(answer: Answer) -> SimpleNamespace | None:
    """Draw the best learner's curve, of size 100 by 100, with its data as a table; None if there is no learner."""
    curve, there = answer.curve, answer.curve.measured
    if not there.any():
        return None
    # The scale ends above everything drawn on it; intervals of predictions may be cut off.
    top = round_up(max(answer.upper, *curve.error, *curve.high[there], 1e-4), _TOPS)
    x = _across(curve.n_rows, curve.n_rows)
    y, low, high = (_down(error, top) for error in (curve.error, curve.low, curve.high))
    # Paths of points and lines, in percent of the drawing; the page stretches it but not its strokes.
    ticks = curve_ticks(answer)
    places = _across(np.array(ticks), curve.n_rows)
    return SimpleNamespace(
        name=show_labels([learner_name(answer.best)], _LEARNER)[0],
        answer=about(answer.estimate, answer.useful_lower, answer.upper),
        points="".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x[there], y[there], strict=True)),
        intervals="".join(
            f"M{a:.1f} {b:.1f}V{c:.1f}" for a, b, c in zip(x[there], low[there], high[there], strict=True)
        ),
        measured=_path(x[there], y[there]),
        predicted=_path(x[~there], y[~there]),
        band=_path(np.append(x[~there], x[~there][::-1]), np.append(low[~there], high[~there][::-1])),
        estimate=float(_down(answer.estimate, top)),
        # The bar at the right edge, from top to bottom, and whether it has no lower end.
        range_=(float(_down(answer.upper, top)), float(_down(np.nan_to_num(answer.useful_lower), top))),
        open=bool(np.isnan(answer.useful_lower)),
        columns=[Tick(float(at), f"{n:,}", "start" if at < _NEAR else "") for at, n in zip(places, ticks, strict=True)],
        lines=[Tick(100 - tick.place, tick.text) for tick in make_ticks(top) if tick.text],
        cells=_cells(answer),
        gains=what_rows_bring(answer),
    )


def draw_scatter(check: Measured) -> SimpleNamespace | None:
    """Draw true numbers against predicted ones, of size 100 by 100; None if these are not known, as in a file."""
    answer = {**check.beside, check.answer.metric: check.answer}.get("rmse", check.answer)
    if answer.race is None or not answer.best:
        return None
    found = place_rows(answer, check.odd, _POINTS)
    low, high = found.ends.tolist()

    def points(x: Floats, y: Floats) -> str:
        places = zip(100 * (x - low) / (high - low), 100 * (high - y) / (high - low), strict=True)
        return "".join(f"M{a:.1f} {b:.1f}h0" for a, b in places)

    reach = min(100.0, 100 * found.reach / (high - low))
    corners = (0, 100), (0, 100 - reach), (100 - reach, 0), (100, 0), (100, reach), (reach, 100)
    step = round_up((high - low) / 5)
    values = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    columns = [Tick(float(100 * (value - low) / (high - low)), f"{value:,.6g}") for value in values]
    return SimpleNamespace(
        points=points(found.predicted, found.y),
        odd=points(*found.odd),
        band=f"M{' '.join(f'{x:.1f} {y:.1f}' for x, y in corners)}Z",
        columns=columns,
        lines=[Tick(100 - tick.place, tick.text) for tick in columns],
        reach=f"±{number_text(found.reach, 3)}, 1.96 times {found.unit}",
    )


def _across(n: Ints, all_n: Ints) -> Floats:
    """Return the x positions of row counts, on a logarithmic scale."""
    first, last = np.log(all_n[0]), np.log(max(all_n[-1], all_n[0] + 1))
    return np.asarray(_LEFT + (_RIGHT - _LEFT) * (np.log(n) - first) / (last - first))


def _down(error: Floats | float, top: float) -> Floats:
    """Return the y positions of errors, with 0 at the bottom."""
    return np.asarray(100 - 100 * np.minimum(1.0, np.asarray(error) / top))


def _path(x: Floats, y: Floats) -> str:
    places = " ".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    return f"M{places}" if places else ""


def _cells(answer: Answer) -> list[tuple[str, ...]]:
    """Return the curve as a table, header first."""
    curve = answer.curve
    rows = [
        (f"{n:,}", f"{percent(error)} %", span(low, high), "measured" if is_measured else "predicted")
        for n, error, low, high, is_measured in zip(
            curve.n_rows, curve.error, curve.low, curve.high, curve.measured, strict=True
        )
    ]
    return [("training rows", "error", "95 % interval", ""), *rows]


def what_rows_bring(answer: Answer) -> list[str]:
    """Say how much the best learner would gain from more rows, in sentences; none if no learner could be trained."""
    curve, there = answer.curve, answer.curve.measured
    if not there.any():
        return []
    n, now = int(curve.n_rows[there][-1]), float(curve.error[there][-1])
    said = [f"With {how_many(n, 'training row')}, {called(answer.best)} has an error of {percent(now)} %."]
    ahead = np.flatnonzero(~there)
    if len(ahead) and hardly_falls(now, curve.error[ahead[-1]]):
        return [*said, f"Even {_times(answer, ahead[-1])} would hardly lower it."]
    if len(ahead):
        falling = [k for k in ahead.tolist() if not hardly_falls(now, curve.error[k])]
        ends = dict.fromkeys((falling[0], falling[-1]))
        told = (f"{about(curve.error[k], curve.low[k], curve.high[k])} with {_times(answer, k)}" for k in ends)
        said.append(f"Predicted: {'; '.join(told)}.")
    left = now - answer.estimate
    if not hardly_falls(now, answer.estimate):
        said.append(f"Unlimited rows would lower it by about {percent(left)} points, to the lowest possible error.")
    return said


def _times(answer: Answer, k: int) -> str:
    """Return how many times as many rows a point of the curve has, and how many that are."""
    curve = answer.curve
    times = f"{curve.n_rows[k] / curve.n_rows[curve.measured][-1]:.2g} times"
    return f"{'twice' if times == '2 times' else times} as many rows ({curve.n_rows[k]:,})"
