"""A check becomes a page."""

from __future__ import annotations

from typing import Any

from bayesfloor.engine._text import printable
from bayesfloor.report._choices import make_choices
from bayesfloor.report._templates import render
from bayesfloor.report._thumbnails import thumbnails
from bayesfloor.report._view import (
    MOST_CLASSES,
    MOST_PAIRS,
    class_table,
    draw_tree,
    make_matrix,
    make_ruler,
    pair_table,
    row_cards,
)
from bayesfloor.summary._check import Check
from bayesfloor.summary._glossary import CODES, TERMS
from bayesfloor.summary._text import head_line, unmeasured
from bayesfloor.summary._words import guess, limits

MOST_CARDS = 60
_PICTURED = 24  # rows with pictures; each brings two
_TOLD = ("bounds", "interval", "envelope", "held out", "normalised", "not measurable", "trust", "guessing")


def make_page(check: Check, *, images: Any = None, ids: Any = None, features: Any = None, command: str = "") -> str:
    """The page as text."""
    listed = [*check.rows.scores.row[:_PICTURED].tolist(), *check.rows.nearest[:_PICTURED].tolist()]
    classes, class_end = class_table(check)
    return render(
        "page.html",
        check=check,
        head=head_line(check),
        tiles=_tiles(check),
        ruler=make_ruler(check),
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
        words=_words(check),
        reproduce=_reproduce(check, command),
    )


def _tiles(check: Check) -> list[tuple[str, list[str], str]]:
    """Names of the four figures, their values, of which labels must not run into each other, and notes."""
    envelope, pairs = check.envelope, pair_table(check, 1)
    classes, _ = class_table(check)
    hardest = [pairs[0]["one"], pairs[0]["two"]] if pairs else ["none measurable"]
    return [
        ("lowest possible error", [limits(envelope)], guess(envelope)),
        ("hardest pair", hardest, f"bounds {pairs[0]['bounds']}" if pairs else ""),
        ("hardest class", [classes[0]["label"]], classes[0]["note"] or f"bounds {classes[0]['bounds']}"),
        ("rows to look at", [f"{check.rows.n_suspect:,}"], f"of {check.facts.n_used:,} in use"),
    ]


def _words(check: Check) -> list[tuple[str, str]]:
    """Codes on the page and the terms used throughout, with their meaning."""
    codes = sorted({finding.code for finding in check.findings} | {trait.code for trait in check.trust.traits})
    return [*((code, CODES[code]) for code in codes), *((term, TERMS[term]) for term in _TOLD)]


def _call(check: Check) -> str:
    """The call that gives this check again; settings that are the default's are left out."""
    facts = check.facts
    settings = {
        "target": (check.target, None),
        "scale": (facts.scale, ""),
        "n_trees": (facts.n_trees, 3),
        "max_rows": (facts.max_rows, None),
        "target_width": (facts.target_width, 0.01),
        "random_state": (facts.random_state, None),
    }
    told = [f"{name}={value!r}" for name, (value, usual) in settings.items() if value != usual]
    told += ["groups=groups"] if facts.n_groups is not None else []
    return f"bayesfloor.check(X, y, {', '.join(told)})"


def _reproduce(check: Check, command: str) -> list[tuple[str, str]]:
    facts = check.facts
    versions = [f"bayesfloor {facts.version}", *(f"{name} {number}" for name, number in facts.versions.items())]
    given = [
        ("command", command),
        ("in Python", _call(check)),
        ("seed", str(facts.random_state)),
        ("scale", facts.scale),
        ("trees", str(facts.n_trees)),
        ("rows in use", f"{facts.n_used:,} of {facts.n_rows:,}"),
        ("trees of all rows", facts.engine),
        ("data, SHA-256", facts.fingerprint),
        ("versions", ", ".join(versions)),
    ]
    return [(name, printable(value)) for name, value in given if value]
