"""Standard errors, the bias, and the spread of ties."""

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.floor._sample import Sample
from bayesfloor.floor._uncertainty import choose_method
from bayesfloor.io._features import Features
from bayesfloor.io._labels import hard_shares


@pytest.mark.slow
def test_standard_errors_are_about_the_spread_over_samples(rng, gaussians):
    """Both ways, against what other samples of the same kind give."""
    options = {"scale": None, "n_trees": 1}
    floors = [BayesFloor(**options, interval="fast").fit(*gaussians(rng, [150, 150])).overall_ for _ in range(40)]
    spread = np.std([floor.cross_rate for floor in floors])
    by_quarters = BayesFloor(**options, interval="subsample").fit(*gaussians(rng, [150, 150])).overall_.std_error

    assert 0.5 < np.mean([floor.std_error for floor in floors]) / spread < 2
    assert 0.4 < by_quarters / spread < 2.5


@pytest.mark.parametrize(("interval", "quarters"), [("subsample", 40), ("fast", 4)])
def test_an_interval_rests_on_forty_quarters_and_a_drift_on_four(rng, gaussians, interval, quarters):
    """Fewer would leave its standard error to chance; more would take longer than the fit."""
    calls = []
    floor = BayesFloor(scale=None, interval=interval, progress=lambda *call: calls.append(call))
    floor.fit(*gaussians(rng, [60, 60]))

    assert {total for stage, _, total in calls if stage == "subsamples"} == {quarters}
    assert floor.overall_._degrees == (39 if interval == "subsample" else np.inf)


def make_sample(n, d=2, *, together=1):
    """A sample of so many rows, of which so many each were drawn together."""
    features = Features(np.zeros((n, d)), np.ones(d, dtype=bool))
    shares = hard_shares(np.arange(n) % 3, 3)
    return Sample(features, np.arange(3), shares, np.arange(n), np.arange(n) // together, None, None, n)


def test_the_method_is_chosen_by_size_and_more_rows_make_narrower_intervals(rng, gaussians, fitted):
    """Quarters where they are cheap or the quick look would be wrong; widths fall by the root of the rows."""
    few = BayesFloor(interval="fast").fit(*gaussians(rng, [50, 50])).overall_
    many = BayesFloor(interval="fast").fit(*gaussians(rng, [800, 800])).overall_

    assert many.std_error < 0.5 * few.std_error

    assert fitted.overall_.interval_method == "subsample"
    assert choose_method("auto", make_sample(20)) == "fast"
    assert choose_method("auto", make_sample(1000, 50)) == "subsample"
    assert choose_method("auto", make_sample(10**5)) == "fast"
    assert choose_method("auto", make_sample(10**5, together=2)) == "subsample"
    assert choose_method("fast", make_sample(1000)) == "fast"
    assert choose_method("subsample", make_sample(10**5)) == "subsample"


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_intrinsic_dimension_is_that_of_the_points(rng, d):
    """Points of d dimensions in six."""
    X = rng.normal(size=(1200, d)) @ rng.normal(size=(d, 6))
    y = rng.permutation(np.arange(1200) % 2)
    floor = BayesFloor(scale=None).fit(X, y).overall_

    assert floor.dimension == pytest.approx(d, rel=0.35)


def test_the_bias_is_small_in_two_dimensions_none_for_separate_classes_and_told_in_many(rng, gaussians):
    """Where G would fall by more than its interval, the tree bounds are too high yet; a forced edge is no overlap."""
    low = BayesFloor(scale=None).fit(*gaussians(rng, [400, 400], shift=2.0)).overall_
    high = BayesFloor(scale=None).fit(*gaussians(rng, [400, 400], shift=3.0, d=30)).overall_

    assert abs(low.bias) < 0.05
    assert high.dimension > low.dimension
    assert high.bias > 1.96 * high.std_error

    floor = BayesFloor(scale=None).fit(*gaussians(rng, [100, 100, 100], shift=1000.0)).overall_

    assert floor.bias == pytest.approx(0, abs=0.01)


def test_ties_that_matter_show_in_their_spread(rng):
    """On a coarse grid the order of equally long edges moves G."""
    X = rng.integers(0, 2, (400, 8)).astype(float)
    y = (X.sum(axis=1) % 2).astype(int)
    floor = BayesFloor(scale=None, interval="fast").fit(X, y).overall_

    assert floor.tie_spread[0] <= floor.cross_rate <= floor.tie_spread[1]
    assert floor.tie_spread[0] < floor.tie_spread[1]
