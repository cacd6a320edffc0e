"""Tables of every format, in files, folders and streams, give the same columns."""

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc
from tables import read_table

from bayesfloor.io import open_data
from bayesfloor.io._messages import DataError
from bayesfloor.io._tables import table_of

WRITE = {"parquet": pq.write_table, "arrow": feather.write_feather, "csv": pacsv.write_csv}


@pytest.fixture(params=WRITE)
def kind(request):
    """A format that comes in folders."""
    return request.param


@pytest.fixture
def put(tmp_path, kind):
    """Writes a table below a folder."""

    def write(table, name):
        path = tmp_path / f"{name}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        WRITE[kind](table, str(path))

    return write


def test_every_format_gives_the_same_table(table, file_name, write_as):
    """Nobody should have to convert a file."""
    found = read_table(write_as(file_name, table))

    assert found.names == table.column_names
    assert found.notes == ()
    assert found.read().equals(table_of(table).read())
    assert found.read(["label", "u"]).column_names == ["label", "u"]


def test_batches_make_up_the_table(table, file_name, write_as):
    """A sample is drawn from them."""
    found = read_table(write_as(file_name, table))

    batches = list(found.batches(["u", "label"]))

    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert pa.Table.from_batches(batches).equals(found.read(["u", "label"]))


# Files that lie about themselves


@pytest.mark.parametrize("new", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize("name", ["a.arrow", "parts/a.arrow"])
def test_a_lie_about_the_data_is_found_before_they_are_used(tmp_path, new, name):
    """To read what is not there would end the process."""
    path, batch = tmp_path / name, pa.record_batch({"u": pa.array([1.0, 2.0, 3.0]), "label": ["cat", "dog", "cat"]})
    path.parent.mkdir(exist_ok=True)
    with new(str(path), batch.schema) as writer:
        writer.write_batch(batch)
    ends, lie = (np.array([0, 3, 6, last], dtype=np.int32).tobytes() for last in (9, 1 << 30))
    path.write_bytes(path.read_bytes().replace(ends, lie))

    with pytest.raises(DataError, match=r"cannot be read as Arrow: In column \d: .*offset"):
        open_data(str(path if name == "a.arrow" else path.parent), "label")


def test_no_file_is_mapped(tmp_path, monkeypatch, table):
    """One that is cut while it is mapped ends the process."""
    monkeypatch.setattr(pa, "memory_map", None)
    path = str(tmp_path / "a.arrow")
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)

    assert read_table(path).read(["label", "u"]).equals(table_of(table).read(["label", "u"]))


def test_a_small_file_that_asks_for_all_memory_is_refused(tmp_path, monkeypatch, table):
    """That more rows than fit are promised is not the user's size of data."""
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)
    with pytest.raises(DataError, match=r"a\.parquet claims to hold more than fits in memory"):
        open_data(str(path), "label")


# Folders


def test_a_folder_is_one_table(tmp_path, table, put):
    """Large tables come in parts, beside other files."""
    put(table.slice(0, 15), "a")
    put(table.slice(15), "more/b")
    (tmp_path / "README.md").write_text("hello")

    assert read_table(tmp_path).read().equals(table_of(table).read())


def test_what_programs_keep_for_themselves_is_no_data(tmp_path, table, put):
    """A job that was stopped leaves half of its rows in _temporary."""
    put(table, "a")
    for name in ("_temporary/0/b", ".cache/c", "_d", ".e", "more/_f"):
        put(table, name)

    assert read_table(tmp_path).read().num_rows == 40


def test_tables_of_another_kind_are_told(tmp_path, table):
    """Half of the rows may be in them."""
    pq.write_table(table, tmp_path / "a.parquet")
    pacsv.write_csv(table, tmp_path / "b.csv")
    pacsv.write_csv(table, tmp_path / "c.tsv")

    assert read_table(tmp_path).notes == ("ignored 2 CSV files in the same folder",)


def test_a_folder_may_itself_begin_with_an_underscore(tmp_path, table):
    """Only what lies below it counts."""
    folder = tmp_path / "_mine"
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")

    assert read_table(folder).read().num_rows == 40


@pytest.mark.parametrize("kind", ["parquet", "arrow"], indirect=True)
def test_folders_may_be_named_after_the_class(tmp_path, table, put):
    """Spark writes a folder for each value."""
    for name in ("cat", "dog"):
        put(table.select(["u", "v"]), f"label={name}/a")

    found = read_table(tmp_path)

    assert found.names == ["u", "v", "label"]
    assert found.read(["label"]).column("label").to_pylist() == ["cat"] * 40 + ["dog"] * 40


def test_files_with_other_columns_are_refused(tmp_path, table, put, kind, refused):
    """Filled up with missing values, they would mislead."""
    put(table, "a")
    put(table.select(["u", "label"]), "b")
    put(table.append_column("new", table["u"]), "c")

    assert refused(tmp_path).endswith(
        f"has 2 problems: (1) b.{kind} and a.{kind} have different columns: only one of them has 'colour', 'v'. "
        f"(2) c.{kind} and a.{kind} have different columns: only one of them has 'new'."
    )


def test_columns_of_a_folder_have_one_type(tmp_path, put):
    """The first file may hold nothing, or whole numbers only."""
    put(pa.table({"a.b": [1, 2], "w": pa.array([None, None], pa.float64())}), "a")
    put(pa.table({"w": [1.5, 2.5], "a.b": [0.5, 1.5]}), "b")

    assert read_table(tmp_path).read().to_pydict() == {"a.b": [1, 2, 0.5, 1.5], "w": [None, None, 1.5, 2.5]}


# Single files


def test_an_arrow_file_is_in_memory_once(write_as):
    """It is read, but not copied after that."""
    path = write_as("a.arrow", pa.table({name: np.arange(100_000.0) for name in "uvwxyz"}))
    before = pa.total_allocated_bytes()

    found = read_table(path).read()

    assert pa.total_allocated_bytes() - before < 1.1 * found.nbytes


def test_a_dot_in_a_name_is_no_path(table, write_as):
    """Parquet writes dots for what lies inside of a column."""
    table = table.rename_columns(["iris.u", "iris.v", "colour", "the.label"])

    assert read_table(write_as("a.parquet", table)).read(["the.label", "iris.u"]).num_columns == 2


@pytest.mark.parametrize("name", ["a.csv", "a.arrow"])
def test_columns_of_one_name_are_refused(table, name, write_as, refused):
    """One of the two would be lost."""
    path = write_as(name, table.rename_columns(["u", "u", "colour", "label"]))

    assert refused(path) == f"{name} has several columns named 'u'. Rename them first."


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.feather", "a.ipc"])
def test_tables_without_rows_are_refused(table, name, write_as, refused):
    """A filter that let nothing through."""
    assert refused(write_as(name, table.slice(0, 0))) == (f"{name} has columns but no rows. Expected at least one row.")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_hostile_names_are_names(name, hostile, write_as):
    """They must not break the reader."""
    table = pa.table([pa.array([0.5, 2.0]), pa.array([1, 2])], names=["u", hostile])

    assert read_table(write_as(name, table)).read([hostile]).to_pydict() == {hostile: [1, 2]}


# Streams


def test_streams_give_what_files_give(tmp_path, table):
    """Frames of other libraries bring types of their own."""
    frame = pl.from_arrow(table).with_columns(pl.col("colour").cast(pl.Categorical))
    frame.write_parquet(tmp_path / "a.parquet")
    expected = read_table(tmp_path / "a.parquet").read()

    reader = pa.RecordBatchReader.from_stream(frame)
    for stream in (frame, frame.lazy(), frame.to_arrow(), reader, pd.DataFrame(table.to_pydict())):
        found = table_of(stream)

        assert found.read().equals(expected)
        assert found.read(["u"]).equals(expected.select(["u"]))


def test_types_become_plain():
    """Nobody after this needs to know them."""
    texts = pa.array(["s", "t"])
    kind = pa.fixed_shape_tensor(pa.float32(), [2])
    tensor = pa.ExtensionArray.from_storage(kind, pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2)))
    table = pa.table(
        {
            "category": texts.dictionary_encode(),
            "decimal": pa.array([Decimal("0.25"), Decimal("1.25")]),
            "half": pa.array(np.array([1, 2], np.float16)),
            "view": texts.cast(pa.string_view()),
            "runs": pa.RunEndEncodedArray.from_arrays([2], ["s"]),
            "tensor": tensor,
        }
    )

    found = table_of(table).read()

    plain = ["large_string", "double", "float", "large_string", "large_string", "fixed_size_list<item: float>[2]"]
    assert list(map(str, found.schema.types)) == plain
    assert found.column("category").to_pylist() == ["s", "t"]


@pytest.mark.parametrize("thing", [[1, 2], "a.csv", None])
def test_what_is_no_stream_is_refused(thing):
    """With what would be one."""
    with pytest.raises(DataError, match=r"^Got .*, but expected a table with the Arrow stream interface"):
        table_of(thing)


def test_paths_in_bytes_of_the_system_are_read(tmp_path, table):
    """A path may come as any kind of path."""
    path = tmp_path / "größe.parquet"
    pq.write_table(table, path)

    assert read_table(os.fspath(path)).names == read_table(path).names == table.column_names
