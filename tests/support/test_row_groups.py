"""Samples from a few row groups hold all classes in their true proportions, whatever the order of the rows."""

import numpy as np
import pytest

from bayesfloor.io._row_groups import RowGroups, choose_groups, compare_groups, draw_rows, likeness

SIZES = np.full(200, 1000)
SHARES = (0.6, 0.3, 0.099, 0.001)


def make_codes(order, rng, n=200 * 500):
    """Classes of rows in random order, sorted, or in runs that are shorter than a row group."""
    codes = rng.choice(len(SHARES), p=SHARES, size=n)
    if order == "sorted":
        return np.sort(codes)
    return np.repeat(codes[: n // 100], 100) if order == "runs" else codes


def make_groups(n_groups=200, n_rows=500):
    return RowGroups(np.full(n_groups, n_rows), {"x": np.full(n_groups, 900), "y": np.full(n_groups, 100)})


@pytest.mark.parametrize("order", ["random", "sorted", "runs"])
def test_class_proportions_are_those_of_all_rows(order):
    """Files may be sorted by class: the sample must not show it."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes = make_codes(order, rng)
        chosen, rows = draw_rows(make_groups(), SIZES, 10_000, codes, 5_000, rng)
        share = np.bincount(codes[rows], minlength=4) / len(rows)

        assert SIZES[chosen].sum() <= 10_000
        assert len(rows) >= 1000
        assert np.abs(share - np.bincount(codes, minlength=4) / len(codes)).max() < 0.005
        assert np.array_equal(np.unique(codes[rows]), np.unique(codes))
        assert (np.diff(rows) > 0).all()


def test_rows_without_a_label_are_left_out():
    """They belong to no class."""
    rng = np.random.default_rng(0)
    codes = make_codes("random", rng)
    codes[::3] = -1
    _, rows = draw_rows(make_groups(), SIZES, 20_000, codes, 5_000, rng)

    assert (codes[rows] >= 0).all()


def test_groups_are_spread_over_the_table():
    """One in each of equally long stretches: no half of a sorted table can be missed."""
    for seed in range(20):
        chosen = choose_groups(SIZES, 20_000, None, np.random.default_rng(seed))
        assert len(chosen) == 20
        assert (np.diff(chosen) < 20).all()


def test_every_place_is_equally_likely():
    """The first rows of a file are no better than the others."""
    times = sum(
        np.bincount(choose_groups(SIZES, 20_000, None, np.random.default_rng(s)), minlength=200) for s in range(400)
    )

    assert 15 < times.min() <= times.max() < 75  # 40 on average


def test_a_few_large_groups_are_read_even_if_they_take_more():
    """A sample from a single run of rows would be worth little."""
    assert len(choose_groups(np.full(10, 1000), 500, None, np.random.default_rng(0))) == 4
    assert len(choose_groups(np.full(2, 1000), 500, None, np.random.default_rng(0))) == 2


def test_rows_are_renumbered_within_their_groups():
    """Only some groups are read, and the same rows are found in them."""
    groups = RowGroups(np.array([3, 4, 2, 5]), {})
    chosen, numbers = groups.renumber(np.array([1, 2, 8, 9, 13]))

    assert chosen.tolist() == [0, 2, 3]
    assert np.concatenate([[0, 1, 2], [7, 8], [9, 10, 11, 12, 13]])[numbers].tolist() == [1, 2, 8, 9, 13]
    assert groups.rows_in(np.array([0, 2])).tolist() == [0, 1, 2, 7, 8]


@pytest.mark.parametrize(
    ("order", "noticeable", "misleading"),
    [("random", False, False), ("class", False, False), ("feature", True, False), ("both", True, True)],
)
def test_groups_mislead_only_if_class_and_feature_depend_on_them(order, noticeable, misleading):
    """Order by class alone is made up for, and order by a feature alone leaves the classes mixed."""
    rng = np.random.default_rng(0)
    codes, values, other = rng.integers(3, size=20_000), rng.normal(size=20_000), rng.normal(size=20_000)
    keys = {"random": (other,), "class": (codes,), "feature": (values,), "both": (values, codes)}
    place = np.lexsort(keys[order])
    other = rng.permutation(other)
    columns = [("other", other[place]), ("x", values[place] + codes[place])]
    found = compare_groups(columns, codes[place], np.repeat(np.arange(40), 500))

    assert (found.is_noticeable, found.is_misleading) == (noticeable, misleading)
    assert found.name == "x" or not noticeable


def test_likeness_is_the_share_of_variance_between_groups():
    """Known by construction: a group effect of variance 1 on noise of variance 3."""
    rng, groups = np.random.default_rng(0), np.repeat(np.arange(400), 50)
    values = rng.normal(size=400)[groups] + rng.normal(size=len(groups)) * np.sqrt(3)

    assert likeness(values, groups) == pytest.approx(0.25, abs=0.03)
    assert likeness(rng.normal(size=len(groups)), groups) < 0.01
    assert likeness(groups.astype(float), groups) == 1
    assert likeness(np.zeros(len(groups)), groups) == 0
    assert likeness(np.array([1.0, np.nan]), np.array([0, 1])) == 0
