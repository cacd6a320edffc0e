"""The file that is meant is found, or one line says why not."""

from pathlib import Path

import numpy as np
import pytest

from bayesfloor.cli.reading import read_data


def test_every_format_is_read_from_standard_input(table, file_name, write, feed):
    """A pipe has no suffix: the first bytes say what comes."""
    content = Path(write(file_name, table)).read_bytes()
    feed(content)

    data = read_data("-", "label")

    assert data.name == "stdin"
    assert data.y.tolist() == table.column("label").to_pylist()
    assert data.feature_names == ("u", "v", "colour")


def test_an_empty_file_name_is_a_line_too(message):
    """A variable of the shell that is not set comes as an empty name."""
    assert message("", "y").startswith("the name of the file is empty.")


def test_a_file_that_is_not_there_names_close_ones(tmp_path, table, write, message):
    """Most wrong paths are nearly right."""
    write("train.csv", table)

    assert message(tmp_path / "trian.csv").endswith("trian.csv'. Did you mean 'train.csv'?")
    assert "There is no folder" in message(tmp_path / "no" / "train.csv")
    assert message(tmp_path / "x.npy").endswith("Check the path.")
    assert "cannot be opened" in message(tmp_path / ("n" * 300 + ".csv"))


def test_folders_without_tables_are_refused(tmp_path, message):
    """Folders of pictures are for another tool."""
    assert message(tmp_path).endswith("holds no .parquet files. It is empty.")
    (tmp_path / "b.jpg").touch()
    assert message(tmp_path).endswith("holds no .parquet files. It has 'b.jpg'. Name one file.")


def test_an_unknown_suffix_lists_those_known(message, text_file):
    """So that one knows what to convert to."""
    found = message(text_file("x", "a.xlsx"))

    assert found.startswith("a.xlsx is of no known kind. Expected a name that ends in .csv, .tsv, ")
    assert ".parquet" in found


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow", "a.npz", "a.npy"])
def test_empty_files_are_refused(name, message, text_file):
    """A download that failed."""
    assert message(text_file("", name)) == (f"{name} is empty. Expected columns of features and labels.")


def test_empty_standard_input_is_refused(message, feed):
    """The command before the pipe failed."""
    feed(b"")

    assert message("-").startswith("standard input is empty.")


@pytest.mark.parametrize(
    ("name", "kind"), [("a.parquet", "Parquet"), ("a.arrow", "Arrow"), ("a.npz", "npz"), ("a.csv.gz", "CSV")]
)
def test_broken_contents_name_the_format(tmp_path, table, name, kind, write, message, text_file):
    """Half a download, or a wrong suffix."""
    whole = tmp_path / "whole.npz"
    np.savez(whole, X=np.zeros((50, 3)), y=np.arange(50) % 2)
    content = (whole if kind == "npz" else Path(write(name, table))).read_bytes()
    path = text_file(content[: len(content) // 2], name)

    assert message(path).startswith(f"{name} cannot be read as {kind}: ")
    if kind != "CSV":
        assert f"{name} " in message(text_file("nonsense" * 10, name))


def test_hostile_file_names_are_shown_in_one_line(tmp_path, hostile, message, text_file):
    """A file may be called anything, too."""
    stem = hostile[:100].replace("/", "")

    assert "is of no known kind" in message(text_file("x", f"{stem}.xls"))
    assert message(tmp_path / f"{stem}.csv").startswith("no file '")
