"""What a reader should know, each with a code that ``explain`` knows: BF1xx and BF4xx.

BF2xx, what weakens the answer, are in ``_weaknesses``, and BF3xx in ``_gates``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayesfloor.engine._show import about, how_many, join_labels, percent, printable, quoted, show_labels
from bayesfloor.io._label_spellings import find_spellings
from bayesfloor.io._messages import shell
from bayesfloor.selection._gap import AT, BELOW, ROOM
from bayesfloor.selection._selection_path import SelectionPath
from bayesfloor.summary._check_parts import Finding, Measured
from bayesfloor.summary._optional_tables import enough
from bayesfloor.summary._pair_tables import pair_rows
from bayesfloor.summary._phrases import points
from bayesfloor.summary._verdict_text import finds_nothing


def find(check: Measured) -> tuple[Finding, ...]:
    """All findings: causes, then doubts, then what may be done."""
    found = _those(check, (_spellings, _codes, _no_signal, _conflict, _alike, _hardest, _suspicious))
    doubts = [Finding(trait.code, _sentence(trait.text), "traits") for trait in check.traits if trait.weak]
    return (*found, *doubts, *_those(check, (_droppable, _best_representation, _model)))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _those(check: Measured, looks: tuple[Callable[[Measured], Finding | None], ...]) -> list[Finding]:
    """What these looks find."""
    return [finding for look in looks if (finding := look(check)) is not None]


def _spellings(check: Measured) -> Finding | None:
    """Labels that may be one; rows are those of the classes in use."""
    sizes = np.round(check.pairwise.sizes).astype(int)
    found = find_spellings(np.repeat(np.array(check.pairwise.classes.tolist(), dtype=object), sizes))
    told = []
    if found.alike:
        same = [" = ".join(map(quoted, group)) for group in found.alike]
        n = sum(len(group) - 1 for group in found.alike)
        told.append(
            f"{how_many(n, 'label')} differ{'s' * (n == 1)} from another by case or blanks only: "
            f"{join_labels(same, 3)}. Merge them: --clean-labels, or clean_labels=True."
        )
    if found.typos:
        pairs = [f"{quoted(typo)} for {quoted(label)}" for typo, label in found.typos]
        told.append(f"Likely typos: {join_labels(pairs, 5)}. Correct them in the data.")
    return Finding("BF106", " ".join(told)) if told else None


def _codes(check: Measured) -> Finding | None:
    codes = [quoted(column.name) for column in check.prepared.columns if column.role == "code"]
    if not codes:
        return None
    it, they = ("It", "looks") if len(codes) == 1 else ("They", "look")
    first = next(column.name for column in check.prepared.columns if column.role == "code")
    return Finding(
        "BF107",
        f"{how_many(len(codes), 'column')} of whole numbers {they} like codes, whose order means nothing: "
        f"{join_labels(codes, 5)}. {it} {'was' if len(codes) == 1 else 'were'} given to learners as class rates. "
        f"If that is wrong: {shell(['--as', f'{printable(first)}=number'])}, or roles={{{first!r}: 'number'}}.",
        "prepared",
    )


def _no_signal(check: Measured) -> Finding | None:
    if not finds_nothing(check.answer):
        return None
    p = check.overall.p_value
    told = (
        f"No detectable signal: no learner predicts the label from these features (Friedman-Rafsky test: p = {p:.2g})."
    )
    return Finding("BF101", told)


def _conflict(check: Measured) -> Finding | None:
    if not check.suspicious.n_conflict:
        return None
    have = "has" if check.suspicious.n_conflict == 1 else "have"
    return Finding(
        "BF102",
        f"{how_many(check.suspicious.n_conflict, 'row')} {have} an equal row with a different label: "
        f"every classifier gets at least {percent(check.overall.conflict)} % of all rows wrong.",
        "suspicious",
    )


def _alike(check: Measured) -> Finding | None:
    one, two = np.nonzero(np.triu(check.pairwise.alike(), 1))
    if not len(one):
        return None
    pairs = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    told = f"These classes cannot be separated; consider merging them: {join_labels(pairs, 3)}.{_once_merged(check)}"
    return Finding("BF103", told, "pairs" if check.merge is None else "merge")


def _once_merged(check: Measured) -> str:
    """What merging leaves of the floor; nothing where only one class would be left."""
    if check.merge is None or not check.merge.steps:
        return ""
    before, after = (f"{percent(step.estimate)} %" for step in (check.merge.before, check.merge.after))
    left = how_many(check.merge.after.n_classes, "class")
    return f" With {left} left, the best estimate of the lowest possible error is {after} instead of {before}."


def _hardest(check: Measured) -> Finding | None:
    row = next(iter(pair_rows(check, 1)), None)
    if row is None or row.note or len(check.labels) == 2:  # of two classes, the answer says it all
        return None
    error = f"error between them {about(row.estimate, row.lower, row.upper)}"
    relative = f"{percent(row.relative)} % relative to guessing"
    return Finding(
        "BF104", f"Hardest pair: {check.labels[row.one]} and {check.labels[row.two]}, {error}, {relative}.", "pairs"
    )


def _suspicious(check: Measured) -> Finding | None:
    n = check.suspicious.n_suspect
    if not n:
        return None
    look, their = ("label looks", "its") if n == 1 else ("labels look", "their")
    told = f"{n:,} {look} wrong: most of {their} nearest neighbours belong to another class."
    return Finding("BF105", told, "suspicious")


def _droppable(check: Measured) -> Finding | None:
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
        return (0, "") if step is None else (step, "do as well as all, on the rows that chose them")
    if held_out.word == "worse":
        return 0, ""
    ends = f"{points(held_out.difference_low)} to {points(held_out.difference_high)} % of edges"
    return len(path.added) - 1, f"lose nothing measurable on {how_many(held_out.n_rows, 'held-out row')} ({ends})"


def _best_representation(check: Measured) -> Finding | None:
    found = check.comparison
    if found is None or "worse" not in found.word:
        return None
    names = dict(zip(found.names, show_labels(found.names), strict=True))
    worse = [names[name] for name, word in zip(found.names, found.word, strict=True) if word == "worse"]
    told = f"Best representation: {names[found.best_]}; significantly worse: {join_labels(worse, 3)}."
    size = found.n_features[found.names.index(found.smallest)]
    small = f" With {how_many(size, 'feature')}, {names[found.smallest]} shows no significant difference."
    return Finding("BF402", told + small * (found.smallest != found.best_), "comparison")


def _model(check: Measured) -> Finding | None:
    if check.gap is None:
        return None
    code = {ROOM: "BF403", AT: "BF404", BELOW: "BF405"}.get(check.gap.overall.word, "BF406")
    return Finding(code, check.gap.text, "gap")
