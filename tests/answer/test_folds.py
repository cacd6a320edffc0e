"""Folds, and growing parts of the rows for training."""

import numpy as np
import pytest

from bayesfloor.answer._race import ENOUGH_TESTED, N_FOLDS, deal_folds, n_tested_folds, nested_order


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_folds_spread_every_class(rng):
    codes = rng.choice(3, size=103, p=[0.7, 0.2, 0.1])

    fold = deal_folds(codes, np.arange(103), rng)

    for code in range(3):
        sizes = np.bincount(fold[codes == code], minlength=N_FOLDS)
        assert sizes.max() - sizes.min() <= 1


def test_folds_keep_clusters_whole_and_none_is_empty(rng):
    """Also with fewer clusters than folds."""
    cluster = rng.integers(20, size=200)

    fold = deal_folds(rng.integers(2, size=200), cluster, rng)

    assert all(len(set(fold[cluster == name])) == 1 for name in range(20))
    assert set(fold) == set(range(N_FOLDS))

    fold = deal_folds(np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 2]), rng)

    assert sorted(set(fold)) == [0, 1, 2]


@pytest.mark.parametrize("effort", ENOUGH_TESTED)
@pytest.mark.parametrize("n_rows", [100, 2000, 4000, 5001, 10_000, 20_000, 10**6])
def test_enough_rows_are_tested_and_not_many_more(n_rows, effort):
    enough, folds = ENOUGH_TESTED[effort], n_tested_folds(n_rows, effort)

    assert folds == N_FOLDS or folds * n_rows / N_FOLDS >= enough
    assert folds == 1 or (folds - 1) * n_rows / N_FOLDS < enough


def test_beginnings_of_the_order_have_all_classes_in_proportion(rng):
    codes = rng.permutation(np.repeat([0, 1, 2], [800, 160, 40]))

    order = nested_order(codes, np.arange(1000), rng)

    assert sorted(order) == list(range(1000))
    for part in (0.125, 0.25, 0.5):
        sizes = np.bincount(codes[order[: int(1000 * part)]], minlength=3)
        np.testing.assert_allclose(sizes, part * np.array([800, 160, 40]), atol=1)


def test_the_order_keeps_clusters_together(rng):
    cluster = rng.permutation(np.repeat(np.arange(30), 4))

    order = nested_order(rng.integers(2, size=120), cluster, rng)

    changes = np.count_nonzero(np.diff(cluster[order]))
    assert changes == 29
