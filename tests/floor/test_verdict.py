"""Against a target accuracy."""

from dataclasses import replace

import pytest
from sklearn.datasets import load_wine

from bayesfloor import BayesFloor
from bayesfloor.floor._verdict import check_target, give_verdict


@pytest.fixture(scope="module")
def envelope(fitted):
    """An envelope to put words to."""
    return replace(fitted.envelope(learners={}), lower=0.1, estimate=0.15, upper=0.2, trust="small bias")


@pytest.mark.parametrize(
    ("trust", "target", "word"),
    [
        ("small bias", 0.75, "feasible"),
        ("unknown", 0.75, "feasible"),
        ("refuted", 0.75, "feasible"),
        ("small bias", 0.85, "undecided"),
        ("small bias", 0.95, "infeasible"),
        ("small bias", 1, "infeasible"),
        ("unknown", 0.95, "undecided"),
        ("refuted", 0.95, "undecided"),
    ],
)
def test_the_word_follows_bounds_and_trust(envelope, trust, target, word):
    """A wrong "infeasible" stops a project; it needs every condition."""
    assert give_verdict(replace(envelope, trust=trust), target) == word


@pytest.mark.parametrize("target", [0, -0.1, 1.01, 95, float("nan"), "0.9", None, True, [0.9]])
def test_what_is_no_accuracy_is_refused(target):
    """Percentages are the usual slip."""
    with pytest.raises(ValueError, match=r"Got target=.*, but expected an accuracy above 0 and up to 1, such as 0.95"):
        check_target(target)


def test_the_target_is_checked_before_any_work(fitted):
    """A slip should not cost a minute."""
    with pytest.raises(ValueError, match="Got target=95"):
        fitted.verdict(95)


@pytest.mark.slow
def test_wine_at_98_is_not_infeasible():
    """Standardised bounds alone would say so, yet a linear model errs on 1 %."""
    floor = BayesFloor().fit(*load_wine(return_X_y=True))

    assert floor.verdict(0.98) != "infeasible"
    assert floor.verdict(0.8) == "feasible"


@pytest.mark.slow
def test_noise_cannot_be_told(rng, gaussians):
    """Labels that have nothing to do with the features."""
    X, y = gaussians(rng, [200, 200], shift=0.0)

    assert BayesFloor().fit(X, y).verdict(0.9) != "feasible"


@pytest.mark.slow
def test_a_lower_target_is_never_harder(fitted):
    """Feasible, then undecided, then infeasible."""
    words = [fitted.verdict(target / 100) for target in range(5, 101, 5)]
    rank = ["feasible", "undecided", "infeasible"]

    assert [rank.index(word) for word in words] == sorted(rank.index(word) for word in words)
