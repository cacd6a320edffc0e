"""The benchmark of features that carry the signal: its tables hold what is planted, and copies count once."""

import numpy as np
import pytest


@pytest.fixture
def tables(benchmark_module):
    return benchmark_module("_feature_tables")


@pytest.fixture
def bench(benchmark_module):
    return benchmark_module("features")


def test_judging_and_training_share_no_family_and_no_maker(tables):
    judging, training = ({make for own in each.values() for make in own} for each in
                         (tables.JUDGING_FAMILIES, tables.TRAINING_FAMILIES))  # fmt: skip
    assert not judging & training
    assert len(tables.JUDGING) == 40
    assert not {seed for _, seed in tables.JUDGING} & {seed for _, seed in tables.TRAINING}


def test_labels_need_the_planted_columns_and_only_these(tables):
    """The numbers of a table of copies are linear in them; without them nothing is left."""
    X, y, planted = tables.draw_table("copies", 103)
    first = np.column_stack(
        [X[copies[0]] if abs(X[copies[0]]).skew() < 2 else np.log(X[copies[0]]) for copies in planted]
    )
    noise = X.drop(columns=[name for copies in planted for name in copies]).select_dtypes("number")

    def explained(columns):
        design = np.column_stack([columns, np.ones(len(y))])
        return 1 - (y - design @ np.linalg.lstsq(design, y, rcond=None)[0]).var() / y.var()

    assert explained(first) > 0.75
    assert explained(noise) < 0.05


def test_copies_count_once_and_a_column_of_noise_takes_a_place(bench):
    planted = [["a", "b"], ["c"]]
    assert bench.n_found([["a"], ["b"], ["c"], ["noise"]], planted) == 2
    assert bench.n_found([["a", "b"], ["noise"], ["c"]], planted) == 1


def test_goals_count_tables_with_wrong_claims_and_tables_without_all_features(bench):
    good = {"n": 1, "d": 9, "planted": 3, "found": 3, "claimed": 3, "wrong": 0, "seconds": 1.0}
    cases = {"judging/curves/1": good, "judging/curves/2": good | {"found": 2, "wrong": 2}, "silent/curves/3": good}
    cases["cost/letter"] = {"n": 9, "d": 9, "cpu": {"check": 2.0, "importances": 0.1}, "seconds": 6.0}
    found = [goal.figure for goal in bench.goals({"cases": cases})]

    assert found == ["0.500", "0.333", "0.050"]
    assert all(len({len(line) for line in lines}) == 1 for lines in bench.tables({"cases": cases}).values())
