"""Limits and intervals, against SciPy, exact coverage and laws that can be inverted."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, binomtest, multinomial, ttest_1samp

from bayesfloor.formulas._limits import (
    bias_from_growth,
    class_weights,
    effective_count,
    guessing_limit,
    intrinsic_dimension,
    lower_limit,
    mean_limit,
    subsample_error,
    two_sided,
    unit_means,
    upper_limit,
    weighted_losses,
)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 7, 50])
def test_limits_are_those_of_clopper_and_pearson(n, level):
    """A second program, for every count there can be."""
    counts = np.arange(n + 1)
    above = [binomtest(int(k), n, alternative="less").proportion_ci(level, "exact").high for k in counts]
    below = [binomtest(int(k), n, alternative="greater").proportion_ci(level, "exact").low for k in counts]

    assert upper_limit(counts, n, level) == pytest.approx(above)
    assert lower_limit(counts, n, level) == pytest.approx(below)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.37, 0.5])
def test_limits_cover_any_rate_as_often_as_they_say(rate):
    """For independent edges, summed over all counts: the reason to prefer them to a normal interval."""
    counts = np.arange(41)
    chance = binom.pmf(counts, 40, rate)

    assert chance[upper_limit(counts, 40) >= rate].sum() >= 0.95
    assert chance[lower_limit(counts, 40) <= rate].sum() >= 0.95


@pytest.mark.parametrize("n_rare", [30, 100, 500])
@pytest.mark.parametrize("rates", [(0.0, 0.1), (0.1, 0.0), (0.1, 0.02), (0.4, 0.3)])
def test_limits_of_weighted_rates_are_wrong_as_seldom_as_they_say(n_rare, rates):
    """However rare a class is, and in whichever class the errors are, up to chance."""
    sizes, priors, rng = np.array([20 * n_rare, n_rare]), np.array([0.5, 0.5]), np.random.default_rng(0)
    codes, limits = np.repeat([0, 1], sizes), []
    weight = class_weights(priors, codes)
    for _ in range(300):
        losses = weighted_losses(rng.random(len(codes)) < np.array(rates)[codes], codes, weight)
        n = effective_count(losses, np.arange(len(codes)), heaviest=weight.max())
        limits.append(upper_limit(losses.mean() * n, n))

    assert np.mean(limits < priors @ rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_limits_of_skewed_means_are_wrong_as_seldom_as_they_say():
    """Exponential losses, at the level of a single limit and at that of a learner with a small part of it."""
    losses = np.random.default_rng(0).exponential(size=(1000, 500))
    for level in (0.95, 0.99):
        wrong = np.mean([mean_limit(each, np.arange(500), level) < 1 for each in losses])

        assert wrong == pytest.approx(1 - level, abs=3 * np.sqrt((1 - level) * level / 1000))


def test_limits_of_means_are_students_if_nothing_is_skewed(rng):
    """And above it if large losses are rare, as for errors."""
    values = rng.normal(size=200)
    even = np.append(values, -values)
    skewed = rng.exponential(size=400)
    students = [ttest_1samp(each, 0, alternative="less").confidence_interval(0.95).high for each in (even, skewed)]

    assert mean_limit(even, np.arange(400)) == pytest.approx(students[0], rel=1e-4)
    assert students[1] < mean_limit(skewed, np.arange(400)) < students[1] + 0.05
    assert mean_limit(7 * skewed, np.arange(400)) == pytest.approx(7 * mean_limit(skewed, np.arange(400)))
    assert mean_limit([0.5], [0]) == np.inf


def test_copies_of_rows_do_not_narrow_limits_of_means(rng):
    """A cluster is one value, whose weight is its number of rows."""
    losses, sizes = rng.exponential(size=100), rng.integers(1, 4, size=100)
    cluster = np.repeat(np.arange(100), sizes)
    copied = np.repeat(losses, 3)

    assert mean_limit(copied, np.arange(300) // 3) == pytest.approx(mean_limit(losses, np.arange(100)))
    assert unit_means(losses[cluster], cluster).mean() == pytest.approx(losses[cluster].mean())


def test_limits_at_the_ends_are_the_ends_and_rise_with_counts_that_need_not_be_whole():
    """No cross edge at all, or all of them; at equal rows counts are expectations."""
    assert lower_limit(0, 10) == 0
    assert upper_limit(10, 10) == 1
    assert upper_limit(0, 10) == pytest.approx(1 - 0.05 ** (1 / 10))
    assert lower_limit(10, 10) == pytest.approx(0.05 ** (1 / 10))

    limits = upper_limit(np.arange(0, 10.5, 0.5), 10), lower_limit(np.arange(0, 10.5, 0.5), 10)

    for values in limits:
        assert (np.diff(values) > 0).all()


def test_subsamples_without_replacement_give_the_error_of_the_whole(global_random_seed):
    """For a mean the truth is known: over all subsamples the factor is exact."""
    x = np.random.default_rng(global_random_seed).standard_normal(9)
    means = [x[list(rows)].mean() for rows in combinations(range(9), 3)]
    n_draws = len(means)
    expected = np.sqrt(x.var(ddof=1) / 9 * n_draws / (n_draws - 1))

    assert subsample_error(means, 3 / 9) == pytest.approx(expected)
    assert subsample_error(np.column_stack([means, means]), 3 / 9) == pytest.approx([expected, expected])


def test_quarters_dealt_at_random_give_the_error_of_the_whole(rng):
    """As it is used: some tens of subsamples, not all of them."""
    x, errors = rng.standard_normal((300, 200)), []
    for row in x:
        quarters = [rng.permutation(row)[:50].mean() for _ in range(40)]
        errors.append(subsample_error(quarters, 1 / 4))
    spread = np.std(np.square(errors)) / np.sqrt(300)

    assert np.mean(np.square(errors)) == pytest.approx(1 / 200, abs=6 * spread)


@pytest.mark.parametrize(
    ("level", "degrees", "reach"), [(0.95, np.inf, 1.959964), (0.9, np.inf, 1.644854), (0.95, 39, 2.022691)]
)
def test_intervals_reach_as_far_as_tables_say(level, degrees, reach):
    """Few subsamples make the error itself uncertain: Student's quantiles are larger."""
    assert two_sided(level, degrees) == pytest.approx(reach, abs=1e-6)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan])
def test_levels_that_are_no_share_are_refused(level):
    """A level of 95 means 0.95, and would silently give NaN."""
    with pytest.raises(ValueError, match=r"Got level=.*, but expected a number between 0 and 1, such as 0\.95\."):
        two_sided(level)


@pytest.mark.parametrize("dimension", [0.5, 2, 7.3, 40])
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_the_bias_is_found_from_its_own_law(dimension, fraction):
    """A rate that falls as G + c n^(-2/m) is left with c n^(-2/m) at n."""

    def bias(n):
        return 0.3 * n ** (-2 / dimension)

    n = 1000
    drop = bias(fraction * n) - bias(n)

    assert bias_from_growth(drop, fraction, dimension) == pytest.approx(bias(n))


@pytest.mark.parametrize("dimension", [0.5, 2, 7.3, 40])
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_the_dimension_is_found_from_its_own_law(dimension, fraction):
    """Edges get shorter as n^(-1/m)."""
    length = 3.0
    part = length * fraction ** (-1 / dimension)

    assert intrinsic_dimension(part, length, fraction) == pytest.approx(dimension)


@pytest.mark.parametrize(("part", "whole"), [(1.0, 1.0), (0.5, 1.0), (1.0, 0.0), (np.nan, 1.0), (1.0, np.nan)])
def test_edges_that_do_not_get_shorter_have_no_dimension(part, whole):
    """Grids and one-hot rows: their lengths stay."""
    assert intrinsic_dimension(part, whole, 0.25) == np.inf


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("share", [0.5, 0.55, 0.7, 0.8, 0.99])
def test_the_limit_of_guessing_holds_although_the_same_rows_choose_the_class(share, n, level):
    """Exact: the larger half of coins looks better than a half."""
    heads = np.arange(n + 1)
    limit = guessing_limit(np.minimum(heads, n - heads) / n, n, 2, level)

    assert binom.pmf(heads, n, share)[limit < min(share, 1 - share) - 1e-12].sum() <= 1 - level


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("shares", [(1 / 3, 1 / 3, 1 / 3), (0.4, 0.4, 0.2), (0.45, 0.45, 0.1), (0.8, 0.1, 0.1)])
def test_the_limit_of_guessing_holds_with_more_classes(shares, level):
    """Exact: the more classes are equally frequent, the better the luckiest one looks."""
    n = 30
    counts = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
    limit = guessing_limit(1 - counts.max(axis=1) / n, n, 3, level)

    assert multinomial.pmf(counts, n, shares)[limit < 1 - max(shares) - 1e-12].sum() <= 1 - level


@pytest.mark.parametrize(("n_classes", "most"), [(1, 0.0), (2, 0.5), (4, 0.75)])
def test_guessing_is_never_worse_than_with_equally_frequent_classes(n_classes, most):
    """Whatever few rows look like."""
    assert guessing_limit(most, 4, n_classes) == most
    assert 0 <= guessing_limit(0.0, 3, n_classes) <= most
    assert guessing_limit(0.1 * most, 10_000, n_classes) == pytest.approx(0.1 * most, abs=0.01)
