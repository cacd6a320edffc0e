"""Tables of every format, in files, folders and streams, give the same columns; lists become arrays."""

import os
import re
import subprocess
import sys
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

from bayesfloor.io import _find_file, open_data
from bayesfloor.io._messages import DataError
from bayesfloor.io._tables import table_of

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
WRITE = {"parquet": pq.write_table, "arrow": feather.write_feather, "csv": pacsv.write_csv}


@pytest.fixture(params=WRITE)
def kind(request):
    return request.param


@pytest.fixture
def put(tmp_path, kind):
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
    with pytest.raises(DataError, match=r"a\.parquet does not fit in memory"):
        open_data(str(path), "label")


def write_long(path, n=60_000, width=1):
    """A table of zeros, which packs to almost nothing."""
    table = pa.table({**{f"x{k}": np.zeros(n) for k in range(width)}, "label": np.arange(n) % 2})
    if path.suffix == ".arrow":
        feather.write_feather(table, path, compression="zstd", chunksize=10_000)
    elif path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".npz":
        np.savez_compressed(path, X=np.zeros((n, width)), y=np.arange(n) % 2)
    else:
        pacsv.write_csv(table, pa.CompressedOutputStream(str(path), "gzip"))
    return str(path)


@pytest.mark.parametrize("name", ["a.arrow", "a.parquet", "a.npz", "a.csv.gz"])
def test_more_rows_than_bytes_are_refused(tmp_path, monkeypatch, name):
    """A file of a few megabytes must not take gigabytes, whoever sent it."""
    monkeypatch.setattr(_find_file, "_MOST_ROWS", 50_000)
    path = write_long(tmp_path / name)

    with pytest.raises(
        DataError, match=rf"{re.escape(name)} has 0\.\d\d MB but unpacks to (5|6)\d,\d\d\d rows or more"
    ):
        open_data(path, None if name.endswith("npz") else "label")


@pytest.mark.parametrize("name", ["a.arrow", "a.parquet", "a.csv.gz", "a.npz"])
def test_features_that_unpack_to_very_much_are_sampled_or_refused(tmp_path, monkeypatch, name):
    """Rows that can be left out are left out; an array of a .npz file cannot be read in part."""
    monkeypatch.setattr(_find_file, "_LARGE", 4_000_000)
    monkeypatch.setattr(_find_file, "_LEAST", 100)
    monkeypatch.setattr(_find_file, "_POOL_BYTES", 80_000)
    path = write_long(tmp_path / name, 60_000, 20)
    if name.endswith("npz"):
        with pytest.raises(DataError, match="unpacks to 60,000 rows"):
            open_data(path)
        return
    data = open_data(path, "label")

    assert (len(data.y), data.X.shape, data.n_rows) == (500, (500, 20), 60_000)


def test_too_many_columns_are_refused_before_they_are_parsed(tmp_path):
    """A million of them took all memory, and then the process ended without a word."""
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"x{k}" for k in range(100_001)) + "\n")

    with pytest.raises(DataError, match=r"a\.csv has 100,001 columns, but expected at most 100,000\. Save numbers as"):
        open_data(str(path), "x0")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.arrow", "a.parquet", "a.npz", "a.csv.gz"])
def test_a_trap_takes_little_memory(tmp_path, name):
    """Real sizes, in a process with a limit far below what the whole table would take."""
    n = 24_000_000
    path = write_long(tmp_path / name, n)
    code = "import re, sys; from pathlib import Path; from bayesfloor.io import open_data\n"
    code += "status = Path('/proc/self/status')\n"
    code += "def peak(): return int(re.search(r'VmHWM:\\s*(\\d+)', status.read_text())[1])\nbefore = peak()\n"
    code += "try: open_data(sys.argv[1], sys.argv[2] or None)\nexcept ValueError as error: print(error)\n"
    code += "print((peak() - before) // 1024)"
    asked = [sys.executable, "-c", code, path, "" if name.endswith("npz") else "label"]
    said, peak = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()

    assert "rows or more, which would take too much memory" in said
    assert int(peak) < 700


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
    assert found.column("decimal").to_pylist() == [0.25, 1.25]
    assert open_data(table, [0, 1]).X.columns == table.column_names


@pytest.mark.parametrize("thing", [[1, 2], "a.csv", None])
def test_what_is_no_stream_is_refused(thing):
    with pytest.raises(DataError, match=r"^Got .*, but expected a table with the Arrow stream interface"):
        table_of(thing)


def test_paths_in_bytes_of_the_system_are_read(tmp_path, table):
    path = tmp_path / "größe.parquet"
    pq.write_table(table, path)

    assert read_table(os.fspath(path)).names == read_table(path).names == table.column_names


def test_missing_pyarrow_says_what_to_install(table, monkeypatch, write_as, message):
    """It comes with an extra that may have been left out."""
    path = write_as("a.csv", table)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert message(path).endswith('python -m pip install "bayesfloor[cli]"')


# Columns of lists that are named become arrays

LISTS = [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0], [3.5, 4.0]]
KINDS = {
    "list": pa.list_(pa.float32()),
    "large list": pa.large_list(pa.float64()),
    "fixed size": pa.list_(pa.float32(), 2),
    "half": pa.list_(pa.float16()),
    "decimals": pa.list_(pa.decimal128(4, 1)),
}


def embedded(values, kind=None, **more):
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
