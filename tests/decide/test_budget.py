"""Parts of an error: known ones are found, and the parts add up."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bayesfloor import Check, check
from bayesfloor.support._errors import InputError, InputTypeError


def clusters(n, wrong, seed=0):
    """Two classes far apart, with this fraction of wrong labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 3)) + 5 * y[:, None]
    return X, np.where(rng.random(n) < wrong, 1 - y, y)


def names(parts):
    return [str(part.name) for part in parts]


def test_wrong_labels_are_what_will_stay():
    found = check(*clusters(1200, 0.12)).budget
    assert names(found.inside) == ["wrong labels", "overlap"]
    part = found.part("wrong labels")
    assert part.low <= 0.12 <= part.high
    assert part.loss == pytest.approx(0.12, abs=0.025)


def test_contradictions_are_named_first():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (800, 2))
    y = (rng.random(800) < 0.2 + 0.6 * (X[:, 0] > 1)).astype(int)
    inside = check(X, y, effort="quick").budget.inside
    assert names(inside)[0] == "contradicting rows"
    assert inside[0].loss > 0.1


@pytest.mark.parametrize("ways", [{"model": DecisionTreeClassifier(max_depth=1)}, {"accuracy": 0.7, "n_test": 300}])
def test_parts_add_up_to_the_models_error(ways):
    X, y = clusters(600, 0.05)
    X[:, 1:] = np.random.default_rng(1).normal(size=(600, 2))
    y = np.where(X[:, 1] > 0, y, 1 - y)  # two columns together say it, one alone does not
    found = check(X, y, effort="quick", **ways)
    assert found.budget.of == ""
    assert sum(part.loss for part in found.budget.parts) == pytest.approx(found.budget.error, abs=1e-12)
    assert found.budget.error == pytest.approx(1 - found.model_score.score)
    assert found.budget.part("a better model").low > 0
    assert "Your model" in found.verdict
    assert found.next[0].action == "try model"
    again = Check.from_json(found.to_json())
    assert again.budget.to_dict() == found.budget.to_dict()
    assert [step.to_dict() for step in again.next] == [step.to_dict() for step in found.next]


def test_a_model_is_cross_validated_on_the_folds_of_the_race():
    X, y = clusters(400, 0.1)
    found = check(X, y, effort="quick", model=LogisticRegression())
    same = check(X, y, effort="quick", learners={"mine": LogisticRegression()}).answer.errors["mine"]
    assert found.model_score.n_rows == 400
    assert 1 - found.model_score.score == pytest.approx(same, abs=0.01)  # the race scales and calibrates
    assert found.gap.overall.error == pytest.approx(found.model_score.loss)


def test_probabilities_of_a_model_are_compared_by_other_metrics():
    X, y = clusters(400, 0.1)
    found = check(X, y, effort="quick", metric="roc_auc", model=LogisticRegression())
    assert (found.model_score.metric, found.budget.metric) == ("roc_auc", "roc_auc")
    assert found.model_score.score > 0.8

    bare = check(X, y, effort="quick", metric="roc_auc", model=LinearSVC())
    assert (bare.model_score.metric, bare.budget.metric) == ("accuracy", "accuracy")


def test_numbers_have_a_budget():
    X, _ = clusters(400, 0)
    y = X[:, 0] + np.random.default_rng(1).normal(size=400)
    found = check(X, y, effort="quick", metric="rmse", model=DummyRegressor())
    assert found.budget.error == pytest.approx(y.std(), rel=0.01)
    assert sum(part.loss for part in found.budget.parts) == pytest.approx(found.budget.error, abs=1e-12)
    assert check(X, y, effort="quick", score=0.2).budget.error == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("ways", "kind", "said"),
    [
        ({"accuracy": 0.9, "score": 0.9}, InputError, "accuracy and score"),
        ({"model": DummyClassifier, "predictions": [0, 1]}, InputError, "predictions and model"),
        ({"model": "svm"}, InputTypeError, "expected a scikit-learn estimator"),
        ({"n_test": 10}, InputError, "n_test without accuracy"),
        ({"accuracy": 0.9, "n_test": 0}, InputError, "n_test=0"),
        ({"accuracy": 91}, InputError, "accuracy=91"),
        ({"score": 1.2}, InputError, "score=1.2"),
        ({"model": LogisticRegression(C=-1)}, InputError, "could not be cross-validated"),
    ],
)
def test_errors_name_what_came(ways, kind, said):
    with pytest.raises(kind, match=said):
        check(*clusters(60, 0.1), effort="quick", **ways)
