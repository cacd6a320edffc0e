"""All verbs: help, refusals, the ways to start them; ``explain`` and ``demo``."""

import logging
import os
import stat
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from bayesfloor.cli._terminal import Output
from bayesfloor.summary._explain import CODES, TERMS

VERBS = ("check", "report", "samples", "features", "compare", "tree", "explain", "demo")


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_every_verb_has_help(run, verb):
    short, long = (run(*([] if verb is None else [verb]), flag) for flag in ("-h", "--help"))

    assert (long.code, long.stderr) == (0, "")
    assert long.stdout.startswith("Usage: bayesfloor")
    assert short == long
    assert verb is not None or all(f"  {name} " in long.stdout for name in VERBS)


def test_codes_terms_and_the_version_are_told(run):
    """The first question about a fault is the version; a code that the tool does not know itself is worse than none."""
    ended = run("--version")

    assert (ended.code, ended.stderr) == (0, "")
    assert version("bayesfloor") in ended.stdout

    listed = run("explain")

    assert (listed.code, listed.stderr) == (0, "")
    for term, text in {**CODES, **TERMS}.items():
        ended = run("explain", term)
        assert (ended.code, ended.stderr, " ".join(ended.stdout.split())) == (0, "", text)
        assert f"{term}  " in listed.stdout or term in TERMS
        assert term in listed.stdout

    assert run("explain", "class", "tree") == run("explain", "class tree")
    assert run("explain", "clas", "tree").stdout.startswith("class tree: A tree that")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small files, most of which cannot be used."""
    folder = tmp_path_factory.mktemp("refused")
    rows = [f"{k}.5,{'uv'[k // 2 % 2]},{'xy'[k % 2]}" for k in range(30)]
    good = [f"{row[: row.index(',')]},{row[-1]}" for row in rows]
    texts = {
        "good.csv": ["a,kind", *good],
        "short.csv": ["a,kind", *good[1:]],
        "other.csv": ["a,kind", good[0].replace("x", "z"), *good[1:]],
        "texts.csv": ["a,text,kind", *rows],
        "infinite.csv": ["a,kind", "1,x", "inf,y", "3,x", "4,y"],
        "ids.csv": ["a,kind", *(f"id-{k:04},{'xy'[k % 2]}" for k in range(30))],
        "one.csv": ["a,kind", "1.5,x", "2.5,x", "3.5,x"],
        "empty.csv": [],
        "locked.csv": ["a,kind", *good],
        "broken.json": ['{"schema_version": 1}'],
    }
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "junk.csv").write_bytes(np.random.default_rng(0).bytes(3000))
    (folder / "folder").mkdir()
    (folder / "locked.csv").chmod(0)
    yield folder
    (folder / "locked.csv").chmod(stat.S_IRUSR | stat.S_IWUSR)


NO_TARGET = "Invalid value for '--target': '{}' is not between 0 and 100 %: expected a value above 0 up to 100%."
NO_TARGETS = ("150%", "-1", "-1%", "nan", "nan%", "inf")
NO_GATE = "--strict needs a gate to be strict about, such as --target 95% or --max-error 5%."
NO_BASELINE = "no baseline 'no.json'. Make it first: bayesfloor check ... --json no.json"
NO_SIZES = "--pca 3 is not a list of sizes. Expected numbers from 1 to 1, such as --pca 2,5."
NO_NUMBERS = "column 'text' contains text, but --pca needs numbers. Leave it out: --drop text"
NO_NUMBER = "Invalid value for '--target': '{}' is not a percentage or a fraction. Write 98% or 0.98."
NO_RISE = "--max-error-rise needs --baseline, the --json file of an earlier check."
NO_ACCEPT = "--accept needs --baseline, the --json file of an earlier check."
NO_ROLE = ": expected COLUMN=ROLE, such as zip=category. Roles: number, category, code, date, text, id, group."
NO_SHARES = ": expected CLASS=P, such as no=0.9,yes=0.1."
NO_TABLE = ": unsupported file type. Expected a name that ends in .csv or .jsonl or .parquet."
MEANT = {"0.95%": "95%", ".5%": "50%", "1_0%": "10%", "0.0_5": "0.05", "0,95": "0.95", "\uff19\uff15%": "95%"}
GATES = ("--target", "--max-error", "--max-pair-error", "--max-class-error", "--max-error-rise")

# Each command, and its last line: of wrong usage after "Error: ", of data in the only line after "error: ". A typing
# error in a job must not look like a failed gate, and a traceback would be the end of many a first contact.
USAGE = {
    "chekc good.csv": "No such command 'chekc'",
    "check": "Missing argument 'FILE'",
    "check good.csv --tarhet 98%": "No such option '--tarhet'",
    "tree good.csv -y kind --format svg": "Invalid value for '--format': 'svg' is not one of 'text', 'json'",
    "samples good.csv -y kind --max-rows 300": "No such option '--max-rows'",  # all rows are scored
    # Without a baseline, or a gate, the build would stay green for ever.
    "check good.csv -y kind --max-error-rise 0%": NO_RISE,
    "check good.csv -y kind --max-error-rise 1%": NO_RISE,
    "check good.csv -y kind --strict": NO_GATE,
    # 98 may be 98 % or a typing error for 0.98: a gate on the wrong one would let all pass.
    **{f"check good.csv {gate} 98": f"'{gate}': Write {gate} 98% or {gate} 0.98." for gate in GATES},
    **{f"check good.csv {gate} 1": f"'{gate}': Write {gate} 1% or {gate} 0.01." for gate in GATES},
    **{f"check good.csv --target {text}": NO_TARGET.format(text) for text in NO_TARGETS},
    # Python reads more as numbers than people mean.
    **{f"check good.csv --target {text}": f"Did you mean {meant}?" for text, meant in MEANT.items()},
    "check good.csv --target 1e-9%": "'1e-9%' is not a percentage or a fraction. Write 98% or 0.98.",
    "check good.csv --max-unlabelled 1_0%": "Did you mean 10%?",
    "check good.csv --max-unlabelled 10": "'--max-unlabelled': Write --max-unlabelled 10% or --max-unlabelled 0.1.",
    "check good.csv --min-rows 1_0": "'1_0' is not a whole number. Write digits only, such as 1000.",
    "check good.csv --min-rows 0": "Invalid value for '--min-rows': 0 is not in the range x>=1.",
    "check good.csv --fail-on BF14": "Invalid value for '--fail-on': 'BF14' is not one of ",
    "check good.csv --fail-on BF305": "Invalid value for '--fail-on': 'BF305' is not one of ",
    "check good.csv --accept BF305 --baseline b.json": "'BF305' is not one of 'BF306', 'BF307', 'BF308', ",
    "check good.csv -y kind --accept BF306": NO_ACCEPT,
    "check good.csv --duplicates both": "Invalid value for '--duplicates': 'both' is not one of 'cases', 'copies'",
    **{f"check good.csv --target {text}": NO_NUMBER.format(text) for text in ("much", "")},
    "check good.csv -y kind --json - --markdown -": "Only one of --json and --markdown can go to stdout.",
    "report good.csv -y kind -o -": "The report needs a file: -o report.html.",
    "check good.csv -y kind --save-model -": "The model needs a file: --save-model model.joblib.",
    "compare good.csv -y kind": "One file is not enough to compare. Add another file, or --pca 10,20.",
    "compare good.csv good.csv -y kind": "A file is given twice. Pass each file once.",
    "compare good.csv texts.csv -y kind --pca 2": "--pca works with one file only. Leave it out, or pass one file.",
}
DATA = {
    "check good.csv": "which column is the label? Use -y. Candidates with few values: kind (2)",
    "tree good.csv -y kinds": "no column 'kinds'. Did you mean 'kind'?",
    "samples god.csv -y kind": "no file 'god.csv'. Did you mean 'good.csv'?",
    "tree infinite.csv -y kind": "a: infinite in 1 row",
    "tree ids.csv -y kind": "a left out: nearly every row has its own value",
    "tree one.csv -y kind": "column 'kind' has only one value",
    "tree empty.csv -y kind": "empty.csv is empty.",
    "report folder -y kind": "folder 'folder' has no Parquet, Arrow or CSV files.",
    "tree junk.csv -y kind": "junk.csv ",
    # A job must tell worse data from a lost file.
    "check good.csv -y kind --baseline no.json": NO_BASELINE,
    "check good.csv -y kind --baseline broken.json": "broken.json cannot be used as a baseline: Got schema_version 1",
    "check texts.csv -y kind --predictions kind": "column 'kind' is given as -y and as --predictions.",
    "check texts.csv -y kind --predictions txt": "no column 'txt'. Did you mean 'text'?",
    "check texts.csv -y kind --predictions text": "predicts 'u', which is not one of the labels: 'x', 'y'.",
    # A typing error would leave the column as it was, in silence.
    "check texts.csv -y kind --as txt=id": "no column 'txt'. Did you mean 'text'?",
    "check texts.csv -y kind --as kind=category": "no column 'kind'.",
    "check texts.csv -y kind --as text=numbr": f"--as 'text=numbr'{NO_ROLE}",
    "check texts.csv -y kind --as text=ordered": f"--as 'text=ordered'{NO_ROLE}",
    "check texts.csv -y kind --as text": f"--as 'text'{NO_ROLE}",
    "check texts.csv -y kind --as text=number": "(text: it has values that are not numbers, such as",
    "check good.csv -y kind --priors 0.5,0.5": f"--priors '0.5'{NO_SHARES}",
    "check good.csv -y kind --priors x=half": f"--priors 'x=half'{NO_SHARES}",
    "check good.csv -y kind --priors x=1,y=1 --balanced": "Got both --balanced and --priors",
    "check good.csv -y kind --priors x=1,z=1": "Got priors for ['x', 'z'], but expected one for each of ['x', 'y'].",
    # Told before any work, even before the data are missed.
    "report nothing.csv -y kind -o no/page.html": "There is no folder no. Create it first.",
    "samples nothing.csv -y kind -o rows.txt": f"rows.txt{NO_TABLE}",
    "features nothing.csv -y kind -o steps.txt": f"steps.txt{NO_TABLE}",
    "features texts.csv -y kind --most 9": "expected 'auto' or a number from 1 to 2.",
    "compare good.csv -y kind --pca 3": NO_SIZES,
    "compare good.csv short.csv -y kind": "short.csv has 29 rows, but good.csv has 30. Expected the same rows.",
    "compare good.csv other.csv -y kind": "row 1 has the label 'z' in other.csv, but 'x' in good.csv.",
    "compare texts.csv -y kind --pca 1": NO_NUMBERS,
    "explain guess": "unknown term 'guess'. Did you mean: guessing?",
    "explain \x1b[31mred\nline": r"unknown term '\x1b[31mred\nline'.",
}


@pytest.mark.parametrize("words", [*USAGE, *DATA], ids=ascii)
def test_what_cannot_be_done_ends_with_two_and_a_line_that_says_what_to_do(run, folder, words):
    """On stderr, with nothing on stdout, and without a file that was not there."""
    before = sorted(folder.iterdir())
    ended = run(*words.split(" "), cwd=folder)
    *others, last = ended.stderr.splitlines()

    assert (ended.code, ended.stdout) == (2, "")
    assert last.startswith("Error: " if words in USAGE else "error: ")
    assert {**USAGE, **DATA}[words] in last
    assert [line.split()[0] for line in others if line] == (["Usage:", "Try"] if words in USAGE else [])
    assert "roles=" not in last  # what only Python understands
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told_in_one_line(run, folder):
    """Shared folders have such files."""
    ended = run("tree", "locked.csv", "-y", "kind", cwd=folder)

    assert (ended.code, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)
    assert "ermission" in ended.stderr


@pytest.mark.parametrize("gate", ["--target", "--max-error", "--max-pair-error", "--max-class-error", "--baseline"])
def test_each_gate_can_be_strict(run, tmp_path, gate):
    """Whatever the gate, only the missing file stops the check."""
    ended = run("check", "none.csv", "-y", "label", gate, "30%", "--strict", cwd=tmp_path)

    assert ended.code == 2
    assert "--strict" not in ended.stderr


READ_AND_WRITTEN = [
    "samples good.csv -y label -o good.csv",
    "samples good.csv -y label -o again.csv",
    "samples parts -y label -o parts/one.csv",
    "check good.csv -y label --json good.csv",
    "check good.csv -y label --markdown ./good.csv",
    "check good.csv -y label --save-model good.csv",
    "report good.csv -y label -o good.csv",
    "features good.csv -y label -o good.csv",
    "compare good.csv again.csv -y label --json good.csv",
    "compare parts/one.csv again.csv -y label --json parts/one.csv",
]


@pytest.mark.parametrize("words", READ_AND_WRITTEN)
def test_a_file_that_is_read_is_never_written(run, files, tmp_path, words):
    """It is gone otherwise, and nobody is told; a link is the same file."""
    text = (files / "easy.csv").read_text("utf-8")
    (tmp_path / "parts").mkdir()
    for name in ("good.csv", "parts/one.csv"):
        (tmp_path / name).write_text(text, "utf-8")
    os.link(tmp_path / "good.csv", tmp_path / "again.csv")
    ended = run(*words.split(), cwd=tmp_path)

    assert ended.code == 2
    assert "is an input of this command, and the output would overwrite it. Choose another file name." in ended.stderr
    assert [path.read_text("utf-8") for path in tmp_path.rglob("*.csv")] == [text] * 3


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
    assert ended.stderr == 'bayesfloor: click not installed. Run: python -m pip install "bayesfloor[cli]"\n'


@pytest.mark.usefixtures("real_race")
def test_all_ways_to_start_end_and_say_and_write_the_same(run, process, files, tmp_path):
    """Tests in one process are fast, and worth something only if users, who start others, would see the same.

    Where scripts are not on the path, ``python -m`` is the way in.
    """
    asked = ("check", "-", "-y", "label", "--target", "100%", "--strict", "--effort", "quick", "--json", "now.json")
    given, found = (files / "easy.csv").read_bytes(), []
    for name, way, how in (
        ("here", run, {}),
        ("there", process, {}),
        ("module", process, {"start": [sys.executable, "-m", "bayesfloor"]}),
    ):
        (tmp_path / name).mkdir()
        ended = way(*asked, cwd=tmp_path / name, given=given, FORCE_COLOR="1", **how)
        found.append((ended, {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}))

    assert found[0][0].code == 1
    assert found[0] == found[1] == found[2]


def test_a_command_leaves_this_process_as_it_was(run, files, tmp_path):
    """Else a test would depend on those before it."""

    def state():
        loggers = [logging.root, logging.getLogger("bayesfloor.decide")]
        streams = (sys.argv, sys.stdin, sys.stdout, sys.stderr)
        told = (warnings.filters[:], warnings.showwarning, [(logger.handlers[:], logger.level) for logger in loggers])
        return dict(os.environ), Path.cwd(), streams, told

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


@pytest.mark.usefixtures("real_race")
@pytest.mark.slow
def test_the_demo_needs_no_file_and_writes_its_report_only_where_asked(run, tmp_path):
    """The first command of a new user must work without anything of theirs, and leave nothing lying around."""
    pytest.importorskip("PIL")
    ended = run("demo", "-o", "digits.html", cwd=tmp_path)
    page = (tmp_path / "digits.html").read_text("utf-8")

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("98 % accuracy is reachable")
    assert "\ndigits · 1,797 rows · 64 features · 10 classes" in ended.stdout
    assert ended.stdout.endswith("\ndigits.html\n")
    assert [path.name for path in tmp_path.iterdir()] == ["digits.html"]
    assert page.rstrip().endswith("</html>")
    assert "data:image/png;base64," in page
