"""Many tests at once: examples worked by hand, and the error rates that adjusted p-values keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from bayesfloor.formulas._limits import after_picking, alike_p_value, benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_adjusted_p_values_agree_with_examples_worked_by_hand():
    """Holm: 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1; Benjamini and Hochberg: times 4 / rank."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]).tolist() == [1, 1]

    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert benjamini_hochberg([0.04, 0.041, 0.9]) == pytest.approx([0.0615, 0.0615, 0.9])


def test_a_pick_among_candidates_costs_as_much_as_testing_them_all():
    """Even the smallest of four independent p-values keeps its level."""
    smallest = np.random.default_rng(0).random((20_000, 4)).min(axis=1)
    assert np.mean(smallest < 0.05) > 0.15
    assert np.mean(after_picking(smallest, 4) < 0.05) == pytest.approx(0.049, abs=0.006)
    assert after_picking([0.02, 0.6], 4).tolist() == [0.08, 1.0]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_no_tests_and_one_test_need_no_adjusting(adjust):
    """Two classes have one pair, and no sample may be suspect."""
    assert len(adjust([])) == 0
    assert adjust([0.03]).tolist() == [0.03]


@given(p_values)
def test_adjusting_only_raises_p_values_and_keeps_their_order(values):
    """A table sorted by one is sorted by the other."""
    p = np.array(values)
    for adjusted in (holm(p), benjamini_hochberg(p)):
        assert (adjusted >= p).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-12).all()


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_as_its_steps_do(values, level):
    """The procedure as it was published: stop at the first that fails."""
    p, rejected = np.array(values), set()
    for step, i in enumerate(np.argsort(p, kind="stable")):
        if p[i] * (len(p) - step) > level:
            break
        rejected.add(i)

    assert set(np.flatnonzero(holm(p) <= level)) == rejected


def test_holm_keeps_the_chance_of_any_error(global_random_seed):
    """Half of the tests are of true nulls."""
    rng, n = np.random.default_rng(global_random_seed), 4000
    p = np.hstack([rng.random((n, 5)), norm.sf(rng.standard_normal((n, 5)) + 3)])
    wrong = np.array([(holm(row)[:5] <= 0.1).any() for row in p])

    assert wrong.mean() <= 0.1 + 5 * np.sqrt(0.09 / n)


def test_classes_are_alike_only_if_r_is_clearly_near_chance():
    """The null is that they differ by the margin at least; an unknown error claims nothing."""
    assert alike_p_value(n_cross=90, std_error=5, expected=100, margin=0.1) == pytest.approx(0.5)
    assert alike_p_value([100, 80], [5, 5], 100, 0.1) == pytest.approx([norm.sf(2), norm.cdf(2)])

    assert alike_p_value([100, 50], [0, 0], 100, 0.1).tolist() == [0.5, 0.5]


def test_classes_at_the_margin_are_rarely_called_alike(global_random_seed):
    """The size of the test where R is normal and unbiased."""
    R = np.random.default_rng(global_random_seed).normal(90, 4, 20_000)
    p = alike_p_value(R, 4, 100, 0.1)

    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / 20_000))
