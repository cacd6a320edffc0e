"""``bayesfloor demo``: the first thing to try."""

import pytest


@pytest.fixture(scope="module")
def shown(process, tmp_path_factory):
    """The demo, with its report; and the folder of that."""
    folder = tmp_path_factory.mktemp("demo")
    return process("demo", "-o", "digits.html", cwd=folder), folder


def test_the_demo_needs_no_file_and_shows_the_summary(shown):
    """The first command of a new user must work without anything of theirs."""
    ended, _ = shown

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("98 % accuracy is reachable")
    assert "\ndigits · 1,797 rows · 64 features · 10 classes" in ended.stdout


def test_the_demo_writes_its_report_only_where_asked(shown):
    """Nothing may lie around after a first try."""
    ended, folder = shown

    assert [path.name for path in folder.iterdir()] == ["digits.html"]
    assert ended.stdout.endswith("\ndigits.html\n")
    assert (folder / "digits.html").read_text("utf-8").rstrip().endswith("</html>")


def test_the_report_of_the_demo_has_pictures(shown):
    """It shows what pictures do for the user's own."""
    pytest.importorskip("PIL")

    assert "data:image/png;base64," in (shown[1] / "digits.html").read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.real_race
def test_the_demo_is_the_same_in_this_process(run, shown, tmp_path):
    """As for the other verbs, which have smaller data to show it on."""
    ended, folder = shown

    assert run("demo", "-o", "digits.html", cwd=tmp_path) == ended
    assert (tmp_path / "digits.html").read_bytes() == (folder / "digits.html").read_bytes()
