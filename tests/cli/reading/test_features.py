"""Columns that cannot be features are refused by name, with what to do."""

import pyarrow as pa
import pytest

from bayesfloor.cli.reading import read_data

N = 40  # rows of the table and of the arrays


@pytest.mark.parametrize("word", ["", '""'])
def test_empty_fields_are_missing_among_features(word, message, text_file):
    """As a category or a zero they would mislead."""
    for values in ("1.5,2.5", "red,blue"):
        first, second = values.split(",")
        path = text_file(f"u,w,label\n1,{first},a\n2,{word},b\n3,{second},a\n4,{first},b\n")
        found = message(path)

        assert found == (
            "missing values in column 'w' (1 in 'w', the first in row 2). Fill them first, or pass --drop w"
        )


def test_missing_and_infinite_numbers_name_their_columns(table, add, write_as, message):
    """Which column, how many, what to do."""
    gaps = {f"g{i}": pa.array([1.0, None, float("nan")] + [1.0] * (N - 3)) for i in range(7)}
    many = pa.table({**gaps, "label": table["label"]})
    wild = add(table, "w", [1.0, float("inf"), -float("inf")] + [0.0] * (N - 3))

    assert message(write_as("a.parquet", many)) == (
        "missing values in columns 'g0', 'g1', 'g2', 'g3', 'g4' and 2 more (2 in 'g0', the first in row 2). "
        "Fill them first, or pass --drop NAME"
    )
    assert message(write_as("b.parquet", wild)) == (
        "infinite values in column 'w', the first in row 2. Replace them first, or pass --drop w"
    )


def test_texts_that_are_no_categories_are_refused(table, add, write_as, message):
    """A thousand columns of zeros and ones drown every other feature."""
    n = 3000
    many = pa.table({"u": range(n), "word": [f"w{i % 1001}" for i in range(n)], "label": ["a", "b"] * (n // 2)})
    names = add(add(table, "name", [f"r{i}" for i in range(N)]), "full name", [f"s{i % 38}" for i in range(N)])

    assert message(write_as("many.csv", many)) == (
        "column 'word' with too many different texts to be categories (1,001 in 3,000 rows): encode or embed first, "
        "or pass --drop word"
    )
    assert message(write_as("a.csv", names)) == (
        "columns 'name', 'full name' with too many different texts to be categories (40 in 40 rows): "
        "encode or embed first, or pass --drop name --drop 'full name'"
    )


def test_dates_and_nested_types_are_refused(table, add, write_as, message):
    """A date has no distance until someone says in what."""
    dates = add(table, "when", pa.array(range(N), pa.date32()))
    nested = add(table, "box", [{"a": 1}] * N)

    assert message(write_as("a.parquet", dates)) == (
        "column 'when' with dates or times: turn them into numbers first, or pass --drop when"
    )
    assert message(write_as("a.parquet", nested)) == (
        "column 'box' with struct<a: int64>, but expected numbers or texts: encode or embed first, or pass --drop box"
    )


@pytest.mark.parametrize("odd", ["?", "1;2", "missing", "NA", "null", "#N/A"])
def test_a_text_among_numbers_is_refused(odd, message, text_file):
    """A question mark would turn a column of numbers into categories."""
    path = text_file(f"u,w,label\n1,1,a\n2,{odd},b\n3,1,a\n4,1,b\n")

    assert message(path).startswith(f"column 'w' holds numbers, but also the text '{odd}' in row 2.")


def test_decimal_commas_are_refused(message, text_file):
    """As categories 1,5 and 1,6 would be as far apart as 1,5 and 900."""
    path = text_file("u;label\n1,5;a\n2,5;b\n1,5;a\n")

    assert "column 'u' holds numbers, but also the text '1,5' in row 1. Write numbers as 1.5" in message(path)


@pytest.mark.parametrize("column", ["", "Unnamed: 0", "id", "index"])
def test_numbers_of_rows_are_no_feature(column, message, text_file):
    """Where rows are sorted by class, their numbers tell the class."""
    path = text_file(f"{column},u,label\n0,1,a\n1,3,a\n2,2,b\n3,5,b\n")

    assert "only counts the rows and is no feature" in message(path)
    assert read_data(path, "label", id_column=column).ids.tolist() == [0, 1, 2, 3]
    assert read_data(path, "label", drop=(column,)).feature_names == ("u",)
