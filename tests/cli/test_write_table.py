"""Tables that are opened in spreadsheets: what came in as text stays text."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bayesfloor.cli._decide import write_table

FORMULAS = [
    "=1+1",
    '=HYPERLINK("http://evil","x")',
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "-",
    "+",
    "=",
    "@",
]
FORMULAS += ["\uff1d1+1", "-cmd|' /C calc'!A0", "--1"]
PLAIN = ["-1", "+1", "-1.5e3", "+.5", "-inf", "a=1", "1-1", "", " ", "'=1", 'say "hi"', -1, 2.5, None, True]


def read_cells(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return [row[1] for row in csv.reader(stream)][1:]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_written_as_text(tmp_path, text):
    """A quote before it is what OWASP advises."""
    write_table(str(tmp_path / "a.csv"), {"n": [1], "label": [text]})

    assert read_cells(tmp_path / "a.csv") == [f"'{text}"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_kept_where_asked(tmp_path, text):
    """A program reads the file, not a spreadsheet."""
    write_table(str(tmp_path / "a.csv"), {"n": [1], "label": [text]}, keep_formulas=True)

    assert read_cells(tmp_path / "a.csv") == [text]


def test_numbers_and_other_texts_stay(tmp_path):
    """Labels -1 and +1 are numbers, whatever they start with."""
    write_table(str(tmp_path / "a.csv"), {"n": list(range(len(PLAIN))), "label": PLAIN})

    assert read_cells(tmp_path / "a.csv") == ["" if value is None else str(value) for value in PLAIN]


def test_names_of_columns_are_cells_too_and_other_formats_have_types(tmp_path):
    """They stand in the first line; no program runs a text of a format with types."""
    write_table(str(tmp_path / "a.csv"), {"=1+1": [1]})

    assert (tmp_path / "a.csv").read_text("utf-8").splitlines() == ["'=1+1", "1"]

    write_table(str(tmp_path / "a.parquet"), {"label": FORMULAS})

    assert pq.read_table(tmp_path / "a.parquet").column("label").to_pylist() == FORMULAS


@pytest.fixture(name="hostile_table", scope="module")
def write_hostile_table(tmp_path_factory):
    """Write rows whose labels, ids and columns are formulas; some labels are wrong."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("hostile") / "rows.csv"
    y = np.arange(200) % 2
    x = rng.normal(size=(200, 2)) + 8 * y[:, None]
    y[:6] = 1 - y[:6]
    labels = np.array(["=1+1", "-1"])[y]
    pacsv.write_csv(
        pa.table({"=u": x[:, 0], "@v": x[:, 1], "id": [f"+{k}+" for k in range(200)], "label": labels}), path
    )
    return path


@pytest.mark.parametrize("more", [(), ("--keep-formulas",)])
def test_every_verb_that_writes_a_table(run, hostile_table, tmp_path, more):
    mark = "" if more else "'"
    rows, features = tmp_path / "rows.csv", tmp_path / "features.csv"
    run("samples", hostile_table, "-y", "label", "--id", "id", "-o", rows, *more)
    run("features", hostile_table, "-y", "label", "--drop", "id", "--most", "2", "-o", features, *more)
    with rows.open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    named = features.read_text("utf-8")

    assert {row["label"] for row in found} == {f"{mark}=1+1", "-1"}
    assert all(row["id"].startswith(f"{mark}+") for row in found)
    assert f"\n{mark}=u," in named
    assert f"\n{mark}@v," in named
