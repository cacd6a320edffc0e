"""Leaks: columns that know the label, and those that are merely good."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bayesfloor.answer._leaks import find_leaks


@pytest.fixture
def three(global_random_seed):
    """Three classes that overlap."""
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 1500)
    return pd.DataFrame(rng.normal(size=(1500, 4)) + 0.7 * y[:, None], columns=list("abcd")), y


MADE = {
    "numbers": lambda y, _: y * 7.0,
    "noisy numbers": lambda y, rng: 5 * y + rng.normal(size=len(y)) * 0.3,
    "words": lambda y, _: np.array(["open", "closed", "void"])[y],
    "sometimes wrong": lambda y, rng: np.where(rng.random(len(y)) < 0.02, rng.integers(0, 3, len(y)), y),
}


@pytest.mark.parametrize("how", MADE)
def test_a_column_made_from_the_label_is_found(three, as_table, how, global_random_seed):
    """Numbers or words, exact or not."""
    table, y = three
    values = MADE[how](y, np.random.default_rng([global_random_seed, 1]))
    (leak,) = find_leaks(as_table(table.assign(after=values), y), 0)

    assert leak.columns == ("after",)
    assert leak.label == ""
    assert leak.error < 0.03
    assert leak.error_without > 0.2


def test_a_leak_beside_constant_columns_is_found(three, as_table):
    """Without it all rows are equal, and no fold is left to train on."""
    _, y = three
    (leak,) = find_leaks(as_table(pd.DataFrame({"after": 7.0 * y, "same": 1.0}), y), 0)

    assert leak.columns == ("after",)
    assert leak.error_without == pytest.approx(1 - np.bincount(y).max() / len(y))


def test_a_leak_beside_groups_is_found(patients, as_table):
    """Each hides the other: a model that knows the patients needs no leak, and with the leak no patient is new."""
    table, y, patient = patients
    left = np.where(y, "cured", "")
    (leak,) = find_leaks(as_table(table.assign(patient=[f"P-{p:03d}" for p in patient], after=left), y), 0)

    assert leak.columns == ("after",)
    assert leak.error_without > 0.12


def test_groups_alone_are_no_leak(patients, as_table):
    """The patient is known, and nothing else is."""
    table, y, patient = patients

    assert find_leaks(as_table(table.assign(patient=[f"P-{p:03d}" for p in patient]), y), 0) == ()


def test_a_leak_in_an_array_is_named_by_its_number_and_a_column_left_out_not_searched(three, as_table):
    """Arrays have no names; the column that marks groups is no feature."""
    table, y = three
    (leak,) = find_leaks(as_table(np.column_stack([table.to_numpy(), y]), y), 0)

    assert leak.columns == ("x4",)

    assert find_leaks(as_table(table.assign(after=y), y), 0, ["after"]) == ()


def test_a_column_filled_in_for_one_class_is_found(three, as_table):
    """As FARS records the race of the dead only; two such columns do not hide each other."""
    table, y = three
    rng = np.random.default_rng(101)
    reason = np.where(y == 1, rng.choice(["price", "moved"], len(y)), "none")
    code = np.where(y == 1, rng.integers(1, 9, len(y)), 0)
    (leak,) = find_leaks(as_table(table.assign(reason=reason, code=code), y), 0)

    assert leak.columns == ("reason", "code")
    assert leak.label == "1"


def test_indicators_of_one_column_count_as_one(three, as_table):
    """Without one of them, the others would still tell."""
    table, y = three
    reason = np.where(y == 1, np.random.default_rng(101).choice(["price", "moved"], len(y)), "none")
    for sign in "=_":
        dummies = pd.get_dummies(pd.Series(reason, name="reason"), prefix="reason", prefix_sep=sign).astype(float)
        (leak,) = find_leaks(as_table(pd.concat([table, dummies], axis=1), y), 0)

        assert leak.columns == ("reason",)


def test_a_rule_about_one_class_is_no_leak(three, as_table):
    """A level that decides one class, while the other classes have several levels, is what columns are for."""
    table, y = three
    health = np.where(y == 1, "poor", np.random.default_rng(101).choice(["good", "fair"], len(y)))

    assert find_leaks(as_table(table.assign(health=health), y), 0) == ()


def test_good_columns_are_no_leak(as_table, noisy):
    """Iris has columns that do well alone, but so do the others; and a strong column may leave errors."""
    table, y = noisy
    strong = y + np.random.default_rng(101).normal(size=len(y)) * 0.4

    assert find_leaks(as_table(*load_iris(return_X_y=True)), 0) == ()
    assert find_leaks(as_table(table.assign(strong=strong), y), 0) == ()
