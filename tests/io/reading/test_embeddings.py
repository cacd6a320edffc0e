"""Columns of lists that are named become arrays."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import open_data

LISTS = [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0], [3.5, 4.0]]
KINDS = {
    "list": pa.list_(pa.float32()),
    "large list": pa.large_list(pa.float64()),
    "fixed size": pa.list_(pa.float32(), 2),
    "half": pa.list_(pa.float16()),
}


def embedded(values, kind=None, **more):
    """A table of lists and labels."""
    n = len(values)
    return pa.table({"emb": pa.array(values, kind), "label": (["a", "b"] * n)[:n], **more})


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_lists_is_an_array(kind, write_as):
    """Embeddings are stored like that."""
    values = pa.array([[float(x) for x in row] for row in LISTS], pa.list_(pa.float32())).cast(KINDS[kind])
    table = embedded(LISTS).set_column(0, "emb", values)
    data = open_data(write_as("a.arrow", table), "label", embedding="emb")

    assert data.X.tolist() == LISTS
    assert data.X.dtype in (np.float32, np.float64)
    assert data.feature_names == ("emb[0]", "emb[1]")


def test_lists_in_several_pieces_are_one_array(tmp_path):
    """Large files come in groups of rows."""
    path = tmp_path / "a.parquet"
    pq.write_table(embedded(LISTS * 5), path, row_group_size=3)

    assert open_data(str(path), "label", embedding="emb").X.tolist() == LISTS * 5


def test_whole_numbers_in_lists_become_floats(write_as):
    """Counts are embeddings as well."""
    data = open_data(write_as("a.parquet", embedded([[1, 2], [3, 4], [5, 6]])), "label", embedding="emb")

    assert data.X.dtype == np.float64


def test_lists_that_are_not_named_are_a_column_like_others(write_as):
    """Whoever prepares the table knows what to do with them; only the name of one leaves out the rest."""
    path = write_as("a.parquet", embedded(LISTS, age=[1, 2, 2, 4]))
    named = open_data(path, "label", embedding="emb")

    assert open_data(path, "label").native.column("emb").to_pylist() == LISTS
    assert open_data(path, "label").feature_names == ("emb", "age")
    assert open_data(path, "label", drop=("emb",)).feature_names == ("age",)
    assert (named.X.tolist(), named.feature_names) == (LISTS, ("emb[0]", "emb[1]"))


def test_lists_that_are_no_rows_name_the_first_bad_one(write_as, message):
    """One broken row in a million must be found."""

    def refused(values, kind=None):
        return message(write_as("a.arrow", embedded(values, kind)), embedding="emb")

    assert refused([[1.0, 2.0], [1.0], [1.0, 3.0]]) == (
        "column 'emb' has a list of 1 in row 2, but expected 2 numbers as in other rows. Fix or drop this row."
    )
    assert refused([None, [1.0, 2.0], [1.0, 2.0]]).startswith("column 'emb' has no list in row 1, but expected 2")
    assert refused([None, [1.0, 2.0], [1.0, 2.0]], pa.list_(pa.float32(), 2)).startswith("column 'emb' has no list in")
    assert refused([[1.0, 2.0], [1.0, 2.0], [1.0, None]]).startswith(
        "column 'emb' has missing or infinite numbers in 1 row, the first in row 3."
    )
    assert refused([[1.0, 2.0], [1.0, float("nan")], [1.0, 1.0]]).startswith(
        "column 'emb' has missing or infinite numbers in 1 row, the first in row 2."
    )
    assert refused([[], [], []], pa.list_(pa.float32())).startswith("column 'emb' has only empty lists")


def test_a_missing_number_in_a_later_piece_has_the_right_row(write_as, message):
    """Rows count from the start of the file, not of the piece."""
    good = embedded(LISTS)
    bad = embedded([*LISTS[:2], [None, 1.0]])
    path = write_as("a.arrow", pa.concat_tables([good, bad]))

    assert "the first in row 7." in message(path, embedding="emb")


def test_lists_written_as_text_are_parsed_when_named(text_file):
    """A CSV has no lists of its own."""
    text = 'emb,label\n"[0.5, 1]",a\n"[1.5, 2]",b\n"[2.5, 3e0]",a\n'
    path = text_file(text)

    assert open_data(path, "label", embedding="emb").X.tolist() == [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]]


@pytest.mark.parametrize("text", ["oops", "", "[0.5", "[1, null]", "{}", "7", '["x"]', "[[1], [2]]"])
def test_text_that_is_no_list_names_its_row(text, message, text_file):
    """JSON can be many things."""
    quoted = text.replace('"', '""')
    path = text_file(f'emb,label\n"[0.5, 1]",a\n"{quoted}",b\n"[2.5, 3]",a\n')

    assert message(path, embedding="emb").startswith(f"column 'emb' has '{text}' in row 2, but expected a list")


def test_a_named_embedding_must_be_lists(table, write_as, message):
    """Else it is a plain column, and the name a mistake."""
    path = write_as("a.parquet", table)

    assert message(path, embedding="u") == "column 'u' has double values, but expected lists for --embedding."
    assert message(path, embedding="u", features=("v",)).startswith("--features and --embedding are both given")
    assert message(path, embedding="label").startswith("column 'label' is given as -y and as --embedding.")
