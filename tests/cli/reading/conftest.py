"""Tables and arrays in every format, and the one line that a file is refused with."""

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc

from bayesfloor.cli.reading import DataError, read_data

N = 40
HOSTILE = {
    "HTML": "<script>alert('x')</script>",
    "newline": "one\ntwo",
    "terminal escape": "\x1b[31mred\x1b[0m",
    "long": "n" * 200,
    "emoji": "🐧",
    "CJK": "标签",
    "right to left": "\u202eevil\u202c",
    "Hebrew": "תווית",
    "quotes": 'say "hi", it\'s',
    "blank": " ",
    "glob": "[abc]*?",
    "empty": "",
}


def _write_stream(table, path):
    """Arrow's stream format."""
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def _write_file(table, path):
    """Arrow's file format."""
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def _write_tsv(table, path):
    """Tabs between fields."""
    pacsv.write_csv(table, path, pacsv.WriteOptions(delimiter="\t"))


def _write_packed(table, path):
    """A CSV in gzip."""
    buffer = io.BytesIO()
    pacsv.write_csv(table, buffer)
    Path(path).write_bytes(gzip.compress(buffer.getvalue()))


WRITERS = {
    "a.csv": pacsv.write_csv,
    "a.CSV": pacsv.write_csv,
    "a.txt": pacsv.write_csv,
    "b.txt": _write_tsv,
    "a.tsv": _write_tsv,
    "a.csv.gz": _write_packed,
    "a.Csv.GZ": _write_packed,
    "a.parquet": pq.write_table,
    "a.arrow": _write_file,
    "stream.arrow": _write_stream,
    "a.ipc": _write_stream,
    "a.feather": feather.write_feather,
}


@pytest.fixture(params=WRITERS)
def file_name(request):
    """A name for every format."""
    return request.param


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE)
def hostile(request):
    """Text of strangers."""
    return request.param


@pytest.fixture
def table(global_random_seed):
    """Two numbers, a colour, and two classes."""
    rng = np.random.default_rng(global_random_seed)
    return pa.table(
        {
            "u": rng.normal(size=N),
            "v": rng.normal(size=N),
            "colour": ["red", "blue"] * (N // 2),
            "label": ["cat"] * (N // 2) + ["dog"] * (N // 2),
        }
    )


@pytest.fixture
def arrays(global_random_seed):
    """Features and labels."""
    rng = np.random.default_rng(global_random_seed)
    return rng.normal(size=(N, 3)), np.arange(N) % 2


@pytest.fixture
def add():
    """Gives a table one more column."""

    def add_column(table, name, values):
        return table.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))

    return add_column


@pytest.fixture
def write(tmp_path):
    """Writes a table in the format of its name; gives the path as text."""

    def write_table(name, table):
        path = str(tmp_path / name)
        WRITERS.get(name, pq.write_table if name.endswith(".parquet") else pacsv.write_csv)(table, path)
        return path

    return write_table


@pytest.fixture
def text_file(tmp_path):
    """Writes a text or bytes; gives the path as text."""

    def write_text(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write_text


@pytest.fixture
def feed(monkeypatch):
    """Puts bytes on standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.fixture
def message():
    """Gives the one line that a file is refused with."""

    def refused(path, label="label", **options):
        with pytest.raises(DataError) as caught:
            read_data(str(path), label, **options)
        text = str(caught.value)
        assert text.isprintable()
        assert len(text) < 1000
        return text

    return refused
