"""Encodings are told by all bytes of a file, and the table says what was assumed."""

import gzip

import pytest
from tables import read_table

from bayesfloor.io import _find_file as _file_encoding

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
    assert table.read_texts(["Größe"]).to_pydict() == {"Größe": ["1.5", "2.5"]}
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


def test_text_of_other_encodings_is_refused(refused):
    """Guessing would invent the classes' names."""
    assert refused("u,label\n1,日本語\n2,スーパー\n".encode("shift-jis")) == (
        "bytes is neither UTF-8 nor Windows-1252 text. Save it as UTF-8 first."
    )


def test_what_is_no_text_is_refused(refused, text_file):
    """UTF-16 without a mark, or a file of another program under a wrong name."""
    for content in ("u,label\n1,a\n".encode("utf-16-le"), b"SQLite format 3\0\x10\0"):
        assert refused(text_file(content)).startswith("a.csv contains zero bytes, so it cannot be read as CSV")


def test_half_a_character_at_the_end_is_refused(refused, text_file):
    """A download that broke off."""
    assert "utf-16" in refused(text_file(TEXT.encode("utf-16")[:-1]))
