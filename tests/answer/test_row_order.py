"""Rows in order: found by slow changes that a model can exploit, never in files that are sorted by class."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from bayesfloor.answer._dependence import correlation, find_row_order


@pytest.mark.parametrize("name", ["", "timestamp", "time"])
def test_slow_measurements_are_found(hours, as_table, name):
    """By their own order, by a date and by a number of seconds."""
    table, y = hours
    when = {"timestamp": pd.date_range("2024-01-01", periods=len(y), freq="h"), "time": np.arange(len(y)) * 0.5}
    found = find_row_order(as_table(table.assign(**{name: when[name]}) if name else table, y), 0)

    assert found.name == name
    assert found.errors.together > found.errors.at_random + 0.05
    assert found.alike > 0.7
    assert 10 <= len(np.unique(found.block)) <= 50


def test_a_date_finds_the_order_of_shuffled_rows(hours, as_table):
    """A block is a stretch of time, not of the file."""
    table, y = hours
    order = np.random.default_rng(0).permutation(len(y))
    dated = table.assign(when=pd.date_range("2024-01-01", periods=len(y), freq="h"))
    found = find_row_order(as_table(dated.iloc[order], y[order]), 0)

    assert found.name == "when"
    assert np.all(np.diff(found.block[np.argsort(order)]) >= 0)


def test_shuffled_sorted_or_harmless_slow_rows_show_nothing(hours, as_table):
    """Their order is lost; blocks would hold out whole classes; labels that are drawn anew make random folds right."""
    table, y = hours
    order = np.random.default_rng(0).permutation(len(y))

    assert find_row_order(as_table(table.iloc[order], y[order]), 0) is None

    order = np.argsort(y, kind="stable")

    assert find_row_order(as_table(table.iloc[order], np.arange(len(y)) // 200), 0) is None

    table, _ = hours
    rng = np.random.default_rng(0)
    y = (table["a"].to_numpy() + rng.normal(size=len(table)) > 0).astype(int)

    assert find_row_order(as_table(table, y), 0) is None


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_files_sorted_by_class_show_nothing(load, as_table):
    """Iris and wine are; the labels are alike along the rows, but the rows within a class are not."""
    assert find_row_order(as_table(*load(return_X_y=True)), 0) is None


def test_a_date_alone_is_looked_at(as_table):
    """Without it, no column is left in which rows could be alike."""
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=400)})

    find_row_order(as_table(days, np.random.default_rng(0).integers(2, size=400)), 0)


def test_correlation_is_that_of_numpy(global_random_seed):
    """For columns of mean 0 and variance 1."""
    X = np.random.default_rng(global_random_seed).normal(size=(5000, 3)).cumsum(axis=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = np.mean([np.corrcoef(x[2:], x[:-2])[0, 1] for x in X.T])

    assert correlation(X, 2) == pytest.approx(expected, abs=0.01)
    assert correlation(X[:, :0], 1) == 0
