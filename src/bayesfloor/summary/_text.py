"""The summary for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bayesfloor.answer._answer import TOO_HIGH
from bayesfloor.engine._show import amount, cells, how_many, pad, percent, printable, range_text, span
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._pair_tables import TOO_SMALL, class_rows, pair_rows, too_small
from bayesfloor.summary._phrases import accuracy, target_text
from bayesfloor.summary._verdict_text import finds_nothing

HOW = "how we know"
NOT_TOGETHER = "Each range holds with 95 % confidence on its own, not all of them together."
_RULER = 50
_SHOWN = 5  # hardest pairs and classes
_LEARNERS = 3  # with the lowest errors
WIDTH = 100


def to_text(check: Measured, width: int = WIDTH) -> str:
    """All that a reader needs on one screen: the answer, its figures, the tables, what to know."""
    answer = [*_fold(check.verdict, width), "", head_line(check), *_fold(str(check.prepared), width), ""]
    parts = [answer, figure_lines(check, width), table_lines(check)]
    findings = [line for finding in check.findings for line in _item(finding.code, finding.text, width)]
    return "\n".join("\n".join(part) for part in [*parts, findings] if part).replace("\n\n\n", "\n\n").rstrip()


def head_line(check: Measured) -> str:
    """What was looked at, in a line."""
    facts = check.facts
    rows = (
        how_many(facts.n_rows, "row") if facts.n_used == facts.n_rows else f"{facts.n_used:,} of {facts.n_rows:,} rows"
    )
    if check.overall.n_rows > facts.n_used:
        rows = f"{how_many(facts.n_rows, 'row')}, subsampled to {facts.n_used:,} but for the tree bounds"
    told = [rows, how_many(facts.n_features, "feature"), how_many(facts.n_classes, "class"), f"scale {facts.scale}"]
    told += [how_many(facts.n_groups, "group")] if facts.n_groups is not None else []
    told += [how_many(facts.n_trees, "tree"), f"effort {check.answer.effort}"]
    return " · ".join([*([printable(facts.name)] if facts.name else []), *told])


def figure_lines(check: Measured, width: int = WIDTH) -> list[str]:
    """The answer's figures, each by its name."""
    rows = list(figures(check))
    left, middle = (max(cells(row[k]) for row in rows) for k in (0, 1))
    lines = [line for row in rows for line in _figure(*row, left, middle, width)]
    return [*lines, f"{pad('ruler', left)}  {ruler(check)}", ""]


def _figure(name: str, value: str, note: str, left: int, middle: int, width: int) -> list[str]:
    """A figure, its note wrapped beside it."""
    first, *more = _fold(note, width - left - middle - 4) or [""]
    lines = [f"{pad(name, left)}  {pad(value, middle)}  {first}", *(" " * (left + middle + 4) + line for line in more)]
    return [line.rstrip() for line in lines]


def figures(check: Measured) -> Iterator[tuple[str, str, str]]:
    """Names, values and notes of the figures of the whole problem; the tree bounds come last, as mere evidence."""
    answer, overall = check.answer, check.overall
    best = "not clearly better than guessing" if finds_nothing(answer) else "the best that these features allow"
    yield "best estimate", f"{percent(answer.estimate)} % error", f"{accuracy(answer.estimate)} % accuracy, {best}"
    if np.isnan(answer.lower):
        yield "range, lower end", "none", "these data give no lower limit"
    else:
        yield "range, lower end", f"{percent(answer.lower)} %", answer.why_lower
    yield "range, upper end", f"{percent(answer.upper)} %", answer.why_upper
    yield "cross-validated error", *_learners(check)
    yield "guessing", f"{percent(answer.guessing)} %", "always naming the most frequent class"
    yield "reliability", answer.reliability, "; ".join(answer.reasons)
    yield HOW, span(overall.lower, overall.upper), f"tree bounds, {_of_trees(check)}"


def _learners(check: Measured) -> tuple[str, str]:
    """The lowest error, whose it is, and the next."""
    errors = sorted(check.answer.errors.items(), key=lambda item: item[1])
    if not errors:
        return "none", "no learner could be trained"
    (best, least), *others = ((printable(name), f"{percent(error)} %") for name, error in errors[:_LEARNERS])
    then = ", ".join(f"{name} {error}" for name, error in others)
    return least, f"by {best}{'; next ' if then else ''}{then}"


def _of_trees(check: Measured) -> str:
    if check.answer.contradicts(check.overall.lower):
        return TOO_HIGH
    return f"from {percent(check.overall.cross_rate)} % cross-class edges"


def ruler(check: Measured) -> str:
    """The range, from no error to guessing, with the best estimate in it."""
    answer = check.answer
    end = max(answer.guessing, answer.upper, 1e-9)
    line = ["─"] * _RULER
    first, last = (_place(error, end) for error in (np.nan_to_num(answer.lower), answer.upper))
    line[first : last + 1] = "█" * (last + 1 - first)
    line[_place(answer.estimate, end)] = "◆"
    if check.target is not None:
        line[_place(1 - check.target, end)] = "┃"
    aim = "" if check.target is None else f"   ┃ {target_text(check.target)} accuracy"
    return f"0 ▕{''.join(line)}▏ {percent(end)} %   ◆ best estimate{aim}"


def _place(error: float, end: float) -> int:
    return min(_RULER - 1, int(error / end * _RULER))


def table_lines(check: Measured) -> list[str]:
    """The hardest pairs and classes."""
    pairs = pair_cells(check, _SHOWN)
    lines = [*(align(pairs) if len(pairs) > 1 else []), unmeasured(check)]
    if len(check.labels) > 2:  # of two, the pair says it all
        lines += ["", *align(class_cells(check, _SHOWN)), NOT_TOGETHER]
    return [*lines, ""]


def pair_cells(check: Measured, most: int, show: Callable[[str], str] = str) -> list[tuple[str, ...]]:
    """The table of the hardest pairs, its head first; ``show`` makes labels fit for where they go."""
    labels = [show(label) for label in check.labels]
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
    """How many pairs show no confusion."""
    pairs = np.triu_indices(len(check.labels), 1)
    none = int(np.count_nonzero(too_small(check.pairs)[pairs]))
    if not none:
        return f"no pair is {TOO_SMALL}"
    return f"{none:,} of {how_many(len(pairs[0]), 'pair')} {TOO_SMALL}: no confusion in cross-validation"


def class_cells(check: Measured, most: int, show: Callable[[str], str] = str) -> list[tuple[str, ...]]:
    """The table of the hardest classes, its head first; errors are those within the class (1 - recall)."""
    rows = [
        (
            show(check.labels[row.number]),
            f"{percent(row.estimate)} %",
            range_text(row.lower, row.upper),
            f"{percent(row.error)} %",
            f"{percent(row.part)} %",
            amount(row.n_rows),
            row.note,
        )
        for row in class_rows(check, most)
    ]
    return [("hardest classes", "best estimate", "range", "cross-validated", "part of all errors", "rows", ""), *rows]


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their columns one below the other; the first to the left, the others to the right."""
    widths = [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ("  ".join(pad(cell, widths[k], right=k > 0) for k, cell in enumerate(row)) for row in rows)
    return [line.rstrip() for line in lines]


def _item(code: str, text: str, width: int) -> list[str]:
    first, *more = _fold(text, width - 7)
    return [f"{code}  {first}", *(f"       {line}" for line in more)]


def _fold(text: str, width: int) -> list[str]:
    """Lines of at most so many columns, without a number parted from its percent sign."""
    lines = textwrap.wrap(text.replace(" %", "\0%"), max(width, 12), break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0%", " %") for line in lines]
