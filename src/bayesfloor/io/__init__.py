"""The one way in for tables: columns of any kind become numbers, and what became of each is told."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesfloor.io._prepare import TablePreparer

__all__ = ["TablePreparer"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("bayesfloor.io._prepare"), name)
