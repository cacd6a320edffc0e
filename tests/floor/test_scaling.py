"""Scales, and the choice among them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from bayesfloor import BayesFloor
from bayesfloor.floor._scaling import SCALES, apply_scale
from bayesfloor.io._features import Features


def test_no_scale_is_asked_for_by_none_alone(rng, gaussians):
    """The paper's way; a word for it is refused, with what to pass."""
    floor = BayesFloor(scale=None).fit(*gaussians(rng, [50, 50]))

    assert floor.scale_ is None
    assert floor.scale_rates_ == {}

    with pytest.raises(ValueError, match=r"Got scale='none', .* Pass scale=None to use the features as they are"):
        BayesFloor(scale="none").fit(*gaussians(rng, [50, 50]))


def test_features_of_one_size_are_left_alone_and_those_of_very_different_size_scaled(rng, gaussians):
    """Differences within a standard error are noise; in grams beside kilometres the larger would be all that counts."""
    X, y = gaussians(rng, [200, 200], shift=0.0)

    assert BayesFloor().fit(X, y).fitted_.scale in SCALES
    assert (
        BayesFloor().fit(X, y).scale_rates_["none"] == BayesFloor(scale=None, n_trees=1).fit(X, y).overall_.cross_rate
    )

    X, y = gaussians(rng, [150, 150], shift=6.0)
    X[:, 1] *= 1e4
    floor = BayesFloor().fit(X, y)

    assert floor.scale_ in ("standard", "robust")
    assert list(floor.scale_rates_) == ["none", "standard", "robust"]  # "unit" would give up one of two dimensions
    assert floor.overall_.cross_rate < 0.1 < floor.scale_rates_["none"]


def test_standard_scale_is_scikit_learns_and_categories_try_none(rng):
    """A known name means the known thing; there is nothing to scale in categories."""
    X = rng.normal(3, 5, (40, 3))
    scaled = apply_scale(Features(X, np.ones(3, dtype=bool)), "standard")

    np.testing.assert_allclose(scaled, StandardScaler().fit_transform(X))

    frame = pd.DataFrame({"t": rng.choice(["a", "b", "c"], 60)})
    floor = BayesFloor().fit(frame, rng.permutation(np.arange(60) % 2))

    assert floor.scale_ is None
    assert list(floor.scale_rates_) == ["none"]


@pytest.mark.parametrize("name", SCALES)
def test_constant_columns_and_empty_rows_are_no_trouble(rng, name):
    """Nothing is divided by zero."""
    X = rng.normal(size=(30, 3))
    X[:, 1] = 5.0
    X[0] = 0.0
    scaled = apply_scale(Features(X, np.ones(3, dtype=bool)), name)

    assert np.isfinite(scaled).all()


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_scales_bear_data_of_any_size(rng, gaussians, name, size):
    """Some fields measure in metres what others measure in atoms."""
    X, y = gaussians(rng, [60, 60])
    near = BayesFloor(scale=None if name == "none" else name, interval="fast").fit(X, y).overall_.cross_rate
    far = BayesFloor(scale=None if name == "none" else name, interval="fast").fit(X * size, y).overall_.cross_rate

    assert far == pytest.approx(near, abs=0.02)


def test_wine_is_scaled():
    """A set that everybody knows, where scaling decides all."""
    floor = BayesFloor().fit(*load_wine(return_X_y=True))

    assert floor.scale_ in ("standard", "robust")
    assert floor.overall_.cross_rate < 0.15
    assert floor.scale_rates_["none"] > 0.25
