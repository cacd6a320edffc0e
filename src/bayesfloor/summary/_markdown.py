"""The summary as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._gates import Gate
from bayesfloor.summary._text import HOW, NOT_TOGETHER, class_cells, figures, head_line, pair_cells, unmeasured

_SHOWN = 10
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~$@]|:(?=//)|&(?!#\d+;)|#(?!\d+;)|(?<=www)\.")
_BLOCK = re.compile(r"^(\s+|[-+=]+|\d+[.)](?=\s|$))")


def to_markdown(check: Measured, gates: Sequence[Gate] = ()) -> str:
    """The summary as Markdown; labels cannot break out of it."""
    parts = [
        f"### {escape(check.verdict)}",
        escape(head_line(check)),
        escape(str(check.prepared)),
        *([_table(("gate", "", ""), [(g.code, f"**{g.word}**", escape(g.text)) for g in gates])] if gates else []),
        _table(("", "", ""), [_figure(*figure) for figure in figures(check)]),
        _pairs(check),
        escape(unmeasured(check)) + ".",
        _classes(check),
        NOT_TOGETHER,
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


def _figure(name: str, value: str, note: str) -> tuple[str, str, str]:
    """A figure; what is evidence and not a result is not bold."""
    return name, escape(value) if name == HOW else f"**{escape(value)}**", escape(note)


def _pairs(check: Measured) -> str:
    head, *rows = pair_cells(check, _SHOWN, escape)
    return _table(head, rows) if rows else ""


def _classes(check: Measured) -> str:
    head, *rows = class_cells(check, _SHOWN, escape)
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
