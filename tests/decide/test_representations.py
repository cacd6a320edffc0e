"""Representations compared: who is best, what picking costs, and who sees labels of which rows."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler, TargetEncoder
from sklearn.random_projection import SparseRandomProjection
from sklearn.svm import LinearSVC

from bayesfloor import BayesFloor, compare_representations
from bayesfloor.decide import LabelsSeenWarning
from bayesfloor.floor import SampledRowsWarning


def two_classes(n, rng, distance=2.0, noise=6):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 1 + noise))
    X[:, 0] += distance * y
    return X, y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    given = {"raw": X, "pca-2": PCA(2), "pca-30": PCA(30), "noise": np.random.default_rng(0).normal(size=(len(y), 3))}
    return compare_representations(given, y, X=X)


def test_the_poor_go_early(rng):
    """Noise is not measured on all rows."""
    X, y = two_classes(4400, rng, noise=1)
    found = compare_representations({"noise": rng.normal(size=(4400, 2)), "raw": X, "one": X[:, :1]}, y)
    assert [r["n_rows"] for r in found.rounds] == pytest.approx([550, 1100, 2200, 4400], abs=2)
    assert found.names[-1] == "noise"
    assert found.n_rows[-1] < found.n_rows[0] == 4400
    assert "noise" not in found.rounds[-1]["cross_rate"]


def test_the_best_comes_first_and_noise_last_in_tables_and_words(digits):
    """With words for each, which agree with the intervals."""
    frame = digits.frame()
    assert frame["representation"].tolist() == list(digits.names)
    assert json.loads(json.dumps(digits.to_dict()))["best"] == digits.best_
    assert digits.best_ in digits.text
    assert "fewest cross-class edges, predicted for more rows. No significant difference: " in digits.text
    assert repr(digits).startswith("Comparison(4 representations")

    assert digits.best_ in ("raw", "pca-30")
    assert digits.names[-1] == "noise"
    assert set(digits.not_worse) == {"raw", "pca-30"}
    assert digits.word[0] == "best"
    assert digits.word[2:] == ("worse", "worse")
    assert digits.smallest == "pca-30"
    assert (digits.difference_low <= digits.difference).all()
    assert (digits.difference[1:] >= 0).all()
    assert (digits.p_value[1:2] > 0.05).all()
    assert (digits.difference_low[2:] > 0).all()


def test_the_order_of_rows_and_threads_have_no_say(rng):
    X, y = two_classes(1100, rng)
    order = rng.permutation(len(y))
    given = {"raw": X, "standard": StandardScaler()}
    first = compare_representations(given, y, X=X)
    again = compare_representations({**given, "raw": X[order]}, y[order], X=X[order], n_jobs=2)
    assert first.names == again.names
    np.testing.assert_allclose(first.predicted, again.predicted)
    np.testing.assert_allclose(first.difference_low, again.difference_low)


def test_what_is_fitted_with_labels_does_not_flatter_itself(rng):
    """The best 2 of 200 features of noise look good on the rows used to select them, and on no others."""
    X, y = rng.normal(size=(200, 200)), rng.integers(2, size=200)
    flattered = LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    cheated = compare_representations({"raw": X, "fitted here": flattered}, y)
    assert cheated.best_ == "fitted here"
    assert cheated.word[1] == "worse"
    found = compare_representations({"raw": X, "lda": LinearDiscriminantAnalysis(), "k": SelectKBest(k=2)}, y, X=X)
    assert found.n_folds == 2
    assert found.p_value.min() > 1e-3
    assert found.cross_rate.min() > 0.35


@pytest.mark.slow
def test_noise_labels_make_no_difference(rng):
    """Beyond the level."""
    declared = 0
    for _ in range(30):
        X, y = rng.normal(size=(150, 5)), rng.integers(3, size=150)
        declared += "worse" in compare_representations({"raw": X, "two": X[:, :2], "pca": PCA(2)}, y, X=X).word
    assert declared <= 5  # 0.05 of 30, and three standard errors


@pytest.mark.slow
def test_the_picked_one_is_told_without_what_picking_flatters(rng):
    """Of ten representations of noise the smallest reads too low; corrected it reads as chance."""
    picked, corrected = [], []
    for _ in range(15):
        y = rng.integers(2, size=200)
        found = compare_representations({f"{i}": rng.normal(size=(200, 3)) for i in range(10)}, y)
        picked.append(found.predicted[0])
        corrected.append(found.best_cross_rate)
    assert np.mean(picked) < 0.48
    assert abs(np.mean(corrected) - 0.5) < 0.02


def test_groups_are_not_joined(rng):
    """Copies that are kept apart by their group do not lower the floor."""
    base, y = rng.normal(size=(80, 3)), rng.integers(2, size=80)
    X, labels, groups = np.repeat(base, 8, axis=0), np.repeat(y, 8), np.repeat(np.arange(80), 8)
    X = X + 1e-3 * rng.normal(size=X.shape)
    given = {"raw": X, "lda": LinearDiscriminantAnalysis()}
    assert compare_representations({"raw": X}, labels).cross_rate[0] < 0.2
    assert compare_representations(given, labels, X=X, groups=groups).cross_rate.min() > 0.3


def test_noise_in_groups_is_not_declared(rng):
    """Where rows of a group have labels of their own, and groups touch each other."""
    declared = 0
    for _ in range(12):
        y, groups = rng.integers(2, size=200), np.arange(200) % 20
        given = {"one": rng.normal(size=(200, 2)), "two": rng.normal(size=(200, 2))}
        declared += "worse" in compare_representations(given, y, groups=groups).word
    assert declared <= 3  # 0.05 of 12, and three standard errors


def test_classes_far_apart_keep_the_order_of_their_rates(rng):
    """With so few cross edges all fall by half when rows double, and none falls below another for it."""
    y = np.arange(1200) % 2
    given = {name: rng.normal(size=(1200, 2)) + far * y[:, None] for name, far in (("near", 3.5), ("far", 12.0))}
    found = compare_representations(given, y)
    assert found.best_ == "far"
    assert (found.predicted >= 0).all()


def test_rates_are_those_of_a_fit_and_scales_are_picked_where_asked_for(global_random_seed):
    """On few rows nothing is predicted; a feature in other units does no harm then."""
    X, y = two_classes(300, np.random.default_rng(global_random_seed), noise=1)
    X[:, 1] *= 1000
    left, scaled = (compare_representations({"raw": X}, y, scale=scale).cross_rate[0] for scale in (None, "auto"))
    assert scaled < left

    X, y = two_classes(300, np.random.default_rng(global_random_seed))
    found = compare_representations({"raw": X, "one": X[:, :1]}, y)
    place = found.names.index("raw")
    floor = BayesFloor(scale=None).fit(X, y).overall_
    assert found.cross_rate[place] == found.predicted[place] == pytest.approx(floor.cross_rate)
    assert found.n_folds == 1


def test_many_rows_are_drawn_from(global_random_seed):
    """What needs labels is fitted to all others all the same."""
    X, y = two_classes(600, np.random.default_rng(global_random_seed))
    with pytest.warns(SampledRowsWarning, match="of 600 rows"):
        found = compare_representations({"raw": X, "lda": LinearDiscriminantAnalysis()}, y, X=X, max_rows=200)
    assert found.n_rows.max() == pytest.approx(200, abs=2)
    assert found.best_ == "lda"


def test_what_only_transformers_can_read_is_compared(global_random_seed):
    """Missing values are for the imputer; and a single representation was not picked."""
    X, y = two_classes(120, np.random.default_rng(global_random_seed))
    X[0, 0] = np.nan
    found = compare_representations({"filled": make_pipeline(SimpleImputer(), PCA(2))}, y, X=pd.DataFrame(X))
    assert found.names == ("filled",)
    assert found.best_cross_rate == found.predicted[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": None}, "y"),
        ({"y": [0] * 40}, "one class"),
        ({"y": [0, 1] * 19}, "inconsistent"),
        ({"level": 2}, "level"),
        ({"n_trees": 0}, "n_trees"),
        ({"max_rows": 0}, "max_rows"),
        ({"scale": "odd"}, "scale"),
        ({"groups": [1] * 40}, "group"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, words):
    X = np.random.default_rng(0).normal(size=(40, 2))
    given = {"y": [0, 1] * 20, **change}
    with pytest.raises(ValueError, match=words):
        compare_representations({"raw": X}, given.pop("y"), **given)


# Who sees labels, and of which rows

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
        self.seen.append(y)
        return self

    def transform(self, X):
        """Keep how many rows were among those fitted."""
        self.seen.append(sum(row.tobytes() in self.rows_ for row in X))
        return X


class NeedySpy(Spy):
    """The same, but will not do without labels."""

    seen = []  # noqa: RUF012 - its own

    def fit(self, X, y):
        return super().fit(X, y)


def test_labels_are_seen_by_those_that_need_them_and_of_other_rows_only():
    """Not even where a transformer would take them."""
    compare_representations({"spy": Spy(), "needy": NeedySpy()}, Y60, X=X60)

    assert Spy.seen == [None, 60]
    assert NeedySpy.seen[1::2] == [0, 0]
    assert [len(labels) for labels in NeedySpy.seen[::2]] == [30, 30]


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
        ({"raw": X60, "short": X60[1:]}, ValueError, "'short' has 59 rows, but expected 60"),
        ({"endless": np.where(X60 > 0, X60, np.inf)}, ValueError, "Representation 'endless'.*infinity"),
        ({"empty": pd.DataFrame({"day": [None] * 60})}, ValueError, "Representation 'empty'"),
    ],
)
def test_what_is_no_candidate_is_refused_by_name(given, error, words):
    with pytest.raises(error, match=words):
        compare_representations(given, Y60)


def test_what_cannot_be_fitted_is_refused_by_name():
    """With the transformer's own words, or because halves have no two groups."""
    with pytest.raises(ValueError, match=r"'pca' could not be fitted.*n_components"):
        compare_representations({"pca": PCA(100)}, Y60, X=X60)
    with pytest.raises(ValueError, match="'lda' needs labels"):
        compare_representations({"lda": LinearDiscriminantAnalysis()}, Y60, X=X60, groups=np.arange(60) // 20)
