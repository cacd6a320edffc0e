"""Turn a check into a page."""

from __future__ import annotations

from typing import Any

from bayesfloor.answer._answer import GOOD
from bayesfloor.engine._show import about, percent, printable
from bayesfloor.learners._registry import BLEND, REGISTRY
from bayesfloor.plotting._answer_display import learner_name
from bayesfloor.report._curve_drawing import draw_curve
from bayesfloor.report._optional_sections import make_choices
from bayesfloor.report._templates import render
from bayesfloor.report._thumbnails import thumbnails
from bayesfloor.report._view import (
    MOST_CLASSES,
    MOST_PAIRS,
    class_table,
    draw_tree,
    evidence_ruler,
    make_matrix,
    make_ruler,
    pair_table,
    row_cards,
)
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._figures import head_line, settings_line
from bayesfloor.summary._glossary import CODES, explain
from bayesfloor.summary._phrases import accuracy
from bayesfloor.summary._text import NOT_TOGETHER, unmeasured

MOST_CARDS = 60
_PICTURED = 24  # rows shown with two pictures: their own and their neighbour's
_TERMS = (
    "lowest possible error",
    "best estimate",
    "range",
    "reliability",
    "cross-validated error",
    "relative to guessing",
    "too small to measure",
    "suspicious labels",
    "tree bounds",
    "guessing",
)


def make_page(check: Measured, *, images: Any = None, ids: Any = None, features: Any = None, command: str = "") -> str:
    """Return the page as HTML."""
    listed = [*check.suspicious.scores.row[:_PICTURED].tolist(), *check.suspicious.nearest[:_PICTURED].tolist()]
    classes, class_end = class_table(check)
    return render(
        "page.html",
        check=check,
        verdict=split_verdict(check),
        head=f"{head_line(check)} · {settings_line(check)}",
        tiles=_tiles(check),
        ruler=make_ruler(check),
        reliability=why_reliable(check),
        curve=draw_curve(check.answer),
        matrix=make_matrix(check),
        pairs=pair_table(check),
        most_pairs=MOST_PAIRS,
        unmeasured=unmeasured(check),
        classes=classes,
        class_end=class_end,
        most_classes=MOST_CLASSES,
        cards=row_cards(check, MOST_CARDS, ids, thumbnails(images, listed), features),
        drawing=draw_tree(check),
        choices=make_choices(check),
        not_together=NOT_TOGETHER,
        evidence=evidence_ruler(check),
        rests_on=rests_on(check),
        prepared=list(check.prepared.lines()),
        words=_words(check),
        reproduce=_reproduce(check, command),
    )


def split_verdict(check: Measured) -> tuple[str, str]:
    """Split the verdict into its first sentence and the rest."""
    first, stop, rest = check.verdict.partition(". ")
    return first + stop.strip(), rest


def why_reliable(check: Measured) -> list[str]:
    """Return the reasons for the answer's reliability."""
    if check.answer.reliability == GOOD:
        return ["Learners of different kinds agree, there are enough rows, and the range is narrow."]
    return [f"{reason[0].upper()}{printable(reason[1:])}." for reason in check.answer.reasons]


def rests_on(check: Measured) -> list[tuple[str, str]]:
    """Return the evidence for each part of the answer, and the learners that were left out."""
    answer = check.answer
    lower, why_lower = f"{percent(answer.lower)} %", answer.why_lower
    if not why_lower:
        lower, why_lower = "none", "these data give no lower limit"
    given = [
        (
            f"best estimate: {percent(answer.estimate)} %",
            f"where the learning curves of the tested learners end, measured on {answer.n_rows:,} rows",
        ),
        (f"upper end: {percent(answer.upper)} %", answer.why_upper),
        (f"lower end: {lower}", why_lower),
        ("left out", _left_out(answer.left_out)),
    ]
    return [(name, printable(text)) for name, text in given if text]


def _left_out(reasons: dict[str, str]) -> str:
    """Return the learners that were left out, grouped by reason."""
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(learner_name(name))
    return "; ".join(f"{', '.join(each)} ({why})" for why, each in names.items())


def _tiles(check: Measured) -> list[tuple[str, list[str], str]]:
    """Return the name, values and note of the four tiles; values are separate so that labels do not run together."""
    answer, pairs, (classes, _) = check.answer, pair_table(check, 1), class_table(check)
    hardest = [pairs[0]["one"], pairs[0]["two"]] if pairs else ["none"]
    pair = f"error {pairs[0]['figures']}" if pairs else "all are too small to measure"
    one = classes[0]
    return [
        (
            "best estimate",
            [f"{accuracy(answer.estimate)} % accuracy"],
            f"error {about(answer.estimate, answer.lower, answer.upper)}",
        ),
        ("hardest pair", hardest, pair),
        ("hardest class", [one["label"]], one["note"] or f"error within the class {one['figures']}"),
        ("suspicious labels", [f"{check.suspicious.n_suspect:,}"], f"of {check.facts.n_used:,} rows"),
    ]


def _words(check: Measured) -> list[tuple[str, str]]:
    """Return the codes on this page and the general terms, with their meanings."""
    codes = sorted({finding.code for finding in check.findings} | {trait.code for trait in check.traits})
    return [*((code, CODES[code]) for code in codes), *((term, explain(term)) for term in _TERMS)]


def _call(check: Measured) -> str:
    """Return the call that reproduces this check, without settings at their defaults."""
    facts = check.facts
    settings = {
        "target": (check.target, None),
        "scale": (facts.scale, ""),
        "n_trees": (facts.n_trees, 3),
        "max_rows": (facts.max_rows, None),
        "target_width": (facts.target_width, 0.01),
        "effort": (check.answer.effort, "normal"),
        "random_state": (facts.random_state, None),
    }
    given = [f"{name}={value!r}" for name, (value, usual) in settings.items() if value != usual]
    given += ["groups=groups"] if facts.n_groups is not None else []
    given += ["learners=learners"] if {*check.answer.errors, *check.answer.left_out} - {*REGISTRY, BLEND} else []
    return f"bayesfloor.check(X, y, {', '.join(given)})"


def _reproduce(check: Measured, command: str) -> list[tuple[str, str]]:
    facts = check.facts
    versions = [f"bayesfloor {facts.version}", *(f"{name} {number}" for name, number in facts.versions.items())]
    given = [
        ("command", command),
        ("in Python", _call(check)),
        ("seed", str(facts.random_state)),
        ("scale", facts.scale),
        ("trees", str(facts.n_trees)),
        ("rows used", f"{facts.n_used:,} of {facts.n_rows:,}"),
        ("trees on all rows", facts.engine),
        ("data, SHA-256", facts.fingerprint),
        ("versions", ", ".join(versions)),
    ]
    return [(name, printable(value)) for name, value in given if value]
