"""Bounds for all classes and for one against the rest, on posteriors where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.formulas import henze_penrose
from bayesfloor.formulas._bounds import (
    conflict_floor,
    multiclass_bounds,
    one_vs_rest_bounds,
    random_cross_rate,
    remove_forced,
    soft_confusion,
)

N_POSTERIORS = 20_000
rates = st.floats(0, 1)
many_classes = st.integers(2, 50)


@pytest.fixture(params=[(2, 0.3), (2, 2.0), (3, 0.05), (3, 1.0), (5, 0.3), (10, 0.05), (10, 1.0), (10, 10.0)])
def problems(request, global_random_seed):
    """Posteriors of many problems, from one place to 20,000 places each: lists of (n, K) arrays."""
    n_classes, alpha = request.param
    rng = np.random.default_rng([global_random_seed, n_classes, int(100 * alpha)])
    eta = rng.dirichlet(np.full(n_classes, alpha) * rng.uniform(0.5, 2, n_classes), N_POSTERIORS)
    return [eta, *np.split(eta, 100), *np.split(eta[:2000], 200), *np.split(eta[:300], 300)]


def class_errors(eta):
    """P_e,k of the Bayes rule that answers with the first of the likeliest classes."""
    answers = np.eye(eta.shape[1])[eta.argmax(axis=1)]
    return (answers * (1 - eta) + (1 - answers) * eta).mean(axis=0)


def bayes_error(eta):
    """Of the best rule there is."""
    return (1 - eta.max(axis=1)).mean()


def limits(eta):
    """What the shares of edges tend to: of each class against the rest, of all, of all pairs of each class."""
    class_rate, cross_rate = 2 * (eta * (1 - eta)).mean(axis=0), (1 - (eta**2).sum(axis=1)).mean()
    both = eta[:, :, None] + eta[:, None, :]
    pair = 2 * eta[:, :, None] * eta[:, None, :] / np.where(both > 0, both, 1)
    pair[:, range(eta.shape[1]), range(eta.shape[1])] = 0
    return class_rate, cross_rate, pair.mean(axis=0).sum(axis=1)


@given(st.integers(1, 1000), st.integers(1, 1000), st.floats(0, 1))
def test_two_classes_have_the_henze_penrose_bounds(n1, n2, fraction):
    """One theory for two classes and for many."""
    n, share = n1 + n2, min(n1, n2) / (n1 + n2)
    for correct in (False, True):
        two = henze_penrose(fraction * n, n1, n2, bias_correction=correct)
        many = multiclass_bounds(fraction, 2, share, correct_bias=correct)

        assert many == pytest.approx((two.lower, two.estimate, two.upper), abs=1e-7)


@given(many_classes, rates, rates)
def test_more_cross_edges_raise_all_bounds(n_classes, one, two):
    """Ends of an interval for G become ends of an interval for the error."""
    less, more = (multiclass_bounds(rate, n_classes) for rate in sorted([one, two]))

    assert all(a <= b + 1e-12 for a, b in zip(less, more, strict=True))


@given(many_classes, rates, st.floats(0.01, 1))
def test_multiclass_bounds_stand_in_order_under_the_cap(n_classes, rate, cap):
    """No bound says more than what the best constant answer already reaches."""
    lower, estimate, upper = multiclass_bounds(rate, n_classes, cap)

    assert 0 <= lower <= estimate + 1e-12
    assert estimate <= upper + 1e-12
    assert upper <= cap


def test_only_the_estimate_feels_the_bias_correction_and_the_ends_are_those_of_the_scale():
    """The paper's estimate is there without it; classes apart have no error, labels at random that of guessing."""
    plain, corrected = (multiclass_bounds(0.7, 4, 0.3, correct_bias=on) for on in (False, True))

    assert (plain.lower, plain.upper) == (corrected.lower, corrected.upper)
    assert corrected.estimate == 0.3
    assert plain.estimate == pytest.approx((0.75 * (1 - np.sqrt(1 - 0.7 / 0.75)) + 0.7) / 2)

    for values in multiclass_bounds([0.0, 0.75], 4, 0.75):
        assert values.tolist() == [0, 0.75]


def test_no_bound_is_violated(problems):
    """Cover and Hart's inequality holds for any posteriors; of one class against the rest the smallest has to."""
    for eta in problems:
        _, cross_rate, _ = limits(eta)
        largest_share = eta.mean(axis=0).max()
        lower, _, upper = multiclass_bounds(cross_rate, eta.shape[1], 1 - largest_share)

        assert lower - 1e-9 <= bayes_error(eta) <= upper + 1e-9

    for eta in problems:
        errors, (class_rate, cross_rate, pair_rate) = class_errors(eta), limits(eta)
        bounds = one_vs_rest_bounds(class_rate, cross_rate, pair_rate)

        assert (bounds.lower <= errors + 1e-9).all()
        assert (errors <= bounds.upper + 1e-9).all()
        assert (errors <= (eta.shape[1] - 1) * class_rate + 1e-9).all()  # holds for every number of rows


def test_the_bound_by_the_number_of_classes_is_reached():
    """A smaller factor than K / 2 would be wrong: classes equally likely everywhere."""
    n_classes = 7
    eta = np.full((1, n_classes), 1 / n_classes)
    class_rate, _, _ = limits(eta)

    assert one_vs_rest_bounds(class_rate, 1.0).upper[0] == pytest.approx(class_errors(eta)[0])


def test_the_smallest_upper_bound_counts():
    """Without pairs the others have to do, and no NaN may come out."""
    rate = np.array([0.1, 0.4, 0.5])
    without, with_pairs = one_vs_rest_bounds(rate, 0.5), one_vs_rest_bounds(rate, 0.5, [0.05, 0.9, 0.2])

    assert without.upper == pytest.approx([0.15, 0.5, 0.5])
    assert with_pairs.upper == pytest.approx([0.05, 0.5, 0.2])


def test_soft_confusion_adds_up_to_one(global_random_seed):
    """Its entries are chances of two labels at one place."""
    counts = np.random.default_rng(global_random_seed).random((6, 6))
    edges = counts + counts.T
    confusion = soft_confusion(edges)
    n_edges = np.triu(edges).sum()

    assert confusion.sum() == pytest.approx(1)
    assert np.array_equal(confusion, confusion.T)
    assert np.diag(confusion) == pytest.approx(np.diag(edges) / n_edges)
    assert confusion[1, 4] == pytest.approx(edges[1, 4] / n_edges / 2)


def test_soft_confusion_estimates_products_of_posteriors():
    """Where all edges join places of one posterior, it is eta eta'."""
    eta = np.array([0.5, 0.3, 0.2])
    ordered = 100 * np.outer(eta, eta)
    edges = ordered + ordered.T - np.diag(np.diag(ordered))

    assert soft_confusion(edges) == pytest.approx(np.outer(eta, eta))


@given(st.floats(1, 50), st.floats(0.1, 100), st.floats(0, 1))
def test_forced_edges_are_removed_right_at_both_ends(forced, room, fraction):
    """Separate classes read zero, labels at random what they are; between them the line is straight."""
    expected = forced + room
    cross = forced + fraction * room

    assert remove_forced(forced, expected, forced) == 0
    assert remove_forced(expected, expected, forced) == pytest.approx(expected)
    assert remove_forced(cross, expected, forced) == pytest.approx(fraction * expected, abs=1e-9 * expected)


def test_forced_edges_are_removed_where_chance_has_more():
    """Expected numbers may be smaller than a whole edge; of one edge, forced and expected, nothing can be told."""
    assert remove_forced([0.5, 0.0], 10, 1).tolist() == [0, 0]

    assert remove_forced([1.0, 2.0], [1.0, 2.0], [1.0, 3.0]).tolist() == [1, 2]


def test_random_labels_cross_as_often_as_two_rows_differ():
    """The mean over permutations, counted pair by pair."""
    codes = np.repeat([0, 1, 2], [2, 3, 5])
    one, two = np.triu_indices(len(codes), 1)

    assert random_cross_rate([2, 3, 5]) == pytest.approx((codes[one] != codes[two]).mean())
    assert random_cross_rate([4, 0]) == 0


def test_conflicts_count_all_but_the_largest_class_of_equal_rows():
    """Whatever a classifier answers there, the others are wrong."""
    assert conflict_floor(largest=[3, 1, 2], sizes=[5, 1, 4]) == pytest.approx(4 / 10)
    assert conflict_floor(largest=[1, 1], sizes=[1, 1]) == 0


def test_conflicts_are_in_expectation_never_above_the_bayes_error(rng):
    """The one lower bound that assumes nothing."""
    eta, floors = rng.dirichlet(np.ones(3), 6), []
    for _ in range(1000):
        m = rng.multinomial(40, np.full(6, 1 / 6))
        counts = np.array([rng.multinomial(size, chance) for size, chance in zip(m, eta, strict=True)])
        floors.append(conflict_floor(counts.max(axis=1), m))
    spread = np.std(floors) / np.sqrt(len(floors))

    assert np.mean(floors) <= bayes_error(eta) + 5 * spread
    assert np.mean(floors) > 0
