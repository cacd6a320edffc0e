"""Leaks: columns that know the label, alone or together, and those that are merely good."""

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

    found = find_leaks(as_table(table.assign(patient=[f"P-{p:03d}" for p in patient]), y), 0)

    assert {leak.kind for leak in found} <= {"note"}


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
    """Without one of them, the others would still tell; each is named, because each has to be dropped."""
    table, y = three
    reason = np.where(y == 1, np.random.default_rng(101).choice(["price", "moved"], len(y)), "none")
    for sign in "=_":
        dummies = pd.get_dummies(pd.Series(reason, name="reason"), prefix="reason", prefix_sep=sign).astype(float)
        (leak,) = find_leaks(as_table(pd.concat([table, dummies], axis=1), y), 0)

        assert leak.columns == tuple(dummies.columns)


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


@pytest.fixture
def two(noisy, global_random_seed):
    """A hard task with two classes, and a source of randomness for what is added to it."""
    return *noisy, np.random.default_rng([global_random_seed, 2])


DAY = pd.Timestamp("2023-01-01")
SINGLE = {
    "gaps": lambda y, rng: np.where(y == 1, np.nan, rng.normal(size=len(y))),
    "gaps of a text": lambda y, rng: np.where(y == 1, None, [f"W{n:04d}/x" for n in rng.permutation(9000)[: len(y)]]),
    "a date": lambda y, rng: DAY + pd.to_timedelta(y * 365 + rng.random(len(y)) * 300, unit="D"),
    "a date with gaps": lambda y, rng: pd.Series(DAY + pd.to_timedelta(900 * rng.random(len(y)), unit="D")).where(
        y > 0
    ),
    "the hour": lambda y, rng: DAY + pd.to_timedelta(rng.integers(900, size=len(y)) * 24 + 8 + 6 * y, unit="h"),
    "an id's prefix": lambda y, rng: [f"{'KQ'[v]}{rng.integers(10**6):06d}" for v in y],
    "a range of numbers": lambda y, rng: 10_000 * y + rng.permutation(len(y)),
    "a note": lambda y, rng: [
        f"patient {rng.integers(999)} seen, result {'positive' if v else 'negative'} today at {rng.integers(24)}h"
        for v in y
    ],
}


@pytest.mark.parametrize("how", SINGLE)
def test_a_column_leaks_by_its_gaps_dates_or_texts(two, as_table, how):
    """Each row has its own value, so that no value is seen twice."""
    table, y, rng = two
    (leak,) = find_leaks(as_table(table.assign(after=SINGLE[how](y, rng)), y), 0)

    assert (leak.columns, leak.kind) == (("after",), "leak")
    assert leak.error < 0.02
    assert leak.error_without > 0.15


def _signs(y, rng):
    first = rng.normal(size=len(y))
    return {"z": first, "w": np.sign(first) * np.abs(rng.normal(size=len(y))) * (2 * y - 1)}


def _split(n_parts):
    def make(y, rng):
        part = rng.integers(n_parts, size=len(y))
        return {f"part{'abcd'[j]}": np.where(part == j, y, -1) for j in range(n_parts)}

    return make


def _difference(y, rng):
    before = 50 + 9 * rng.normal(size=len(y))
    return {"before": before, "later": before + y + 0.1 * rng.normal(size=len(y))}


TOGETHER = {
    "XOR": lambda y, rng: {"z": (first := rng.integers(2, size=len(y))), "w": first ^ y},
    "the signs": _signs,
    "the difference": _difference,
    "two parts": _split(2),
    "four parts": _split(4),
}


@pytest.mark.parametrize("how", TOGETHER)
def test_columns_that_give_the_label_away_together_are_found(two, as_table, how):
    """None of them says anything alone."""
    table, y, rng = two
    extra = TOGETHER[how](y, rng)
    (leak,) = find_leaks(as_table(table.assign(**extra), y), 0)

    assert (set(leak.columns), leak.kind) == (set(extra), "leak")
    assert leak.error < 0.02
    assert leak.error_without > 0.15


def test_indicators_without_a_common_name_are_found_together(three, as_table):
    """Two of three are enough to know the label; the third still knows one class and has to go, too."""
    table, y = three
    (leak,) = find_leaks(as_table(table.assign(red=y == 0, old=y == 1, tin=y == 2), y), 0)

    assert (set(leak.columns), leak.kind) == ({"red", "old", "tin"}, "leak")


def test_copies_do_not_hide_each_other(two, as_table):
    """Without the first leak the second one still knows the label."""
    table, y, rng = two
    (leak,) = find_leaks(as_table(table.assign(after=3.0 * y, **_split(2)(y, rng)), y), 0)

    assert (set(leak.columns), leak.kind) == ({"after", "parta", "partb"}, "leak")


def test_columns_are_only_noted_if_the_others_do_well(two, as_table):
    """In an easy task a leak changes little, but it may still be unknown when predictions are made."""
    _, y, rng = two
    easy = pd.DataFrame(rng.normal(size=(len(y), 4)) + 2.1 * y[:, None], columns=list("abcd"))
    (leak,) = find_leaks(as_table(easy.assign(after=y), y), 0)

    assert (leak.columns, leak.kind) == (("after",), "note")
    assert leak.error == 0 < leak.error_without < 0.1


def test_an_honest_rule_is_only_noted(as_table):
    """Measurements that decide together are what a task is made of, if they are good alone or if no others matter."""
    rng = np.random.default_rng(101)
    y = rng.integers(0, 2, 1000)
    strong = pd.DataFrame(
        rng.normal(size=(1000, 5)) + np.array([3.5, 3.5, 0.3, 0, 0]) * y[:, None], columns=list("abcde")
    )
    free = rng.normal(size=(1000, 5))

    for table, label in ((strong, y), (free, free[:, 0] * free[:, 1] > 0)):
        assert [leak.kind for leak in find_leaks(as_table(table, label), 0)] == ["note"]


def test_ids_and_row_numbers_are_no_leaks(two, as_table):
    """In a file sorted by class each row number knows its class; a check leaves them out, and the user can."""
    table, y, _ = two
    order = np.argsort(y)
    table, y = table.iloc[order].reset_index(drop=True), y[order]
    number = np.arange(len(y))
    sorted_table = table.assign(number=number, ticket=[f"T{n:05d}" for n in number])

    assert find_leaks(as_table(sorted_table, y), 0) == ()
    assert find_leaks(as_table(table.assign(own=y), y, {"own": "id"}), 0) == ()


def test_many_classes_of_few_rows_are_searched_without_a_warning(as_table):
    """scikit-learn takes them for a regression."""
    numbers = np.random.default_rng(101).normal(size=(200, 3))

    assert find_leaks(as_table(numbers, np.arange(200) // 2), 0) == ()


def test_a_column_left_out_is_not_searched(three, as_table):
    """The column that marks groups is no feature."""
    table, y = three

    assert find_leaks(as_table(table.assign(after=y), y), 0, ["after"]) == ()
