"""A million rows: it ends, says how many rows it took, and shows how far it is."""

import json
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow

N = 1_000_000


@pytest.fixture(scope="module")
def run(process):
    """The command in a process of its own: the memory is the subject."""
    return process


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """A folder with a million rows of ten features, as Parquet and as CSV; gone when the tests are done."""
    folder = tmp_path_factory.mktemp("million")
    rng = np.random.default_rng(0)
    codes = np.arange(N) % 2
    columns = {f"x{k}": np.round(rng.normal(size=N) + 2 * codes * (k == 0), 4) for k in range(10)}
    table = pa.table({**columns, "label": np.array(["cat", "dog"])[codes]})
    pq.write_table(table, folder / "rows.parquet")
    pacsv.write_csv(table, folder / "rows.csv")
    yield folder
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.slow(nightly=True)
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_a_million_rows_of_parquet_are_drawn_from_and_shown_to_move(run, million):
    """The answer must not depend on patience: so many rows as are needed, and a bar until then."""
    ended = run.in_terminal("check", "rows.parquet", "-y", "label", cwd=million)
    before, _, after = ended.stdout.partition("rows.parquet · ")

    assert ended.code == 0
    assert re.match(r"[\d,]+ of 1,000,000 rows", after)
    assert "BF206" in after
    assert "━" in before
    assert ended.peak < 2 << 30


@pytest.mark.slow(nightly=True)
def test_a_million_rows_of_csv_are_read_and_so_many_used_as_asked(run, million):
    """Reading must not be what a quick look waits for."""
    ended = run("check", "rows.csv", "-y", "label", "--rows", "2000", "--json", "-", cwd=million)
    facts = json.loads(ended.stdout)["facts"]

    assert (ended.code, ended.stderr) == (0, "")
    assert (facts["n_rows"], facts["n_used"], facts["n_classes"]) == (N, 2000, 2)
