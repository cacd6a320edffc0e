"""Features that carry the signal: planted ones are named, noise is not, and falls are those of closed forms."""

import numpy as np
import pandas as pd
import pytest

import bayesfloor

N = 1500


def named(features):
    """Return the features that are said to carry signal."""
    pairs = zip(features.columns, features.carries, strict=True)
    return {columns for columns, carries in pairs if carries}


@pytest.fixture
def table(rng):
    """A number with gaps, a copy of it on another scale, a category, and noise; the label needs the first three."""
    x, place, noise = rng.normal(size=N), rng.integers(4, size=N), rng.normal(size=(N, 5))
    X = pd.DataFrame(noise, columns=[f"noise {k}" for k in range(5)])
    X.insert(2, "size", np.where(rng.random(N) < 0.05, np.nan, x))
    X.insert(4, "weight", np.exp(x))
    X.insert(5, "place", np.array(["Ulm", "Bonn", "Kiel", "Hof"])[place])
    return X, (2 * x + np.array([-2, -1, 1, 2])[place] + 0.3 * rng.normal(size=N) > 0).astype(int)


def test_planted_features_are_named_and_copies_are_one_feature(table):
    """Permuted alone, each of two copies would seem to carry nothing."""
    found = bayesfloor.check(*table).features

    assert named(found) == {("size", "weight"), ("place",)}
    assert (found.n_features, found.n_silent) == (7, 5)
    assert found.metric == "accuracy"
    assert found.fall[:2].min() > 0.1
    assert found.fall[2:].max() < 0.02
    assert ((found.low <= found.fall) & (found.fall <= found.high)).all()
    assert found.frame()["feature"].tolist()[0] in ("size, weight", "place")
    assert "size, weight" in repr(found)


def test_the_same_check_in_another_order_of_rows_names_the_same(table, rng):
    X, y = table
    order = rng.permutation(N)
    one, two = bayesfloor.check(X, y).features, bayesfloor.check(X.iloc[order], y[order]).features

    assert one.columns == two.columns
    assert one.fall.tolist() == two.fall.tolist()


@pytest.mark.parametrize(("metric", "fall"), [("r2", 2 * 9 / 13), ("rmse", np.sqrt(1 + 2 * 9) - 1)])
def test_falls_are_in_the_unit_of_the_metric(rng, metric, fall):
    """A linear learner without its first feature: the squared error rises by twice the variance that it explains."""
    X = rng.normal(size=(4000, 3))
    found = bayesfloor.check(X, X @ [3.0, np.sqrt(3), 0] + rng.normal(size=4000), metric=metric).features

    assert found.columns[:2] == (("x0",), ("x1",))
    assert found.fall[0] == pytest.approx(fall, rel=0.1)
    assert found.low[0] < fall < found.high[0]
    assert found.carries.tolist() == [True, True, False]


def test_of_many_features_those_that_matter_are_tested_alone(rng):
    X = rng.normal(size=(N, 90))
    found = bayesfloor.check(X, X[:, 7] + X[:, 40] - X[:, 80] > 0).features

    assert named(found) == {("x7",), ("x40",), ("x80",)}
    assert set(found.columns[:3]) == named(found)
    assert (found.n_features, found.n_silent) == (90, 87)


def test_noise_carries_no_signal(rng):
    """At most one table in 40 may have a wrong claim."""
    draws = [bayesfloor.check(rng.normal(size=(300, 8)), rng.integers(2, size=300)).features for _ in range(4)]

    assert sum(each.carries.any() for each in draws) <= 1  # two have a probability of 0.4 %


def test_rows_of_one_group_count_once(rng):
    """Ten copies of each row are no more evidence than one."""
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    groups = np.repeat(np.arange(120), 10)
    found = bayesfloor.check(np.repeat(X, 10, axis=0), np.repeat(y, 10), groups=groups).features
    alone = bayesfloor.check(X, y).features

    assert found.high[0] - found.low[0] > 0.6 * (alone.high[0] - alone.low[0])


def test_with_priors_the_fall_is_that_of_the_weighted_rows(rng):
    """A class that is rare here and frequent there: without its only feature, half of all rows are wrong."""
    y = (rng.random(3000) < 0.1).astype(int)
    X = np.column_stack([y + 0.1 * rng.normal(size=3000), rng.normal(size=3000)])
    shares = [bayesfloor.check(X, y, priors=priors).features.fall[0] for priors in (None, "balanced")]

    assert shares == pytest.approx([2 * 0.1 * 0.9, 0.5], abs=0.05)


def test_quick_checks_and_very_wide_data_have_none(rng):
    X, y = rng.normal(size=(100, 2)), np.arange(100) % 2
    assert bayesfloor.check(X, y, effort="quick").features is None
    assert bayesfloor.check(rng.normal(size=(100, 2100)), y).features is None


def test_features_are_read_back_and_shown_in_the_full_text_and_the_report(table, tmp_path):
    """And not on the first screen, which is for the answer."""
    pytest.importorskip("jinja2")
    found = bayesfloor.check(*table)
    again = bayesfloor.Check.from_json(found.to_json())
    page = again.to_html(tmp_path / "page.html").read_text("utf-8")

    assert again.features.to_dict() == found.features.to_dict()
    assert "size, weight" not in repr(found)
    assert "Features that carry the signal" in page
    assert "5 others carry none that these rows can show" in page
