"""Tests of columns in their one form."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from tables import tables

from bayesfloor.io._columns import as_gaps, is_missing, read_all, read_list, take_rows, texts
from bayesfloor.io._data import recognise

NAN = float("nan")


def same(one, other):
    return (
        (one.name, one.kind, one.levels) == (other.name, other.kind, other.levels)
        and one.data.dtype == other.data.dtype
        and np.array_equal(one.data, other.data, equal_nan=one.data.dtype.kind in "fM")
    )


@given(tables())
def test_every_kind_of_frame_gives_the_same_columns(table):
    """PyArrow, polars and pandas, whatever types it holds, give one form."""
    first, *others = (read_all(recognise(frame)) for frame in table.frames().values())
    for other in others:
        assert all(same(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize(
    ("values", "kind", "data"),
    [
        ([1, None, 3], "number", [1, NAN, 3]),
        ([1.5, NAN], "number", [1.5, NAN]),
        ([decimal.Decimal("1.10"), None], "number", [1.1, NAN]),
        ([np.float32(0.5), 2], "number", [0.5, 2]),
        ([True, None, False], "boolean", [1, NAN, 0]),
        ([True, 2.5], "number", [1, 2.5]),
        ([dt.time(6, 30), None], "time", [6.5, NAN]),
        ([dt.timedelta(hours=12), pd.NaT], "duration", [0.5, NAN]),
        ([np.timedelta64(36, "h")], "duration", [1.5]),
        ([None, NAN], "number", [NAN, NAN]),
        ([[1, 2], None, (3, None)], "list", [[1, 2], [NAN, NAN], [3, NAN]]),
    ],
)
def test_python_values(values, kind, data):
    """Objects of one kind become that kind, with NaN for what is missing."""
    column = read_list("c", values)
    assert column.kind == kind
    np.testing.assert_array_equal(column.data, data)
    np.testing.assert_array_equal(
        column.missing, np.isnan(np.array(data, dtype=float)).reshape(len(values), -1).any(axis=1)
    )


def test_moments_show_their_own_clock():
    """A moment with a time zone is read as its own clock shows it."""
    zone = dt.timezone(dt.timedelta(hours=2))
    column = read_list("c", [dt.datetime(2020, 1, 1, 5, tzinfo=zone), dt.date(2020, 1, 2), pd.NaT])
    assert column.kind == "date"
    assert column.data.tolist()[:2] == [dt.datetime(2020, 1, 1, 5), dt.datetime(2020, 1, 2)]  # noqa: DTZ001
    assert column.missing.tolist() == [False, False, True]


def test_texts_are_numbered_in_the_order_of_indicators():
    """Levels are sorted as if each had a mark behind, as indicators always were."""
    column = texts("c", ["a", None, "ab", "a"])
    assert column.levels == ("ab", "a")
    assert column.data.tolist() == [1, -1, 0, 1]
    assert column.counts.tolist() == [1, 2]


def test_objects_of_several_kinds_are_texts_some_of_which_are_missing():
    assert read_list("c", [1, "x", 2.5, None, b"\xc3\xa4\xff"]).levels == ("1", "2.5", "x", "ä\\xff")
    assert read_list("c", ["x", 2.5, None, float("nan")]).levels == ("2.5", "x")

    column = as_gaps(texts("c", ["b", "?", None, "a"]), [True, False, False])
    assert column.levels == ("a", "b")
    assert column.data.tolist() == [1, -1, -1, 0]

    assert read_list("c", [1.0, 2.5, None]).as_texts().levels == ("1", "2.5")


def test_some_rows_have_only_their_own_strings():
    """What a column is depends on the strings that occur in it."""
    part = take_rows(texts("c", ["b", "a", None, "c", "b"]), np.array([4, 2, 3]))

    assert (part.levels, part.data.tolist()) == (("b", "c"), [0, -1, 1])


def test_arrays():
    """Arrays have columns without names of their own; those of objects may hold anything."""
    assert [column.bare for column in read_all(recognise(np.zeros((2, 2), dtype=int)))] == [True, True]
    mixed = read_all(recognise(np.array([[1, "a"], [2, None]], dtype=object)))
    assert [(column.name, column.kind) for column in mixed] == [("x0", "number"), ("x1", "text")]
    assert [column.kind for column in read_all(recognise(np.array([["a", "b"]])))] == ["text", "text"]


FLOATS, WIDE = pa.float32(), 2
LISTS = [
    ([[0.1, 2.5], [-0.0, 1e30], [3.0, 4.0]], pa.list_(FLOATS)),
    ([[0.1, 2.5], None, [None, NAN], [5.0, 6.0]], pa.list_(FLOATS)),
    ([None, [0.1, 2.5], None, [None, None]], pa.large_list(pa.float64())),
    ([[0.1, 2.5], None, [None, NAN]], pa.list_(FLOATS, WIDE)),
    ([[2**63 - 1, 2], [3, 4]], pa.list_(pa.int64())),
    ([[2**53 + 1, None], None, [3, 4]], pa.list_(pa.int64(), WIDE)),
    ([[decimal.Decimal("0.1"), decimal.Decimal("2.5")], None], pa.list_(pa.decimal128(12, 2))),
    ([[True, False], [False, None]], pa.list_(pa.bool_())),
]


@pytest.mark.parametrize(("values", "kind"), LISTS)
@pytest.mark.parametrize("frame", ["pyarrow", "polars", "pandas"])
def test_lists_of_frames_are_those_of_python(values, kind, frame):
    """Bit for bit, in several pieces and in a part of them, with missing lists and numbers as NaN."""
    lists = pa.chunked_array([pa.array(values, kind), pa.array(values[::-1], kind), pa.array([], kind)])
    table = pa.table({"c": lists})
    if frame == "polars":
        table = pl.from_arrow(table)
    for start, length in ((0, None), (1, None), (1, 1), (0, 0)):
        part = table.slice(start, length)
        if frame == "pandas":
            part = part.to_pandas(types_mapper=pd.ArrowDtype)
        column, expected = read_all(recognise(part))[0], read_list("c", lists.slice(start, length).to_pylist())
        assert column.kind == expected.kind
        assert column.data.shape == expected.data.shape
        assert column.data.tobytes() == expected.data.tobytes()


@pytest.mark.parametrize("values", [[[1.0], [1.0, 2.0]], [[], []]])
def test_lists_of_frames_that_are_no_matrix_are_refused(values):
    """Empty ones, and those of several lengths."""
    with pytest.raises(ValueError, match="that are empty, differ in length or do not contain only numbers"):
        read_all(recognise(pa.table({"c": pa.array(values, pa.list_(pa.float64()))})))


def test_lists_in_one_piece_are_not_copied():
    """The numbers of the frame serve as they are."""
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(6.0)), 3)
    (column,) = read_all(recognise(pa.table({"c": lists})))
    assert np.shares_memory(column.data, lists.flatten().to_numpy())


@pytest.mark.parametrize("values", [[[1, 2], [3]], [["a"], ["b"]], [[], []]])
def test_lists_that_are_no_matrix_are_refused(values):
    with pytest.raises(ValueError, match="column c that are empty, differ in length or do not contain only numbers"):
        read_list("c", values)


def test_structures_and_equal_names_are_refused():
    """Neither has one form."""
    with pytest.raises(ValueError, match="structures in column c"):
        read_all(recognise(pl.DataFrame({"c": [{"a": 1}, {"a": 2}]})))

    with pytest.raises(ValueError, match="several columns with the same name"):
        read_all(recognise(pd.DataFrame([[1, 2]], columns=["a", "a"])))
    with pytest.raises(ValueError, match="several columns with the same name"):
        read_all(recognise(pd.DataFrame([[1, 2]], columns=[1, "1"])))


def test_large_integers_with_gaps():
    """Integers beyond what a 64-bit number holds are rounded alike everywhere."""
    values = [2**62 + 1, None, 3]
    frames = [
        pa.table({"a": values}),
        pl.DataFrame({"a": values}),
        pd.DataFrame({"a": pd.array(values, dtype="Int64")}),
    ]
    first, *others = (read_all(recognise(frame))[0] for frame in frames)
    assert all(same(first, other) for other in others)


def test_what_is_missing():
    """None, NaN, NA and NaT are; empty texts and lists are not."""
    assert all(map(is_missing, [None, NAN, pd.NA, pd.NaT, np.datetime64("NaT")]))
    assert not any(map(is_missing, ["", [], 0, False, np.zeros(2)]))
