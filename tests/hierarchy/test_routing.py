"""Rows on their way through a tree: one path, all paths and the best few agree where they should."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bayesfloor.hierarchy import ClassTree, _routing
from bayesfloor.hierarchy._class_tree import grow_tree
from bayesfloor.hierarchy._routing import RowsOnTree, class_margins, class_probabilities, route, route_likeliest

PAIRS = [[0, [2, 4]], [1, 3]]


class Scores(ClassifierMixin, BaseEstimator):
    """A model that knows its margin: a column of X."""

    def __init__(self, column):
        """Keep the column."""
        self.column = column
        self.classes_ = np.array([0, 1])

    def decision_function(self, X):
        """The column."""
        return X[:, self.column]

    def predict_proba(self, X):
        """Chances that grow with the column."""
        return np.column_stack([expit(-X[:, self.column]), expit(X[:, self.column])])

    def predict(self, X):
        """The right side where the column is positive."""
        return (X[:, self.column] > 0).astype(int)


def given_scores(pairs=PAIRS):
    """A tree and models whose margins are the columns of X, one for each split."""
    tree = ClassTree.from_nested(pairs)
    models = [None] * tree.n_nodes
    for column, node in enumerate(tree.splits.tolist()):
        models[node] = Scores(column)
    return tree, models


def train(estimator, tree, X, y):
    """A model for every split."""
    models = [None] * tree.n_nodes
    for node in tree.splits.tolist():
        rows = np.isin(y, tree.members(node))
        right = np.isin(y, tree.members(int(tree.right[node])))
        models[node] = estimator().fit(X[rows], right[rows].astype(int))
    return models


def follow(tree, models, row):
    """The class of one row, step by step."""
    node = 0
    while tree.left[node] >= 0:
        node = int((tree.right if models[node].predict(row[None])[0] else tree.left)[node])
    return tree.order[tree.start[node]] if models[node] is None else models[node].predict(row[None])[0]


def by_hand(tree, sides, combine, first):
    """What combining along the path to each class gives; sides[node] has the values of its two children."""
    found = np.empty(len(tree.classes))
    for node in np.flatnonzero(tree.left == -1).tolist():
        value, at = first, node
        while (above := int(tree.parent[at])) >= 0:
            value, at = combine(value, sides[above][int(tree.right[above] == at)]), above
        found[tree.order[tree.start[node]]] = value
    return found


MARGINS = st.lists(st.integers(-3, 3), min_size=4, max_size=4).map(lambda row: np.array([row], dtype=float))


@given(MARGINS)
def test_one_path_is_followed_to_its_end(X):
    """Each answer says where to go on."""
    tree, models = given_scores()

    assert route(tree, models, RowsOnTree(X)).tolist() == [follow(tree, models, X[0])]


@given(MARGINS)
def test_probabilities_are_products_along_the_path(X):
    """The chain rule; they add up to 1."""
    tree, models = given_scores()
    sides = {node: models[node].predict_proba(X)[0] for node in tree.splits.tolist()}
    found = class_probabilities(tree, models, RowsOnTree(X))

    assert found[0] == pytest.approx(by_hand(tree, sides, np.multiply, 1.0))
    assert found.sum() == pytest.approx(1)


@given(MARGINS)
def test_margins_are_the_smallest_along_the_path(X):
    """A chain is as strong as its weakest link: positive for the class at the end of the path alone."""
    tree, models = given_scores()
    sides = {node: (-X[0, models[node].column], X[0, models[node].column]) for node in tree.splits.tolist()}
    found = class_margins(tree, models, RowsOnTree(X))[0]

    assert np.array_equal(found, by_hand(tree, sides, np.minimum, np.inf))
    assert (found > 0).sum() <= 1
    if (found > 0).any():
        assert found.argmax() == route(tree, models, RowsOnTree(X))[0]


@given(MARGINS, st.sampled_from([None, 5, 9]))
def test_the_largest_product_is_found(X, width):
    """Without a beam, or with one as wide as there are classes, nothing is left out."""
    tree, models = given_scores()
    found = class_probabilities(tree, models, RowsOnTree(X))[0]

    assert found[route_likeliest(tree, models, RowsOnTree(X), width)[0]] == pytest.approx(found.max())


@given(MARGINS)
def test_a_beam_of_one_follows_the_likelier_side(X):
    """The narrowest beam is the one path."""
    X = X + 0.5  # without ties
    tree, models = given_scores()

    assert np.array_equal(route_likeliest(tree, models, RowsOnTree(X), 1), route(tree, models, RowsOnTree(X)))


def test_a_wider_beam_finds_what_one_path_misses():
    """Two fair splits behind a likely side beat it nowhere; a sure class on the other side does."""
    tree, models = given_scores([[0, 1], 2])
    X = np.array([[-0.2, 0.0]])  # 0.55 to the left, shared by two; 0.45 to the right

    assert class_probabilities(tree, models, RowsOnTree(X))[0] == pytest.approx([0.275, 0.275, 0.45], abs=1e-3)
    assert route_likeliest(tree, models, RowsOnTree(X), 1).tolist() == [0]
    assert route_likeliest(tree, models, RowsOnTree(X), 2).tolist() == [2]


@pytest.mark.parametrize("width", [None, 1, 2, 5])
def test_paths_of_rows_are_kept_apart(rng, width):
    """Each row has its own best few."""
    tree, models = given_scores()
    X = rng.standard_normal((50, 4))
    expected = [route_likeliest(tree, models, RowsOnTree(row[None]), width)[0] for row in X]

    assert route_likeliest(tree, models, RowsOnTree(X), width).tolist() == expected


def test_models_far_from_the_likeliest_path_are_not_asked():
    """With hundreds of classes most of the time would go there."""
    tree, models = given_scores()
    X = np.array([[-9.0, -9.0, 0.0, 0.0]])  # surely left, and left again
    for node in (int(tree.right[0]), int(tree.right[tree.left[0]])):
        models[node] = "not to be asked"

    assert route_likeliest(tree, models, RowsOnTree(X)).tolist() == [0]


@pytest.mark.parametrize("width", [None, 1, 2, 5])
def test_likeliest_paths_take_probabilities_of_zero(points, width):
    """Decision trees are sure of everything, and the logarithm of 0 is no reason to warn."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    models = train(lambda: DecisionTreeClassifier(random_state=0), tree, X, y)

    assert np.array_equal(route_likeliest(tree, models, RowsOnTree(X), width), y)


LINEAR = {
    "LinearSVC": lambda: LinearSVC(random_state=0),
    "LogisticRegression": lambda: LogisticRegression(solver="newton-cholesky"),
    "RidgeClassifier": RidgeClassifier,
    "Perceptron": lambda: Perceptron(random_state=0),
    "SGDClassifier": lambda: SGDClassifier(random_state=0, max_iter=5000),
    "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis,
    "without intercept": lambda: LinearSVC(fit_intercept=False),
}


@pytest.mark.parametrize("kind", LINEAR)
def test_one_product_answers_as_all_nodes_would(points, monkeypatch, kind):
    """It is there for speed alone."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    models = train(LINEAR[kind], tree, X, y)
    assert kind not in ("LinearSVC", "LogisticRegression") or _routing._all_linear(tree, models, X)
    quick = route(tree, models, RowsOnTree(X))
    monkeypatch.setattr(_routing, "_all_linear", lambda *_: False)

    assert np.array_equal(quick, route(tree, models, RowsOnTree(X)))
    assert len(np.unique(quick)) > 2


@pytest.mark.parametrize("pairs", [[0, [1, [2, [3, 4]]]], [[[[0, 1], 2], 3], 4], [[0, 1], [[2, 3], 4]]])
def test_one_product_goes_through_trees_of_any_shape(points, monkeypatch, pairs):
    """Columns of the product must be found again from nodes."""
    X, y = points
    tree = ClassTree.from_nested(pairs)
    models = train(LINEAR["LogisticRegression"], tree, X, y)
    quick = route(tree, models, RowsOnTree(X))
    monkeypatch.setattr(_routing, "_all_linear", lambda *_: False)

    assert np.array_equal(quick, route(tree, models, RowsOnTree(X)))


def test_many_rows_are_answered_in_blocks(points, monkeypatch):
    """Memory for all rows and all nodes at once may not be there."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    models = train(LINEAR["LogisticRegression"], tree, X, y)
    whole = route(tree, models, RowsOnTree(X))
    monkeypatch.setattr(_routing, "_AT_ONCE", 7)

    assert np.array_equal(route(tree, models, RowsOnTree(X)), whole)


class Cautious(LogisticRegression):
    """A user's own linear classifier, which answers 1 only when it is sure."""

    def predict(self, X):
        """1 where its chance is above 0.9."""
        return (self.predict_proba(X)[:, 1] > 0.9).astype(int)


def test_models_with_an_answer_of_their_own_are_asked(points):
    """A subclass may decide by another threshold; what it answers is followed."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    models = train(lambda: Cautious(solver="newton-cholesky"), tree, X, y)

    assert route(tree, models, RowsOnTree(X)).tolist() == [follow(tree, models, row) for row in X]


def test_frames_reach_the_models_as_frames(points):
    """Pipelines pick columns by name."""
    X, y = points
    tree, seen = ClassTree.from_nested(PAIRS), set()

    class Named(GaussianNB):
        def predict(self, X):
            seen.add(type(X))
            return super().predict(X.to_numpy())

    models = train(Named, tree, X, y)
    found = route(tree, models, RowsOnTree(pd.DataFrame(X, columns=list("uvw"))))

    assert seen == {pd.DataFrame}
    assert np.array_equal(found, route(tree, train(GaussianNB, tree, X, y), RowsOnTree(X)))


def test_one_class_needs_no_model(rng):
    """Every row is of it."""
    tree, rows = ClassTree.from_nested("all"), RowsOnTree(rng.standard_normal((4, 2)))

    assert route(tree, [None], rows).tolist() == [0, 0, 0, 0]
    assert class_probabilities(tree, [None], rows).tolist() == [[1.0]] * 4


SHARED = {
    "of two": (np.array([0, 3]), (np.array([1]), np.array([2, 4]))),
    "of two and three": (np.array([1, 2, 4]), np.array([0, 3])),
    "of all": np.arange(5),
}


@pytest.fixture(params=SHARED)
def shared(request, points):
    """A tree with leaves of several classes, whose models answer with class numbers; rows and truth."""
    X, y = points
    tree = grow_tree(np.arange(5), SHARED[request.param], lambda part: part)
    models = [None] * tree.n_nodes
    for node in np.flatnonzero(tree.stop - tree.start > 1).tolist():
        rows = np.isin(y, tree.members(node))
        side = np.isin(y, tree.members(int(tree.right[node]))).astype(int) if tree.left[node] >= 0 else y
        models[node] = LogisticRegression(solver="newton-cholesky").fit(X[rows], side[rows])
    return tree, models, X, y


def test_models_that_tell_several_classes_apart_end_a_path(shared):
    """Not every node is worth a split: its model answers with classes."""
    tree, models, X, _ = shared

    assert route(tree, models, RowsOnTree(X)).tolist() == [follow(tree, models, row) for row in X]


def test_chances_of_shared_leaves_are_products_too(shared):
    """The leaf's own chances come last."""
    tree, models, X, y = shared
    found = class_probabilities(tree, models, RowsOnTree(X))
    best = found[np.arange(len(X)), route_likeliest(tree, models, RowsOnTree(X))]

    assert found.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert best == pytest.approx(found.max(axis=1))
    assert (found.argmax(axis=1) == y).mean() > 0.5


def test_no_margin_is_above_that_of_the_path_to_a_shared_leaf(shared):
    """A leaf of two classes has one margin, as every binary model has; it counts for both."""
    tree, models, X, _ = shared
    found = class_margins(tree, models, RowsOnTree(X))

    assert found.shape == (len(X), 5)
    assert np.array_equal(found[np.arange(len(X)), route(tree, models, RowsOnTree(X))], found.max(axis=1))
