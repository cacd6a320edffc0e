"""Messages are one line, and guess what was meant."""

import pyarrow as pa
import pytest

from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_hostile_names_are_read_and_shown_in_one_line(table, name, hostile, write_as, message):
    """Names are text of strangers: they must neither break the reader nor the terminal."""
    gaps = pa.array([None, *range(1, N)], pa.float64())
    path = write_as(name, pa.table([table["u"], gaps, table["label"]], names=["u", hostile, "label"]))

    found = message(path, ids=hostile)
    assert found.startswith("column '")
    assert "has 1 missing value, the first in row 1." in found
    assert len(found) < 250
    assert message(path, "lable").startswith("no column 'lable'. Did you mean 'label'? Columns: 'u', ")
    assert open_data(path, "label").feature_names == ("u", hostile)
    assert open_data(path, "label", drop=(hostile,)).feature_names == ("u",)


def test_a_mistyped_label_is_recognised(table, write_as, message):
    """Most wrong names are nearly right."""
    path = write_as("a.csv", table)

    assert message(path, "lable") == ("no column 'lable'. Did you mean 'label'? Columns: 'u', 'v', 'colour', 'label'.")
    assert message(path, "LABEL").startswith("no column 'LABEL'. Did you mean 'label'?")
    assert message(path, "zzz") == "no column 'zzz'. Columns: 'u', 'v', 'colour', 'label'."
    assert message(path, ids="colur").startswith("no column 'colur'. Did you mean 'colour'?")
    assert message(path, embedding="emb").startswith("no column 'emb'.")
