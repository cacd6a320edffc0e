"""Results from plain values: what has another kind than its field says is refused."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Made = TypeVar("Made")


def restore(kind: type[Made], given: dict[str, Any], **known: Any) -> Made:
    """A result from its plain values: arrays and numbers by the kinds that its fields say."""
    values = dict(known)
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name not in known:
            values[item.name] = as_kind(given[item.name.lstrip("_")], str(item.type), item.name)
    return kind(**values)


def as_kind(value: Any, kind: str, name: str) -> Any:
    """A plain value as the kind that a field says."""
    if kind == "Floats":
        return floats(value)
    if kind in ("Ints", "np.ndarray"):
        return flat(value, np.int64 if kind == "Ints" else None)
    if kind.startswith(("tuple", "list", "dict")):
        return _collection(value, kind)
    if kind == "float" and value is None and name in _MAY_LACK:
        return np.inf if name in ("_degrees", "dimension") else np.nan
    if not isinstance(value, _PLAIN[kind]) or (isinstance(value, bool) and kind != "bool"):
        raise TypeError(f"{name} is {value!r}")
    return value


_MAY_LACK = {"_degrees", "dimension", "bias", "limit", "limit_std_error", "std_error"}
_PLAIN: dict[str, Any] = {"float": (int, float), "int": int, "str": str, "bool": bool}
_PLAIN |= {"int | None": (int, type(None)), "float | None": (int, float, type(None))}


def _collection(value: Any, kind: str) -> Any:
    numbers = (int, float) if kind.startswith("dict") else (int, float, type(None))
    inside = str if "str" in kind.removeprefix("dict[str") else numbers  # of a dict's values
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(value, dict if kind.startswith("dict") else list) or not all(
        isinstance(i, inside) for i in items
    ):
        raise TypeError(f"{value!r} where {kind} belongs")
    if kind == "tuple[float, float]" and len(value) != 2:
        raise TypeError(f"{value!r} where two numbers belong")
    return tuple(np.nan if item is None else item for item in value) if kind.startswith("tuple") else value


def flat(values: Any, kind: Any) -> np.ndarray:
    """A list of single values as an array."""
    if not isinstance(values, list) or any(isinstance(value, (list, dict, type(None))) for value in values):
        raise TypeError(f"{str(values)[:40]} where a list of labels or numbers belongs")
    if kind is not None and not all(isinstance(value, int) for value in values):
        raise TypeError(f"{str(values)[:40]} where whole numbers belong")
    return np.array(values, dtype=kind)


def floats(values: Any) -> Any:
    """A list of numbers as an array; None is not a number."""
    if not isinstance(values, list) or not all(value is None or isinstance(value, (int, float)) for value in values):
        raise TypeError(f"{str(values)[:40]} where numbers belong")
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
