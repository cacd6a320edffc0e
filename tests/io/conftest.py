"""What tests of this folder share: the module of tables, arrays, and the one line that a file is refused with."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bayesfloor.io import open_data
from bayesfloor.io._messages import DataError

sys.path.append(str(Path(__file__).parent))  # for tables.py

from tables import read_table

N = 40


@pytest.fixture
def refused():
    """Gives the one line that a file is refused with."""

    def message(source):
        with pytest.raises(DataError) as caught:
            read_table(source).read()
        text = str(caught.value)
        assert text.isprintable()
        assert len(text) < 1000
        return text

    return message


@pytest.fixture
def arrays(rng):
    return rng.normal(size=(N, 3)), np.arange(N) % 2


@pytest.fixture
def add():
    """Gives a table one more column."""

    def add_column(table, name, values):
        return table.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))

    return add_column


@pytest.fixture
def message():
    """Gives the one line that a file is refused with."""

    def refused(path, label="label", **options):
        with pytest.raises(DataError) as caught:
            open_data(str(path), label, **options)
        text = str(caught.value)
        assert text.isprintable()
        assert len(text) < 1000
        return text

    return refused
