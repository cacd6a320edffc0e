"""SmartSVM as users meet it: any binary classifier, any table, any labels, and a tree that only the data decide."""

import logging
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
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
from bayesfloor.hierarchy import ClassTree, _floor_matrix
from bayesfloor.hierarchy._cuts import class_tree

CUTS = ["min_cut", "normalized_cut", "average", "complete"]
PAIRS = [[0, [2, 4]], [1, 3]]
N = 120


def svm(C=1.0):
    """The classifier of the paper, with a seed."""
    return LinearSVC(C=C, random_state=0)


def logistic():
    """A quick and exact classifier with probabilities."""
    return LogisticRegression(solver="newton-cholesky", tol=1e-10)


@pytest.fixture
def computed(monkeypatch):
    """How many rows each computation of floors had."""
    sizes, grow = [], _floor_matrix.class_forests

    def count(points, *args):
        sizes.append(len(points))
        return grow(points, *args)

    monkeypatch.setattr(_floor_matrix, "class_forests", count)
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
    """Nothing else decides."""
    X, y = points
    smart = SmartSVM(cut=cut).fit(X, y)

    assert np.array_equal(smart.floor_matrix_, pairwise.matrix)
    assert smart.tree_.to_dict() == class_tree(np.arange(5), pairwise.matrix, cut).to_dict()


def test_the_tree_of_digits_is_that_of_their_floors():
    """Real rows: ten classes, many equal distances."""
    X, y = (part[:500] for part in load_digits(return_X_y=True))
    matrix = BayesFloor(scale=None, interval="fast").fit(X, y).pairwise_.matrix
    smart = SmartSVM(GaussianNB(), routing="hard").fit(X, y)

    assert np.array_equal(smart.floor_matrix_, matrix)
    assert smart.tree_.to_dict() == class_tree(np.unique(y), matrix, "min_cut").to_dict()


def test_order_of_rows_means_nothing(rng, points):
    """Same data, same tree."""
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


def test_scale_and_number_of_trees_reach_the_floors(points):
    """They are parameters of the floors, not of the models."""
    X, y = points
    X = X * [1, 100, 0.01]
    smart = SmartSVM(GaussianNB(), scale="standard", n_trees=1).fit(X, y)
    floor = BayesFloor(scale="standard", n_trees=1, interval="fast").fit(X, y)

    assert np.array_equal(smart.floor_matrix_, floor.pairwise_.matrix)
    assert all(model is None or model.theta_[:, 1].std() > 1 for model in smart.models_)  # features as they came


def test_floors_can_be_given(points, pairwise, computed):
    """Who has them need not wait for them again."""
    X, y = points
    expected = SmartSVM(svm()).fit(X, y)
    computed.clear()

    assert same_models(SmartSVM(svm(), floor=pairwise).fit(X, y), expected)
    assert same_models(SmartSVM(svm(), floor=pairwise.matrix).fit(X, y), expected)
    assert computed == []


def test_trees_can_be_given(points, sets_of, computed):
    """Who knows which classes belong together says so; no floor is computed."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    one, two = (SmartSVM(svm(), cut=cut).fit(X, y) for cut in (PAIRS, tree))

    assert sets_of(one.tree_) == sets_of(tree)
    assert same_models(one, two)
    assert one.floor_matrix_ is None
    assert computed == []


def test_given_trees_show_given_floors(points, pairwise):
    """Both at once: the tree decides, the floors are shown beside it."""
    X, y = points
    smart = SmartSVM(svm(), cut=PAIRS, floor=pairwise).fit(X, y)

    assert smart.tree_.link[0] == pytest.approx(pairwise.matrix[np.ix_([0, 2, 4], [1, 3])].mean())


def test_a_tree_of_a_fit_fits_again(points):
    """Trees are results and parameters alike."""
    X, y = points
    smart = SmartSVM(svm()).fit(X, y)

    assert same_models(SmartSVM(svm(), cut=smart.tree_, floor=smart.floor_matrix_).fit(X, y), smart)


# The models


BASES = {
    "LinearSVC": svm,
    "LogisticRegression": logistic,
    "SVC": SVC,
    "GaussianNB": GaussianNB,
    "KNeighborsClassifier": KNeighborsClassifier,
    "DecisionTreeClassifier": lambda: DecisionTreeClassifier(random_state=0),
}


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


def test_none_is_the_linear_svm_of_the_paper(points):
    """The default needs no argument."""
    X, y = points

    assert same_models(SmartSVM().fit(X, y), SmartSVM(svm()).fit(X, y))


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


def test_a_class_of_one_row_has_its_place(points):
    """Rare classes are classes."""
    X, y = points
    X, y = np.vstack([X, [[50, 50, 50]]]), np.r_[y, 9]
    smart = SmartSVM(KNeighborsClassifier(1)).fit(X, y)

    assert smart.classes_.tolist() == [0, 1, 2, 3, 4, 9]
    assert smart.predict([[60, 60, 60]]).tolist() == [9]


def test_folds_may_lack_a_class(points, pairwise):
    """Rows sorted by class, folds without shuffling: every training set lacks some."""
    X, y = points
    order = np.argsort(y, kind="stable")
    for smart in (SmartSVM(svm()), SmartSVM(svm(), floor=pairwise), SmartSVM(svm(), cut=PAIRS)):
        scores = cross_val_score(smart, X[order], y[order], cv=KFold(5))

        assert len(scores) == 5
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("base", [svm, logistic])
def test_a_second_fit_forgets_the_first(rng, clouds, points, base):
    """Other features, other classes: as if fitted for the first time."""
    X, y = clouds(rng, [20, 20, 20], d=2)
    y = np.array(["a", "b", "c"])[y]
    again, fresh = SmartSVM(base()).fit(*points).fit(X, y), SmartSVM(base()).fit(X, y)

    assert same_models(again, fresh)
    assert np.array_equal(again.predict(X), fresh.predict(X))
    assert again.n_features_in_ == 2


def test_clones_are_unfitted_and_pickles_are_whole(points):
    """Searches clone, servers unpickle."""
    X, y = points
    for cut in ("min_cut", PAIRS, ClassTree.from_nested(PAIRS)):
        smart = SmartSVM(logistic(), cut=cut).fit(X, y)
        again = pickle.loads(pickle.dumps(smart))  # noqa: S301 - our own
        copy = clone(smart)

        assert np.array_equal(again.predict(X), smart.predict(X))
        assert again.tree_.to_dict() == smart.tree_.to_dict()
        with pytest.raises(NotFittedError):
            copy.predict(X)
        assert np.array_equal(copy.fit(X, y).predict(X), smart.predict(X))


def test_threads_change_nothing(points):
    """Only how long it takes."""
    X, y = points

    assert same_models(SmartSVM(svm(), n_jobs=2).fit(X, y), SmartSVM(svm()).fit(X, y))


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


def test_methods_are_there_as_far_as_the_models_have_them(points):
    """Scikit-learn asks before it calls."""
    for base, methods in [(svm(), ["decision_function"]), (logistic(), ["decision_function", "predict_proba"])]:
        for smart in (SmartSVM(base), SmartSVM(base, cut=PAIRS).fit(*points)):
            assert [name for name in ("decision_function", "predict_proba") if hasattr(smart, name)] == methods
    assert not hasattr(SmartSVM(KNeighborsClassifier()), "decision_function")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"cut": "mincut"},
            r"Got cut='mincut', but expected 'min_cut', 'normalized_cut', 'average', 'complete', a Cla",
        ),
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
    "texts": lambda y: np.array(["ill", "so-so", "well"])[y],
    "objects": lambda y: np.array(["ill", "so-so", "well"], dtype=object)[y],
    "list": lambda y: y.tolist(),
    "pandas with an index": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "pandas category": lambda y: pd.Series(pd.Categorical.from_codes(y, ["ill", "so-so", "well"])),
    "polars": lambda y: pytest.importorskip("polars").Series(y),
    "pyarrow": lambda y: pytest.importorskip("pyarrow").array(y),
}


@pytest.mark.parametrize("kind", LABELS)
def test_every_kind_of_label_is_answered(rng, clouds, kind):
    """As BayesFloor takes them."""
    X, y = clouds(rng, [15, 15, 15])
    smart = SmartSVM(svm()).fit(X, LABELS[kind](y))
    expected = SmartSVM(svm()).fit(X, y).predict(X)

    assert np.array_equal(np.searchsorted(smart.classes_, smart.predict(X)), expected)
    assert smart.classes_.tolist() == np.unique(np.asarray(LABELS[kind](y)).tolist()).tolist()


def to_polars(columns):
    """A polars frame."""
    return pytest.importorskip("polars").DataFrame(columns)


def to_arrow(columns):
    """A pyarrow table."""
    return pytest.importorskip("pyarrow").table(columns)


FRAMES = {"pandas": pd.DataFrame, "polars": to_polars, "pyarrow": to_arrow}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("given", [False, True], ids=["floors computed", "floors given"])
def test_every_kind_of_table_gives_the_same_answer(points, pairwise, kind, given):
    """What a table is kept in is no part of the data."""
    X, y = points
    frame = FRAMES[kind]({name: X[:, i] for i, name in enumerate("uvw")})
    smart, plain = (
        SmartSVM(svm(), floor=pairwise if given else None).fit(frame, y),
        SmartSVM(svm(), floor=pairwise).fit(X, y),
    )

    assert smart.tree_.to_dict() == plain.tree_.to_dict()
    assert np.array_equal(smart.predict(frame), plain.predict(X))
    assert smart.feature_names_in_.tolist() == ["u", "v", "w"]


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_in_another_order_are_refused(points, kind):
    """Names are there to be checked."""
    X, y = points
    columns = {name: X[:, i] for i, name in enumerate("uvw")}
    smart = SmartSVM(svm(), cut=PAIRS).fit(FRAMES[kind](columns), y)

    with pytest.raises(ValueError, match=r"feature names should match"):
        smart.predict(FRAMES[kind]({name: columns[name] for name in "wuv"}))


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


def test_frames_with_an_index_of_their_own_are_taken_by_position(rng, points):
    """Rows of a split set keep their old numbers."""
    X, y = points
    plain = pd.DataFrame(with_texts(X, y, rng))
    frame = plain.set_axis(np.arange(len(y))[::-1] + 1000)

    assert np.array_equal(
        SmartSVM(by_name(), cut=PAIRS).fit(frame, y).predict(frame),
        SmartSVM(by_name(), cut=PAIRS).fit(plain, y).predict(plain),
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_texts_that_models_cannot_read_are_refused_at_fit(rng, points, kind):
    """A pipeline is needed for them; at prediction it would be too late to say so."""
    X, y = points

    with pytest.raises(ValueError, match=r"could not convert string to float"):
        SmartSVM(svm()).fit(FRAMES[kind](with_texts(X, y, rng)), y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_are_taken_where_no_floor_is_needed(points, pairwise, kind):
    """Texts as counts of words are sparse; a tree from elsewhere serves them."""
    X, y = points
    X = np.where(X > 0, X, 0)
    for options in ({"cut": PAIRS}, {"floor": pairwise}):
        rows, dense = SmartSVM(logistic(), **options), SmartSVM(logistic(), **options).fit(X, y)
        rows.fit(kind(X), y)

        assert rows.predict_proba(kind(X)) == pytest.approx(dense.predict_proba(X), abs=1e-6)
        assert np.array_equal(rows.predict(kind(X)), dense.predict(X))
        assert np.array_equal(rows.predict(X), dense.predict(X))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_are_refused_where_floors_are_computed(points, kind):
    """Distances are measured between dense rows."""
    X, y = points

    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        SmartSVM().fit(kind(X), y)


def test_sparse_rows_may_be_predicted_by_dense_models(points):
    """What was fitted on dense rows has linear models, which read both."""
    X, y = points
    smart = SmartSVM(svm(), cut=PAIRS).fit(X, y)

    assert np.array_equal(smart.predict(sparse.csr_array(X)), smart.predict(X))


# Weights and metadata


def test_rows_without_weight_are_not_there_for_the_models(points):
    """Half of a class weighted out equals half of a class left out, given the same tree."""
    X, y = points
    weight = np.ones(N)
    weight[np.flatnonzero(y == 1)[::2]] = 0
    left = weight > 0
    weighted = SmartSVM(logistic(), cut=PAIRS).fit(X, y, sample_weight=weight)
    fewer, all_rows = SmartSVM(logistic(), cut=PAIRS).fit(X[left], y[left]), SmartSVM(logistic(), cut=PAIRS).fit(X, y)

    assert weighted.predict_proba(X) == pytest.approx(fewer.predict_proba(X), abs=1e-6)
    assert weighted.predict_proba(X) != pytest.approx(all_rows.predict_proba(X), abs=1e-6)


def test_rows_without_weight_are_not_there_for_the_floors(points):
    """Other weights are for the models alone: floors count rows."""
    X, y = points
    left = np.arange(N) % 3 > 0
    weighted = SmartSVM(svm()).fit(X, y, sample_weight=np.where(left, 2.5, 0))

    assert np.array_equal(weighted.floor_matrix_, SmartSVM(svm()).fit(X[left], y[left]).floor_matrix_)


def test_weights_for_models_that_take_none_are_refused(points):
    """Leaving them out silently would be wrong; a pipeline takes them by routing."""
    X, y = points
    with pytest.raises(ValueError, match=r"Got sample_weight, but the fit of KNeighborsClassifier does not accept it"):
        SmartSVM(KNeighborsClassifier()).fit(X, y, np.ones(N))
    with pytest.raises(ValueError, match=r"fit of Pipeline does not accept it. For pipelines, enable metadata routing"):
        SmartSVM(make_pipeline(StandardScaler(), svm())).fit(X, y, np.ones(N))


def test_pipelines_take_weights_by_the_name_of_a_step(points):
    """Scikit-learn's older way; they are cut to the rows of each node."""
    X, y = points
    weight = 1.0 + np.arange(N) % 4
    pipe = make_pipeline(StandardScaler(), logistic())
    smart = SmartSVM(pipe, cut=PAIRS).fit(X, y, logisticregression__sample_weight=weight)
    right = np.isin(y, [1, 3]).astype(int)
    expected = clone(pipe).fit(X, right, logisticregression__sample_weight=weight)

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


def test_weights_are_routed_through_a_pipeline_in_each_node(points):
    """What without routing is refused."""
    X, y = points
    weight = 1.0 + np.arange(N) % 4
    with config_context(enable_metadata_routing=True):
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True), logistic().set_fit_request(sample_weight=True)
        )
        smart = SmartSVM(pipe, cut=PAIRS).fit(X, y, sample_weight=weight)
        expected = clone(pipe).fit(X, np.isin(y, [1, 3]).astype(int), sample_weight=weight)

    assert np.array_equal(smart.models_[0][-1].coef_, expected[-1].coef_)


def test_weights_that_nobody_asked_for_are_refused(points):
    """Scikit-learn's rule: say whether they are wanted."""
    X, y = points
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        SmartSVM(svm()).fit(X, y, sample_weight=np.ones(N))


class Annotated(ClassifierMixin, BaseEstimator):
    """A classifier whose fit takes notes on rows, and a word about all."""

    def fit(self, X, y, notes=None, word=None):
        """Keep what came."""
        self.notes_, self.word_, self.n_rows_ = notes, word, len(X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """The left side."""
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


# Together with scikit-learn


def test_searches_find_parameters_of_the_models_and_of_the_tree(points, pairwise):
    """Both are parameters."""
    X, y = points
    grid = {"estimator__C": [0.001, 1], "floor": [pairwise], "cut": ["min_cut", "average"]}
    search = GridSearchCV(SmartSVM(svm()), grid, cv=2).fit(X, y)

    assert len(search.cv_results_["params"]) == 4
    assert search.score(X, y) > 0.5


def test_each_node_may_search_for_itself(points):
    """A search is a classifier, too."""
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
