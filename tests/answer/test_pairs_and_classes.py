"""Pairs, classes and merged classes where there is little to go on, and what they may not exceed."""

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer import _make_answer
from bayesfloor.answer._pairs_and_classes import class_answers, merged_range, pair_answers


def fit(X, y):
    return BayesFloor(scale=None, interval="fast").fit(X, y)


def draw(rng, sizes, centres):
    y = np.repeat(np.arange(len(sizes)), sizes)
    return rng.standard_normal((len(y), 2)) + np.asarray(centres, dtype=float)[y, None], y


def test_without_any_learner_there_is_guessing(rng, monkeypatch):
    """Too few rows train nothing, and a check of them should still end."""
    monkeypatch.setattr(_make_answer, "choose_learners", lambda *_: ({}, {}))
    floor = fit(rng.standard_normal((3, 2)), np.array([0, 0, 1]))
    answer = floor.answer()
    pairs, classes = pair_answers(answer, floor.classes_), class_answers(answer, floor.classes_)

    assert answer.best == ""
    assert classes.error.tolist() == [0.0, 1.0]
    assert pairs.upper[0, 1] == answer.upper
    assert merged_range(answer, np.array([0, 0])) == (0.0, pytest.approx(np.nan, nan_ok=True), 0.0)


def test_classes_that_no_row_was_drawn_of_have_no_error_and_no_merged_limit_is_above_guessing(rng):
    """Of probabilities one label per row is drawn; merging may leave one large class, which is easily named."""
    X, y = draw(rng, [60, 60], [0, 2])
    floor = fit(X, np.column_stack([np.eye(2)[y] * (1 - 1e-12), np.full(len(y), 1e-12)]))
    answer = floor.answer()

    assert pair_answers(answer, floor.classes_).n_rows[2, 2] == 0
    assert np.isnan(class_answers(answer, floor.classes_).error[2])

    X, y = draw(rng, [100, 95, 5], [0, 0, 0])
    answer = fit(X, y).answer()
    estimate, lower, upper = merged_range(answer, np.array([0, 0, 1]))

    assert estimate <= 0.025 + 1e-12 < upper < 0.08
    assert not lower > estimate


def test_errors_within_classes_are_those_of_the_best_learner(rng):
    """By hand, from its posteriors."""
    X, y = draw(rng, [80, 40, 60], [0, 1, 3])
    floor = fit(X, y)
    answer = floor.answer()
    race, own = answer.evidence(), class_answers(answer, floor.classes_)
    wrong = race.losses["accuracy"][answer.best][-1]

    for k in range(3):
        assert own.error[k] == wrong[race.codes == k].mean()
        assert own.part[k] == pytest.approx(wrong[race.codes == k].sum() / wrong.sum())
