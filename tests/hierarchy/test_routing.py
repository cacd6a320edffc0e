"""Rows on their way through a tree: one path and all paths agree where they should."""

from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from bayesfloor.hierarchy import ClassTree, _smart_svm
from bayesfloor.hierarchy._smart_svm import RowsOnTree, class_margins, class_probabilities, route, route_likeliest

PAIRS = [[0, [2, 4]], [1, 3]]


class Scores(ClassifierMixin, BaseEstimator):
    """A model that knows its margin: a column of X."""

    def __init__(self, column):
        self.column = column
        self.classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, self.column]

    def predict_proba(self, X):
        return np.column_stack([expit(-X[:, self.column]), expit(X[:, self.column])])

    def predict(self, X):
        return (X[:, self.column] > 0).astype(int)


def given_scores(pairs=PAIRS):
    """A tree and models whose margins are the columns of X, one for each split."""
    tree = ClassTree.from_nested(pairs)
    models = [None] * tree.n_nodes
    for column, node in enumerate(tree.splits.tolist()):
        models[node] = Scores(column)
    return tree, models


def train(estimator, tree, X, y):
    models = [None] * tree.n_nodes
    for node in tree.splits.tolist():
        rows = np.isin(y, tree.members(node))
        right = np.isin(y, tree.members(int(tree.right[node])))
        models[node] = estimator().fit(X[rows], right[rows].astype(int))
    return models


def follow(tree, models, row):
    node = 0
    while tree.left[node] >= 0:
        node = int((tree.right if models[node].predict(row[None])[0] else tree.left)[node])
    return tree.order[tree.start[node]]


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
def test_paths_products_and_margins_are_those_by_hand(X):
    """The chain rule; a chain is as strong as its weakest link; of equal products the first, as argmax does."""
    tree, models = given_scores()

    assert route(tree, models, RowsOnTree(X)).tolist() == [follow(tree, models, X[0])]

    sides = {node: models[node].predict_proba(X)[0] for node in tree.splits.tolist()}
    found = class_probabilities(tree, models, RowsOnTree(X))

    assert found[0] == pytest.approx(by_hand(tree, sides, np.multiply, 1.0))
    assert found.sum() == pytest.approx(1)

    sides = {node: (-X[0, models[node].column], X[0, models[node].column]) for node in tree.splits.tolist()}
    found = class_margins(tree, models, RowsOnTree(X))[0]

    assert np.array_equal(found, by_hand(tree, sides, np.minimum, np.inf))
    assert (found > 0).sum() <= 1
    if (found > 0).any():
        assert found.argmax() == route(tree, models, RowsOnTree(X))[0]

    rows = RowsOnTree(X)

    assert route_likeliest(tree, models, rows)[0] == class_probabilities(tree, models, rows)[0].argmax()


def test_the_largest_product_may_be_off_the_likelier_side_and_a_thousand_levels_deep():
    """Two fair splits behind a likely side lose to a sure class; products of so many chances are tiny."""
    tree, models = given_scores([[0, 1], 2])
    rows = RowsOnTree(np.array([[-0.2, 0.0]]))  # 0.55 to the left, shared by two; 0.45 to the right

    assert class_probabilities(tree, models, rows)[0] == pytest.approx([0.275, 0.275, 0.45], abs=1e-3)
    assert route(tree, models, rows).tolist() == [0]
    assert route_likeliest(tree, models, rows).tolist() == [2]

    tree = ClassTree.from_nested(reduce(lambda part, label: [part, label], range(1000)))
    fair = Scores(0)
    models = [fair if node in set(tree.splits.tolist()) else None for node in range(tree.n_nodes)]

    assert route_likeliest(tree, models, RowsOnTree(np.array([[0.0]]))).tolist() == [999]


@pytest.mark.parametrize("pairs", [PAIRS, [0, [1, [2, [3, 4]]]], [[[[0, 1], 2], 3], 4]], ids=["bushy", "right", "left"])
@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(random_state=0),
        LinearSVC(fit_intercept=False),
        LogisticRegression(solver="newton-cholesky"),
        Perceptron(random_state=0),
        LinearDiscriminantAnalysis(),
    ],
    ids=str,
)
def test_one_product_answers_as_all_nodes_would(points, monkeypatch, model, pairs):
    """It is there for speed alone, and its columns must be found again from nodes."""
    X, y = points
    tree = ClassTree.from_nested(pairs)
    models = train(lambda: clone(model), tree, X, y)
    assert not isinstance(model, (LinearSVC, LogisticRegression)) or _smart_svm._all_linear(tree, models, X)
    quick = route(tree, models, RowsOnTree(X))
    monkeypatch.setattr(_smart_svm, "_all_linear", lambda *_: False)

    assert np.array_equal(quick, route(tree, models, RowsOnTree(X)))
    assert len(np.unique(quick)) > 2


def test_many_rows_are_answered_in_blocks(points, monkeypatch):
    """Memory for all rows and all nodes at once may not be there."""
    X, y = points
    tree = ClassTree.from_nested(PAIRS)
    models = train(lambda: LogisticRegression(solver="newton-cholesky"), tree, X, y)
    whole = [find(tree, models, RowsOnTree(X)) for find in (route, route_likeliest)]
    monkeypatch.setattr(_smart_svm, "_AT_ONCE", 37)  # 7 rows of 5 classes

    assert np.array_equal([find(tree, models, RowsOnTree(X)) for find in (route, route_likeliest)], whole)


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
