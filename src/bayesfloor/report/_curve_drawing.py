"""Draw the learning curve as lines, points and labels, with positions in percent so that it fits any width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._make_answer import called
from bayesfloor.engine._show import about, how_many, percent, show_labels, span
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.plotting._answer_display import learner_name
from bayesfloor.plotting._curve_display import curve_ticks
from bayesfloor.report._view import Tick, make_ticks
from bayesfloor.summary._next_step import hardly_falls
from bayesfloor.summary._ruler import round_up

_LEFT, _RIGHT = 4.0, 90.0  # x of the first and the last point; the bar of the range is further right
_TOPS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)  # leading digits allowed for the top of the scale
_NEAR = 10.0  # percent of the width that a label next to the edge needs


@dataclass(frozen=True)
class CurveDrawing:
    """A drawing of size 100 by 100, its labels, and its data as a table."""

    name: str
    answer: str
    points: str
    intervals: str
    measured: str
    predicted: str
    band: str
    estimate: float
    range_: tuple[float, float]  # the bar at the right edge, from top to bottom
    open: bool  # whether it has no lower end
    columns: list[Tick]
    lines: list[Tick]
    cells: list[tuple[str, ...]]
    gains: list[str]


def draw_curve(answer: Answer) -> CurveDrawing | None:
    """Draw the best learner's curve; None if no learner could be trained."""
    curve, there = answer.curve, answer.curve.measured
    if not there.any():
        return None
    top = round_up(max(answer.upper, *curve.error, *curve.high[there], 1e-4), _TOPS)
    x = _across(curve.n_rows, curve.n_rows)
    y, low, high = (_down(error, top) for error in (curve.error, curve.low, curve.high))
    (name,) = show_labels([learner_name(answer.best)], 40)
    return CurveDrawing(
        name=name,
        answer=about(answer.estimate, answer.useful_lower, answer.upper),
        points="".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x[there], y[there], strict=True)),
        intervals="".join(
            f"M{a:.1f} {b:.1f}V{c:.1f}" for a, b, c in zip(x[there], low[there], high[there], strict=True)
        ),
        measured=_path(x[there], y[there]),
        predicted=_path(x[~there], y[~there]),
        band=_path(np.append(x[~there], x[~there][::-1]), np.append(low[~there], high[~there][::-1])),
        estimate=float(_down(answer.estimate, top)),
        range_=(float(_down(answer.upper, top)), float(_down(np.nan_to_num(answer.useful_lower), top))),
        open=bool(np.isnan(answer.useful_lower)),
        columns=_columns(answer),
        lines=[Tick(100 - tick.place, tick.text) for tick in make_ticks(top) if tick.text],
        cells=_cells(answer),
        gains=what_rows_bring(answer),
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


def _columns(answer: Answer) -> list[Tick]:
    """Return the ticks for training rows below the drawing."""
    numbers = curve_ticks(answer)
    places = _across(np.array(numbers), answer.curve.n_rows)
    return [Tick(float(at), f"{n:,}", "start" if at < _NEAR else "") for at, n in zip(places, numbers, strict=True)]


def _cells(answer: Answer) -> list[tuple[str, ...]]:
    """Return the curve as a table, header first."""
    curve = answer.curve
    rows = zip(curve.n_rows, curve.error, curve.low, curve.high, curve.measured, strict=True)
    return [
        ("training rows", "error", "95 % interval", ""),
        *(
            (f"{n:,}", f"{percent(error)} %", span(low, high), "measured" if is_measured else "predicted")
            for n, error, low, high, is_measured in rows
        ),
    ]


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
        said.append(f"Predicted: {'; '.join(dict.fromkeys(_predicted(answer, k) for k in (falling[0], falling[-1])))}.")
    left = now - answer.estimate
    if not hardly_falls(now, answer.estimate):
        said.append(f"Unlimited rows would lower it by about {percent(left)} points, to the lowest possible error.")
    return said


def _predicted(answer: Answer, k: int) -> str:
    curve = answer.curve
    return f"{about(curve.error[k], curve.low[k], curve.high[k])} with {_times(answer, k)}"


def _times(answer: Answer, k: int) -> str:
    """Return how many times as many rows a point of the curve has, and how many that are."""
    curve = answer.curve
    times = f"{curve.n_rows[k] / curve.n_rows[curve.measured][-1]:.2g} times"
    return f"{'twice' if times == '2 times' else times} as many rows ({curve.n_rows[k]:,})"
