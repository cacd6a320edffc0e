"""Trials: every row held out once, the same rows for all candidates, and nothing trained twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from bayesfloor.leaving import hierarchy_model_trial as _model_trial
from bayesfloor.leaving.hierarchy_candidates import Candidate, logistic
from bayesfloor.leaving.hierarchy_model_trial import Trial, _sizes
from bayesfloor.leaving.hierarchy_problem import Problem

SIZES = st.lists(st.integers(1, 40), min_size=2, max_size=6).filter(lambda sizes: max(sizes) > 1)


class Off:
    """Wrong about the rows that it was told, right about all others; rows are their number and their class."""

    def __init__(self, wrong, classes):
        """Keep the rows."""
        self.wrong, self.classes_ = np.asarray(wrong), classes

    def predict(self, X):
        """The class, or the one after it."""
        self.seen = X[:, 0].astype(int)
        return (X[:, 1].astype(int) + np.isin(self.seen, self.wrong)) % (int(self.classes_.max()) + 1)

    def predict_proba(self, X):
        """All on the answer."""
        return (self.predict(X)[:, None] == self.classes_).astype(float)


def deal(codes, weight=None, seed=0, groups=None):
    """A trial of rows that are their number and their class."""
    codes = np.asarray(codes)
    X = np.column_stack([np.arange(len(codes)), codes]).astype(float)
    return Trial(Problem(X, codes, weight, groups), seed)


def watched(name, wrong=()):
    """A candidate that is wrong about these rows, and the rows of each training, with their weights."""
    trained = []

    def train(X, codes, weight):
        trained.append((X[:, 0].astype(int), weight))
        return Off(wrong, np.unique(codes))

    return Candidate(name, name, train, lambda s: s.n_rows, lambda _: 1.0), trained


# Folds and orders


@given(SIZES, st.integers(0, 5))
def test_every_row_is_in_one_fold_and_every_class_in_all_alike(sizes, seed):
    """Errors out of fold count each row once; folds that lack a class would mislead."""
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    trial = deal(codes, seed=seed)
    per_fold = np.array([np.bincount(codes[trial.fold == fold], minlength=len(sizes)) for fold in range(trial.n_folds)])

    assert trial.fold.shape == codes.shape
    assert 2 <= trial.n_folds <= _model_trial.FOLDS
    assert (per_fold.sum(axis=1) > 0).all()
    assert np.ptp(per_fold, axis=0).max() <= 1


def test_rows_of_a_group_are_in_one_fold(rng):
    """A patient's other rows would give the held-out ones away."""
    groups = rng.integers(0, 25, 200)
    trial = deal(rng.integers(0, 3, 200), groups=groups)

    assert all(len(set(trial.fold[groups == group])) == 1 for group in groups)


def test_sizes_grow_to_all_rows():
    """Few rows first, more of many classes; where little would be saved, all at once."""
    assert _sizes(1200, 3) == [1200]
    assert _sizes(5000, 3) == [1000, 4000 if 1.5 * 4000 < 5000 else 5000]
    assert _sizes(20_000, 3) == [1000, 4000, 20_000]
    assert _sizes(20_000, 300) == [3000, 12_000, 20_000]


def test_other_classes_have_the_same_folds(rng):
    """A split is compared with a flat model on the same rows."""
    codes = rng.integers(0, 4, 120)
    flat = deal(codes)
    sides = flat.relabelled(codes // 2)

    assert np.array_equal(sides.fold, flat.fold)
    assert np.array_equal(sides.tested(1, sides.last), flat.tested(1, flat.last))
    assert (flat.n_classes, sides.n_classes) == (4, 2)


def test_a_trial_is_repeated_by_its_seed(rng):
    """Same seed, same folds and orders."""
    codes = rng.integers(0, 3, 90)
    one, two, other = deal(codes), deal(codes), deal(codes, seed=1)

    assert np.array_equal(one.fold, two.fold)
    assert np.array_equal(one._order, two._order)
    assert not np.array_equal(one.fold, other.fold)


def test_few_rows_are_some_of_all_and_none_is_of_the_fold(monkeypatch):
    """Nested training sets: more rows add to what few had, and held-out rows stay held out."""
    monkeypatch.setattr(_model_trial, "SMALL", 60)
    codes = np.repeat([0, 1, 2], [150, 90, 60])
    trial, (candidate, trained) = deal(codes), watched("a")
    for fold in range(trial.n_folds):
        for level in range(2):
            trial.test(candidate, fold, level)
        (few, _), (all_rows, _) = trained[-2:]

        assert trial.sizes == [60, 200]
        assert len(few) == 60
        assert np.bincount(codes[few]) == pytest.approx([30, 18, 12], abs=10)
        assert set(few) < set(all_rows)
        assert sorted(all_rows) == np.flatnonzero(trial.fold != fold).tolist()


# Tests


def test_nothing_is_trained_twice(monkeypatch):
    """Training is what takes time."""
    monkeypatch.setattr(_model_trial, "SMALL", 20)
    monkeypatch.setattr(_model_trial, "_GROWTH", 100)
    trial, (candidate, trained) = deal(np.arange(90) % 2), watched("a")
    for _ in range(3):
        for fold in (0, 1):
            trial.test(candidate, fold, 0)
            trial.test(candidate, fold, trial.last)
    trial.compare(candidate, candidate, [0, 1], trial.last)

    assert trial.last == 1
    assert len(trained) == 4
    assert trial.folds_of(candidate) == [0, 1]


def test_errors_are_those_of_the_rows_held_out(rng):
    """Counted by hand, fold after fold."""
    codes = rng.integers(0, 3, 100)
    wrong = rng.choice(100, 30, replace=False)
    trial, (candidate, _) = deal(codes), watched("a", wrong)
    trial.test(candidate, 0, trial.last)
    assert trial.error(candidate)[1] == np.count_nonzero(trial.fold == 0)
    for fold in (1, 2):  # the first favours what was picked on it
        trial.test(candidate, fold, trial.last)
    tested = np.flatnonzero(trial.fold != 0)

    assert trial.error(candidate) == (pytest.approx(np.isin(tested, wrong).mean()), len(tested))


def test_of_a_large_fold_rows_of_every_class_are_tested(monkeypatch):
    """Rows often come sorted by class: the first of a fold are then of one class only."""
    monkeypatch.setattr(_model_trial, "_TESTED", 30)
    codes = np.repeat([0, 1, 2], 100)
    trial, (candidate, _) = deal(codes), watched("a")
    tried = trial.test(candidate, 0, trial.last)

    assert len(tried.wrong) == 30
    assert (trial.fold[tried.model.model.seen] == 0).all()
    assert np.bincount(codes[tried.model.model.seen], minlength=3) == pytest.approx([10, 10, 10], abs=2)


def test_weights_enter_training_and_errors(rng):
    """Models are chosen by the share of weight that is wrong; floors know of rows alone."""
    codes, weight = rng.integers(0, 2, 120), rng.uniform(0.1, 5, 120)
    weight /= weight.mean()
    wrong = rng.choice(120, 30, replace=False)
    trial, (candidate, trained) = deal(codes, weight), watched("a", wrong)
    for fold in range(trial.n_folds):
        trial.test(candidate, fold, trial.last)

    tried = trial.test(candidate, 1, trial.last)
    assert tried.error == pytest.approx(tried.weight @ tried.wrong / tried.weight.sum())
    assert trial.error(candidate)[0] == pytest.approx(np.isin(np.flatnonzero(trial.fold > 0), wrong).mean())
    assert all(np.array_equal(given_weight, weight[rows]) for rows, given_weight in trained)


@pytest.mark.parametrize("unit", [10.0, 0.1])
def test_the_unit_of_weights_means_nothing(rng, unit):
    """A node's rows may all weigh ten times as much as others do: its error is a share all the same."""
    codes, wrong = rng.integers(0, 2, 120), rng.choice(120, 30, replace=False)
    plain, heavy, (candidate, _) = deal(codes), deal(codes, np.full(120, unit)), watched("a", wrong)
    for trial in (plain, heavy):
        trial.test(candidate, 1, trial.last)

    assert heavy.error(candidate)[0] == pytest.approx(plain.error(candidate)[0])


def test_one_heavy_row_is_no_more_than_everything(rng):
    """An error above 1 is none."""
    weight = np.ones(60)
    weight[7] = 1000
    trial, (candidate, _) = deal(rng.integers(0, 2, 60), weight / weight.mean()), watched("a", [7])
    trial.test(candidate, int(trial.fold[7]), trial.last)

    assert trial.error(candidate)[0] <= 1


# Comparisons


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_a_comparison_counts_rows_on_which_two_differ(only_one, only_two, both):
    """McNemar's test: rows that both get wrong, or both right, say nothing."""
    codes = np.arange(100) % 2
    parts = np.split(np.random.default_rng(0).permutation(100), np.cumsum([only_one, only_two, both]))
    one, _ = watched("one", np.r_[parts[0], parts[2]])
    two, _ = watched("two", np.r_[parts[1], parts[2]])
    trial = deal(codes)
    found = trial.compare(one, two, [0, 1, 2], trial.last)

    assert found.difference == pytest.approx((only_one - only_two) / 100)
    assert found.std_error == pytest.approx(np.sqrt(only_one + only_two) / 100)
    expected = (only_one - only_two) / np.sqrt(max(only_one + only_two, 1))
    assert found.z == pytest.approx(expected)


def test_the_standard_error_of_a_comparison_is_that_of_many_draws(rng):
    """Simulated: two models, alike on average, that err on the same rows more often than not."""
    found, codes = [], np.arange(200) % 2
    for _ in range(60):
        shared, own = rng.random(200) < 0.2, rng.random((2, 200)) < 0.05
        one, two = (watched(name, np.flatnonzero(shared | mine))[0] for name, mine in zip("ab", own, strict=True))
        found.append(deal(codes).compare(one, two, [0, 1, 2], 0))

    assert np.std([one.difference for one in found]) == pytest.approx(
        np.mean([one.std_error for one in found]), rel=0.35
    )
    assert np.mean([one.z for one in found]) == pytest.approx(0, abs=0.6)


def test_comparisons_use_the_folds_they_are_asked_for(rng):
    """Others are not even trained."""
    trial, (one, trained), (two, _) = deal(rng.integers(0, 2, 90)), watched("one", range(90)), watched("two")

    assert trial.compare(one, two, [1], trial.last).difference == 1
    assert len(trained) == 1
    assert trial.folds_of(one) == [1]


# Models for use


def test_a_refit_has_all_rows_and_the_calibration_of_a_fold(rng, clouds):
    """Rows that were trained on would make it too sure of itself."""
    X, y = clouds(rng, [60, 50, 40], spread=1.0)
    trial, candidate = Trial(Problem(X, y), 0), logistic(1.0)
    tried = trial.test(candidate, 2, trial.last).model
    model = trial.refit(candidate)

    assert model.temperature == tried.temperature
    assert model.model.coef == pytest.approx(LogisticRegression().fit(X, y).coef_)


@pytest.mark.parametrize("sizes", [[1, 8], [1, 1, 1, 9], [2, 2], [1, 2]], ids=str)
def test_classes_of_a_row_or_two_can_be_tried(sizes):
    """Their only row is either trained on or tested."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = np.column_stack([codes, np.arange(len(codes))]).astype(float)
    trial, candidate = Trial(Problem(X, codes), 0), logistic(1.0)
    for fold in range(trial.n_folds):
        trial.test(candidate, fold, trial.last)
    error, tested = trial.error(candidate)

    assert 0 < tested < len(codes)
    assert 0 <= error <= 1
    assert trial.refit(candidate).predict_proba(X).shape == (len(codes), len(sizes))


@pytest.mark.parametrize("K", [2, 3])
def test_classes_of_one_row_each_can_be_tried(K):
    """Two rare classes alike are a node of two rows."""
    X, codes = 5.0 * np.arange(K)[:, None], np.arange(K)
    trial, candidate = Trial(Problem(X, codes), 0), logistic(1.0)
    trial.test(candidate, 0, trial.last)

    assert 0 <= trial.error(candidate)[0] <= 1
    assert trial.refit(candidate).predict_proba(X).shape == (K, K)
