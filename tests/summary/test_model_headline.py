"""With predictions, the verdict starts with the user's model."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

import bayesfloor
from bayesfloor.decide._gap import AT, BELOW, NOT_SHOWN, ROOM


@pytest.fixture(scope="module")
def wine():
    """The wines, and a check of them without a model."""
    X, y = load_wine(return_X_y=True)
    return X, y, bayesfloor.check(X, y, effort="quick")


def _with_wrong(y, count):
    guesses = y.copy()
    guesses[:count] = 2
    return guesses


def test_a_poor_model_is_told_who_does_better(wine):
    """The model's accuracy, the best possible one, and a learner that anyone can train."""
    X, y, alone = wine
    found = bayesfloor.check(X, y, effort="quick", predictions=_with_wrong(y, 50))

    assert found.gap.overall.word == ROOM
    assert found.verdict.startswith("Your model: 71.9 % accuracy. Best possible: about ")
    assert ". Room to improve: " in found.verdict
    assert found.verdict.endswith(" in cross-validation.")
    assert found.answer.estimate == alone.answer.estimate


def test_a_target_is_judged_after_the_model(wine):
    """The headline is the model; the verdict on the target follows."""
    X, y, _ = wine
    found = bayesfloor.check(X, y, target=0.9, effort="quick", predictions=_with_wrong(y, 50))

    assert found.words.headline.startswith("Your model: 71.9 % accuracy.")
    assert "90 % accuracy is reachable on these features: " in found.words.below
    assert found.verdict.endswith(found.words.below[-40:])


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (AT, "At the floor: a better model will not help, but better features may."),
        (NOT_SHOWN, "No room shown: these rows cannot tell your model from the best possible one."),
        (BELOW, "That looks too good to be true: test your model on rows that it was not trained on."),
    ],
)
def test_each_conclusion_has_its_words(wine, word, said):
    """One sentence for each conclusion about a model."""
    X, y, _ = wine
    found = bayesfloor.check(X, y, effort="quick", predictions=_with_wrong(y, 2))
    found = replace(found, gap=replace(found.gap, overall=replace(found.gap.overall, word=word)))

    assert said in found.verdict


def test_without_a_lower_end_the_best_possible_is_a_minimum(wine):
    """An unknown end is not printed."""
    X, y, _ = wine
    found = bayesfloor.check(X, y, effort="quick", predictions=_with_wrong(y, 50))
    found = replace(found, answer=replace(found.answer, lower=np.nan, why_lower=None))

    assert "% (at least " in found.words.headline
