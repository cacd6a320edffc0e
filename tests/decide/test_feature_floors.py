"""Floors of single features."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesfloor import BayesFloor
from bayesfloor.decide import feature_floors


@pytest.fixture
def told(global_random_seed):
    """Rows whose third feature says something of the class."""
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(3, size=400)
    X = rng.normal(size=(400, 6))
    X[:, 2] += 3 * y
    return X, y


def test_the_feature_that_tells_is_first(told):
    """And bounds keep their order."""
    X, y = told
    found = feature_floors(X, y)
    assert found.order[0] == 2
    assert found.benjamini_hochberg[2] < 1e-6
    assert (found.lower <= found.estimate).all()
    assert (found.estimate <= found.upper).all()


def test_a_feature_alone_has_the_floor_that_a_fit_finds(told):
    """Sorting and growing a tree agree."""
    X, y = told
    found = feature_floors(X, y)
    for j in (0, 2):
        floor = BayesFloor(n_trees=1, scale=None).fit(X[:, [j]], y).overall_
        assert found.cross_rate[j] == pytest.approx(floor.cross_rate)
        assert found.upper[j] == pytest.approx(floor.upper)
        assert found.p_value[j] == pytest.approx(floor.p_value, abs=0.01)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_names_are_those_of_the_columns(frame, told):
    """Of any kind of data frame."""
    X, y = told
    found = feature_floors(frame({f"c{j}": X[:, j] for j in range(6)}), y)
    assert found.names.tolist() == [f"c{j}" for j in range(6)]
    assert found.frame()["feature"].tolist() == found.names.tolist()
    assert "6 features" in repr(found)


def test_noise_is_not_declared_to_tell(global_random_seed):
    """Beyond the level."""
    rng = np.random.default_rng(global_random_seed)
    declared = [
        (feature_floors(rng.normal(size=(120, 10)), rng.integers(2, size=120)).benjamini_hochberg <= 0.05).any()
        for _ in range(100)
    ]
    assert np.mean(declared) <= 0.12  # 0.05, and three standard errors


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "rare class", "levels", "numbers"])
def test_small_p_values_are_as_rare_as_they_say(kind, global_random_seed):
    """With ties and few of a class the number of cross edges is far from normal."""
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(300) < 9 if kind == "rare class" else rng.integers(3, size=300)
    n_levels = {"binary": 2, "levels": 5}.get(kind)
    X = rng.normal(size=(300, 2000)) if n_levels is None else rng.integers(n_levels, size=(300, 2000)).astype(float)
    p_value = feature_floors(X, y).p_value
    assert np.mean(p_value <= 0.05) <= 0.065
    assert np.mean(p_value <= 0.001) <= 0.0035  # and three standard errors


def test_one_class_and_columns_of_lists_are_refused():
    """There is nothing to tell, or no line to put them on."""
    with pytest.raises(ValueError, match="one class"):
        feature_floors(np.arange(6.0)[:, None], [1] * 6)
    with pytest.raises(TypeError, match="lists"):
        feature_floors(pl.DataFrame({"e": [[1.0, 2.0]] * 4}), [0, 1, 0, 1])


def test_a_constant_feature_says_nothing(told):
    """All rows are one vertex."""
    X, y = told
    X[:, 0] = 1.0
    found = feature_floors(X, y)
    assert found.p_value[0] >= 0.5


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_thousands_of_features_are_ranked(global_random_seed):
    """The point of a filter."""
    rng = np.random.default_rng(global_random_seed)
    X, y = rng.normal(size=(500, 3000)), rng.integers(2, size=500)
    assert np.isfinite(feature_floors(X, y).estimate).all()


def test_texts_are_refused_with_what_to_do():
    """There is no line to put them on."""
    with pytest.raises(TypeError, match=r"whose values have no order, but expected numbers.* Drop these columns"):
        feature_floors(pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3]}), [0, 1, 0])
