"""The answer: its ends, what they rest on, and when there is none."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from bayesfloor import BayesFloor, check
from bayesfloor.answer import Basis, Reason, _make_answer
from bayesfloor.answer._learners import EFFORTS, WEIGHTS
from bayesfloor.formulas._limits import guessing_limit


def gaussians(n=600, d=3, distance=2.0, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    return rng.normal(size=(n, d)) + distance * codes[:, None] * (np.arange(d) == 0), codes


@pytest.fixture(scope="module")
def answer():
    """Two Gaussians two apart: the Bayes error is .159."""
    return BayesFloor(interval="fast").fit(*gaussians()).answer()


def test_the_range_holds_the_truth_and_each_end_says_what_it_rests_on(answer):
    """Of two Gaussians two apart."""
    assert answer.lower <= answer.estimate <= answer.upper
    assert answer.lower < 0.159 < answer.upper
    assert abs(answer.estimate - 0.159) < 0.05

    assert answer.why_upper.basis in (Basis.LEARNER, Basis.NEIGHBOUR)
    assert answer.why_lower == Reason(Basis.CURVES)


def test_the_curve_has_what_was_measured_and_what_is_predicted(answer):
    curve = answer.curve

    assert curve.measured.tolist() == [True] * 4 + [False] * 6
    assert curve.error[3] == answer.errors[answer.best]
    assert (np.diff(curve.n_rows) > 0).all()
    assert (np.diff(curve.error[4:]) <= 0).all()
    assert ((curve.low <= curve.error) & (curve.error <= curve.high)).all()


def test_the_answer_is_cached_and_the_same_again(answer):
    floor = BayesFloor(interval="fast").fit(*gaussians())

    again = floor.answer()
    assert floor.answer() is again
    assert again.to_dict() == answer.to_dict()


def test_rows_in_another_order_give_the_same_answer(answer):
    X, y = gaussians()
    order = np.random.default_rng(3).permutation(len(y))

    assert BayesFloor(interval="fast").fit(X[order], y[order]).answer().to_dict() == answer.to_dict()


def test_pure_chance_is_no_signal_and_a_proved_lower_end_next_to_zero_no_limit():
    """One pair of equal rows proves a hundredth of a percent; the range is not wide for want of rows."""
    rng = np.random.default_rng(0)
    found = BayesFloor(interval="fast").fit(rng.normal(size=(500, 4)), rng.integers(2, size=500)).answer()

    assert found.reasons[0] == Reason(Basis.NO_SIGNAL)
    assert np.isnan(found.lower)
    assert found.reliability == "upper limit only"
    assert found.upper == 0.5
    assert 0.9 * found.guessing < found.estimate <= found.guessing
    assert [found.verdict(target) for target in (0.6, 0.9, 0.99)] == ["open", "unlikely", "unlikely"]

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(2, size=400)
    X[1], y[:2] = X[0], (0, 1)
    found = BayesFloor(interval="fast").fit(X, y).answer("quick")

    assert 0 < found.lower < 0.001
    assert np.isnan(found.useful_lower)
    assert found.reliability == "upper limit only"
    assert found.reasons == (Reason(Basis.NO_SIGNAL),)
    assert found.verdict(1.0) == "out of reach"  # proved all the same


@pytest.mark.slow
def test_parity_is_never_out_of_reach():
    """The Bayes error is 0, and no learner sees anything."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 8))
    found = BayesFloor(interval="fast").fit(X, (X > 0).sum(axis=1) % 2).answer()

    assert np.isnan(found.lower)
    assert found.verdict(0.99) == "unlikely"


def test_equal_rows_with_different_labels_prove_a_lower_end():
    """Half of the rows are of a few places where labels are pure chance."""
    rng = np.random.default_rng(0)
    few, many = rng.integers(3, size=400), rng.normal(size=400) + 50
    X = np.column_stack([np.concatenate([few, many]), np.zeros(800)])
    found = BayesFloor(scale=None).fit(X, rng.integers(2, size=800)).answer()

    assert found.why_lower == Reason(Basis.EQUAL_ROWS_ALONE)
    assert 0.1 < found.lower < 0.25
    assert found.reliability == "limited"


def test_weights_are_refused():
    X, y = load_iris(return_X_y=True)

    with pytest.raises(ValueError, match="do not support sample_weight"):
        BayesFloor(interval="fast").fit(X, y, sample_weight=np.linspace(0.9, 1.1, 150)).answer()


def test_learners_of_the_user_join_the_race_and_the_effort_is_kept():
    """For this answer alone."""
    floor = BayesFloor(interval="fast").fit(*load_iris(return_X_y=True))

    quick = floor.answer(effort="quick")
    assert quick.effort == "quick"
    assert set(EFFORTS) == {"quick", "normal", "thorough"}

    found = floor.answer(learners={"mine": RandomForestClassifier(10, random_state=0)})

    assert "mine" in found.errors
    assert "mine" not in floor.answer().errors


def test_soft_labels_separate_classes_and_few_rows_have_an_answer():
    """Few rows have no lower end, and say so."""
    X, y = gaussians()
    chances = np.column_stack([1 - 0.9 * y - 0.05, 0.9 * y + 0.05])

    assert 0.1 < BayesFloor(interval="fast").fit(X, chances).answer().estimate < 0.3

    found = BayesFloor(interval="fast").fit(*gaussians(distance=50.0)).answer()

    assert found.estimate < 0.005
    assert found.upper < 0.02
    assert found.verdict(0.95) == "reachable"

    found = BayesFloor(interval="fast").fit(*gaussians(60, distance=3.0)).answer()

    assert np.isnan(found.lower)
    assert found.reasons == (Reason(Basis.FEW_ROWS, (50,)),)


def test_learners_of_the_user_may_lack_chances_or_fail_and_stay_unfitted():
    """A margin classifier has answers all the same, and one broken learner should not take the others with it."""
    found = BayesFloor(interval="fast").fit(*gaussians()).answer(learners={"ridge": RidgeClassifier()})

    assert 0.1 < found.errors["ridge"] < 0.25
    assert found.lower <= found.estimate <= found.upper

    found = BayesFloor(interval="fast").fit(*gaussians()).answer(learners={"broken": LogisticRegression(C=-1)})

    assert "broken" not in found.errors
    assert found.left_out["broken"].startswith("could not be trained")
    assert "linear" in found.errors

    mine = GaussianNB()
    BayesFloor(interval="fast").fit(*gaussians()).answer(learners={"mine": mine})

    assert not hasattr(mine, "classes_")


def test_the_upper_end_is_no_higher_than_the_limit_of_guessing():
    """Always predicting the most frequent class is a classifier too; how frequent it is was measured."""
    rng = np.random.default_rng(1)
    found = BayesFloor(interval="fast").fit(rng.normal(size=(300, 3)), np.arange(300) % 10 == 0).answer()

    assert found.estimate <= found.guessing == pytest.approx(0.1)
    assert found.guessing < found.upper <= guessing_limit(0.1, 300, 2, 1 - 0.05 * WEIGHTS["guessing"])


@pytest.fixture(params=[6, pytest.param(200, marks=pytest.mark.slow(nightly=True))])
def n_runs(request):
    """Datasets; the many of a night are raced as for users."""
    if request.param == 200:
        request.getfixturevalue("real_race")
    return request.param


def reached(n_runs, n_rows, share, target):
    """How many of these datasets, whose labels have nothing to do with their features, can reach the target."""
    said = []
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=n_rows) if share == 0.5 else (rng.random(n_rows) < share).astype(int)
        said.append(check(rng.normal(size=(n_rows, 3)), y, target, effort="quick").outcome)
    return said.count("reachable")


@pytest.mark.slow
def test_a_fair_coin_is_not_predicted_better_than_half_of_the_time(n_runs):
    """Of forty coins, the larger part looks like a majority, and no model ever repeats that."""
    assert reached(n_runs, 40, 0.5, 0.55) <= 0.05 * n_runs


@pytest.mark.slow
def test_the_most_frequent_class_is_no_more_frequent_than_it_is(n_runs):
    """Eight in ten rows are of it; among sixty there may be nine in ten."""
    assert reached(n_runs, 60, 0.8, 0.82) <= 0.05 * n_runs


def test_the_limit_of_guessing_counts_groups():
    """Ten rows of a patient tell as much about how frequent a class is as one."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40) % 5 == 0, 10)
    alone, grouped = (
        BayesFloor(interval="fast").fit(rng.normal(size=(400, 2)), y, groups=groups).answer("quick")
        for groups in (None, np.repeat(np.arange(40), 10))
    )

    assert grouped.guessing == alone.guessing < alone.upper < grouped.upper


def test_given_proportions_are_known():
    """No margin for what the user knows; new labels may have other proportions."""
    rng = np.random.default_rng(0)
    floor = BayesFloor(priors=[0.8, 0.2]).fit(rng.normal(size=(400, 3)), rng.integers(2, size=400))
    found = floor.answer("quick")
    other = floor.relabel((rng.random(400) < 0.2).astype(int)).answer("quick")

    assert found.upper == found.guessing == pytest.approx(0.2, abs=0.01)
    assert found.why_upper == Reason(Basis.GUESSING, (found.guessing, found.guessing, 2))
    assert other.upper > other.guessing


def test_learners_go_below_tree_bounds_in_many_dimensions():
    """There data are sparse, and the trees' lower bound is too high."""
    X, y = gaussians(600, 60, distance=6.0)
    X[:, 1:] *= 3.0
    floor = BayesFloor(scale=None, interval="fast").fit(X, y)

    assert floor.overall_.lower > 0.05
    assert floor.answer().upper < floor.overall_.lower


def test_large_sets_are_learnt_from_in_part(monkeypatch):
    """Learners on a million rows would take hours."""
    monkeypatch.setattr(_make_answer, "LEARN_ON", 150)
    found = BayesFloor(interval="fast").fit(*gaussians(400)).answer()

    assert found.n_rows == 150
    assert found.estimate <= found.upper


@pytest.mark.slow
def test_other_labels_have_an_answer_of_their_own():
    """The old one is about another problem."""
    X, y = gaussians(200)
    floor = BayesFloor(interval="fast").fit(X, y)
    before = floor.answer()
    after = floor.relabel(np.random.default_rng(0).permutation(y)).answer()

    assert floor.answer() is before
    assert min(after.errors.values()) > min(before.errors.values())
