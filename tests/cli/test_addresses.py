"""No command shows the secrets of an address that it is given, in whatever option, on any stream."""

import logging
import sys
import traceback

import fsspec
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import InputError, open_data
from bayesfloor.support._files import open_address

QUOTED, SPACED = "//u:p'SEKRET@127.0.0.1:9/x.csv", "//u:p SEKRET@127.0.0.1:9/x.csv?sig=a b&k=SEKRET"
FAR = "//u:SEKRET@h/b.json?sig=SEKRET"
S3 = "s3://AK:SEKRET@nobucket/x.csv?endpoint_override=127.0.0.1:9&secret_key=SEKRET"
COMMANDS = {
    "quote": ("check", f"ftp:{QUOTED}", "-y", "label"),
    "space": ("check", f"ftp:{SPACED}", "-y", "label"),
    "slash": ("check", "ftp://u:p/SEKRET@127.0.0.1:9/x.csv", "-y", "label"),
    "labels": ("check", "good.csv", "--labels-file", f"ftp:{QUOTED}"),
    "file": ("check", "local://{folder}/q.csv?sig=SEKRET", "-y", "no such column"),
    "baseline": ("check", "good.csv", "-y", "label", "--baseline", f"https:{FAR}"),
    "json": ("check", "good.csv", "-y", "label", "--json", f"https:{FAR}"),
    "s3": ("check", S3, "-y", "label"),
    # the same mistakes in other places
    "https": ("check", f"https:{QUOTED}?sig=a SEKRET", "-y", "label"),
    "one slash": ("check", "https:/u:p SEKRET@127.0.0.1:9/x.csv", "-y", "label"),
    "long": ("check", f"https:/u:p{'-' * 40}SEKRET{'-' * 8} SEKRET@127.0.0.1:9/x.csv", "-y", "label"),
    "column": ("check", "good.csv", "-y", f"ftp:{SPACED}"),
    "number": ("check", "good.csv", "-y", "label", "--rows", f"ftp:{SPACED}"),
    "odd baseline": ("check", "good.csv", "-y", "label", "--baseline", f"https:{SPACED}"),
    "odd json": ("check", "good.csv", "-y", "label", f"--json=https:{SPACED}"),
    "compare": ("compare", "good.csv", f"ftp:{SPACED}", "-y", "label"),
    "output": ("samples", "good.csv", "-y", "label", f"-oftp:{SPACED}"),
    "ending": ("samples", "good.csv", "-y", "label", "-o", "https://u:p SEKRET@h/x.odd"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A good table, and one whose name looks like an address with a signature."""
    folder = tmp_path_factory.mktemp("addresses")
    table = pa.table({"x": [float(k % 7) for k in range(60)], "label": ["cat", "dog"] * 30})
    pq.write_table(table, folder / "good.parquet")
    for name in ("good.csv", "q.csv?sig=SEKRET"):
        pacsv.write_csv(table, folder / name)
    return folder


@pytest.fixture(params=[True, False], ids=["aiohttp", "no aiohttp"])
def aiohttp(request, monkeypatch):
    """Whether aiohttp can be imported; fsspec forgets what it has imported before."""
    for scheme in ("http", "https"):
        monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, scheme, raising=False)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.http", raising=False)
    if request.param:
        pytest.importorskip("aiohttp")
    else:
        monkeypatch.setitem(sys.modules, "aiohttp", None)
    open_address.cache_clear()
    yield request.param
    open_address.cache_clear()


@pytest.fixture
def ask(run, folder, monkeypatch):
    monkeypatch.setattr("bayesfloor.support._files._PAUSES", (0.01,))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    def ask(*words):
        return run(*(word.replace("{folder}", str(folder)) for word in words), cwd=folder)

    return ask


@pytest.mark.skipif(sys.platform == "win32", reason="a name with a question mark")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_wrong_command_shows_no_secret(ask, aiohttp, words, caplog):
    """Its message ends up in the logs of a CI job, or in a question to a colleague."""
    caplog.set_level(logging.DEBUG, logger="bayesfloor")
    ended = ask(*words)

    assert ended.code == 2, ended
    assert "SEKRET" not in ended.stdout + ended.stderr + caplog.text
    assert "SEKR" not in ended.stderr
    assert "rror: " in ended.stderr.splitlines()[-1]
    if words[1].startswith("https://"):
        assert ("another package" in ended.stderr) is not aiohttp


def test_the_place_is_still_told(ask):
    """A message that does not say which address is meant would be no help."""
    assert ask(*COMMANDS["space"]).stderr.startswith("error: ftp://127.0.0.1:9/x.csv?... cannot be read: ")
    assert "'https://h/b.json?...'" in ask(*COMMANDS["json"]).stderr


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.npz"])
def test_what_readers_say_of_a_broken_file_shows_no_secret(ask, name):
    """Neither in the line nor in the traceback of whoever calls from Python: pyarrow names the whole path."""
    address = f"memory://{name}?sig=a SEKRET"
    with fsspec.open(address, "wb") as file:
        file.write(b"a,\x00\xff\n")
    ended = ask("check", address, "-y", "label")
    with pytest.raises(InputError) as error:
        open_data(address, "label")

    assert ended.code == 2
    assert f"error: {name} c" in ended.stderr
    assert "SEKRET" not in ended.stderr + "".join(traceback.format_exception(error.value))
