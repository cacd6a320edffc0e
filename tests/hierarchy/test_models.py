"""The ladder: models that can be trained on whatever a node holds, and blends of them."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import LinearSVC

from bayesfloor.hierarchy import _models
from bayesfloor.hierarchy._models import ModelKind, blend, linear, make_ladder
from bayesfloor.hierarchy._pairwise_models import CoupledPairs


class Chances:
    """A model that gives every row the same chances."""

    def __init__(self, classes, chances):
        """Keep them."""
        self.classes_, self.chances = np.array(classes), np.array(chances)

    def predict_proba(self, X):
        """The chances."""
        return np.tile(self.chances, (len(X), 1))


def names(ladder):
    """The names of all candidates."""
    return [[candidate.name for candidate in rung.candidates] for rung in ladder]


# Blends


def test_a_blend_is_the_mean_of_probabilities():
    """Neither counts for more."""
    both = blend([Chances([1, 4], [0.2, 0.8]), Chances([1, 4], [0.9, 0.1])])

    assert both.predict_proba(np.empty((3, 2))) == pytest.approx(np.tile([0.55, 0.45], (3, 1)))
    assert both.predict(np.empty((3, 2))).tolist() == [1, 1, 1]


def test_a_class_that_one_model_lacks_has_no_chance_from_it():
    """A model of a fold may not have seen it."""
    both = blend([Chances([0, 2], [0.4, 0.6]), Chances([0, 1, 2], [0.1, 0.7, 0.2])])

    assert both.classes_.tolist() == [0, 1, 2]
    assert both.predict_proba(np.empty((1, 1))) == pytest.approx(np.array([[0.25, 0.35, 0.4]]))
    assert both.predict(np.empty((1, 1))).tolist() == [2]


def test_blends_of_real_models_answer_with_class_numbers(rng, clouds):
    """Of pairs and of boosting alike."""
    X, y = clouds(rng, [40, 40, 40])
    codes = np.array([1, 3, 6])[y]
    parts = [rung.candidates[0].fit(X, codes, None) for rung in make_ladder(X, 3, 0)]
    both = blend(parts)

    assert both.predict_proba(X) == pytest.approx(np.mean([part.predict_proba(X) for part in parts], axis=0))
    assert np.array_equal(both.predict(X), both.classes_[both.predict_proba(X).argmax(axis=1)])


def test_a_blend_is_not_trained_as_one():
    """Its parts are."""
    with pytest.raises(TypeError, match=r"both is a blend: train its parts"):
        ModelKind("both", parts=(linear(1.0), linear(8.0))).fit(np.eye(2), np.arange(2), None)


# Candidates


def test_one_class_needs_no_training(rng):
    """A fold may leave no other."""
    model = linear(1.0).fit(rng.standard_normal((5, 2)), np.full(5, 3), None)

    assert isinstance(model, DummyClassifier)
    assert model.predict(np.empty((4, 2))).tolist() == [3] * 4
    assert model.predict_proba(np.empty((4, 2))).tolist() == [[1.0]] * 4


def test_models_that_do_not_converge_are_quiet(rng):
    """A poor model only loses; warnings for each of hundreds would help nobody."""

    def train(X, codes, weight):
        warnings.warn("not converged", stacklevel=2)
        return LinearSVC(random_state=0).fit(X, codes, weight)

    ModelKind("loud", train).fit(rng.standard_normal((20, 2)), np.arange(20) % 2, None)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_every_rung_learns(rng, clouds, weighted):
    """And answers with chances of the classes that it saw."""
    X, y = clouds(rng, [50, 40, 30], spread=0)
    X = X + 3 * np.eye(3)[y]
    X, codes, weight = X / X.std(), np.array([0, 2, 5])[y], rng.uniform(0.5, 2, 120) if weighted else None
    rungs = [*make_ladder(X, 3, 0), _models._mapped_rung(0.3, 0), *make_ladder(X, 101, 0)]
    for candidate in [candidate for rung in rungs for candidate in rung.candidates]:
        model = candidate.fit(X, codes, weight)
        chances = model.predict_proba(X)

        assert model.classes_.tolist() == [0, 2, 5]
        assert chances.sum(axis=1) == pytest.approx(np.ones(120))
        assert np.array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
        assert np.mean(model.predict(X) == codes) > 0.7


@pytest.mark.parametrize("n_classes", [3, 101])
def test_rungs_are_trained_on_as_many_rows_as_classes(rng, n_classes):
    """Of many small classes a fold leaves one row each."""
    X = rng.standard_normal((n_classes, 4))
    for rung in make_ladder(X, n_classes, 0):
        model = rung.candidates[0].fit(X, np.arange(n_classes), None)

        assert model.predict_proba(X).shape == (n_classes, n_classes)


@pytest.mark.slow
def test_a_class_of_one_row_can_be_boosted_among_many(rng):
    """From 10,000 rows on scikit-learn holds some out, of every class alike, and refuses a class of one row."""
    X = rng.standard_normal((10_100, 2))
    codes = (X[:, 0] > 0).astype(int)
    codes[0] = 2
    boosting = make_ladder(X, 3, 0)[-1].candidates[0]

    assert boosting.name == "gradient boosting"
    assert boosting.fit(X, codes, None).classes_.tolist() == [0, 1, 2]


# Rungs


def kinds(ladder):
    """What each rung's candidates are, without their parameters."""
    return [rung.candidates[0].name.partition(" (")[0] for rung in ladder]


def test_the_ladder_goes_from_cheap_to_dear(rng):
    """Linear, then kernels, then boosting."""
    ladder = make_ladder(rng.standard_normal((50, 3)), 4, 0)

    assert kinds(ladder) == ["linear SVM", "RBF SVM", "gradient boosting"]
    assert names(ladder)[0] == ["linear SVM (C=1)", "linear SVM (C=64)"]
    assert len(set(itertools.chain(*names(ladder)))) == 8  # what was tried is kept by name
    X, codes = rng.standard_normal((50, 3)), np.arange(50) % 2
    assert isinstance(ladder[1].candidates[0].fit(X, codes, None), CoupledPairs)
    assert isinstance(ladder[2].candidates[0].fit(X, codes, None), HistGradientBoostingClassifier)


@pytest.mark.parametrize(
    ("n", "n_classes", "expected"),
    [
        (30_001, 2, ["linear SVM", "linear SVM on a Nystroem map", "gradient boosting"]),
        (50, 41, ["linear SVM", "RBF SVM"]),
        (50, 101, ["linear discriminant", "one-vs-rest linear SVM"]),
    ],
)
def test_large_problems_have_other_rungs(rng, n, n_classes, expected):
    """Kernels of all rows, trees for every class and all pairs of classes have their price."""
    assert kinds(make_ladder(rng.standard_normal((n, 1)), n_classes, 0)) == expected


def test_where_rows_lie_means_nothing_to_the_width_of_kernels(rng):
    """A node's rows need not lie around the middle of all; distances among them are the same there."""
    X = rng.standard_normal((60, 4))

    assert names(make_ladder(X + np.array([30, 0, 0, -30]), 3, 0)) == names(make_ladder(X, 3, 0))


def test_rows_that_are_all_equal_have_a_ladder():
    """No width to speak of."""
    X, codes = np.ones((10, 2)), np.arange(10) % 2
    for rung in make_ladder(X, 2, 0):
        assert np.isfinite(rung.candidates[0].fit(X, codes, None).predict_proba(X)).all()
