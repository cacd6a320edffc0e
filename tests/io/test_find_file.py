"""The file that is meant is found, with its encoding, or one line says why not."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from tables import read_table

from bayesfloor.io import _find_file as _file_encoding
from bayesfloor.io._find_file import find_file
from bayesfloor.io._messages import DataError


def test_every_format_is_read_from_standard_input(table, file_name, write_as, feed):
    """A pipe has no suffix: the first bytes say what comes."""
    content = Path(write_as(file_name, table)).read_bytes()
    feed(content)

    for found in (read_table("-"), read_table(content)):
        assert found.file.name in ("stdin", "bytes")
        assert found.read().to_pydict() == table.to_pydict()


def test_a_file_that_is_not_there_names_close_ones(refused, tmp_path, table, write_as):
    """Most wrong paths are nearly right; a variable of the shell that is not set comes as an empty name."""
    assert refused("").startswith("the file name is empty.")

    write_as("train.csv", table)

    assert refused(tmp_path / "trian.csv").endswith("trian.csv'. Did you mean 'train.csv'?")
    assert "There is no folder" in refused(tmp_path / "no" / "train.csv")
    assert refused(tmp_path / "x.npy").endswith("Check the path.")
    assert "cannot be opened" in refused(tmp_path / ("n" * 300 + ".csv"))


def test_folders_without_tables_are_refused(tmp_path, refused):
    """Folders of pictures are for another tool; what a text says of them is no table."""
    assert refused(tmp_path).endswith("has no Parquet, Arrow or CSV files. It is empty.")
    (tmp_path / "b.jpg").touch()
    (tmp_path / "c.txt").write_text("a,b")
    assert refused(tmp_path).endswith(
        "has no Parquet, Arrow or CSV files. It contains 'b.jpg', 'c.txt'. Pass one file."
    )


def test_an_unknown_suffix_lists_those_known(refused, text_file):
    """So that one knows what to convert to."""
    found = refused(text_file("x", "a.xlsx"))

    assert found.startswith("a.xlsx: unsupported file type. Expected a name that ends in .csv, .tsv, ")
    assert ".parquet" in found


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow", "a.npz", "a.npy"])
def test_empty_files_are_refused(name, refused, text_file):
    """A download that failed."""
    assert refused(text_file("", name)) == (f"{name} is empty. Expected columns of features and labels.")


@pytest.mark.parametrize("name", ["a.parquet.gz", "a.gz", "a.npy.zst"])
def test_only_csvs_may_be_packed(name, refused, text_file):
    """Other formats pack themselves."""
    assert "unsupported file type" in refused(text_file("x", name))


@pytest.mark.parametrize("packed", ["a.csv.gz", "a.csv.zst", "a.csv.bz2"])
def test_packing_is_told_by_the_content(packed, table, write_as):
    """Browsers unpack what they load, and leave the name."""
    path = Path(write_as(packed, table))
    renamed = path.rename(path.with_name("renamed.csv"))

    assert read_table(renamed).read().to_pydict() == table.to_pydict()
    assert read_table(write_as("a.csv", table)).read().to_pydict() == table.to_pydict()


def test_arrays_are_no_tables(tmp_path, refused):
    """They have no names."""
    np.save(tmp_path / "a.npy", np.eye(3))

    assert refused(tmp_path / "a.npy") == ("a.npy contains NumPy arrays, but expected a table: CSV, Parquet or Arrow.")


def test_empty_standard_input_is_refused(refused, feed):
    """The command before the pipe failed."""
    feed(b"")

    assert refused("-").startswith("standard input is empty.")


@pytest.mark.parametrize(
    ("name", "kind"), [("a.parquet", "Parquet"), ("a.arrow", "Arrow"), ("a.csv.gz", "CSV"), ("a.csv.zst", "CSV")]
)
def test_broken_contents_name_the_format(table, name, kind, write_as, refused, text_file):
    """Half a download, or a wrong suffix."""
    content = Path(write_as(name, table)).read_bytes()
    path = text_file(content[: len(content) // 2], name)

    assert refused(path).startswith(f"{name} cannot be read as {kind}: ")
    if kind != "CSV":
        assert f"{name} " in refused(text_file("nonsense" * 10, name))


def test_hostile_file_names_are_shown_in_one_line(tmp_path, hostile, refused, text_file):
    """A file may be called anything, too."""
    stem = hostile[:100].replace("/", "")

    assert "unsupported file type" in refused(text_file("x", f"{stem}.xls"))
    assert refused(tmp_path / f"{stem}.csv").startswith("no file '")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_a_named_pipe_is_refused_at_once(tmp_path):
    """Opening it waited for a writer, for ever."""
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="is not a regular file"):
        find_file(tmp_path / "pipe.csv")


def test_a_closed_standard_input_is_an_empty_one(monkeypatch):
    """As of a job without one."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(DataError, match="standard input is empty"):
        find_file("-")


# Encodings are told by all bytes of a file, and the table says what was assumed

TEXT = "Größe;Umsatz (€);Ort\r\n1.5;2.217,60;Köln\r\n2.5;…;Zürich\r\n"
NAMES = ["Größe", "Umsatz (€)", "Ort"]
ROWS = {"Größe": [1.5, 2.5], "Umsatz (€)": ["2.217,60", "…"], "Ort": ["Köln", "Zürich"]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "a.csv is read as UTF-16 text"),
        ("utf-16-be", "a.csv is read as UTF-16 text"),
        ("cp1252", "a.csv is not UTF-8 and is read as Windows-1252 text"),
    ],
)
def test_the_same_text_gives_the_same_table(encoding, note, pack, text_file):
    """What Excel saves on one machine or the other."""
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""

    table = read_table(text_file(pack(mark + TEXT.encode(encoding))))

    assert table.names == NAMES
    assert table.read().to_pydict() == ROWS
    assert table.read(["Größe"], as_text=True).to_pydict() == {"Größe": ["1.5", "2.5"]}
    assert table.notes == ((note,) if note else ())


def test_latin_1_is_what_needs_no_sign_of_windows():
    """Both read such bytes alike."""
    table = read_table("u,label\n1,café\n2,b\n".encode("latin-1"))

    assert table.notes == ("bytes is not UTF-8 and is read as Latin-1 text",)
    assert table.read().column("label").to_pylist() == ["café", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_the_evidence_may_stand_at_the_end(encoding, monkeypatch, text_file):
    """Millions of plain rows say nothing; a character may lie across two blocks."""
    rows = "u,label\n" + "1,a\n" * 1000
    for size in (4096, 4097, 5):
        monkeypatch.setattr(_file_encoding, "_BLOCK", size)
        table = read_table(text_file((rows + "2,€ä€\n").encode(encoding)))

        assert bool(table.notes) is (encoding == "cp1252")
        assert table.read().column("label").to_pylist()[-1] == "€ä€"


def test_a_few_bad_bytes_do_not_change_the_encoding(refused, text_file):
    """Read as Windows-1252, every umlaut of the file would be two wrong letters."""
    path = text_file("u,label\n1,äöü\n2,äöü\n".encode() + b"3,\xff\n4,b\n")

    assert refused(path) == (
        "a.csv is UTF-8 text except for 1 byte, the first on line 4. Fix the text there, or save the file as UTF-8 "
        "again."
    )


def test_text_of_other_encodings_and_what_is_no_text_is_refused(refused, text_file):
    """Guessing would invent the classes' names; UTF-16 without a mark, another program's file, half a download."""
    assert refused("u,label\n1,日本語\n2,スーパー\n".encode("shift-jis")) == (
        "bytes is neither UTF-8 nor Windows-1252 text. Save it as UTF-8 first."
    )

    for content in ("u,label\n1,a\n".encode("utf-16-le"), b"SQLite format 3\0\x10\0"):
        assert refused(text_file(content)).startswith("a.csv contains zero bytes, so it cannot be read as CSV")

    assert "utf-16" in refused(text_file(TEXT.encode("utf-16")[:-1]))
