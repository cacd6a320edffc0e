"""``bayesfloor check FOLDER --engine dask``: data that stay where they are, and one line for whatever is wrong."""

import functools
import gc
import json
import shlex
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bayesfloor import BayesFloor
from bayesfloor.cli import _terminal as _errors
from bayesfloor.cli._options import Settings, read
from bayesfloor.floor import SampledRowsWarning
from bayesfloor.io import _find_file, open_data
from bayesfloor.io import _open_data as _data
from bayesfloor.leaving import cli_large_data as _large_data
from bayesfloor.leaving.engine_labelled_rows import open_labelled
from bayesfloor.support._tasks import WorkerDiedError

N = 300
LARGE = 51_000  # rows, of which 50,000 are drawn
NAMES = np.array(["cat", "dog"])


def is_one_error(ended):
    """Whether a command ended with one line, and nothing but that."""
    lines = ended.stderr.splitlines()
    return ended.code == 2 and not ended.stdout and len(lines) == 1 and lines[0].startswith("error: ")


def write_parts(folder, table, n_parts=3):
    """A folder of Parquet files."""
    folder.mkdir()
    for part in range(n_parts):
        start, stop = (k * len(table) // n_parts for k in (part, part + 1))
        pq.write_table(table.slice(start, stop - start), folder / f"part-{part}.parquet", row_group_size=20_000)
    return folder


def make_columns(n):
    """Two overlapping classes: features, a vector of these, a text and the label."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, n)
    X = np.round(rng.normal(size=(n, 3)) + 2 * codes[:, None] * [1, 0, 0], 4)
    columns = {f"x{k}": X[:, k] for k in range(3)}
    return {**columns, "vector": X[:, :2].tolist(), "note": [f"n{k % 5}" for k in range(n)], "label": NAMES[codes]}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder of folders, good ones and broken ones."""
    folder, columns = tmp_path_factory.mktemp("far"), make_columns(N)
    table = pa.table(columns)
    plain = table.drop_columns(["vector", "note"])
    write_parts(folder / "all", table)
    write_parts(folder / "plain", plain)
    gap = [None if k == 222 else value for k, value in enumerate(columns["x1"])]
    write_parts(folder / "gap", plain.set_column(1, "x1", [gap]))
    unnamed = [None if k == 111 else value for k, value in enumerate(columns["label"].tolist())]
    write_parts(folder / "unnamed", plain.set_column(3, "label", [unnamed]))
    cut = write_parts(folder / "cut", plain) / "part-1.parquet"
    cut.write_bytes(cut.read_bytes()[:-40])
    (folder / "empty").mkdir()
    (folder / "years").mkdir()
    write_parts(folder / "years" / "year=2025", plain)
    (folder / "plain.csv").write_text("x0,label\n1,a\n2,b\n", encoding="utf-8")
    X = np.column_stack([columns[f"x{k}"] for k in range(3)])
    np.save(folder / "X.npy", X)
    (folder / "names.txt").write_text("\n".join(columns["label"]) + "\n", encoding="utf-8")
    pq.write_table(plain, folder / "plain.parquet")
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """More rows than are drawn where all are used."""
    columns = make_columns(LARGE)
    table = pa.table({name: columns[name] for name in ("x0", "x1", "label")})
    return write_parts(tmp_path_factory.mktemp("large") / "parts", table)


@pytest.fixture(scope="module")
def dask(dask_client):
    """The options for a cluster that runs already."""
    return ("--engine", "dask", "--scheduler", dask_client.scheduler.address)


@pytest.fixture
def here(run, places):
    """The command among these folders."""
    return functools.partial(run, cwd=places)


def settings_for(path, **more):
    """Options as the verbs have them."""
    return Settings(**{"path": str(path), "label": "label", "scale": "auto", "trees": 3, "seed": 0, "jobs": 1, **more})


# The same answers


CHOSEN = {
    "all columns": ("plain", {}),
    "some": ("all", {"features": ("x[01]",)}),
    "some with the label": ("plain", {"features": ("x1", "l*")}),
    "without some": ("all", {"drop": ("note", "vector", "x2")}),
    "a vector": ("all", {"embedding": "vector"}),
    "an array": ("X.npy", {"label": None, "labels_file": "names.txt"}),
    "labels in a file": ("plain", {"label": None, "labels_file": "names.txt", "drop": ("label",)}),
}


@pytest.mark.parametrize("kind", CHOSEN)
def test_columns_are_those_that_reading_the_file_whole_gives(places, monkeypatch, kind):
    """Who turns to Dask for more rows must not get another question answered."""
    monkeypatch.chdir(places)
    settings = settings_for(CHOSEN[kind][0], **CHOSEN[kind][1])
    far, near = read(settings, in_place=True), read(settings)
    columns = near.X if isinstance(near.X, np.ndarray) else np.column_stack(near.native.columns)
    labels = open_labelled(far.X, far.y).read_labels()

    np.testing.assert_array_equal(far.X.read(), columns)
    assert labels.tolist() == near.y.tolist()
    assert (far.name, far.label) == (near.name, near.label)
    assert kind == "a vector" or far.feature_names == near.feature_names


def test_a_cluster_that_runs_already_gives_what_reading_the_file_whole_gives(here, dask):
    """All numbers, whoever finds them."""
    args = ("check", "plain", "-y", "label", "--max-rows", "250", "--json", "-")
    far, near = here(*args, *dask), here(*args)
    found = [json.loads(ended.stdout) for ended in (far, near)]
    prints = [each["facts"].pop("fingerprint") for each in found]

    assert far.stderr == near.stderr == ""
    assert found[0] == found[1]
    assert prints[0] != prints[1]  # of files, and of numbers


@pytest.fixture(scope="module")
def own_workers(process, large, tmp_path_factory):
    """All rows by workers that the command starts itself; and the folder of what it wrote."""
    folder = tmp_path_factory.mktemp("own")
    args = ("check", large, "-y", "label", "--scale", "none", "--engine", "dask")
    return process(*args, "--max-rows", "0", "--checkpoint", "kept", "--json", "now.json", cwd=folder), folder


@pytest.mark.nightly
@pytest.mark.dask
def test_the_command_starts_workers_of_its_own_and_says_so(own_workers):
    """Nothing to set up, and nothing of Dask's own chatter."""
    ended, folder = own_workers

    assert ended.code == 0
    assert ended.stderr == "starting two Dask workers on this machine; --scheduler ADDRESS uses a cluster\n"
    rows = "51,000 rows, subsampled to 50,000 except for the tree bounds"
    assert f"\nparts · {rows} · 2 features · 2 classes" in ended.stdout
    assert {path.name for path in folder.iterdir()} >= {"now.json", "kept"}


@pytest.mark.nightly
@pytest.mark.dask
def test_a_trait_says_what_was_subsampled_and_where_the_work_was_done(own_workers, validate):
    """Two kinds of numbers side by side need a word of explanation."""
    found = json.loads((own_workers[1] / "now.json").read_text("utf-8"))
    validate(found)
    trait = next(trait for trait in found["traits"] if trait["code"] == "BF206")

    assert found["facts"]["engine"].startswith("Dask, 2 tasks at a time")
    assert (found["facts"]["n_rows"], found["facts"]["n_used"], found["overall"]["n_rows"]) == (LARGE, 50_000, LARGE)
    assert trait["text"].startswith("tree bounds from all 51,000 rows (Dask, 2 tasks at a time")
    assert trait["text"].endswith("everything else from a subsample of 50,000")
    assert not trait["weak"]


@pytest.mark.nightly
@pytest.mark.dask
def test_commands_to_go_on_with_read_the_same_data(own_workers):
    """Without the engine the next command would read all that was too large; samples can only do that."""
    lines = [line.partition(" bayesfloor ") for line in own_workers[0].stdout.splitlines()]
    commands = [shlex.split(command) for _, found, command in lines if found]
    same = ["-y", "label", "--engine", "dask", "--checkpoint", "kept", "--max-rows", "0"]

    assert [verb for verb, *_ in commands] == ["report", "check", "explain"]
    assert (commands[0][2:], commands[1][2:]) == (same, [*same, "-v"])


@pytest.mark.nightly
def test_a_checkpoint_is_gone_on_with_by_any_verb_and_engine_until_a_file_changes(run, own_workers, large, dask):
    """The evening's check is the morning's report."""
    before = {path: path.stat().st_mtime_ns for path in own_workers[1].glob("kept/block-*")}
    args = (large, "-y", "label", "--scale", "none", "--max-rows", "0", "--checkpoint", "kept")
    report = run("report", *args, *dask, "-o", "page.html", cwd=own_workers[1])
    page = (own_workers[1] / "page.html").read_text("utf-8")
    pq.write_table(pq.read_table(large / "part-2.parquet"), large / "part-2.parquet", compression="none")
    refused = run("check", *args, cwd=own_workers[1])

    assert (report.code, report.stderr) == (0, "")
    assert before == {path: path.stat().st_mtime_ns for path in own_workers[1].glob("kept/block-*")} != {}
    assert "<dt>trees on all rows</dt><dd><code>Dask, 2 tasks at a time" in page
    assert is_one_error(refused), refused
    assert "belongs to another run, which differs in data." in refused.stderr


@pytest.mark.slow
def test_a_checkpoint_that_nothing_is_kept_in_is_told_of(here, tmp_path, places):
    """Who waits for hours must not find an empty folder; quiet is quiet."""
    args = ("check", places / "plain", "-y", "label", "--max-rows", "200")
    plain, told, quiet = here(*args), *(here(*args, "--checkpoint", tmp_path / "kept", *more) for more in ((), ("-q",)))

    assert told.stderr == "--checkpoint only helps when all rows are used: add --max-rows 0\n"
    assert (plain.code, told.code, quiet.code, quiet.stderr) == (0, 0, 0, "")
    assert told.stdout.partition("\nfull report ")[0] == plain.stdout.partition("\ncheck labels ")[0]
    assert not (tmp_path / "kept").exists()


# What is wrong


WRONG = {
    "a wrong label": (("plain", "-y", "labl"), ["'labl'", "Did you mean 'label'?"]),
    "no label": (("plain",), ["-y", "'x0'", "'label'"]),
    "a text": (("all", "-y", "label"), ["column note", "--drop"]),
    "features that are none": (("plain", "-y", "label", "-x", "z*"), ["'z*'"]),
    "none left": (("plain", "-y", "label", "--drop", "x*"), ["no columns are left"]),
    "no vector": (("plain", "-y", "label", "--embedding", "vector"), ["'vector'"]),
    "the label as vector": (("plain", "-y", "label", "--embedding", "label"), ["-y and as --embedding"]),
    "no file": (("plan.parquet", "-y", "label"), ["plan.parquet", "Did you mean 'plain.parquet'"]),
    "no files in it": (("empty", "-y", "label"), ["'empty'", "Parquet"]),
    "half a file": (("cut", "-y", "label"), ["part-1.parquet", "complete?"]),
    "folders that are columns": (("years", "-y", "label"), ["'year=2025'", "columns"]),
    "CSV": (("plain.csv", "-y", "label"), ["plain.csv", "in pieces", ".parquet"]),
    "standard input": (("-", "-y", "label"), ["standard input"]),
    "npy without labels": (("X.npy", "-y", "-1"), ["--labels-file"]),
    "npy without names": (("X.npy", "--labels-file", "names.txt", "--drop", "x1"), ["no column names"]),
    "labels that are not there": (("X.npy", "--labels-file", "gone.txt"), ["gone.txt"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_told_in_one_line_before_any_worker_is_started(here, kind):
    """As of files that are read whole, and as fast."""
    args, told = WRONG[kind]
    ended = here("check", *args, "--engine", "dask")

    assert is_one_error(ended), ended
    assert [part for part in told if part not in ended.stderr] == []
    assert "open_rows" not in ended.stderr


@pytest.mark.parametrize(("name", "told"), [("gap", "row 222 "), ("unnamed", "row 111 ")])
def test_what_workers_find_is_told_in_one_line(here, dask, name, told):
    """Their tracebacks are of no use to anybody."""
    ended = here("check", name, "-y", "label", *dask)

    assert is_one_error(ended), ended
    assert told in ended.stderr


@pytest.mark.dask
def test_what_workers_of_its_own_find_is_told_in_one_line(process, places):
    """They share the terminal, and would log what is told anyway."""
    ended = process("check", "unnamed", "-y", "label", "--engine", "dask", "-q", cwd=places)

    assert is_one_error(ended), ended


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "a://b:1", ""])
def test_a_scheduler_that_is_not_there_is_told_in_one_line(here, address, monkeypatch):
    """An address is soon mistyped, and clusters come and go."""
    monkeypatch.setattr(_large_data, "_PATIENCE", "0.5s")
    ended = here("check", "plain", "-y", "label", "--engine", "dask", "--scheduler", address)
    gc.collect()  # a failed client that Python collects while the next one starts would wait for its own lock

    assert is_one_error(ended), ended
    assert f"no Dask scheduler answers at {address}" in ended.stderr


@pytest.mark.parametrize(
    ("verb", "args", "told"),
    [
        ("check", ("--scheduler", "tcp://127.0.0.1:9"), "--scheduler needs --engine dask"),
        ("check", ("--engine", "spark"), "spark"),
        ("check", ("--engine", "dask", "--groups", "x0"), "--groups needs all rows in memory"),
        ("check", ("--checkpoint", "kept", "--id", "x0"), "--id needs all rows in memory"),
        ("check", ("--checkpoint", "kept", "--as", "x0=id"), "--as needs all rows in memory"),
        ("check", ("--engine", "dask", "--clean-labels"), "--clean-labels needs all rows in memory"),
        ("report", ("--checkpoint", "kept", "--strict-input"), "--strict-input needs all rows in memory"),
        ("report", ("--checkpoint", "kept", "--show-rows"), "--show-rows needs all rows in memory"),
        ("report", ("--engine", "dask", "--image", "x0"), "--image needs all rows in memory"),
        ("check", ("--engine", "dask", "--predictions", "x0"), "--predictions needs all rows in memory"),
        ("tree", ("--engine", "dask"), "--engine"),
        ("samples", ("--checkpoint", "kept"), "--checkpoint"),
    ],
)
def test_options_that_do_not_go_together_are_refused(here, verb, args, told):
    """What is left out in silence is taken for done."""
    ended = here(verb, "plain", "-y", "label", *args)

    assert (ended.code, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_dask_one_line_says_what_to_install(here, monkeypatch):
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = here("check", "plain", "-y", "label", "--engine", "dask")

    assert is_one_error(ended)
    assert ended.stderr == 'error: --engine dask needs Dask: pip install "bayesfloor[dask]".\n'


def test_workers_that_die_are_no_fault_of_ours(capsys):
    """Most often memory is short, which the line says."""
    assert _errors.tell(WorkerDiedError("Workers died 4 times")) == 2
    assert capsys.readouterr().err == "error: Workers died 4 times\n"


# Large files


@pytest.fixture
def everything_is_large(monkeypatch):
    """A few bytes count as many."""
    monkeypatch.setattr(_find_file, "_LARGE", 100)


@pytest.mark.usefixtures("everything_is_large")
def test_all_rows_of_large_files_are_read_in_pieces(places):
    """Nobody has to know of an option for it."""
    assert _large_data.stays_away(settings_for(places / "plain", max_rows=0))
    assert _large_data.stays_away(settings_for(places / "plain.parquet", max_rows=0))


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("all", {"max_rows": None}),
        ("plain", {"groups": "x0"}),
        ("plain", {"show_rows": True}),
        ("plain.csv", {}),
        ("-", {}),
    ],
)
def test_other_large_files_are_drawn_from(places, name, more):
    """Texts and groups work whatever the size."""
    assert not _large_data.stays_away(settings_for(places / name if name != "-" else "-", **{"max_rows": 0, **more}))


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("name", ["all", "plain", "years", "all.csv"])
def test_rows_of_a_large_table_are_drawn_and_keep_their_numbers(places, monkeypatch, name):
    """A sample has to be one of the rows that have a label, and of nothing else."""
    monkeypatch.setattr(_data, "_LEAST", 100)
    monkeypatch.setattr(_data, "POOL", 100)
    path = places / name
    if name == "all.csv":
        pacsv.write_csv(pq.read_table(places / "all").drop_columns("vector"), path)
    drawn = open_data(path, "label", drop=("year",) if name == "years" else ())
    monkeypatch.setattr(_find_file, "_LARGE", 1e9)
    whole = open_data(path, "label", drop=("year",) if name == "years" else ())

    assert (len(drawn.y), drawn.n_rows, drawn.n_unlabelled) == (100, N, 0)
    assert drawn.native.equals(whole.native.take(drawn.drawn))
    assert drawn.y.tolist() == whole.y[drawn.drawn].tolist()


@pytest.mark.slow
@pytest.mark.usefixtures("everything_is_large")
def test_a_check_of_a_large_table_says_how_many_rows_there_are(places, monkeypatch, run):
    """Rows without a label are left out of the sample and counted."""
    monkeypatch.setattr(_data, "_LEAST", 100)
    monkeypatch.setattr(_data, "POOL", 100)
    ended = run("check", "unnamed", "-y", "label", "--effort", "quick", "--json", "-", cwd=places)
    found = json.loads(ended.stdout)

    assert (found["facts"]["n_rows"], found["facts"]["n_used"]) == (N - 1, 100)
    assert "100 of 299 rows" in next(each["text"] for each in found["findings"] if each["code"] == "BF206")
    with pytest.warns(
        SampledRowsWarning, match="100 of 300 rows are used: the file is large, so only a sample of it is read"
    ):
        BayesFloor().fit(places / "unnamed", "label")


def test_small_files_are_read_whole_unless_somebody_says_otherwise(places):
    """All that can be done with rows can be done with these."""
    assert not _large_data.stays_away(settings_for(places / "plain"))
    assert _large_data.stays_away(settings_for(places / "plain", engine="dask"))
    assert _large_data.stays_away(settings_for(places / "plain", checkpoint="kept"))
