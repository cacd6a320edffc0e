"""The two ways to run the command in tests: in this process, and in one of its own."""

import logging
import os
import sys
import warnings
from pathlib import Path

import pytest

from bayesfloor.cli._terminal import Output

# One command per verb, and every exit code that they give; the demo has a test of its own.
ASKED = {
    "check": ("check", "-", "-y", "label", "--target", "100%", "--strict", "--effort", "quick"),
    "report": ("report", "easy.npz", "-o", "page.html", "--json", "-", "--effort", "quick"),
    "samples": ("samples", "easy.arrow", "-y", "label", "-o", "rows.csv"),
    "features": ("features", "easy.tsv", "-y", "label", "--max-rows", "100"),
    "compare": ("compare", "easy.parquet", "-y", "label", "--pca", "2", "--json", "found.json"),
    "tree": ("tree", "lists.parquet", "-y", "label"),
    "explain": ("explain",),
    "no file": ("tree", "easy.cvs", "-y", "label"),
    "no such option": ("check", "easy.csv", "--tarhet", "98%"),
}


def state():
    """What a command in this process could leave behind."""
    loggers = [logging.root, logging.getLogger("bayesfloor.decide")]
    return (
        dict(os.environ),
        Path.cwd(),
        (sys.argv, sys.stdin, sys.stdout, sys.stderr),
        (warnings.filters[:], warnings.showwarning),
        [(logger.handlers[:], logger.level) for logger in loggers],
    )


@pytest.mark.real_race
@pytest.mark.parametrize("name", ASKED)
def test_both_ways_end_and_say_and_write_the_same(run, process, files, tmp_path, name):
    """Tests in one process are fast, and worth something only if users would see the same."""
    verb, *rest = ASKED[name]
    args = (verb, *(files / word if (files / word).is_file() else word for word in rest))
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    content = (files / "easy.csv").read_bytes()
    here, there = (
        way(*args, cwd=folder, given=content, FORCE_COLOR="1")
        for way, folder in zip((run, process), folders, strict=True)
    )
    written = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]

    assert here == there
    assert written[0] == written[1]


def test_a_command_leaves_this_process_as_it_was(run, files, tmp_path):
    """Else a test would depend on those before it."""
    before = state()
    ended = run("features", files / "easy.csv", "-y", "label", "--max-rows", "90", cwd=tmp_path, FORCE_COLOR="1")

    assert ended.code == 0
    assert state() == before


def test_warnings_and_logs_go_to_stderr(run, monkeypatch):
    """That a command says nothing there would be easy if pytest took them away."""

    def tell(_, text):
        warnings.warn(f"a warning before {text[:5]}", stacklevel=2)
        logging.getLogger("bayesfloor").warning("a line of a log")
        logging.getLogger("bayesfloor").info("a line that nobody asked for")

    monkeypatch.setattr(Output, "result", tell)
    ended = run("explain")

    assert (ended.code, ended.stdout) == (0, "")
    assert "UserWarning: a warning before BF101\n" in ended.stderr
    assert ended.stderr.endswith("\na line of a log\n")
    assert "nobody" not in ended.stderr
