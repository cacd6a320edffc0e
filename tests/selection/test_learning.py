"""Learning curves: parts without replacement, bounds as of a fit, intervals that hold what comes."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor import BayesFloor
from bayesfloor.selection._learning import learning_curve, samples_for


def draw(rng, n, d=3, apart=2.0):
    """Two normal classes, ``apart`` along the first feature: X, y."""
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, d))
    X[:, 0] += apart * y
    return X, y


def fit(X, y, **options):
    """A floor without scales."""
    return BayesFloor(scale=None, interval="fast", **options).fit(X, y)


@pytest.fixture(scope="module")
def floor(global_random_seed):
    """A fitted floor; tests only look at it."""
    return fit(*draw(np.random.default_rng(global_random_seed), 800))


@pytest.fixture(scope="module")
def curve(floor):
    """Its curve."""
    return learning_curve(floor)


def test_sizes_are_halvings_and_the_last_is_the_fit(floor, curve):
    """What the whole shows is the fit's own."""
    whole = floor.overall_

    assert curve.n_rows.tolist() == [50, 100, 200, 400, 800]
    assert curve.cross_rate[-1] == pytest.approx(whole.cross_rate)
    assert curve.lower[-1] == pytest.approx(whole.lower)
    assert curve.estimate[-1] == pytest.approx(whole.estimate)
    assert curve.upper[-1] == pytest.approx(whole.upper)
    assert (curve.lower <= curve.estimate).all()
    assert (curve.estimate <= curve.upper).all()


@pytest.mark.parametrize("options", [{"subtract_forced": True}, {"bias_correction": False}, {"n_trees": 1}])
def test_bounds_are_those_of_the_fit_under_its_options(global_random_seed, options):
    """The same formulas at every size."""
    own = fit(*draw(np.random.default_rng(global_random_seed), 300, apart=0.3), **options)
    found = learning_curve(own)

    assert found.lower[-1] == pytest.approx(own.overall_.lower)
    assert found.estimate[-1] == pytest.approx(own.overall_.estimate)
    assert found.upper[-1] == pytest.approx(own.overall_.upper)


def test_the_same_floor_has_the_same_curve(floor, curve):
    """Draws have the floor's seed."""
    assert np.array_equal(learning_curve(floor).cross_rate, curve.cross_rate)


def test_the_limit_lies_in_its_interval_and_so_do_its_bounds(curve):
    """More certainty, more width."""
    low, high = curve.limit_interval()
    wide = curve.limit_interval(0.99)
    bounds = curve.limit_bounds()

    assert wide[0] <= low <= curve.limit <= high <= wide[1]
    assert bounds.low <= bounds.lower <= bounds.estimate <= bounds.upper <= bounds.high


def test_intervals_nest_and_hold_the_prediction(curve):
    """At every size."""
    for n in (100, 800, 1600, 10**6):
        inner, outer = curve.predict(n, 0.5), curve.predict(n, 0.95)
        assert outer.low <= inner.low <= inner.cross_rate <= inner.high <= outer.high
        assert inner.cross_rate == outer.cross_rate == curve.predict(n).cross_rate


def test_the_rows_at_hand_show_what_they_showed(floor, curve):
    """Nothing is predicted there."""
    found = curve.predict(800)

    assert found.cross_rate == pytest.approx(floor.overall_.cross_rate)
    assert found.high - found.low < 1e-6


@pytest.mark.slow
def test_predictions_hold_what_more_rows_show(global_random_seed):
    """Of 21 quarters at least 16 intervals of 95 % hold what all rows show: fewer have a chance of 1e-4."""
    rng = np.random.default_rng(global_random_seed)
    held = []
    for d in np.tile([2, 5, 10], 7):
        X, y = draw(rng, 480, d)
        found = learning_curve(fit(X[:120], y[:120])).predict(480)
        held.append(found.low <= fit(X, y).overall_.cross_rate <= found.high)

    assert sum(held) >= 16


def test_the_limit_is_near_the_known_one(global_random_seed):
    """2 E[eta (1 - eta)] of two normal classes in one dimension, where the bias is soon gone."""
    X, y = draw(np.random.default_rng(global_random_seed), 3000, 1, 1.5)
    at = np.linspace(-8, 8, 4001) + 0.75
    one, two = norm.pdf(at), norm.pdf(at, 1.5)
    known = np.sum(one * two / (one + two)) * (at[1] - at[0])
    low, high = learning_curve(fit(X, y)).limit_interval(0.999)

    assert low <= known <= high


def test_groups_stay_whole_and_weights_are_taken_along(global_random_seed):
    """Copies in two parts would show each other's labels."""
    rng = np.random.default_rng(global_random_seed)
    X, y = draw(rng, 240)
    twice = BayesFloor(scale=None).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), groups=np.repeat(np.arange(240), 2))
    weighted = learning_curve(BayesFloor(scale=None).fit(X, y, sample_weight=rng.uniform(0.5, 2, 240)))

    assert learning_curve(twice).n_rows.tolist() == [60, 120, 240, 480]
    assert learning_curve(twice).cross_rate[0] > 0.5 * learning_curve(fit(X, y)).cross_rate[0]
    assert weighted.n_rows.tolist() == [30, 60, 120, 240]
    assert 0 < weighted.cross_rate[-1] < weighted.cross_rate[0] + 0.1


def test_copies_that_more_rows_bring_are_foreseen(global_random_seed):
    """Half of the rows are there four times, with one label: a quarter shows few of them, all rows all."""
    rng = np.random.default_rng(global_random_seed)
    X, y = draw(rng, 1000, apart=1.0)
    X, y = np.concatenate([X, X[:250], X[:250], X[:250]]), np.concatenate([y, y[:250], y[:250], y[:250]])
    quarter = rng.permutation(len(X))[: len(X) // 4]
    found = learning_curve(fit(X[quarter], y[quarter]))
    measured = fit(X, y).overall_.cross_rate
    more = found.predict(len(X), level=0.999)

    assert more.low <= measured <= more.high
    assert more.cross_rate < found.limit


def test_other_labels_of_the_same_rows_have_their_own_curve(floor, global_random_seed):
    """Labels at random fall nowhere."""
    noise = np.random.default_rng([global_random_seed, 1]).integers(0, 2, 800)
    found = learning_curve(floor.relabel(noise))

    assert found.cross_rate[-1] == pytest.approx(0.5, abs=0.1)
    assert found.predict(3200).high > 0.4


def test_few_rows_have_a_curve_of_one_size(global_random_seed):
    """They cannot be halved, and the interval says so."""
    found = learning_curve(fit(*draw(np.random.default_rng(global_random_seed), 40)))

    assert found.n_rows.tolist() == [40]
    assert found.predict(4000).high - found.predict(4000).low > 0.1


@pytest.mark.parametrize(("X", "y"), [(np.ones((60, 2)), np.arange(60) % 2), (np.eye(4), [0, 1, 0, 1])])
def test_rows_without_anything_to_tell_have_an_answer_all_the_same(X, y):
    """All rows equal, or hardly any."""
    found = learning_curve(fit(X, y))
    low, high = found.limit_interval()
    more = found.predict(1000)

    assert 0 <= low <= high <= 1
    assert 0 <= more.low <= more.cross_rate <= more.high <= 1
    assert samples_for(found, 0.99).needed >= len(X)


@pytest.mark.slow
def test_separate_classes_are_enough_and_noise_never_is(global_random_seed):
    """Both ends."""
    rng = np.random.default_rng(global_random_seed)
    X, y = draw(rng, 800, 2, 20.0)
    clear, noise = (learning_curve(fit(X, labels)) for labels in (y, rng.integers(0, 2, 800)))

    assert samples_for(clear, 0.95).word == "enough"
    assert samples_for(clear, 0.95).needed == samples_for(clear, 0.95).high == 800
    assert samples_for(noise, 0.9).word == "never"
    assert samples_for(noise, 0.9).needed == np.inf
    assert samples_for(noise, 0.01).word == "enough"


def test_a_jump_wants_more_rows(global_random_seed):
    """A checkerboard without noise: any target is reached, the higher the later."""
    X = np.random.default_rng(global_random_seed).uniform(size=(1500, 2))
    y = (np.floor(4 * X[:, 0]) + np.floor(4 * X[:, 1])).astype(int) % 2
    curve = learning_curve(fit(X, y))
    here = curve.cross_rate[-1]
    near, far = samples_for(curve, 1 - 0.8 * here), samples_for(curve, 1 - 0.5 * here)

    assert near.word in ("more rows", "undecided")
    assert 1500 <= near.low <= near.needed <= near.high
    assert 1500 < near.needed < far.needed < np.inf
    assert far.word != "never"


def test_perfect_accuracy_is_never_ruled_out_by_rates_that_fall_to_zero(global_random_seed):
    """Nothing is left for sure."""
    found = samples_for(fit(*draw(np.random.default_rng(global_random_seed), 400, 2, 20.0)), 1.0)

    assert found.word in ("undecided", "more rows")


@pytest.mark.slow
def test_the_floor_and_its_curve_need_the_same_rows(floor, curve):
    """One is made of the other."""
    assert samples_for(floor, 0.85).to_dict() == samples_for(curve, 0.85).to_dict()


@pytest.mark.parametrize("target", [0.5, 0.8, 0.9, 1.0])
def test_results_are_plain_and_frozen_and_tell(curve, target):
    """Tables, JSON and words."""
    needed = samples_for(curve, target)

    assert len(curve.frame()) == 5
    assert len(needed.frame()) == 1
    for result in (curve, needed):
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
    assert f"accuracy of {target:g}" in needed.text
    assert "twice the rows" in curve.text
    assert "LearningCurve(" in repr(curve)
    with pytest.raises(FrozenInstanceError):
        needed.word = "enough"


@pytest.mark.parametrize("n_rows", [1, 0, -5, np.inf, "many", True])
def test_what_is_no_number_of_rows_is_refused(curve, n_rows):
    """The message says what is wanted."""
    with pytest.raises(ValueError, match=r"Got n_rows=.*, but expected a number of rows"):
        curve.predict(n_rows)


def test_wrong_targets_and_levels_are_refused(curve):
    """As everywhere."""
    with pytest.raises(ValueError, match=r"Got target=95"):
        samples_for(curve, 95)
    with pytest.raises(ValueError, match=r"Got level=95"):
        curve.predict(1000, level=95)


def test_a_floor_that_is_not_fitted_is_refused():
    """scikit-learn's own error."""
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        learning_curve(BayesFloor())
