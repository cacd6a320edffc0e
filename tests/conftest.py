"""Tiers, datasets, seeds and Hypothesis profiles for all tests."""

import importlib
import logging
import os
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # before NumPy: OpenMP's threads of several workers spin for one another
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")  # it would take the other one, and tests count its threads

import hypothesis
import numpy as np
import pytest

CI = os.environ.get("CI") == "true"

# No deadlines: a shared machine stalls at times. In CI a red run must be red again when repeated.
PROFILE = os.environ.get("BAYESFLOOR_PROFILE", "ci" if CI else "dev")
hypothesis.settings.register_profile("dev", max_examples=15, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=50, deadline=None, derandomize=True)
hypothesis.settings.register_profile("nightly", max_examples=500, deadline=None)
hypothesis.settings.load_profile(PROFILE)

# A test that asks for one of these fixtures belongs to the tier that the fixture needs.
TIER_OF_FIXTURE = {
    "process": "process",
    "browser": "browser",
    "dask_client": "dask",
    "data_dir": "data",
}


@pytest.hookimpl(tryfirst=True)  # before -m picks by marker
def pytest_collection_modifyitems(items):
    """Put tests into tiers by their fixtures, and leave out what this system cannot do."""
    for item in items:
        for fixture in TIER_OF_FIXTURE.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(TIER_OF_FIXTURE[fixture])
        if os.name != "posix" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs POSIX"))


# A race of the cheapest learners does for tests of everything but races: of "normal" effort only these run.
CHEAP_RACE = {"EFFORTS": 0.3, "LEAST_BUDGET": 1.5}
REAL_RACE = {}


@pytest.fixture(scope="session", autouse=True)
def _cheap_races():
    """Races of few learners, in all tests but those marked ``real_race``."""
    from bayesfloor.learners import _registry

    with pytest.MonkeyPatch.context() as patch:
        for name, value in CHEAP_RACE.items():
            REAL_RACE[name] = getattr(_registry, name)["normal"]
            patch.setitem(getattr(_registry, name), "normal", value)
        yield


@pytest.fixture(autouse=True)
def _real_race(request, monkeypatch):
    """Races as they are for users, in tests marked ``real_race``."""
    if request.node.get_closest_marker("real_race"):
        from bayesfloor.learners import _registry

        for name, value in REAL_RACE.items():
            monkeypatch.setitem(getattr(_registry, name), "normal", value)


def _seed():
    return int(os.environ.get("BAYESFLOOR_SEED", "0"))


def pytest_report_header():
    """Show what a failure needs to be repeated."""
    return f"bayesfloor: seed {_seed()}, profile {PROFILE}, data {os.environ.get('BAYESFLOOR_DATA', 'unset')}"


@pytest.fixture(scope="session")
def global_random_seed():
    """Seed of random data. A test must pass with any: BAYESFLOOR_SEED sets it."""
    return _seed()


@pytest.fixture(scope="session")
def benchmark_module():
    """Importer of modules of ``benchmarks``, which are no part of the package: name -> module."""

    def load(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(Path(__file__).parents[1])
            return importlib.import_module(f"benchmarks.{name}")

    return load


@pytest.fixture(params=["plain", "small pairs", "large pairs"])
def way(request, monkeypatch):
    """The three ways to the forests of pairs, which the size of a set and of its pairs would choose."""
    from bayesfloor.forest import _classes, _pairs

    monkeypatch.setattr(_classes, "is_plain", lambda _: request.param == "plain")
    monkeypatch.setattr(_pairs, "SMALL", _pairs.SMALL if request.param == "small pairs" else -1)
    return request.param


@pytest.fixture(scope="session")
def data_dir():
    """Folder of datasets, from BAYESFLOOR_DATA."""
    folder = os.environ.get("BAYESFLOOR_DATA", "")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = (
        f"needs BAYESFLOOR_DATA, a folder of datasets; it is {folder or 'unset'}. "
        "To fetch them: python -m benchmarks.datasets FOLDER"
    )
    if CI or folder:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def dataset(data_dir):
    """Reader of datasets with numeric features: name -> (X in float64, class codes)."""

    def read(name):
        import pyarrow.parquet as pq

        table = pq.read_table(data_dir / f"{name}.parquet")
        features = [table.column(c).to_numpy() for c in table.column_names if c != "target"]
        _, codes = np.unique(table.column("target").to_numpy(), return_inverse=True)
        return np.column_stack(features).astype(np.float64), codes

    return read


@pytest.fixture(scope="session")
def dask_client():
    """A client of a Dask cluster on this machine: two workers of one thread and 1 GB each.

    A worker that was killed is started again. Dask would give it up if it happened to be down
    15 seconds after its last death.
    """
    dask = pytest.importorskip("dask", reason="needs Dask")
    distributed = pytest.importorskip("distributed", reason="needs Dask")
    where = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=10**9, **where) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
