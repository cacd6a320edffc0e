"""The one way in for tables: columns of any kind become numbers, and what became of each is told.

Comes in: arrays, frames, Arrow streams, files, folders.
Goes out: frozen ``Data``; columns as numbers, with what became of each.
Must not know: trees, classifiers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayesfloor.io._data import Data, open_data
    from bayesfloor.io._encode import Column
    from bayesfloor.io._prepare import TablePreparer
    from bayesfloor.io._prepared import Prepared

__all__ = ["Column", "Data", "Prepared", "TablePreparer", "open_data"]
_HOMES = {
    "Column": "_encode",
    "Data": "_data",
    "Prepared": "_prepared",
    "TablePreparer": "_prepare",
    "open_data": "_data",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"bayesfloor.io.{_HOMES[name]}"), name)
