"""Weights of classes: more for the hard ones, none that explodes, ready for scikit-learn."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.svm import LinearSVC

from bayesfloor import BayesFloor
from bayesfloor.selection._weights import class_weight


@pytest.fixture
def rng(global_random_seed):
    """Source of random data."""
    return np.random.default_rng(global_random_seed)


def draw(rng, sizes, places):
    """Normal classes of these sizes at these places of the first of two features."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(y), 2))
    X[:, 0] += np.asarray(places)[y]
    return X, y


def fit(X, y, **given):
    """A quick floor."""
    return BayesFloor(scale=None, interval="fast").fit(X, y, **given)


def test_hard_classes_get_more(rng):
    """Two classes overlap, and the third is far from both."""
    X, y = draw(rng, [200, 200, 200], [0, 1, 30])
    weights = class_weight(fit(X, y))

    assert min(weights[0], weights[1]) > 2 * weights[2]


@pytest.mark.parametrize("strength", [0, 0.3, 1, 2, 50, 1e6])
def test_weights_add_up_to_the_rows(rng, strength):
    """The regularisation of a model then means what it did."""
    X, y = draw(rng, [300, 100, 20], [0, 1, 2])
    weights = class_weight(fit(X, y), strength)

    assert np.isfinite(list(weights.values())).all()
    assert sum(weights[label] for label in y.tolist()) == pytest.approx(len(y))


def test_without_strength_all_are_one(rng):
    """A model is then trained as without weights."""
    X, y = draw(rng, [100, 50, 20], [0, 1, 2])

    assert class_weight(fit(X, y), 0) == {0: 1.0, 1: 1.0, 2: 1.0}


def test_the_formula_by_hand(rng):
    """Half of the weight for all rows, half by how hard their class is."""
    X, y = draw(rng, [150, 100, 50], [0, 1, 4])
    floor = fit(X, y)
    rate = floor.one_vs_rest_.estimate / (np.bincount(y) / 300)
    expected = 0.5 + 0.5 * rate / rate[y].mean()

    np.testing.assert_allclose(list(class_weight(floor).values()), expected)


def test_more_strength_more_difference(rng):
    """The order of the classes stays."""
    X, y = draw(rng, [200, 200, 200], [0, 1, 6])
    weights = [np.array(list(class_weight(fit(X, y), strength).values())) for strength in (0.5, 1, 2)]

    assert np.all(np.diff([w.max() / w.min() for w in weights]) > 0)
    assert len({tuple(np.argsort(w)) for w in weights}) == 1


def test_classes_as_hard_as_each_other_weigh_the_same(rng):
    """Mirror images have equal floors, up to chance."""
    X, y = draw(rng, [1000, 1000], [0, 1])
    weights = class_weight(fit(X, y))

    assert weights[0] == pytest.approx(weights[1])


def test_a_small_class_weighs_no_more_than_when_balanced(rng):
    """However hard it is: weights in the hundreds make models that see nothing else."""
    X, y = draw(rng, [1000, 1000, 5], [0, 2, 1])
    weights, share = class_weight(fit(X, y)), np.bincount(y) / len(y)

    assert weights[2] < 1 / share[2]
    assert weights[2] / weights[0] < 1 + 1 / share[2]


@pytest.mark.parametrize("names", [["a", "b", "c"], [3, 5, 7], [0.0, 1.0, 2.0], [False, True]])
def test_models_take_the_weights(rng, names):
    """Keys are the labels as Python has them."""
    X, y = draw(rng, [60] * len(names), np.arange(len(names)))
    labels = np.array(names)[y]
    weights = class_weight(fit(X, labels))

    assert [type(label) for label in weights] == [type(name) for name in names]
    for model in (LinearSVC, LogisticRegression):
        model(class_weight=weights).fit(X, labels)


@pytest.mark.parametrize("kind", ["probabilities", "weights"])
def test_soft_labels_and_weights_have_class_weights_too(rng, kind):
    """Sizes are expected ones."""
    X, y = draw(rng, [100, 100, 100], [0, 1, 8])
    shares, weight = 0.9 * np.eye(3)[y] + 0.1 / 3, rng.uniform(0.5, 2, 300)
    floor = fit(X, shares) if kind == "probabilities" else fit(X, y, sample_weight=weight)
    weights = class_weight(floor)

    assert weights[2] == min(weights.values())
    assert json.loads(json.dumps(list(weights.values()), allow_nan=False))


def test_a_hard_class_is_found_more_often(rng):
    """What weights are for: a small class inside a large one's edge."""
    X, y = draw(rng, [900, 150, 900], [0, 1.5, 8])
    test, truth = draw(rng, [900, 150, 900], [0, 1.5, 8])
    plain = LogisticRegression().fit(X, y).predict(test)
    weighted = LogisticRegression(class_weight=class_weight(fit(X, y), 2)).fit(X, y).predict(test)
    before, after = (recall_score(truth, found, average=None) for found in (plain, weighted))

    assert after[1] > before[1] + 0.05


@pytest.mark.parametrize("strength", [-1, np.nan, np.inf, "much", True])
def test_what_is_no_strength_is_refused(rng, strength):
    """In one line."""
    X, y = draw(rng, [30, 30], [0, 1])

    with pytest.raises(ValueError, match=r"Got strength=.*expected a finite number of 0 or more"):
        class_weight(fit(X, y), strength)


def test_a_floor_must_be_fitted():
    """It is easily forgotten."""
    with pytest.raises(ValueError, match="not fitted"):
        class_weight(BayesFloor())
