"""What a reader should know, each with a code that ``explain`` knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.engine._text import join_labels, percent, span
from bayesfloor.summary._tables import hardest_pairs
from bayesfloor.summary._words import count, shows_nothing

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check


@dataclass(frozen=True)
class Finding:
    """Something to know: a code, words, and where to look further.

    ``look`` is the attribute of ``Check``, and the verb of the command line, that has more.
    """

    code: str
    text: str
    look: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All values as plain Python."""
        return asdict(self)


_TRUST_WORDS = {
    "BF201": "Few rows in some classes",
    "BF202": "Scale matters",
    "BF203": "Ties matter",
    "BF204": "Neighbours are too far apart",
    "BF205": "A classifier errs less than the trees' lower bound",
    "BF206": "Not all rows were used",
    "BF207": "Copies among the rows",
}


def find(check: Check) -> tuple[Finding, ...]:
    """All findings, causes first and doubts after them."""
    causes = (_no_signal, _conflict, _alike, _hardest, _odd_rows)
    found = [finding for cause in causes if (finding := cause(check)) is not None]
    doubts = [Finding(t.code, f"{_TRUST_WORDS[t.code]}: {t.text}.", "trust") for t in check.trust.weak]
    return (*found, *doubts)


def _no_signal(check: Check) -> Finding | None:
    if not shows_nothing(check.overall, check.envelope):
        return None
    p = check.overall.p_value
    return Finding("BF101", f"Labels and features are not shown to have anything in common (p = {p:.2g}).")


def _conflict(check: Check) -> Finding | None:
    if not check.rows.n_conflict:
        return None
    return Finding(
        "BF102",
        f"{count(check.rows.n_conflict, 'row')} have an equal row with another label: "
        f"every classifier errs on at least {percent(check.overall.conflict)} % of these data.",
        "samples",
    )


def _alike(check: Check) -> Finding | None:
    one, two = np.nonzero(np.triu(check.pairwise.alike(), 1))
    if not len(one):
        return None
    pairs = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    return Finding("BF103", f"Cannot be told apart, and might as well be merged: {join_labels(pairs, 3)}.", "pairwise")


def _hardest(check: Check) -> Finding | None:
    one, two = hardest_pairs(check, 1)
    if not len(one):
        return None
    i, j = int(one[0]), int(two[0])
    bounds = span(check.pairwise.lower[i, j], check.pairwise.upper[i, j])
    return Finding("BF104", f"Hardest pair: {check.labels[i]} and {check.labels[j]}, bounds {bounds}.", "pairwise")


def _odd_rows(check: Check) -> Finding | None:
    if not check.rows.n_suspect:
        return None
    are = "sits" if check.rows.n_suspect == 1 else "sit"
    return Finding("BF105", f"{count(check.rows.n_suspect, 'row')} {are} among another class.", "samples")
