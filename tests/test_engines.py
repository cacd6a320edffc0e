"""Who runs the work makes no difference: threads, processes, Dask under joblib, Dask itself."""

from contextlib import nullcontext

import joblib
import numpy as np
import pytest

from bayesfloor import spanning_forest

pytestmark = pytest.mark.filterwarnings("ignore:About .* of the rows of all pairs of blocks")


def draw_gaussian(rng):
    """No ties, in three features."""
    return rng.standard_normal((400, 3))


def draw_lattice(rng):
    """All lengths tied; rows that are power-of-two multiples of each other tie in hash as well."""
    sides = np.stack(np.meshgrid(*[np.arange(18.0)] * 2), axis=-1).reshape(-1, 2)
    return rng.permutation(np.vstack([sides, 32 * sides[:40], sides[::7]]))


def draw_clusters(rng):
    """Many features, clusters far apart, copies."""
    X = rng.standard_normal((300, 12)) + 1e3 * rng.integers(0, 3, (300, 1))
    return X[rng.integers(0, 300, 350)]


DATASETS = {"gaussian": draw_gaussian, "lattice": draw_lattice, "clusters": draw_clusters}
SPLITS = [350, 120, 45]  # rows of a block


@pytest.fixture(scope="module", params=DATASETS)
def expected(request, global_random_seed):
    """Rows, and the forest of them in memory."""
    X = DATASETS[request.param](np.random.default_rng(global_random_seed))
    return X, spanning_forest(X, 3)


@pytest.fixture(
    params=[
        "threads",
        pytest.param("processes", marks=pytest.mark.process),
        pytest.param("Dask under joblib", marks=pytest.mark.dask),
        pytest.param("Dask", marks=pytest.mark.dask),
    ]
)
def engine(request):
    """Where to run, and what to pass: (context, options)."""
    if request.param == "threads":
        return joblib.parallel_config("threading", n_jobs=2), {}
    if request.param == "processes":
        return joblib.parallel_config("loky", n_jobs=2), {}
    client = request.getfixturevalue("dask_client")
    return (nullcontext(), {"client": client}) if request.param == "Dask" else (joblib.parallel_config("dask"), {})


@pytest.mark.slow
@pytest.mark.parametrize("block_rows", SPLITS)
def test_every_engine_finds_the_same_edges(engine, block_rows, expected):
    """However the rows are cut."""
    where, options = engine
    X, forest = expected
    with where:
        found = spanning_forest(X, 3, block_rows=block_rows, **options)

    for name in ("a", "b", "length", "tree", "vertex", "rows"):
        assert np.array_equal(getattr(found, name), getattr(forest, name)), name
    assert found.n_vertices == forest.n_vertices


def test_a_run_goes_on_elsewhere(expected, tmp_path, dask_client):
    """What one engine began, another may end: pieces do not say who made them."""
    X, forest = expected
    seen = []

    def stop(stage, done, total):
        seen.append((stage, done, total))
        if stage == "joins":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        spanning_forest(X, 3, block_rows=45, n_jobs=2, checkpoint=tmp_path / "kept", progress=stop)
    seen.clear()
    found = spanning_forest(
        X, 3, checkpoint=tmp_path / "kept", client=dask_client, progress=lambda *call: seen.append(call)
    )

    assert {stage for stage, _, _ in seen} <= {"joins", "edges"}
    for name in ("a", "b", "length", "tree", "vertex"):
        assert np.array_equal(getattr(found, name), getattr(forest, name)), name
