"""The datasets of tests and benchmarks: fetched from a server on this machine, checked, written whole or not at all."""

import functools
import gzip
import hashlib
import http.server
import io
import json
import struct
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
TEXT = b"a, 1, 0.5, yes\nb, 2, 0.25, no\n\n"
COLUMNS = {"kind": "category", "count": "uint8", "share": "float64", "target": "category"}


@pytest.fixture(scope="module")
def datasets(benchmark_module):
    return benchmark_module("datasets")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder; of paths that end in ``.cut`` half of what was promised."""

    def do_GET(self):
        """Count the request, and answer it."""
        self.server.asked.append(self.path)
        if not self.path.endswith(".cut"):
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x" * 500)

    def log_message(self, *_):
        """Keep quiet."""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of files on this machine: its folder, its address, and what it was asked for."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as found:
        found.folder, found.asked = folder, []
        found.url = f"http://127.0.0.1:{found.server_port}"
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def zip_of(**members):
    """A zip archive of these files; names may have a path in them."""
    blob = io.BytesIO()
    with zipfile.ZipFile(blob, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return blob.getvalue()


@pytest.fixture
def stand_in(datasets, server, monkeypatch):
    """Put a small dataset in the place of all, its file on the server; returns its entry."""

    def put(served, content=TEXT, **changes):
        file = {"url": "https://example.org/some/set.zip", "member": "set.data", "bytes": len(content), "copy": True}
        file |= {"sha256": hashlib.sha256(content).hexdigest()} | changes.pop("file", {})
        table = datasets.make_table(datasets.read_fields([TEXT], {"kind": "text", "separator": ","}), COLUMNS)
        entry = {"licence": "free", "files": [file], "layout": {"kind": "text", "separator": ","}, "rows": 2}
        entry |= {"columns": COLUMNS, "content": datasets.fingerprint(table)} | changes
        monkeypatch.setattr(datasets, "manifest", lambda: {"set": entry})
        place = server.folder / file["url"].partition("example.org/")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        if served is not None:
            place.write_bytes(served)
        return entry

    return put


def run(datasets, server, folder):
    datasets.main([str(folder), "--mirror", server.url])


def test_a_fetched_dataset_has_the_columns_and_types_of_the_manifest(datasets, server, stand_in, tmp_path):
    """All numbers of tests and benchmarks rest on these columns."""
    from pyarrow.parquet import read_table

    stand_in(zip_of(**{"set.data": TEXT, "Index": b"more"}))
    run(datasets, server, tmp_path / "data")
    table = read_table(tmp_path / "data" / "set.parquet")

    assert table.column_names == list(COLUMNS)
    assert table.to_pydict() == {"kind": ["a", "b"], "count": [1, 2], "share": [0.5, 0.25], "target": ["yes", "no"]}
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["set.parquet"]


OTHER = TEXT.replace(b"0.25", b"0.26")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("served", "changes", "reason"),
    [
        pytest.param(None, {}, "404", id="not there"),
        pytest.param(zip_of(**{"set.data": OTHER}), {}, "its values differ", id="other values"),
        pytest.param(zip_of(**{"set.data": TEXT[:15]}), {}, "it has 1 rows", id="rows missing"),
        pytest.param(zip_of(**{"set.data": b"a,1\n"}), {}, "rows of [2] fields", id="fields missing"),
        pytest.param(zip_of(**{"set.data": OTHER}), {"file": {"copy": False}}, "SHA-256", id="other bytes"),
        pytest.param(zip_of(**{"set.data": TEXT})[:-30], {}, "damaged", id="half an archive"),
        pytest.param(zip_of(other=TEXT), {}, "it has no set.data", id="member missing"),
        pytest.param(zip_of(**{"set.data": b"0" * 10**6}), {}, "larger than", id="bomb"),
        pytest.param(None, {"file": {"url": "https://example.org/a.cut"}}, "500 of 1000 bytes", id="truncated"),
    ],
)
def test_what_is_not_the_dataset_is_not_written(datasets, server, stand_in, tmp_path, capsys, served, changes, reason):
    """A wrong file would make every later number wrong; the folder stays as it was, and the reason is told."""
    stand_in(served, **changes)
    (tmp_path / "data").mkdir()

    with pytest.raises(SystemExit, match="1 of 1 datasets could not be made"):
        run(datasets, server, tmp_path / "data")
    assert reason in capsys.readouterr().out
    assert list((tmp_path / "data").iterdir()) == []


def test_an_archive_writes_nowhere(datasets, server, stand_in, tmp_path):
    """Names in archives lead out of folders; only the member that is named is read, and into memory."""
    stand_in(zip_of(**{"../evil": b"!", "/tmp/evil": b"!", "set.data": TEXT}))  # noqa: S108 - a name in an archive
    run(datasets, server, tmp_path / "a" / "data")

    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["set.parquet", "set.zip"]


def test_an_interrupted_write_leaves_nothing(datasets, server, stand_in, tmp_path, monkeypatch):
    """Half a file that looks whole is worse than none."""
    import pyarrow.parquet

    def interrupt(_table, where, **_):
        Path(where).write_bytes(b"PAR1")
        raise KeyboardInterrupt

    stand_in(zip_of(**{"set.data": TEXT}))
    monkeypatch.setattr(pyarrow.parquet, "write_table", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(datasets, server, tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == []


def idx_of(pixels, labels):
    """Two idx files, packed."""
    images = b"\0\0\x08\x03" + struct.pack(">iii", len(pixels), 2, 2) + bytes(map(int, pixels.ravel()))
    return gzip.compress(images), gzip.compress(b"\0\0\x08\x01" + struct.pack(">i", len(labels)) + bytes(labels))


@pytest.mark.parametrize(
    ("blobs", "layout", "rows"),
    [
        ([b"c;x\r\n1;2\r\n"], {"kind": "text", "separator": ";", "skip": 1}, [["1", "2"]]),
        ([b"name 1  2 Z\n"], {"kind": "text", "drop": [0]}, [["1", "2", "Z"]]),
        ([b"Z,1\n", b"Y,2\n"], {"kind": "text", "separator": ",", "label": 0}, [["1", "Z"], ["2", "Y"]]),
        ([b"@relation r\n@attribute x real\n@data\n1, Z\n"], {"kind": "keel"}, [["1", "Z"]]),
        ([b'text,category\r\n"a, ""b""\nc",k\r\n'], {"kind": "csv"}, [['a, "b"\nc', "k"]]),
        (idx_of(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), [9, 0]), {"kind": "idx"}, [[1, 2, 3, 4, 9], [5, 6, 7, 8, 0]]),
    ],
)
def test_every_format_gives_the_fields_with_the_class_last(datasets, blobs, layout, rows):
    """Hosts publish in their own ways."""
    unpacked = [datasets.unpack(blob, None, 1000) for blob in blobs]

    assert np.array_equal(datasets.read_fields(unpacked, layout), rows)


def test_numbers_that_do_not_fit_and_other_addresses_are_refused(datasets):
    """A number that is rounded in silence is another dataset; an address is text from outside."""
    with pytest.raises(ValueError, match="not fit into uint8"):
        datasets.make_table([["300", "a"]], {"x": "uint8", "target": "category"})

    assert datasets.address("https://example.org/a/b.zip?c", "file:///folder/") == "file:///folder/a/b.zip"
    with pytest.raises(ValueError, match="expected one of https, http, file"):
        datasets.address("https://example.org/a", "ftp://example.org")


def test_every_dataset_says_where_it_is_from_and_what_is_in_it(datasets):
    """Nobody can fetch what has no address, or trust what has no checksum."""
    for name, entry in json.loads((ROOT / "benchmarks" / "datasets.json").read_text("utf-8")).items():
        assert entry["licence"], name
        assert len(entry["content"]) == 64, name
        assert "embeds" in entry or entry["files"], name
        assert all(file["copy"] or len(file["sha256"]) == 64 for file in entry.get("files", ())), name
        assert all(file["url"] == datasets.address(file["url"]) for file in entry.get("files", ())), name


NAMES = list(json.loads((ROOT / "benchmarks" / "datasets.json").read_text("utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_the_datasets_are_those_of_the_manifest_and_recipes_give_its_numbers(datasets, data_dir, name, monkeypatch):
    """What is measured here and what others fetch must be one and the same."""
    from benchmarks._recipes import load_frame

    monkeypatch.setenv("BAYESFLOOR_DATA", str(data_dir))
    entry = datasets.manifest()[name]
    assert datasets.is_there(data_dir / f"{name}.parquet", entry)
    for recipe, made in entry["recipes"].items():
        X, codes = load_frame(name, recipe)
        sizes = np.bincount(codes)
        assert [*X.shape, len(sizes), sizes.min(), sizes.max()] == made["gives"]
