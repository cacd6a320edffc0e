"""Scores and p-values of single samples, in simulations where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from bayesfloor.formulas._label_tests import (
    claim_p_value,
    flip_posterior,
    label_score,
    largest_list,
    local_rate,
    odd_label_p_value,
    odd_label_power,
)

LEVELS = (0.01, 0.05, 0.2, 0.5)


def check_valid(p_values):
    """At most a share a of them is a or less, up to five standard errors."""
    for level in LEVELS:
        assert (p_values <= level).mean() <= level + 5 * np.sqrt(level * (1 - level) / len(p_values)), level


def test_the_label_score_counts_standard_deviations():
    """J of a class of share pi has mean (1 - pi) deg if labels are random."""
    assert label_score(n_cross=9, degree=10, share=0.5) == pytest.approx(4 / np.sqrt(2.5))
    assert label_score([0, 4], [5, 5], [0.2, 0.2]) == pytest.approx([-4 / np.sqrt(0.8), 0])


def test_label_scores_of_random_labels_are_standard(global_random_seed):
    """Mean zero and variance one for every class, however small."""
    rng = np.random.default_rng(global_random_seed)
    for share in (0.1, 0.5, 0.8):
        z = label_score(rng.binomial(8, 1 - share, 20_000), 8, share)

        assert z.mean() == pytest.approx(0, abs=5 / np.sqrt(20_000))
        assert (z**2).mean() == pytest.approx(1, abs=5 * (z**2).std() / np.sqrt(20_000))


def test_samples_without_edges_or_of_the_only_class_score_zero():
    """Nothing speaks for or against their label."""
    assert label_score([0, 0, 3], [0, 5, 3], [0.3, 1.0, 0.0]).tolist() == [0, 0, 0]


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


def test_p_values_are_valid_where_rates_differ_as_the_prior_says(global_random_seed):
    """Edges independent, their rate unknown: the beta-binomial is then exact but for its steps."""
    rng, n, rate = np.random.default_rng(global_random_seed), 20_000, 0.15
    q = rng.beta(20 * rate, 20 * (1 - rate), n)
    degree, around = rng.integers(3, 15, n), rng.integers(10, 60, n)
    local = local_rate(rng.binomial(around, q), around, rate)

    check_valid(odd_label_p_value(rng.binomial(degree, q), degree, local))


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.6])
def test_p_values_are_valid_where_one_rate_serves_all(rate, global_random_seed):
    """Clean and noisy data alike."""
    rng, n = np.random.default_rng(global_random_seed), 20_000
    degree, around = rng.integers(3, 15, n), rng.integers(10, 60, n)
    local = local_rate(rng.binomial(around, rate), around, rate)

    check_valid(odd_label_p_value(rng.binomial(degree, rate), degree, local))


def test_p_values_sum_the_upper_tail():
    """Nothing is odd about no cross edge; all of them are odd where few cross."""
    local = (np.array([1.0, 1.0, 1.0]), np.array([9.0, 9.0, 9.0]))
    p = odd_label_p_value([0, 2, 6], [6, 6, 6], local)

    assert p[0] == 1
    assert p[1] == pytest.approx(betabinom.pmf(np.arange(2, 7), 6, 1, 9).sum())
    assert p[2] == pytest.approx(betabinom.pmf(6, 6, 1, 9))


def test_p_values_are_those_of_another_program(global_random_seed):
    """Rows of all degrees go through one loop, which may not mix them up."""
    rng = np.random.default_rng(global_random_seed)
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


def test_power_is_a_chance_that_grows_with_wrong_labels_and_level():
    """It tells users whether silence means anything."""
    local = local_rate(np.full(4, 3.0), np.full(4, 40.0), 0.08)
    power = odd_label_power([2, 5, 9, 14], local, 0.9, 0.01)
    weak = odd_label_power([2, 5, 9, 14], local, 0.3, 0.01)

    assert ((power >= 0) & (power <= 1)).all()
    assert (weak <= power).all()
    assert (power <= odd_label_power([2, 5, 9, 14], local, 0.9, 0.1)).all()
    assert power[-1] > 0.99


def test_claims_are_valid_for_a_known_posterior(global_random_seed):
    """Labels drawn from eta are called wrong no more often than the level says."""
    rng, n = np.random.default_rng(global_random_seed), 20_000
    for alpha in (0.1, 1, 5):
        eta = rng.dirichlet(np.full(4, alpha), n)
        codes = np.minimum((rng.random((n, 1)) > np.cumsum(eta, axis=1)).sum(axis=1), 3)

        check_valid(claim_p_value(eta, codes))


def test_claims_are_valid_in_every_place():
    """Not only on the average: summed over the labels that one posterior can give."""
    for eta in ([0.7, 0.2, 0.1], [0.4, 0.4, 0.2], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5]):
        chance = np.array(eta)
        p = claim_p_value(np.tile(chance, (3, 1)), np.arange(3))

        for level in (*p, 0.05, 0.3):
            assert chance[p <= level].sum() <= level + 1e-12


def test_claims_add_up_the_classes_no_likelier():
    """Ties count on the safe side."""
    eta = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.4, 0.4, 0.2]])

    assert claim_p_value(eta, [0, 1, 2, 0]) == pytest.approx([1, 0.5, 0.2, 1])


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.5), st.integers(2, 20))
def test_the_chance_of_a_flip_is_bayes_rule(eta, rate, n_classes):
    """All clean labels and flips that lead to the label seen, summed one by one."""
    others = np.full(n_classes - 1, (1 - eta) / (n_classes - 1))
    kept, flipped = eta * (1 - rate), (others * rate / (n_classes - 1)).sum()

    assert flip_posterior(eta, rate, n_classes) == pytest.approx(flipped / (kept + flipped))


def test_certain_labels_are_never_flips_and_impossible_ones_always():
    """The two ends, and the middle of two classes."""
    assert flip_posterior([1.0, 0.0, 0.5], 0.1, 2) == pytest.approx([0, 1, 0.1])


def test_the_longest_list_within_the_rate_is_taken():
    """Likeliest first, while the mean chance of being wrong stays within the rate."""
    chance = [0.2, 0.99, 0.9, 0.95, 0.5]

    assert np.flatnonzero(largest_list(chance, 0.06)).tolist() == [1, 2, 3]
    assert np.flatnonzero(largest_list(chance, 0.2)).tolist() == [1, 2, 3, 4]
    assert largest_list(chance, 1.0).all()
    assert not largest_list(chance, 0.001).any()
    assert len(largest_list([], 0.1)) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_no_longer_list_keeps_the_rate(chance, rate):
    """Every prefix of the ranking was tried."""
    chosen, wrong = largest_list(chance, rate), np.sort(1 - np.array(chance))
    kept = [k for k in range(1, len(wrong) + 1) if wrong[:k].sum() / k <= rate + 1e-12]
    strictly = [k for k in range(1, len(wrong) + 1) if wrong[:k].sum() / k <= rate - 1e-12]

    assert max([0, *strictly]) <= chosen.sum() <= max([0, *kept])


def test_lists_keep_their_rate_in_simulation(global_random_seed):
    """Flips drawn at the chance they are said to have: the share of false ones is the rate or less."""
    rng, n = np.random.default_rng(global_random_seed), 20_000
    chance = flip_posterior(rng.beta(0.3, 0.3, n), 0.2, 3)
    flipped, chosen = rng.random(n) < chance, largest_list(chance, 0.1)

    assert (~flipped[chosen]).mean() <= 0.1 + 5 * np.sqrt(0.09 / chosen.sum())
    assert chosen.sum() > 1000
