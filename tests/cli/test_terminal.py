"""What a terminal gets, and what others get: colours, narrow windows, closed pipes, other encodings."""

import os
import re
import subprocess

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

STYLE = re.compile(r"\x1b\[[0-9;]*m")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")


@posix
@pytest.mark.parametrize(
    ("args", "environment"), [(("--no-color",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})]
)
def test_colours_can_be_turned_off(process, args, environment):
    """Some cannot see them, some terminals cannot show them."""
    ended = process.in_terminal("explain", *args, **environment)

    assert ended.code == 0
    assert not COLOUR.search(ended.stdout)
    assert "BF204" in ended.stdout


def test_without_a_terminal_there_are_no_colours_unless_forced(run):
    """Logs of jobs show them, if told so; files must not have them."""
    plain, forced = run("explain"), run("explain", FORCE_COLOR="1")
    both = run("explain", FORCE_COLOR="1", NO_COLOR="1")

    assert "\x1b" not in plain.stdout
    assert "\x1b[36mBF" in forced.stdout
    assert not COLOUR.search(both.stdout)
    assert STYLE.sub("", forced.stdout) == STYLE.sub("", both.stdout) == plain.stdout


def test_evidence_is_grey_and_words_that_decide_are_coloured(run, files):
    """Tree bounds are no result, and must not look like one."""
    shown = run("check", "easy.csv", "-y", "label", "--target", "90%", "-v", cwd=files, FORCE_COLOR="1").stdout

    assert "\x1b[2mhow we know " in shown
    assert "accuracy is \x1b[32mreachable\x1b[0m" in shown
    assert "\x1b[36mBF301\x1b[0m          \x1b[32mok\x1b[0m: " in shown


@posix
def test_a_narrow_terminal_gets_colours_and_all_there_is(process, files):
    """Half a screen beside an editor is usual; lines are broken by the terminal, so that they can be copied."""
    asked = ("check", "easy.csv", "-y", "label", "--target", "90%", "--effort", "quick")
    ended = process.in_terminal(*asked, cwd=files, columns=40)
    text = STYLE.sub("", ended.stdout)

    assert ended.code == 0
    assert "\x1b[36mBF" in ended.stdout
    assert "bayesfloor report easy.csv -y label --target 90% --effort quick\n" in text
    assert "90 % accuracy is reachable" in " ".join(text.split())
    assert "best estimate  " in text


def test_a_terminal_without_unicode_gets_escapes(process, files):
    """Old consoles and jobs know ASCII only; a result is no reason to crash."""
    asked = ("check", "easy.csv", "-y", "label", "--effort", "quick")
    ended = process(*asked, cwd=files, PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.isascii()
    assert r"easy.csv \xb7 150 rows" in ended.stdout


@posix
def test_a_closed_pipe_is_neither_a_fault_nor_a_failed_gate(process):
    """A reader that has seen enough, as with ``| head -1``: with ``set -o pipefail`` a job would take a 1 for data."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        started = process.begin("explain", stdout=writer)
    finally:
        os.close(writer)
    with started:
        _, said = started.communicate(timeout=60)

    assert (started.returncode, said) == (141, "")


@posix
def test_the_head_of_a_result_can_be_taken(process, files):
    """The real thing, through a real shell."""
    line = f'"{process.path}" explain | head -n 1'
    ended = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, check=False, env=process.environment(), cwd=files
    )

    assert ended.stdout.startswith("BF101")
    assert len(ended.stdout.splitlines()) == 1
    assert ended.stderr == ""


def test_json_is_never_coloured(run, files, tmp_path):
    """FORCE_COLOR is set for whole jobs, and a class may be called ok."""
    rows = (files / "easy.csv").read_text("utf-8").replace("cat", "ok")
    (tmp_path / "data.csv").write_text(rows, encoding="utf-8")
    ended = run("tree", "data.csv", "-y", "label", "--format", "json", cwd=tmp_path, FORCE_COLOR="1")

    assert not COLOUR.search(ended.stdout)
