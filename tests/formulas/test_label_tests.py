"""Scores and p-values of single samples, in simulations where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from bayesfloor.formulas._limits import label_score, local_rate, odd_label_p_value

LEVELS = (0.01, 0.05, 0.2, 0.5)


def check_valid(p_values):
    """At most a share a of them is a or less, up to five standard errors."""
    for level in LEVELS:
        assert (p_values <= level).mean() <= level + 5 * np.sqrt(level * (1 - level) / len(p_values)), level


def test_the_label_score_counts_standard_deviations_and_is_zero_where_nothing_speaks():
    """J of a class of share pi has mean (1 - pi) deg if labels are random; the only class has no others."""
    assert label_score(n_cross=9, degree=10, share=0.5) == pytest.approx(4 / np.sqrt(2.5))
    assert label_score([0, 4], [5, 5], [0.2, 0.2]) == pytest.approx([-4 / np.sqrt(0.8), 0])

    assert label_score([0, 0, 3], [0, 5, 3], [0.3, 1.0, 0.0]).tolist() == [0, 0, 0]


def test_label_scores_of_random_labels_are_standard(rng):
    """Mean zero and variance one for every class, however small."""
    for share in (0.1, 0.5, 0.8):
        z = label_score(rng.binomial(8, 1 - share, 20_000), 8, share)

        assert z.mean() == pytest.approx(0, abs=5 / np.sqrt(20_000))
        assert (z**2).mean() == pytest.approx(1, abs=5 * (z**2).std() / np.sqrt(20_000))


@given(st.floats(0, 30), st.floats(0, 30), st.floats(0, 1))
def test_local_rates_lie_between_the_neighbours_and_the_whole(cross, inside, rate):
    """Few edges around say little; many say all."""
    a, b = local_rate(cross, cross + inside, rate)
    own = cross / (cross + inside) if cross + inside else rate

    assert a > 0
    assert b > 0
    assert min(own, rate) - 1e-5 <= a / (a + b) <= max(own, rate) + 1e-5


def test_the_whole_forest_counts_as_twenty_edges():
    """A prior of known weight."""
    assert local_rate(n_cross=3, degree=10, rate=0.25) == pytest.approx((3 + 5, 7 + 15))


@pytest.mark.parametrize(("rate", "differs"), [(0.15, True), (0.02, False), (0.2, False), (0.6, False)])
def test_p_values_are_valid_where_rates_differ_as_the_prior_says_or_one_serves_all(rate, differs, global_random_seed):
    """Edges independent, their rate unknown: the beta-binomial is then exact but for its steps."""
    rng, n = np.random.default_rng(global_random_seed), 20_000
    q = rng.beta(20 * rate, 20 * (1 - rate), n) if differs else rate
    degree, around = rng.integers(3, 15, n), rng.integers(10, 60, n)
    local = local_rate(rng.binomial(around, q), around, rate)

    check_valid(odd_label_p_value(rng.binomial(degree, q), degree, local))


def test_p_values_are_those_of_another_program(rng):
    """Rows of all degrees go through one loop, which may not mix them up."""
    degree, around = rng.integers(0, 60, 2000), rng.integers(0, 400, 2000)
    cross = rng.binomial(degree, rng.random(2000))
    local = local_rate(rng.binomial(around, rng.random(2000)), around, 0.1)
    expected = betabinom.sf(cross - 1, degree, *local)

    assert odd_label_p_value(cross, degree, local) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_expected_counts_are_rounded_to_the_safe_side():
    """At equal rows counts are not whole, and no label may look odder than it is."""
    local = local_rate(5, 50, 0.1)

    assert odd_label_p_value(3.7, 5.2, local) == odd_label_p_value(3, 6, local)
    assert odd_label_p_value(3 - 1e-12, 5 + 1e-12, local) == odd_label_p_value(3, 5, local)
