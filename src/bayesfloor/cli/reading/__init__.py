"""Files become features and labels: CSV, Parquet, Arrow and NumPy, or one line that says what to do.

Rows in messages count from 1, without a header.
"""

from bayesfloor.cli.reading._data import Data, read_data
from bayesfloor.io._messages import DataError

__all__ = ["Data", "DataError", "read_data"]
