"""The envelope: properties that hold whatever the learners are."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesfloor import BayesFloor
from bayesfloor.floor import _envelope

LEARNER = {"bayes": GaussianNB()}


@pytest.fixture(scope="module")
def envelope(fitted):
    """The default envelope of three overlapping classes."""
    return fitted.envelope()


def test_bounds_keep_their_order(envelope):
    """Lower, estimate, upper."""
    assert 0 <= envelope.lower <= envelope.estimate <= envelope.upper <= 1


def test_the_upper_limit_is_no_higher_than_that_of_the_trees(fitted, envelope):
    """Learners can only lower it."""
    assert envelope.upper <= fitted.overall_.upper_limit()


def test_trust_has_words_and_reasons(envelope):
    """A flag without a reason helps nobody."""
    assert envelope.trust in ("refuted", "small bias", "unknown")
    assert envelope.trusted == (envelope.trust == "small bias")
    assert envelope.alarm == (envelope.trust == "refuted")
    assert envelope.reasons
    assert all(isinstance(reason, str) for reason in envelope.reasons)


def test_every_learner_tried_has_an_error(envelope):
    """Nearest neighbours among them."""
    assert "neighbours" in envelope.errors
    assert len(envelope.errors) > 2
    assert all(0 <= error <= 1 for error in envelope.errors.values())
    assert envelope.best in envelope.errors
    assert envelope.n_rows == 300


def test_it_can_be_written_down(envelope):
    """As JSON and as a table."""
    assert json.loads(json.dumps(envelope.to_dict(), allow_nan=False))["upper"] == envelope.upper
    assert {"lower", "estimate", "upper", "trust"} <= set(envelope.frame().columns)
    with pytest.raises(FrozenInstanceError):
        envelope.lower = 0.0


def test_the_second_call_costs_nothing(fitted, envelope):
    """Verdicts on several targets share one envelope."""
    assert fitted.envelope() is envelope
    assert fitted.envelope(cv=5, learners=None) is envelope
    assert fitted.envelope(cv=3, learners=LEARNER) is not envelope
    assert fitted.envelope() is envelope


def test_own_learners_take_the_place_of_the_defaults(fitted):
    """Users have better ones."""
    envelope = fitted.envelope(learners={"mine": make_pipeline(StandardScaler(), LogisticRegression())})

    assert {"neighbours", "mine"} <= set(envelope.errors)
    assert "forest" not in envelope.errors


def test_learners_without_probabilities_will_do(fitted):
    """A margin classifier has answers all the same."""
    envelope = fitted.envelope(learners={"ridge": RidgeClassifier()})

    assert 0 < envelope.errors["ridge"] < 0.7
    assert envelope.lower <= envelope.estimate <= envelope.upper


def test_a_learner_that_fails_is_left_out(fitted, caplog):
    """One broken learner should not take the others with it."""
    envelope = fitted.envelope(learners={**LEARNER, "broken": LogisticRegression(C=-1)})

    assert {"neighbours", "bayes"} <= set(envelope.errors)
    assert "broken" not in envelope.errors
    assert "left out LogisticRegression" in caplog.text


def test_learners_are_cloned(fitted):
    """The user's object stays unfitted."""
    mine = GaussianNB()
    fitted.envelope(learners={"mine": mine})

    assert not hasattr(mine, "classes_")


def test_a_better_learner_refutes_trees_in_many_dimensions(rng, gaussians):
    """There neighbours are far apart, and the lower bound is too high: say so."""
    X, y = gaussians(rng, [300, 300], shift=6.0, d=60)
    X[:, 1:] *= 3.0
    floor = BayesFloor(scale=None, interval="fast").fit(X, y)
    envelope = floor.envelope(learners={"linear": LinearDiscriminantAnalysis()})

    assert floor.overall_.lower > 0.05
    assert envelope.alarm
    assert not envelope.trusted
    assert any("errs on" in reason for reason in envelope.reasons)
    assert envelope.upper < floor.overall_.lower


def test_bounds_contain_the_known_error_in_two_dimensions(rng, gaussians):
    """Two Gaussians two apart: Phi(-1) = .159."""
    X, y = gaussians(rng, [800, 800], shift=2.0)
    envelope = BayesFloor(scale=None, interval="fast").fit(X, y).envelope(learners=LEARNER)

    assert envelope.lower - 0.015 < 0.1587 < envelope.upper + 0.015
    assert envelope.estimate == pytest.approx(0.1587, abs=0.05)


def test_groups_stay_whole_in_the_folds(rng, gaussians):
    """Copies of a row on both sides of a fold would make every learner look perfect."""
    X, y = gaussians(rng, [60, 60], shift=0.0)
    copies = np.repeat(X, 4, axis=0) + rng.normal(0, 1e-6, (480, 2))
    many, group = np.repeat(y, 4), np.repeat(np.arange(120), 4)
    grouped = BayesFloor(scale=None).fit(copies, many, groups=group).envelope(learners=LEARNER)
    naive = BayesFloor(scale=None).fit(copies, many).envelope(learners=LEARNER)

    assert naive.errors["neighbours"] < 0.1
    assert grouped.errors["neighbours"] > 0.3


def test_large_sets_are_learnt_from_in_part(rng, gaussians, monkeypatch):
    """Learners on a million rows would take hours."""
    monkeypatch.setattr(_envelope, "LEARN_ON", 150)
    X, y = gaussians(rng, [200, 200])
    envelope = BayesFloor(interval="fast").fit(X, y).envelope(learners=LEARNER)

    assert envelope.n_rows == 150
    assert envelope.lower <= envelope.estimate <= envelope.upper


def test_envelopes_are_the_same_each_time(rng, gaussians):
    """All folds go by ``random_state``."""
    X, y = gaussians(rng, [80, 80])
    one, two = (BayesFloor().fit(X, y).envelope(learners=LEARNER) for _ in range(2))

    assert one.to_dict() == two.to_dict()


def test_votes_have_an_envelope(rng, gaussians):
    """All votes on a row are on one side of a fold."""
    X, y = gaussians(rng, [60, 60])
    votes = np.eye(2, dtype=int)[y] * 2 + rng.integers(0, 2, (120, 2))
    envelope = BayesFloor(interval="fast").fit(X, votes).envelope(learners=LEARNER)

    assert envelope.n_rows == votes.sum()
    assert envelope.lower <= envelope.estimate <= envelope.upper


@pytest.mark.slow
def test_other_labels_have_an_envelope_of_their_own(rng, gaussians):
    """The old one is about another problem."""
    X, y = gaussians(rng, [100, 100])
    floor = BayesFloor(interval="fast").fit(X, y)
    before = floor.envelope()
    after = floor.relabel(rng.permutation(y)).envelope()

    assert floor.envelope() is before
    assert min(after.errors.values()) > min(before.errors.values())


def test_flipped_labels_are_claimed_within_the_share_allowed(rng):
    """A claim of a wrong label is stronger than a list to look at, and must keep its promise."""
    y = np.repeat([0, 1, 2], 200)
    X = rng.normal(size=(600, 2)) + 8.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    flipped = rng.permutation(600)[:60]
    given = y.copy()
    given[flipped] = (given[flipped] + rng.integers(1, 3, 60)) % 3
    envelope = BayesFloor().fit(X, given).envelope(learners={})
    claims = envelope.wrong_labels(flip_rate=0.1)

    assert claims.row.tolist() == list(range(600))
    assert np.isin(np.flatnonzero(claims.wrong), flipped).mean() > 0.9
    assert claims.wrong[flipped].mean() > 0.5
    assert np.median(claims.p_value[flipped]) < 0.15 < np.median(claims.p_value)
    assert len(claims.frame()) == 600


def test_known_noise_is_taken_out(rng):
    """A ceiling that label noise lowers is not the data's fault."""
    y = np.repeat([0, 1], 1500)
    X = rng.normal(size=(3000, 2)) + 2.0 * y[:, None]
    noisy = np.where(rng.random(3000) < 0.3, rng.integers(0, 2, 3000), y)
    clean, dirty = (BayesFloor(interval="fast").fit(X, labels).overall_ for labels in (y, noisy))

    assert dirty.estimate > clean.estimate + 0.05
    assert float(dirty.without_noise(0.3).upper) == pytest.approx(clean.upper, abs=0.07)
