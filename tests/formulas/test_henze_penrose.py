"""``henze_penrose``: the paper's relations, the order of its bounds, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.formulas import henze_penrose
from bayesfloor.formulas._bounds import cross_to_u

sizes = st.integers(1, 10_000)
fractions = st.floats(0, 1)  # of all the cross edges there can be


def read(result):
    """The three values in the order in which they should stand."""
    return np.array([result.lower, result.estimate, result.upper])


@given(sizes, sizes, fractions)
def test_both_forms_of_u_agree(n1, n2, fraction):
    """The paper writes it with the divergence, the code with the share of cross edges."""
    n, cross = n1 + n2, fraction * (n1 + n2)
    p1, p2 = n1 / n, n2 / n
    divergence = henze_penrose(cross, n1, n2).divergence

    assert 4 * p1 * p2 * divergence + (p1 - p2) ** 2 == pytest.approx(1 - 2 * cross / n, abs=1e-9)
    assert cross_to_u(cross / n) == pytest.approx(max(0.0, 1 - 2 * cross / n))


@given(sizes, sizes, fractions)
def test_bounds_and_estimate_follow_the_paper_and_the_correction_leaves_the_bounds(n1, n2, fraction):
    """Each formula as it is printed, with the divergence in it, capped at the smaller share."""
    n, share = n1 + n2, min(n1, n2) / (n1 + n2)
    result = henze_penrose(fraction * n, n1, n2, bias_correction=False)
    u = max(0.0, 4 * n1 * n2 / n**2 * (1 - n * fraction * n / (2 * n1 * n2)) + ((n1 - n2) / n) ** 2)

    assert result.lower == pytest.approx(min(share, 0.5 - np.sqrt(u) / 2), abs=1e-6)
    assert result.upper == pytest.approx(min(share, 0.5 - u / 2), abs=1e-9)
    assert result.estimate == pytest.approx(0.5 - np.sqrt(u) / 4 - u / 4, abs=1e-6)

    plain, corrected = (henze_penrose(fraction * (n1 + n2), n1, n2, bias_correction=on) for on in (False, True))

    assert (plain.lower, plain.upper, plain.divergence) == (corrected.lower, corrected.upper, corrected.divergence)


@given(sizes, sizes, fractions)
def test_bounds_stand_in_order(n1, n2, fraction):
    """Whoever plots a band from lower to upper relies on it."""
    lower, estimate, upper = read(henze_penrose(fraction * (n1 + n2), n1, n2))

    assert 0 <= lower <= estimate + 1e-12
    assert estimate <= upper + 1e-12
    assert upper <= min(n1, n2) / (n1 + n2)


@given(sizes, sizes, fractions, fractions)
def test_more_cross_edges_mean_more_error(n1, n2, one, two):
    """Ends of an interval for R are mapped to ends of an interval for the error."""
    few, many = sorted([one, two])
    less, more = (henze_penrose(fraction * (n1 + n2), n1, n2) for fraction in (few, many))

    assert (read(less) <= read(more) + 1e-12).all()
    assert less.divergence >= more.divergence


def most_cross_edges(n1, n2):
    """The paper's gamma: the R at which the HP-estimate is the smaller class's share."""
    n, p = n1 + n2, min(n1, n2) / (n1 + n2)
    return n * (2 * p - 0.75 + np.sqrt(9 - 16 * p) / 4)


@given(sizes, sizes, fractions)
def test_the_bias_correction_counts_no_more_cross_edges_than_gamma(n1, n2, fraction):
    """The paper caps R, the code the estimate: they have to be the same."""
    cross = fraction * (n1 + n2)
    capped = henze_penrose(min(cross, most_cross_edges(n1, n2)), n1, n2, bias_correction=False)

    assert henze_penrose(cross, n1, n2).estimate == pytest.approx(capped.estimate, abs=1e-7)


@given(sizes, sizes, fractions)
def test_normalized_values_are_shares_of_guessing(n1, n2, fraction):
    """Pairs of classes of different sizes are compared by them."""
    cross, share = fraction * (n1 + n2), min(n1, n2) / (n1 + n2)
    plain, normalized = (henze_penrose(cross, n1, n2, normalize=on) for on in (False, True))

    assert read(normalized) * share == pytest.approx(read(plain))
    assert (read(normalized) <= 1 + 1e-12).all()
    assert normalized.divergence == plain.divergence


@given(st.floats(0, 1))
def test_the_estimate_is_the_middle_and_off_by_a_sixteenth_at_most(fraction):
    """It is not consistent: users are told how far it can be off with infinite data."""
    lower, estimate, upper = read(henze_penrose(fraction * 100, 100, 100))

    assert estimate == pytest.approx((lower + upper) / 2)
    assert (upper - lower) / 2 <= 1 / 16 + 1e-12


def test_the_divergence_is_that_of_theory_and_negative_beyond_chance():
    """One for classes apart, zero where labels are chance; at finite n more cross, and no root of it may be taken."""
    apart, equal = henze_penrose(0, 30, 70), henze_penrose(2 * 30 * 70 / 100, 30, 70)

    assert (apart.divergence, *read(apart)) == (1, 0, 0, 0)
    assert equal.divergence == pytest.approx(0)
    assert equal.lower == pytest.approx(0.3)
    assert (equal.estimate, equal.upper) == (0.3, 0.3)

    result = henze_penrose(150, 100, 100)

    assert result.divergence == -0.5
    assert read(result).tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1, 5])
def test_bounds_hold_for_any_posterior(alpha, global_random_seed):
    """The theorem itself: R / n tends to 2 E[eta (1 - eta)], whatever eta is distributed like."""
    eta = np.random.default_rng(global_random_seed).beta(alpha, 2 * alpha, 20_000)
    error, share = np.minimum(eta, 1 - eta).mean(), eta.mean()
    result = henze_penrose(2 * (eta * (1 - eta)).mean(), share, 1 - share)

    assert result.lower <= error <= result.upper


def test_arrays_broadcast_and_numbers_give_numbers():
    """All pairs of classes are one call; an array of no dimension prints and serialises badly."""
    cross, n1, n2 = np.array([[5.0], [9.5]]), np.array([10, 20, 30]), 40
    result = henze_penrose(cross, n1, n2)

    for name in ("divergence", "lower", "estimate", "upper"):
        values = getattr(result, name)
        expected = [[getattr(henze_penrose(c, n, n2), name) for n in n1] for c in cross[:, 0]]
        assert values.shape == (2, 3)
        assert values.tolist() == expected

    assert {type(value) for value in vars(henze_penrose(3, 10, 12)).values()} == {float}


@pytest.mark.parametrize(
    ("n1", "n2"), [(0, 5), (5, 0), (-1, 5), (5, np.nan), (np.inf, 5), ([3, 0], 5), ([2, 3], [4, -4])]
)
def test_classes_without_samples_are_refused(n1, n2):
    """A share of nothing would give NaN for a whole table."""
    with pytest.raises(ValueError, match=r"Got class sizes n1=.* and n2=.*, but expected positive numbers\."):
        henze_penrose(1, n1, n2)


@pytest.mark.parametrize("n_cross", [-1, 10.5, np.nan, np.inf, [3, 11]])
def test_numbers_that_are_no_count_of_edges_are_refused(n_cross):
    """A rate given for a count is fine to the formula, a count of another tree is not."""
    with pytest.raises(ValueError, match=r"Got n_cross=.*, but expected numbers from 0 to n1 \+ n2\."):
        henze_penrose(n_cross, 4, 6)
