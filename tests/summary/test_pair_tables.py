"""Pairs and classes as rows: ranked only where something was seen, with the answer's own figures."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.summary._figures import FEW_ROWS, TOO_SMALL, class_rows, hardest_pairs, pair_rows

PAIR_FIGURES = ("estimate", "lower", "upper", "error", "guessing", "relative", "n_rows")
CLASS_FIGURES = ("n_rows", "estimate", "lower", "upper", "error", "part")


def test_pairs_without_a_confusion_are_never_ranked(each):
    """Nothing is known of them but that it is little; all others are there, once."""
    pairs = {(row.one, row.two) for row in pair_rows(each)}
    one, two = np.triu_indices(len(each.labels), 1)

    assert len(pairs) == len(pair_rows(each))
    assert pairs == {(i, j) for i, j in zip(one.tolist(), two.tolist(), strict=True) if each.pairs.error[i, j] > 0}


def test_too_small_is_no_confusion_in_cross_validation(made):
    """One rule; a class is not confused with itself."""
    found = made("iris")

    assert found.pairs.too_small.tolist() == [[True, True, True], [True, True, False], [True, False, True]]
    unknown = replace(found.pairs, error=np.full((3, 3), np.nan))
    assert unknown.too_small.all()  # classes that no row was tested of


def test_pairs_are_in_order_hardest_first(each):
    """By the best estimate relative to guessing; those of classes with too few rows last."""
    keys = [(row.note != "", -row.relative) for row in pair_rows(each)]

    assert keys == sorted(keys)
    np.testing.assert_equal(pair_rows(each, 3), pair_rows(each)[:3])
    assert [(row.one, row.two) for row in pair_rows(each)] == list(
        zip(*(places.tolist() for places in hardest_pairs(each)), strict=True)
    )


def test_pairs_have_the_figures_of_the_answer(each):
    """And no others."""
    for row in pair_rows(each):
        assert row.one < row.two
        for name in PAIR_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.pairs, name)[row.one, row.two])
        assert (row.note == FEW_ROWS) == (each.classes.n_rows[[row.one, row.two]].min() < 30)


def test_pairs_have_their_figures_in_order(each):
    """The best estimate is inside the range and never above guessing; only the limit of guessing has a margin."""
    for row in pair_rows(each):
        assert 0 <= row.estimate <= row.upper + 1e-12
        assert not row.lower > row.estimate + 1e-12
        assert row.estimate <= row.guessing + 1e-12
        assert row.upper <= 0.5


def test_a_pair_of_two_classes_is_the_whole(made):
    """There is but one."""
    (row,), answer = pair_rows(made("two classes")), made("two classes").answer

    assert (row.estimate, row.lower, row.upper) == (answer.estimate, answer.lower, answer.upper)


def test_classes_are_in_order_and_those_with_a_note_last(each):
    """What is too uncertain, or nothing, must not lead the table."""
    rows = class_rows(each)
    keys = [(row.note != "", -row.estimate) for row in rows]

    assert keys == sorted(keys)
    assert sorted(row.number for row in rows) == list(range(len(each.labels)))
    np.testing.assert_equal(class_rows(each, 2), rows[:2])


def test_classes_have_the_figures_of_the_answer(each):
    """And no others; a note says what to make of them."""
    for row in class_rows(each):
        for name in CLASS_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.classes, name)[row.number])
        assert (row.note == FEW_ROWS) == (row.n_rows < 30)
        assert (row.note == TOO_SMALL) == (row.n_rows >= 30 and not row.error > 0)


def test_parts_of_all_errors_add_up(each):
    """To all, or to none where there is no error."""
    total = sum(row.part for row in class_rows(each))

    assert total == pytest.approx(1) or total == 0
