"""Who runs the work makes no difference: threads, processes, or Dask under joblib."""

import os

import joblib
import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.forest import class_forests
from bayesfloor.support._tasks import run_tasks

ENGINES = {
    "processes": pytest.param("loky", marks=pytest.mark.slow),
    "Dask": pytest.param("dask", marks=pytest.mark.dask),
}


@pytest.fixture(params=ENGINES.values(), ids=ENGINES)
def engine(request):
    """Two workers in processes of their own, for all work that prefers threads."""
    if request.param == "dask":
        request.getfixturevalue("dask_client")
    with joblib.parallel_config(request.param, n_jobs=2):
        assert os.getpid() not in {*run_tasks(os.getpid, [()] * 4, n_jobs=None)}
        yield


@pytest.fixture(scope="module")
def clouds(global_random_seed):
    """Overlapping classes: enough for tasks of whole classes, and of pairs large and small."""
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat(np.arange(9), [400, 300, *[40] * 7])
    return rng.normal(size=(len(y), 3)) + y[:, None] % 3, y


@pytest.fixture(scope="module")
def alone(clouds):
    """Forests, bounds and answer of one thread."""
    return _measure(*clouds)


def _measure(X, y):
    floor = BayesFloor(random_state=0).fit(X, y)
    return class_forests(X, y), floor, floor.answer("quick")


def test_every_engine_finds_the_same_forests_and_the_same_answer(engine, clouds, alone):  # noqa: ARG001
    """Bit for bit: a cluster is there to save time, and not to change results."""
    forests, floor, answer = _measure(*clouds)

    for classes in ([0, 1], [2, 8], range(9)):
        one, two = forests.of(classes), alone[0].of(classes)
        for name in ("a", "b", "length", "tree", "vertex", "rows"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert floor.overall_.to_dict() == alone[1].overall_.to_dict()
    assert answer.to_dict() == alone[2].to_dict()
