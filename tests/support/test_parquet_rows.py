"""Rows of Parquet files: exact, wherever files, groups and batches are cut."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import InputError, open_rows
from bayesfloor.leaving import engine_parquet_rows as _parquet_rows
from bayesfloor.leaving.engine_parquet_rows import column_names, read_parquet_column

HOSTILE = "a\x1b[2J\nb"  # clears the screen and begins a new line
LISTS = {
    "lists": pa.list_(pa.float64()),
    "large lists": pa.large_list(pa.float64()),
    "lists of fixed size": pa.list_(pa.float64(), 3),
    "lists of float32": pa.list_(pa.float32()),
    "lists of whole numbers": pa.list_(pa.int16()),
}


@pytest.fixture
def write(tmp_path):
    """Writer of a Parquet file below a folder: (name, columns) -> its path."""

    def write(name, columns, **how):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, path, **how)
        return path

    return write


@pytest.fixture(name="X")
def some_rows(global_random_seed):
    """A few rows."""
    return np.random.default_rng(global_random_seed).standard_normal((50, 2))


@pytest.fixture
def folder(X, write, tmp_path, monkeypatch):
    """The rows in a folder: files of several groups, one empty, one below another folder; batches are small."""
    monkeypatch.setattr(_parquet_rows, "_BATCH", 4)
    label = np.array([f"row {i}" for i in range(50)])
    cuts = {"1.parquet": (0, 17), "2.parquet": (17, 17), "b/3.parquet": (17, 18), "c.parquet": (18, 50)}
    for name, (start, stop) in cuts.items():
        x, y = X[start:stop].T
        write(f"data/{name}", {"x": x, "label": label[start:stop], "y": y}, row_group_size=7)
    return tmp_path / "data"


@pytest.fixture
def rows(folder):
    """Their handle."""
    return open_rows(folder, ["x", "y"])


def list_column(X, kind, mask=None):
    """A column of lists of numbers."""
    return pa.array([None if mask is not None and mask[i] else list(x) for i, x in enumerate(X)], LISTS[kind])


def test_a_folder_is_read_in_the_order_of_its_names(rows, X):
    """Files without rows, too."""
    assert rows.shape == (50, 2)
    assert np.array_equal(rows.read(), X)
    assert rows.read().flags.c_contiguous


def test_labels_stand_beside_their_rows(rows):
    """In any part."""
    assert list(read_parquet_column(rows, "label")) == [f"row {i}" for i in range(50)]
    assert list(read_parquet_column(rows.part(16, 20), "label")) == ["row 16", "row 17", "row 18", "row 19"]


def test_every_part_is_read_exactly(rows, X):
    """Wherever it is cut: files, groups and batches end everywhere."""
    for start in range(0, 51, 3):
        for stop in range(start, 51):
            part = rows.part(start, stop)
            assert part.shape == (stop - start, 2)
            assert np.array_equal(part.read(), X[start:stop])


def test_every_part_of_a_part_is_read_exactly(rows, X):
    """It counts from its own first row."""
    part = rows.part(5, 41)
    for start in range(0, 36, 5):
        for stop in range(start, 37, 4):
            assert np.array_equal(part.part(start, stop).read(), X[5:41][start:stop])
    assert np.array_equal(part.part(30, 99).read(), X[35:41])


def test_single_rows_come_in_the_order_asked_for(rows, X, global_random_seed):
    """Some of them twice, of parts as of the whole."""
    rng, part = np.random.default_rng(global_random_seed), rows.part(11, 33)
    for size in (0, 1, 2, 9, 80):
        wanted, inside = rng.integers(0, 50, size), rng.integers(0, 22, size)
        assert np.array_equal(rows.take(wanted), X[wanted])
        assert np.array_equal(part.take(inside), X[11:33][inside])


@pytest.mark.parametrize("wanted", [[50], [-1], [0, 1, 99]])
def test_rows_that_are_not_there_are_refused(rows, wanted):
    """Not made up from what memory held."""
    with pytest.raises(IndexError, match="but there are 50"):
        rows.take(np.array(wanted))


@pytest.mark.process
def test_plain_columns_are_read_without_pandas(write):
    """Each of many small workers would pay for it."""
    path = write("plain.parquet", {"x": [1.0, 2.0], "n": [3, 4], "l": [[5.0, 6.0], [7.0, 8.0]]})
    code = (
        "import sys; from bayesfloor.io import open_rows; X = open_rows(sys.argv[1]).read(); "
        "print(X.tolist(), 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True, text=True)

    assert done.stdout.strip() == "[[1.0, 3.0, 5.0, 6.0], [2.0, 4.0, 7.0, 8.0]] False"


def test_batches_may_span_groups(write, X, monkeypatch):
    """Groups of one row, batches of several."""
    monkeypatch.setattr(_parquet_rows, "_BATCH", 16)
    rows = open_rows(write("x.parquet", {"x": X[:, 0]}, row_group_size=1))

    assert np.array_equal(rows.part(3, 47).read(), X[3:47, :1])


@pytest.mark.slow
def test_a_handle_of_a_part_of_many_files_is_small(write, tmp_path):
    """It goes to every task; that of the whole does not."""
    for i in range(1000):
        write(f"many/part-{i:05d}.parquet", {"x": np.array([2.0 * i, 2.0 * i + 1])})
    rows = open_rows(tmp_path / "many")
    part = rows.part(1001, 1003)

    assert rows.shape == (2000, 1)
    assert len(pickle.dumps(part)) < 1000
    assert np.array_equal(pickle.loads(pickle.dumps(part)).read(), [[1001.0], [1002.0]])  # noqa: S301 - our own


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "uint64", "bool"])
def test_numbers_of_any_kind_are_read_as_float64(write, kind):
    """As NumPy converts them."""
    x = np.array([0, 1, 0, 1, 1]).astype(kind)
    rows = open_rows(write("x.parquet", {"x": x, "y": x}))

    assert rows.read().dtype == np.float64
    assert np.array_equal(rows.read(), np.column_stack([x, x]).astype(np.float64))


@pytest.mark.parametrize("kind", [pa.float32(), pa.int64(), pa.bool_()])
def test_missing_numbers_are_nan(write, kind):
    """Of any kind; whoever reads them decides."""
    rows = open_rows(write("x.parquet", {"x": pa.array([1, None, 0], pa.int8()).cast(kind)}))

    assert np.array_equal(rows.read(), [[1.0], [np.nan], [0.0]], equal_nan=True)
    assert np.array_equal(rows.take(np.array([1, 1, 2])), [[np.nan], [np.nan], [0.0]], equal_nan=True)


@pytest.mark.parametrize("kind", LISTS)
def test_a_column_of_lists_is_a_matrix(write, kind, monkeypatch):
    """Embeddings are kept like this."""
    monkeypatch.setattr(_parquet_rows, "_BATCH", 4)
    X = np.arange(60.0).reshape(20, 3)
    rows = open_rows(write("x.parquet", {"id": ["a"] * 20, "e": list_column(X, kind)}, row_group_size=6), ["e"])

    assert rows.shape == (20, 3)
    assert np.array_equal(rows.read(), X)
    assert np.array_equal(rows.part(5, 14).read(), X[5:14])
    assert np.array_equal(rows.take(np.array([19, 3, 3])), X[[19, 3, 3]])


def test_lists_and_numbers_stand_side_by_side(write):
    """In the order that the columns are asked for."""
    path = write("x.parquet", {"e": list_column(np.arange(6.0).reshape(2, 3), "lists"), "x": [8, 9]})

    assert np.array_equal(open_rows(path).read(), [[0, 1, 2, 8], [3, 4, 5, 9]])
    assert np.array_equal(open_rows(path, ["x", "e"]).read(), [[8, 0, 1, 2], [9, 3, 4, 5]])


def test_missing_numbers_in_lists_are_nan(write):
    """The list itself is there."""
    rows = open_rows(write("x.parquet", {"e": pa.array([[1.0, 2.0], [None, 4.0]])}))

    assert np.array_equal(rows.read(), [[1, 2], [np.nan, 4]], equal_nan=True)


@pytest.mark.parametrize(
    "lists",
    [[[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]], [[1.0, 2.0], [3.0]], [[1.0], [], [2.0, 3.0]], [[1.0, 2.0], None]],
)
def test_lists_of_different_lengths_are_refused(write, lists):
    """Even if their numbers would fill a matrix: each would stand in another's place."""
    rows = open_rows(write("x.parquet", {"e": pa.array(lists)}))
    with pytest.raises(ValueError, match=r"different lengths, or missing lists, in column e of .*x\.parquet"):
        rows.read()


@pytest.mark.parametrize("kind", ["lists", "large lists", "lists of fixed size"])
def test_missing_lists_are_refused(write, kind):
    """At the first row or later."""
    X = np.arange(9.0).reshape(3, 3)
    later = open_rows(write("x.parquet", {"e": list_column(X, kind, mask=[False, False, True])}))
    with pytest.raises(ValueError, match=r"or missing lists, in column e of .*x\.parquet"):
        later.read()

    path = write("y.parquet", {"e": list_column(X, kind, mask=[True, False, False])})
    with pytest.raises(ValueError, match=r"or missing lists, in column e of .*y\.parquet"):
        open_rows(path)


def test_lists_that_are_all_empty_are_refused(write):
    """Rows have at least one feature."""
    with pytest.raises(ValueError, match=r"empty lists in .*x\.parquet"):
        open_rows(write("x.parquet", {"e": pa.array([[], []], pa.list_(pa.float64()))}))


def test_lists_as_long_in_each_file_but_not_in_all_are_refused(write, tmp_path):
    """With the file that is unlike the others."""
    write("d/1.parquet", {"e": pa.array([[1.0, 2.0]])})
    write("d/2.parquet", {"e": pa.array([[1.0, 2.0, 3.0]])})
    rows = open_rows(tmp_path / "d")

    with pytest.raises(ValueError, match=r"Got 3 numbers per row in .*2\.parquet, but expected 2"):
        rows.read()
    with pytest.raises(ValueError, match=r"2\.parquet"):
        rows.take(np.array([1]))


def test_columns_are_found_by_name_in_every_file(write, tmp_path):
    """Their order, and what else a file holds, are its own."""
    write("d/1.parquet", {"x": [1.0], "y": [2.0]})
    write("d/2.parquet", {"more": ["text"], "y": [4.0], "x": [3.0]})

    assert np.array_equal(open_rows(tmp_path / "d").read(), [[1, 2], [3, 4]])
    assert np.array_equal(open_rows(tmp_path / "d", ["y", "x"]).read(), [[2, 1], [4, 3]])
    assert np.array_equal(open_rows(tmp_path / "d", ["y", "x"]).take(np.array([1])), [[4, 3]])


@pytest.mark.parametrize("names", [["a", "a.b", "a.b.c"], ["a.b.c", "a.b", "a"]])
def test_dots_in_names_mean_nothing(write, names):
    """To pyarrow they are paths into columns."""
    path = write("x.parquet", {name: [float(len(name))] for name in names})

    for name in names:
        assert np.array_equal(open_rows(path, [name]).read(), [[len(name)]])
        assert read_parquet_column(open_rows(path, names[:1]), name) == [len(name)]


def test_a_missing_column_is_named_with_its_file(write, tmp_path):
    """And those that there are."""
    write("d/1.parquet", {"x": [1.0], "y": [2.0]})
    write("d/2.parquet", {"x": [1.0], "z": [2.0]})

    with pytest.raises(ValueError, match=r"There is no column y in .*2\.parquet\. Its columns are x, z"):
        open_rows(tmp_path / "d")
    with pytest.raises(ValueError, match=r"There is no column label in .*1\.parquet"):
        read_parquet_column(open_rows(tmp_path / "d", ["x"]), "label")


def test_no_columns_are_no_rows(write):
    """Somebody's list was empty."""
    with pytest.raises(ValueError, match=r"Got no columns to read from .*\. It has x"):
        open_rows(write("x.parquet", {"x": [1.0]}), [])


def test_a_column_asked_for_twice_is_refused(write):
    """It would count twice in every distance, or not at all."""
    with pytest.raises(ValueError, match="column x more than once"):
        open_rows(write("x.parquet", {"x": [1.0], "y": [1.0]}), ["x", "y", "x"])


def test_two_columns_of_one_name_are_refused(write):
    """Nobody knows which is meant; others can be used."""
    x = pa.array([1.0])
    path = write("x.parquet", pa.Table.from_arrays([x, x, x], names=["x", "x", "y"]))
    with pytest.raises(ValueError, match=r"several columns named x in .*x\.parquet"):
        open_rows(path)

    rows = open_rows(path, ["y"])
    assert rows.shape == (1, 1)
    with pytest.raises(ValueError, match=r"several columns named x in .*x\.parquet"):
        read_parquet_column(rows, "x")


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["text"]),
        pa.array(["text"]).dictionary_encode(),
        pa.array([0], pa.timestamp("ms")),
        pa.array([{"x": 1.0}]),
        pa.array([["text"]]),
        pa.array([[[1.0]]]),
        pa.nulls(1),
    ],
    ids=lambda values: str(values.type),
)
def test_what_is_no_number_is_refused_with_its_type(write, values):
    """Codes of texts are not distances."""
    with pytest.raises(ValueError, match=r"in column y of .*x\.parquet, but expected numbers") as failure:
        open_rows(write("x.parquet", {"x": [1.0], "y": values}))

    assert f"Got {str(values.type).split('<')[0]}" in str(failure.value)


def test_another_type_in_a_later_file_is_refused(write, tmp_path):
    """At once, and not in an hour."""
    write("d/1.parquet", {"x": [1.0]})
    write("d/2.parquet", {"x": ["1.0"]})

    with pytest.raises(ValueError, match=r"Got string in column x of .*2\.parquet"):
        open_rows(tmp_path / "d")


def test_whole_numbers_in_a_later_file_are_numbers(write, tmp_path):
    """A column of 1, 2, 3 is often written as such."""
    write("d/1.parquet", {"x": [1.5]})
    write("d/2.parquet", {"x": pa.array([2], pa.int8())})

    assert np.array_equal(open_rows(tmp_path / "d").read(), [[1.5], [2.0]])


def test_no_rows_at_all_are_refused(write, tmp_path):
    """With the name of a file."""
    write("d/1.parquet", {"x": pa.array([], pa.float64())})
    write("d/2.parquet", {"x": pa.array([], pa.float64())})

    with pytest.raises(ValueError, match=r"Got no rows in .*1\.parquet"):
        open_rows(tmp_path / "d")


def test_a_folder_without_files_is_refused(tmp_path):
    """By its name."""
    with pytest.raises(FileNotFoundError, match=r"The folder .* has no \.parquet files"):
        open_rows(tmp_path)


def test_folders_that_are_called_like_files_are_folders(write, tmp_path):
    """Spark writes them so."""
    write("d/2.parquet/part-1.parquet", {"x": [2.0]})
    write("d/1.parquet/part-1.parquet", {"x": [1.0]})

    assert np.array_equal(open_rows(tmp_path / "d").read(), [[1.0], [2.0]])
    assert np.array_equal(open_rows(tmp_path / "d" / "2.parquet").read(), [[2.0]])


@pytest.mark.parametrize("name", ["_temporary/0/x.parquet", ".cache/x.parquet", "_x.parquet", ".x.parquet"])
def test_what_programs_keep_for_themselves_is_no_data(write, tmp_path, name):
    """Half-written files of another program, most often."""
    write("d/1.parquet", {"x": [1.0]})
    write(f"d/{name}", {"x": [7.0]})

    assert np.array_equal(open_rows(tmp_path / "d").read(), [[1.0]])
    assert np.array_equal(open_rows(tmp_path / "d" / name).read(), [[7.0]])  # if it is asked for


def test_a_folder_may_itself_have_such_a_name(write, tmp_path):
    """What is above it tells nothing."""
    write("_d/1.parquet", {"x": [1.0]})

    assert open_rows(tmp_path / "_d").shape == (1, 1)


def test_a_file_cut_anywhere_is_refused_by_name(write, X):
    """A download that stopped."""
    path = write("x.parquet", {"x": X[:, 0]}, row_group_size=10)
    whole = path.read_bytes()
    for cut in {*range(12), *range(0, len(whole), 97), len(whole) - 1}:
        path.write_bytes(whole[:cut])
        with pytest.raises((ValueError, OSError), match=r"x\.parquet cannot be read") as failure:
            open_rows(path)
        assert str(failure.value).isprintable()


def test_a_file_that_is_damaged_inside_is_named_when_it_is_read(write):
    """What stands at its end is all that opening looks at."""
    path = write("x.parquet", {"x": np.arange(20_000) % 7}, row_group_size=5000, compression="snappy")
    whole = bytearray(path.read_bytes())
    group = pq.ParquetFile(path).metadata.row_group(2).column(0)
    whole[group.data_page_offset + 40 : group.data_page_offset + 100] = b"\xff" * 60
    path.write_bytes(whole)
    rows = open_rows(path)

    assert np.array_equal(rows.part(0, 9000).read()[:, 0], np.arange(9000) % 7)
    for work in (rows.read, lambda: rows.take(np.array([12_000])), lambda: read_parquet_column(rows, "x")):
        with pytest.raises(InputError, match=r"x\.parquet cannot be read"):
            work()


def test_what_is_no_parquet_file_is_refused(tmp_path):
    """Any other file."""
    path = tmp_path / "x.csv"
    path.write_text("x,y\n1,2\n" * 9)

    with pytest.raises(ValueError, match=r"x\.csv cannot be read as Parquet: .*\. Is it complete\?"):
        open_rows(path)


def test_a_missing_file_is_named(tmp_path):
    """As it was given."""
    with pytest.raises(FileNotFoundError, match=r"There is no file .*x\.parquet"):
        open_rows(tmp_path / "x.parquet")


def test_hostile_names_stay_in_their_line(write, tmp_path):
    """Of files, columns and types; each error is shown in a terminal."""
    file = write(f"{HOSTILE}.parquet", {HOSTILE: ["text"], "x": [1.0]})
    struct = write("d/struct.parquet", {HOSTILE: pa.array([{HOSTILE: 1.0}])})
    lists = write(f"{HOSTILE}/lists.parquet", {HOSTILE: pa.array([[1.0], [1.0, 2.0]])})
    damaged = tmp_path / f"{HOSTILE}2.parquet"
    damaged.write_bytes(b"PAR1" + b"\x1b" * 60 + b"PAR1")
    rows = open_rows(file, ["x"])
    works = [
        lambda: open_rows(file),
        lambda: open_rows(file, [HOSTILE + "?"]),
        lambda: open_rows(file, ["x", "x", HOSTILE, HOSTILE]),
        lambda: read_parquet_column(rows, HOSTILE + "?"),
        lambda: read_parquet_column([[1]], HOSTILE),
        lambda: open_rows(struct),
        lambda: open_rows(lists).read(),
        lambda: open_rows(damaged),
        lambda: open_rows(tmp_path / HOSTILE / "none" / HOSTILE),
        lambda: [file.write_bytes(b""), rows.read()],
    ]
    for work in works:
        with pytest.raises((ValueError, TypeError, OSError)) as failure:
            work()
        assert str(failure.value).isprintable()


@pytest.mark.parametrize("use", ["read", "take", "part", "labels"])
def test_a_file_that_changed_is_refused(rows, folder, write, use):
    """One of many; the others are as they were."""
    write("data/c.parquet", {"x": [1.0], "label": ["a"], "y": [1.0]})
    works = {
        "read": rows.read,
        "take": lambda: rows.take(np.array([0, 30])),
        "part": rows.part(20, 30).read,
        "labels": lambda: read_parquet_column(rows, "label"),
    }

    assert folder.is_dir()
    with pytest.raises(ValueError, match=r"c\.parquet changed while it was in use"):
        works[use]()
    assert rows.part(0, 18).read().shape == (18, 2)


def test_a_file_that_was_removed_is_named(rows, folder):
    """Scratch disks are emptied."""
    (folder / "1.parquet").unlink()

    with pytest.raises(FileNotFoundError, match=r"1\.parquet\. Was it moved or deleted\?"):
        rows.read()


def test_fingerprints_change_with_files_columns_and_parts(rows, folder):
    """A checkpoint is of these rows and of no others."""
    seen = [rows, rows.part(0, 49), rows.part(0, 18), open_rows(folder, ["y", "x"]), open_rows(folder, ["x"])]
    prints = {each.fingerprint() for each in seen}
    os.utime(folder / "c.parquet", ns=(0, 0))

    assert open_rows(folder, ["x", "y"]).fingerprint() not in prints
    assert len(prints) == len(seen)


LABELS = {
    "texts": (pa.array(["b", "a", "b"]), ["b", "a", "b"]),
    "codes of texts": (pa.array(["b", "a", "b"]).dictionary_encode(), ["b", "a", "b"]),
    "missing texts": (pa.array(["b", None, "b"]), ["b", None, "b"]),
    "missing codes": (pa.array(["b", None, "b"]).dictionary_encode(), ["b", None, "b"]),
    "large texts": (pa.array(["b", "a", "b"], pa.large_string()), ["b", "a", "b"]),
    "numbers": (pa.array([3, 1, 3], pa.int8()), [3, 1, 3]),
    "switches": (pa.array([True, False, True]), [True, False, True]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind_are_read(write, kind):
    """Those that are missing are None."""
    values, expected = LABELS[kind]
    rows = open_rows(write("x.parquet", {"x": [1.0, 2.0, 3.0], "y": values}, row_group_size=2), ["x"])

    assert list(read_parquet_column(rows, "y")) == expected
    assert list(read_parquet_column(rows.part(1, 3), "y")) == expected[1:]


def test_labels_of_other_rows_are_no_column():
    """An array has no columns by name."""
    with pytest.raises(TypeError, match=r"Got the column name label, but the rows do not come from Parquet files"):
        read_parquet_column(open_rows(np.zeros((2, 2))), "label")


def test_names_of_columns_are_those_of_the_first_file(folder, tmp_path):
    """A .npy file has none."""
    assert column_names(folder) == ["x", "label", "y"]
    assert column_names(tmp_path / "x.npy") == []
