"""Boosting on two real worker processes gives the model that one process gives, also if a worker dies."""

import logging
import os
import signal
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.answer._big_learners import BOOSTING, Bench
from bayesfloor.io import InputError, open_data
from bayesfloor.io._all_rows import open_rows
from bayesfloor.io._features import read_any

distributed = pytest.importorskip("distributed", reason="needs Dask")
pytestmark = [pytest.mark.dask, pytest.mark.slow]
N, SIZE = 270_000, 220_000  # more training rows than stay in memory


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table with a code, gaps and rows without a label."""
    rng = np.random.default_rng(0)
    x, code = rng.normal(size=(N, 4)), rng.integers(0, 90, N)
    y = ((x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + rng.normal(size=90)[code] + rng.normal(size=N)) > 0).astype(float)
    x[rng.random(N) < 0.05, 3] = np.nan
    y[rng.random(N) < 0.02] = np.nan
    path = tmp_path_factory.mktemp("dask") / "t.parquet"
    columns = {f"x{i}": x[:, i] for i in range(4)} | {"zip code": [f"{each:05d}" for each in code]}
    pq.write_table(pa.table(columns | {"y": pa.array(y, from_pandas=True)}), path, row_group_size=40_000)
    data = open_data(str(path), "y", at_most=20_000)
    return open_rows(data, read_any(data))


@pytest.fixture
def cluster():
    """Two worker processes, which are started again if they die."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 2 * 10**9}
    with distributed.LocalCluster(**how) as made, distributed.Client(made) as client:
        yield client


def bench(rows, monkeypatch, n_trees, client=None):
    monkeypatch.setattr("bayesfloor.answer._big_learners._TREES", n_trees)
    return Bench(rows, n_jobs=1, client=client)


def test_workers_give_the_model_of_one_process(rows, cluster, monkeypatch):
    """To the last digit of every prediction, with the same number of trees."""
    alone = bench(rows, monkeypatch, 8).train(BOOSTING, SIZE)
    together = bench(rows, monkeypatch, 8, cluster).train(BOOSTING, SIZE)

    assert rows.code is not None
    assert (together.n_rows, together.n_trees, together.capped) == (alone.n_rows, alone.n_trees, alone.capped)
    assert np.allclose(together.scores, alone.scores, atol=1e-4)


@pytest.mark.parametrize("after", [0.3, 4.0])
def test_a_worker_that_dies_does_not_end_the_training(rows, cluster, monkeypatch, after):
    """Those that are left, or come back, train the same model again."""
    alone = bench(rows, monkeypatch, 30).train(BOOSTING, SIZE)
    victim = min(cluster.run(os.getpid).values())
    timer = threading.Timer(after, os.kill, (victim, signal.SIGKILL))
    timer.start()
    together = bench(rows, monkeypatch, 30, cluster).train(BOOSTING, SIZE)
    timer.join()

    assert together.n_trees == alone.n_trees
    assert np.allclose(together.scores, alone.scores, atol=1e-4)


def test_without_a_worker_there_is_one_sentence(rows, cluster, monkeypatch):
    """It says what to do."""
    cluster.retire_workers()

    with pytest.raises(InputError, match="No Dask worker is left to train on"):
        bench(rows, monkeypatch, 5, cluster).train(BOOSTING, SIZE)
