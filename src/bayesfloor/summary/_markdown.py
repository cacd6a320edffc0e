"""The summary as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesfloor.summary._gates import Gate
from bayesfloor.summary._tables import class_rows, pair_rows
from bayesfloor.summary._text import figures, head_line, unmeasured
from bayesfloor.summary._words import amount, percent, span

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check

_SHOWN = 10
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~$@]|:(?=//)|&(?!#\d+;)|#(?!\d+;)|(?<=www)\.")
_BLOCK = re.compile(r"^(\s+|[-+=]+|\d+[.)](?=\s|$))")


def to_markdown(check: Check, gates: Sequence[Gate] = ()) -> str:
    """The summary as Markdown; labels cannot break out of it."""
    parts = [
        f"### {escape(check.verdict)}",
        escape(head_line(check)),
        *([_table(("gate", "", ""), [(g.code, f"**{g.word}**", escape(g.text)) for g in gates])] if gates else []),
        _table(("", "", ""), [(name, f"**{escape(value)}**", escape(note)) for name, value, note in figures(check)]),
        _pairs(check),
        escape(unmeasured(check)) + ".",
        _classes(check),
        "\n".join(f"- `{finding.code}` {escape(finding.text)}" for finding in check.findings),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """A text that Markdown and HTML leave as it is, wherever it stands in a line."""
    return _SPECIAL.sub(_escaped, _BLOCK.sub(_escaped_start, text))


def _escaped_start(match: re.Match[str]) -> str:
    """What would start a list or a block of code, as entities."""
    return "".join(f"&#{ord(character)};" if character in "-+=. )\t" else character for character in match[0])


def _escaped(match: re.Match[str]) -> str:
    """An entity for what hosts turn into tags, mentions, links or formulas, a backslash for the rest."""
    character = match[0]
    return f"&#{ord(character)};" if character in "<>&@:$#" else f"\\{character}"


def _pairs(check: Check) -> str:
    labels = [escape(label) for label in check.labels]
    rows = [
        (
            f"{labels[row.one]} and {labels[row.two]}",
            span(row.lower, row.upper),
            span(row.low, row.high),
            f"{percent(row.held_out)} %",
            f"{row.normalised:.3f}",
        )
        for row in pair_rows(check, _SHOWN)
    ]
    head = ("hardest pairs", "bounds", "95 % interval of the lower", "held out", "normalised")
    return _table(head, rows) if rows else ""


def _classes(check: Check) -> str:
    rows = [
        (
            escape(check.labels[row.number]),
            row.note or span(row.lower, row.upper),
            "" if row.note else span(row.low, row.high),
            "" if row.note else f"{row.normalised:.3f}",
            amount(row.size),
        )
        for row in class_rows(check, _SHOWN)
    ]
    head = ("hardest classes", "bounds, of all rows", "95 % interval of the lower", "normalised", "rows")
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
