"""The check as text: one screen or everything, with a ruler of characters, and tables that fit the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

import numpy as np

from bayesfloor.answer._metrics import CLASSES
from bayesfloor.summary._data_findings import Finding
from bayesfloor.summary._figures import answer_figures, evidence_figures, feature_line, head_line, settings_line
from bayesfloor.summary._findings import TOO_SMALL, Measured, class_rows, pair_rows
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
        place = _place(error, end, length)
        if place == best:  # the target's mark moves to the side where the target lies, if there is room
            place += 1 if (error > answer.estimate and best + 1 < length) or not best else -1
        line[place] = "┃"
    line[best] = "◆"
    return f"0 ▕{''.join(line)}▏ {100 * end:.3g} % error  ◆ best{'  ┃ target' if aim else ''}"


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
_LEAST_NEEDED = ("where it goes", "more rows")  # figures that are left out if everything else fills the screen
_SHOWN = 5  # hardest pairs and classes
_PAIR_DROPS = (3, 4)  # columns to drop on a narrow terminal, least important first
_CLASS_DROPS = (5, 3, 4)
# Findings left out on one screen: the user's model has its own line, and how the answer was found needs no action.
ONLY_IN_FULL_TEXT = ("BF403", "BF404", "BF406", "BF202", "BF203", "BF204", "BF205")

Steps = Sequence[tuple[str, str]]  # what to type next, and its purpose in at most 13 characters


def terminal_width() -> int:
    """Return the width of the terminal, within sensible limits; a fixed one if there is no terminal."""
    return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, _NARROWEST), _WIDEST)


def to_text(check: Measured, width: int = WIDTH, gates: Sequence[Gate] = (), steps: Steps | None = None) -> str:
    """Return the answer on one screen: verdict, figures, reliability, the main findings, what to do next."""
    steps = _python_steps(check) if steps is None else steps
    alone = len(gates) == 1 and gates[0].code == "BF301" and gates[0].word != FAILED  # the verdict covers it
    head, last = _verdict_lines(check, width, 2), [_gate_lines(() if alone else gates, width), _step_lines(steps)]
    ways = [(most, ()) for most in range(_FINDINGS, 0, -1)] + [(1, _LEAST_NEEDED[:1]), (1, _LEAST_NEEDED)]
    texts = [
        _join([head, _answer_lines(check, width, without), _finding_lines(check, width, most), *last])
        for most, without in ways
    ]
    return next((text for text in texts if text.count("\n") < _SCREEN), texts[-1])


def to_full_text(check: Measured, width: int = WIDTH, gates: Sequence[Gate] = (), steps: Steps = ()) -> str:
    """Return everything that was measured: the answer, its evidence, the tables and all findings."""
    head = [*_verdict_lines(check, width), *fold(settings_line(check), width)]
    findings = [line for finding in check.findings for line in _hanging_indent(finding.code, finding.text, width)]
    told = [] if check.features is None else [feature_line(check.features)]
    evidence = _three_columns([*evidence_figures(check), *told], width)
    treated = [(cut(name, width // 3), role, treatment) for name, role, treatment in check.prepared.lines()]
    prepared = _three_columns([("column", "read as", "what was done"), *treated], width) if treated else []
    tables = [evidence, *([_table_lines(check, width)] if check.task == CLASSES else []), prepared]
    parts = [head, _answer_lines(check, width), *tables, findings]
    return _join([*parts, _gate_lines(gates, width), _step_lines(steps)])


def _join(parts: Iterable[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(part) for part in parts if part)


def _verdict_lines(check: Measured, width: int, most: int | None = None) -> list[str]:
    """Return the verdict, what was checked, and how it was prepared, the last in a limited number of lines."""
    prepared = _hanging_indent("", str(check.prepared), width, most, left=0) if check.prepared else []
    return [*fold(check.verdict, width), "", *fold(head_line(check), width), *prepared]


def _answer_lines(check: Measured, width: int, without: Sequence[str] = ()) -> list[str]:
    """Return the answer's figures, but for some, with the ruler below the range."""
    lines = []
    for name, text in answer_figures(check):
        if name in without:
            continue
        lines += _hanging_indent(name, text, width)
        if name == "range" and check.answer.of.of_errors:  # the ruler below it is as long as it fits
            fitting = width - _NAMES - (cells(ruler(check)) - LENGTH)
            lines.append(" " * _NAMES + ruler(check, max(10, min(LENGTH, fitting))))
    return lines


def main_findings(check: Measured) -> list[Finding]:
    """Return the findings that need attention; the headline covers the model, and "How we know" the rest."""
    return [finding for finding in check.findings if finding.code not in ONLY_IN_FULL_TEXT]


def _finding_lines(check: Measured, width: int, most: int) -> list[str]:
    found = main_findings(check)
    lines = [line for finding in found[:most] for line in _hanging_indent(finding.code, finding.headline, width, 2)]
    more = len(found) - most
    return [*lines, *(_hanging_indent("", f"and {how_many(more, 'more finding')}", width) if more > 0 else [])]


def _gate_lines(gates: Sequence[Gate], width: int) -> list[str]:
    return [line for gate in gates for line in _hanging_indent(gate.code, f"{gate.word}: {gate.text}", width)]


def _python_steps(check: Measured) -> Steps:
    """Return what to type next in Python, as attributes of the check."""
    table = "frame" if find_spec("pandas") else "to_dict"
    steps = []
    if check.task != CLASSES:
        steps = [(f".odd.{table}()", "check numbers")] if check.odd is not None and len(check.odd.row) else []
    elif check.suspicious.n_suspect:
        steps = [(f".suspicious.{table}()", "check labels")]
    return [*steps, ('.to_html("report.html")', "full report")]


def _step_lines(steps: Steps) -> list[str]:
    """Return the next steps: the purpose of each, and what to type, which is never wrapped."""
    return [pad(does, _NAMES) + typed for typed, does in steps]


def _three_columns(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Align rows of three cells, the last of which is wrapped."""
    left, middle = (max(cells(row[k]) for row in rows) + 2 for k in (0, 1))
    lines = [_hanging_indent(pad(name, left) + value, note, width, left=left + middle) for name, value, note in rows]
    return [line for each in lines for line in each]


def _table_lines(check: Measured, width: int) -> list[str]:
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


def _hanging_indent(name: str, text: str, width: int, most: int | None = None, left: int = _NAMES) -> list[str]:
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
    kept = list(range(len(rows[0])))
    widths = [max(cells(row[k]) for row in rows) for k in kept]
    for k in drop:
        if _total(widths, kept) > width:
            kept.remove(k)
    widths[0] = min(widths[0], max(widths[0] + width - _total(widths, kept), _LEAST))
    shown = [[cut(row[0], widths[0]), *(row[k] for k in kept[1:])] for row in rows]
    widths[0] = max(cells(row[0]) for row in shown)
    lines = ("  ".join(pad(cell, widths[k], right=k > 0) for k, cell in zip(kept, row, strict=True)) for row in shown)
    return [line.rstrip() for line in lines]


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[k] for k in kept) + _GAP * (len(kept) - 1)


def cut(text: str, width: int) -> str:
    """Shorten a string that is too wide, with an ellipsis."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"
