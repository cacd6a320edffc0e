"""Features chosen by their floors: what is found, when it stops, and what rows held out say."""

import json
import logging

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

from bayesfloor import FloorSelector


def linear(n, d, rng):
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=n) > 0).astype(int)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y, FloorSelector(n_features=3).fit(X, y)


def test_informative_features_come_first(global_random_seed):
    X, y = linear(800, 8, np.random.default_rng(global_random_seed))
    selector = FloorSelector().fit(X, y)
    assert set(selector.order_[:2]) == {0, 1}
    assert selector.path_.shown[:2].all()
    assert selector.get_support(indices=True).tolist()[:2] == [0, 1]
    assert (selector.transform(X)[:, :2] == X[:, :2]).all()


@pytest.mark.slow
def test_noise_is_not_shown_to_help(rng, caplog):
    """One feature is kept all the same, and it is said so."""
    shown = 0
    for _ in range(30):
        selector = FloorSelector().fit(rng.normal(size=(120, 5)), rng.integers(2, size=120))
        shown += selector.path_.shown.any()
        assert selector.support_.sum() >= 1
    assert shown <= 5  # 0.05 of 30, and three standard errors
    assert "cannot distinguish the features from noise" in caplog.text
    assert any(record.levelno == logging.WARNING for record in caplog.records)


def test_what_rows_held_out_say(wine):
    """On other rows, beside as many that chose."""
    _, _, selector = wine
    out = selector.path_.holdout
    assert out.n_rows == pytest.approx(178 / 4, abs=2)
    assert selector.path_.n_rows + out.n_rows == 178
    assert out.lower <= out.estimate <= out.upper
    assert out.difference_low < out.difference < out.difference_high
    assert out.difference == pytest.approx(out.cross_rate - out.all_cross_rate)
    assert out.word in ("worse", "better", "no significant difference")
    assert out.frame().shape[0] == 1


@pytest.mark.slow
def test_selecting_flatters_and_holding_out_tells(rng):
    """The best of forty features of noise reads below chance where it was chosen, and at chance elsewhere."""
    flattered, honest = [], []
    for _ in range(8):
        X, y = rng.normal(size=(300, 40)), rng.integers(2, size=300)
        out = FloorSelector(n_features=2, holdout=0.5).fit(X, y).path_.holdout
        flattered.append(out.optimistic)
        honest.append(out.cross_rate)
    assert np.mean(flattered) < np.mean(honest) - 0.02
    assert abs(np.mean(honest) - 0.5) < 0.06


def test_names_and_containers(wine):
    X, y, selector = wine
    names = selector.get_feature_names_out().tolist()
    assert names == X.columns[selector.support_].tolist()
    out = clone(selector).set_output(transform="pandas").fit(X, y).transform(X)
    assert out.columns.tolist() == names
    assert list(selector.path_.added) == X.columns[selector.order_].tolist()


def test_a_column_of_texts_is_one_feature(rng):
    """All its categories together."""
    y = rng.integers(3, size=200)
    given = {"noise": rng.normal(size=200), "colour": np.array(["red", "green", "blue"])[y]}
    for frame in (pd.DataFrame(given), pl.DataFrame(given)):
        selector = FloorSelector(n_features=1).fit(frame, y)
        assert selector.order_.tolist() == [1]
        assert selector.n_features_in_ == 2


def test_groups_stay_together(rng):
    """A feature that tells groups apart does not tell classes of other groups."""
    groups = np.repeat(np.arange(60), 10)
    y = rng.integers(2, size=60)[groups]
    X = np.column_stack([groups + 1e-3 * rng.normal(size=600), rng.normal(size=600) + 1.5 * y])
    assert FloorSelector(n_features=1).fit(X, y).order_.tolist() == [0]
    assert FloorSelector(n_features=1).fit(X, y, groups=groups).order_.tolist() == [1]


def test_the_order_of_rows_and_threads_have_no_say(rng):
    X, y = linear(300, 5, rng)
    order = rng.permutation(300)
    one, two = FloorSelector().fit(X, y), FloorSelector(n_jobs=2).fit(X[order], y[order])
    assert one.order_.tolist() == two.order_.tolist()
    np.testing.assert_allclose(one.path_.gain_low, two.path_.gain_low)


def test_the_path_in_tables_and_words(wine):
    """As many as asked for, in the order in which they were chosen."""
    _, _, selector = wine
    path = selector.path_
    assert len(selector.order_) == selector.support_.sum() == 3
    assert path.n_features.tolist() == [1, 2, 3]
    assert (np.diff(path.cross_rate) < 0).all()
    assert path.frame()["added"].tolist() == list(path.added)
    assert json.loads(json.dumps(path.to_dict()))["holdout"]["n_rows"] == path.holdout.n_rows
    assert path.text.startswith("3 of 13 features: ")
    assert "held-out rows" in path.text
    assert repr(path) == "SelectionPath(3 of 13 features in 3 steps)"


def test_few_rows_are_not_held_out():
    rng = np.random.default_rng(0)
    selector = FloorSelector().fit(rng.normal(size=(24, 3)), np.arange(24) % 2)
    assert selector.path_.holdout is None
    assert not selector.path_.shown.any()
    assert "No feature helps significantly" in selector.path_.text


def test_few_groups_are_not_parted(caplog):
    """A hold-out of one group would have no edges."""
    rng = np.random.default_rng(0)
    selector = FloorSelector(n_features=1).fit(
        rng.normal(size=(120, 2)), rng.integers(2, size=120), groups=np.arange(120) % 3
    )
    assert selector.path_.holdout is None
    assert "too few groups" in caplog.text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_features": 0}, "from 1 to 3"),
        ({"n_features": 4}, "from 1 to 3"),
        ({"n_features": "all"}, "'auto'"),
        ({"holdout": 1.0}, "below 1"),
        ({"scale": "unit"}, "scale that works per column"),
        ({"level": 1.5}, "level"),
        ({"max_rows": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_asked_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        FloorSelector(**wrong).fit(np.random.default_rng(0).normal(size=(30, 3)), [0, 1] * 15)
