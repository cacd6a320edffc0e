"""Rows in another order, classes by another name: the same answer; and drawing from rows."""

import numpy as np
import pandas as pd
import pytest

from bayesfloor import BayesFloor
from bayesfloor.floor._sample import SampledRowsWarning, Settings, labelled_by_group, read_priors, read_sample
from bayesfloor.io import Data

FLARE, NURSERY, CHESS, LETTER = (
    pytest.param(name, marks=pytest.mark.data) for name in ("flare", "nursery", "kr-vs-k", "letter")
)
ZEROS = "zeros and ones"
SETS = [FLARE, NURSERY, CHESS, LETTER, ZEROS]


@pytest.fixture
def read_tied(request, rng):
    """Reader of sets with many equal rows and equally long edges, cut to their largest classes."""

    def read(name):
        if name == "zeros and ones":
            X = rng.integers(0, 2, (300, 7)).astype(float)
            return X, np.array(["b", "a", "c"])[(X[:, :2].sum(axis=1) + rng.integers(0, 2, 300)).astype(int) % 3]
        X, y = request.getfixturevalue("read_table")(name, 2500)
        classes, sizes = np.unique(y, return_counts=True)
        rows = np.flatnonzero(np.isin(y, classes[np.argsort(-sizes, kind="stable")[:5]]))[:400]
        return take(X, rows), y[rows]

    return read


def take(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def same(one, two):
    return one.to_dict() == two.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scale", ["auto", pytest.param(None, marks=pytest.mark.slow)])
def test_shuffled_rows_give_the_same_answer(read_tied, rng, name, scale):
    """An answer that depends on how a file is sorted cannot be believed."""
    X, y = read_tied(name)
    order = rng.permutation(len(y))
    before, after = BayesFloor(scale=scale).fit(X, y), BayesFloor(scale=scale).fit(take(X, order), y[order])

    assert after.scale_ == before.scale_
    assert same(after.overall_, before.overall_)
    assert same(after.pairwise_, before.pairwise_)
    assert same(after.one_vs_rest_, before.one_vs_rest_)
    assert np.array_equal(after.soft_confusion_, before.soft_confusion_)
    assert after.overall_.interval() == before.overall_.interval()


@pytest.mark.parametrize("name", [LETTER, ZEROS])
def test_shuffled_rows_keep_their_scores(read_tied, rng, name):
    """A list of suspects is of rows, wherever they stand in the file."""
    X, y = read_tied(name)
    order = rng.permutation(len(y))
    before, after = BayesFloor(interval="fast").fit(X, y), BayesFloor(interval="fast").fit(take(X, order), y[order])

    assert np.array_equal(after.samples_.row, np.arange(len(y)))
    for column in ("label", "score", "p_value", "suspect", "conflict", "degree", "cross"):
        assert np.array_equal(getattr(after.samples_, column), getattr(before.samples_, column)[order]), column
    assert np.array_equal(after.samples_.suggested_label, before.samples_.suggested_label[order])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scale", ["auto", pytest.param(None, marks=pytest.mark.slow)])
def test_renamed_classes_give_the_same_counts(read_tied, rng, name, scale):
    """Names of classes are no part of the data."""
    X, y = read_tied(name)
    classes, codes = np.unique(y, return_inverse=True)
    new = rng.permutation(len(classes))
    before = BayesFloor(scale=scale, interval="fast").fit(X, y)
    after = BayesFloor(scale=scale, interval="fast").fit(X, new[codes])

    assert after.scale_ == before.scale_
    assert after.overall_.cross_rate == pytest.approx(before.overall_.cross_rate, rel=1e-13)
    np.testing.assert_allclose(after.pairwise_.cross[np.ix_(new, new)], before.pairwise_.cross, rtol=1e-13)
    np.testing.assert_allclose(after.one_vs_rest_.class_rate[new], before.one_vs_rest_.class_rate, rtol=1e-13)


def test_moved_and_rotated_grids_stay_inside_the_tie_spread(rng):
    """Rounding puts equally long edges in another order: the result says beforehand how much that matters."""
    X = rng.integers(0, 8, (500, 3)).astype(float)
    y = (X[:, 0] + rng.normal(0, 2, 500) > 3.5).astype(int)
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    low, high = BayesFloor(scale=None, interval="fast").fit(X, y).overall_.tie_spread
    rates = [BayesFloor(scale=None, interval="fast").fit(Z, y).overall_.cross_rate for Z in (X + 0.1, X @ turn, X * 3)]

    assert low < high
    assert all(low <= rate <= high for rate in rates)


def test_a_large_column_does_not_drown_the_ties_of_others(rng):
    """Neither a constant of a million millions nor a column that far off makes neighbours of rows that are not."""
    X = rng.integers(0, 6, (300, 3)).astype(float)
    far = np.column_stack([X[:, :2], X[:, 2] + 1e12, np.full(300, 1e12)])
    near, away = (BayesFloor(scale=None, interval="fast").fit(rows, X[:, 0] > 2).overall_ for rows in (X, far))

    assert near.tie_spread[1] < 0.2
    assert away.tie_spread[1] < 0.2


def test_sets_without_ties_have_no_tie_spread(fitted):
    """Both ends are G itself, so that code need not ask first."""
    assert fitted.overall_.tie_spread == (fitted.overall_.cross_rate, fitted.overall_.cross_rate)


@pytest.mark.slow
def test_noisy_copies_under_one_group_change_little(rng, gaussians):
    """Frames of one video are one sample: without groups the floor would be falsely low."""
    X, y = gaussians(rng, [1000, 1000])
    copies = np.repeat(X, 10, axis=0) + rng.normal(0, 1e-6, (20_000, 2))
    many, group = np.repeat(y, 10), np.repeat(np.arange(2000), 10)
    options = {"scale": None, "interval": "fast"}
    alone = BayesFloor(**options).fit(X, y).overall_
    grouped = BayesFloor(**options).fit(copies, many, groups=group).overall_
    naive = BayesFloor(**options).fit(copies, many).overall_

    assert grouped.estimate == pytest.approx(alone.estimate, abs=0.02)
    assert naive.cross_rate < alone.cross_rate / 5


def test_groups_of_another_length_are_refused(rng, gaussians):
    """A shifted column of patients would otherwise pass unseen."""
    X, y = gaussians(rng, [20, 20])

    with pytest.raises(ValueError, match=r"Got groups of shape \(39,\), but expected one group for each of 40 rows"):
        BayesFloor().fit(X, y, groups=np.arange(39))


def test_weights_of_one_value_change_nothing_and_rows_of_weight_zero_are_absent(rng, gaussians):
    """A weight of 7 for everyone is no information; masking rows by weights is how many pipelines select them."""
    X, y = gaussians(rng, [60, 60])
    plain, weighted = BayesFloor().fit(X, y), BayesFloor().fit(X, y, sample_weight=np.full(120, 7.0))

    assert same(plain.overall_, weighted.overall_)
    assert same(plain.pairwise_, weighted.pairwise_)

    X, y = gaussians(rng, [80, 80])
    weight = (rng.random(160) < 0.7).astype(float)
    masked = BayesFloor(scale=None).fit(X, y, sample_weight=weight)
    dropped = BayesFloor(scale=None).fit(X[weight > 0], y[weight > 0])

    assert masked.overall_.cross_rate == pytest.approx(dropped.overall_.cross_rate)
    assert masked.overall_.std_error == pytest.approx(dropped.overall_.std_error)
    assert np.array_equal(masked.rows_, np.flatnonzero(weight))
    assert np.array_equal(masked.samples_.row, np.flatnonzero(weight))


def test_weights_that_undo_unequal_sampling_agree_with_drawing(rng, gaussians):
    """Weights use all rows where drawing to other shares throws most away."""
    X, y = gaussians(rng, [2400, 600], shift=1.5)
    weight = np.where(y == 0, 0.5 / 0.8, 0.5 / 0.2)
    weighted = BayesFloor(scale=None, interval="fast").fit(X, y, sample_weight=weight).overall_
    drawn = BayesFloor(scale=None, interval="fast", priors="balanced").fit(X, y).overall_

    assert weighted.cross_rate == pytest.approx(drawn.cross_rate, abs=0.1)
    assert weighted.cross_rate > BayesFloor(scale=None, interval="fast").fit(X, y).overall_.cross_rate + 0.05


@pytest.mark.parametrize("weight", [np.ones(39), -np.ones(40), np.full(40, np.nan), np.zeros(40), np.ones((40, 1))])
def test_weights_that_make_no_sense_are_refused(rng, gaussians, weight):
    """The message names the shape and what was expected."""
    X, y = gaussians(rng, [20, 20])

    with pytest.raises(ValueError, match=r"sample_weight"):
        BayesFloor().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("priors", [[2, 1, 1], {0: 0.5, 2: 0.25, 1: 0.25}, np.array([0.5, 0.25, 0.25])])
def test_priors_are_shares_in_any_form(rng, gaussians, priors):
    """A dict need not be in the order of classes."""
    X, y = gaussians(rng, [100, 100, 100])
    floor = BayesFloor(priors=priors).fit(X, y)

    assert np.array_equal(floor.one_vs_rest_.sizes, [100, 50, 50])


def test_balanced_priors_draw_equally_many_and_a_dict_goes_by_label(rng, gaussians):
    """It is the floor of balanced accuracy; classes are most often named by texts."""
    X, y = gaussians(rng, [90, 90])
    floor = BayesFloor(priors={"well": 1, "ill": 2}).fit(X, np.array(["ill", "well"])[y])

    assert floor.classes_.tolist() == ["ill", "well"]
    assert np.array_equal(floor.one_vs_rest_.sizes, [90, 45])

    X, y = gaussians(rng, [150, 60, 90])
    floor = BayesFloor(priors="balanced").fit(X, y)

    assert np.array_equal(floor.one_vs_rest_.sizes, [60, 60, 60])
    assert floor.overall_.constant_error == pytest.approx(2 / 3)
    assert np.array_equal(np.bincount(y[floor.rows_]), [60, 60, 60])


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ("uniform", r"Got priors='uniform', but expected None, 'balanced', or a list or dict of class proportions"),
        ([0.5, 0.5], r"expected 3 positive numbers"),
        ([1, 1, 0], r"expected 3 positive numbers"),
        ([1, 1, -1], r"expected 3 positive numbers"),
        ([1, 1, np.nan], r"expected 3 positive numbers"),
        (0.5, r"expected 3 positive numbers"),
        ({"a": 1, "b": 1}, r"Got priors for \['a', 'b'\], but expected one for each of \['a', 'b', 'c'\]"),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, r"expected one for each of \['a', 'b', 'c'\]"),
    ],
)
def test_priors_that_make_no_sense_are_refused(priors, message):
    """A forgotten class would silently change the question."""
    with pytest.raises(ValueError, match=message):
        read_priors(priors, np.array(["a", "b", "c"]))


def test_fewer_rows_are_announced_and_drawn_from_every_class_alike(rng, gaussians):
    """A sample that lost its small class answers another question."""
    X, y = gaussians(rng, [600, 300, 12])
    order = rng.permutation(len(y))
    X, y = X[order], y[order]
    with pytest.warns(SampledRowsWarning, match=r"of 912 rows are used: limited by max_rows=152"):
        floor = BayesFloor(max_rows=152).fit(X, y)
    with pytest.warns(SampledRowsWarning):
        again = BayesFloor(max_rows=152).fit(X, y)

    assert np.array_equal(np.bincount(y[floor.rows_]), [100, 50, 2])
    assert np.array_equal(floor.samples_.row, floor.rows_)
    assert np.array_equal(floor.samples_.label, y[floor.rows_])
    assert floor.overall_.n_rows == 152
    assert np.array_equal(again.rows_, floor.rows_)
    assert same(again.overall_, floor.overall_)


def test_another_seed_draws_other_rows_and_enough_rows_are_used_whole(rng, gaussians):
    """Else ``random_state`` would be a dead letter; without a draw there is no warning."""
    X, y = gaussians(rng, [300, 300])
    with pytest.warns(SampledRowsWarning):
        drawn = [BayesFloor(max_rows=100, random_state=seed).fit(X, y).rows_ for seed in (0, 1)]

    assert not np.array_equal(*drawn)

    X, y = gaussians(rng, [50, 50])
    floor = BayesFloor(max_rows=100).fit(X, y)

    assert np.array_equal(floor.rows_, np.arange(100))
    assert floor.curve_ == []


def test_draws_go_by_content_and_take_groups_whole(rng, gaussians):
    """Not by where rows stand; and half a patient is no patient."""
    X, y = gaussians(rng, [200, 200])
    order = rng.permutation(400)
    with pytest.warns(SampledRowsWarning):
        before = BayesFloor(max_rows=100).fit(X, y)
    with pytest.warns(SampledRowsWarning):
        after = BayesFloor(max_rows=100).fit(X[order], y[order])

    assert np.array_equal(np.sort(order[after.rows_]), before.rows_)

    group = np.repeat(np.arange(80), 5)
    with pytest.warns(SampledRowsWarning):
        floor = BayesFloor(max_rows=100).fit(X, y, groups=group)

    assert set(np.bincount(group[floor.rows_])) <= {0, 5}
    assert len(floor.rows_) == 100


def test_groups_count_as_labelled_where_none_has_two_labels(rng):
    """Labels of a patient's rows are then permuted together."""
    X, y, groups = rng.normal(size=(12, 2)), np.repeat([0, 1, 0, 1], 3), np.repeat(np.arange(4), 3)
    mixed = np.where(np.arange(12) == 0, 1, y)

    assert labelled_by_group(read_sample(Data(X, y, groups), Settings()))
    assert not labelled_by_group(read_sample(Data(X, mixed, groups), Settings()))
    assert not labelled_by_group(read_sample(Data(X, y), Settings()))
