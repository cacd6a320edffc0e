"""Read any kind of data, turn columns into numbers, and report how each column was treated.

Input: arrays, data frames, Arrow streams, files and folders.
Output: frozen ``Data``; columns as numbers, with a report on each column.
Must not know about: trees and classifiers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.io._data import Data
    from bayesfloor.io._encoders import Column
    from bayesfloor.io._open_data import open_data
    from bayesfloor.io._table_preparer import Prepared, TablePreparer
    from bayesfloor.support._errors import InputError

__all__ = ["Column", "Data", "InputError", "Prepared", "TablePreparer", "open_data"]

_HOMES = {
    "..support._errors": "InputError",
    "._data": "Data",
    "._encoders": "Column",
    "._open_data": "open_data",
    "._table_preparer": "Prepared TablePreparer",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
