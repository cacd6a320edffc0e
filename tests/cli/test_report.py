"""``bayesfloor report``: one HTML file where it is expected, that tells no more than it should."""

import json
import os
import re
import sys
import time

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def opener(tmp_path_factory):
    """A folder with a browser that leaves a mark; and the mark."""
    folder = tmp_path_factory.mktemp("browser")
    script = folder / "xdg-open"
    script.write_text(f'#!/bin/sh\necho "$1" > {folder}/opened\n', encoding="utf-8")
    script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}", folder / "opened"


@pytest.fixture(scope="module")
def plain(run, mislabelled, opener, tmp_path_factory):
    """A report as most would make it; and the folder it was made in."""
    folder = tmp_path_factory.mktemp("plain")
    beside = ("--json", "odd.json", "--markdown", "odd.md", "--target", "99%")
    return run("report", mislabelled, "-y", "label", "--drop", "name", *beside, cwd=folder, PATH=opener[0]), folder


@pytest.fixture(scope="module")
def rich(run, mislabelled, opener, tmp_path_factory):
    """A report that shows and opens; and where it is."""
    path = tmp_path_factory.mktemp("rich") / "page.html"
    asked = ("--id", "name", "--show-rows", "--open", "-o", path)
    return run("report", mislabelled, "-y", "label", *asked, cwd=path.parent, PATH=opener[0]), path


def test_the_report_lies_in_the_current_folder_under_the_name_of_the_file(plain, mislabelled):
    """It must not be written beside data that may be shared or read-only, and must be found again."""
    ended, folder = plain

    assert (ended.code, ended.stderr) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == ["odd.bayesfloor.html", "odd.json", "odd.md"]
    assert [path.name for path in mislabelled.parent.iterdir()] == ["odd.csv"]
    assert (folder / "odd.bayesfloor.html").read_text("utf-8").rstrip().endswith("</html>")


def test_the_verdict_and_the_path_are_printed(plain):
    """What came out, and where to look: nothing else is of use in a terminal."""
    ended, folder = plain
    *lines, path = ended.stdout.splitlines()
    verdict = " ".join(lines)

    assert verdict == json.loads((folder / "odd.json").read_text("utf-8"))["verdict"]
    assert verdict.startswith("99 % accuracy")
    assert path == "Report written to odd.bayesfloor.html (add --open to view it)"


def test_json_and_markdown_beside_the_report_are_whole(plain, validate):
    """They go where the page does not: into other programs."""
    _, folder = plain
    validate(json.loads((folder / "odd.json").read_text("utf-8")))

    assert (folder / "odd.md").read_text("utf-8").startswith("### 99 % accuracy")


@pytest.fixture(scope="module")
def oddest(plain, mislabelled):
    """The row that is listed first; and its numbers as a page would show them."""
    row = json.loads((plain[1] / "odd.json").read_text("utf-8"))["suspicious"]["scores"]["row"][0]
    fields = mislabelled.read_text("utf-8").splitlines()[row + 1].split(",")
    return row, [f"{float(field):.6g}" for field in fields[:2]]


def test_a_report_has_no_values_of_rows_unless_asked(plain, rich, oddest):
    """Reports are passed on; data of patients must not go with them."""
    hidden, shown = (plain[1] / "odd.bayesfloor.html").read_text("utf-8"), rich[1].read_text("utf-8")
    row, values = oddest

    assert re.search(rf"\brow {row}\b", hidden)
    assert [value for value in values if value in hidden] == []
    assert [value for value in values if value not in shown] == []


def test_rows_are_called_by_their_ids(rich, oddest):
    """Row 3 of a file that was sorted since is another row."""
    shown = rich[1].read_text("utf-8")

    assert rich[0].code == 0
    assert re.search(rf"\bname-{oddest[0]}\b", shown)
    assert not re.search(rf"\brow {oddest[0]}\b", shown)
    assert rich[0].stdout.splitlines()[-1] == f"Report written to {rich[1]}"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the browser is not looked for on the path")
def test_a_browser_opens_only_if_asked(plain, rich, opener):
    """On a server, or in a job, a browser is a nuisance or an error."""
    assert plain[0].code == rich[0].code == 0
    for _ in range(100):
        if opener[1].exists() and opener[1].read_text("utf-8"):
            break
        time.sleep(0.05)  # the command does not wait for the browser

    assert opener[1].read_text("utf-8").split() == [str(rich[1])]


@pytest.fixture(scope="module")
def pictures(run, tmp_path_factory):
    """A report on a file with paths of small pictures, two of them with a wrong label."""
    Image = pytest.importorskip("PIL.Image")
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = rng.integers(0, 17, (120, 64)) + 40 * y[:, None]
    y[[5, 70]] = 1 - y[[5, 70]]
    rows = [",".join([*(f"x{k}" for k in range(64)), "y", "path"])]
    for number, (pixels, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        Image.fromarray(np.array(pixels, dtype=np.uint8).reshape(8, 8)).save(folder / f"{number}.png")
        rows.append(",".join([*map(str, pixels), str(label), f"{number}.png"]))
    (folder / "run.1.csv").write_text("\n".join(rows))
    return run("report", "run.1.csv", "-y", "y", "--image", "path", cwd=folder), folder


def test_rows_are_shown_as_pictures(pictures):
    """A digit is judged at a glance, and 64 numbers never."""
    page = next(pictures[1].glob("*.html")).read_text("utf-8")

    assert pictures[0].code == 0
    assert len(re.findall(r'<img[^>]*src="data:image/png;base64,', page)) >= 2
    assert not re.search(r'(src|href)="https?:', page)


@pytest.fixture(scope="module")
def nowhere(run, files, tmp_path_factory):
    """A report that was to go into a folder that is not there; and the folder around it."""
    folder = tmp_path_factory.mktemp("nowhere")
    return run("report", files / "easy.arrow", "-y", "label", "-o", "no/page.html", cwd=folder), folder


def test_a_folder_that_is_not_there_is_told_in_one_line(nowhere):
    """It is a typing error, and no reason for a traceback."""
    ended, folder = nowhere

    assert (ended.code, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("error: ")
    assert list(folder.iterdir()) == []


def test_the_message_about_a_folder_names_what_was_asked_for(nowhere):
    """It is not the reader's business how files are written."""
    assert ".part" not in nowhere[0].stderr


def test_a_folder_that_is_not_there_is_told_before_any_work(run, tmp_path):
    """A typing error costs all the work; here it must come up before even the data are missed."""
    ended = run("report", "nothing.csv", "-y", "label", "-o", "no/page.html", cwd=tmp_path)

    assert "nothing.csv" not in ended.stderr


def test_with_json_to_stdout_there_is_nothing_else(run, files, tmp_path):
    """What holds for check is expected here."""
    ended = run("report", files / "easy.csv", "-y", "label", "--json", "-", cwd=tmp_path)

    json.loads(ended.stdout)


def test_files_that_differ_behind_a_dot_get_reports_of_their_own(pictures):
    """run.1.npz and run.2.npz would write over each other's report."""
    assert pictures[0].stdout.splitlines()[-1].startswith("Report written to run.1.bayesfloor.html")
