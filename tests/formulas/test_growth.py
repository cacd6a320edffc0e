"""Curves through rates at growing sizes: exact where the formula holds, honest where it may not."""

import numpy as np
import pytest
from scipy.stats import norm

from bayesfloor.formulas._growth import Copies, Growth, Mixture, persistence, usual_exponent
from bayesfloor.formulas._multiclass import add_forced, random_cross_rate, remove_forced

SIZES = 1000.0 * 2.0 ** np.arange(-4, 1)


def curve(limit, bias, exponent, error=1e-4, sizes=SIZES):
    """Rates that follow the formula exactly."""
    rates = limit + bias * (sizes / sizes[-1]) ** -exponent
    return Growth(sizes, rates, error, 0.9, exponent)


def test_quantiles_of_one_normal_are_its_own():
    """The plain case has a closed form."""
    one = Mixture(np.array([1.0]), np.array([0.3]), np.array([0.02]))
    levels = np.array([0.025, 0.5, 0.9])

    np.testing.assert_allclose(one.quantile(levels), norm.ppf(levels, 0.3, 0.02), atol=1e-5)


def test_quantiles_of_a_mixture_are_where_its_distribution_says():
    """Two far apart: a quarter of the mass lies below the lower one's middle."""
    two = Mixture(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array([0.01, 0.01]))

    assert two.quantile(np.array([0.25]))[0] == pytest.approx(0.0, abs=0.01)
    assert two.quantile(np.array([0.75]))[0] == pytest.approx(1.0, abs=0.01)


def test_quantiles_of_no_spread_are_its_place():
    """Nothing is left open."""
    point = Mixture(np.array([1.0]), np.array([0.3]), np.array([0.0]))

    assert point.quantile(np.array([0.1, 0.9])).tolist() == [0.3, 0.3]


@pytest.mark.parametrize("exponent", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("limit", [0.0, 0.1, 0.3])
def test_a_curve_of_the_formula_is_continued(limit, exponent):
    """Four times the rows, known almost without error: the interval holds the curve."""
    found = curve(limit, 0.04, exponent).at(4000.0).quantile(np.array([0.025, 0.975]))
    truth = limit + 0.04 * 4**-exponent

    assert found[0] - 1e-3 <= truth <= found[1] + 1e-3
    assert found[1] - found[0] < 0.1


def test_the_limit_of_a_fast_curve_is_found():
    """Where most of the bias is gone, what is left is known well."""
    growth = curve(0.2, 0.01, 1.0)
    low, high = growth.limit_interval(0.95)

    assert low <= growth.limit <= high
    assert growth.limit == pytest.approx(0.2, abs=0.01)
    assert growth.limit_std_error < 0.01


def test_the_interval_of_a_limit_near_zero_starts_at_zero():
    """Rates that go to zero never show that something is left."""
    assert curve(0.0, 0.05, 0.8).limit_interval(0.95)[0] == 0.0


def test_the_rate_at_hand_is_what_it_was():
    """With the same rows the same answer."""
    growth = curve(0.1, 0.1, 0.5, error=0.01)
    found = growth.at(1000.0).quantile(np.array([0.025, 0.5, 0.975]))

    np.testing.assert_allclose(found, growth.rates[-1], atol=1e-6)


def test_more_rows_leave_more_open():
    """The farther, the wider."""
    growth = curve(0.1, 0.1, 0.5, error=0.01)
    widths = [float(np.ptp(growth.at(n).quantile(np.array([0.025, 0.975])))) for n in (1500, 4000, 16_000)]

    assert widths == sorted(widths)


def test_without_any_fall_only_the_sampling_error_is_left():
    """Rows added to those at hand: Var = se^2 (1 - n/N), where no edges are drawn anew."""
    growth = Growth(SIZES, np.full(5, 0.3), 0.01, 1 - 1e-9, 0.5)
    spread = np.ptp(growth.at(4000.0).quantile(np.array([0.025, 0.975]))) / (2 * 1.96)

    assert 0.0085 <= spread <= 0.0105


def test_one_size_tells_no_slope_but_gives_an_answer():
    """Few rows cannot be halved."""
    growth = Growth(np.array([40.0]), np.array([0.3]), 0.05, 0.8, 0.5)
    low, high = growth.at(160.0).quantile(np.array([0.025, 0.975]))

    assert low < 0.3 < high


def test_persistence_is_nearly_one_where_changes_do_not_vary_and_falls_as_they_do():
    """Of changes of known variance the closed form: exp(-v / (2 se^2)) after one deal."""
    changes = [np.array([0.0, 0.02, 0.0, 0.02])]
    variance = np.var(changes[0], ddof=1) / 4

    assert persistence([np.zeros(8)], 0.01, 1) == pytest.approx(1, abs=2e-3)
    assert persistence(changes, 0.01, 1) == pytest.approx(np.exp(-variance / (2 * 0.01**2)))
    assert persistence(changes, 0.01, 1) < persistence(changes, 0.01, 2) < 1
    assert 0 < persistence([np.array([0.1])], 0.01, 1) < 1  # a single change says nothing


@pytest.mark.parametrize(("dimension", "exponent"), [(3.0, 0.5), (0.2, 1.5), (np.inf, 0.03)])
def test_exponents_go_with_the_dimension(dimension, exponent):
    """Between 1/m and 2/m, for any m."""
    assert usual_exponent(dimension) == pytest.approx(exponent)


def test_forced_edges_are_put_back_as_they_were_taken():
    """One is the inverse of the other."""
    sizes = np.array([50.0, 30.0, 20.0])
    taken = remove_forced(0.2, random_cross_rate(sizes), 2 / 99)

    assert float(add_forced(taken, sizes)) == pytest.approx(0.2)
    assert float(add_forced(0.5, np.array([1.0, 1.0]))) == 0.5  # no room


def test_the_share_of_copies_is_foretold(global_random_seed):
    """Half of 4,000 kinds of rows at random: what a quarter foretells of all."""
    kinds = np.random.default_rng(global_random_seed).integers(0, 4000, 4000)
    times = np.bincount(kinds[:1000])
    counts = int((times == 1).sum()), int((times == 2).sum()), int((times > 0).sum())
    copies = Copies(np.array([500.0, 1000.0]), np.array([0.06, 1 - counts[2] / 1000]), counts, 0.1)

    assert copies.share(4000) == pytest.approx(1 - len(np.unique(kinds)) / 4000, abs=0.06)
    assert copies.share(500) == pytest.approx(0.06)
    assert copies.share(10**6) == pytest.approx(copies.share(4000), abs=1e-3)  # no farther
    assert copies.share(1000) == copies.shares[-1]


def test_edges_of_copies_are_mixed_in_and_taken_out():
    """One is the inverse of the other, and rows that differ are left alone."""
    some = Copies(np.array([10.0]), np.array([0.25]), (5, 2, 7), 0.4)
    none = Copies(np.array([10.0]), np.array([0.0]), (10, 0, 10), 0.0)
    rates = np.array([0.0, 0.2, 1.0])

    np.testing.assert_allclose(some.mixed(rates), 0.1 + 0.75 * rates)
    np.testing.assert_allclose(some.unmixed(some.mixed(rates)), rates)
    np.testing.assert_allclose(none.mixed(rates, 10), rates)
    assert none.share(40) < 0.35  # one pair unseen so far cannot be ruled out
