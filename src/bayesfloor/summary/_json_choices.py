"""What a check holds where it was asked for, as JSON and back: a selection, a comparison, a gap, merges."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bayesfloor.selection._comparison import Comparison
from bayesfloor.selection._gap import Gap, GapLines
from bayesfloor.selection._merge import MergeAdvice, MergeStep, _mapping
from bayesfloor.selection._path import HoldOut, SelectionPath
from bayesfloor.summary._measured import Measured
from bayesfloor.summary._restoring import as_kind, flat, floats, restore


def choices_to_dict(check: Measured) -> dict[str, Any]:
    """Those parts that there are."""
    parts = {name: getattr(check, name) for name in _RESTORERS}
    return {name: part.to_dict() for name, part in parts.items() if part is not None}


def restore_choices(given: dict[str, Any]) -> dict[str, Any]:
    """Those parts that there are; files of before have none."""
    return {name: make(given[name]) for name, make in _RESTORERS.items() if given.get(name) is not None}


def _selection(given: dict[str, Any]) -> SelectionPath:
    added = tuple(as_kind(step, "tuple[str, ...]", "added") for step in given["added"])
    holdout = None if given["holdout"] is None else restore(HoldOut, given["holdout"])
    made = restore(SelectionPath, given, added=added, holdout=holdout)
    _check_lengths(made, len(added), ("n_features", "value", "cross_rate", "lower", "estimate", "upper", "gain"))
    _check_lengths(made, len(added), ("gain_low", "gain_high", "shown", "n_candidates"))
    return made


def _comparison(given: dict[str, Any]) -> Comparison:
    made = restore(Comparison, given, rounds=())
    columns = [item.name for item in fields(Comparison) if str(item.type) in ("Floats", "Ints", "tuple[str, ...]")]
    _check_lengths(made, len(made.names), columns)
    return made


def _gap(given: dict[str, Any]) -> Gap:
    K = len(given["classes"])
    parts = {
        "overall": _gap_lines(given["overall"], None),
        "by_class": _gap_lines(given["by_class"], K),
        "by_pair": _gap_lines(given["by_pair"], K * (K - 1) // 2),
    }
    made = restore(Gap, given, **parts)
    _check_lengths(made, K, ("sizes",))
    return made


def _gap_lines(given: dict[str, Any], length: int | None) -> GapLines:
    """One line, or columns of so many."""
    kinds = {"n_rows": ("int", "Ints"), "word": ("str", "np.ndarray")}
    names = [item.name for item in fields(GapLines)]
    known: dict[str, Any] = {} if length is not None else {"lower": _lower(given)}
    for name in names:
        if name not in known:
            known[name] = as_kind(given[name], kinds.get(name, ("float", "Floats"))[length is not None], name)
    made = GapLines(**known)
    if length is not None:
        _check_lengths(made, length, names)
    return made


def _lower(given: dict[str, Any]) -> float:
    """The lower end of a range, null where there is none."""
    (lower,) = floats([given["lower"]])
    return float(lower)


def _merge(given: dict[str, Any]) -> MergeAdvice:
    before, *steps = map(_merge_step, [given["before"]] + given["steps"])  # refuses what is no list
    groups = tuple(_labels(group) for group in given["groups"])
    known = {"before": before, "steps": tuple(steps), "groups": groups, "mapping": _mapping(groups)}
    made = restore(MergeAdvice, given, **known)
    _check_lengths(made, sum(map(len, groups)), ("classes", "mapping"))
    return made


def _merge_step(given: dict[str, Any]) -> MergeStep:
    met = None if given["met"] is None else as_kind(given["met"], "bool", "met")
    groups = {name: _labels(given[name]) for name in ("one", "two")}
    return restore(MergeStep, given, **groups, lower=_lower(given), met=met)


def _labels(given: Any) -> tuple[Any, ...]:
    return tuple(flat(given, None).tolist())


def _check_lengths(made: Any, length: int, names: Any) -> None:
    """Refuse columns that do not go together."""
    if any(len(getattr(made, name)) != length for name in names):
        raise TypeError(f"a column is not {length} long")


_RESTORERS = {"selection": _selection, "comparison": _comparison, "gap": _gap, "merge": _merge}
