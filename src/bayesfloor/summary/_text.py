"""The summary for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesfloor.engine._text import cells, pad, percent, printable, span
from bayesfloor.summary._tables import class_rows, pair_rows
from bayesfloor.summary._words import amount, count, guess, limits, target_text

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check

_RULER = 50
_SHOWN = 5  # hardest pairs and classes
WIDTH = 100


def to_text(check: Check, width: int = WIDTH) -> str:
    """All that a reader needs on one screen."""
    parts = [[head_line(check)], _wrap(check.verdict, width), figure_lines(check), table_lines(check)]
    findings = [line for finding in check.findings for line in _item(finding.code, finding.text, width)]
    return "\n".join("\n".join(part) for part in [*parts, findings] if part).replace("\n\n\n", "\n\n").rstrip()


def head_line(check: Check) -> str:
    """What was looked at, in a line."""
    facts = check.facts
    rows = count(facts.n_rows, "row") if facts.n_used == facts.n_rows else f"{facts.n_used:,} of {facts.n_rows:,} rows"
    if check.overall.n_rows > facts.n_used:
        rows = f"{count(facts.n_rows, 'row')}, {facts.n_used:,} of them drawn for pairs"
    told = [rows, count(facts.n_features, "feature"), count(facts.n_classes, "class"), f"scale {facts.scale}"]
    told += [count(facts.n_groups, "group")] if facts.n_groups is not None else []
    return " · ".join([*([printable(facts.name)] if facts.name else []), *told, count(facts.n_trees, "tree")])


def figure_lines(check: Check) -> list[str]:
    """Bounds, intervals and classifiers, each by its name."""
    rows = [*figures(check), ("ruler", ruler(check), "")]
    left, middle = (max(cells(row[k]) for row in rows if k == 0 or row[2]) for k in (0, 1))
    return [f"{pad(name, left)}  {pad(value, middle)}  {note}".rstrip() for name, value, note in rows] + [""]


def figures(check: Check) -> Iterator[tuple[str, str, str]]:
    """Names, values and notes of the figures of the whole problem."""
    overall, envelope = check.overall, check.envelope
    known = "95 % limits" if envelope.trusted else "95 % limit"
    yield "lowest possible error", f"{limits(envelope)}, {guess(envelope)}", f"by trees and classifiers, {known}"
    yield (
        "bounds by trees",
        span(overall.lower, overall.upper),
        f"from {percent(overall.cross_rate)} % of edges that join two classes",
    )
    low, high = overall.interval()
    yield "interval", span(low, high), "95 % interval of that share of edges"
    errors = sorted(envelope.errors.items(), key=lambda item: item[1])
    yield (
        "classifiers",
        ", ".join(f"{printable(name)} {percent(error)} %" for name, error in errors[:3]),
        "errors on held-out rows",
    )
    yield "guessing", f"{percent(overall.constant_error)} %", "always the largest class"
    yield "trust", check.trust.word, _doubt(check)


def _doubt(check: Check) -> str:
    names = [trait.name for trait in check.trust.weak]
    return f"weak: {', '.join(names)}" if names else "nothing weakens the answer"


def ruler(check: Check) -> str:
    """Where the lowest possible error lies between none and guessing."""
    end = max(check.overall.constant_error, check.envelope.upper, 1e-9)
    line = ["─"] * _RULER
    least = check.envelope.lower if check.envelope.trusted else 0.0
    first, last = (_place(error, end) for error in (least, check.envelope.upper))
    line[first : last + 1] = "█" * (last + 1 - first)
    told = f"0 ▕{''.join(line)}▏ {percent(end)} %"
    if check.target is None:
        return told
    line[_place(1 - check.target, end)] = "┃"
    return f"0 ▕{''.join(line)}▏ {percent(end)} %   ┃ {target_text(check.target)} accuracy"


def _place(error: float, end: float) -> int:
    return min(_RULER - 1, int(error / end * _RULER))


def table_lines(check: Check) -> list[str]:
    """The hardest pairs and classes."""
    classes = ["", *align(class_cells(check, _SHOWN))] if len(check.labels) > 2 else []  # of two, the pair says it all
    return [*_pair_lines(check), *classes, *_warning(check), ""]


def _warning(check: Check) -> list[str]:
    """What to make of bounds that are not to be trusted."""
    if check.envelope.trusted:
        return []
    return [f"these bounds are the trees' own, and may be too high here (trust: {check.trust.word})"]


def _pair_lines(check: Check) -> list[str]:
    rows = pair_cells(check, _SHOWN)
    return [*(align(rows) if len(rows) > 1 else []), unmeasured(check)]


def pair_cells(check: Check, most: int, show: Callable[[str], str] = str) -> list[tuple[str, ...]]:
    """The table of the hardest pairs, its head first; ``show`` makes labels fit for where they go."""
    labels = [show(label) for label in check.labels]
    rows = [
        (
            f"{labels[row.one]} and {labels[row.two]}",
            span(row.lower, row.upper),
            span(row.low, row.high),
            f"{percent(row.held_out)} %",
            f"{row.normalised:.3f}",
        )
        for row in pair_rows(check, most)
    ]
    return [("hardest pairs", "bounds", "95 % interval of the lower", "held out", "normalised"), *rows]


def unmeasured(check: Check) -> str:
    """How many pairs say nothing."""
    pairs = np.triu_indices(len(check.labels), 1)
    none = int(np.count_nonzero(check.pairwise.at_resolution[pairs]))
    if not none:
        return "all pairs measurable" if len(pairs[0]) > 1 else "the pair is measurable"
    share = "no more edges join them than even separate classes share"
    return f"{none:,} of {count(len(pairs[0]), 'pair')} not measurable: {share}"


def class_cells(check: Check, most: int, show: Callable[[str], str] = str) -> list[tuple[str, ...]]:
    """The table of the hardest classes, its head first."""
    rows = [
        (
            show(check.labels[row.number]),
            row.note or span(row.lower, row.upper),
            "" if row.note else span(row.low, row.high),
            "" if row.note else f"{row.normalised:.3f}",
            amount(row.size),
        )
        for row in class_rows(check, most)
    ]
    return [("hardest classes", "bounds, of all rows", "95 % interval of the lower", "normalised", "rows"), *rows]


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their columns one below the other; the first to the left, the others to the right."""
    widths = [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ("  ".join(pad(cell, widths[k], right=k > 0) for k, cell in enumerate(row)) for row in rows)
    return [line.rstrip() for line in lines]


def _wrap(text: str, width: int) -> list[str]:
    return ["", *textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False), ""]


def _item(code: str, text: str, width: int) -> list[str]:
    wrapped = textwrap.wrap(text, width - 7, break_long_words=False, break_on_hyphens=False)
    return [f"{code}  {wrapped[0]}", *(f"       {line}" for line in wrapped[1:])]
