"""Write a check's optional parts as JSON and read them back: selection, comparison, gap, merges and hazards."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bayesfloor.answer._dependence import GROUPS, NEAR_DUPLICATES, TIME, Dependence
from bayesfloor.answer._leaks import DoubtfulColumns, Leak
from bayesfloor.decide._features import SelectionPath
from bayesfloor.decide._gap import Gap, GapLines
from bayesfloor.decide._merging import MergeAdvice, _mapping
from bayesfloor.decide._representations import Comparison
from bayesfloor.summary._check_result import Measured
from bayesfloor.support._errors import InputTypeError
from bayesfloor.support._results import plain, read, restore
from bayesfloor.support._types import Floats, Ints


def choices_to_dict(check: Measured) -> dict[str, Any]:
    """Return the optional parts that the check has."""
    parts = {name: getattr(check, name) for name in _RESTORERS}
    found = {name: part.to_dict() for name, part in parts.items() if part is not None}
    return found | {name: plain(getattr(check, name)) for name in _LISTS if getattr(check, name)}


def restore_choices(given: dict[str, Any]) -> dict[str, Any]:
    """Restore the optional parts; None for missing ones."""
    found = {name: None if given.get(name) is None else make(given[name]) for name, make in _RESTORERS.items()}
    return found | {name: read(kind, given.get(name, []), name) for name, kind in _LISTS.items()}


def _selection(given: dict[str, Any]) -> SelectionPath:
    made = restore(SelectionPath, given)
    _check_lengths(len(made.value), made.added)
    return made


def _comparison(given: dict[str, Any]) -> Comparison:
    made = restore(Comparison, given, rounds=())
    _check_lengths(len(made.names), made.how, made.word, made.cross_rate)
    return made


def _gap(given: dict[str, Any]) -> Gap:
    parts = {name: _gap_lines(given[name], many=name != "overall") for name in ("overall", "by_class", "by_pair")}
    made, K = restore(Gap, given, **parts), len(given["classes"])
    _check_lengths(K, made.by_class.word)
    _check_lengths(K * (K - 1) // 2, made.by_pair.word)
    return made


def _gap_lines(given: dict[str, Any], *, many: bool) -> GapLines:
    """Restore one line of a gap, or its columns if there are many."""
    kinds: dict[str, Any] = {item.name: (float, Floats) for item in fields(GapLines)}
    kinds |= {"n_rows": (int, Ints), "word": (str, np.ndarray)}
    known = {name: read(kind[many], given[name], f"GapLines.{name}") for name, kind in kinds.items()}
    return restore(GapLines, given, **known)


def _merge(given: dict[str, Any]) -> MergeAdvice:
    made = restore(MergeAdvice, given, mapping={})
    made = replace(made, mapping=_mapping(made.groups))
    _check_lengths(sum(map(len, made.groups)), made.classes, made.mapping)
    return made


def _dependence(given: dict[str, Any]) -> Dependence:
    made = restore(Dependence, given, groups=np.empty(0, dtype=np.int64))
    if made.kind not in (GROUPS, TIME, NEAR_DUPLICATES):
        raise InputTypeError(f"unknown kind of dependence {made.kind!r}")
    return made


def _check_lengths(length: int, *columns: Sized) -> None:
    """Raise an error unless all columns have this length."""
    if any(len(column) != length for column in columns):
        raise InputTypeError(f"a column does not have the expected length of {length}")


_LISTS: dict[str, Any] = {"leaks": tuple[Leak, ...], "doubtful": tuple[DoubtfulColumns, ...]}
_RESTORERS = {
    "selection": _selection,
    "comparison": _comparison,
    "gap": _gap,
    "merge": _merge,
    "dependence": _dependence,
}
