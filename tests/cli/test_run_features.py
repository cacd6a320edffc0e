"""``bayesfloor features``: which columns lower the floor, as a table or a file."""

import csv
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow

HOSTILE = ["<b>bold</b>", "\x1b[31mred", "two\nlines", "=1+1", "w" * 200, "漢字", "a,b"]


@pytest.fixture(scope="module")
def rows():
    """Three classes that need two columns, beside six of noise: X, labels."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 150)
    X = rng.normal(size=(len(codes), 8))
    X[:, 2] += 6 * (codes == 1)
    X[:, 5] += 6 * (codes == 2)
    return X, np.array(["cat", "dog", "hen"])[codes]


@pytest.fixture(scope="module")
def two_help(tmp_path_factory, write, rows):
    return write(tmp_path_factory.mktemp("features") / "two.csv", *rows)


@pytest.fixture(scope="module")
def shown(run, two_help):
    return run("features", two_help, "-y", "label")


def test_the_path_is_a_table_with_edges_gains_and_the_set_that_is_enough(shown):
    told, head, first, second, *notes = shown.stdout.splitlines()

    assert (shown.code, shown.stderr) == (0, "")
    assert re.match(r"2 of 8 features lose nothing measurable on \d+ held-out rows: ", told)
    assert head.split()[:3] == ["feature", "added", "kept"]
    assert {first.split()[0], second.split()[0]} == {"x2", "x5"}
    assert (first.split()[1], second.split()[1]) == ("1", "2")
    assert re.search(r" \d+\.\d+ % +\+\d+\.\d +\+\d+\.\d to \+\d+\.\d", first)
    assert any("optimistic" in note for note in notes)
    assert any(re.match(r"On 11[123] held-out rows: ", note) for note in notes)


def test_json_and_tables_hold_what_is_printed(run, two_help, tmp_path):
    ended = run("features", two_help, "-y", "label", "-o", tmp_path / "steps.csv", "--json", tmp_path / "steps.json")
    given = json.loads((tmp_path / "steps.json").read_text("utf-8"))
    with (tmp_path / "steps.csv").open(encoding="utf-8", newline="") as stream:
        steps = list(csv.DictReader(stream))

    assert (ended.code, ended.stdout, ended.stderr) == (0, f"{tmp_path / 'steps.csv'}\n", "")
    assert [step["added"] for step in steps] == given["added"]
    assert [float(step["upper"]) for step in steps] == given["upper"]
    assert given["holdout"]["n_rows"] > 100


def test_options_reach_the_selection(run, two_help):
    which = ("-x", "x[1-5]", "--most", "4", "--holdout", "0%")
    ended = run("features", two_help, "-y", "label", *which, "--trees", "1", "--max-rows", "101", "--json", "-")
    given = json.loads(ended.stdout)

    assert ended.code == 0
    assert ended.stderr == "subsampled: 102 of 450 rows; --max-rows 0 uses all\n"
    assert given["n_features"][-1] == 4
    assert (given["holdout"], given["n_rows"]) == (None, 102)
    assert not given["shown"][-1]


def test_wide_files_are_told_what_they_cost_before(run, tmp_path):
    """Nobody should wait for hours without having been told."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "wide.npz", X=rng.normal(size=(60, 400)), y=np.arange(60) % 2)
    ended = run("features", "wide.npz", "--most", "1", cwd=tmp_path)

    assert ended.code == 0
    assert ended.stderr == "each step tries 400 features, which may take about 3 seconds\n"


def test_hostile_names_of_columns_cannot_act_on_the_terminal_and_are_written_as_they_are(run, rows, tmp_path):
    """Names come from others, too; a file has them unchanged, a terminal in a harmless form."""
    X, y = rows
    table = pa.table({**{name: X[:, k + 1] for k, name in enumerate(HOSTILE)}, "label": y})
    pq.write_table(table, tmp_path / "bad.parquet")
    shown = run("features", "bad.parquet", "-y", "label", "--most", "7", cwd=tmp_path)
    more = ("--most", "7", "-o", "all.jsonl", "--json", "-")
    printed = run("features", "bad.parquet", "-y", "label", *more, cwd=tmp_path)
    written = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]

    assert (shown.code, printed.code, shown.stderr, printed.stderr) == (0, 0, "", "")
    assert "\x1b" not in shown.stdout + printed.stdout
    assert set(json.loads(printed.stdout)["added"]) == set(HOSTILE)
    assert len(shown.stdout.splitlines()) == 2 + 1 + 7 + 4
    assert {row["added"] for row in written} == set(HOSTILE)
