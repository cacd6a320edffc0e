"""Restore results from plain values; a value that does not match its field's type raises an error."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from reprlib import repr as repr_short
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from bayesfloor.engine._errors import InputTypeError
from bayesfloor.engine._types import Floats, Ints

Made = TypeVar("Made")

_PLAIN: dict[Any, Any] = {float: (int, float), int: int, str: str, bool: bool, Any: (str, int, float)}
# What null means in fields where a number may be missing.
_NULL = dict.fromkeys(("Floor.dimension", "Floor._degrees", "OneVsRestFloor._degrees"), np.inf)
_NULL |= dict.fromkeys((f"Floor.{name}" for name in ("bias", "limit", "limit_std_error", "std_error")), np.nan)
_NULL |= dict.fromkeys(("Floor.tie_spread", "Answer.lower", "GapLines.lower", "MergeStep.lower"), np.nan)
_NULL |= dict.fromkeys((f"TooGood.{name}" for name in ("floor_p_value", "best_error", "best_p_value")), np.nan)


def restore(kind: type[Made], given: dict[str, Any], **known: Any) -> Made:
    """Restore a result, and the results inside it, from plain values; ``known`` fields are taken as they are."""
    values, types = dict(known), _types(kind)  # type: ignore[arg-type]
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name not in known:
            name = f"{kind.__name__}.{item.name}"
            values[item.name] = read(types[item.name], given[item.name.lstrip("_")], name)
    columns = {len(value) for value in values.values() if isinstance(value, np.ndarray)}
    if len(columns) > 1 and kind.__name__ != "ClassTree":  # it has columns for classes and for nodes
        raise InputTypeError(f"columns of {kind.__name__} differ in length")
    return kind(**values)


@cache
def _types(kind: type) -> dict[str, Any]:
    """Return the types of a result's fields; cached, because finding them is the slowest step."""
    return get_type_hints(kind)


def read(kind: Any, value: Any, name: str) -> Any:
    """Convert a plain value to the type of a field."""
    if kind is np.ndarray or get_origin(kind) is np.ndarray:
        if name == "Curve.measured":
            return _flat(value, np.bool_)
        return floats(value) if kind == Floats else _flat(value, np.int64 if kind == Ints else None)
    if isinstance(kind, UnionType):
        return None if value is None else read(get_args(kind)[0], value, name)
    if is_dataclass(kind):
        return restore(kind, value)  # type: ignore[arg-type]
    if get_origin(kind) is not None:
        return _collection(kind, value, name)
    if value is None and name in _NULL:
        return _NULL[name]
    if not isinstance(value, _PLAIN[kind]) or (isinstance(value, bool) and kind not in (bool, Any)):
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return value


def _collection(kind: Any, value: Any, name: str) -> Any:
    """Convert to a tuple, list or dict whose items all have one type."""
    whole, inside = get_origin(kind), get_args(kind)
    if whole is dict and isinstance(value, dict):
        return {key: read(inside[1], item, name) for key, item in value.items()}
    so_many = whole is tuple and inside[-1] is not ...
    if whole is dict or not isinstance(value, list) or (so_many and len(value) != len(inside)):
        raise InputTypeError(f"{name} is {repr_short(value)}")
    return whole(read(inside[0], item, name) for item in value)


def _flat(values: Any, kind: Any) -> np.ndarray:
    """Convert a list of single values to an array."""
    if not isinstance(values, list) or any(isinstance(value, (list, dict, type(None))) for value in values):
        raise InputTypeError(f"got {repr_short(values)}, but expected a list of labels or numbers")
    if kind is not None and not all(isinstance(value, bool if kind is np.bool_ else int) for value in values):
        raise InputTypeError(
            f"got {repr_short(values)}, but expected {'true or false' if kind is np.bool_ else 'whole numbers'}"
        )
    return np.array(values, dtype=kind)


def floats(values: Any) -> Floats:
    """Convert a list of numbers to an array; None becomes NaN."""
    if not isinstance(values, list) or not all(value is None or isinstance(value, (int, float)) for value in values):
        raise InputTypeError(f"got {repr_short(values)}, but expected a list of numbers")
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
