"""Representations that cannot flatter themselves: who sees labels, and of which rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler, TargetEncoder
from sklearn.random_projection import SparseRandomProjection
from sklearn.svm import LinearSVC

from bayesfloor.decide._representations import LabelsSeenWarning, cross_fit, make_once, read_candidates

X = np.random.default_rng(0).normal(size=(60, 4))
Y = np.arange(60) % 3
HALVES = [np.arange(0, 60, 2), np.arange(1, 60, 2)]

SUPERVISED = {
    "lda": LinearDiscriminantAnalysis(),
    "k best": SelectKBest(k=2),
    "from a model": SelectFromModel(RandomForestClassifier(5, random_state=0)),
    "elimination": RFE(LinearSVC()),
    "components": NeighborhoodComponentsAnalysis(max_iter=2),
    "encoder": TargetEncoder(),
    "pls": PLSRegression(),
    "pipeline": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "inner step": make_pipeline(StandardScaler(), SelectKBest(k=2), PCA(1)),
    "union": make_union(PCA(2), LinearDiscriminantAnalysis()),
    "columns": make_column_transformer((LinearDiscriminantAnalysis(), [0, 1]), remainder="passthrough"),
}
UNSUPERVISED = {
    "pca": PCA(2),
    "pipeline": make_pipeline(StandardScaler(), PCA(2)),
    "sparse": SparseRandomProjection(3, random_state=0, dense_output=False),
    "function": FunctionTransformer(np.abs),
}


class Spy(TransformerMixin, BaseEstimator):
    """Remembers the rows it was fitted to; takes labels where it is given them."""

    def fit(self, X, y=None):
        """Keep what came."""
        self.rows_, self.labels_ = np.asarray(X), y
        return self

    def transform(self, X):
        """1 where a row was among those fitted."""
        seen = {row.tobytes() for row in self.rows_}
        known = [[float(row.tobytes() in seen), float(self.labels_ is not None)] for row in np.asarray(X)]
        return np.array(known)


class NeedySpy(Spy):
    """The same, but will not do without labels."""

    def fit(self, X, y):
        """Keep what came."""
        return super().fit(X, y)


@pytest.mark.parametrize("name", SUPERVISED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_those_that_need_labels_are_cross_fitted(name):
    """Wherever in a pipeline they stand."""
    assert make_once(name, SUPERVISED[name], X, 60) is None
    made = cross_fit(name, SUPERVISED[name], X, Y, HALVES)
    assert made.how == "cross-fitted"
    assert made.features.values.shape[0] == 60


@pytest.mark.parametrize("name", UNSUPERVISED)
def test_those_that_do_without_labels_are_fitted_once(name):
    """And give finite numbers."""
    made = make_once(name, UNSUPERVISED[name], X, 60)
    assert made.how == "fitted once"
    assert np.isfinite(made.features.values).all()


def test_who_can_do_without_labels_never_sees_any():
    """Not even where it would take them."""
    made = make_once("spy", Spy(), X, 60)
    assert (made.features.values == [1.0, 0.0]).all()


def test_who_needs_labels_sees_those_of_other_rows_only():
    """No row is transformed by what was fitted to it."""
    assert make_once("spy", NeedySpy(), X, 60) is None
    made = cross_fit("spy", NeedySpy(), X, Y, HALVES)
    assert (made.features.values == [0.0, 1.0]).all()


def test_data_frames_stay_data_frames_for_pipelines():
    """Columns are found by name."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    encode = make_pipeline(make_column_transformer((LinearDiscriminantAnalysis(), ["a", "b"]), ("drop", ["c", "d"])))
    made = cross_fit("frame", encode, frame, Y, HALVES)
    assert made.features.values.shape == (60, 2)


def test_sparse_arrays_and_data_frames_are_representations():
    """As they are."""
    assert make_once("sparse", csr_matrix(X), None, 60).how == "given"
    assert (
        make_once("frame", pd.DataFrame({"a": list("xyz") * 20, "b": X[:, 0]}), None, 60).features.values.shape[1] == 4
    )


def test_what_can_only_transform_is_taken_as_it_is():
    """A pretrained embedding has no fit."""

    class Embedding:
        def transform(self, rows):
            return rows[:, :2]

    assert make_once("embedding", Embedding(), X, 60).how == "given"


def test_what_comes_fitted_with_labels_is_warned_about():
    """Also inside a pipeline."""
    frozen = FrozenEstimator(LinearDiscriminantAnalysis().fit(X, Y))
    for candidate in (frozen, make_pipeline(frozen)):
        with pytest.warns(LabelsSeenWarning, match="is already fitted with labels"):
            make_once("frozen", candidate, X, 60)


def test_what_comes_fitted_without_labels_is_not():
    """It cannot have seen any."""
    assert make_once("frozen", FrozenEstimator(PCA(2).fit(X)), X, 60).how == "given"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([X], TypeError, "expected a dict"),
        ({}, TypeError, "expected a dict"),
        ({1: X}, TypeError, "expected a string"),
        ({"pca": PCA}, TypeError, "the class PCA"),
        ({"none": None}, TypeError, "is nothing"),
        ({"pca": PCA(2)}, ValueError, "Pass X=X"),
        ({"model": LogisticRegression()}, TypeError, "no transform"),
    ],
)
def test_what_is_no_candidate_is_refused_before_the_work(given, error, words):
    """With what was expected."""
    with pytest.raises(error, match=words):
        read_candidates(given, None)


def test_errors_name_the_representation():
    """It is one of many."""
    with pytest.raises(ValueError, match="'short' has 59 rows, but expected 60"):
        make_once("short", X[1:], None, 60)
    with pytest.raises(ValueError, match=r"Representation 'endless'.*infinity"):
        make_once("endless", np.where(X > 0, X, np.inf), None, 60)
    with pytest.raises(ValueError, match=r"'pca' could not be fitted.*n_components"):
        cross_fit("pca", PCA(100), X, Y, HALVES)
    with pytest.raises(ValueError, match="Representation 'empty'"):
        make_once("empty", pd.DataFrame({"day": [None] * 60}), None, 60)
