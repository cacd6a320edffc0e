"""Read any kind of data, turn columns into numbers, and report how each column was treated.

Input: arrays, data frames, Arrow streams, files and folders.
Output: frozen ``Data``; columns as numbers, with a report on each column.
Must not know about: trees and classifiers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.engine._errors import InputError
    from bayesfloor.engine._row_handles import Rows, open_rows
    from bayesfloor.io._column_encoders import Column
    from bayesfloor.io._data import Data, open_data
    from bayesfloor.io._prepared import Prepared
    from bayesfloor.io._table_preparer import TablePreparer

__all__ = ["Column", "Data", "InputError", "Prepared", "Rows", "TablePreparer", "open_data", "open_rows"]

_HOMES = {
    "..engine._errors": "InputError",
    "..engine._row_handles": "Rows open_rows",
    "._column_encoders": "Column",
    "._data": "Data open_data",
    "._prepared": "Prepared",
    "._table_preparer": "TablePreparer",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
