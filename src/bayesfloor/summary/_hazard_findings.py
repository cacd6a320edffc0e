"""Findings about rows that depend on each other and columns that give the label away."""

from __future__ import annotations

from collections.abc import Iterator

from bayesfloor.engine._show import join_labels, percent, printable, quoted
from bayesfloor.hazards._dependence import GROUPS, NEAR_DUPLICATES, TIME, UNITS, Dependence
from bayesfloor.hazards._doubtful_columns import LABELS, DoubtfulColumns
from bayesfloor.hazards._leaks import Leak
from bayesfloor.io._messages import shell

_SPELLED_OUT = 2  # columns to drop that a headline lists as options
_CODES = {GROUPS: "BF111", TIME: "BF112", NEAR_DUPLICATES: "BF113"}
_NEW = {GROUPS: "new groups", TIME: "unseen stretches", NEAR_DUPLICATES: "new rows"}
_KNOWN = {GROUPS: "known groups", TIME: "rows close to known ones", NEAR_DUPLICATES: "near-duplicates of known rows"}


def hazard_findings(
    dependence: Dependence | None, leaks: tuple[Leak, ...], doubtful: tuple[DoubtfulColumns, ...]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the code of each finding, the attribute with its details, and its sentences."""
    if dependence is not None:
        yield _CODES[dependence.kind], "dependence", [_two_errors(dependence), *_what_to_do(dependence)]
    for leak in leaks:
        yield "BF114", "leaks", [_given_away(leak), *_without(leak)]
    for each in doubtful:
        yield ("BF115" if each.kind == LABELS else "BF116"), "doubtful", [*_no_features(each)]


def cautions_about(dependence: Dependence | None, leaks: tuple[Leak, ...]) -> tuple[str, ...]:
    """Return why the answer may be too good."""
    cautions = [f"{_names(leak)} may give the label away" for leak in leaks]
    if dependence is not None and not dependence.applied:
        cautions.append("rows that belong together are in both training and test rows")
    return tuple(cautions)


def alarm(dependence: Dependence | None, leaks: tuple[Leak, ...]) -> str:
    """Return why the answer may be too good as a part of the verdict, which is never quoted without it."""
    cautions = cautions_about(dependence, leaks)
    return f"But {' and '.join(cautions)}." if cautions else ""


def merge_first(spellings: str) -> str:
    """Return what to do about labels that look like spellings of one class, as a part of the verdict."""
    return f"But {spellings}: first merge them (--clean-labels, or clean_labels=True)." if spellings else ""


def _two_errors(found: Dependence) -> str:
    """Describe how rows depend on each other, with the error if they are held out together and if they are not."""
    together, apart = (f"{percent(error)} %" for error in (found.error_together, found.error_at_random))
    error = f"a small random forest's error is {together}"
    if found.kind == GROUPS:
        name = quoted(found.column)
        return f"Rows with the same {name} belong together: {error} for a new {name} and {apart} for a known one."
    if found.kind == TIME:
        near = f"close in {quoted(found.column)}" if found.column else "next to each other in the data"
        return f"Rows {near} are alike: {error} in unseen stretches and {apart} elsewhere."
    near = f"{percent(found.similarity)} % of rows have a near-duplicate"
    return f"{near}: {error} on new rows, {apart} beside near-duplicates."


def _what_to_do(found: Dependence) -> list[str]:
    new = _NEW[found.kind]
    if not found.applied:
        column = printable(found.column) if found.kind == GROUPS else "COLUMN"
        return [f"The answer is too good for {new}. Use {shell(['--groups', column])}, or groups=."]
    held_out = f"The answer is for {new}: each of {found.n_units:,} {UNITS[found.kind]} was held out as a whole."
    feature = [f"The column {quoted(found.column)} is not used as a feature."] if found.kind == GROUPS else []
    return [
        held_out,
        *feature,
        f"If you only predict for {_KNOWN[found.kind]}: --no-auto-groups, or auto_groups=False.",
    ]


def _names(found: Leak | DoubtfulColumns) -> str:
    names = join_labels([quoted(name) for name in found.columns], 3)
    return f"column {names}" if len(found.columns) == 1 else f"columns {names}"


def _drop(found: Leak | DoubtfulColumns) -> str:
    return shell([part for name in found.columns for part in ("--drop", printable(name))])


def _no_features(found: DoubtfulColumns) -> list[str]:
    one = len(found.columns) == 1
    it, them, is_used, looks = ("it", "it", "is", "looks") if one else ("they", "them", "are", "look")
    if found.kind == LABELS:
        what = "another label" if it == "it" else "further labels"
        why = f"Leave {them} out if {it} {is_used} not known when you predict."
    else:
        what = "a sampling weight" if it == "it" else "sampling weights"
        why = "A weight is the number of people that a row represents, not a feature."
    feature = "a feature" if it == "it" else "features"
    drop = _drop(found) if len(found.columns) <= _SPELLED_OUT else "leave them out with --drop"
    return [f"The {_names(found)} {looks} like {what}, but {is_used} used as {feature}: {drop}.", why]


def _given_away(leak: Leak) -> str:
    one = len(leak.columns) == 1
    alone, without = f"{percent(leak.error)} %", f"{percent(leak.error_without)} %"
    if not leak.label:
        gives = "gives" if one else "each give"
        return (
            f"The {_names(leak)} {gives} the label away: {alone} error alone, "
            f"{without} without {'it' if one else 'them'}."
        )
    is_filled = "is filled in" if one else "are filled in"
    return (
        f"The {_names(leak)} {is_filled} almost only for {quoted(leak.label)}: {alone} error in separating it from "
        f"the others, {without} without {'it' if one else 'them'}."
    )


def _without(leak: Leak) -> list[str]:
    it, is_known = ("it", "it is") if len(leak.columns) == 1 else ("them", "they are")
    return [f"If {is_known} only known after the label, the answer is too good.", f"Check without {it}: {_drop(leak)}."]
