"""CSVs are read as people write them, or all that is wrong is told at once."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tables import read_table

from bayesfloor.io import _csv


def types(text):
    found = read_table(text.encode()).read()
    return dict(zip(found.column_names, map(str, found.schema.types), strict=True))


def column(*texts):
    """The values of a column with these texts."""
    return read_table("\n".join(["w,v", *(f"{text},1" for text in texts)]).encode()).read().column("w").to_pylist()


# Separators, quotes and the header


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_every_separator_is_found(separator):
    """By many rows, since texts hold the others."""
    rows = [["u", "a text, or; two", "label"], ["1.5", "x|y", "a"], ["2.5", "y, z", "b"], ["3.5", ";;;", "a"]]
    text = "\n".join(separator.join(f'"{field}"' for field in row) for row in rows)

    assert read_table(text.encode()).names == rows[0]


def test_only_separators_separate():
    """Not decimal commas, commas of a header or what stands in quotes; texts have line breaks, and headers are long."""
    table = read_table(b"a;b;c\n1,5;2,5;x\n2,5;3,5;y\n")

    assert table.names == ["a", "b", "c"]
    assert table.read().column("a").to_pylist() == ["1,5", "2,5"]

    assert read_table(b"price, net, euro;n\n1;2\n3;4\n").names == ["price, net, euro", "n"]

    assert read_table(b'"a;b\n;c",u,label\n1,2,x\n2,2,y\n3,1,x\n').names == ["a;b\n;c", "u", "label"]

    table = read_table(b'text,label\r\n"one\r\ntwo ""three"", four",a\r\n"five\nsix",b\r\n')

    assert table.read().column("text").to_pylist() == ['one\r\ntwo "three", four', "five\nsix"]

    names = [f"column number {i}" for i in range(7_000)]
    text = ";".join(names) + "\n" + ";".join(["1"] * 7_000) + "\n"

    assert read_table(text.encode()).names == names


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line", ["sep=;", '"sep=;"'])
def test_the_first_line_of_excel_names_the_separator(encoding, line):
    """It is no header."""
    table = read_table(f"{line}\r\nu,v;label\r\n1;2\r\n3;4\r\n".encode(encoding))

    assert table.read().to_pydict() == {"u,v": [1, 3], "label": [2, 4]}
    assert table.read(["label"], as_text=True).to_pydict() == {"label": ["2", "4"]}


def test_a_tsv_has_tabs_whatever_else_there_is(text_file):
    """Its name says so."""
    assert read_table(text_file("City, State\nRome, IT\n", "a.tsv")).names == ["City, State"]


def test_a_file_without_columns_or_rows_is_refused(refused):
    """Lines without fields are no table, and pyarrow speaks of blocks here."""
    assert refused(b"\n\n\n") == "bytes is empty. Expected columns of features and labels."
    assert refused(b"u,label") == "bytes has columns but no rows. Expected at least one row."


# Types


def test_plain_numbers_and_booleans_have_types():
    """Everything else stays as it stands."""
    found = types(
        "int,float,signed,exp,spaced,bool,empty,date,money,comma,odd,text\n"
        '1,1.5,-1,1e5, 7,true,,2021-01-05,$1,"1,5",?,a\n'
        '20,2,-.5,2E-3,8 ,FALSE,,2021-02-05,$2,"2,5",3,b\n'
        ",,,,,,,,,,,\n"
    )

    texts = dict.fromkeys(["date", "money", "comma", "odd", "text"], "large_string")
    numbers = {"int": "int64", "float": "double", "signed": "double", "exp": "double", "spaced": "int64"}
    assert found == {**numbers, "bool": "bool", "empty": "null", **texts}


@pytest.mark.parametrize("code", ["01234", "007", "+4930123", "0x1F", "-01"])
def test_codes_are_no_numbers(code):
    """Zip codes, telephones and keys lose their names as numbers."""
    assert column(code, "12345") == [code, "12345"]


@pytest.mark.parametrize("number", ["0", "0.5", "-0.5", "10", "nan", "inf"])
def test_zeros_may_start_numbers(number):
    """Only a digit after them makes a code."""
    assert repr(column(number, "2.5")) == repr([float(number), 2.5])


@pytest.mark.parametrize("word", ["NA", "null", "NULL", "n/a", "#N/A", "?", "-", " "])
def test_only_an_empty_field_is_missing(word):
    """Whether a word stands for nothing depends on the rest of the column, which others look at."""
    assert column(word, "1", "") == [word, "1", None]
    assert column(word, "x", '""') == [word, "x", None]


def test_a_large_whole_number_is_not_cut():
    """Beyond 64 bits only floats go on."""
    assert column("12345678901234567890", "1") == [1.2345678901234567e19, 1.0]


@pytest.mark.parametrize("last", ["x", "01", "1.5", "true"])
def test_the_type_is_told_by_all_values(last, monkeypatch):
    """The first million rows may be alike."""
    monkeypatch.setattr(_csv, "_BLOCK", 300)
    expected = {"1.5": 1.0, "true": True}.get(last, "1")

    found = column(*["1"] * 1000, last)

    assert len(found) == 1001
    assert found[:2] == [expected] * 2
    assert type(found[0]) is type(expected)


def test_rows_longer_than_a_block_are_read(monkeypatch):
    """A list of a large embedding may be longer than what is read at a time."""
    monkeypatch.setattr(_csv, "_BLOCK", 500)
    long = str([0.5] * 400)

    table = read_table(f'emb,label\n"{long}",1\n"{long}",2\n'.encode())

    assert table.read().to_pydict() == {"emb": [long] * 2, "label": [1, 2]}


# Troubles


def test_ragged_rows_are_named_by_their_lines_and_counted(refused):
    """A comma inside of a text is the usual cause; lines are what an editor shows, and five show what is wrong."""
    assert refused(b'u,label\n1,"a\nb"\n\n2,b\n3,c,d\n4,b\n5\n') == (
        "in bytes, line 6 has 3 fields, line 8 has 1 field, but expected 2 as in the header. "
        "Fix these lines, or put quotes around text that contains the separator."
    )

    assert "line 4 has 3 fields" in refused(b"sep=;\nu;v\n1;2\n1;2;3\n")

    found = refused(b"u,label\n" + b"1,a\n" * 50 + b"1,a,x\n" * 1200)

    assert "line 56 has 3 fields and 1,195 more lines, but expected 2" in found


def test_all_troubles_are_told_at_once(refused):
    """One run for each of them would be one too many."""
    assert refused(b"u,u,label\n1,2,a\n1,b\n") == (
        "bytes has 2 problems: (1) bytes has several columns named 'u'. Rename them first. "
        "(2) in bytes, line 3 has 2 fields, but expected 3 as in the header. "
        "Fix these lines, or put quotes around text that contains the separator."
    )


def test_an_open_quote_is_told(refused):
    """All rows below it would be one value."""
    assert refused(b'u,text\n1,"a\nb"\n2,"c\n3,d\n4,e\n') == (
        "in bytes, a quote on line 4 is never closed. Close or remove it."
    )
    assert read_table(b'u,text\n1,"a\nb"\n2,"c\n"\n\n').read().column("text").to_pylist() == ["a\nb", "c\n"]


def test_a_first_line_of_numbers_is_no_header(refused):
    """Else the first row would go lost, and columns have strange names."""
    assert refused(b"5.1,3.5,0.2,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n").startswith(
        "the first line of bytes has numbers, such as '5.1', but expected column names"
    )


def test_numbers_may_be_names():
    """Tables made from arrays have columns 0, 1, 2; those of spectra 400.5, 401.0."""
    assert read_table(b"400.5,401.0,label\n1,2,a\n").names == ["400.5", "401.0", "label"]


@pytest.mark.slow
def test_a_million_rows_are_streamed(tmp_path):
    """A sample needs no more memory than a batch."""
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("i,u,label\n")
        file.writelines(f"{i},{i / 8},{'ab'[i % 2]}\n" for i in range(1_000_000))
    table = read_table(path)
    before, used = pa.total_allocated_bytes(), []

    def watch(groups, names):
        for batch in table.stream(groups, names):
            used.append(pa.total_allocated_bytes() - before)
            yield batch

    found = replace(table, stream=watch).read(["u", "label"], np.array([0, 999_999]))

    assert found.to_pydict() == {"u": [0, 999_999 / 8], "label": ["a", "b"]}
    assert [str(kind) for kind in found.schema.types] == ["double", "large_string"]
    assert max(used) < 64 << 20
