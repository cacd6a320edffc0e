"""The JSON Schema of a check, and what each of its fields means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``Check.to_json``.

    Returns
    -------
    dict
        A schema for any validator of JSON Schema draft 2020-12.

    Examples
    --------
    >>> from bayesfloor.summary import schema
    >>> "verdict" in schema()["properties"]
    True
    """
    return json.loads(Path(__file__).with_name("schema.json").read_text("utf-8"))


@cache
def field_meanings() -> dict[str, str]:
    """Return what each field of the JSON means."""
    return dict(_described(schema()))


def _described(part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields in a part of the schema with their descriptions."""
    for name, inner in part.get("properties", {}).items():
        yield name, inner["description"]
        yield from _described(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from _described(part[key])
