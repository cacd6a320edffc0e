"""What a reader should know, each with a code that ``explain`` knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.engine._text import join_labels, percent, printable, show_labels, span
from bayesfloor.selection._gap import AT, BELOW, ROOM
from bayesfloor.selection._path import SelectionPath
from bayesfloor.summary._choices import enough
from bayesfloor.summary._tables import hardest_pairs
from bayesfloor.summary._words import best_learner, count, points, shows_nothing

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
    """All findings: causes, then doubts, then what may be done."""
    found = _those(check, (_no_signal, _conflict, _alike, _hardest, _odd_rows))
    doubts = [Finding(t.code, f"{_TRUST_WORDS[t.code]}: {t.text}.", "trust") for t in check.trust.weak]
    return (*found, *doubts, *_those(check, (_droppable, _lower_floor, _model)))


def _those(check: Check, looks: tuple[Callable[[Check], Finding | None], ...]) -> list[Finding]:
    """What these looks find."""
    return [finding for look in looks if (finding := look(check)) is not None]


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
    told = f"Cannot be told apart, and might as well be merged: {join_labels(pairs, 3)}.{_once_merged(check)}"
    return Finding("BF103", told, "pairwise" if check.merge is None else "merge")


def _once_merged(check: Check) -> str:
    """What merging leaves of the floor; nothing where only one class would be left."""
    if check.merge is None or not check.merge.steps:
        return ""
    before, after = (span(step.lower, step.upper) for step in (check.merge.before, check.merge.after))
    return f" Bounds of the {count(check.merge.after.n_classes, 'class')} then are {after} instead of {before}."


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


def _droppable(check: Check) -> Finding | None:
    path = check.selection
    if path is None or not path.shown.any() or path.n_features[-1] == path.n_all:
        return None
    step, told = _without_loss(path)
    names = show_labels([name for names in path.added[: step + 1] for name in names])
    shown = f"{len(names):,} of {path.n_all:,} features {told}: {join_labels(names)}."
    return Finding("BF401", shown, "selection") if told else None


def _without_loss(path: SelectionPath) -> tuple[int, str]:
    """A step of the selection, and how it was seen that it loses nothing measurable; no words where it does."""
    held_out = path.holdout
    if held_out is None:
        step = enough(path)
        return (0, "") if step is None else (step, "are no worse than all on the rows that chose them")
    if held_out.word == "worse":
        return 0, ""
    ends = f"{points(held_out.difference_low)} to {points(held_out.difference_high)} % of edges"
    return len(path.added) - 1, f"lose nothing measurable on {count(held_out.n_rows, 'row')} held out ({ends})"


def _lower_floor(check: Check) -> Finding | None:
    found = check.comparison
    if found is None or "worse" not in found.word:
        return None
    names = dict(zip(found.names, show_labels(found.names), strict=True))
    worse = [names[name] for name, word in zip(found.names, found.word, strict=True) if word == "worse"]
    bounds = span(float(found.best_bounds.lower), float(found.best_bounds.upper))
    told = f"A lower floor: {names[found.best_]}, {bounds} error; shown to be worse: {join_labels(worse, 3)}."
    size = found.n_features[found.names.index(found.smallest)]
    small = f" With {count(size, 'feature')}, {names[found.smallest]} is not shown to be worse."
    return Finding("BF402", told + small * (found.smallest != found.best_), "comparison")


def _model(check: Check) -> Finding | None:
    if check.gap is None:
        return None
    code = {ROOM: "BF403", AT: "BF404", BELOW: "BF405"}.get(check.gap.overall.word, "BF406")
    name, error = best_learner(check.envelope)
    if code not in ("BF404", "BF406") or error >= check.gap.overall.error:
        return Finding(code, check.gap.text, "gap")
    room = check.envelope.upper < check.gap.overall.low
    told = (
        f"But {printable(name)} errs on {percent(error)} % of held-out rows: there {'is' if room else 'may be'} room."
    )
    return Finding("BF403" if room else "BF406", f"{check.gap.text} {told}", "gap")
