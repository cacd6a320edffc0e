"""Near-duplicates: clusters far closer than rows usually are, and what holding them out together does."""

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer._hazards import find_close_rows


@pytest.fixture
def originals(global_random_seed):
    """Rows with noisy labels."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(300, 6))
    return X, (X[:, 0] + rng.normal(size=300) > 0).astype(int)


def fit(X, y):
    """What ``check`` looks at."""
    return BayesFloor(n_trees=1, interval="fast").fit(X, y).fitted_


def test_augmented_rows_are_found(originals, global_random_seed):
    """Four versions of each row, with the label of the original."""
    X, y = originals
    rng = np.random.default_rng(global_random_seed)
    row = rng.permutation(np.repeat(np.arange(300), 4))
    found = find_close_rows(fit(X[row] + 0.02 * rng.normal(size=(1200, 6)), y[row]), 0)

    assert found.similarity == pytest.approx(1, abs=0.02)
    assert found.error_together > found.error_at_random + 0.1
    assert len(np.unique(np.column_stack([row, found.groups]), axis=0)) == pytest.approx(300, abs=15)


def test_independent_rows_show_nothing(originals):
    """Nor do tight classes, whose clusters are the classes."""
    X, y = originals
    tight = np.random.default_rng(0).normal(size=(300, 3)) * 0.01 + np.arange(300)[:, None] % 3

    assert find_close_rows(fit(X, y), 0) is None
    assert find_close_rows(fit(tight, np.arange(300) % 3), 0) is None


def test_near_duplicates_with_labels_of_their_own_are_harmless(originals, global_random_seed):
    """If labels are drawn for each version anew, a near-duplicate gives nothing away."""
    X, _ = originals
    rng = np.random.default_rng(global_random_seed)
    moved = np.repeat(X, 4, axis=0) + 0.02 * rng.normal(size=(1200, 6))

    assert find_close_rows(fit(moved, (moved[:, 0] + rng.normal(size=1200) > 0).astype(int)), 0) is None
