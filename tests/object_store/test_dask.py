"""Dask workers open an address themselves: they share no folder with the driver or with each other."""

import os

import numpy as np
import pytest

import bayesfloor
from bayesfloor.cli._commands import run
from bayesfloor.leaving.engine_runners import ON_THIS_MACHINE

EDGES = ("a", "b", "length", "tree", "vertex")


@pytest.fixture(scope="module")
def client(there, tmp_path_factory):  # noqa: ARG001 - workers inherit the environment that leads to the server
    """Two worker processes in empty folders of their own."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **ON_THIS_MACHINE) as cluster,
        distributed.Client(cluster) as client,
    ):
        places = [str(tmp_path_factory.mktemp(f"host{i}")) for i in range(2)]
        for worker, place in zip(client.nthreads(), places, strict=True):
            client.run(os.chdir, place, workers=[worker])
        yield client


@pytest.mark.parametrize("name", ["many_parquet", "x.npy"])
def test_workers_find_the_edges_of_local_files(client, here, there, name):
    """The forest in blocks, by workers that know only the address."""
    columns = {"many_parquet": ["x0", "x1", "x2", "x3"], "x.npy": None}[name]
    near, far = (bayesfloor.io.open_rows(f"{place}/{name}", columns) for place in (here, there))
    one = bayesfloor.spanning_forest(near)
    two = bayesfloor.spanning_forest(far, client=client, block_rows=120)

    assert all(np.array_equal(getattr(one, part), getattr(two, part)) for part in EDGES)


@pytest.mark.parametrize("target_width", [None, 0.01])
def test_workers_give_the_floor_of_local_files(client, here, there, target_width):
    """Labels are a column at the same address."""
    one, two = (
        bayesfloor.BayesFloor(target_width=target_width).fit(f"{place}/many_parquet", "label", client=client)
        for place in (here, there)
    )

    assert one.overall_.to_dict() == two.overall_.to_dict()


def test_workers_read_few_bytes_for_a_sample(client, there, monkeypatch):
    """Each task reads the rows of one row group, and the result says how much was read."""
    monkeypatch.setattr("bayesfloor.leaving.floor_all_rows._pool_size", lambda *_, **__: 300)
    with pytest.warns(bayesfloor.floor.SampledRowsWarning, match="only a sample is read"):
        floor = bayesfloor.BayesFloor(max_rows=300).fit(f"{there}/many_parquet", "label", client=client)
    sample = floor.fitted_.sample

    assert sample.features.notes[0].startswith("read ")
    assert sample.n_input == 450
    assert 250 <= len(sample) <= 300


def test_the_command_sends_the_address_to_a_cluster(client, there, capsys):
    """And a checkpoint there is refused before anything is read."""
    words = ["check", f"{there}/many_parquet", "-y", "label", "--effort", "quick", "--engine", "dask"]
    words += ["--scheduler", client.scheduler.address]

    assert run(words) == 0
    assert "At best about" in capsys.readouterr().out
    assert run([*words, "--checkpoint", f"{there}/run"]) == 2
    assert "--checkpoint run" in capsys.readouterr().err
