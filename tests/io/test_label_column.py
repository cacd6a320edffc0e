"""Labels are found, and what cannot be one is refused."""

import numpy as np
import pyarrow as pa
import pytest

from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def test_without_a_label_likely_columns_are_named(table, add, write_as, message):
    """The first thing that people forget."""
    table = add(table, "sex", ["m", "f", "x", "m"] * (N // 4)).rename_columns(["u", "v", "colour", "species", "sex"])
    table = add(table, "year", [2007, 2008, 2009, 2010] * (N // 4))
    path = write_as("a.csv", table)

    assert message(path, None) == (
        "which column is the label? Use -y. Candidates with few values: species (2), colour (2), sex (3), year (4)"
    )


def test_without_a_label_or_candidates_columns_are_named(message, text_file):
    """Even then there is something to choose from."""
    path = text_file("u,v\n1.5,2.5\n2.5,3.5\n3.5,5.5\n")

    assert message(path, None) == "which column is the label? Use -y. No column has few values. Columns: 'u', 'v'."


def test_a_label_that_is_none_is_refused(table, rng, add, write_as, message):
    """A quantity or an id gives a floor that means nothing."""
    table = add(table, "price", rng.normal(size=N))
    table = add(table, "key", [f"r{i}" for i in range(N)])
    table = add(table, "count", [7 * (i % 30) for i in range(N)])
    table = add(table, "one", ["same"] * N)
    for name in ("a.csv", "a.parquet"):
        path = write_as(name, table)
        assert message(path, "price").startswith("column 'price' has 40 different numbers in 40 rows: looks like regr")
        assert message(path, "count").startswith("column 'count' has 30 different numbers in 40 rows: looks like regr")
        assert message(path, "key").startswith(
            "column 'key' has a different value in each of 40 rows, so it looks like an id"
        )
        assert message(path, "one") == (
            "column 'one' has only one value, 'same', but expected at least 2 classes. Pass another column with -y."
        )


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("n_classes", [1000, 1700])
def test_whole_numbers_may_be_many_classes_of_few_rows(name, n_classes, write_as):
    """Faces and products have thousands of classes with a row or two each."""
    n = 2000
    table = pa.table({"u": np.arange(n) / 7, "label": np.arange(n) % n_classes})

    assert len(np.unique(open_data(write_as(name, table), "label").y)) == n_classes


def test_whole_numbers_that_hardly_ever_repeat_are_refused(write_as, message):
    """A price in cents is a quantity."""
    n = 2000
    table = pa.table({"u": np.arange(n) / 7, "label": 7 * (np.arange(n) % 1801)})

    assert "has 1,801 different numbers in 2,000 rows: looks like regression" in message(write_as("a.csv", table))


def test_a_label_of_lists_or_without_end_is_refused(write_as, message):
    """A class has a name, not a list of numbers."""
    table = pa.table({"u": [1, 2, 3], "lists": [[1], [2], [1]], "inf": [1, 2, np.inf]})
    path = write_as("a.parquet", table)

    assert message(path, "lists") == "column 'lists' has list<element: int64> values, but expected text or numbers."
    assert message(path, "inf").startswith("column 'inf' has infinite labels.")


def test_a_label_may_be_long_and_a_zero_with_a_sign_is_a_zero(write_as):
    """As they stand in the file."""
    table = pa.table({"u": [1, 2, 3], "label": ["a" * 5000, "b", "b"]})

    assert open_data(write_as("a.parquet", table), "label").y.tolist() == ["a" * 5000, "b", "b"]

    table = pa.table({"u": [1, 2, 3, 4], "label": [0.0, -0.0, 1.0, 1.0]})

    assert np.unique(open_data(write_as("a.parquet", table), "label").y).tolist() == [0.0, 1.0]


def test_labels_that_numpy_would_merge_are_refused(write_as, message):
    """NumPy drops zero bytes at the end of a text, and with them a class."""
    path = write_as("a.parquet", pa.table({"u": [1, 2, 3], "label": ["a", "a\0", "a"]}))

    assert "trailing zero bytes" in message(path)
