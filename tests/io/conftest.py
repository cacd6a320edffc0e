"""What tests of this folder share: the module of tables, and the one line that a table is refused with."""

import sys
from pathlib import Path

import pytest

from bayesfloor.io._messages import DataError

sys.path.append(str(Path(__file__).parent))  # for tables.py

from tables import read_table


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
