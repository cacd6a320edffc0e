"""Rules that change with time: what holds between known rows does not hold for later ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import bayesfloor
from bayesfloor.answer._drift import find_drift
from bayesfloor.support._errors import InputError


@pytest.fixture
def turning(global_random_seed):
    """A line between two classes that turns with time."""
    rng = np.random.default_rng([global_random_seed, 5])
    time = np.sort(rng.random(3000))
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] * np.cos(4.5 * time) + X[:, 1] * np.sin(4.5 * time) + 0.3 * rng.normal(size=3000) > 0).astype(int)
    return pd.DataFrame(X, columns=list("abc")), y, pd.Timestamp("2023-01-01") + pd.to_timedelta(time * 700, unit="D")


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_rule_that_turns_is_found_by_its_dates(turning, shuffled, as_table):
    """Also if the file is in no order."""
    table, y, when = turning
    order = np.random.default_rng(0).permutation(len(y)) if shuffled else np.arange(len(y))
    found = find_drift(as_table(table.assign(seen=when).iloc[order], y[order]), 0)

    assert found.column == "seen"
    assert found.error_between + 0.02 < found.error_later
    assert found.low < found.error_later < found.high


def test_a_rule_that_turns_is_found_by_the_order_of_rows(turning, as_table):
    """Many files are in the order in which their rows came."""
    table, y, _ = turning

    assert find_drift(as_table(table, y), 0).column == ""
    assert find_drift(as_table(table.sample(frac=1, random_state=0), y), 0) is None


def test_a_signal_that_fades_is_found(as_table, global_random_seed):
    """Later rows are worse for every model, also for one that has seen rows like them."""
    rng = np.random.default_rng([global_random_seed, 6])
    X, time = rng.normal(size=(3000, 4)), np.linspace(0, 1, 3000)
    y = (X[:, 0] + (0.3 + time) * rng.normal(size=3000) > 0).astype(int)
    found = find_drift(as_table(X, y), 0)

    assert found.error_between + 0.02 < found.error_later


def test_files_in_other_orders_show_nothing(as_table):
    """Sorted by a column or by class, later rows are others, but not later."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] + rng.normal(size=2000) > 0).astype(int)

    for order in (np.argsort(X[:, 0]), np.argsort(y, kind="stable"), np.arange(2000)):
        assert find_drift(as_table(X[order], y[order]), 0) is None
    assert find_drift(as_table(*load_breast_cancer(return_X_y=True)), 0) is None


def test_the_user_says_which_rows_the_answer_is_for(turning):
    """By default it is for those between, and says so; for later ones it is what was measured, with no ceiling."""
    table, y, when = turning
    dated = table.assign(seen=when)
    unsaid, between, later = (
        bayesfloor.check(dated, y, 0.8, effort="quick", time=each) for each in (None, "between", "later")
    )

    assert "BF121" in {finding.code for finding in unsaid.findings}
    assert " But this is for rows between known ones" in unsaid.verdict
    assert "But this is" not in between.verdict
    assert later.answer.upper == later.drift.high
    assert later.answer.estimate == later.drift.error_later
    assert np.isnan(later.answer.lower)
    assert len(later.answer.curve.n_rows) == 0
    assert bayesfloor.Check.from_json(later.to_json()).verdict == later.verdict
    assert "more rows" not in repr(later)
    grouped = bayesfloor.check(dated, y, 0.8, effort="quick", time="later", groups=np.arange(3000) // 30)
    assert grouped.drift.error_later == later.drift.error_later


def test_later_rows_need_an_order_by_time():
    """Iris has none: it is sorted by class."""
    with pytest.raises(InputError, match="no order by time"):
        bayesfloor.check(*load_iris(return_X_y=True), effort="quick", time="later")


def test_wide_rows_are_not_answered_for_other_periods():
    """They are reduced before their order is looked at, and the answer between known rows was not asked for."""
    X = np.random.default_rng(0).normal(size=(200, 2100))
    with pytest.raises(InputError, match="cannot be examined"):
        bayesfloor.check(X, np.arange(200) % 2, effort="quick", time="later")
