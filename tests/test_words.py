"""Phrases that readers had to decode stay out of everything that a person reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RETIRED = {
    r"foret[eo]ld?\w*": "predicted, extrapolated",
    r"errs on": "is wrong on, has an error of",
    r"sits? among": "the nearest neighbours belong to another class",
    r"faults? of ours": "internal error",
    r"odd (labels?|rows?|samples?)": "suspicious labels",
    r"rows to look at": "suspicious labels",
    r"near[- ]cop(y|ies)": "near-duplicates",
    r"copies among": "duplicates",
    r"cross edges": "cross-class edges",
    r"bounds by trees|by trees and classifiers": "tree bounds",
    r"envelopes?": "range",
    r"(in)?feasible": "reachable, out of reach",
    r"undecided": "open, cannot say",
    r"within reach": "reachable",
    r"not measurable|at resolution|no more than even separate": "too small to measure",
    r"not shown to be worse|not shown to say": "no significant difference, no detectable signal",
    r"minimal spanning": "minimum spanning",
    r"trees? of classes": "class tree",
    r"room left|room not shown": "room to improve, no room shown",
    r"goes on with what|the same command goes on": "rerun to resume",
    r"(can ?not|can) be told|is told by|are told by|told apart": "cannot say, separate",
    r"mend(s|ed|ing)?": "fix, support",
    r"of no known kind": "unsupported file type",
    r"drawn otherwise": "distributed differently",
    r"from all sides": "Estimate a dataset's Bayes error and what drives it",
    r"hangs? on": "check",
    r"need be": "is unavoidable",
    r"hard to tell apart|tell apart|tells apart": "hard to separate",
    r"who works|nothing beside": "where to run, print only the result",
    r"so many (are|as)|as many are": "Large data are subsampled",
    r"rows (were|are) drawn|drawn rows": "subsampled",
    r"share of (rows|edges|cross|errors|the|all)|shares of": "fraction",
    r"before anything is trained": "before you tune a model",
    r"(?<!there )is no (number|column|file|folder|label|path|name|integer|array)": "is not a",
    r"(seconds|edges|bytes|tests?|columns?|lines?) a (row|pair|tree|class|dataset|case)": "per",
}
# A file and the phrase that it may keep, with the reason.
ALLOWED = {
    ("docs/decisions/0008-envelope.md", "envelope"): "the decision that was superseded, by its name",
    ("docs/decisions/0017-one-answer.md", "envelope"): "names what is gone",
    ("docs/decisions/0017-one-answer.md", "feasible"): "names what is gone",
    ("docs/decisions/0017-one-answer.md", "infeasible"): "names what is gone",
    ("docs/decisions/0017-one-answer.md", "undecided"): "names what is gone",
    ("docs/references.md", "minimal spanning"): "the title of a paper",
}
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs").rglob("*.rst")),
    *sorted((ROOT / "changelog.d").glob("*.md")),
    *sorted((ROOT / "benchmarks" / "pages").glob("*.md")),
    *sorted((ROOT / "src").rglob("*.html")),
    *sorted((ROOT / "src").rglob("*.json")),
]
CODE = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "docs" / "tutorials").glob("*.py"))]
CODE += sorted((ROOT / "docs" / "gallery").glob("*.py"))


def texts_in(path: Path) -> Iterator[tuple[int, str]]:
    """What a person reads in a file, with line numbers: of code its strings and, on pages that are code, comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py" or "src" not in path.parts:
        yield from enumerate(text.splitlines(), 1)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for number, line in enumerate(node.value.splitlines()):
                yield node.lineno + number, line


@pytest.mark.parametrize("path", [*PAGES, *CODE], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_retired_phrase_is_read(path: Path) -> None:
    """Each line is searched for each phrase; what may stay is named with its reason."""
    name = path.relative_to(ROOT).as_posix()
    if "_build" in name or "/generated/" in name:
        pytest.skip("written by the build")
    found = [
        f"{name}:{number}: {match[0]!r}, say: {instead}"
        for number, line in texts_in(path)
        for phrase, instead in RETIRED.items()
        for match in re.finditer(rf"\b(?:{phrase})\b", line, re.IGNORECASE)
        if (name, match[0].lower()) not in ALLOWED
    ]
    assert not found, "\n".join(found)
