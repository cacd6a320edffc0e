"""``check`` and ``report``: one answer whatever the file, exit codes for gates, commands to go on with, one page."""

import json
import os
import re
import shlex
import sys
import time
import unicodedata

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesfloor
from bayesfloor import Check

# How a target may be written, and how the same numbers may be stored.
FORMATS = {
    "CSV": (("easy.csv", "-y", "label"), "98%"),
    "TSV": (("easy.tsv", "-y", "label"), "98 %"),
    "CSV, packed": (("easy.csv.gz", "-y", "label"), ".98"),
    "Parquet": (("easy.parquet", "-y", "label"), "0.98"),
    "Arrow": (("easy.arrow", "-y", "label"), "98.0%"),
    "npz": (("easy.npz",), " 98% "),
    "npy and labels": (("easy.npy", "--labels-file", "names.txt"), "+98%"),
    "lists": (("lists.parquet", "-y", "label"), "0.980"),
    "standard input": (("-", "-y", "label"), "98%"),
}
GATES = ("BF301", "BF302", "BF303", "BF304", "BF305")
HOSTILE = {
    "HTML": "<script>alert('x')</script>",
    "quotes": 'say "hi", it\'s',
    "escape": "\x1b[31mred\x1b[0m",
    "newline": "one\ntwo",
    "long": "n" * 200,
    "emoji": "🐧",
    "CJK": "标签",
    "Hebrew": "תווית",
    "turned": "\u202eevil\u202c",
    "empty": "",
    "one": "1",
    "zero one": "01",
    "one point": "1.0",
}
LABEL = 'it\'s "the" $(label) `x` \\ *'


def wild(text):
    """Characters that a terminal would act upon: all controls but the end of a line, and those that turn text."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]


def suggested(text):
    """The commands at the end of a check, without what they are for, as a shell would take them apart."""
    lines = text.rpartition("\n\n")[2].splitlines()
    return [shlex.split(line[line.index("bayesfloor ") :]) for line in lines]


def read_json(path):
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def answers(run, files):
    def look(args, target):
        content = (files / "easy.csv").read_bytes() if args[0] == "-" else b""
        return run("check", *args, "--target", target, "--json", "-", cwd=files, given=content)

    return {name: look(*given) for name, given in FORMATS.items()}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_numbers_get_the_same_answer_whatever_the_format(answers, validate, name):
    """Who moves from CSV to Parquet, or writes .98 for 98%, must not see another floor; and jq can read it."""
    found, first = (json.loads(answers[key].stdout) for key in (name, "CSV"))
    validate(found)
    named = ["name", "label", "columns", *["fingerprint"] * (name == "lists")]  # a list is one column of the file
    for told in (found, first):  # a file and its column may be called otherwise, and arrays have none
        told["facts"] = {fact: value for fact, value in told["facts"].items() if fact not in named}
        assert all(column["as_is"] for column in told.pop("prepared")["columns"])

    assert (answers[name].code, answers[name].stderr) == (0, "")
    assert found["target"] == 0.98
    assert found["facts"]["n_rows"] == 150
    assert found == first


@pytest.mark.parametrize("verb", ["check", "report"])
def test_the_best_model_is_saved_fitted_to_all_rows_and_a_warning_comes_with_it(run, files, tmp_path, verb):
    """It takes the file as pandas reads it, label included; nothing else is left in the folder."""
    table = pd.read_csv(files / "easy.csv")
    table.loc[3, "label"] = None
    table.to_csv(tmp_path / "gap.csv", index=False)
    ended = run(verb, "gap.csv", "-y", "label", "--effort", "quick", "--save-model", "best.joblib", cwd=tmp_path)
    model = joblib.load(tmp_path / "best.joblib")

    assert ended.code == 0
    assert "fitted to 149 rows, is in best.joblib. Loading it can run code: load only files that you trust." in (
        " ".join(ended.stderr.split())
    )
    assert (model.predict(table) == table["label"]).mean() > 0.8
    assert {path.suffix for path in tmp_path.iterdir()} <= {".csv", ".joblib", ".html"}
    assert "can run code" in " ".join(run(verb, "--help").stdout.split())


@pytest.fixture(scope="module")
def plain(run, files, tmp_path_factory):
    """A check as most would run it, with files beside; and the folder of these."""
    folder, page = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("page") / "page.md"
    (folder / "now.json").write_text("old", encoding="utf-8")
    paths = ("--json", folder / "now.json", "--markdown", folder / "now.md")
    ended = run("check", files / "easy.csv", "-y", "label", *paths, cwd=folder, GITHUB_STEP_SUMMARY=str(page))
    return ended, folder, page


def test_a_plain_run_writes_json_and_markdown_beside_the_text(plain, validate):
    """One run serves the reader, the archive and the pull request; jobs write to the same path every night."""
    ended, folder, _ = plain
    found = read_json(folder / "now.json")
    validate(found)

    assert (ended.code, ended.stderr, wild(ended.stdout)) == (0, "", [])
    assert ended.stdout.startswith("At best about ")
    assert "\neasy.csv · 150 rows · 3 features · 3 classes" in ended.stdout
    assert found["verdict"] in " ".join(ended.stdout.split())
    assert (folder / "now.md").read_text("utf-8").startswith("### ")
    assert sorted(path.name for path in folder.iterdir()) == ["now.json", "now.md"]


def test_a_file_alone_is_checked_and_threads_and_summaries_change_nothing(run, files, plain):
    """The shortest command is the one people type first; a second job must add to the page, not replace it."""
    ended, folder, page = plain
    once = page.read_text("utf-8")
    again = run(files / "easy.csv", "-y", "label", "-j", "2", cwd=folder, GITHUB_STEP_SUMMARY=str(page))

    assert again == ended
    assert once.count("### ") == 1
    assert page.read_text("utf-8") == 2 * once
    assert once.startswith((folder / "now.md").read_text("utf-8"))


def test_quiet_markdown_goes_to_stdout_alone(run, files, plain, tmp_path):
    """Piped into a comment on a pull request, each stray line is seen by all; nothing is written unasked."""
    ended = run("check", files / "easy.csv", "-y", "label", "--markdown", "-", "-q", cwd=tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == (plain[1] / "now.md").read_text("utf-8")
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_cannot_be_written_does_not_lose_the_result(run, files, tmp_path):
    """The summary on a job's page is a favour, and minutes of work must not go with it."""
    page = str(tmp_path / "no" / "page.md")
    ended = run("check", files / "easy.csv", "-y", "label", "--effort", "quick", GITHUB_STEP_SUMMARY=page)

    assert ended.code == 0
    assert "\neasy.csv · " in ended.stdout
    assert ended.stderr.startswith("warning: the CI job summary cannot be written: ")


@pytest.fixture(scope="module")
def broken_gates(hard, tmp_path_factory):
    """A check with limits that are far too tight, and a baseline whose classes are far apart."""
    rows = np.loadtxt(hard, delimiter=",", skiprows=1, dtype=str)
    X, labels = rows[:, :2].astype(float), np.char.strip(rows[:, 2], '"')
    path = tmp_path_factory.mktemp("better") / "better.json"
    bayesfloor.check(X + 6 * (labels == labels[0])[:, None], labels, scale=None).to_json(path)
    limits = ("--target", "99%", "--max-error", "5%", "--max-pair-error", "5%", "--max-class-error", "5%")
    return ("check", hard, "-y", "label", *limits, "--baseline", path, "--max-error-rise", "1%")


@pytest.fixture(scope="module")
def failed(run, broken_gates, tmp_path_factory):
    """A check with every gate broken; and its JSON."""
    path = tmp_path_factory.mktemp("failed") / "failed.json"
    return run(*broken_gates, "--json", path), path


def test_broken_gates_exit_with_one_and_are_named(failed):
    """A pipeline stops on the code; a person needs to know which limit it was."""
    ended, path = failed

    assert (ended.code, ended.stderr) == (1, "")
    assert [(gate["code"], gate["word"]) for gate in read_json(path)["gates"]] == [(code, "failed") for code in GATES]
    assert all(f"\n{code}          failed: " in ended.stdout for code in GATES)
    assert "out of reach" in ended.stdout


@pytest.mark.slow
def test_one_broken_gate_is_enough_and_exit_zero_reports_without_failing(run, broken_gates, failed, hard):
    """A limit that is met must not hide one that is not; who only wants to be told must not be stopped."""
    ended = run(*broken_gates, "--exit-zero")

    assert (ended.code, ended.stdout) == (0, failed[0].stdout)

    kept = ("--target", "55%", "--max-error", "45%", "--max-pair-error", "45%", "--baseline", failed[1])
    ended = run("check", hard, "-y", "label", *kept, "--max-class-error", "5%")
    words = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("BF30")]

    assert ended.code == 1
    assert words == ["ok:", "ok:", "ok:", "failed:", "ok:"]


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 1)])
def test_an_open_gate_fails_only_if_strict(run, files, strict, code):
    """No number of rows proves that 100 % can be had: a job may be told to take that for a no."""
    ended = run("check", files / "easy.csv", "-y", "label", "--target", "100%", *strict)

    assert "It is open whether 100 % accuracy is reachable (" in ended.stdout
    assert (ended.code, ended.stderr) == (code, "")


@pytest.mark.slow
def test_other_data_fail_unless_that_is_accepted(run, hard, failed, write, tmp_path):
    """The exit code is all that a job looks at; limits on the data need no baseline."""
    rows = np.loadtxt(hard, delimiter=",", skiprows=1, dtype=str)
    X, labels = rows[:, :2].astype(float), np.char.strip(rows[:, 2], '"')
    other = write(tmp_path / "other.csv", X, np.char.add(labels, "!"))
    asked = ("check", other, "-y", "label", "--effort", "quick", "--max-error-rise", "50%", "--baseline", failed[1])
    ended = [run(*asked), run(*asked, "--accept", "BF306", "--accept", "BF307"), run(*asked[:6], "--min-rows", "9999")]
    ended.append(run(*asked[:6], "--min-rows", "9", "--max-unlabelled", "0%", "--fail-on", "BF114"))

    assert [each.code for each in ended] == [1, 0, 1, 0]
    assert "\nBF306          failed: the classes are not those of the baseline: lost " in ended[0].stdout
    assert "BF306          ok: " in ended[1].stdout
    assert [line.split()[:2] for line in ended[3].stdout.splitlines() if line.startswith("BF31")] == [
        ["BF311", "ok:"],
        ["BF312", "ok:"],
        ["BF313", "ok:"],
    ]


def test_a_range_of_another_effort_is_not_compared(run, hard, failed, tmp_path):
    """More work finds lower floors: that is not better data; and the next command does the same work."""
    path = tmp_path / "now.json"
    ended = run("check", hard, "-y", "label", "--effort", "quick", "--baseline", failed[1], "--json", path)
    told = "BF305 open: the ranges cannot be compared (effort normal then, quick now)"

    assert (ended.code, ended.stderr) == (0, "")
    assert told in " ".join(ended.stdout.split())
    assert read_json(path)["answer"]["effort"] == "quick"
    assert suggested(ended.stdout)[-3][-2:] == ["--effort", "quick"]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory, write):
    """Two classes, one with a tenth of the rows."""
    y = np.arange(600) % 10 == 0
    X = np.random.default_rng(0).normal(size=(600, 2)) + 3.0 * y[:, None]
    return write(tmp_path_factory.mktemp("uneven") / "uneven.csv", X, y.astype(int))


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("--balanced",), ("--priors", "0=0.5, 1=50%"), ("--priors", "1=2,0=2")])
def test_proportions_are_what_was_asked_for(run, uneven, asked):
    """And the next commands ask for them again."""
    ended = run("check", uneven, "-y", "label", *asked, "--json", uneven.with_name("check.json"))
    given = read_json(uneven.with_name("check.json"))

    assert ended.code == 0
    assert (given["facts"]["priors"], given["answer"]["guessing"]) == ([0.5, 0.5], 0.5)
    assert suggested(ended.stdout)[-3][-len(asked) :] == list(asked)
    assert "balanced accuracy" in ended.stdout


@pytest.fixture(scope="module")
def tried(tmp_path_factory, write):
    """Three classes far apart, and a model that gets every third row wrong."""
    codes = np.repeat(np.arange(3), 100)
    X = np.random.default_rng(0).normal(size=(len(codes), 3))
    X[:, 0] += 8 * codes
    codes[::50] = (codes[::50] + 1) % 3
    animals = np.array(["cat", "dog", "hen"])
    answers = np.where(np.arange(len(codes)) % 3, codes, (codes + 1) % 3)
    return write(tmp_path_factory.mktemp("tried") / "tried.csv", X, animals[codes], model=animals[answers])


@pytest.mark.slow
def test_a_model_is_held_against_the_floor_and_is_no_feature(run, tried, tmp_path):
    """It would be the best feature of all; nor do the next commands, which are there to be copied, take it for one."""
    asked = (tried, "-y", "label", "--predictions", "model")
    ended = run("check", *asked, "--json", tmp_path / "check.json")
    found = Check.from_json(tmp_path / "check.json")
    report = run("report", *asked, "-o", tmp_path / "r.html")

    assert (ended.code, ended.stderr) == (0, "")
    assert found.facts.n_features == 3
    assert found.gap.overall.word == "room to improve"
    assert found.gap.overall.error == pytest.approx(1 / 3)
    assert "your model     66.7 % accuracy (error 33.3 %): room to improve" in ended.stdout
    assert f"bayesfloor samples {tried} -y label --drop model\n" in ended.stdout
    assert f"bayesfloor report {tried} -y label --predictions model\n" in ended.stdout
    assert (report.code, report.stderr) == (0, "")
    assert "Your model against the floor" in (tmp_path / "r.html").read_text("utf-8")


@pytest.mark.slow
def test_predictions_of_an_npz_are_an_array(run, tmp_path):
    """As labels are."""
    codes = np.repeat([0, 1], 60)
    X = np.random.default_rng(0).normal(size=(120, 3)) + 3 * codes[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=codes, answers=codes[::-1])
    ended = run("check", "data.npz", "--predictions", "answers", "--json", "-", cwd=tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["gap"]["overall"]["error"] == 1.0


def test_commands_to_go_on_with_keep_the_target_and_what_was_shown_is_not_offered_again(run, hard):
    """The user should not have to type it again."""
    args = ("check", hard.name, "-y", "label", "--effort", "quick", "--target", "60%")
    short, full = (suggested(run(*args, *more, cwd=hard.parent).stdout) for more in ((), ("-v",)))

    assert ["bayesfloor", "report", "hard.csv", "-y", "label", "--target", "60%", "--effort", "quick"] in full
    assert [words for words in short if "-v" in words]
    assert not [words for words in full if "-v" in words]


@pytest.mark.slow
def test_commands_to_go_on_with_read_the_same_data(run, mislabelled):
    """Without --drop the very command that was suggested ends in an error."""
    ended = run("check", mislabelled.name, "-y", "label", "--drop", "name", cwd=mislabelled.parent)
    again = run(*suggested(ended.stdout)[0][1:], cwd=mislabelled.parent)

    assert again.code == 0


def test_columns_that_are_no_features_come_with_the_command_to_drop_them(run, tmp_path):
    """Whole, so that it can be pasted."""
    rng = np.random.default_rng(0)
    tags = pd.DataFrame(rng.integers(0, 2, size=(120, 4)), columns=["tag_a", "tag_b", "tag_c", "tag_d"])
    tags = tags.assign(x=rng.normal(size=120) + tags["tag_a"])
    tags.to_csv(tmp_path / "tags.csv", index=False)
    ended = run("check", tmp_path / "tags.csv", "-y", "tag_a", "--effort", "quick")

    assert "drop columns   bayesfloor check " in ended.stdout
    assert " -y tag_a --effort quick --drop tag_b --drop tag_c --drop tag_d\n" in ended.stdout


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A file whose name, columns and labels try to get out of wherever they are put."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(HOSTILE)), 30)
    X = rng.normal(size=(len(codes), 2)) + 3 * codes[:, None]
    columns = {"<b>x</b>": X[:, 0], "\x1b[32my\n": X[:, 1], LABEL: np.array(list(HOSTILE.values()))[codes]}
    path = tmp_path_factory.mktemp("hostile") / "my data's.parquet"
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture(scope="module")
def hostile_check(run, hostile):
    """That file, checked; and its JSON."""
    path = hostile.with_name("now.json")
    return run("check", hostile.name, "-y", LABEL, "--json", path.name, cwd=hostile.parent), read_json(path)


def test_hostile_labels_stay_what_they_are(hostile_check):
    """01 and 1.0 are two classes, and so is the empty text; merged rows would be a wrong answer."""
    ended, found = hostile_check

    assert ended.code == 0
    assert found["facts"]["n_classes"] == len(HOSTILE)
    assert set(found["pairwise"]["classes"]) == set(HOSTILE.values())
    assert found["pairwise"]["sizes"] == [30] * len(HOSTILE)


@pytest.mark.parametrize("verb", ["samples", "tree"])
def test_hostile_labels_cannot_act_on_the_terminal(run, hostile, hostile_check, verb):
    """A label with an escape could repaint the terminal, or hide what is there."""
    ended = run(verb, hostile.name, "-y", LABEL, cwd=hostile.parent)

    assert ended.code == 0
    assert wild(ended.stdout + ended.stderr + hostile_check[0].stdout + hostile_check[0].stderr) == []


def test_commands_to_go_on_with_can_be_pasted(run, hostile, hostile_check):
    """A name with quotes or $() must not become another command in the reader's shell."""
    commands = suggested(hostile_check[0].stdout)
    ended = run(*commands[-3][1:], cwd=hostile.parent)

    assert ["bayesfloor", "report", hostile.name, "-y", LABEL] in commands
    assert commands[-1][:2] == ["bayesfloor", "explain"]
    assert (ended.code, wild(ended.stdout + ended.stderr)) == (0, [])
    assert hostile.with_name("my data's.bayesfloor.html").exists()


@pytest.fixture(scope="module")
def opener(tmp_path_factory):
    """A folder with a browser that leaves a mark; and the mark."""
    folder = tmp_path_factory.mktemp("browser")
    script = folder / "xdg-open"
    script.write_text(f'#!/bin/sh\necho "$1" > {folder}/opened\n', encoding="utf-8")
    script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}", folder / "opened"


@pytest.fixture(scope="module")
def reported(run, mislabelled, opener, tmp_path_factory):
    """A report as most would make it; and the folder it was made in."""
    folder = tmp_path_factory.mktemp("report")
    beside = ("--json", "odd.json", "--markdown", "odd.md", "--target", "99%")
    return run("report", mislabelled, "-y", "label", "--drop", "name", *beside, cwd=folder, PATH=opener[0]), folder


@pytest.fixture(scope="module")
def opened(run, mislabelled, opener, tmp_path_factory):
    """A report that shows rows and opens; and where it is."""
    path = tmp_path_factory.mktemp("rich") / "page.html"
    asked = ("--id", "name", "--show-rows", "--open", "-o", path)
    return run("report", mislabelled, "-y", "label", *asked, cwd=path.parent, PATH=opener[0]), path


@pytest.mark.slow
def test_a_report_lies_in_the_current_folder_and_its_verdict_and_path_are_printed(reported, mislabelled, validate):
    """Not beside data that may be shared or read-only; nothing else is of use in a terminal."""
    ended, folder = reported
    found = read_json(folder / "odd.json")
    validate(found)
    *lines, path = ended.stdout.splitlines()

    assert (ended.code, ended.stderr) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == ["odd.bayesfloor.html", "odd.json", "odd.md"]
    assert [path.name for path in mislabelled.parent.iterdir()] == ["odd.csv"]
    assert (folder / "odd.bayesfloor.html").read_text("utf-8").rstrip().endswith("</html>")
    assert (folder / "odd.md").read_text("utf-8").startswith("### 99 % accuracy")
    assert " ".join(lines) == found["verdict"]
    assert found["verdict"].startswith("99 % accuracy")
    assert path == "Report written to odd.bayesfloor.html (add --open to view it)"


@pytest.mark.slow
def test_a_report_calls_rows_by_their_ids_and_has_no_values_unless_asked(reported, opened, mislabelled):
    """Reports are passed on; data of patients must not go with them. Row 3 of a file sorted since is another row."""
    row = read_json(reported[1] / "odd.json")["suspicious"]["scores"]["row"][0]
    fields = mislabelled.read_text("utf-8").splitlines()[row + 1].split(",")
    values = [f"{float(field):.6g}" for field in fields[:2]]
    hidden, shown = (reported[1] / "odd.bayesfloor.html").read_text("utf-8"), opened[1].read_text("utf-8")

    assert re.search(rf"\brow {row}\b", hidden)
    assert [value for value in values if value in hidden] == []
    assert [value for value in values if value not in shown] == []
    assert re.search(rf"\bname-{row}\b", shown)
    assert not re.search(rf"\brow {row}\b", shown)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the browser is not looked for on the path")
def test_a_browser_opens_only_if_asked(reported, opened, opener):
    """On a server, or in a job, a browser is a nuisance or an error."""
    assert reported[0].code == opened[0].code == 0
    for _ in range(100):
        if opener[1].exists() and opener[1].read_text("utf-8"):
            break
        time.sleep(0.05)  # the command does not wait for the browser

    assert opened[0].stdout.splitlines()[-1] == f"Report written to {opened[1]}"
    assert opener[1].read_text("utf-8").split() == [str(opened[1])]


@pytest.mark.slow
def test_pictures_outside_the_folder_of_the_table_are_left_out(run, tmp_path):
    """A table of strangers could put any picture of its reader into a report that is passed on."""
    Image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "data"
    folder.mkdir()
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / "private.png")
    (folder / "link.png").symlink_to(tmp_path / "private.png")
    y = np.repeat([0, 1], 60)
    X = np.random.default_rng(0).normal(size=(120, 2)) + 9 * y[:, None]
    y[[5, 70]] = 1 - y[[5, 70]]
    names = np.resize([str(tmp_path / "private.png"), "../private.png", "link.png", "a\0b"], 120)
    pd.DataFrame(X).add_prefix("x").assign(y=y, path=names).to_parquet(folder / "t.parquet")
    page = tmp_path / "r.html"
    asked = ("report", folder / "t.parquet", "-y", "y", "--image", "path", "--effort", "quick", "-o", page)
    ended = run(*asked)

    assert ended.code == 0
    assert f"not below {folder} left out; --image-root FOLDER says where images may be" in ended.stderr
    assert "data:image/" not in page.read_text("utf-8")
    assert run(*asked, "--image-root", tmp_path).code == 0
    assert "data:image/" in page.read_text("utf-8")


@pytest.mark.slow
def test_a_label_cannot_begin_a_line_with_a_command_to_a_ci_runner(run, write, tmp_path):
    """GitHub obeys lines that start with two colons, and shows what it is told as errors of the job."""
    y = np.repeat([0, 1], 60)
    labels = np.array(["::error::x", "##[error]y"])[y]
    path = write(tmp_path / "t.csv", np.random.default_rng(0).normal(size=(120, 2)) + 9 * y[:, None], labels)
    ended = run("check", path, "-y", "label", "--effort", "quick", "-v")

    assert ended.code == 0
    assert "\n\\::error::x" in ended.stdout
    assert not re.search(r"(?m)^[ \t]*(::|##\[)", ended.stdout)


@pytest.mark.slow
def test_rows_are_shown_as_pictures(run, tmp_path):
    """A digit is judged at a glance, and 64 numbers never; and run.1.csv and run.2.csv get reports of their own."""
    Image = pytest.importorskip("PIL.Image")
    y = np.repeat([0, 1], 60)
    X = np.random.default_rng(0).integers(0, 17, (120, 64)) + 40 * y[:, None]
    y[[5, 70]] = 1 - y[[5, 70]]
    for number, pixels in enumerate(X):
        Image.fromarray(pixels.astype(np.uint8).reshape(8, 8)).save(tmp_path / f"{number}.png")
    table = pd.DataFrame(X).add_prefix("x").assign(y=y, path=[f"{number}.png" for number in range(len(y))])
    table.to_csv(tmp_path / "run.1.csv", index=False)
    ended = run("report", "run.1.csv", "-y", "y", "--image", "path", "--json", "-", cwd=tmp_path)
    page = (tmp_path / "run.1.bayesfloor.html").read_text("utf-8")

    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["facts"]["n_rows"] == 120  # nothing else goes there
    assert len(re.findall(r'<img[^>]*src="data:image/png;base64,', page)) >= 2
    assert not re.search(r'(src|href)="https?:', page)
