"""Labels, ids and groups stay as they stand in the file."""

import numpy as np
import pyarrow as pa
import pytest

from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def test_labels_of_a_csv_are_not_merged(text_file):
    """1, 01 and 1.0 are three names."""
    path = text_file("u,label\n1,1\n2,01\n3,1.0\n4,1\n")

    assert open_data(path, "label").y.tolist() == ["1", "01", "1.0", "1"]


def test_whole_numbers_of_a_csv_are_numbers(text_file):
    """Class 10 comes after class 9."""
    y = open_data(text_file("u,label\n1,10\n2,9\n3,-1\n4,9\n"), "label").y

    assert y.dtype == np.int64
    assert y.tolist() == [10, 9, -1, 9]


@pytest.mark.parametrize("text", ["+1", "-0", "1e3", "00", "\uff11", "99999999999999999999", " 1"])
def test_other_spellings_of_numbers_stay_text(text, text_file):
    """Only what is written back the same way may become a number."""
    assert open_data(text_file(f"u,label\n1,{text}\n2,2\n3,2\n"), "label").y.tolist() == [text, "2", "2"]


def test_words_for_nothing_are_classes_in_the_label(text_file):
    """NA is Namibia, and null may be a class; a quoted nothing is the empty name."""
    path = text_file('u,label\n1,NA\n2,nan\n3,null\n4,""\n5,NA\n')

    assert open_data(path, "label").y.tolist() == ["NA", "nan", "null", "", "NA"]


def test_labels_may_be_booleans_categories_numbers_or_dates(table, add, write_as):
    """Whatever repeats can be a class."""
    half = N // 2
    table = add(table, "bool", [True, False] * half)
    table = add(table, "category", pa.array(["s", "t"] * half).dictionary_encode())
    table = add(table, "small", pa.array([1, 2] * half, pa.uint8()))
    table = add(table, "float", [1.0, 2.0] * half)
    table = add(table, "broken", [0.5, 1.5] * half)
    table = add(table, "day", pa.array([0, 1] * half, pa.date32()))
    path = write_as("a.parquet", table)

    def first(label):
        return open_data(path, label, features=("u", "v")).y.tolist()[:2]

    assert first("bool") == [True, False]
    assert first("category") == ["s", "t"]
    assert first("small") == [1, 2]
    assert first("float") == [1.0, 2.0]
    assert first("broken") == ["0.5", "1.5"]
    assert first("day") == ["1970-01-01", "1970-01-02"]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_hostile_labels_and_label_columns_are_kept_as_they_are(name, hostile, write_as):
    """A class may be called anything, and keeps its name."""
    table = pa.table([pa.array([0.5, 2.0, 1.0, 0.0]), pa.array([hostile, "b", hostile, "b"])], names=["u", hostile])

    data = open_data(write_as(name, table), hostile)

    assert data.label == hostile
    assert data.y.tolist() == [hostile, "b", hostile, "b"]


def test_missing_labels_are_none(write_as, text_file):
    """Unlabelled rows are common, and must not become a class unseen; whole numbers beside them stay whole."""
    texts = text_file("u,label\n1,a\n2,\n3,b\n4,\n5,a\n")
    whole = text_file("u,label\n1,1\n2,\n3,2\n4,2\n", "whole.csv")
    floats = write_as("a.parquet", pa.table({"u": [1, 2, 3, 4, 5], "label": [1.0, float("nan"), None, 1.0, 2.0]}))

    assert open_data(texts, "label").y.tolist() == ["a", None, "b", None, "a"]
    assert str(open_data(whole, "label").y.tolist()) == "[1, None, 2, 2]"
    assert str(open_data(floats, "label").y.tolist()) == "[1, None, None, 1, 2]"


@pytest.mark.parametrize("role", ["ids", "groups", "images", "predictions"])
def test_other_columns_have_no_gaps(role, message, text_file):
    """Rows without a group belong to none, or to one: nobody can tell."""
    path = text_file("u,key,label\n1,a,a\n2,,b\n3,b,a\n")

    assert message(path, **{role: "key"}) == (
        "column 'key' has 1 missing value, the first in row 2. Drop these rows, or fill them with a value of their own."
    )
