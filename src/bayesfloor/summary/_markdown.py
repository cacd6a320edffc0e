"""The check as Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bayesfloor.answer._metrics import CLASSES
from bayesfloor.summary._figures import HOW, answer_figures, evidence_figures, head_line, settings_line
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._gates import Gate
from bayesfloor.summary._text import NOT_TOGETHER, class_cells, pair_cells, unmeasured

_SHOWN = 10
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~$@]|:(?=//)|&(?!#\d+;)|#(?!\d+;)|(?<=www)\.")
_BLOCK = re.compile(r"^(\s+|[-+=]+|\d+[.)](?=\s|$))")


def to_markdown(check: Measured, gates: Sequence[Gate] = ()) -> str:
    """Return the summary as Markdown, in the same order as on the terminal; labels are escaped."""
    labels = [escape(label) for label in check.labels]
    of_classes = []
    if check.task == CLASSES:
        pairs, classes = pair_cells(check, _SHOWN, labels), class_cells(check, _SHOWN, labels)
        shown = [
            _table(pairs) if len(pairs) > 1 else "",
            escape(unmeasured(check)) + ".",
            _table(classes),
            NOT_TOGETHER,
        ]
        of_classes = [_details("Hardest pairs and classes", shown)]
    # Evidence that is not a result is not bold.
    evidence = [
        (name, escape(value) if name == HOW else f"**{escape(value)}**", escape(note))
        for name, value, note in evidence_figures(check)
    ]
    # The answer first; what it rests on stands folded below.
    parts = [
        f"### {escape(check.verdict)}",
        escape(head_line(check)),
        escape(str(check.prepared)),
        *([_table([("gate", "", ""), *((g.code, f"**{g.word}**", escape(g.text)) for g in gates)])] if gates else []),
        _table([("", ""), *((name, f"**{escape(text)}**") for name, text in answer_figures(check))]),
        "\n".join(f"- `{finding.code}` {escape(finding.text)}" for finding in check.findings),
        *of_classes,
        _details("How we know", [_table([("", "", ""), *evidence]), escape(settings_line(check))]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _details(title: str, parts: Sequence[str]) -> str:
    inside = "\n\n".join(part for part in parts if part)
    return f"<details><summary>{title}</summary>\n\n{inside}\n\n</details>"


def escape(text: str) -> str:
    """Escape a text so that Markdown and HTML show it literally, anywhere in a line."""
    # What would start a list or a code block, and what hosts turn into tags, mentions, links or formulas: as entities.
    start = _BLOCK.sub(lambda match: "".join(f"&#{ord(c)};" if c in "-+=. )\t" else c for c in match[0]), text)
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};" if match[0] in "<>&@:$#" else f"\\{match[0]}", start)


def _table(cells: Sequence[Sequence[str]]) -> str:
    """Return a table whose first row is the header."""
    head, *rows = cells
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))
