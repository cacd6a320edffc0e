"""Rare classes and other class proportions: what accuracy hides is said, and priors answer for what was asked."""

import json
import re

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor import Check, check
from bayesfloor.summary._text import to_full_text
from bayesfloor.summary._verdict import hidden_by_accuracy, rare_class

SHIFT = 2.5
FLOOR = norm.cdf(-SHIFT / 2)  # of two equally frequent classes


def draw(seed, n, rare, shift=SHIFT):
    """Two normal classes, so far apart; a fraction of the rows has the label yes."""
    rng = np.random.default_rng([seed, 3])
    y = rng.random(n) < rare
    X = rng.standard_normal((n, 2))
    X[y, 0] += shift
    return X, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def rare():
    """A check of a class with 2 % of the rows; tests only look at it."""
    return check(*draw(0, 4000, 0.02, shift=5.0))


@pytest.fixture(scope="module")
def balanced():
    """The same rows for equally frequent classes."""
    return check(*draw(0, 4000, 0.02), target=0.7, priors="balanced")


@pytest.mark.parametrize(
    ("sizes", "rarest"),
    [([98, 2], 1), ([4, 96], 0), ([94, 6], None), ([10] * 30, None), ([10] * 29 + [2], 29), ([60, 37, 3], 2)],
)
def test_a_class_is_rare_below_5_percent_and_far_below_the_others(sizes, rarest):
    """Of 30 equal classes, each has 3 %."""
    assert rare_class(np.array(sizes, dtype=float)) == rarest


def test_what_accuracy_hides_is_said_in_the_verdict(rare):
    """On every surface that shows the verdict."""
    assert rare.verdict.endswith(f"Always predicting no gives {100 - 100 * rare.answer.guessing:.1f} %.")
    assert rare.verdict in " ".join(repr(rare).split())
    assert rare.verdict in rare.to_markdown()
    assert "Always predicting no gives" in rare._repr_html_()
    assert hidden_by_accuracy(np.array([60.0, 37, 3]), ["a", "b", "c"]) == "Never predicting c costs only 3.0 points."
    assert hidden_by_accuracy(np.array([100.0] * 99 + [1]), [f"c{k}" for k in range(100)]) == ""
    assert hidden_by_accuracy(np.array([60.0, 40]), ["a", "b"]) == ""


def test_a_signal_that_accuracy_does_not_show_is_not_denied():
    """No classifier is much more accurate than guessing, yet four of five rows of the rare class can be found."""
    found = check(*draw(0, 4000, 0.02))

    assert found.verdict.startswith("No learner is clearly more accurate than guessing, but accuracy hides")
    assert found.verdict.endswith(" Always predicting no gives 97.9 %.")
    assert "BF101" not in [finding.code for finding in found.findings]


def test_a_rare_class_is_a_finding_with_its_recall(rare, made):
    """And with what to type."""
    text = next(finding.text for finding in rare.findings if finding.code == "BF120")

    assert text.startswith("Class yes is only ")
    assert "The most accurate classifier finds about" in text
    assert "--balanced, or priors='balanced'" in text
    assert "BF120" not in [finding.code for finding in made("two classes").findings]


def test_two_classes_have_a_table_of_their_errors(rare):
    """The error between the two does not say which of them is missed."""
    text = to_full_text(rare)

    assert "hardest classes" in text
    assert any(line.startswith("yes ") for line in text.splitlines())


def test_a_balanced_check_answers_for_balanced_classes(balanced):
    """In its figures and in its words."""
    assert balanced.answer.guessing == 0.5
    assert balanced.facts.priors == (0.5, 0.5)
    assert "70 % balanced accuracy is reachable" in balanced.verdict
    text = " ".join(repr(balanced).split())
    assert "balanced classes" in text
    assert re.search(r"of 4,000 rows \(\d+ per class, limited by the rarest\)", text)
    assert "guessing 50.0 % balanced accuracy (error 50.0 %): always the same class" in text
    assert not {"BF120", "BF206"} & {finding.code for finding in balanced.findings}
    assert Check.from_json(balanced.to_json()).facts.priors == (0.5, 0.5)


@pytest.mark.slow
@pytest.mark.real_race
def test_the_range_holds_the_lowest_error_of_balanced_classes():
    """Of two normal classes it is known; at most one range of ten may miss it."""
    held = 0
    for seed in range(10):
        answer = check(*draw(seed, 5000, 0.02), priors="balanced", effort="quick").answer
        held += np.nan_to_num(answer.lower) <= FLOOR <= answer.upper

    assert held >= 9


@pytest.mark.parametrize("priors", [{"no": 0.7, "yes": 0.3}, [0.7, 0.3], {"no": 70, "yes": 30}])
def test_proportions_may_be_given_by_class(priors):
    """By name or in the order of the classes; they need not add up to 1."""
    found = check(*draw(1, 1000, 0.2), priors=priors)

    assert found.facts.priors == pytest.approx((0.7, 0.3))
    assert found.answer.guessing == pytest.approx(0.3, abs=0.01)
    assert "class proportions no 70.0 %, yes 30.0 %" in " ".join(repr(found).split())
    assert json.loads(found.to_json())["facts"]["priors"] == pytest.approx([0.7, 0.3])


def test_numbers_may_be_named_as_text():
    """As on the command line."""
    X, y = draw(1, 500, 0.3)

    assert check(X, (y == "yes").astype(int), priors={"0": 0.5, "1": 0.5}).facts.balanced


def test_unknown_classes_are_refused():
    """A typo would otherwise give another problem's answer."""
    with pytest.raises(ValueError, match=r"Got priors for \['no', 'yess'\], but expected one for each of"):
        check(*draw(1, 500, 0.3), priors={"no": 0.5, "yess": 0.5})


def test_a_model_is_compared_at_the_same_proportions():
    """Always predicting the frequent class is half wrong if classes are balanced."""
    X, y = draw(2, 3000, 0.05)
    found = check(X, y, priors="balanced", predictions=np.full(3000, "no"))

    assert found.gap.overall.error == 0.5
    assert found.gap.overall.word == "room to improve"
