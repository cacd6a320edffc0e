"""CSVs are read as people write them, or the line is named."""

from bayesfloor.cli.reading import _csv, read_data


def test_a_file_with_a_byte_order_mark_and_semicolons_is_read(text_file):
    """Excel writes such files."""
    path = text_file(b"\xef\xbb\xbfu;label\r\n1.5;a\r\n2.5;b\r\n3.5;a\r\n")

    data = read_data(path, "label")

    assert data.feature_names == ("u",)
    assert data.X.column("u").to_pylist() == [1.5, 2.5, 3.5]


def test_separators_inside_quotes_do_not_count(text_file):
    """A name such as "a;b;c" says nothing about the separator."""
    path = text_file('"a;b\n;c",u,label\n1,2,x\n2,2,y\n3,1,x\n')

    assert read_data(path, "label").feature_names == ("a;b\n;c", "u")


def test_blank_text_is_refused(message, text_file):
    """Lines without fields are no table."""
    assert message(text_file("\n\n\n")) == "a.csv is empty. Expected columns of features and labels."


def test_a_header_without_an_end_has_no_rows(message, text_file):
    """What pyarrow says here speaks of blocks."""
    assert "has columns but no rows" in message(text_file("u,label"))


def test_text_in_other_encodings_is_refused(message, text_file):
    """Guessing an encoding would guess the classes' names."""
    latin = "u,label\n1,café\n2,b\n3,b\n".encode("latin-1")
    wide = "u,label\n1,a\n2,b\n".encode("utf-16")

    assert message(text_file(latin)) == "a.csv is not UTF-8 text. Save it as UTF-8 first."
    assert message(text_file(wide)) == "a.csv is not UTF-8 text. Save it as UTF-8 first."


def test_bytes_that_are_no_text_far_down_are_refused(message, text_file):
    """The reader of the header sees the beginning only."""
    rows = b"".join(b"1,a,x\n2,b,y\n" for _ in range(20_000))
    label = text_file(b"u,label,w\n" + rows + b"1,\xff,x\n")
    feature = text_file(b"u,label,w\n" + rows + b"1,a,\xff\n", "b.csv")

    assert "UTF" in message(label)
    assert "column 'w' with binary" in message(feature)


def test_ragged_rows_are_named_by_their_line(message, text_file):
    """A comma inside of a text is the usual cause; lines are what an editor shows."""
    path = text_file('u,label\n1,"a\nb"\n\n2,b\n3,c,d\n4,b\n')

    assert message(path) == (
        "line 6 of a.csv has 3 fields, but expected 2 as in the header. "
        "Mend the line, or put quotes around texts that hold the separator."
    )


def test_a_table_without_names_is_refused(message, text_file):
    """Else the first row would go lost, and the label have a strange name."""
    path = text_file("5.1,3.5,0.2,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n")

    for label in (None, "species"):
        assert message(path, label).startswith(
            "the first line of a.csv holds numbers, such as '5.1', but expected the names"
        )


def test_numbers_may_be_names(text_file):
    """Tables made from arrays have columns 0, 1, 2; those of spectra 400.5, 401.0."""
    spectra = text_file("400.5,401.0,label\n1,2,a\n2,3,b\n4,4,a\n", "b.csv")

    assert read_data(spectra, "label").feature_names == ("400.5", "401.0")
    assert read_data(text_file("0,1,2\n1,2,1\n2,3,0\n4,4,1\n"), "2").feature_names == ("0", "1")


def test_rows_longer_than_a_block_are_read(monkeypatch, text_file):
    """A list of a large embedding may be longer than what is read at a time."""
    monkeypatch.setattr(_csv, "_BLOCK", 500)
    long = str([0.5] * 400)
    path = text_file(f'emb,label\n"{long}",a\n"{long}",b\n"{long}",a\n')

    assert read_data(path, "label", embedding="emb").X.shape == (3, 400)
