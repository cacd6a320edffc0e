"""Credentials in an address appear nowhere: not in messages, logs, results, reports or tracebacks."""

import logging
import traceback

import pytest

import bayesfloor
from bayesfloor.cli._commands import run
from bayesfloor.io import open_data
from bayesfloor.support._files import is_address

SECRET = "hush-hush"  # noqa: S105 - no real one
QUERY = f"region=us-east-1&secret_access_key={SECRET}"


@pytest.mark.parametrize(
    ("path", "is_one"),
    [("s3://b", True), ("simplecache::s3://b/x", True), ("C:\\x.csv", False), ("a/b", False), ("file:///a", False)],
)
def test_addresses_are_recognised(path, is_one):
    """A drive letter is not a scheme."""
    assert is_address(path) is is_one


@pytest.fixture
def secret_address(there):
    """The address of a file with credentials that the server accepts."""
    return there.replace("//", f"//key:{SECRET}@") + "/one.csv?region=us-east-1"


def test_results_do_not_show_them(secret_address, tmp_path):
    """Not the result, its JSON or its report."""
    found = bayesfloor.check(secret_address, "label", effort="quick")
    page = found.to_html(tmp_path / "page.html").read_text()

    for text in (repr(found), found.to_json(), found.to_markdown(), page):
        assert SECRET not in text
    assert found.facts.name == "one.csv"


@pytest.mark.parametrize(
    "change",
    [
        ("one.csv", "none.csv"),
        ("one.csv", "one.parquet"),  # a column that is not there
        ("us-east-1", "us-east-1&endpoint_override=127.0.0.1:9&scheme=http"),
        ("us-east-1", f"us-east-1&{QUERY}"),
        (f":{SECRET}@", f":{SECRET}/x@"),
        ("s3://", "https://"),
        ("s3://", "odd://"),
    ],
)
def test_errors_and_their_tracebacks_do_not_show_them(secret_address, change, monkeypatch, caplog):
    """Not even the errors of other libraries, which quote the whole address."""
    monkeypatch.setattr("bayesfloor.support._files._PAUSES", (0.01,))
    caplog.set_level(logging.DEBUG, logger="bayesfloor")
    with pytest.raises((ValueError, OSError)) as error:
        open_data(secret_address.replace(*change), "no such column")

    assert SECRET not in "".join(traceback.format_exception(error.value, chain=True))
    assert SECRET not in caplog.text
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--effort", "quick", "-v"],
        ["report", "--effort", "quick", "-o", "page.html", "--json", "page.json", "--markdown", "page.md"],
        ["check", "--effort", "quick", "--json", "s3://key:hush-hush@bucket/a.json"],
        ["check", "--rows", "s3://key:hush-hush@bucket/run?sig=hush-hush"],
        ["samples", "-o", "https://host/a.csv?sig=hush-hush"],
        ["tree"],
    ],
)
def test_the_command_does_not_show_them(secret_address, words, capsys, tmp_path, monkeypatch):
    """Not on the terminal, not in the commands it suggests, not in the command that a report shows."""
    monkeypatch.chdir(tmp_path)
    verb, *options = words
    monkeypatch.setattr("sys.argv", ["bayesfloor", verb, secret_address, "-y", "label", *options])
    run([verb, secret_address, "-y", "label", *options])
    said = capsys.readouterr()

    for text in (said.out, said.err, *(path.read_text() for path in tmp_path.iterdir())):
        assert SECRET not in text
    assert (tmp_path / "page.html").exists() == (verb == "report")


def test_what_is_written_must_be_local(there, capsys):
    """One line that says what to type, before anything is read."""
    assert run(["check", f"{there}/one.csv", "-y", "label", "--json", "s3://bucket/out/a.json"]) == 2
    assert "Pass a local path, such as a.json, and upload the file afterwards." in capsys.readouterr().err
    with pytest.raises(bayesfloor.io.InputError, match=r"such as a\.json"):
        bayesfloor.check([[0.0], [1.0]] * 9, [0, 1] * 9, effort="quick").to_json("s3://bucket/a.json")


def test_an_address_needs_no_verb(there, capsys):
    """Like a file name, it means check."""
    assert run([f"{there}/many_parquet", "-y", "label", "--effort", "quick"]) == 0
    assert f"bayesfloor report {there}/many_parquet -y label" in capsys.readouterr().out
