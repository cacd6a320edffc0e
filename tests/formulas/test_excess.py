"""Excess of a rule over the Bayes rule, on posteriors where both are known."""

import numpy as np
import pytest

from bayesfloor.formulas._excess import likely_excess, margins, residual_product, worst_excess


def excess(eta, answered):
    """By how much the rule that answers with the largest of its posteriors errs more than the Bayes rule."""
    return (eta.max(axis=1) - eta[np.arange(len(eta)), answered.argmax(axis=1)]).mean()


def squared_error(eta, answered):
    """E|eta - eta^|^2."""
    return ((eta - answered) ** 2).sum(axis=1).mean()


def test_margins_are_the_lead_of_the_likeliest_class():
    """Where it is small, a small error changes the answer."""
    assert margins(np.array([[0.2, 0.7, 0.1], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])) == pytest.approx([0.5, 0, 1])
    assert margins(np.array([[0.3, 0.7]])) == pytest.approx([0.4])


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("alpha", [0.5, 1, 10])
def test_no_rule_exceeds_its_worst(n_classes, alpha, global_random_seed):
    """Whatever the posterior is and however it was guessed: only margins and squared error are known."""
    rng = np.random.default_rng([global_random_seed, n_classes, int(10 * alpha)])
    for mix in np.linspace(0, 1, 40):
        eta, wrong = rng.dirichlet(np.full(n_classes, alpha), (2, 300))
        answered = (1 - mix) * eta + mix * wrong

        assert excess(eta, answered) <= worst_excess(margins(answered), squared_error(eta, answered)) + 1e-12


@pytest.mark.parametrize("error", [0.01, 0.1, 0.4])
def test_the_worst_is_reached_where_no_class_leads(error):
    """A smaller bound would be wrong: all margins zero, all errors the same."""
    eta = np.tile([0.5 - error, 0.5 + error], (50, 1))
    answered = np.tile([0.5, 0.5], (50, 1))  # of two that lead alike the first is answered, the wrong one

    assert squared_error(eta, answered) == pytest.approx(2 * error**2)
    assert worst_excess(margins(answered), 2 * error**2) == pytest.approx(excess(eta, answered))


def test_the_worst_spends_errors_where_margins_are_small():
    """One place in ten can be turned, the rest is out of reach."""
    margin = np.repeat([0.02, 1.0], [10, 90])
    delta = np.sqrt(2 * 0.001 / 0.1)

    assert worst_excess(margin, 0.001) == pytest.approx(0.1 * (delta - 0.02))


def test_the_worst_grows_with_the_error_and_falls_with_margins(global_random_seed):
    """Ends of an interval for the squared error become ends of one for the excess."""
    margin = np.random.default_rng(global_random_seed).random(200)
    growing = [worst_excess(margin, error) for error in np.linspace(0, 0.1, 30)]

    assert (np.diff(growing) >= -1e-12).all()
    assert growing[0] == 0
    assert worst_excess(margin / 2, 0.05) >= worst_excess(margin, 0.05)


def test_no_error_and_no_places_mean_no_excess():
    """An estimate of a square may be negative."""
    assert worst_excess([0.1, 0.2], 0.0) == 0
    assert worst_excess([0.1, 0.2], -0.01) == 0
    assert worst_excess([], 0.1) == 0
    assert likely_excess([0.1, 0.2], 0.0, 3) == 0
    assert likely_excess([0.1, 0.2], -0.01, 3) == 0


@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_the_likely_excess_is_that_of_normal_errors(n_classes, global_random_seed):
    """Errors alike in all directions that leave the sum of a posterior at one."""
    rng, n, D = np.random.default_rng(global_random_seed), 200_000, 0.02
    noise = rng.standard_normal((n, n_classes))
    noise -= noise.mean(axis=1, keepdims=True)
    noise *= np.sqrt(D / (n_classes - 1))
    margin = rng.random(n) ** 2
    gained = np.maximum(0, noise[:, 1] - noise[:, 0] - margin)  # by the second class over the first

    assert (noise**2).sum(axis=1).mean() == pytest.approx(D, rel=0.05)
    assert likely_excess(margin, D, n_classes) == pytest.approx(gained.mean(), abs=6 * gained.std() / np.sqrt(n))


def test_the_likely_excess_is_the_excess_of_two_classes(global_random_seed):
    """With two classes it is the whole story, not only the part of the second class."""
    rng, n = np.random.default_rng(global_random_seed), 200_000
    answered = rng.uniform(0.3, 0.7, n)
    error = rng.normal(0, 0.06, n)
    eta = np.column_stack([answered + error, 1 - answered - error])
    rule = np.column_stack([answered, 1 - answered])
    lost = eta.max(axis=1) - eta[np.arange(n), rule.argmax(axis=1)]

    assert likely_excess(margins(rule), 2 * 0.06**2, 2) == pytest.approx(lost.mean(), abs=6 * lost.std() / np.sqrt(n))


def test_the_likely_excess_stays_below_the_worst(global_random_seed):
    """Errors by chance do less harm than errors by design."""
    rng = np.random.default_rng(global_random_seed)
    for D in (0.001, 0.01, 0.1):
        margin = rng.random(300)

        assert 0 < likely_excess(margin, D, 2) <= worst_excess(margin, D)


def test_residual_products_estimate_the_squared_error_of_neighbours(global_random_seed):
    """Labels of neighbours are independent, so their noise does not enter."""
    rng, n_draws = np.random.default_rng(global_random_seed), 4000
    eta, guessed = rng.dirichlet(np.ones(3), (2, 12))
    a, b = np.arange(11), np.arange(1, 12)
    expected = ((eta - guessed)[a] * (eta - guessed)[b]).sum(axis=1).mean()
    draws = np.minimum((rng.random((n_draws, 12, 1)) > np.cumsum(eta, axis=1)).sum(axis=2), 2)
    means = np.array([residual_product(a, b, np.eye(3)[codes] - guessed).mean() for codes in draws])

    assert means.mean() == pytest.approx(expected, abs=6 * means.std() / np.sqrt(n_draws))


def test_residual_products_are_squared_residuals_less_their_steps(global_random_seed):
    """Half the squares at both ends less half the squared step: an identity for every edge."""
    residual = np.random.default_rng(global_random_seed).standard_normal((10, 4))
    a, b = np.arange(9), np.arange(1, 10)
    own = (residual**2).sum(axis=1)
    step = ((residual[a] - residual[b]) ** 2).sum(axis=1)

    assert residual_product(a, b, residual) == pytest.approx((own[a] + own[b] - step) / 2)
