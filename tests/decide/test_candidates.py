"""Candidates: what can be compared, and who sees labels of which rows."""

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

from bayesfloor import compare_representations
from bayesfloor.decide import LabelsSeenWarning

pytestmark = pytest.mark.usefixtures("linear_alone")

X60 = np.random.default_rng(0).normal(size=(60, 4))
Y60 = np.arange(60) % 3

CROSS_FITTED = {
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

FITTED_ONCE = {
    "pca": PCA(2),
    "pipeline": make_pipeline(StandardScaler(), PCA(2)),
    "sparse": SparseRandomProjection(3, random_state=0, dense_output=False),
    "function": FunctionTransformer(np.abs),
}


class Embedding:
    """A pretrained one has no fit."""

    def transform(self, rows):
        return rows[:, :2]


GIVEN = {
    "sparse": csr_matrix(X60),
    "frame": pd.DataFrame({"a": list("xyz") * 20, "b": X60[:, 0]}),
    "embedding": Embedding(),
    "frozen without labels": FrozenEstimator(PCA(2).fit(X60)),
    "columns": [0, 2],
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("how", "candidates"), [("cross-fitted", CROSS_FITTED), ("fitted once", FITTED_ONCE), ("given", GIVEN)]
)
def test_only_those_that_need_labels_are_cross_fitted(how, candidates):
    """Wherever in a pipeline they stand; the others are fitted once, without labels."""
    assert set(compare_representations(candidates, Y60, X=X60).how) == {how}


class Spy(TransformerMixin, BaseEstimator):
    """Remembers rows and labels of each fit, and rows of each transform; takes labels where it is given them."""

    seen = []  # noqa: RUF012 - of the class, since fits are of clones

    def fit(self, X, y=None):
        self.rows_ = {row.tobytes() for row in X}
        self.seen.append(None if y is None else len(y))
        return self

    def transform(self, X):
        """Keep what part of the rows was among those fitted."""
        self.seen.append(np.mean([row.tobytes() in self.rows_ for row in X]))
        return X


class NeedySpy(Spy):
    """The same, but will not do without labels."""

    seen = []  # noqa: RUF012 - its own

    def fit(self, X, y):
        return super().fit(X, y)


def test_labels_are_seen_by_those_that_need_them_and_of_training_rows_only():
    """A part of the training rows is enough for the smaller ones; rows are either all fitted or all new."""
    Spy.seen.clear()
    NeedySpy.seen.clear()
    compare_representations({"spy": Spy(), "needy": NeedySpy()}, Y60, X=X60)

    assert Spy.seen == [None, 1.0]
    fits = [each for each in NeedySpy.seen if isinstance(each, int)]
    assert len(fits) == 1 + 5 * 4  # one to see that it can be fitted, then folds and training sizes
    assert max(fits) == 48
    assert set(NeedySpy.seen) - set(fits) == {0.0, 1.0}


def test_data_frames_stay_data_frames_for_pipelines():
    """Columns are found by name."""
    frame = pd.DataFrame(X60, columns=list("abcd"))
    encode = make_pipeline(make_column_transformer((LinearDiscriminantAnalysis(), ["a", "b"]), ("drop", ["c", "d"])))

    assert compare_representations({"frame": encode}, Y60, X=frame).n_features.tolist() == [2]


def test_what_comes_fitted_with_labels_is_warned_about():
    """Also inside a pipeline."""
    frozen = FrozenEstimator(LinearDiscriminantAnalysis().fit(X60, Y60))
    for candidate in (frozen, make_pipeline(frozen)):
        with pytest.warns(LabelsSeenWarning, match="is already fitted with labels") as caught:
            compare_representations({"frozen": candidate}, Y60, X=X60)

        assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([X60], TypeError, "expected a dict"),
        ({}, TypeError, "expected a dict"),
        ({1: X60}, TypeError, "expected a string"),
        ({"pca": PCA}, TypeError, "the class PCA"),
        ({"none": None}, TypeError, "is nothing"),
        ({"pca": PCA(2)}, ValueError, "Pass X=X"),
        ({"model": LogisticRegression()}, TypeError, "no transform"),
        ({"two": [0, 1]}, ValueError, "'two' is a list of columns, but there is no X"),
        ({f"{k}": X60 for k in range(21)}, ValueError, r"21 representations, but expected at most 20.*items"),
        ({"raw": X60, "short": X60[1:]}, ValueError, "'short' has 59 rows, but expected 60"),
        ({"endless": np.where(X60 > 0, X60, np.inf)}, ValueError, "Representation 'endless'.*infinity"),
        ({"empty": pd.DataFrame({"day": [None] * 60})}, ValueError, "Representation 'empty'"),
    ],
)
def test_what_is_no_candidate_is_refused_by_name(given, error, words):
    with pytest.raises(error, match=words):
        compare_representations(given, Y60)


def test_what_cannot_be_fitted_is_refused_by_name():
    """With the transformer's own words."""
    with pytest.raises(ValueError, match=r"'pca' could not be fitted.*n_components"):
        compare_representations({"pca": PCA(100)}, Y60, X=X60)
    with pytest.raises(ValueError, match="'odd': X has no columns"):
        compare_representations({"odd": ["e"]}, Y60, X=pd.DataFrame(X60, columns=list("abcd")))
