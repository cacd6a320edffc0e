"""Draw the answer as a ruler, one line of characters."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

import numpy as np

from bayesfloor.summary._check_result import Measured
from bayesfloor.summary._figures import (
    TOO_SMALL,
    answer_figures,
    class_rows,
    evidence_figures,
    head_line,
    pair_rows,
    settings_line,
)
from bayesfloor.summary._gates import FAILED, Gate
from bayesfloor.support._words import amount, cells, how_many, pad, percent, range_text, show_labels

LENGTH = 50
_FAR = 0.25  # fraction of guessing: if everything is below it, the ruler ends before guessing


def ruler(check: Measured, length: int = LENGTH) -> str:
    """Draw the range and the best estimate on a ruler from zero error to ``ruler_end``."""
    answer = check.answer
    aim = [] if check.target is None else [1 - check.target]
    end = ruler_end(max(answer.upper, answer.estimate, *aim), answer.guessing)
    line = ["─"] * length
    first, last = (_place(error, end, length) for error in (np.nan_to_num(answer.lower), answer.upper))
    line[first : last + 1] = "█" * (last + 1 - first)
    best = _place(answer.estimate, end, length)
    for error in aim:
        line[_beside(_place(error, end, length), best, length, right=error > answer.estimate)] = "┃"
    line[best] = "◆"
    return f"0 ▕{''.join(line)}▏ {100 * end:.3g} % error  ◆ best{'  ┃ target' if aim else ''}"


def _beside(place: int, best: int, length: int, *, right: bool) -> int:
    """Move the target's mark off that of the best estimate, to the side where the target lies."""
    if place != best:
        return place
    return best + 1 if (right and best + 1 < length) or not best else best - 1


def _place(error: float, end: float, length: int) -> int:
    return min(length - 1, int(error / end * length))


def ruler_end(most: float, guessing: float) -> float:
    """Return the error at which a ruler ends: guessing, or a round number if everything is far below that."""
    if most > _FAR * guessing:
        return max(guessing, most, 1e-9)
    return round_up(max(1.5 * most, 1e-4), (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))


def round_up(wanted: float, steps: tuple[float, ...] = (1, 2, 2.5, 5, 10)) -> float:
    """Round up to the next number whose leading digits are one of these steps."""
    unit = 10.0 ** np.floor(np.log10(wanted))
    return float(next(unit * step for step in steps if unit * step >= wanted))


NOT_TOGETHER = "Each range holds with 95 % confidence on its own, not all of them together."
WIDTH = 100  # of lines that go to a file or a pipe
_WIDEST = 120  # longer lines are hard to read
_NARROWEST = 40
_GAP, _LEAST = 2, 6  # between two columns of a table, and the minimum of its first column
_NAMES = 15  # width of the names of figures, including the gap before their texts
_SCREEN = 24  # lines
_FINDINGS = 3  # on one screen, if they fit
_SHOWN = 5  # hardest pairs and classes
_PAIR_DROPS = (3, 4)  # columns to drop on a narrow terminal, least important first
_CLASS_DROPS = (5, 3, 4)
# Findings left out on one screen: the user's model has its own line, and how the answer was found needs no action.
NOT_HERE = ("BF403", "BF404", "BF406", "BF202", "BF203", "BF204", "BF205")

Steps = Sequence[tuple[str, str]]  # what to type next, and its purpose in at most 13 characters


def terminal_width() -> int:
    """Return the width of the terminal, within sensible limits; a fixed one if there is no terminal."""
    return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, _NARROWEST), _WIDEST)


def to_text(check: Measured, width: int = WIDTH, gates: Sequence[Gate] = (), steps: Steps | None = None) -> str:
    """Return the answer on one screen: verdict, figures, reliability, the main findings, what to do next."""
    steps = _python_steps(check) if steps is None else steps
    alone = len(gates) == 1 and gates[0].code == "BF301" and gates[0].word != FAILED  # the verdict covers it
    first = [_verdict_lines(check, width, 2), _answer_lines(check, width)]
    last = [_gate_lines(() if alone else gates, width), _step_lines(steps)]
    texts = [_join([*first, _main_findings(check, width, most), *last]) for most in range(_FINDINGS, 0, -1)]
    return next((text for text in texts if text.count("\n") < _SCREEN), texts[-1])


def to_full_text(check: Measured, width: int = WIDTH, gates: Sequence[Gate] = (), steps: Steps = ()) -> str:
    """Return everything that was measured: the answer, its evidence, the tables and all findings."""
    head = [*_verdict_lines(check, width), *fold(settings_line(check), width)]
    findings = [line for finding in check.findings for line in _hang(finding.code, finding.text, width)]
    evidence = _three_columns(list(evidence_figures(check)), width)
    tables = [evidence, _table_lines(check, width), _prepared_lines(check, width)]
    parts = [head, _answer_lines(check, width), *tables, findings]
    return _join([*parts, _gate_lines(gates, width), _step_lines(steps)])


def _join(parts: Iterable[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(part) for part in parts if part)


def _verdict_lines(check: Measured, width: int, most: int | None = None) -> list[str]:
    """Return the verdict, what was checked, and how it was prepared, the last in a limited number of lines."""
    prepared = _hang("", str(check.prepared), width, most, left=0) if check.prepared else []
    return [*fold(check.verdict, width), "", *fold(head_line(check), width), *prepared]


def _prepared_lines(check: Measured, width: int) -> list[str]:
    """Return what was done to each column that was not used as it is."""
    rows = [(cut(name, width // 3), role, treatment) for name, role, treatment in check.prepared.lines()]
    return _three_columns([("column", "read as", "what was done"), *rows], width) if rows else []


def _answer_lines(check: Measured, width: int) -> list[str]:
    """Return the answer's figures, with the ruler below the range."""
    lines = []
    for name, text in answer_figures(check):
        lines += _hang(name, text, width)
        if name == "range":
            lines.append(" " * _NAMES + _fitting_ruler(check, width - _NAMES))
    return lines


def _fitting_ruler(check: Measured, width: int) -> str:
    """Draw the ruler as long as it fits."""
    rest = cells(ruler(check)) - LENGTH
    return ruler(check, max(10, min(LENGTH, width - rest)))


def _main_findings(check: Measured, width: int, most: int) -> list[str]:
    """Return the first sentences of the most important findings."""
    found = [finding for finding in check.findings if finding.code not in NOT_HERE]
    lines = [line for finding in found[:most] for line in _hang(finding.code, finding.headline, width, 2)]
    more = len(found) - most
    return [*lines, *(_hang("", f"and {how_many(more, 'more finding')}", width) if more > 0 else [])]


def _gate_lines(gates: Sequence[Gate], width: int) -> list[str]:
    return [line for gate in gates for line in _hang(gate.code, f"{gate.word}: {gate.text}", width)]


def _python_steps(check: Measured) -> Steps:
    """Return what to type next in Python, as attributes of the check."""
    table = "frame" if find_spec("pandas") else "to_dict"
    steps = [(f".suspicious.{table}()", "check labels")] if check.suspicious.n_suspect else []
    return [*steps, ('.to_html("report.html")', "full report")]


def _step_lines(steps: Steps) -> list[str]:
    """Return the next steps: the purpose of each, and what to type, which is never wrapped."""
    return [pad(does, _NAMES) + typed for typed, does in steps]


def _three_columns(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Align rows of three cells, the last of which is wrapped."""
    left, middle = (max(cells(row[k]) for row in rows) + 2 for k in (0, 1))
    lines = [_hang(pad(name, left) + value, note, width, left=left + middle) for name, value, note in rows]
    return [line for each in lines for line in each]


def _table_lines(check: Measured, width: int) -> list[str]:
    """Return the tables of the hardest pairs and classes."""
    labels = show_labels(check.pairwise.classes.tolist(), min(32, max(10, (width - _NARROWEST) // 2)))
    pairs = pair_cells(check, _SHOWN, labels)
    lines = [*(align(pairs, width, _PAIR_DROPS) if len(pairs) > 1 else []), *fold(unmeasured(check), width)]
    lines += ["", *align(class_cells(check, _SHOWN, labels), width, _CLASS_DROPS), *fold(NOT_TOGETHER, width)]
    return lines


def pair_cells(check: Measured, most: int, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the table of the hardest pairs, header first."""
    rows = [
        (
            f"{labels[row.one]} and {labels[row.two]}",
            f"{percent(row.estimate)} %",
            range_text(row.lower, row.upper),
            f"{percent(row.error)} %",
            f"{percent(row.relative)} %",
            row.note,
        )
        for row in pair_rows(check, most)
    ]
    return [("hardest pairs", "best estimate", "range", "cross-validated", "relative to guessing", ""), *rows]


def unmeasured(check: Measured) -> str:
    """Return how many pairs show no confusion."""
    pairs = np.triu_indices(len(check.labels), 1)
    none = int(np.count_nonzero(check.pairs.too_small[pairs]))
    if not none:
        return f"no pair is {TOO_SMALL}"
    return f"{none:,} of {how_many(len(pairs[0]), 'pair')} {TOO_SMALL}: no confusion in cross-validation"


def class_cells(check: Measured, most: int, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the table of the hardest classes, header first; errors are those within the class (1 - recall)."""
    rows = [
        (
            labels[row.number],
            f"{percent(row.estimate)} %",
            range_text(row.lower, row.upper),
            f"{percent(row.error)} %",
            f"{percent(row.part)} %",
            amount(row.n_rows),
            row.note,
        )
        for row in class_rows(check, most)
    ]
    return [("hardest classes", "best estimate", "range", "cross-validated", "of all errors", "rows", ""), *rows]


def _hang(name: str, text: str, width: int, most: int | None = None, left: int = _NAMES) -> list[str]:
    """Return a name followed by a string, wrapped to a limited number of lines."""
    first, *more = fold(text, width - left) or [""]
    if most is not None and len(more) >= most:
        more = [*more[: most - 2], cut(" ".join(more[most - 2 :]), width - left)]
    return [f"{pad(name, left)}{first}".rstrip(), *(" " * left + line for line in more)]


def fold(text: str, width: int) -> list[str]:
    """Wrap a string, keeping numbers and their percent signs together."""
    whole = text.replace(" %", "\0%")
    lines = textwrap.wrap(whole, max(width, 12), break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0%", " %") for line in lines]


def align(rows: Sequence[Sequence[str]], width: int, drop: Sequence[int] = ()) -> list[str]:
    """Align columns, the first to the left and the others to the right.

    If the table is wider than ``width``, the columns in ``drop`` are removed one by one; if that is not enough, the
    first column is shortened.
    """
    shown = _shorten_first(_drop_columns(rows, width, drop), width)
    widths = _widths(shown)
    lines = ("  ".join(pad(cell, widths[k], right=k > 0) for k, cell in enumerate(row)) for row in shown)
    return [line.rstrip() for line in lines]


def _drop_columns(rows: Sequence[Sequence[str]], width: int, drop: Sequence[int]) -> list[list[str]]:
    """Remove columns in the given order until the table fits."""
    kept = list(range(len(rows[0])))
    waiting = list(drop)
    while waiting and _total([[row[k] for k in kept] for row in rows]) > width:
        kept.remove(waiting.pop(0))
    return [[row[k] for k in kept] for row in rows]


def _shorten_first(rows: list[list[str]], width: int) -> list[list[str]]:
    """Shorten the first column's cells by as much as the table is too wide."""
    excess = _total(rows) - width
    if excess <= 0:
        return rows
    most = max(_widths(rows)[0] - excess, _LEAST)
    return [[cut(row[0], most), *row[1:]] for row in rows]


def cut(text: str, width: int) -> str:
    """Shorten a string that is too wide, with an ellipsis."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]


def _total(rows: Sequence[Sequence[str]]) -> int:
    widths = _widths(rows)
    return sum(widths) + _GAP * (len(widths) - 1)
