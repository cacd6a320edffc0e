"""Pairs and classes as rows: ranked only where something was seen, with both ends of their intervals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from bayesfloor.formulas._henze_penrose import henze_penrose
from bayesfloor.summary._tables import class_rows, held_out_pair_errors, pair_limits, pair_rows


def test_pairs_at_the_resolution_are_never_ranked(each):
    """Nothing is known of them but that it is little."""
    pairs = {(row.one, row.two) for row in pair_rows(each)}
    one, two = np.triu_indices(len(each.labels), 1)

    assert len(pairs) == len(pair_rows(each))
    assert all(not each.pairwise.at_resolution[pair] for pair in pairs)
    assert len(pairs) == np.count_nonzero(~each.pairwise.at_resolution[one, two])


def test_pairs_are_in_order_hardest_first(each):
    """By the normalised floor."""
    floors = [row.normalised for row in pair_rows(each)]

    assert floors == sorted(floors, reverse=True)
    assert pair_rows(each, 3) == pair_rows(each)[:3]


def test_pairs_have_their_figures_in_order(each):
    """Bounds in order, and the lower one inside its interval."""
    for row in pair_rows(each):
        assert row.one < row.two
        assert 0 <= row.lower <= row.upper + 1e-12
        assert row.low - 1e-9 <= row.lower <= row.high + 1e-9
        assert 0 <= row.held_out <= 1
        assert row.lower == each.pairwise.lower[row.one, row.two]


def test_intervals_of_pairs_are_those_of_clopper_and_pearson(made):
    """By SciPy's beta distribution, a pair at a time."""
    found = made("target")
    one, two = np.nonzero(~np.eye(3, dtype=bool))
    for i, j, low, high in zip(one, two, *pair_limits(found.pairwise, one, two), strict=True):
        n1, n2 = found.pairwise.sizes[[i, j]]
        cross, edges = found.pairwise.cross[i, j], n1 + n2 - 1
        ends = beta.ppf(0.025, cross, edges - cross + 1), beta.ppf(0.975, cross + 1, edges - cross)
        expected = [float(henze_penrose(end * edges, n1, n2).lower) for end in ends]

        assert [low, high] == pytest.approx(expected)


def test_intervals_of_pairs_do_not_depend_on_their_order(each):
    """A and B is B and A."""
    one, two = np.triu_indices(len(each.labels), 1)
    there, back = pair_limits(each.pairwise, one, two), pair_limits(each.pairwise, two, one)

    assert np.array_equal(there, back)


def test_classes_are_in_order_and_those_with_few_rows_last(each):
    """Their figures are not to be trusted, and must not lead the table."""
    rows = class_rows(each)
    keys = [(row.note != "", -row.normalised) for row in rows]

    assert keys == sorted(keys)
    assert sorted(row.number for row in rows) == list(range(len(each.labels)))
    assert class_rows(each, 2) == rows[:2]


def test_classes_have_their_figures_in_order(each):
    """Bounds in order, and the lower one inside its interval."""
    for row in class_rows(each):
        assert row.lower <= row.estimate <= row.upper + 1e-12
        assert row.low - 1e-9 <= row.lower <= row.high + 1e-9


def brute_pair_errors(eta, codes, K):
    """Error between each two classes, row by row; a tie is half an error."""
    wrong = np.zeros((K, K))
    for i in range(K):
        for j in range(K):
            rows = np.flatnonzero((codes == i) | (codes == j))
            if i != j and len(rows):
                own = eta[rows, codes[rows]]
                other = eta[rows, np.where(codes[rows] == i, j, i)]
                wrong[i, j] = np.mean((other > own) + 0.5 * (other == own))
    return wrong


def test_held_out_errors_of_pairs_are_those_of_brute_force(made, global_random_seed):
    """Only the two classes' own chances count, whatever a third one has."""
    rng = np.random.default_rng(global_random_seed)
    eta, codes = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    envelope = replace(made("iris").envelope, _eta=eta, _codes=codes)

    assert held_out_pair_errors(envelope, 4) == pytest.approx(brute_pair_errors(eta, codes, 4))


def test_a_tie_between_two_classes_is_half_an_error(made):
    """Who cannot tell two classes apart has not told them apart."""
    eta, codes = np.full((100, 2), 0.5), np.arange(100) % 2
    envelope = replace(made("two classes").envelope, _eta=eta, _codes=codes)

    assert held_out_pair_errors(envelope, 2)[0, 1] == pytest.approx(0.5)


def test_held_out_errors_of_two_classes_are_the_whole_error(made):
    """There is but one pair."""
    found = made("two classes")

    assert found.pair_errors[0, 1] == pytest.approx(found.envelope.errors[found.envelope.best])


def test_held_out_errors_are_symmetric_and_nothing_on_the_diagonal(each):
    """A class is not taken for itself."""
    assert np.array_equal(each.pair_errors, each.pair_errors.T)
    assert not np.diag(each.pair_errors).any()
