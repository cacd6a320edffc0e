"""Everything about a dataset in one object: ``check`` and what it gives.

Comes in: results of all that is below.
Goes out: ``Check``; findings, gates; text, Markdown, JSON.
Must not know: HTML.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesfloor.summary._glossary import explain
    from bayesfloor.summary._json import schema

_HOME = {"explain": "bayesfloor.summary._glossary", "schema": "bayesfloor.summary._json"}

__all__ = ["explain", "schema"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
