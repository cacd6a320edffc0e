"""FloorGuidedClassifier as users meet it: as good as what it takes, as cheap as the floor allows, and it says why."""

import itertools
import logging
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from bayesfloor import BayesFloor, FloorGuidedClassifier
from bayesfloor.floor import SampledRowsWarning
from bayesfloor.hierarchy import ClassTree, _floor_matrix
from bayesfloor.hierarchy._class_tree import NONE
from bayesfloor.leaving import hierarchy_nodes as _nodes
from bayesfloor.leaving.hierarchy_candidates import make_candidates

N = 120
AWAY = np.array([60.0, 0.0, 0.0])
PAIRS = [[0, [2, 4]], [1, 3]]
LINEAR = ("linear discriminant", "logistic regression (")
REASONS = ("at the floor", "below the floor", "room to improve", "out of time")


def guided(X, y, sample_weight=None, **options):
    """A fit with a seed."""
    return FloorGuidedClassifier(**{"random_state": 0, **options}).fit(X, y, sample_weight)


def kernels(size, gamma, random_state):
    """Only candidates that become faster with fewer rows."""
    return [one for one in make_candidates(size, gamma, random_state) if one.family == "RBF SVM"]


def splitting(X, y, **options):
    """A fit that splits wherever this costs no error, whatever time it saves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_nodes, "make_candidates", kernels)
        patch.setattr(_nodes, "_SLOW", 0.0)
        patch.setattr(_nodes, "_FASTER", np.inf)
        patch.setattr(_nodes, "_PAIRS_WORTH", np.inf)
        return guided(X, y, **options)


def linear(X, y):
    """The usual linear classifier, one class against the rest."""
    return make_pipeline(StandardScaler(), LinearSVC(dual=False, random_state=0)).fit(X, y)


def same(one, two, X):
    """Whether two classifiers have the same tree and give the same chances."""
    return one.tree_.to_text() == two.tree_.to_text() and np.array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.fixture(scope="module")
def fitted(points):
    """A fit of five classes that overlap; tests only look at it."""
    return guided(*points)


@pytest.fixture(scope="module")
def group(points, global_random_seed):
    """The same classes as rings around each other: no line tells some from the others."""
    y, rng = points[1], np.random.default_rng(global_random_seed)
    angle, radius = rng.uniform(0, 2 * np.pi, N), 1 + 2 * y + 0.2 * rng.standard_normal(N)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.standard_normal(N)]), y


@pytest.fixture(scope="module")
def groups(group):
    """Two such groups, far from each other."""
    X, y = group
    return np.vstack([X, X[::-1] + AWAY]), np.concatenate([y, y[::-1] + 5])


@pytest.fixture(scope="module")
def grouped(groups):
    """A fit of them."""
    return splitting(*groups)


@pytest.fixture(scope="module")
def ring(global_random_seed):
    """200 rows of a class within another: nothing for linear models."""
    X = np.random.default_rng(global_random_seed).standard_normal((200, 2))
    return X, (np.hypot(*X.T) > 1.18).astype(int)


# Answers


def root_problem(model, y):
    """What the root tells apart: classes, or its two sides."""
    tree = model.tree_
    return y if tree.left[0] == NONE else np.isin(y, tree.members(int(tree.right[0])))


def check_answers(model, X):
    """Chances are chances, and the likeliest class is predicted."""
    chances = model.predict_proba(X)

    assert chances.shape == (len(X), len(model.classes_))
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert np.array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])


def test_probabilities_add_up_to_one_and_the_largest_is_predicted(rng, fitted, grouped):
    """On a tree and without one, also where no row was ever."""
    far = 10 * rng.standard_normal((300, 3))
    check_answers(fitted, far)
    check_answers(grouped, far + AWAY / 2)


def test_one_class_is_answered_always(rng):
    """A fold may have no other."""
    X = rng.standard_normal((10, 2))
    model = guided(X, ["all"] * 10)

    assert set(model.predict(X)) == {"all"}
    assert model.predict_proba(X).tolist() == [[1.0]] * 10
    assert model.tree_.to_text() == "all"
    assert model.models_ == [None]


def test_two_classes_have_one_model(rng, clouds):
    """There is nothing to split."""
    X, y = clouds(rng, [60, 40], spread=0)
    X = X + 2 * y[:, None]
    model = guided(X, y)

    assert model.tree_.n_nodes == 1
    assert len(model.models_) == 1
    assert model.score(X, y) > 0.8
    check_answers(model, X)


def test_a_class_of_one_row_has_its_place(points):
    """Rare classes are classes."""
    X, y = points
    model = guided(np.vstack([X, [[50, 50, 50]]]), np.r_[y, 9])

    assert model.classes_.tolist() == [0, 1, 2, 3, 4, 9]
    assert model.predict([[60, 60, 60]]).tolist() == [9]
    check_answers(model, X)


def test_two_classes_of_one_row_each_may_share_a_node(rng, clouds):
    """Rare classes that are alike end up together: a node of two rows."""
    X, y = clouds(rng, [60, 50], spread=0.5)
    X, y = np.vstack([X, [[90, 90, 90], [95, 90, 90]]]), np.r_[y, 8, 9]
    model = splitting(X, y, cut=[[0, 1], [8, 9]], scale=None)

    assert model.tree_.left[0] != NONE
    assert model.predict([[89, 90, 90], [97, 90, 90]]).tolist() == [8, 9]
    check_answers(model, X)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[1, 2], [1, 5], [2, 2], [3, 4], [2, 3, 4], [1, 1], [1, 1, 1]], ids=str)
def test_a_handful_of_rows_is_enough(sizes):
    """Whoever has no more must not meet an error of the machinery."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.column_stack([10.0 * y, np.arange(len(y)) % 2])
    model = guided(X, y)

    assert np.array_equal(model.predict(X), y)
    check_answers(model, X)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda y: np.array(["e", "d", "c", "b", "a"])[y],
        lambda y: np.array(["e", "d", "c", "b", "a"], dtype=object)[y],
        lambda y: (y - 2.0).tolist(),
        lambda y: pd.Series(pd.Categorical.from_codes(y, list("edcba")), index=np.arange(len(y))[::-1]),
    ],
    ids=["texts", "objects", "floats", "category"],
)
def test_labels_of_any_kind_are_answered(points, change):
    """As they came."""
    X, y = points
    labels = change(y)
    model = guided(X, labels)

    assert model.classes_.tolist() == sorted(set(labels))
    assert set(model.predict(X).tolist()) <= set(labels)
    assert np.mean(model.predict(X) == np.asarray(labels)) > 0.5


def test_names_of_classes_and_their_order_mean_nothing_to_the_score(points, fitted):
    """Other names give other folds, but not another quality."""
    X, y = points

    assert guided(X, 4 - y).score(X, 4 - y) == pytest.approx(fitted.score(X, y), abs=0.1)


@pytest.mark.slow
def test_order_of_rows_means_nothing_to_the_quality(rng, clouds):
    """Folds are dealt anew; what comes of it is as good."""
    X, y = clouds(rng, [80, 60, 60, 40], spread=1.5)
    X, y, Z, z = X[::2], y[::2], X[1::2], y[1::2]
    order = np.argsort(y, kind="stable")

    assert guided(X[order], y[order]).score(Z, z) == pytest.approx(guided(X, y).score(Z, z), abs=0.12)


# What the tree tells


def test_every_node_with_a_model_has_its_numbers_and_its_reason(grouped):
    """In the frame, beside single classes that have none."""
    frame = grouped.tree_.frame()
    single = frame["n_classes"] == 1

    assert frame.loc[~single, ["floor", "cv_error"]].notna().all(axis=None)
    assert frame.loc[~single, ["floor", "cv_error"]].min(axis=None) >= 0
    assert frame.loc[~single, "model"].str.contains("linear|logistic|forest|network|SVM|boosting").all()
    assert frame.loc[~single, "tried"].str.startswith("tried ").all()
    assert frame.loc[~single, "reason"].str.startswith(REASONS).all()
    assert frame.loc[single, ["floor", "cv_error"]].isna().all(axis=None)
    assert (frame.loc[single, ["model", "reason", "tried"]] == "").all(axis=None)


def test_single_classes_have_no_numbers(rng, clouds):
    """One class far from two others is a leaf of the tree."""
    X, y = clouds(rng, [40, 40, 40], spread=0.3)
    frame = splitting(X + 50 * (y == 1)[:, None], y).tree_.frame()

    assert frame["n_classes"].tolist() == [3, 2, 1]
    assert frame["cv_error"].isna().tolist() == frame["floor"].isna().tolist() == [False, False, True]
    assert frame["model"].tolist()[2] == frame["reason"].tolist()[2] == ""
    assert frame["link"].notna().tolist() == [True, False, False]


def test_the_text_tells_floor_error_model_and_reason(grouped):
    """One line a node, and another for what was tried at what cost."""
    lines = grouped.tree_.to_text().splitlines()
    tree = grouped.tree_
    told = [node for node in range(tree.n_nodes) if tree.model[node]]

    assert len(lines) == tree.n_nodes + len(told)
    for node in told:
        mentioned = f"floor {tree.floor[node]:.3f}, error {tree.cv_error[node]:.3f}, {tree.model[node]}, "
        place = next(number for number, line in enumerate(lines) if mentioned + tree.reason[node] in line)
        assert lines[place + 1].endswith(tree.tried[node])
        assert re.search(r"tried .* 0\.\d{3} \([\d.e-]+ s\)", tree.tried[node])


def test_models_stand_beside_their_nodes(grouped, groups):
    """Splits answer with sides, nodes without children with class numbers."""
    X, y = groups
    tree, points = grouped.tree_, grouped._new_rows(X).X
    for node, model in enumerate(grouped.models_):
        members = tree.members(node)
        rows = np.isin(y, members)
        if len(members) == 1:
            assert model is None
        elif tree.left[node] == NONE:
            assert np.array_equal(model.classes_, members)
            assert np.mean(model.predict(points[rows]) == y[rows]) > 0.4
        else:
            right = np.isin(y[rows], tree.members(int(tree.right[node])))
            assert np.array_equal(model.classes_, [0, 1])
            assert np.mean(model.predict(points[rows]) == right) > 0.99


def test_floors_are_those_of_bayes_floor(points, fitted, groups, grouped):
    """The root's is that of all rows: of their classes, or of its two sides."""
    for (X, y), model in ((points, fitted), (groups, grouped)):
        floor = BayesFloor(interval="fast").fit(X, y)

        assert model.scale_ == floor.scale_
        assert model.tree_.floor[0] == pytest.approx(floor.relabel(root_problem(model, y)).overall_.lower)


def test_groups_far_apart_are_split_at_the_root(grouped, groups):
    """By a linear model without an error, which the floor says no other could undercut."""
    X, y = groups
    tree = grouped.tree_

    assert [tree.members(int(side[0])).tolist() for side in (tree.left, tree.right)] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
    ]
    assert tree.cv_error[0] == 0
    assert tree.floor[0] < 0.02
    assert tree.model[0] == "logistic regression (C=30)"
    assert np.array_equal(grouped.predict(X) < 5, y < 5)


@pytest.mark.slow
def test_a_group_is_told_apart_as_well_beside_another(group, grouped):
    """What lies far away takes nothing from it."""
    X, y = group
    alone = splitting(X, y).tree_

    assert grouped.tree_.floor[1:] == pytest.approx(np.repeat(alone.floor[0], 2))
    assert grouped.tree_.cv_error[1:] == pytest.approx(np.repeat(alone.cv_error[0], 2), abs=0.15)


def test_a_fast_model_is_not_split_and_pairs_are_not_measured(points, monkeypatch):
    """However far apart groups are: a tree would answer no sooner, and pairs are most of what floors cost."""
    X, y = points
    X, y = np.vstack([X, X + AWAY]), np.concatenate([y, y + 5])
    monkeypatch.setattr(_floor_matrix, "class_forests", None)
    model = guided(X, y)

    assert model.tree_.n_nodes == 1
    assert np.array_equal(model.predict(X) < 5, y < 5)
    assert np.isnan(model.tree_.link[0])


def test_the_time_of_floors_is_reported(fitted):
    """What they cost should be known."""
    assert isinstance(fitted.floor_seconds_, float)
    assert fitted.floor_seconds_ >= 0


@pytest.mark.slow
def test_nodes_are_logged_when_asked_for(points, caplog):
    """A long fit should say where it is, through logging alone."""
    with caplog.at_level(logging.INFO):
        guided(*points)
        assert caplog.messages == []
        model = guided(*points, verbose=1)

    assert len(caplog.messages) == sum(one is not None for one in model.models_)
    facts = f"floor {model.tree_.floor[0]:.4f}, error {model.tree_.cv_error[0]:.4f}, {model.tree_.model[0]}"
    assert caplog.messages[0].startswith(f"5 classes: {facts}")


# How much is taken


def test_linear_models_do_where_they_reach_the_floor(rng, clouds):
    """Two Gaussians of one shape, far apart: a line does, and nothing can do better."""
    X, y = clouds(rng, [100, 100], d=2, spread=0)
    model = guided(X + 6 * y[:, None], y)

    assert model.tree_.model[0].startswith(LINEAR)
    assert model.tree_.reason[0] == "at the floor"


def test_kernels_are_taken_where_lines_leave_room(ring):
    """A class around another."""
    X, y = ring
    model = guided(X[::2], y[::2])

    assert not model.tree_.model[0].startswith(LINEAR)
    assert model.score(X[1::2], y[1::2]) > 0.85 > linear(X[::2], y[::2]).score(X[1::2], y[1::2])


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_floor_that_is_too_high_does_not_stop_it(n_classes):
    """On a grid of categories every row has as many neighbours of other classes: trees see no rule, models do."""
    grid = np.array(list(itertools.product(range(4), repeat=4)))
    X, y = (grid[:, :, None] == np.arange(4)).reshape(256, 16).astype(float), (grid[:, 0] + grid[:, 1]) % n_classes
    order = np.random.default_rng(0).permutation(256)
    train, test = order[:192], order[192:]
    model = guided(X[train], y[train])

    assert model.tree_.reason[0] == "below the floor, so the floor is too high"
    assert model.tree_.floor[0] > 0.03
    assert model.score(X[test], y[test]) > 0.9
    assert linear(X[train], y[train]).score(X[test], y[test]) < 0.6


def test_without_time_models_are_linear(ring, points, fitted):
    """And the reason says so; with time enough the budget is not felt."""
    hurried = guided(*ring, time_budget=1e-9)

    assert hurried.tree_.model[0].startswith(LINEAR)
    assert hurried.tree_.reason[0] == "out of time"
    check_answers(hurried, ring[0])
    assert same(guided(*points, time_budget=1e6), fitted, points[0])


# Data as they are


def test_features_of_very_different_scales_are_scaled(points, fitted):
    """Millionths and millions side by side."""
    X, y = points
    wide = X * [1e-6, 1e6, 1]
    model = guided(wide, y)

    assert model.scale_ in ("standard", "robust")
    assert model.score(wide, y) == pytest.approx(fitted.score(X, y), abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_all_features_means_nothing(points, unit):
    """Metres or kilometres: the same models."""
    X, y = points
    plain, other = guided(X, y, scale=None), guided(X * unit, y, scale=None)

    assert np.mean(other.predict(X * unit) == plain.predict(X)) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, "auto"])
def test_where_features_lie_means_nothing(points, scale):
    """A feature around a thousand, such as a year, spreads no more than it did around zero."""
    X, y = points
    far = X + 20 * AWAY
    plain, other = guided(X, y, scale=scale), guided(far, y, scale=scale)

    assert other._spread == pytest.approx(plain._spread)
    assert np.mean(other.predict(far) == plain.predict(X)) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, "standard", "robust", "unit"])
def test_every_scale_serves_new_rows(points, scale):
    """A row has the same answer alone as among others: scales are those of the fit."""
    X, y = points
    model = guided(X + 5, y, scale=scale)

    assert model.scale_ == scale
    assert model.predict_proba(X[:1] + 5) == pytest.approx(model.predict_proba(X + 5)[:1])
    assert model.score(X + 5, y) > 0.4


def test_constant_features_say_nothing(points, fitted):
    """They are there in every table."""
    X, y = points
    more = np.column_stack([np.full(N, 0.1), X, np.zeros(N), np.full(N, 1e6)])
    for scale in (None, "standard", "robust"):
        assert guided(more, y, scale=scale).score(more, y) == pytest.approx(fitted.score(X, y), abs=0.1)


def test_a_constant_feature_that_moves_a_little_spoils_nothing(ring):
    """0.1 has no exact mean: a spread of rounding errors would make a thousandth a step of millions."""
    X, y = ring[0][:N], ring[1][:N]
    model = guided(np.column_stack([X, np.full(N, 0.1)]), y, scale="standard")

    assert model.score(np.column_stack([X, np.full(N, 0.101)]), y) > 0.85


def test_features_that_are_all_constant_leave_the_largest_class():
    """Nothing is known; nothing fails."""
    X, y = np.ones((30, 2)), np.repeat([0, 1, 2], [5, 20, 5])
    model = guided(X, y)

    assert set(model.predict(X)) == {1}
    check_answers(model, X)


def test_equal_rows_with_other_labels_are_answered(rng, points):
    """Three of four labels decide where rows are the same."""
    X, y = points
    X, y = np.repeat(X[:40], 4, axis=0), np.repeat(y[:40] % 2, 4)
    y[::4] = 1 - y[::4]
    order = rng.permutation(len(y))
    model = guided(X[order], y[order])

    assert model.tree_.floor[0] > 0.1
    check_answers(model, X)


def test_of_many_rows_floors_use_some_and_models_all(rng, clouds, monkeypatch):
    """The warning says so, where the user called."""
    monkeypatch.setattr(_floor_matrix, "LARGE", 100)
    X, y = clouds(rng, [100, 100, 50], spread=3.0)
    with pytest.warns(SampledRowsWarning, match=r"100 of 250 rows are used.*models use all") as caught:
        model = FloorGuidedClassifier(random_state=0).fit(X, y)

    assert caught[0].filename == __file__
    assert model.score(X, y) > 0.5


# Data frames


def to_polars(columns):
    """A polars frame."""
    return pytest.importorskip("polars").DataFrame(columns)


def to_arrow(columns):
    """A pyarrow table."""
    return pytest.importorskip("pyarrow").table(columns)


FRAMES = {"pandas": pd.DataFrame, "polars": to_polars, "pyarrow": to_arrow}
COLOURS = np.array(["red", "blue", "green", "grey", "pink"])


@pytest.fixture(scope="module")
def columns(points, global_random_seed):
    """Columns of which one holds texts that tell of the class, and labels."""
    X, y = points
    rng = np.random.default_rng(global_random_seed)
    guess = np.where(rng.random(N) < 0.9, y, rng.integers(0, 5, N))
    guess[:5] = np.arange(5)
    return {"u": X[:, 0], "v": X[:, 1], "colour": COLOURS[guess].tolist()}, y


@pytest.fixture(scope="module", params=FRAMES)
def framed(request, columns):
    """A kind of frame, and a fit of one with texts."""
    frame = FRAMES[request.param]
    return frame, guided(frame(columns[0]), columns[1])


def first_rows(columns, **changed):
    """Two rows of the same columns."""
    return {name: changed.get(name, list(values[:2])) for name, values in columns.items()}


def test_texts_are_read_at_the_fit_and_after(columns, framed):
    """As BayesFloor reads them: the class is in the texts, nine times of ten."""
    (given, y), (frame, model) = columns, framed

    assert model.feature_names_in_.tolist() == ["u", "v", "colour"]
    floor = BayesFloor(interval="fast").fit(frame(given), y).relabel(root_problem(model, y))
    assert model.tree_.floor[0] == pytest.approx(floor.overall_.lower)
    assert model.score(frame(given), y) > 0.8


def test_categories_of_later_rows_are_those_of_the_fit(columns, framed):
    """A few rows have few of them, and one may be new: it is none of the others, not an error."""
    (given, _), (frame, model) = columns, framed
    both = model.predict_proba(frame(first_rows(given)))
    new = model.predict_proba(frame(first_rows(given, colour=["violet", given["colour"][1]])))

    assert both == pytest.approx(model.predict_proba(frame(given))[:2])
    assert new[0].sum() == pytest.approx(1)
    assert new[1] == pytest.approx(both[1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_a_table_of_numbers_is_what_it_holds(points, fitted, kind):
    """What a table is kept in is no part of the data."""
    X, y = points
    frame = FRAMES[kind]({name: X[:, i] for i, name in enumerate("uvw")})
    model = guided(frame, y)

    assert model.tree_.to_text() == fitted.tree_.to_text()
    assert np.array_equal(model.predict_proba(frame), fitted.predict_proba(X))


@pytest.mark.slow
def test_columns_in_another_order_are_refused(columns, framed):
    """Names are there to be checked."""
    (given, _), (frame, model) = columns, framed

    for names in (("v", "u", "colour"), ("u", "v")):
        with pytest.raises(ValueError, match=r"feature names should match"):
            model.predict(frame({name: given[name] for name in names}))


@pytest.fixture(scope="module")
def of_frame(columns):
    """A fit of a frame with texts."""
    return guided(pd.DataFrame(columns[0]), columns[1])


@pytest.mark.parametrize("texts", [["a", "a"], ["a", "b"]], ids=["one text", "two texts"])
def test_texts_where_numbers_were_are_refused(columns, of_frame, texts):
    """A column must be what it was at the fit."""
    with pytest.raises(ValueError, match=r"\(u: a is not a number"):
        of_frame.predict(pd.DataFrame(first_rows(columns[0], u=texts)))


def test_missing_values_are_filled_after_the_fit_as_at_it(columns, of_frame):
    """The median of a number, and no known category."""
    frame = pd.DataFrame(columns[0])
    gaps = frame.assign(colour=[None, *frame["colour"][1:]], u=[np.nan, *frame["u"][1:]])
    of_gaps = guided(gaps, columns[1])

    assert len(of_gaps.predict(gaps)) == len(gaps)
    filled = of_frame.predict_proba(pd.DataFrame(first_rows(columns[0], u=[np.nan, frame["u"].median()])))
    given = of_frame.predict_proba(pd.DataFrame(first_rows(columns[0], u=[frame["u"].median()] * 2)))
    assert np.array_equal(filled, given)


def test_missing_numbers_of_an_array_are_refused_where_none_were_at_the_fit(fitted):
    """No distance to nowhere."""
    with pytest.raises(ValueError, match=r"contains NaN"):
        fitted.predict([[0.0, np.nan, 0.0]])


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_an_array_where_a_frame_with_texts_was_is_refused(of_frame):
    """Its numbers cannot be the texts; as many columns as categories would be no better."""
    for n_columns in (3, 7):
        with pytest.raises(ValueError, match=r"feature|column"):
            of_frame.predict(np.zeros((2, n_columns)))


def test_categories_of_pandas_are_texts(columns, of_frame):
    """Whatever pandas calls the type."""
    frame = pd.DataFrame(columns[0])
    other = guided(frame.astype({"colour": "category"}), columns[1])

    assert same(other, of_frame, frame)


def test_sparse_rows_are_refused_as_such(points, fitted):
    """Distances are measured between dense rows; the message says how to make them."""
    X, y = points

    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        guided(sparse.csr_array(X), y)
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        fitted.predict(sparse.csr_array(X))


# Trees of users


@pytest.mark.slow
def test_trees_can_be_given(groups, sets_of):
    """Who knows which classes belong together says so; splits that are not worth it are not made."""
    X, y = groups
    left, right = [[0, 1], [2, [3, 4]]], [[5, 6], [7, [8, 9]]]
    for cut in ([left, right], ClassTree.from_nested([left, right])):
        model = splitting(X, y, cut=cut)

        assert sets_of(model.tree_) == {(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)}
        assert model.score(X, y) > 0.4
    assert np.isfinite(model.tree_.link[0])


@pytest.mark.slow
def test_a_split_that_costs_errors_is_not_made(ring):
    """The tree is an offer: no line tells a class from those around it."""
    X, outside = ring
    y = outside * (1 + (X[:, 0] > 0))

    assert splitting(X, y, cut=[0, [1, 2]]).tree_.n_nodes == 1


@pytest.mark.slow
def test_a_tree_of_a_fit_fits_again(groups, grouped):
    """Trees are results and parameters alike."""
    assert same(splitting(*groups, cut=grouped.tree_), grouped, groups[0])


@pytest.mark.slow
def test_folds_may_lack_a_class(points):
    """Rows sorted by class, folds without shuffling: every training set lacks some."""
    X, y = points
    order = np.argsort(y, kind="stable")
    for cut in (PAIRS, "min_cut"):
        model = FloorGuidedClassifier(cut=cut, time_budget=1e-9, random_state=0)
        scores = cross_val_score(model, X[order], y[order], cv=KFold(5))

        assert len(scores) == 5
        assert np.isfinite(scores).all()


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["min_cut", "normalized_cut", "complete"])
def test_every_cut_gives_a_tree(groups, grouped, cut):
    """Worse ones are not followed down, so that answers are as good."""
    X, y = groups
    model = splitting(X, y, cut=cut)

    assert model.score(X, y) == pytest.approx(grouped.score(X, y), abs=0.15)
    check_answers(model, X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cut": "mincut"}, r"Got cut='mincut', but expected 'min_cut'"),
        ({"cut": [0, 1, 2]}, r"Got a list of length 3 in the tree, but expected pairs"),
        ({"cut": [[0, 1], [2, 3]]}, r"Got rows of class 4, which is not in the tree"),
        ({"scale": "log"}, r"Got scale='log', but expected 'auto', 'standard', 'robust', 'unit' or None"),
        ({"n_trees": 0}, r"Got n_trees=0, but expected an integer from 1 to 100"),
        ({"n_trees": 1.5}, r"Got n_trees=1.5, but expected an integer from 1 to 100"),
        ({"time_budget": 0}, r"Got time_budget=0, but expected None or a positive number of seconds"),
        ({"time_budget": -1.0}, r"Got time_budget=-1.0, but expected None or a positive number of seconds"),
        ({"time_budget": np.nan}, r"Got time_budget=nan, but expected None or a positive number of seconds"),
        ({"time_budget": "1"}, r"Got time_budget='1', but expected None or a positive number of seconds"),
        ({"random_state": "a"}, r"'a' cannot be used to seed"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(points, options, message):
    """With what came and what was expected; at fit, as in scikit-learn."""
    with pytest.raises(ValueError, match=message):
        guided(*points, **options)


# Weights


def test_rows_without_weight_are_not_there(points):
    """Neither for the floors nor for the models."""
    X, y = points
    left = np.arange(N) % 3 > 0
    weighted, fewer = guided(X, y, np.where(left, 2.5, 0)), guided(X[left], y[left])

    assert weighted.tree_.to_text() == fewer.tree_.to_text()
    assert weighted.predict_proba(X) == pytest.approx(fewer.predict_proba(X), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [np.ones(N).tolist(), pd.Series(np.full(N, 3.0), index=np.arange(N)[::-1])])
def test_equal_weights_change_nothing(points, fitted, weight):
    """As a list or a series with an index of its own."""
    X, y = points
    weighted = guided(X, y, weight)

    assert weighted.tree_.to_text() == fitted.tree_.to_text()
    assert weighted.predict_proba(X) == pytest.approx(fitted.predict_proba(X), abs=1e-6)


def test_weights_reach_the_models(rng, clouds):
    """Where two classes overlap, the heavier one is answered more often."""
    X, y = clouds(rng, [100, 100], spread=0)
    X = X + y[:, None]
    counts = [np.mean(guided(X, y, np.where(y == heavy, 10.0, 1.0)).predict(X) == 1) for heavy in (0, 1)]

    assert counts[0] < 0.4
    assert counts[1] > 0.6


def test_a_node_of_light_rows_errs_as_one_of_heavy_rows(rng, clouds):
    """A node's error is a share of its own weight: the same problem twice has the same error twice."""
    X, y = clouds(rng, [60, 60, 60], spread=0.3)
    X, y = np.vstack([X, X + 3 * AWAY]), np.r_[y, y + 3]
    tree = guided(X, y, np.where(y < 3, 1.0, 50.0), cut=[[[0, 1], 2], [[3, 4], 5]], time_budget=1e-9).tree_
    light, heavy = tree.cv_error[[int(tree.left[0]), int(tree.right[0])]]

    assert max(light, heavy) <= 1
    assert light == pytest.approx(heavy, abs=0.15)


def test_one_heavy_row_can_be_fitted(ring):
    """Its error may be all there is, but not more than that."""
    X, y = ring
    weight = np.ones(len(y))
    weight[3] = 1e4
    model = guided(X, np.where(np.arange(len(y)) == 3, 1 - y, y), weight)

    assert 0 <= model.tree_.cv_error[0] <= 1


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (lambda y: (y != 2).astype(float), r"Got sample_weight 0 for all rows of class 2"),
        (lambda y: np.zeros(len(y)), r"Got a sample_weight of zero for every row"),
        (lambda y: np.where(y == 2, -1.0, 1.0), r"expected 120 finite numbers that are 0 or more"),
        (lambda y: np.ones(len(y) - 1), r"Got sample_weight of shape \(119,\)"),
        (lambda y: np.where(y == 2, np.nan, 1.0), r"expected 120 finite numbers that are 0 or more"),
    ],
    ids=["a class", "all", "negative", "length", "missing"],
)
def test_weights_that_make_no_sense_are_refused(points, weight, message):
    """Before anything is trained."""
    with pytest.raises(ValueError, match=message):
        guided(*points, weight(points[1]))


# Together with scikit-learn


@pytest.mark.slow
def test_a_seed_repeats_a_fit(points, fitted, ring):
    """Same data, same seed: the same tree and the same chances; threads change nothing."""
    assert same(guided(*points), fitted, points[0])
    assert same(guided(*points, n_jobs=2), fitted, points[0])
    assert same(guided(*ring), guided(*ring), ring[0])


def test_without_a_seed_fits_differ_but_work(points):
    """None draws one; a generator gives the next."""
    X, y = points
    for seed in (None, np.random.RandomState(0)):
        assert guided(X, y, random_state=seed, time_budget=1e-9).score(X, y) > 0.5


def test_parameters_come_back_as_they_went_in():
    """Searches rely on it."""
    given = {
        "cut": ClassTree.from_nested(PAIRS),
        "n_trees": 2,
        "scale": None,
        "time_budget": 5.0,
        "class_weight": "balanced",
        "n_jobs": 2,
        "random_state": 7,
        "verbose": 1,
    }

    assert FloorGuidedClassifier(**given).get_params() == given
    assert FloorGuidedClassifier().set_params(**given).get_params() == given


@pytest.mark.slow
def test_clones_are_unfitted_and_pickles_are_whole(points, fitted, ring):
    """Searches clone, servers unpickle."""
    for model, X in ((fitted, points[0]), (guided(*ring), ring[0])):
        again, copy = pickle.loads(pickle.dumps(model)), clone(model)  # noqa: S301 - our own

        assert same(again, model, X)
        with pytest.raises(NotFittedError):
            copy.predict(X)
    assert same(copy.fit(*ring), again, ring[0])


@pytest.mark.slow
def test_a_second_fit_forgets_the_first(columns, ring, grouped):
    """Other features, other classes, a frame before an array: as if fitted for the first time."""
    again = clone(grouped).fit(pd.DataFrame(columns[0]), columns[1]).fit(*ring)
    fresh = guided(*ring)

    assert vars(again).keys() == vars(fresh).keys()
    assert same(again, fresh, ring[0])
    assert again.n_features_in_ == 2
    assert again.classes_.tolist() == [0, 1]
    assert len(again.models_) == again.tree_.n_nodes == 1


# Real data


def check_real(X, y):
    """At least as good as the usual linear classifier."""
    X, Z, y, z = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    model = guided(X, y)
    check_answers(model, Z)

    assert model.score(Z, z) >= linear(X, y).score(Z, z) - 0.01
    return model, Z, z


def test_segments_are_told_apart(dataset):
    """Features of very different scales, seven classes of which some are easy."""
    model, _, _ = check_real(*dataset("segment"))

    assert model.tree_.n_nodes > 1


@pytest.mark.slow
def test_digits_are_told_apart_and_their_chances_can_be_believed():
    """How sure it is says how often it is right: better than answers alone, all taken for as good as sure."""
    model, X, y = check_real(*load_digits(return_X_y=True))
    chances = model.predict_proba(X)
    answers = np.clip(model.predict(X)[:, None] == np.arange(10), 0.001, 0.991)

    assert log_loss(y, chances) < log_loss(y, answers)
    assert chances.max(axis=1).mean() == pytest.approx(model.score(X, y), abs=0.05)


# Groups, class weights and codes


def test_rows_of_a_group_do_not_give_each_other_away(rng):
    """Ten near-copies of each of forty patients, with labels at random: nothing can be known of another patient."""
    patient = np.repeat(np.arange(40), 10)
    X = rng.standard_normal((40, 3))[patient] + 0.01 * rng.standard_normal((400, 3))
    y = rng.integers(0, 2, 40)[patient]
    fooled, warned = guided(X, y), FloorGuidedClassifier().fit(X, y, groups=patient)

    assert fooled.tree_.cv_error[0] < 0.05
    assert warned.tree_.cv_error[0] > 0.2
    assert warned.tree_.floor[0] > fooled.tree_.floor[0]
    check_answers(warned, X)


def test_groups_of_other_shapes_are_refused(points):
    """One for each row, and at least two."""
    X, y = points
    for groups, message in ((np.arange(5), r"Got groups of shape"), (np.zeros(N), r"Got one group for all rows")):
        with pytest.raises(ValueError, match=message):
            FloorGuidedClassifier().fit(X, y, groups=groups)


def test_class_weights_are_weights_of_rows(rng, clouds):
    """Balanced, or given by label; floors do not know of them."""
    X, y = clouds(rng, [150, 30], spread=0)
    X, names = X + 0.8 * y[:, None], np.array(["many", "few"])[y]
    plain, even = guided(X, names), guided(X, names, class_weight="balanced")
    given = guided(X, names, class_weight={"many": 1.0, "few": 5.0})

    assert np.mean(even.predict(X) == "few") > np.mean(plain.predict(X) == "few") + 0.1
    assert np.mean(even.predict(X) == given.predict(X)) > 0.9  # equal but for rounding
    assert even.tree_.floor[0] == plain.tree_.floor[0]
    with pytest.raises(ValueError, match=r"class_weight"):
        guided(X, names, class_weight="even")


def test_codes_of_a_table_are_read_as_check_reads_them(rng):
    """Zip codes are names, not quantities: which of forty it is decides the class."""
    zips = 10_000 + 137 * np.arange(40)
    zip_code = rng.choice(zips, 800)
    frame = pd.DataFrame({"zip_code": zip_code, "height": rng.standard_normal(800)})
    y = (np.searchsorted(zips, zip_code) * 7 % 3 == 0).astype(int)
    model = guided(frame[:600], y[:600])

    assert model.score(frame[600:], y[600:]) > 0.9
    check_answers(model, frame[600:])
