"""``rows=``: how many rows learners see, and what more of them brought."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_iris

from bayesfloor import Check, check
from bayesfloor.answer import AllRows, Point, Stopped
from bayesfloor.summary._figures import answer_figures
from bayesfloor.summary._more_rows import all_rows_text
from bayesfloor.support._errors import InputError, MissingPackageError

N = 125_000


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Rows of two columns that matter; the error of 15 % needs no more than some thousand of them."""
    rng = np.random.default_rng(5)
    X = rng.random((N, 3), dtype=np.float32)
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)) ^ (rng.random(N) < 0.15)
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    columns = {f"x{at}": column for at, column in enumerate(X.T)}
    pq.write_table(pa.table({**columns, "y": np.where(y, "yes", "no")}), path, row_group_size=20_000)
    return path


@pytest.mark.parametrize("rows", ["most", 0, -5, 2.5, True, None, [100]])
def test_rows_are_a_word_or_a_number(rows):
    with pytest.raises(InputError, match="expected 'auto', 'all' or a number of rows, such as 1_000_000"):
        check(*load_iris(return_X_y=True), rows=rows)


def test_few_rows_are_checked_as_ever():
    one, two = (check(*load_iris(return_X_y=True), rows=rows, effort="quick") for rows in ("auto", "all"))

    assert one.all_rows is None
    assert two.all_rows is None
    assert one.to_json() == two.to_json()


def test_the_line_says_what_rows_brought_and_what_more_would_cost():
    points = (Point(50_000, "boosting", 0.243, 0.24, 0.25), Point(1_000_000, "boosting", 0.176, 0.175, 0.177))
    more = {"gain": 0.011, "seconds": 253.0, "next_rows": 5_000_000}
    found = AllRows(points, (), (0.215, np.nan, 0.25), 0.241, 40_000, 6e6, 1_000_000, Stopped.NO_GAIN, **more)
    answer = check(*load_iris(return_X_y=True), effort="quick").answer

    assert all_rows_text(found, answer) == (
        "bring 6.5 points: 24.1 % from 40,000 rows, 17.6 % from 1,000,000; 5,000,000 would bring about 1.1 points more "
        "in about 250 CPU seconds"
    )


@pytest.mark.slow
def test_without_lightgbm_auto_says_how_to_use_all_rows(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    found = check(table, "y", effort="quick")

    assert found.all_rows is None
    assert 'learners saw at most 50,000 of 125,000 rows; for all rows: pip install "bayesfloor[large]"' in str(
        found.prepared
    )
    with pytest.raises(MissingPackageError, match=r'need LightGBM: pip install "bayesfloor\[large\]"'):
        check(table, "y", rows="all")


@pytest.mark.slow
def test_all_rows_of_a_table_are_checked_and_finished_points_kept(table, tmp_path):
    read = []

    def tell(stage, done, total):
        read.append((stage, done, total))

    found = check(table, "y", rows="all", effort="quick", resume=str(tmp_path / "points"), progress=tell)
    line = next(figure for figure in answer_figures(found) if figure[0] == "all rows")[1]

    assert found.all_rows.stopped is Stopped.ALL
    assert found.all_rows.n_rows == N
    assert abs(found.all_rows.best.loss - 0.15) < 0.01
    assert abs(found.answer.estimate - 0.15) < 0.015
    assert "from" in line
    assert {"boosting on 12,500 rows", "network on 12,500 rows"} <= {stage for stage, _, _ in read}
    assert len(list((tmp_path / "points").iterdir())) == 2 * len({p.n_rows for p in found.all_rows.points})
    assert set(found.pairs.classes) == {"no", "yes"}
    again = Check.from_json(found.to_json())
    assert again.all_rows.to_dict() == found.all_rows.to_dict()
    given = json.loads(found.to_json())
    given["all_rows"]["n_used"] = 5
    with pytest.raises(InputError, match="the numbers of all rows make no sense"):
        Check.from_json(json.dumps(given))
    model = found.best_model()
    import pandas as pd

    few = pd.read_parquet(table).iloc[:5000]
    assert model.fit(few, few["y"]).score(few.drop(columns="y"), few["y"]) > 0.8
