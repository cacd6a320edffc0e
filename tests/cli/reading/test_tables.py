"""Tables of every format give the same columns."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.cli.reading import read_data


def test_every_format_gives_the_same_data(table, file_name, write):
    """Nobody should have to convert a file to use the command."""
    data = read_data(write(file_name, table), "label")

    assert data.name == file_name
    assert data.label == "label"
    assert data.feature_names == ("u", "v", "colour")
    assert data.X.column("u").to_pylist() == table.column("u").to_pylist()
    assert data.y.tolist() == table.column("label").to_pylist()
    assert data.ids is data.groups is data.images is None


def test_a_folder_of_parquet_files_is_one_table(tmp_path, table):
    """Large tables come in parts, beside other files."""
    folder = tmp_path / "parts"
    (folder / "more").mkdir(parents=True)
    pq.write_table(table.slice(0, 15), folder / "a.parquet")
    pq.write_table(table.slice(15), folder / "more" / "b.parquet")
    (folder / "README.md").write_text("hello")

    data = read_data(str(folder), "label")

    assert data.name == "parts"
    assert data.y.tolist() == table.column("label").to_pylist()


def test_folders_may_be_named_after_the_class(tmp_path, table):
    """Spark writes a folder for each value."""
    for name in ("cat", "dog"):
        folder = tmp_path / f"label={name}"
        folder.mkdir()
        pq.write_table(table.select(["u", "v"]), folder / "a.parquet")

    data = read_data(str(tmp_path), "label")

    assert data.feature_names == ("u", "v")
    assert sorted(set(data.y)) == ["cat", "dog"]


def test_an_arrow_file_is_not_copied(table, write):
    """A large file should be in memory once, or not at all."""
    path = write("a.arrow", table)
    before = pa.total_allocated_bytes()

    data = read_data(path, "label", drop=("colour",))

    assert pa.total_allocated_bytes() - before < data.X.nbytes


def test_a_dot_in_a_name_is_no_path(table, write):
    """Parquet writes dots for what lies inside of a column."""
    table = table.rename_columns(["iris.u", "iris.v", "colour", "the.label"])

    data = read_data(write("a.parquet", table), "the.label")

    assert data.feature_names == ("iris.u", "iris.v", "colour")


@pytest.mark.parametrize("name", ["a.csv", "a.arrow"])
def test_columns_of_one_name_are_refused(table, name, write, message):
    """One of the two would be lost."""
    path = write(name, table.rename_columns(["u", "u", "colour", "label"]))

    assert message(path) == f"{name} has several columns named 'u'. Rename them first."


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.feather", "a.ipc"])
@pytest.mark.parametrize("label", ["label", None])
def test_tables_without_rows_are_refused(table, name, label, write, message):
    """A filter that let nothing through."""
    path = write(name, table.slice(0, 0))

    assert message(path, label) == f"{name} has columns but no rows. Expected a row for every sample."
