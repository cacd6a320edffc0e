"""The learners of a race, their costs and weights."""

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from bayesfloor.answer._learners import (
    BLEND,
    OWN,
    REGISTRY,
    TREES,
    WEIGHTS,
    Size,
    check_effort,
    check_learners,
    weight_of,
)

SIZES = [Size(100, 4, 3), Size(2000, 384, 2), Size(16_000, 16, 26)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_learner_is_a_classifier_with_a_cost(name, size):
    learner = REGISTRY[name]

    assert is_classifier(learner.make(size, 0))
    assert 0 < learner.cost(size) < np.inf


@pytest.mark.parametrize("name", REGISTRY)
def test_more_rows_cost_more(name):
    cost = REGISTRY[name].cost

    assert cost(Size(4000, 20, 3)) > cost(Size(1000, 20, 3))


def test_parts_of_the_level_add_up_to_one_and_learners_of_the_user_share_theirs():
    """Else a limit would hold less often than it says."""
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert set(WEIGHTS) == {*REGISTRY, TREES, BLEND, OWN, "guessing"}

    assert weight_of("mine", ["mine", "other"]) == WEIGHTS[OWN] / 2
    assert weight_of("forest", ["mine"]) == WEIGHTS["forest"]


@pytest.mark.parametrize("effort", ["fast", None, 3])
def test_unknown_efforts_are_refused(effort):
    with pytest.raises(ValueError, match="expected one of 'quick', 'normal', 'thorough'"):
        check_effort(effort)


@pytest.mark.parametrize(
    ("learners", "error", "match"),
    [
        ([GaussianNB()], TypeError, r"expected a dict: {'mine': SVC\(\)}"),
        ({"forest": GaussianNB()}, ValueError, "a built-in learner has that name"),
        ({"blend": GaussianNB()}, ValueError, "a built-in learner has that name"),
        ({"mine": "naive Bayes"}, TypeError, "expected a scikit-learn classifier"),
    ],
)
def test_what_is_not_a_dict_of_classifiers_is_refused(learners, error, match):
    with pytest.raises(error, match=match):
        check_learners(learners)


@pytest.mark.parametrize(
    ("learners", "match"),
    [
        ([Ridge()], r"expected a dict: {'mine': SVR\(\)}"),
        ({"mine": GaussianNB()}, r"Got GaussianNB\(\) as learner 'mine', but expected a scikit-learn regressor"),
        ({"mine": "ridge"}, "expected a scikit-learn regressor"),
    ],
)
def test_for_numbers_learners_are_regressors(learners, match):
    check_learners({"mine": Ridge()}, "numbers")

    with pytest.raises(TypeError, match=match):
        check_learners(learners, "numbers")
    with pytest.raises(TypeError, match="expected a scikit-learn classifier"):
        check_learners({"mine": Ridge()})
