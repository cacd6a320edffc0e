"""SmartSVM as users meet it: any binary classifier, any table, any labels, and a tree that only the data decide."""

import logging

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bayesfloor import BayesFloor, SmartSVM
from bayesfloor.floor import SampledRowsWarning
from bayesfloor.hierarchy import ClassTree, _smart_svm
from bayesfloor.hierarchy._cuts import class_tree

CUTS = ["min_cut", "average"]
PAIRS = [[0, [2, 4]], [1, 3]]
N = 120


def svm(C=1.0):
    """The classifier of the paper, with a seed."""
    return LinearSVC(C=C, random_state=0)


def logistic():
    return LogisticRegression(solver="newton-cholesky", tol=1e-10)


@pytest.fixture
def computed(monkeypatch):
    """How many rows each computation of floors had."""
    sizes, grow = [], _smart_svm.class_forests

    def count(points, *args):
        sizes.append(len(points))
        return grow(points, *args)

    monkeypatch.setattr(_smart_svm, "class_forests", count)
    return sizes


def same_models(one, two):
    """Whether two classifiers have the same tree and linear models."""
    models = zip(one.models_, two.models_, strict=True)
    return one.tree_.to_dict() == two.tree_.to_dict() and all(
        (a is b is None) or (np.array_equal(a.coef_, b.coef_) and np.array_equal(a.intercept_, b.intercept_))
        for a, b in models
    )


# The tree


@pytest.mark.parametrize("cut", CUTS)
def test_the_tree_is_cut_from_the_floors_of_bayes_floor(points, pairwise, cut):
    """Nothing else decides; scale and number of trees are parameters of the floors, not of the models."""
    X, y = points
    smart = SmartSVM(cut=cut).fit(X, y)
    scaled = SmartSVM(GaussianNB(), scale="standard", n_trees=1, cut=cut).fit(X * [1, 100, 0.01], y)
    floor = BayesFloor(scale="standard", n_trees=1, interval="fast").fit(X * [1, 100, 0.01], y)

    assert np.array_equal(smart.floor_matrix_, pairwise.matrix)
    assert smart.tree_.to_dict() == class_tree(np.arange(5), pairwise.matrix, cut).to_dict()
    assert np.array_equal(scaled.floor_matrix_, floor.pairwise_.matrix)
    assert all(model is None or model.theta_[:, 1].std() > 1 for model in scaled.models_)  # features as they came


def test_order_of_rows_means_nothing(rng, points):
    X, y = points
    X, order = np.round(X, 1), rng.permutation(len(y))
    one, two = SmartSVM(GaussianNB()).fit(X, y), SmartSVM(GaussianNB()).fit(X[order], y[order])

    assert one.tree_.to_dict() == two.tree_.to_dict()
    assert np.array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize("cut", CUTS)
def test_names_of_classes_mean_nothing(points, sets_of, cut):
    """Where no floors are tied, other names give the same tree by these names."""
    X, y = points
    names = np.array(["e", "b", "d", "a", "c"])
    one, two = (SmartSVM(GaussianNB(), cut=cut).fit(X, labels) for labels in (y, names[y]))

    def renamed(part):
        return frozenset(map(renamed, part)) if isinstance(part, frozenset) else str(names[part])

    assert len(np.unique(one.floor_matrix_[np.triu_indices(5, 1)])) == 10  # not tied
    assert sets_of(two.tree_) == renamed(sets_of(one.tree_))


def test_trees_and_floors_can_be_given(points, pairwise, sets_of, computed):
    """Who has them need not wait for them again; with both, the tree decides and the floors are shown beside it."""
    X, y = points
    expected, tree = SmartSVM().fit(X, y), ClassTree.from_nested(PAIRS)
    computed.clear()
    one, two = (SmartSVM(svm(), cut=cut).fit(X, y) for cut in (PAIRS, tree))
    both = SmartSVM(svm(), cut=PAIRS, floor=pairwise).fit(X, y)
    again = SmartSVM(svm(), cut=expected.tree_, floor=expected.floor_matrix_, n_jobs=2).fit(X, y)

    assert all(same_models(SmartSVM(svm(), floor=floor).fit(X, y), expected) for floor in (pairwise, pairwise.matrix))
    assert same_models(again, expected)
    assert sets_of(one.tree_) == sets_of(tree)
    assert same_models(one, two)
    assert one.floor_matrix_ is None
    assert both.tree_.link[0] == pytest.approx(pairwise.matrix[np.ix_([0, 2, 4], [1, 3])].mean())
    assert computed == []


# The models


BASES = {"LinearSVC": svm, "LogisticRegression": logistic, "SVC": SVC, "KNeighborsClassifier": KNeighborsClassifier}


@pytest.mark.parametrize("base", BASES)
def test_two_classes_are_the_binary_classifiers_own(rng, clouds, base):
    """A tree of one split adds nothing, not even rounding."""
    X, y = clouds(rng, [50, 40], spread=0.7)
    y = np.array(["no", "yes"])[y]
    smart, plain = SmartSVM(BASES[base]()).fit(X, y), BASES[base]().fit(X, y)

    assert np.array_equal(smart.predict(X), plain.predict(X))
    for method in ("decision_function", "predict_proba"):
        assert hasattr(smart, method) == hasattr(plain, method)
        if hasattr(plain, method):
            assert np.array_equal(getattr(smart, method)(X), getattr(plain, method)(X))


def test_each_model_tells_the_two_sides_of_its_node_apart(points):
    """Rows of other classes have no say in it."""
    X, y = points
    smart = SmartSVM(svm()).fit(X, y)
    tree = smart.tree_

    assert [model is None for model in smart.models_] == (tree.left == -1).tolist()
    for node in tree.splits.tolist():
        rows = np.isin(y, tree.members(node))
        right = np.isin(y[rows], tree.members(int(tree.right[node])))
        assert np.array_equal(smart.models_[node].coef_, svm().fit(X[rows], right.astype(int)).coef_)


def test_folds_may_lack_a_class_and_a_class_have_one_row(points, pairwise):
    """Rows sorted by class, folds without shuffling: every training set lacks some. Rare classes are classes."""
    X, y = points
    order = np.argsort(y, kind="stable")
    for smart in (SmartSVM(svm()), SmartSVM(svm(), floor=pairwise), SmartSVM(svm(), cut=PAIRS)):
        assert np.isfinite(cross_val_score(smart, X[order], y[order], cv=KFold(5))).all()
    rare = SmartSVM(KNeighborsClassifier(1)).fit(np.vstack([X, [[50, 50, 50]]]), np.r_[y, 9])

    assert rare.classes_.tolist() == [0, 1, 2, 3, 4, 9]
    assert rare.predict([[60, 60, 60]]).tolist() == [9]


def test_stages_are_logged_when_asked_for(points, caplog):
    """A long fit should say where it is, through logging alone."""
    with caplog.at_level(logging.INFO):
        SmartSVM(svm()).fit(*points)
        assert caplog.messages == []
        SmartSVM(svm(), verbose=1).fit(*points)

    assert caplog.messages == [
        "computing the floors of 5 classes from 120 rows",
        *(f"trained model {i} of 4" for i in range(1, 5)),
    ]


# Answers


@pytest.mark.parametrize("cut", CUTS)
def test_probabilities_add_up_to_one(points, pairwise, cut):
    """They are chances of classes, in the order of classes_."""
    X, y = points
    smart = SmartSVM(logistic(), cut=cut, floor=pairwise).fit(X, y)
    chances = smart.predict_proba(X)

    assert chances.shape == (N, 5)
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(np.ones(N))
    assert np.array_equal(smart.predict(X), chances.argmax(axis=1))
    assert np.array_equal(smart.predict(X), smart.decision_function(X).argmax(axis=1))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("base", [svm, logistic, RidgeClassifier, SVC])
def test_by_one_path_the_largest_score_is_the_predicted_class(points, pairwise, cut, base):
    """As everywhere in scikit-learn; with one path exactly that score is positive."""
    X, y = points
    smart = SmartSVM(base(), cut=cut, floor=pairwise, routing="hard").fit(X, y)
    scores = smart.decision_function(X)

    assert np.array_equal(smart.predict(X), scores.argmax(axis=1))
    assert ((scores > 0).sum(axis=1) == 1).all()


def test_probabilities_decide_where_there_are_any(points, pairwise):
    """Unless one path is asked for."""
    X, y = points
    auto, product, hard = (
        SmartSVM(logistic(), floor=pairwise, routing=way).fit(X, y) for way in ("auto", "product", "hard")
    )

    assert np.array_equal(auto.predict(X), product.predict(X))
    assert np.array_equal(hard.predict_proba(X), auto.predict_proba(X))
    assert np.array_equal(
        SmartSVM(svm(), cut=PAIRS).fit(X, y).predict(X), SmartSVM(svm(), cut=PAIRS, routing="hard").fit(X, y).predict(X)
    )


@pytest.mark.parametrize(
    "base", [DecisionTreeClassifier(max_depth=2, random_state=0), KNeighborsClassifier(2)], ids=str
)
def test_of_equal_chances_the_first_class_is_taken(rng, clouds, base):
    """As argmax does, and every classifier of scikit-learn: neighbours and trees have many equal chances."""
    X, y = clouds(rng, [30] * 5, spread=0.5)
    smart = SmartSVM(base, cut=PAIRS).fit(X, y)
    chances = smart.predict_proba(X)

    assert np.array_equal(smart.predict(X), chances.argmax(axis=1))
    assert (chances.max(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cut": "mincut"}, r"Got cut='mincut', but expected 'min_cut', 'average', a ClassTree or nested pairs"),
        ({"cut": [0, 1, 2]}, r"Got a list of length 3 in the tree, but expected pairs"),
        ({"cut": [[0, 1], 0]}, r"Got class 0 more than once, but expected each class in one place"),
        ({"routing": "soft"}, r"Got routing='soft', but expected one of 'auto', 'hard', 'product'"),
        ({"routing": "product"}, r"Got routing='product', but LinearSVC has no predict_proba. Wrap it in Calibrated"),
        ({"scale": "log"}, r"Got scale='log', but expected 'auto', 'standard', 'robust', 'unit' or None"),
        ({"n_trees": 0}, r"Got n_trees=0, but expected an integer from 1 to 100"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(points, options, message):
    """With what came and what was expected; at fit, as in scikit-learn."""
    smart = SmartSVM(svm(), **options)

    with pytest.raises(ValueError, match=message):
        smart.fit(*points)


# What users bring


LABELS = {
    "texts in a list": lambda y: np.array(["ill", "so-so", "well"])[y].tolist(),
    "pandas category": lambda y: pd.Series(pd.Categorical.from_codes(y, ["ill", "so-so", "well"])),
    "polars": pl.Series,
}


@pytest.mark.parametrize("kind", LABELS)
def test_every_kind_of_label_is_answered(rng, clouds, kind):
    X, y = clouds(rng, [15, 15, 15])
    smart = SmartSVM(svm()).fit(X, LABELS[kind](y))
    expected = SmartSVM(svm()).fit(X, y).predict(X)

    assert np.array_equal(np.searchsorted(smart.classes_, smart.predict(X)), expected)
    assert smart.classes_.tolist() == np.unique(np.asarray(LABELS[kind](y)).tolist()).tolist()


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("given", [False, True], ids=["floors computed", "floors given"])
def test_every_kind_of_table_gives_the_same_answer(points, pairwise, kind, given):
    """What a table is kept in is no part of the data."""
    X, y = points
    frame = FRAMES[kind]({name: X[:, i] for i, name in enumerate("uvw")})
    smart = SmartSVM(svm(), floor=pairwise if given else None).fit(frame, y)
    plain = SmartSVM(svm(), floor=pairwise).fit(X, y)

    assert smart.tree_.to_dict() == plain.tree_.to_dict()
    assert np.array_equal(smart.predict(frame), plain.predict(X))
    assert smart.feature_names_in_.tolist() == ["u", "v", "w"]


def by_name():
    """A pipeline that wants a frame: texts to indicators, numbers scaled, by name."""
    columns = [("c", OneHotEncoder(handle_unknown="ignore"), ["colour"]), ("x", StandardScaler(), ["u", "v"])]
    return make_pipeline(ColumnTransformer(columns), svm())


def with_texts(X, y, rng):
    """Columns of which one holds texts that tell of the class."""
    guess = np.where(rng.random(len(y)) < 0.5, y, rng.integers(0, 5, len(y)))
    return {"u": X[:, 0], "v": X[:, 1], "colour": np.array(["red", "blue", "green", "grey", "pink"])[guess].tolist()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_pipelines_pick_columns_by_name(rng, points, kind, n_jobs):
    """Frames reach the models as they are, and floors read the texts as BayesFloor does."""
    X, y = points
    columns = with_texts(X, y, rng)
    frame = FRAMES[kind](columns)
    smart = SmartSVM(by_name(), n_jobs=n_jobs).fit(frame, y)
    floor = BayesFloor(scale=None, interval="fast").fit(pd.DataFrame(columns), y)
    root, right = smart.models_[0], np.isin(y, smart.tree_.members(int(smart.tree_.right[0])))

    assert np.array_equal(smart.floor_matrix_, floor.pairwise_.matrix)
    assert np.array_equal(root.predict(frame), by_name().fit(frame, right.astype(int)).predict(frame))
    assert smart.score(frame, y) > 0.4


@pytest.mark.slow
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_are_taken_where_no_floor_is_needed(points, pairwise, kind):
    """Texts as counts of words are sparse; a tree from elsewhere serves them, and distances need dense rows."""
    X, y = points
    X = np.where(X > 0, X, 0)
    for options in ({"cut": PAIRS}, {"floor": pairwise}):
        rows, dense = SmartSVM(logistic(), **options), SmartSVM(logistic(), **options).fit(X, y)
        rows.fit(kind(X), y)

        assert rows.predict_proba(kind(X)) == pytest.approx(dense.predict_proba(X), abs=1e-6)
        assert np.array_equal(rows.predict(kind(X)), dense.predict(X))
        assert np.array_equal(rows.predict(X), dense.predict(X))
        assert np.array_equal(dense.predict(kind(X)), dense.predict(X))
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        SmartSVM().fit(kind(X), y)


# Weights and metadata


def test_rows_without_weight_are_not_there(points):
    """Half of a class weighted out equals half of a class left out; other weights are for the models alone."""
    X, y = points
    weight = np.ones(N)
    weight[np.flatnonzero(y == 1)[::2]] = 0
    left = weight > 0
    weighted, fewer = (
        SmartSVM(logistic()).fit(X, y, 2.5 * weight),
        SmartSVM(logistic()).fit(X[left], y[left], 2.5 + 0 * y[left]),
    )

    assert np.array_equal(weighted.floor_matrix_, fewer.floor_matrix_)
    assert weighted.predict_proba(X) == pytest.approx(fewer.predict_proba(X), abs=1e-6)
    assert np.array_equal(
        SmartSVM(svm()).fit(X, y, sample_weight=1.0 + y).floor_matrix_, SmartSVM().fit(X, y).floor_matrix_
    )


def test_weights_for_models_that_take_none_are_refused(points):
    """Leaving them out silently would be wrong; with routing, one says whether they are wanted."""
    X, y = points
    with pytest.raises(ValueError, match=r"Got sample_weight, but the fit of KNeighborsClassifier does not accept it"):
        SmartSVM(KNeighborsClassifier()).fit(X, y, np.ones(N))
    with pytest.raises(ValueError, match=r"fit of Pipeline does not accept it. For pipelines, enable metadata routing"):
        SmartSVM(make_pipeline(StandardScaler(), svm())).fit(X, y, np.ones(N))
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        SmartSVM(svm()).fit(X, y, sample_weight=np.ones(N))


@pytest.mark.parametrize("enabled", [True, False])
def test_pipelines_take_weights_by_routing_or_by_the_name_of_a_step(points, enabled):
    """They are cut to the rows of each node."""
    X, y = points
    weight, scaler, model = 1.0 + np.arange(N) % 4, StandardScaler(), logistic()
    with config_context(enable_metadata_routing=enabled):
        if enabled:
            scaler, model = (step.set_fit_request(sample_weight=True) for step in (scaler, model))
        given = {"sample_weight" if enabled else "logisticregression__sample_weight": weight}
        pipe = make_pipeline(scaler, model)
        smart = SmartSVM(pipe, cut=PAIRS).fit(X, y, **given)
        expected = clone(pipe).fit(X, np.isin(y, [1, 3]).astype(int), **given)

    assert np.array_equal(smart.models_[0][-1].coef_, expected[-1].coef_)


@pytest.mark.parametrize("base", [None, "requested"])
def test_weights_are_routed(points, base):
    """With routing, models get what they asked for; the default asks for weights."""
    X, y = points
    weight = 1.0 + np.arange(N) % 4
    expected = SmartSVM(svm(), cut=PAIRS).fit(X, y, weight)
    with config_context(enable_metadata_routing=True):
        asked = None if base is None else svm().set_fit_request(sample_weight=True)
        routed = SmartSVM(asked, cut=PAIRS).fit(X, y, sample_weight=weight)
        plain = SmartSVM(asked, cut=PAIRS).fit(X, y)

    assert same_models(routed, expected)
    assert same_models(plain, SmartSVM(svm(), cut=PAIRS).fit(X, y))


class Annotated(ClassifierMixin, BaseEstimator):
    """A classifier whose fit takes notes on rows, and a word about all."""

    def fit(self, X, y, notes=None, word=None):
        self.notes_, self.word_, self.n_rows_ = notes, word, len(X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("enabled", [True, False])
def test_metadata_of_any_name_reach_the_models_of_their_rows(points, enabled):
    """Notes on rows are cut to the rows of the node, a word about all stays whole."""
    X, y = points
    with config_context(enable_metadata_routing=enabled):
        base = Annotated().set_fit_request(notes=True, word=True) if enabled else Annotated()
        smart = SmartSVM(base, cut=PAIRS).fit(X, y, notes=np.arange(N), word="so")

    for node in smart.tree_.splits.tolist():
        rows = np.flatnonzero(np.isin(y, smart.tree_.members(node)))
        assert np.array_equal(smart.models_[node].notes_, rows)
        assert smart.models_[node].n_rows_ == len(rows)
        assert smart.models_[node].word_ == "so"


def test_metadata_go_through_a_search_around(points):
    """Outer searches route by what the inner models ask for."""
    X, y = points
    weight = 1.0 + np.arange(N) % 4
    with config_context(enable_metadata_routing=True):
        smart = SmartSVM(svm().set_fit_request(sample_weight=True), cut=PAIRS)
        smart.set_score_request(sample_weight=False)  # scikit-learn 1.7 wants it said
        search = GridSearchCV(smart, {"estimator__C": [0.1]}, cv=2).fit(X, y, sample_weight=weight)

    assert same_models(search.best_estimator_, SmartSVM(svm(0.1), cut=PAIRS).fit(X, y, weight))


def test_each_node_may_search_for_itself(points):
    X, y = points
    smart = SmartSVM(GridSearchCV(svm(), {"C": [0.001, 1]}, cv=2), cut=PAIRS).fit(X, y)

    assert all(model is None or model.best_params_["C"] in (0.001, 1) for model in smart.models_)
    assert smart.decision_function(X).shape == (N, 5)
    assert np.array_equal(smart.predict(X), smart.decision_function(X).argmax(axis=1))
    assert not hasattr(smart, "predict_proba")


def test_calibrated_models_have_probabilities(points):
    """The advice that errors give works."""
    X, y = points
    smart = SmartSVM(CalibratedClassifierCV(svm(), cv=2), cut=PAIRS, routing="product").fit(X, y)
    chances = smart.predict_proba(X)

    assert chances.sum(axis=1) == pytest.approx(np.ones(N))
    assert np.array_equal(smart.predict(X), chances.argmax(axis=1))


# Kept floors and many rows


def test_floors_are_kept_in_memory(points, tmp_path, computed):
    """The same rows need them once, whatever the models, the cut or the threads are."""
    X, y = points
    for base, options in [(svm(), {}), (svm(0.1), {"n_jobs": 2}), (GaussianNB(), {"cut": "average"})]:
        SmartSVM(base, memory=str(tmp_path), **options).fit(X, y)
    assert computed == [N]
    assert same_models(SmartSVM(svm(), memory=str(tmp_path)).fit(X, y), SmartSVM(svm()).fit(X, y))
    computed.clear()

    SmartSVM(svm(), memory=str(tmp_path), n_trees=1).fit(X, y)
    SmartSVM(svm(), memory=str(tmp_path)).fit(X[1:], y[1:])
    assert computed == [N, N - 1]


def test_a_search_with_memory_computes_floors_once_for_each_training_set(points, tmp_path, computed):
    """Three folds and the refit, for a grid of four."""
    X, y = points
    smart = SmartSVM(svm(), memory=str(tmp_path))
    GridSearchCV(smart, {"estimator__C": [0.01, 0.1, 1, 10]}, cv=3).fit(X, y)

    assert sorted(computed) == [80, 80, 80, N]


def test_of_many_rows_floors_use_some_and_models_all(rng, clouds):
    """More than 50,000 rows: the warning says so, where the user called."""
    X, y = clouds(rng, [12_600] * 4, d=2)
    with pytest.warns(SampledRowsWarning, match=r"50,000 of 50,400 rows are used.*models use all") as caught:
        smart = SmartSVM(GaussianNB(), n_trees=1).fit(X, y)

    assert smart.models_[0].class_count_.sum() == 50_400
    assert caught[0].filename == __file__
