"""``bayesfloor check``: one answer whatever the file, exit codes for gates, one line for whatever is wrong."""

import json
import os
import shlex
import stat
import sys
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesfloor

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
VERBS = ("check", "report", "samples", "tree", "explain", "demo")


def is_one_error(ended):
    """Whether a command ended with one line, and nothing but that."""
    lines = ended.stderr.splitlines()
    return ended.code == 2 and not ended.stdout and len(lines) == 1 and lines[0].startswith("error: ")


def wild(text):
    """Characters that a terminal would act upon: all controls but the end of a line, and those that turn text."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]


def suggested(text):
    """The commands at the end of a check, without what they are for, as a shell would take them apart."""
    lines = text.rpartition("\n\n")[2].splitlines()
    return [shlex.split(line[line.index("bayesfloor ") :]) for line in lines]


@pytest.fixture(scope="module")
def answers(run, files):
    """Every format as it was checked."""

    def look(given):
        args, target = given
        content = (files / "easy.csv").read_bytes() if args[0] == "-" else b""
        return run("check", *args, "--target", target, "--json", "-", cwd=files, given=content)

    return {name: look(given) for name, given in FORMATS.items()}


@pytest.fixture(scope="module")
def plain(run, files, tmp_path_factory):
    """A check as most would run it, with files beside; and the folder of these."""
    folder, page = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("page") / "page.md"
    (folder / "now.json").write_text("old", encoding="utf-8")
    paths = ("--json", folder / "now.json", "--markdown", folder / "now.md")
    ended = run("check", files / "easy.csv", "-y", "label", *paths, cwd=folder, GITHUB_STEP_SUMMARY=str(page))
    return ended, folder, page


@pytest.fixture(scope="module")
def better(hard, tmp_path_factory):
    """A check of as many rows whose classes are far apart."""
    rows = np.loadtxt(hard, delimiter=",", skiprows=1, dtype=str)
    X, labels = rows[:, :2].astype(float), rows[:, 2]
    path = tmp_path_factory.mktemp("better") / "better.json"
    bayesfloor.check(X + 6 * (labels == labels[0])[:, None], labels, scale=None).to_json(path)
    return path


@pytest.fixture(scope="module")
def failed(run, hard, better, tmp_path_factory):
    """A check with every gate broken; and its JSON."""
    path = tmp_path_factory.mktemp("failed") / "failed.json"
    return run(*broken_gates(hard, better), "--json", path), path


def broken_gates(hard, better):
    """A check with limits that are far too tight."""
    limits = ("--target", "99%", "--max-error", "5%", "--max-pair-error", "5%", "--max-class-error", "5%")
    return ("check", hard, "-y", "label", *limits, "--baseline", better, "--max-error-rise", "1%")


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_numbers_get_the_same_answer_whatever_the_format(answers, name):
    """Who moves from CSV to Parquet, or writes .98 for 98%, must not see another floor."""
    found, first = (json.loads(answers[key].stdout) for key in (name, "CSV"))
    named = ["name", "label", *["fingerprint"] * (name == "lists")]  # a list is one column of the file
    for told in (found, first):  # a file and its column may be called otherwise, and arrays have none
        told["facts"] = {fact: value for fact, value in told["facts"].items() if fact not in named}
        assert all(column["as_is"] for column in told.pop("prepared")["columns"])

    assert answers[name].code == 0
    assert found["target"] == 0.98
    assert found["facts"]["n_rows"] == 150
    assert found == first


@pytest.mark.parametrize("name", FORMATS)
def test_with_json_to_stdout_there_is_nothing_else_and_it_fits_the_schema(answers, validate, name):
    """A pipe into jq must work, and go on working."""
    validate(json.loads(answers[name].stdout))

    assert answers[name].stderr == ""


def test_a_plain_run_says_nothing_on_stderr_and_sends_no_escapes(plain):
    """Logs of jobs are read by people and by grep."""
    ended, _, _ = plain

    assert ended.code == 0
    assert ended.stderr == ""
    assert ended.stdout.startswith("At best about ")
    assert "\neasy.csv · 150 rows · 3 features · 3 classes" in ended.stdout
    assert wild(ended.stdout) == []


def test_json_and_markdown_are_written_beside_the_text(plain, validate):
    """One run serves the reader, the archive and the pull request; jobs write to the same path every night."""
    ended, folder, _ = plain
    found = json.loads((folder / "now.json").read_text("utf-8"))
    validate(found)

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


def test_broken_gates_exit_with_one_and_are_named(failed):
    """A pipeline stops on the code; a person needs to know which limit it was."""
    ended, path = failed
    gates = json.loads(path.read_text("utf-8"))["gates"]

    assert (ended.code, ended.stderr) == (1, "")
    assert [(gate["code"], gate["word"]) for gate in gates] == [(code, "failed") for code in GATES]
    assert all(f"\n{code}          failed: " in ended.stdout for code in GATES)
    assert "out of reach" in ended.stdout


@pytest.mark.slow
def test_exit_zero_reports_broken_gates_without_failing(run, hard, better, failed):
    """Who only wants to be told must not be stopped."""
    ended = run(*broken_gates(hard, better), "--exit-zero")

    assert ended.code == 0
    assert ended.stdout == failed[0].stdout


@pytest.mark.slow
def test_one_broken_gate_among_kept_ones_is_enough(run, hard, failed):
    """A limit that is met must not hide one that is not; nor does a dataset fail against itself."""
    kept = ("--target", "55%", "--max-error", "45%", "--max-pair-error", "45%", "--baseline", failed[1])
    ended = run("check", hard, "-y", "label", *kept, "--max-class-error", "5%")

    assert ended.code == 1
    assert [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("BF30")] == [
        "ok:",
        "ok:",
        "ok:",
        "failed:",
        "ok:",
    ]


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 1)])
def test_a_gate_too_close_to_call_fails_only_if_strict(run, files, strict, code):
    """No number of rows proves that 100 % can be had: a job may be told to take that for a no."""
    ended = run("check", files / "easy.csv", "-y", "label", "--target", "100%", *strict)

    assert "100 % accuracy is too close to call, because " in ended.stdout
    assert (ended.code, ended.stderr) == (code, "")


def test_a_range_of_another_effort_is_not_compared(run, hard, failed, tmp_path):
    """More work finds lower floors: that is not better data; and the next command does the same work."""
    path = tmp_path / "now.json"
    ended = run("check", hard, "-y", "label", "--effort", "quick", "--baseline", failed[1], "--json", path)

    assert (ended.code, ended.stderr) == (0, "")
    assert "BF305 too close to call: the ranges cannot be compared (effort normal then, quick now)" in " ".join(
        ended.stdout.split()
    )
    assert json.loads(path.read_text("utf-8"))["answer"]["effort"] == "quick"
    assert suggested(ended.stdout)[-3][-2:] == ["--effort", "quick"]


def test_a_target_in_percent_without_its_sign_is_refused_with_both_ways_to_write_it(run, hard):
    """95 is most often meant to be 95 %."""
    assert "Write --target 95% or --target 0.95." in run("check", hard, "-y", "label", "--target", "95").stderr


def test_commands_to_go_on_with_keep_the_target_and_what_was_shown_is_not_offered_again(run, hard):
    """The user should not have to type it again."""
    args = ("check", hard.name, "-y", "label", "--effort", "quick", "--target", "60%")
    short, full = (suggested(run(*args, *more, cwd=hard.parent).stdout) for more in ((), ("-v",)))

    assert ["bayesfloor", "report", "hard.csv", "-y", "label", "--target", "60%", "--effort", "quick"] in full
    assert [words for words in short if "-v" in words]
    assert not [words for words in full if "-v" in words]


@pytest.mark.parametrize("content", [None, '{"schema_version": 1}'])
def test_a_broken_or_missing_baseline_is_no_failed_gate(run, files, tmp_path, content):
    """A job must tell worse data from a lost file."""
    path = tmp_path / "before.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    ended = run("check", "easy.csv", "-y", "label", "--baseline", path, cwd=files)

    assert is_one_error(ended)
    assert "before.json" in ended.stderr
    assert ("--json" in ended.stderr) == (content is None)  # how to make it


@pytest.mark.parametrize("rise", ["0%", "1%"])
def test_a_limit_for_the_rise_needs_a_baseline(run, files, rise):
    """Without one the build would stay green, for ever."""
    ended = run("check", "easy.csv", "-y", "label", "--max-error-rise", rise, cwd=files)

    assert ended.code == 2
    assert "--max-error-rise needs --baseline" in ended.stderr


def test_strict_needs_a_gate(run, files):
    """Without one the build would stay green, for ever."""
    ended = run("check", "easy.csv", "-y", "label", "--strict", cwd=files)

    assert (ended.code, ended.stdout) == (2, "")
    assert "--strict needs a gate" in ended.stderr
    assert "--target 95%" in ended.stderr


@pytest.mark.parametrize("gate", ["--target", "--max-error", "--max-pair-error", "--max-class-error", "--baseline"])
def test_each_gate_can_be_strict(run, tmp_path, gate):
    """Whatever the gate, only the missing file stops the check."""
    ended = run("check", "none.csv", "-y", "label", gate, "30%", "--strict", cwd=tmp_path)

    assert ended.code == 2
    assert "--strict" not in ended.stderr


@pytest.mark.parametrize(
    ("option", "text"),
    [
        *(("--target", text) for text in ("98", "1", "150%", "-1", "-1%", "nan", "nan%", "inf", "much", "")),
        ("--max-error", "5"),
        ("--max-pair-error", "5"),
        ("--max-class-error", "5"),
        ("--max-error-rise", "1"),
    ],
)
def test_a_fraction_that_is_none_or_could_be_two_is_refused(run, files, option, text):
    """98 may be 98 % or a typing error for 0.98: a gate on the wrong one would let all pass."""
    ended = run("check", "easy.csv", "-y", "label", option, text, cwd=files)

    assert (ended.code, ended.stdout) == (2, "")
    assert option in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("text", ["150%", "-1", "nan"])
def test_the_advice_about_a_fraction_is_one_that_works(run, files, text):
    """Who does as told and is refused again gives up."""
    ended = run("check", "easy.csv", "-y", "label", "--target", text, cwd=files)

    assert f"Write {text.rstrip('%')}%" not in ended.stderr


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
    return run("check", hostile.name, "-y", LABEL, "--json", path.name, cwd=hostile.parent), path


def test_hostile_labels_stay_what_they_are(hostile_check):
    """01 and 1.0 are two classes, and so is the empty text; merged rows would be a wrong answer."""
    found = json.loads(hostile_check[1].read_text("utf-8"))

    assert hostile_check[0].code == 0
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


def test_a_hostile_name_of_the_label_cannot_act_on_the_terminal(run, tmp_path):
    """The commands at the end repeat the name that the file gave."""
    name = "\x1b[2Jlabel"
    X = np.random.default_rng(0).normal(size=(60, 2))
    pq.write_table(pa.table({"u": X[:, 0], "v": X[:, 1], name: ["a", "b"] * 30}), tmp_path / "data.parquet")
    ended = run("check", "data.parquet", "-y", name, cwd=tmp_path)

    assert ended.code == 0
    assert wild(ended.stdout) == []


@pytest.mark.slow
def test_commands_to_go_on_with_read_the_same_data(run, mislabelled):
    """Without --drop the very command that was suggested ends in an error."""
    ended = run("check", mislabelled.name, "-y", "label", "--drop", "name", cwd=mislabelled.parent)
    again = run(*suggested(ended.stdout)[0][1:], cwd=mislabelled.parent)

    assert again.code == 0


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A folder of files that cannot be used."""
    folder = tmp_path_factory.mktemp("broken")
    good = "".join(f"{k}.5,{'xy'[k % 2]}\n" for k in range(30))
    texts = {
        "good.csv": "a,kind\n" + good,
        "infinite.csv": "a,label\n1,x\ninf,y\n3,x\n4,y\n",
        "ids.csv": "a,label\n" + "".join(f"id-{k:04},{'xy'[k % 2]}\n" for k in range(30)),
        "one.csv": "a,label\n1.5,x\n2.5,x\n3.5,x\n",
        "empty.csv": "",
        "locked.csv": "a,label\n" + good,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "junk.csv").write_bytes(np.random.default_rng(0).bytes(3000))
    (folder / "folder").mkdir()
    (folder / "locked.csv").chmod(0)
    yield folder
    (folder / "locked.csv").chmod(stat.S_IRUSR | stat.S_IWUSR)


# Verbs take turns: they read alike, and tree starts fastest.
@pytest.mark.parametrize(
    ("verb", "args", "told"),
    [
        ("tree", ("infinite.csv", "-y", "label"), ["a: infinite in 1 row", "drop", "--as COLUMN=ROLE"]),
        ("tree", ("ids.csv", "-y", "label"), ["a left out: nearly every row has its own value", "--as COLUMN=number"]),
        ("tree", ("one.csv", "-y", "label"), ["'label'", "only one value"]),
        ("tree", ("good.csv", "-y", "kinds"), ["'kinds'", "Did you mean 'kind'?"]),
        ("check", ("good.csv",), ["-y", "kind (2)"]),
        ("samples", ("god.csv", "-y", "kind"), ["god.csv", "Did you mean 'good.csv'"]),
        ("tree", ("empty.csv", "-y", "label"), ["empty.csv is empty"]),
        ("report", ("folder", "-y", "label"), ["'folder'", "Parquet, Arrow or CSV"]),
        ("tree", ("junk.csv", "-y", "label"), ["junk.csv"]),
    ],
)
def test_what_is_wrong_is_told_in_one_line_that_says_what_to_do(run, broken, verb, args, told):
    """The first contact with a tool is often a wrong column; a traceback would be the last."""
    ended = run(verb, *args, cwd=broken)

    assert is_one_error(ended), ended
    assert [part for part in told if part not in ended.stderr] == []


@pytest.mark.posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told_in_one_line(run, broken):
    """Shared folders have such files."""
    ended = run("tree", "locked.csv", "-y", "label", cwd=broken)

    assert is_one_error(ended), ended
    assert "ermission" in ended.stderr


WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *args):
        return None if name == "click" else self.finder.find_spec(name, *args)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from bayesfloor.cli._entry import main

main()
"""


def test_without_the_extra_one_line_says_what_to_install(process):
    """The library can be installed without the command's needs, and the command is there all the same."""
    ended = process("demo", start=[sys.executable, "-c", WITHOUT])

    assert (ended.code, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert 'python -m pip install "bayesfloor[cli]"' in ended.stderr


def test_the_module_runs_as_the_command_does(run, process):
    """Where scripts are not on the path, ``python -m`` is the way in."""
    module = [sys.executable, "-m", "bayesfloor"]

    assert process("explain", "BF204", start=module) == run("explain", "BF204")
    assert process("explain", "nothing", start=module) == run("explain", "nothing")


def test_the_version_is_that_of_the_package(run):
    """The first question to whoever reports a fault."""
    from importlib.metadata import version

    ended = run("--version")

    assert (ended.code, ended.stderr) == (0, "")
    assert version("bayesfloor") in ended.stdout


@pytest.mark.parametrize("verb", [None, *VERBS])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_verb_has_help(run, verb, flag):
    """Both flags are tried by hand before any page is read."""
    ended = run(*([] if verb is None else [verb]), flag)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("Usage: bayesfloor")
    assert verb is not None or all(f"  {name} " in ended.stdout for name in VERBS)


def test_an_unknown_verb_or_option_is_a_matter_of_usage(run, files):
    """A typing error in a job must not look like a failed gate."""
    for args in (("chekc", "easy.csv"), ("check", "easy.csv", "--tarhet", "98%"), ("check",)):
        ended = run(*args, cwd=files)

        assert (ended.code, ended.stdout) == (2, "")
        assert "Traceback" not in ended.stderr


def test_a_page_that_cannot_be_written_does_not_lose_the_result(run, files, tmp_path):
    """The summary on a job's page is a favour, and minutes of work must not go with it."""
    ended = run("check", files / "easy.csv", "-y", "label", GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "page.md"))

    assert "\neasy.csv · " in ended.stdout


def test_columns_that_are_no_features_come_with_the_command_to_drop_them(run, tmp_path):
    """Whole, so that it can be pasted."""
    rng = np.random.default_rng(0)
    tags = pd.DataFrame(rng.integers(0, 2, size=(120, 4)), columns=["tag_a", "tag_b", "tag_c", "tag_d"])
    tags = tags.assign(x=rng.normal(size=120) + tags["tag_a"])
    tags.to_csv(tmp_path / "tags.csv", index=False)
    ended = run("check", tmp_path / "tags.csv", "-y", "tag_a", "--effort", "quick")

    assert "drop columns   bayesfloor check " in ended.stdout
    assert " -y tag_a --effort quick --drop tag_b --drop tag_c --drop tag_d\n" in ended.stdout
