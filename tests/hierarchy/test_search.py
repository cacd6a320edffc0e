"""SmartSVMSearch: GridSearchCV's answers, floors computed once for each training set, nothing left behind."""

import tempfile

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from bayesfloor import SmartSVM, SmartSVMSearch
from bayesfloor.hierarchy import _matrix

pytestmark = pytest.mark.slow

GRID = {"estimator__C": [0.001, 0.01, 0.1, 1, 10]}
SMALL = {"estimator__C": [0.1, 1]}
FOLDS = 3


def smart(**options):
    """The classifier of the paper, with a seed."""
    return SmartSVM(LinearSVC(random_state=0), **options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary folders are made during the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def computed(monkeypatch, folder):
    """How many rows each computation of floors had; floors are computed while there is a folder for them."""
    sizes, measure = [], _matrix.measure_classes

    def count(features, *args):
        sizes.append((len(features.values), len(list(folder.glob("bayesfloor-*")))))
        return measure(features, *args)

    monkeypatch.setattr(_matrix, "measure_classes", count)
    return sizes


ONCE = [(80, 1)] * FOLDS + [(120, 1)]


def test_floors_are_computed_once_for_each_training_set(points, computed, folder):
    """Five parameters, three folds and the refit: four computations."""
    SmartSVMSearch(smart(), GRID, cv=FOLDS).fit(*points)

    assert sorted(computed) == ONCE
    assert list(folder.iterdir()) == []


def test_inside_a_pipeline_floors_are_computed_once_as_well(points, computed, folder):
    """The steps before give the same rows each time."""
    pipe = make_pipeline(StandardScaler(), smart())
    grid = {"smartsvm__estimator__C": GRID["estimator__C"]}
    search = SmartSVMSearch(pipe, grid, cv=FOLDS).fit(*points)

    assert sorted(computed) == ONCE
    assert list(folder.iterdir()) == []
    assert search.best_estimator_[-1].memory is None
    assert pipe[-1].memory is None


def test_without_a_refit_there_is_one_computation_less(points, computed, folder):
    """And no best estimator to clean up."""
    search = SmartSVMSearch(smart(), SMALL, cv=FOLDS, refit=False).fit(*points)

    assert sorted(computed) == ONCE[:FOLDS]
    assert list(folder.iterdir()) == []
    assert not hasattr(search, "best_estimator_")


def test_answers_are_those_of_grid_search(points):
    """It is one, only sooner done."""
    X, y = points
    search, plain = (kind(smart(), GRID, cv=FOLDS).fit(X, y) for kind in (SmartSVMSearch, GridSearchCV))

    assert search.best_params_ == plain.best_params_
    assert np.array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    assert np.array_equal(search.predict(X), plain.predict(X))
    assert np.array_equal(search.decision_function(X), plain.decision_function(X))
    assert search.score(X, y) == plain.score(X, y)
    assert search.classes_.tolist() == [0, 1, 2, 3, 4]


def test_the_users_classifier_stays_as_it_was(points):
    """Neither fitted nor changed; the best one points to no folder that is gone."""
    given = smart()
    search = SmartSVMSearch(given, SMALL, cv=FOLDS).fit(*points)

    assert search.estimator is given
    assert search.get_params()["estimator"] is given
    assert given.memory is None
    assert search.best_estimator_.memory is None
    with pytest.raises(NotFittedError):
        given.predict(points[0])
    search.best_estimator_.fit(*points)  # again, without the folder


def test_an_error_leaves_nothing_behind(points, folder):
    """The next try starts from where the first one did."""
    X, y = points
    given = smart()
    search = SmartSVMSearch(given, {"estimator__C": [-1.0]}, cv=FOLDS, error_score="raise")
    with pytest.raises(ValueError, match="C"):
        search.fit(X, y)

    assert search.estimator is given
    assert given.memory is None
    assert list(folder.iterdir()) == []
    assert search.set_params(param_grid=SMALL).fit(X, y).best_estimator_.memory is None


def test_memory_of_ones_own_is_used_and_kept(points, tmp_path, computed):
    """Floors then serve the next search, too."""
    given = smart(memory=str(tmp_path / "own"))
    for _ in range(2):
        search = SmartSVMSearch(given, SMALL, cv=FOLDS).fit(*points)

    assert len(computed) == FOLDS + 1
    assert search.best_estimator_.memory == given.memory == str(tmp_path / "own")
    assert (tmp_path / "own").is_dir()


def test_floors_of_ones_own_are_used(points, pairwise, computed):
    """Then there is nothing to compute."""
    search = SmartSVMSearch(smart(floor=pairwise), SMALL, cv=FOLDS).fit(*points)

    assert computed == []
    assert np.array_equal(search.best_estimator_.floor_matrix_, pairwise.matrix)


def test_parameters_of_the_floors_are_searched_with_a_computation_for_each(points, computed):
    """Other floors are other floors."""
    SmartSVMSearch(smart(), {"n_trees": [1, 3], "cut": ["min_cut", "average"]}, cv=FOLDS).fit(*points)

    assert len(computed) == 2 * FOLDS + 1


def test_threads_change_nothing(points):
    """Folds side by side share the folder."""
    X, y = points
    one = SmartSVMSearch(smart(), SMALL, cv=FOLDS).fit(X, y)
    with parallel_config("threading"):
        two = SmartSVMSearch(smart(), SMALL, cv=FOLDS, n_jobs=2).fit(X, y)

    assert np.array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert two.best_estimator_.memory is None


def test_clones_and_parameters_are_grid_searchs(points):
    """It can be searched around, cloned and set as any other."""
    search = SmartSVMSearch(smart(), SMALL, cv=FOLDS)
    copy = clone(search).set_params(cv=2, estimator__cut="average")

    assert copy.get_params()["cv"] == 2
    assert copy.fit(*points).best_estimator_.cut == "average"
    assert search.get_params()["estimator__cut"] == "min_cut"


@pytest.mark.parametrize("enabled", [True, False])
def test_weights_reach_the_models(points, enabled):
    """As GridSearchCV passes them on, by routing or by name."""
    X, y = points
    weight = 1.0 + np.arange(120) % 4
    expected = smart().set_params(estimator__C=0.1).fit(X, y, weight)
    with config_context(enable_metadata_routing=enabled):
        given = smart()
        if enabled:  # scikit-learn 1.7 asks about scores, too
            given = SmartSVM(LinearSVC(random_state=0).set_fit_request(sample_weight=True))
            given.set_score_request(sample_weight=False)
        search = SmartSVMSearch(given, {"estimator__C": [0.1]}, cv=FOLDS).fit(X, y, sample_weight=weight)

    assert np.array_equal(search.best_estimator_.models_[0].coef_, expected.models_[0].coef_)
