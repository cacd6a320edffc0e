"""Values that tasks share by handles: the same answers wherever tasks run, and nothing left behind."""

import pickle
import stat
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression

from bayesfloor import BayesFloor, SmartSVM
from bayesfloor.forest import _class_forests, class_forests
from bayesfloor.forest import _class_forests as _compiled_pairs
from bayesfloor.leaving import engine_shared_arguments as _shared_arguments
from bayesfloor.leaving.engine_shared_arguments import Here, Kept, holding
from bayesfloor.support._tasks import run_tasks

BACKENDS = ["threading", "loky", "dask"]


@pytest.fixture(
    params=[
        "threading",
        pytest.param("loky", marks=pytest.mark.process),
        pytest.param("dask", marks=pytest.mark.dask),
    ]
)
def backend(request):
    """Where the user's joblib runs tasks: two at a time."""
    if request.param == "dask":
        request.getfixturevalue("dask_client")
    with parallel_config(request.param, n_jobs=2):
        yield request.param


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary files go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_in(folder):
    """What we left there; joblib and Dask have folders of their own."""
    return sorted(path.name for path in folder.glob("bayesfloor-*"))


def test_tasks_get_the_value_wherever_they_run(backend, folder):
    """The handle must not know where it is going."""
    values = np.arange(1000.0)
    with holding(None) as hold:
        held = hold(values)
        found = list(run_tasks(_sum_in_worker(), [(held, k) for k in range(5)], n_jobs=None))
        sent = len(pickle.dumps(held)) if backend != "threading" else 0

    assert found == [k * values.sum() for k in range(5)]
    assert sent < 500
    assert left_in(folder) == []


def _sum_in_worker():
    """The task as a function inside a function, which is sent as it is: workers cannot import the tests."""

    def task(held, factor):
        return factor * float(held.get().sum())

    return task


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_threads_share_the_value_itself(n_jobs, folder):
    """A copy of ten million rows for nothing is what handles are to spare."""
    value = np.zeros(3)
    with holding(n_jobs) as hold:
        held = hold(value)
        before = left_in(folder)

    assert isinstance(held, Here)
    assert held.get() is value
    assert before == []


def test_values_are_in_files_that_are_ours_alone_while_the_work_lasts(folder):
    """Data may be private, and what is unpickled must be what was written."""
    with parallel_config("loky", n_jobs=2), holding(None) as hold:
        one, two = hold("one"), hold("two")
        (private,) = folder.glob("bayesfloor-*")
        mode = stat.S_IMODE(private.stat().st_mode)

        assert (one.get(), two.get()) == ("one", "two")

    assert sys.platform == "win32" or mode == stat.S_IRWXU
    assert left_in(folder) == []


def test_a_process_reads_a_value_once_and_lets_go_of_old_ones(folder, monkeypatch):
    """Many pairs share a class; a worker that kept all it ever read would run out of memory."""
    reads = []
    monkeypatch.setattr(_shared_arguments.pickle, "load", lambda file: reads.append(file.name))
    with parallel_config("loky", n_jobs=2), holding(None) as hold:
        held = [hold(k) for k in range(_shared_arguments._READ + 1)]
        for _ in range(3):
            held[0].get()
        once = len(reads)
        for each in held:
            each.get()
        held[0].get()

    assert once == 1
    assert len(reads) == _shared_arguments._READ + 2
    assert left_in(folder) == []


def test_a_value_that_a_worker_cannot_see_is_told_with_what_to_do(tmp_path):
    """Workers on other machines have temporary folders of their own."""
    with pytest.raises(FileNotFoundError, match="set TMPDIR to one"):
        Kept(str(tmp_path / "gone")).get()


# The work that goes by handles: nine classes, so that tasks are classes and pairs.


@pytest.fixture(scope="module")
def clouds(global_random_seed):
    """Nine classes that overlap, some rows of several classes equal."""
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat(np.arange(9), 40)
    X = rng.standard_normal((len(y), 3)) + 2 * rng.standard_normal((9, 3))[y]
    X[::40] = X[1]
    return X, y


@pytest.fixture(scope="module", params=["small pairs", pytest.param("large pairs", marks=pytest.mark.nightly)])
def kernels(request):
    """The compiled ways, which few rows would not take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_class_forests, "is_plain", lambda _: False)
        patch.setattr(_compiled_pairs, "PRODUCTS", _compiled_pairs.PRODUCTS if request.param == "small pairs" else -1)
        yield request.param


def edges_of(forests):
    """All that pairs and the whole are made of."""
    pairs = [forests.pair(i, j) for i, j in ((0, 1), (2, 8), (7, 8))]
    arrays = [getattr(forest, name) for forest in (*pairs, forests.all()) for name in ("a", "b", "length", "tree")]
    return [*arrays, forests.pair_moments, forests.pair_sizes]


def fit_floor(clouds):
    """All parts of a floor."""
    floor = BayesFloor(scale=None, interval="fast").fit(*clouds)
    parts = floor.overall_, floor.pairwise_, floor.one_vs_rest_, floor.samples_, floor.answer()
    return [part.to_dict() for part in parts]


def fit_tree(clouds):
    """What a tree of classifiers, trained with weights, says of its rows."""
    X, y = clouds
    weight = np.where(np.arange(len(y)) % 40 < 20, 1.0, 1e-3)
    return SmartSVM(LogisticRegression()).fit(X, y, sample_weight=weight).predict_proba(X)


@pytest.fixture(scope="module")
def alone(clouds, kernels):
    """The same without a second worker."""
    with parallel_config("threading", n_jobs=1):
        forests, few = edges_of(class_forests(*clouds)), kernels == "small pairs"
        return forests, fit_floor(clouds) if few else None, fit_tree(clouds) if few else None


def test_forests_of_classes_are_the_same_wherever_they_are_grown(alone, backend, clouds, folder):
    """The choice of a backend is one of speed alone."""
    found = edges_of(class_forests(*clouds))

    assert backend in BACKENDS
    for one, two in zip(alone[0], found, strict=True):
        np.testing.assert_array_equal(one, two)
    assert left_in(folder) == []


@pytest.mark.parametrize("kernels", ["small pairs"], indirect=True)
def test_floors_are_the_same_wherever_they_are_found(alone, backend, clouds, folder):
    """Bounds, intervals, scores of rows and the answer."""
    assert fit_floor(clouds) == alone[1]
    assert backend in BACKENDS
    assert left_in(folder) == []


@pytest.mark.parametrize("kernels", ["small pairs"], indirect=True)
def test_trees_of_classifiers_are_the_same_wherever_they_are_trained(alone, backend, clouds, folder):
    """Each node's rows, and their weights, are taken where it is trained."""
    plain = SmartSVM(LogisticRegression()).fit(*clouds).predict_proba(clouds[0])
    found = fit_tree(clouds)

    assert backend in BACKENDS
    np.testing.assert_array_equal(found, alone[2])
    assert not np.array_equal(found, plain)
    assert left_in(folder) == []


def test_temporary_folders_can_be_elsewhere(folder, monkeypatch):
    """TMPDIR is what the error advises."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    with parallel_config("loky", n_jobs=2), holding(None) as hold:
        assert sys.platform == "win32" or Path(hold(1).path).is_relative_to(elsewhere)


# What fails comes last: joblib then ends its workers, and new ones take seconds to start.


def test_nothing_is_left_of_work_that_failed(backend, folder):
    """Disks fill up with what failed runs leave."""

    def fail(held):
        raise ArithmeticError(held.get())

    def work():
        with holding(None) as hold:
            held = hold("no such number")
            list(run_tasks(fail, [(held,)] * 4, n_jobs=None))

    with pytest.raises(ArithmeticError, match="no such number"):
        work()
    assert backend in BACKENDS
    assert left_in(folder) == []


@pytest.mark.process
def test_nothing_is_left_of_work_that_was_interrupted(folder):
    """Ctrl-C comes while tasks run."""

    def interrupt(*_):
        raise KeyboardInterrupt

    def work():
        with holding(None) as hold:
            tasks = [(hold(np.ones(2)), k) for k in range(8)]
            list(run_tasks(_sum_in_worker(), tasks, n_jobs=None, progress=interrupt))

    with parallel_config("loky", n_jobs=2), pytest.raises(KeyboardInterrupt):
        work()
    assert left_in(folder) == []


@pytest.mark.process
@pytest.mark.parametrize("kernels", ["large pairs"], indirect=True)
@pytest.mark.usefixtures("kernels")
def test_no_folder_is_left_where_the_user_stops_a_fit(clouds, folder):
    """A callback is where interfaces cancel work."""

    def stop(stage, done, total):
        if "pairs" in stage:
            raise TimeoutError(f"{stage}: {done} of {total}")

    with parallel_config("loky", n_jobs=2), pytest.raises(TimeoutError, match="pairs: 1 of"):
        class_forests(*clouds, progress=stop)
    assert left_in(folder) == []


@pytest.mark.process
def test_a_classifier_that_fails_leaves_no_folder(clouds, folder):
    """Its error is the user's, and comes as it is."""
    with parallel_config("loky", n_jobs=2), pytest.raises(ValueError, match="'C' parameter"):
        SmartSVM(LogisticRegression(C=-1.0)).fit(*clouds)
    assert left_in(folder) == []
