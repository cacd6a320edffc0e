"""``bayesfloor samples``: the rows to look at, as a table or a file."""

import csv
import json

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def listed(run, mislabelled):
    return run("samples", mislabelled, "-y", "label", "--id", "name", "--most", "5")


@pytest.fixture(scope="module")
def written(run, mislabelled, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    paths = {".csv": folder / "rows.csv", ".parquet": folder / "rows.parquet", ".jsonl": folder / "rows.jsonl"}
    asked = ("samples", mislabelled, "-y", "label", "--id", "name")
    threads = {".csv": (), ".parquet": ("-j", "2"), ".jsonl": ()}
    return {kind: (run(*asked, *threads[kind], "-o", path), path) for kind, path in paths.items()}


def read_rows(written):
    with written[".csv"][1].open(encoding="utf-8", newline="") as stream:
        rows = {".csv": list(csv.DictReader(stream))}
    rows[".parquet"] = pq.read_table(written[".parquet"][1]).to_pylist()
    rows[".jsonl"] = [json.loads(line) for line in written[".jsonl"][1].read_text("utf-8").splitlines()]
    return {kind: [{name: str(value) for name, value in row.items()} for row in found] for kind, found in rows.items()}


def test_wrong_labels_are_listed_with_the_right_ones(written, wrong):
    """The verb is there for nothing else; rows with few edges may stay unseen, so more than half is asked for."""
    found = {row["id"]: row for row in read_rows(written)[".jsonl"]}
    animals = ["cat", "dog", "hen"]

    listed = [k for k in wrong if f"name-{k}" in found]

    assert len(listed) > 0.5 * len(wrong)
    assert len(found) <= len(listed) + 0.1 * len(wrong)
    assert all(found[f"name-{k}"]["suggested_label"] == animals[k // 300] for k in listed)
    assert all(found[f"name-{k}"]["label"] == animals[(k // 300 + 1) % 3] for k in listed)


def test_all_kinds_of_files_have_the_same_rows_whatever_the_threads(written):
    """One goes into a spreadsheet, one into a program, one into a labelling tool."""
    rows = read_rows(written)

    assert rows[".csv"] == rows[".parquet"] == rows[".jsonl"]
    for ended, path in written.values():
        assert (ended.code, ended.stderr) == (0, "")
        assert ended.stdout == f"{len(rows['.csv'])} rows in {path}\n"


def test_the_oddest_rows_are_shown_by_their_ids_and_the_rest_is_counted(listed, written):
    """A terminal shows the first; the reader must know that there are more, and how to get them."""
    first, head, *rows, more = listed.stdout.splitlines()
    found = read_rows(written)[".csv"]

    assert (listed.code, listed.stderr) == (0, "")
    assert first.startswith(f"{len(found)} of 900 labels disagree with their neighbours")
    assert head.split()[:2] == ["id", "label"]
    assert [line.split()[:3] for line in rows] == [
        [row["id"], row["label"], row["suggested_label"]] for row in found[:5]
    ]
    assert more.startswith(f"{len(found) - 5} more")


def test_a_list_of_row_numbers_tells_how_to_see_names(run, mislabelled, listed, tmp_path):
    """A row number is hard to find in a spreadsheet; but an array has no names to offer."""
    table = pc.read_csv(mislabelled)
    X = np.column_stack([table[name] for name in table.column_names if name not in ("label", "name")])
    np.savez(tmp_path / "odd.npz", X=X, y=table["label"].to_pylist())
    hint = "names instead of row numbers: --id COLUMN"

    by_number = run("samples", mislabelled, "-y", "label", "--drop", "name", "--most", "5").stdout.splitlines()
    of_array = run("samples", tmp_path / "odd.npz", "--most", "5").stdout.splitlines()

    assert by_number[-1] == hint
    assert by_number[:-1] == of_array
    assert hint not in listed.stdout


def test_so_many_rows_are_written_as_were_asked_for_and_none_is_an_answer(run, mislabelled, tmp_path, files):
    """The default number means what any other does; here the classes are eight standard deviations apart."""
    path = tmp_path / "rows.csv"
    run("samples", mislabelled, "-y", "label", "--drop", "name", "--most", "50", "-o", path)

    assert len(path.read_text("utf-8").splitlines()) == 51

    ended = run("samples", "easy.parquet", "-y", "label", "--scale", "none", cwd=files)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == "None of 150 labels disagrees with its neighbours\n"
